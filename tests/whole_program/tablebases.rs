//! Endgame tables with CECP and UCI.

use std::fs;
use std::path::{Path, PathBuf};

use crate::installed::has_all;
use crate::support::Program;

/// Returns the folder of the tables of three and four pieces, which `.ci/run` downloads.
fn folder() -> Option<PathBuf> {
    let fetched = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/syzygy");
    let folder = std::env::var_os("HERALD_SYZYGY").map_or(fetched, PathBuf::from);
    has_all(&[("Syzygy tables of three and four men", folder.join("KQvK.rtbw").is_file())]).then_some(folder)
}

/// Returns the lines up to and including one that starts with `last`.
fn heard(program: &Program, last: &str) -> Vec<String> {
    let mut lines = vec![program.hear("")];
    while !lines.last().is_some_and(|line| line.starts_with(last)) {
        lines.push(program.hear(""));
    }
    lines
}

fn hits(lines: &[String]) -> u64 {
    let counts =
        lines.iter().filter_map(|line| line.split_once(" tbhits ")?.1.split(' ').next()?.parse().ok());
    counts.max().unwrap_or(0)
}

#[test]
fn tables_are_used_at_the_root_and_in_the_search() {
    let Some(folder) = folder() else { return };
    let mut program = Program::start(&["uci"]);
    program.say(&format!("setoption name SyzygyPath value {}", folder.display()));
    // Only one move draws, which a search of one ply does not find on its own.
    program.say("position fen 4k3/8/8/4K3/4P3/8/8/8 b - - 0 1\ngo depth 1");
    let lines = heard(&program, "bestmove ");
    assert!(hits(&lines) > 0 && lines.last().unwrap().starts_with("bestmove e8e7"), "{lines:?}");
    // Five pieces: the tables have the positions after captures.
    program.say("position fen 4k3/pp6/8/8/8/8/8/R3K3 w - - 0 1\ngo depth 8");
    let lines = heard(&program, "bestmove ");
    assert!(hits(&lines) > 0, "{lines:?}");

    // A drawn root is scored as a draw, even if the evaluation favours the extra pawn.
    program.say("position fen 8/8/8/4k3/8/2K5/4P3/8 w - - 0 1\ngo depth 12");
    let lines = heard(&program, "bestmove ");
    let (_, infos) = lines.split_last().unwrap();
    assert!(infos.iter().all(|line| line.contains(" score cp 0 nodes ")), "{lines:?}");

    let mut program = Program::start(&["xboard"]);
    program.say(&format!("protover 2\negtpath syzygy {}", folder.display()));
    program.say("force\nsetboard 4k3/8/8/4K3/4P3/8/8/8 b - - 0 1\nsd 1\ngo");
    assert_eq!(program.hear("move "), "move e8e7");
}

#[test]
fn a_table_that_proves_faulty_is_told_once_and_does_without() {
    let Some(whole) = folder() else { return };
    let directory = tempfile::tempdir().unwrap();
    let folder = directory.path().display();
    let named = |file: &str| directory.path().join(file);
    fs::copy(whole.join("KQvK.rtbz"), named("KQvK.rtbz")).unwrap();
    let bytes = fs::read(whole.join("KQvK.rtbw")).unwrap();
    // A file truncated to this length can still be opened.
    fs::write(named("KQvK.rtbw"), &bytes[..80]).unwrap();
    let warning = "Syzygy table KQvK (wdl) can't be used: it is damaged";
    let fen = "8/8/8/8/8/2k5/8/KQ6 w - - 0 1";

    let mut program = Program::start(&["uci"]);
    program.say(&format!("setoption name SyzygyPath value {folder}\nposition fen {fen}\ngo depth 8"));
    let first = heard(&program, "bestmove ");
    assert_eq!(first.iter().filter(|line| line.contains("Syzygy")).count(), 1, "{first:?}");
    assert!(first.contains(&format!("info string {warning}")), "{first:?}");
    program.say("go depth 8");
    let second = heard(&program, "bestmove ");
    assert!(!second.iter().any(|line| line.contains("Syzygy")), "{second:?}");

    let mut program = Program::start(&["xboard"]);
    program.say(&format!("protover 2\negtpath syzygy {folder}\nforce\nsetboard {fen}\nsd 8\ngo"));
    assert_eq!(program.hear("tellusererror "), format!("tellusererror {warning}"));
    program.hear("move ");
}
