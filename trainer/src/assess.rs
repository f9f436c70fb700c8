//! `herald-trainer assess`: compares a network with the embedded one without playing games.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use clap::Args;
use search::Position;
use search::network::Network;
use shakmaty::{CastlingMode, Chess, FromSetup as _, Position as _, Role, Setup};

use crate::train::{Kept, for_each_kept};
use crate::{InputError, read_network, say, scale};

/// Compare a network with the embedded one on held-out games and show its average piece values
#[derive(Args)]
#[command(after_help = "Example: herald-trainer assess data/net1/network data/selfplay")]
pub(crate) struct Assess {
    /// Network file
    network: PathBuf,
    /// Games that the network was trained on (files or folders of files); the same games as in training are held out
    #[arg(required = true)]
    games: Vec<PathBuf>,
    /// Weight of game results in the target, as in training
    #[arg(long, default_value_t = 0.3)]
    result_share: f64,
}

/// Number of held-out positions from which pieces are removed to measure their values.
const PROBED: usize = 5_000;

impl Assess {
    pub(crate) fn run(&self) -> Result<()> {
        let network = read_network(&self.network)?;
        say(format_args!("{network:?}"));
        let mut held_out = Vec::new();
        for_each_kept(&self.games, |kept| held_out.extend(Some(kept).filter(|kept| kept.is_held_out)))?;
        if held_out.is_empty() {
            return Err(anyhow!(InputError).context("too few games to hold some out"));
        }
        let by_score: Vec<_> =
            held_out.iter().map(|kept| (f64::from(kept.score), f64::from(kept.points()))).collect();
        let unit = scale::fit(|scale| scale::loss(&by_score, scale));
        say(format_args!("{} held-out positions, sigmoid(score / {unit:.1})", held_out.len()));
        self.compare(&network, &held_out, unit);
        show_pieces(&network, &held_out);
        Ok(())
    }

    /// Prints the losses of both networks, each at its best scale.
    fn compare(&self, network: &Network, held_out: &[Kept], unit: f64) {
        let share = self.result_share;
        let target = |kept: &Kept| {
            share * f64::from(kept.points()) + (1.0 - share) * scale::sigmoid(f64::from(kept.score) / unit)
        };
        let loss_of = |name: &str, network: &Network| {
            let value = |kept: &Kept| f64::from(network.evaluate(&kept.position).value());
            let pairs: Vec<_> = held_out.iter().map(|kept| (value(kept), target(kept))).collect();
            let best = scale::fit(|scale| scale::loss(&pairs, scale));
            let loss = scale::loss(&pairs, best);
            say(format_args!("{name:<20} loss {loss:.6} at scale {best:.1}"));
            loss
        };
        let (playing, assessed) =
            (loss_of("embedded network", &Network::embedded()), loss_of("this network", network));
        say(format_args!("loss of this network is {:.1} % lower", 100.0 * (1.0 - assessed / playing)));
    }
}

/// Prints by how much the evaluation decreases on average when a piece of the side to move is removed.
fn show_pieces(network: &Network, held_out: &[Kept]) {
    let probed = &held_out[..held_out.len().min(PROBED)];
    for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
        let falls: Vec<i32> = probed
            .iter()
            .filter_map(|Kept { position, .. }| {
                let fewer = without(position, role)?;
                Some(network.evaluate(position).value() - network.evaluate(&fewer).value())
            })
            .collect();
        let sum: i64 = falls.iter().copied().map(i64::from).sum();
        let mean = sum / falls.len().max(1) as i64;
        say(format_args!("{:<8} {mean:>5} centipawns, {} positions", format!("{role:?}"), falls.len()));
    }
}

/// Returns the position without the first piece of this kind of the side to move; `None` if there is none or the result
/// would be illegal.
fn without(position: &Position, role: Role) -> Option<Position> {
    let us = position.turn();
    let square = position.pieces(us, role).first()?;
    let mut setup: Setup = position.to_chess().to_setup(shakmaty::EnPassantMode::Legal);
    setup.board.discard_piece_at(square);
    setup.castling_rights.discard(square);
    setup.ep_square = None;
    let chess = Chess::from_setup(setup, CastlingMode::Chess960).ok()?;
    Some(Position::from(&chess)).filter(|fewer| fewer.pieces(us, role) != position.pieces(us, role))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::random_games;
    use crate::record::{ChunkWriter, Recipe};
    use search::network::{INPUTS, Parameters};

    /// Returns a network of 32 neurons, two of which count the material of one side each.
    fn material() -> Network {
        let mut parameters = Parameters {
            feature_weights: vec![0; INPUTS * 32],
            feature_biases: vec![0; 32],
            output_weights: vec![0; 64],
            output_biases: vec![0],
            output_unit: 64,
            centipawns: 400,
        };
        for (role, worth) in [(0, 10), (1, 30), (2, 30), (3, 50), (4, 90)] {
            for square in 0..64 {
                parameters.feature_weights[(role * 64 + square) * 32] = worth;
            }
        }
        (parameters.output_weights[0], parameters.output_weights[32]) = (60, -60);
        Network::from_bytes(&parameters.to_bytes()).unwrap()
    }

    #[test]
    fn losing_a_greater_piece_costs_more() {
        let network = material();
        let start = Position::default();
        let cost = |role| {
            let fewer = without(&start, role).unwrap();
            network.evaluate(&start).value() - network.evaluate(&fewer).value()
        };
        let [pawn, knight, rook, queen] = [Role::Pawn, Role::Knight, Role::Rook, Role::Queen].map(cost);
        assert!(0 < pawn && pawn < knight && knight < rook && rook < queen);
        assert!(without(&start, Role::King).is_none());
    }

    #[test]
    fn a_file_that_is_no_network_and_games_that_are_none_are_wrong_input() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games");
        let recipe = Recipe { seed: 1, soft_nodes: 1, chess960_percent: 0, network: 0 };
        let mut writer = ChunkWriter::resume(&games, recipe, 1000).unwrap();
        for game in random_games(4, 60) {
            writer.append(&game.encode()).unwrap();
        }
        let network = folder.path().join("network");
        let run = |bytes: &[u8]| {
            std::fs::write(&network, bytes).unwrap();
            let games = vec![games.clone()];
            Assess { network: network.clone(), games, result_share: 0.3 }.run()
        };
        let fault = run(b"GIF89a").unwrap_err();
        assert!(fault.is::<InputError>());
        assert!(format!("{fault:#}").ends_with("network can't be used: not a Herald network"));
        let good = Parameters {
            feature_weights: vec![1; INPUTS * 32],
            feature_biases: vec![0; 32],
            output_weights: vec![0; 64],
            output_biases: vec![0],
            output_unit: 64,
            centipawns: 400,
        };
        run(&good.to_bytes()).unwrap();
    }
}
