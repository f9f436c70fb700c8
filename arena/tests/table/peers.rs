//! Real programs. A test whose program is not installed says so and passes, unless `HERALD_REQUIRE_PEERS=1`.

use std::path::PathBuf;
use std::time::Duration;

use arena::Seat;
use game::{Game, Outcome, TimeControl, WinReason};
use players::{CommandLine, Protocol, Spec};
use shakmaty::ByColor;

use crate::built::target_file;
use crate::installed::needed;
use crate::pair::{Pair, fixture};

use Protocol::{Cecp, Uci};

/// Herald itself, if it was built for the same target.
fn herald() -> Option<PathBuf> {
    let program = Some(target_file("herald")).filter(|program| program.is_file());
    if program.is_none() {
        eprintln!("skipped: not built: herald");
    }
    program
}

/// Plays three games with one player: with each colour from the start, and with opening moves. A program that moves at
/// random is the opponent, so that the games get far.
fn plays(program: Option<PathBuf>, arguments: &[&str], protocol: Protocol) {
    plays_and(true, program, arguments, protocol);
}

/// The same, and whether it ponders.
fn plays_and(ponders: bool, program: Option<PathBuf>, arguments: &[&str], protocol: Protocol) {
    let Some(program) = program else { return };
    let folder = tempfile::tempdir().expect("a folder for what programs leave behind");
    let words =
        std::iter::once(program.display().to_string()).chain(arguments.iter().map(ToString::to_string));
    let mut spec = Spec::new(CommandLine::from_words(words).expect("words"), protocol);
    spec.directory = Some(folder.path().to_owned());
    let mut pair = Pair::start(&spec, &fixture(Uci, ""));
    let control: TimeControl = "10+0.1".parse().expect("a time control");
    // Long enough for anything on a busy machine.
    let margin = Duration::from_secs(30);
    pair.seats = pair.seats.map(|seat| Seat { control: control.clone(), margin, ..seat });
    for (is_white, moves) in [(true, ""), (false, ""), (true, "d4 d5 c4")] {
        let mut game = Game::default();
        game.play_line(moves.split_whitespace()).expect("legal");
        let record = pair.play(game, ponders && !is_white, 20);
        let is_fine = match record.outcome {
            Some(Outcome::Draw(_) | Outcome::Win { reason: WinReason::Checkmate, .. }) => true,
            // Some resign against a program that moves at random.
            Some(Outcome::Win { reason, .. }) => {
                let is_given_up = reason == WinReason::Resignation || record.detail.contains("claim");
                is_given_up && record.game.ply() > 20
            }
            None => false,
        };
        assert!(is_fine, "{moves:?}: {record:?} in {}", record.game.fen());
        pair.players.swap();
        pair.seats.swap();
    }
    let ByColor { white: random, black: peer } = pair.players;
    let departure = peer.quit();
    assert!(departure.resources.is_some_and(|used| used.peak_memory > 0), "{departure:?}");
    random.quit();
}

#[test]
fn gnuchess() {
    // More than once: on it others stall now and then.
    for _ in 0..3 {
        plays(needed("gnuchess"), &[], Cecp);
    }
}

#[test]
fn fairymax() {
    plays(needed("fairymax"), &[], Cecp);
}

#[test]
fn phalanx() {
    plays(needed("phalanx"), &[], Cecp);
}

#[test]
fn hoichess() {
    plays(needed("hoichess"), &[], Cecp);
}

#[test]
fn sjeng() {
    plays(needed("sjeng"), &[], Cecp);
}

#[test]
fn stockfish() {
    plays(needed("stockfish"), &[], Uci);
}

#[test]
fn toga2() {
    plays(needed("toga2"), &[], Uci);
}

#[test]
fn glaurung() {
    plays(needed("glaurung"), &[], Uci);
}

#[test]
fn ethereal() {
    // It misses a ponder hit that follows within a millisecond, and thinks on until it is told to stop.
    plays_and(false, needed("ethereal-chess"), &[], Uci);
}

#[test]
fn herald_itself() {
    plays(herald(), &["xboard"], Cecp);
    plays(herald(), &["uci"], Uci);
}
