//! `herald-trainer tune`: the weights of the evaluation, fitted to the results of games (Texel's method: P. Österlund,
//! 2014; here with the gradient of all weights at once).

mod dataset;
mod model;
mod optimiser;
mod quiet;
mod source;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use clap::Args;

use crate::random::Random;
use crate::say;
use dataset::Dataset;
use model::{Model, Weight};
use optimiser::Adam;

/// Fit the weights of the evaluation to the results of games, and write them as source code
#[derive(Args)]
#[command(
    after_help = "Example: herald-trainer tune data/selfplay --output search/src/evaluation/weights.rs"
)]
pub(crate) struct Tune {
    /// Files of games, or folders of such files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// The source file to write
    #[arg(long, default_value = "search/src/evaluation/weights.rs")]
    output: PathBuf,
    /// How often each position is looked at
    #[arg(long, default_value_t = 40)]
    epochs: usize,
    /// How strongly each weight is drawn back to where it began, so that features too rare to be judged stay as they
    /// were: half the loss that a centipawn away from there costs
    #[arg(long, default_value_t = 1e-8)]
    pull: f64,
    /// Other seeds, other order of the positions; the same arguments, the same weights, whatever the number of threads
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Positions between two steps.
const BATCH: usize = 16_384;
/// The first step of a weight, in centipawns; the last one is this much smaller.
const FIRST_STEP: f64 = 1.5;
const LAST_STEP: f64 = 0.02;

impl Tune {
    pub(crate) fn run(&self) -> Result<()> {
        let (training, held_out) = dataset::load(&self.games)?;
        ensure!(!training.is_empty() && !held_out.is_empty(), "too few games to hold some out");
        say(format_args!("{} positions to fit, {} held out by game", training.len(), held_out.len()));
        let start = search::tuning::weights();
        let start: Vec<Weight> = start.into_iter().map(|(mg, eg)| [mg.into(), eg.into()]).collect();
        let scale = Model::fit_scale(&start, &training);
        say(format_args!("expected score = sigmoid(value / {scale:.1})"));
        let show = |name: &str, model: &Model| {
            say(format_args!("{name}: {:.6}, held out {:.6}", model.loss(&training), model.loss(&held_out)));
        };
        let mut model = Model { weights: start.clone(), scale };
        show("loss at first", &model);
        self.fit(&mut model, &training, |epoch, model| {
            if epoch % 5 == 0 {
                show(&format!("epoch {epoch}"), model);
            }
        });
        model.weights.iter_mut().flatten().for_each(|side| *side = side.round());
        show("loss, rounded", &model);
        let text = source::write(&model.weights);
        std::fs::write(&self.output, text)
            .with_context(|| format!("{} can't be written", self.output.display()))
    }

    fn fit(&self, model: &mut Model, training: &Dataset, mut after_epoch: impl FnMut(usize, &Model)) {
        let mut optimiser = Adam::new(&model.weights, self.pull);
        let mut order: Vec<u32> = (0..training.len() as u32).collect();
        let steps = self.epochs * training.len().div_ceil(BATCH);
        let mut step = 0;
        for epoch in 1..=self.epochs {
            Random::new(self.seed, epoch as u64).shuffle(&mut order);
            for batch in order.chunks(BATCH) {
                let gradient = model.gradient(training, batch);
                let done = step as f64 / steps as f64;
                let fade = f64::midpoint(1.0, (std::f64::consts::PI * done).cos());
                optimiser.step(&mut model.weights, &gradient, LAST_STEP + (FIRST_STEP - LAST_STEP) * fade);
                step += 1;
            }
            after_epoch(epoch, model);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::game;
    use crate::record::{ChunkWriter, GameResult, Recipe};
    use shakmaty::Color;
    use std::path::Path;

    /// Games that White wins by a queen for two pieces, and some that are drawn.
    fn write_games(folder: &Path) {
        let win = "e2e4 e7e5 d1h5:0 g8f6:0 h5e5:100 d8e7:-100 e5e7:300 f8e7:-300 b1c3:100 e8h8:-100 g1f3:20";
        let draw = "e2e4 e7e5 g1f3:10 b8c6:-10 f1c4:10 f8c5:-10 d2d3:10 g8f6:-10 b1c3:10 d7d6:-10";
        let recipe = Recipe { seed: 1, soft_nodes: 1, chess960_percent: 0, evaluation: 0 };
        let mut writer = ChunkWriter::resume(folder, recipe, 100).unwrap();
        for n in 0..60 {
            let game = if n % 3 == 0 {
                game(GameResult::Win(Color::White), win)
            } else {
                game(GameResult::Draw, draw)
            };
            writer.append(&game.encode()).unwrap();
        }
    }

    #[test]
    fn tuning_lowers_the_loss_and_can_be_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let (games, output) = (vec![folder.path().into()], folder.path().join("weights.rs"));
        write_games(folder.path());
        let tune = Tune { games: games.clone(), output: output.clone(), epochs: 5, pull: 1e-10, seed: 1 };
        let outcome = || {
            tune.run().unwrap();
            std::fs::read_to_string(&output).unwrap()
        };
        let first = outcome();
        assert_eq!(first, outcome());
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(first, pool.install(outcome));

        let (training, _) = dataset::load(&games).unwrap();
        let start: Vec<Weight> =
            search::tuning::weights().into_iter().map(|(mg, eg)| [mg.into(), eg.into()]).collect();
        let mut model = Model { scale: Model::fit_scale(&start, &training), weights: start };
        let before = model.loss(&training);
        tune.fit(&mut model, &training, |_, _| {});
        assert!(model.loss(&training) < before);
    }
}
