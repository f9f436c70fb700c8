//! `herald-trainer assess`: compares a network with the embedded one without playing games.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use game::epd::{Escapes, Lexer};
use search::Position;
use search::network::Network;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup as _, Position as _, Role, Setup};

use crate::train::{Kept, for_each_kept};
use crate::{InputError, read_network, scale, within};

/// Compare a network with the embedded one on held-out games, or with the verdicts of deep searches, and show its average piece values
#[derive(Args)]
#[command(after_help = "Examples:\n  herald-trainer assess data/net1/network data/selfplay\n  \
                  herald-trainer assess data/net1/network --verdicts data/verdicts.epd")]
pub(crate) struct Assess {
    /// Network file
    network: PathBuf,
    /// Games that the network was trained on (files or folders of files); the same games as in training are held out
    #[arg(required_unless_present = "verdicts")]
    games: Vec<PathBuf>,
    /// EPD records with the verdicts of deep searches (`ce`), to compare both networks with
    #[arg(long, value_name = "FILE")]
    verdicts: Option<PathBuf>,
    /// Weight of game results in the target, as in training
    #[arg(long, default_value_t = 0.0, value_parser = within(0.0, 1.0))]
    result_share: f64,
}

/// Centipawns of a verdict for an expected result of 73 %.
const VERDICT_UNIT: f64 = 250.0;
/// Number of held-out positions from which pieces are removed to measure their values.
const PROBED: usize = 5_000;

impl Assess {
    pub(crate) fn run(&self) -> Result<()> {
        let network = read_network(&self.network)?;
        writeln!(io::stdout(), "{network:?}")?;
        if let Some(path) = &self.verdicts {
            let verdicts = read_verdicts(path).with_context(|| format!("{}", path.display()))?;
            let losses = losses(&network, &verdicts);
            write!(io::stdout(), "{} verdicts, sigmoid(ce / {VERDICT_UNIT})\n{losses}", verdicts.len())?;
        }
        if self.games.is_empty() {
            return Ok(());
        }
        let mut held_out = Vec::new();
        for_each_kept(&self.games, |kept| held_out.extend(Some(kept).filter(|kept| kept.is_held_out)))?;
        if held_out.is_empty() {
            return Err(anyhow!(InputError).context("too few games to hold some out"));
        }
        let by_score: Vec<_> =
            held_out.iter().map(|kept| (f64::from(kept.score), f64::from(kept.points()))).collect();
        let unit = scale::fit(|scale| scale::loss(&by_score, scale));
        let share = self.result_share;
        let target = |kept: &Kept| {
            share * f64::from(kept.points()) + (1.0 - share) * scale::sigmoid(f64::from(kept.score) / unit)
        };
        let targets: Vec<_> = held_out.iter().map(|kept| (kept.position.clone(), target(kept))).collect();
        let (count, losses, pieces) =
            (held_out.len(), losses(&network, &targets), pieces(&network, &held_out));
        write!(io::stdout(), "{count} held-out positions, sigmoid(score / {unit:.1})\n{losses}{pieces}")?;
        Ok(())
    }
}

/// Returns, as lines, the losses of both networks against expected results of positions, each at its best scale.
fn losses(network: &Network, targets: &[(Position, f64)]) -> String {
    let mut lines = String::new();
    let mut loss_of = |name: &str, network: &Network| {
        let value = |position| f64::from(network.evaluate(position).value());
        let pairs: Vec<_> = targets.iter().map(|(position, target)| (value(position), *target)).collect();
        let best = scale::fit(|scale| scale::loss(&pairs, scale));
        let loss = scale::loss(&pairs, best);
        let _ = writeln!(lines, "{name:<20} loss {loss:.6} at scale {best:.1}");
        loss
    };
    let (playing, assessed) =
        (loss_of("embedded network", &Network::embedded()), loss_of("this network", network));
    let percent = 100.0 * (assessed / playing - 1.0);
    let side = if percent > 0.0 { "higher" } else { "lower" };
    let _ = writeln!(lines, "loss of this network is {:.1} % {side}", percent.abs());
    lines
}

/// Reads the positions of EPD records that have a `ce`, with the result for the side to move that it lets expect.
///
/// # Errors
/// The file can't be read, or has no such record.
fn read_verdicts(path: &Path) -> Result<Vec<(Position, f64)>> {
    let text = std::fs::read_to_string(path).context(InputError)?;
    let verdicts: Vec<_> = text.lines().filter_map(read_verdict).collect();
    if verdicts.is_empty() {
        return Err(anyhow!(InputError).context("no record has a position and a `ce`"));
    }
    Ok(verdicts)
}

fn read_verdict(line: &str) -> Option<(Position, f64)> {
    let mut lexer = Lexer::new(line, 1, Escapes::None);
    let fen = lexer.fields()?.map(|field| field.text).join(" ");
    let chess: Chess = fen.parse::<Fen>().ok()?.into_position(CastlingMode::Chess960).ok()?;
    while lexer.opcode()?.text != "ce" {}
    let centipawns: i32 = lexer.operand()?.text.parse().ok()?;
    Some((Position::from(&chess), scale::sigmoid(f64::from(centipawns) / VERDICT_UNIT)))
}

/// Returns, as lines, by how much the evaluation decreases on average when a piece of the side to move is removed.
fn pieces(network: &Network, held_out: &[Kept]) -> String {
    let mut lines = String::new();
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
        let _ = writeln!(lines, "{:<8} {mean:>5} centipawns, {} positions", format!("{role:?}"), falls.len());
    }
    lines
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
    use crate::record::tests::write_random_games;
    use search::network::{INPUTS, PIECE_INPUTS, Parameters};

    /// Returns a network of 32 neurons, two of which count the material of one side each.
    fn material() -> Parameters {
        let mut parameters = Parameters {
            feature_weights: vec![0; INPUTS * 32],
            feature_biases: vec![0; 32],
            output_weights: vec![0; 64],
            output_biases: vec![0],
            output_unit: 64,
            centipawns: 400,
        };
        for (role, worth) in [(0, 10), (1, 30), (2, 30), (3, 50), (4, 90)] {
            for input in (0..INPUTS).filter(|input| input % PIECE_INPUTS / 64 == role) {
                parameters.feature_weights[input * 32] = worth;
            }
        }
        (parameters.output_weights[0], parameters.output_weights[32]) = (60, -60);
        parameters
    }

    #[test]
    fn losing_a_greater_piece_costs_more() {
        let network = Network::from_bytes(&material().to_bytes()).unwrap();
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
    fn verdicts_are_those_records_that_have_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts.epd");
        let read = |text: &str| {
            std::fs::write(&path, text).unwrap();
            read_verdicts(&path)
                .map(|verdicts| verdicts.iter().map(|(_, target)| *target).collect::<Vec<_>>())
        };
        let kings = "4k3/8/8/8/8/8/8/4K2R";
        let some = format!("{kings} w K - acd 9; ce 250;\n{kings} b - - ce -250;\n{kings} w - - acd 9;\nx\n");
        assert_eq!(read(&some).unwrap(), [1.0, -1.0].map(scale::sigmoid));
        assert!(read("x").unwrap_err().is::<InputError>());
    }

    #[test]
    fn a_file_that_is_no_network_and_games_that_are_none_are_wrong_input() {
        let folder = tempfile::tempdir().unwrap();
        let games = folder.path().join("games");
        write_random_games(&games, 4, 60);
        let network = folder.path().join("network");
        let run = |bytes: &[u8]| {
            std::fs::write(&network, bytes).unwrap();
            let games = vec![games.clone()];
            Assess { network: network.clone(), games, verdicts: None, result_share: 0.3 }.run()
        };
        let fault = run(b"GIF89a").unwrap_err();
        assert!(fault.is::<InputError>());
        assert!(format!("{fault:#}").ends_with("network can't be used: not a Herald network"));
        run(&material().to_bytes()).unwrap();
    }
}
