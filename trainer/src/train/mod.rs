//! `herald-trainer train`: trains a network on games.

mod average;
mod chart;
mod checkpoint;
mod dataset;
mod model;
mod optimiser;
mod quantised;
mod sample;
#[cfg(test)]
mod tests;
mod tile;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};
use indicatif::{ProgressBar, ProgressStyle};
use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use search::network::{MAX_HIDDEN, Network, Parameters, fingerprint};

use crate::files::write_whole;
use crate::random::Random;
use crate::{InputError, MOST_THREADS, say, scale, within};
pub(crate) use average::Average;
use checkpoint::Checkpoint;
pub(crate) use dataset::{Dataset, Kept, for_each_kept};
use model::{Model, Shape, Target};
use optimiser::AdamW;
pub(crate) use sample::Sample;
use tile::{TILE, Tile};

/// Train a network on games; the same command with --resume continues an interrupted run
#[derive(Args, Clone)]
#[command(
    after_help = "Example: herald-trainer train data/selfplay --output data/net1 --hidden 64 --epochs 40\n\
                  The output folder will contain the network, a chart of the losses and the checkpoint to resume from."
)]
pub(crate) struct Train {
    /// Game files, or folders of game files
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Output folder
    #[arg(long)]
    output: PathBuf,
    /// Start with the weights of this network, and its number of buckets; by default, with small random weights
    #[arg(long, value_name = "NETWORK", conflicts_with = "buckets")]
    start: Option<PathBuf>,
    /// Number of hidden neurons, a multiple of 64 up to 2048; by default as many as the network has that is started with, which can't have fewer, else 64
    #[arg(long, value_parser = width)]
    hidden: Option<usize>,
    /// Number of output layers, selected by the number of pieces
    #[arg(long, default_value = "1", value_parser = PossibleValuesParser::new(["1", "8"]).try_map(|n| n.parse::<usize>()))]
    buckets: usize,
    /// Number of passes over the positions
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(1..))]
    epochs: u32,
    /// Weight of game results in the target, from 0, scores alone, to 1; the rest is the weight of scores
    #[arg(long, default_value_t = 0.0, value_parser = within(0.0f32, 1.0))]
    result_share: f32,
    /// Centipawns for an expected result of 73 %; by default, the scale that fits the results best
    #[arg(long, value_parser = within(50.0f32, 1000.0))]
    scale: Option<f32>,
    /// Initial learning rate; the final one is a hundredth of it
    #[arg(long, default_value_t = 1e-3, value_parser = within(0.0f32, 1.0))]
    rate: f32,
    /// Weight decay, relative to the learning rate
    #[arg(long, default_value_t = 0.01, value_parser = within(0.0f32, 10.0))]
    decay: f32,
    /// Random seed of the initial weights and the order of positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Number of threads; 0 means one per processor core. Rounding errors, and thus the weights, depend on the number
    /// of threads
    #[arg(long, default_value_t = 0, value_parser = within(0, MOST_THREADS))]
    threads: usize,
    /// Resume from the checkpoint in the output folder
    #[arg(long)]
    resume: bool,
}

fn width(text: &str) -> Result<usize, String> {
    let fault = || format!("not a multiple of {TILE} from {TILE} to {MAX_HIDDEN}");
    let width: usize = text.parse().map_err(|_| fault())?;
    let fits = width > 0 && width <= MAX_HIDDEN && width.is_multiple_of(TILE);
    if fits { Ok(width) } else { Err(fault()) }
}

/// Mean losses of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Losses {
    /// Loss of the training positions while the weights were changing.
    training: f64,
    /// Loss of the held-out positions after the epoch.
    held_out: f64,
}

/// Number of positions per step.
const BATCH: usize = 16_384;
/// Number of positions used to fit the scale.
const SCALE_SAMPLES: usize = 1_000_000;

impl Train {
    pub(crate) fn run(&self) -> Result<()> {
        let checkpoint = self.output.join("checkpoint");
        if checkpoint.exists() && !self.resume {
            let fault = format!("{} exists: use --resume to continue the run", checkpoint.display());
            return Err(anyhow!(InputError).context(fault));
        }
        if self.output.join("network").exists() && !self.resume {
            let fault = format!("{} holds a network already", self.output.display());
            return Err(anyhow!(InputError).context(fault));
        }
        let start =
            self.start.as_deref().map(|path| read_trainable(path, "can't be used as start")).transpose()?;
        let data = Dataset::load(&self.games)?;
        std::fs::create_dir_all(&self.output)
            .with_context(|| format!("{} can't be created", self.output.display()))
            .context(InputError)?;
        let (training, held_out) = (data.training.len(), data.held_out.len());
        say(format_args!("{training} training positions, {held_out} held out"));
        let scale = self.scale.unwrap_or_else(|| fit_scale(&data.training));
        say(format_args!("expected result of a score: sigmoid(score / {scale:.1})"));
        let target = Target { result_share: self.result_share, scale };
        let first = match start {
            Some(network) => self.widened(Model::of(&network, scale))?,
            None => {
                Model::new(Shape { hidden: self.hidden.unwrap_or(TILE), buckets: self.buckets }, self.seed)
            }
        };
        let pool = ThreadPoolBuilder::new().num_threads(self.threads).build()?;
        let model = pool.install(|| self.fit(first, self.epochs, &data, target, &checkpoint))?;
        self.export(&model, &data, scale)
    }

    /// Adds the neurons that the network that is started with lacks.
    fn widened(&self, first: Model) -> Result<Model> {
        match self.hidden {
            None => Ok(first),
            Some(hidden) if hidden >= first.shape.hidden => Ok(first.widened(hidden, self.seed)),
            Some(_) => {
                let fault = format!("--hidden: the network has {} neurons already", first.shape.hidden);
                Err(anyhow!(InputError).context(fault))
            }
        }
    }

    /// Returns the fingerprint of the run: settings, data and number of threads.
    fn fingerprint(&self, first: &Model, data: &Dataset, target: Target, threads: usize) -> u64 {
        let Train { epochs, rate, decay, seed, .. } = self;
        let settings = format!("{:?} {target:?} {epochs} {rate} {decay} {seed} {threads}", first.shape);
        let weights: Vec<u8> =
            first.weights.iter().flat_map(|tile| tile.0).flat_map(f32::to_le_bytes).collect();
        fingerprint(format!("{settings} {:x} {:x}", fingerprint(&weights), data.fingerprint()).as_bytes())
    }

    /// Trains up to an epoch, from the checkpoint if there is one, and writes a checkpoint after each epoch.
    fn fit(
        &self,
        first: Model,
        last: u32,
        data: &Dataset,
        target: Target,
        checkpoint: &Path,
    ) -> Result<Model> {
        let (shape, threads) = (first.shape, rayon::current_num_threads());
        let print = self.fingerprint(&first, data, target, threads);
        let mut state = if checkpoint.exists() {
            Checkpoint::read(checkpoint, print, shape.len())?
        } else {
            if self.resume {
                say(format_args!("{} does not exist: starting from the beginning", checkpoint.display()));
            }
            Checkpoint {
                fingerprint: print,
                losses: Vec::new(),
                weights: first.weights,
                optimiser: AdamW::new(shape.len()),
            }
        };
        let mut gradients = vec![vec![Tile::ZERO; shape.len()]; threads];
        let steps = data.training.len().div_ceil(BATCH) as u64;
        let style = ProgressStyle::with_template("{wide_bar} {pos}/{len} steps, {eta} left")?;
        let progress = ProgressBar::new(steps * u64::from(self.epochs)).with_style(style);
        progress.set_position(state.optimiser.steps);
        for epoch in state.losses.len()..last as usize {
            let begun = Instant::now();
            let mut model = Model { shape, weights: std::mem::take(&mut state.weights) };
            let order = self.order(data.training.len(), epoch);
            let mut sum = 0.0;
            for batch in order.chunks(BATCH) {
                let batch: Vec<Sample> = batch.par_iter().map(|&at| data.training[at as usize]).collect();
                sum += gradient(&model, &batch, target, &mut gradients);
                let rate = self.rate_at(state.optimiser.steps, steps * u64::from(self.epochs));
                state.optimiser.step(&mut model.weights, &mut gradients[0], rate, self.decay);
                progress.inc(1);
            }
            let speed = data.training.len() as f64 / begun.elapsed().as_secs_f64() / 1e6;
            let losses = Losses {
                training: sum / data.training.len() as f64,
                held_out: model.loss(&data.held_out, target),
            };
            state.weights = model.weights;
            state.losses.push(losses);
            state.write(checkpoint)?;
            chart::draw(&self.output.join("losses.svg"), &state.losses)?;
            progress.suspend(|| {
                let Losses { training, held_out } = losses;
                let place = format!("epoch {}/{}", epoch + 1, self.epochs);
                say(format_args!(
                    "{place}: loss {training:.6}, held out {held_out:.6}, {speed:.2} M positions/s"
                ));
            });
        }
        progress.finish_and_clear();
        Ok(Model { shape, weights: state.weights })
    }

    /// Returns the order of the positions in an epoch.
    fn order(&self, positions: usize, epoch: usize) -> Vec<u32> {
        let mut order: Vec<u32> = (0..positions as u32).collect();
        Random::new(self.seed, 1 + epoch as u64).shuffle(&mut order);
        order
    }

    /// Returns the learning rate of a step: cosine decay from the initial rate to a hundredth of it.
    fn rate_at(&self, step: u64, steps: u64) -> f32 {
        let done = step as f64 / steps as f64;
        let fade = f64::midpoint(1.0, (std::f64::consts::PI * done).cos()) as f32;
        self.rate * (0.01 + 0.99 * fade)
    }

    /// Writes the network and prints the quantisation error.
    fn export(&self, model: &Model, data: &Dataset, scale: f32) -> Result<()> {
        let bytes = model.quantise(scale).to_bytes();
        let network = Network::from_bytes(&bytes).context("the trained network can't be used")?;
        let path = self.output.join("network");
        write_whole(&path, &bytes)?;
        say(format_args!("{}: {network:?}, {} bytes", path.display(), bytes.len()));
        let off = rounding_error(model, &network, &data.held_out, scale);
        say(format_args!("mean quantisation error below 1000 centipawns: {off:.2} centipawns"));
        Ok(())
    }
}

/// Reads a network whose number of neurons suits training. `fault` says what is impossible otherwise.
fn read_trainable(path: &Path, fault: &str) -> Result<Parameters> {
    let read = || -> Result<Parameters> {
        let network = Parameters::from_bytes(&std::fs::read(path)?)?;
        let neurons = network.feature_biases.len();
        width(&neurons.to_string()).map_err(|fault| anyhow!("{neurons} neurons are {fault}"))?;
        Ok(network)
    };
    read().with_context(|| format!("{} {fault}", path.display())).context(InputError)
}

/// Computes the gradient of the mean loss over a batch into the first of the threads' buffers. Returns the sum of the
/// losses.
fn gradient(model: &Model, batch: &[Sample], target: Target, gradients: &mut [Vec<Tile>]) -> f64 {
    let share = batch.len().div_ceil(gradients.len());
    let losses: Vec<f64> = batch
        .par_chunks(share)
        .zip(&mut *gradients)
        .map(|(samples, gradient)| model.add_gradient(samples, target, batch.len(), gradient))
        .collect();
    if let Some((sum, others)) = gradients.split_first_mut() {
        for part in others {
            sum.par_iter_mut().zip(part).with_min_len(256).for_each(|(sum, part)| {
                sum.add(part.lanes());
                *part = Tile::ZERO;
            });
        }
    }
    losses.iter().sum()
}

/// Returns the scale with which scores predict results best.
pub(crate) fn fit_scale(samples: &[Sample]) -> f32 {
    let step = samples.len().div_ceil(SCALE_SAMPLES);
    let known = |sample: &Sample| (sample.score.into(), sample.points().into());
    let some: Vec<(f64, f64)> = samples.iter().step_by(step).map(known).collect();
    scale::fit(|scale| scale::loss(&some, scale)) as f32
}

/// Returns the mean error of a quantised network in centipawns, over positions that the model evaluates below 1000.
fn rounding_error(model: &Model, network: &Network, samples: &[Sample], scale: f32) -> f64 {
    let some = &samples[..samples.len().min(100_000)];
    let errors: Vec<f64> = model
        .outputs(some)
        .into_iter()
        .zip(some)
        .map(|(output, sample)| (output * scale, sample))
        .filter(|(value, _)| value.abs() < 1000.0)
        .map(|(value, sample)| {
            let inputs = sample.inputs(1);
            let by_side =
                inputs.pairs().iter().map(|&[ours, theirs]| (usize::from(ours), usize::from(theirs)));
            let (ours, theirs): (Vec<_>, Vec<_>) = by_side.unzip();
            let centipawns = network.evaluate_inputs(&ours, &theirs).value();
            f64::from((value - centipawns as f32).abs())
        })
        .collect();
    errors.iter().sum::<f64>() / errors.len().max(1) as f64
}
