//! Tests with external programs: XBoard with a second engine, python-chess with Stockfish.
//!
//! If a program is not installed, its test prints a message and passes, unless `HERALD_REQUIRE_PEERS=1`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::installed::{find, has_all};
use crate::support::{HERALD, without_settings};

pub(crate) fn has_python_chess() -> bool {
    Command::new("python3").args(["-c", "import chess.engine"]).status().is_ok_and(|status| status.success())
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers").join(name)
}

fn run(command: &mut Command) -> String {
    let output = command.output().expect("the script starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}\n{text}\n{}", String::from_utf8_lossy(&output.stderr));
    text
}

#[test]
fn xboard_plays_a_match_with_a_peer_to_the_end() {
    let tools = ["xboard", "Xvfb", "xdpyinfo", "hoichess"].map(|name| (name, find(name).is_some()));
    if !has_all(&tools) {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().to_str().expect("a plain name");
    let script = script("xboard.sh");
    let out = run(Command::new(script).args([HERALD, "hoichess", "2", "0:03", "0.2", path]));
    assert!(out.contains("final score"), "{out}");
}

#[test]
fn python_chess_plays_and_analyses_over_both_protocols() {
    let stockfish = find("stockfish");
    if !has_all(&[("python-chess", has_python_chess()), ("stockfish", stockfish.is_some())]) {
        return;
    }
    let script = script("python_chess.py");
    let out = run(without_settings("python3").arg(script).arg(HERALD).args(stockfish));
    assert_eq!(out.matches("game over").count(), 2, "{out}");
}

#[test]
fn no_variant_is_lost_to_random_moves() {
    if !has_all(&[("python-chess", has_python_chess())]) {
        return;
    }
    let play = |arguments: &[&str]| {
        let mut command = without_settings("python3");
        command.arg(script("variants.py")).arg(HERALD).args(["--games", "2", "--nodes", "300"]);
        run(command.args(arguments)).matches(": 2/2 ").count()
    };
    assert_eq!(play(&["--protocol", "uci"]), 7);
    assert_eq!(play(&["--protocol", "xboard", "--variant", "crazyhouse", "kingofthehill"]), 2);
}

#[test]
fn a_match_over_uci_has_no_accidents() {
    let peer = find("toga2").map(|path| path.display().to_string());
    if !has_all(&[("python-chess", has_python_chess()), ("toga2", peer.is_some())]) {
        return;
    }
    let herald = format!("{HERALD} uci");
    // A generous clock, as other tests run at the same time.
    let mut command = without_settings("python3");
    command.arg(script("match.py")).arg(herald).args(peer).args(["--games", "4", "--clock", "2+0.05"]);
    let out = run(&mut command);
    assert!(out.contains("/4"), "{out}");
}
