//! Real programs. A test whose program is not installed says so and passes, unless `HERALD_REQUIRE_PEERS=1`.

use std::path::{Path, PathBuf};

use game::CastlingMode;
use players::{CommandLine, Protocol, Spec};
use shakmaty::ByColor;

use crate::installed::needed;
use crate::support::{End, Rules, fixture, play, position, start};

use Protocol::{Cecp, Uci};

/// Herald itself, if it was built for the same target.
fn herald() -> Option<PathBuf> {
    let tests = std::env::current_exe().expect("a path");
    let program = tests.parent().and_then(Path::parent).map(|folder| folder.join("herald"));
    let program = program.filter(|program| program.is_file());
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
    let mut peer = start(&spec);
    let mut random = start(&fixture(Uci, ""));
    for (is_white, moves) in [(true, ""), (false, ""), (true, "d4 d5 c4")] {
        let (white, black) = if is_white { (peer, random) } else { (random, peer) };
        let mut players = ByColor { white, black };
        let game = position(&game::Game::default().fen(), CastlingMode::Standard, moves);
        let rules = Rules {
            start: game,
            control: "10+0.1",
            plies: 40,
            ponder: ponders && !is_white,
            ..Rules::default()
        };
        let played = play(&mut players, rules);
        let is_fine = match &played.end {
            End::Over(_) | End::LongEnough => true,
            // Some resign against a program that moves at random.
            End::Resigned | End::Claim(..) => played.game.ply() > 20,
            _ => false,
        };
        assert!(is_fine, "{moves:?}: {:?} in {}", played.end, played.game.fen());
        (peer, random) =
            if is_white { (players.white, players.black) } else { (players.black, players.white) };
    }
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
