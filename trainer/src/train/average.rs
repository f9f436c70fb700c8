//! `herald-trainer average`: averages the weights of networks.
//!
//! Networks that were trained from the same start on different positions can be averaged weight by weight; the average is often better
//! than each of them, without further training (P. Izmailov et al., 2018; M. Wortsman et al., 2022).

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, ensure};
use clap::Args;
use search::network::{Network, Parameters};

use super::{Model, Shape, Tile, read_trainable};
use crate::files::write_new;
use crate::{InputError, say};

/// Average the weights of networks that were trained from the same start
#[derive(Args)]
#[command(
    after_help = "Example: herald-trainer average data/net1/network=3 data/net2/network=1 --output data/mean"
)]
pub(crate) struct Average {
    /// Network files, each with its share; FILE alone means FILE=1, unless its name has a `=`. A network counts as its share of the sum of all
    #[arg(required = true, num_args = 2.., value_name = "FILE=SHARE", value_parser = part)]
    networks: Vec<Part>,
    /// Output file
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

/// A network and its share, which is positive.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    path: PathBuf,
    share: f32,
}

fn part(text: &str) -> Result<Part, String> {
    let (path, share) = text.rsplit_once('=').unwrap_or((text, "1"));
    let fault = || format!("expected FILE or FILE=SHARE with a share from 0.001 to 1000, not `{text}`");
    let share = share.parse().ok().filter(|share| (0.001..=1000.0).contains(share)).ok_or_else(fault)?;
    if path.is_empty() { Err(fault()) } else { Ok(Part { path: path.into(), share }) }
}

impl Average {
    pub(crate) fn run(&self) -> Result<()> {
        let read = |part: &Part| Ok((read_trainable(&part.path, "can't be averaged")?, part.share));
        let networks: Vec<(Parameters, f32)> = self.networks.iter().map(read).collect::<Result<_>>()?;
        let bytes = average(&networks).context(InputError)?.to_bytes();
        let network = Network::from_bytes(&bytes).context("the average can't be used")?;
        let is_new = write_new(&self.output, &bytes)?;
        ensure!(is_new, anyhow!(InputError).context(format!("{} exists", self.output.display())));
        say(format_args!("{}: {network:?}, {} bytes", self.output.display(), bytes.len()));
        Ok(())
    }
}

/// Returns the average of networks with these shares. Their outputs are averaged in centipawns.
fn average(networks: &[(Parameters, f32)]) -> Result<Parameters> {
    let sum: f32 = networks.iter().map(|(_, share)| share).sum();
    let scale = networks.iter().map(|(network, share)| network.centipawns as f32 * share / sum).sum();
    let mut models = networks.iter().map(|(network, share)| (Model::of(network, scale), share / sum));
    let (mut mean, share) = models.next().context("no network to average")?;
    mean.weights.iter_mut().for_each(|tile| *tile = times(tile, share));
    for (model, share) in models {
        let (ours, theirs) = (mean.shape, model.shape);
        let told = |Shape { hidden, buckets }| format!("{hidden} neurons and {buckets} buckets");
        ensure!(
            ours == theirs,
            "networks of different sizes can't be averaged: {}; {}",
            told(ours),
            told(theirs)
        );
        mean.weights
            .iter_mut()
            .zip(&model.weights)
            .for_each(|(sum, tile)| sum.add(times(tile, share).lanes()));
    }
    Ok(mean.quantise(scale))
}

fn times(tile: &Tile, factor: f32) -> Tile {
    (tile.lanes() * factor).tile()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(buckets: usize, seed: u64, scale: f32) -> Parameters {
        Model::new(Shape { hidden: 64, buckets }, seed).quantise(scale)
    }

    #[test]
    fn a_network_averaged_with_itself_is_the_same() {
        let one = network(8, 1, 250.0);
        assert_eq!(average(&[(one.clone(), 3.0), (one.clone(), 1.0)]).unwrap(), one);
    }

    #[test]
    fn weights_lie_between_those_of_the_networks_by_their_shares() {
        let (one, two) = (network(1, 1, 200.0), network(1, 2, 400.0));
        let mean = average(&[(one.clone(), 3.0), (two.clone(), 1.0)]).unwrap();
        assert_eq!(mean.centipawns, 250);
        let weights = one.feature_weights.iter().zip(&two.feature_weights).zip(&mean.feature_weights);
        for ((&one, &two), &mean) in weights {
            let exact = 0.75 * f32::from(one) + 0.25 * f32::from(two);
            assert!((exact - f32::from(mean)).abs() <= 0.51, "{one} and {two}: {mean}");
        }
        // In centipawns.
        let of = |network: &Parameters| {
            let factor = network.centipawns as f32 / network.output_unit as f32;
            network.output_weights.iter().map(|&weight| f32::from(weight) * factor).collect::<Vec<_>>()
        };
        for ((one, two), mean) in of(&one).into_iter().zip(of(&two)).zip(of(&mean)) {
            assert!((0.75 * one + 0.25 * two - mean).abs() < 0.2, "{one} and {two}: {mean}");
        }
    }

    #[test]
    fn networks_of_different_sizes_are_refused() {
        assert!(average(&[(network(1, 1, 250.0), 1.0), (network(8, 1, 250.0), 1.0)]).is_err());
    }

    #[test]
    fn a_share_is_a_positive_number() {
        let read = |text| part(text).map(|part| (part.path, part.share)).ok();
        assert_eq!(read("net10"), Some(("net10".into(), 1.0)));
        assert_eq!(read("a=b/net10=0.25"), Some(("a=b/net10".into(), 0.25)));
        for text in ["net10=", "net10=-1", "net10=0", "net10=NaN", "net10=1e9", "=2", "a=b"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
