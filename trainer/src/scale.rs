//! Conversion of centipawns to expected results (0 to 1): sigmoid(centipawns / scale).

use rayon::prelude::*;

/// The logistic curve.
pub(crate) fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns the mean squared difference of results (or other targets in 0 ..= 1) and those expected from values in
/// centipawns.
pub(crate) fn loss(pairs: &[(f64, f64)], scale: f64) -> f64 {
    let errors = pairs.par_chunks(1 << 14).map(|pairs| {
        let squares = pairs.iter().map(|(value, points)| (sigmoid(value / scale) - points).powi(2));
        squares.sum::<f64>()
    });
    errors.collect::<Vec<f64>>().iter().sum::<f64>() / pairs.len().max(1) as f64
}

/// Returns the scale with the smallest loss, by golden-section search. The loss must have only one minimum.
pub(crate) fn fit(loss: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (50.0_f64, 1000.0_f64);
    let golden = (5.0_f64.sqrt() - 1.0) / 2.0;
    while high - low > 0.5 {
        let (left, right) = (high - golden * (high - low), low + golden * (high - low));
        if loss(left) < loss(right) { high = right } else { low = left }
    }
    f64::midpoint(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_that_made_the_points_is_found() {
        let pairs = [-300.0, -40.0, 10.0, 90.0, 500.0].map(|value| (value, sigmoid(value / 220.0)));
        assert!((fit(|scale| loss(&pairs, scale)) - 220.0).abs() < 1.0);
    }
}
