//! Tests of the trainer: gradients, quantisation, resuming.

use search::Position;
use search::network::INPUTS;
use shakmaty::Color;

use super::sample::Inputs;
use super::*;
use crate::record::GameResult;
use crate::record::tests::{random_games, write_random_games};

const TARGET: Target = Target { result_share: 0.3, scale: 400.0 };
/// More than one tile, more than one bucket.
const SHAPE: Shape = Shape { hidden: 2 * TILE, buckets: 8 };

/// Returns positions of random games with scores from material and noise.
fn samples(count: usize) -> Vec<Sample> {
    let games = random_games(9, count / 20 + 1);
    let kept = games.iter().flat_map(|game| {
        let result = game.result;
        game.positions()
            .skip(8)
            .map(move |(position, played)| Kept {
                position,
                score: played.score.unwrap_or(0),
                result,
                is_held_out: false,
            })
            .map(|kept| Sample::new(&kept))
    });
    let samples: Vec<Sample> = kept.take(count).collect();
    assert_eq!(samples.len(), count);
    samples
}

fn train(folder: &Path) -> Train {
    Train {
        games: vec![folder.join("games")],
        output: folder.join("net"),
        start: None,
        hidden: Some(SHAPE.hidden),
        buckets: SHAPE.buckets,
        epochs: 4,
        result_share: 0.0,
        scale: None,
        rate: 1e-2,
        decay: 0.01,
        seed: 5,
        threads: 2,
        resume: false,
    }
}

fn write_games(folder: &Path) {
    write_random_games(&folder.join("games"), 3, 120);
}

/// Returns a network after this number of training steps.
fn learnt(data: &[Sample], steps: usize, rate: f32) -> Model {
    let mut model = Model::new(SHAPE, 1);
    let mut optimiser = AdamW::new(SHAPE.len());
    let mut gradients = vec![vec![Tile::ZERO; SHAPE.len()]; 2];
    for _ in 0..steps {
        gradient(&model, data, TARGET, &mut gradients);
        optimiser.step(&mut model.weights, &mut gradients[0], rate, 0.01);
    }
    model
}

#[test]
fn the_gradient_is_that_of_the_loss() {
    // More samples than a chunk.
    let samples = samples(200);
    let mut model = Model::new(SHAPE, 1);
    let mut gradient = vec![Tile::ZERO; SHAPE.len()];
    model.add_gradient(&samples, TARGET, samples.len(), &mut gradient);
    let mut random = Random::new(1, 1);
    let mut check = |tiles: &[usize], count| {
        let mut slope_of = |tile: usize, lane: usize| {
            let weight = model.weights[tile].0[lane];
            let mut loss_at = |weight| {
                model.weights[tile].0[lane] = weight;
                model.loss(&samples, TARGET)
            };
            let step = 2e-3;
            let slope = (loss_at(weight + step) - loss_at(weight - step)) / f64::from(2.0 * step);
            loss_at(weight);
            slope
        };
        let (mut error, mut size, mut probed) = (0.0, 0.0, 0);
        for _ in 0..count {
            let (tile, lane) = (tiles[random.below(tiles.len())], random.below(TILE));
            let (slope, found) = (slope_of(tile, lane), f64::from(gradient[tile].0[lane]));
            // Smaller slopes are lost in single-precision noise.
            if slope.abs().max(found.abs()) > 3e-5 {
                error += (slope - found).powi(2);
                size += slope.powi(2);
                probed += 1;
            }
        }
        let relative = (error / size).sqrt();
        assert!(relative < 1e-2 && probed > 20, "{relative}, {probed} weights");
    };
    let inputs: Vec<Inputs> = samples.iter().map(|sample| sample.inputs(1)).collect();
    let used: Vec<usize> =
        inputs.iter().flat_map(Inputs::pairs).flatten().map(|&input| input.into()).collect();
    for tile in 0..SHAPE.hidden / TILE {
        check(&used.iter().map(|input| tile * INPUTS + input).collect::<Vec<_>>(), 250);
    }
    check(&(SHAPE.biases()..SHAPE.output(0)).collect::<Vec<_>>(), 40);
    check(&(SHAPE.output(0)..SHAPE.output_biases()).collect::<Vec<_>>(), 250);
}

#[test]
fn the_result_counts_by_its_share() {
    let loss = |result_share, winner| {
        let result = GameResult::Win(winner);
        let kept = Kept { position: Position::default(), score: 100, result, is_held_out: false };
        let by_score = 1.0 / (1.0 + (-0.25f32).exp());
        Target { result_share, ..TARGET }.loss(&Sample::new(&kept), by_score).0
    };
    for winner in [Color::White, Color::Black] {
        assert!(loss(0.0, winner) < 1e-9, "{winner}");
    }
    // A score for White is nearer to a win than to a defeat.
    let [near, far] = [Color::White, Color::Black].map(|winner| loss(0.3, winner));
    assert!(1e-3 < near && near < far, "{near}, {far}");
}

#[test]
fn a_thousand_positions_are_learnt_by_heart() {
    let data = samples(1000);
    let loss = learnt(&data, 300, 5e-3).loss(&data, TARGET);
    assert!(loss < 0.002, "{loss}");
}

#[test]
fn whole_numbers_are_close() {
    let data = samples(4000);
    let model = learnt(&data, 100, 1e-3);
    let scale = 172.0; // that of Herald's own games
    let parameters = model.quantise(scale);
    let network = Network::from_bytes(&parameters.to_bytes()).unwrap();
    let off = rounding_error(&model, &network, &data, scale);
    assert!(off < 2.0, "{off}");
    // After conversion back to floating point only the rounding of squared neurons and of the sum differs. With another
    // scale, outputs for the same centipawns differ.
    for scale in [scale, 250.0] {
        let back = rounding_error(&Model::of(&parameters, scale), &network, &data, scale);
        assert!(back < off && back < 1.0, "{back}");
    }
}

#[test]
fn a_run_can_begin_with_a_network() {
    let folder = tempfile::tempdir().unwrap();
    write_games(folder.path());
    let first = train(folder.path());
    first.run().unwrap();
    let read = |train: &Train| Parameters::from_bytes(&std::fs::read(train.output.join("network")).unwrap());
    // Steps too small to change a quantised weight.
    let start = Some(first.output.join("network"));
    let second =
        Train { start, output: folder.path().join("second"), hidden: None, rate: 1e-9, ..first.clone() };
    second.run().unwrap();
    let [first_network, second_network] = [&first, &second].map(|train| read(train).unwrap());
    assert_eq!(second_network.feature_weights, first_network.feature_weights);
    assert_eq!(second_network.feature_biases, first_network.feature_biases);

    let (output, start) = (folder.path().join("third"), Some(folder.path().join("games")));
    let narrow = Train { hidden: Some(TILE), output: output.clone(), ..second.clone() };
    assert!(format!("{:#}", narrow.run().unwrap_err()).contains("128 neurons already"));
    let games = Train { output, start, ..second };
    assert!(format!("{:#}", games.run().unwrap_err()).contains("can't be used as start"));
}

#[test]
fn a_widened_network_says_the_same_and_learns_with_all_its_neurons() {
    let some = samples(200);
    let narrow = Model::new(SHAPE, 7);
    let wide = narrow.widened(2 * SHAPE.hidden, 8);
    assert_eq!(narrow.outputs(&some), wide.outputs(&some));
    let mut gradient = vec![Tile::ZERO; wide.shape.len()];
    wide.add_gradient(&some, Target { scale: 200.0, ..TARGET }, some.len(), &mut gradient);
    let outputs = gradient[wide.shape.output(0)..wide.shape.output_biases()].chunks(wide.shape.tiles());
    let heeded = |tile: usize| outputs.clone().any(|row| row[tile].0.iter().any(|slope| *slope != 0.0));
    assert!((0..wide.shape.tiles()).all(heeded), "the output never heeds some");
}

#[test]
fn a_run_can_be_repeated_and_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    write_games(folder.path());
    let outcome = |train: &Train| {
        train.run().unwrap();
        std::fs::read(train.output.join("network")).unwrap()
    };
    let whole = outcome(&train(folder.path()));
    let again = Train { output: folder.path().join("again"), ..train(folder.path()) };
    assert_eq!(outcome(&again), whole);
    let other = Train { output: folder.path().join("other"), seed: 6, ..train(folder.path()) };
    assert_ne!(outcome(&other), whole);

    // A killed run leaves the checkpoint of its last complete epoch, or of the one before if it was killed while
    // writing.
    let killed = Train { output: folder.path().join("killed"), ..train(folder.path()) };
    let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    std::fs::create_dir_all(&killed.output).unwrap();
    let data = Dataset::load(&killed.games).unwrap();
    let target = Target { result_share: killed.result_share, scale: fit_scale(&data.training) };
    let checkpoint = killed.output.join("checkpoint");
    let first = Model::new(SHAPE, killed.seed);
    pool.install(|| killed.fit(first, 2, &data, target, &checkpoint)).unwrap();
    std::fs::write(killed.output.join("checkpoint.new"), b"HRLD").unwrap();
    assert!(format!("{:#}", killed.run().unwrap_err()).contains("--resume"));
    assert_eq!(outcome(&Train { resume: true, ..killed.clone() }), whole);
    let longer = Train { resume: true, epochs: 5, ..killed };
    assert!(format!("{:#}", longer.run().unwrap_err()).contains("other settings"));
}

#[test]
fn games_are_held_out_whole_and_positions_come_once() {
    let folder = tempfile::tempdir().unwrap();
    write_games(folder.path());
    let mut games: [std::collections::HashSet<u64>; 2] = Default::default();
    let mut count = 0;
    for_each_kept(&[folder.path().join("games")], |kept| {
        count += 1;
        games[usize::from(kept.is_held_out)].insert(kept.position.keys().full);
    })
    .unwrap();
    let [training, held_out] = games;
    assert!(training.is_disjoint(&held_out) && !held_out.is_empty());
    assert_eq!(training.len() + held_out.len(), count);
}
