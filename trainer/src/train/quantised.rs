//! Conversion between the trainer's floating-point weights and quantised networks.

use search::network::{
    ACTIVATED_UNIT, CENTIPAWNS_RANGE, HIDDEN_UNIT, INPUTS, OUTPUT_UNIT_RANGE, OUTPUT_WEIGHT_LIMIT,
    OUTPUT_WEIGHT_SUM, Parameters,
};

use super::{Model, Shape, TILE, Tile};

/// Returns the factor between floating-point and quantised output weights for a target with this scale. It compensates
/// for the rounding of the scale to whole centipawns.
fn output_factor(output_unit: i32, scale: f32, centipawns: i32) -> f32 {
    output_unit as f32 * scale / centipawns as f32
}

impl Model {
    /// Converts a quantised network for training with a target of this scale.
    ///
    /// # Panics
    /// If the number of neurons is not a multiple of [`TILE`].
    pub(super) fn of(parameters: &Parameters, scale: f32) -> Model {
        let shape =
            Shape { hidden: parameters.feature_biases.len(), buckets: parameters.output_biases.len() };
        assert!(shape.hidden.is_multiple_of(TILE), "{} neurons", shape.hidden);
        let mut weights = vec![Tile::ZERO; shape.len()];
        let mut place = |row: &[i16], unit: f32, tile_of: &dyn Fn(usize) -> usize| {
            for (tile, numbers) in row.as_chunks::<TILE>().0.iter().enumerate() {
                weights[tile_of(tile)].0 = numbers.map(|number| f32::from(number) / unit);
            }
        };
        for (input, row) in parameters.feature_weights.chunks(shape.hidden).enumerate() {
            place(row, HIDDEN_UNIT as f32, &|tile| tile * INPUTS + input);
        }
        place(&parameters.feature_biases, HIDDEN_UNIT as f32, &|tile| shape.biases() + tile);
        let output_factor = output_factor(parameters.output_unit, scale, parameters.centipawns);
        for (half, row) in parameters.output_weights.chunks(shape.hidden).enumerate() {
            place(row, output_factor, &|tile| shape.output(0) + half * shape.tiles() + tile);
        }
        let biases = &mut weights[shape.output_biases()].0;
        for (bias, &number) in biases.iter_mut().zip(&parameters.output_biases) {
            *bias = number as f32 / (ACTIVATED_UNIT as f32 * output_factor);
        }
        Model { shape, weights }
    }

    /// Quantises the network. `scale` is that of the target, so that the network's centipawns are those of the training
    /// data.
    ///
    /// The output unit is chosen as large as the weights allow, to minimise rounding errors.
    pub(super) fn quantise(&self, scale: f32) -> Parameters {
        let Shape { hidden, buckets } = self.shape;
        let centipawns = (scale.round() as i32).clamp(*CENTIPAWNS_RANGE.start(), *CENTIPAWNS_RANGE.end());
        let output = &self.weights[self.shape.output(0)..self.shape.output_biases()];
        let largest =
            output.iter().flat_map(|tile| tile.0).fold(1e-6f32, |most, weight| most.max(weight.abs()));
        let size = |side: &[Tile]| side.iter().flat_map(|tile| tile.0).map(f32::abs).sum::<f32>();
        let most = output.chunks(self.shape.tiles()).map(size).fold(1e-6f32, f32::max);
        let rounding = hidden as f32 / 2.0;
        let finest =
            (f32::from(OUTPUT_WEIGHT_LIMIT) / largest).min((OUTPUT_WEIGHT_SUM as f32 - rounding) / most);
        let output_unit = (finest as i32).clamp(*OUTPUT_UNIT_RANGE.start(), *OUTPUT_UNIT_RANGE.end());
        let output_factor = output_factor(output_unit, scale, centipawns);
        let narrow = |weight: f32, unit: f32| (weight * unit).round() as i16;
        let tiles = self.shape.tiles();
        let row = |tile_of: &dyn Fn(usize) -> usize, unit: f32| -> Vec<i16> {
            let tiles = (0..tiles).map(|tile| &self.weights[tile_of(tile)]);
            tiles.flat_map(|tile| tile.0).map(|weight| narrow(weight, unit)).collect()
        };
        let inputs = (0..INPUTS).flat_map(|input| row(&|tile| tile * INPUTS + input, HIDDEN_UNIT as f32));
        let output = (0..2 * buckets).flat_map(|half| {
            let start = self.shape.output(0) + half * tiles;
            let weights = row(&|tile| start + tile, output_factor);
            weights.into_iter().map(|weight| weight.clamp(-OUTPUT_WEIGHT_LIMIT, OUTPUT_WEIGHT_LIMIT))
        });
        let biases = &self.weights[self.shape.output_biases()].0[..buckets];
        let parameters = Parameters {
            feature_weights: inputs.collect(),
            feature_biases: row(&|tile| self.shape.biases() + tile, HIDDEN_UNIT as f32),
            output_weights: output.collect(),
            output_biases: biases
                .iter()
                .map(|bias| (bias * ACTIVATED_UNIT as f32 * output_factor).round() as i32)
                .collect(),
            output_unit,
            centipawns,
        };
        debug_assert_eq!(parameters.feature_biases.len(), hidden);
        parameters
    }
}
