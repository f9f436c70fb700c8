//! Matches in the chess variants: over both protocols, from openings of all kinds, resumed, and read by python-chess.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use game::{PgnReader, PlayedVariant};

use crate::installed::{find, has_all};
use crate::peers::has_python_chess;
use crate::support::{Folder, HERALD, Program, herald, refused, text, told, without_settings};

/// The arguments of a match of Herald over UCI with Herald over CECP, whose games are short.
fn arguments(folder: &Path, played: &str, games: &str, more: &[&str]) -> Vec<String> {
    let named = |name: &str| folder.join(name).display().to_string();
    let engine = |protocol: &str, name: &str| {
        format!("cmd='{HERALD} {protocol}' protocol={protocol} name={name} depth=2")
            .replace("protocol=xboard", "protocol=cecp")
    };
    let (uci, cecp, pgn, state) =
        (engine("uci", "U"), engine("xboard", "C"), named("a.pgn"), named("a.state"));
    let fixed = [
        "match",
        "--variant",
        played,
        "--games",
        games,
        "--max-moves",
        "40",
        "--engine",
        &uci,
        "--engine",
        &cecp,
        "--pgn",
        &pgn,
        "--state",
        &state,
    ];
    fixed.iter().chain(more).map(ToString::to_string).collect()
}

fn play(arguments: &[String]) -> Output {
    without_settings(HERALD).args(arguments).output().expect("herald runs")
}

/// Checks that the file has so many games of the variant, which ended without a fault.
fn check_games(folder: &Path, played: PlayedVariant, count: usize) {
    let pgn = fs::read_to_string(folder.join("a.pgn")).expect("the games");
    let games: Vec<_> = PgnReader::new(pgn.as_bytes()).map(|read| read.expect("a legal game").game).collect();
    assert_eq!(games.len(), count, "{}", played.name());
    assert!(
        games.iter().all(|game| PlayedVariant::of(game) == played && game.ply() > 4),
        "{}",
        played.name()
    );
    for fault in ["time forfeit", "rules infraction", "abandoned"] {
        assert!(!pgn.contains(&format!("[Termination \"{fault}\"]")), "{pgn}");
    }
}

#[test]
fn every_variant_is_played_killed_and_resumed() {
    let mut files = Vec::new();
    let folders = tempfile::tempdir().expect("a folder");
    for played in PlayedVariant::all() {
        let folder = folders.path().join(played.name());
        fs::create_dir(&folder).expect("made");
        let arguments = arguments(&folder, played.name(), "4", &[]);
        let mut program = Program::start(
            &[&["match", "--json"], &arguments[1..].iter().map(String::as_str).collect::<Vec<_>>()[..]]
                .concat(),
        );
        // Keys are in alphabetical order.
        program.hear(r#"{"black":"U","detail""#);
        // SIGKILL.
        program.child.kill().expect("killed");
        program.wait();
        let output = play(&arguments);
        assert!(output.status.success(), "{output:?}");
        check_games(&folder, played, 4);
        files.push(folder.join("a.pgn"));
    }
    if has_all(&[("python-chess", has_python_chess())]) {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/peers/read_pgn.py");
        let output = Command::new("python3").arg(script).args(&files).output().expect("python");
        assert!(output.status.success(), "{output:?}");
        assert_eq!(text(&output.stdout).matches(": 4 games, ").count(), files.len());
    }
}

#[test]
fn openings_of_variants() {
    let folder = Folder::new();
    let pocket = "r1bqkb1r/ppp2ppp/2n5/3np3/8/8/PPPP1PPP/RNBQKBNR[Pp] w KQkq - id \"one\";\n";
    let epd = folder.write("o.epd", pocket);
    let pgn = folder.write("o.pgn", "[Variant \"Atomic\"]\n\n1. Nf3 f6 *\n");
    let book = folder.write("o.bin", &"\0".repeat(16));
    let with = |played: &str, more: &[&str]| {
        let _ = fs::remove_file(folder.file("a.pgn"));
        let _ = fs::remove_file(folder.file("a.state"));
        play(&arguments(folder.path(), played, "2", more))
    };
    for (played, openings) in [("crazyhouse", &epd), ("atomic", &pgn)] {
        let output = with(played, &["--openings", openings]);
        assert!(output.status.success(), "{output:?}");
        check_games(folder.path(), PlayedVariant::named(played).expect("a variant"), 2);
    }
    assert!(with("horde", &["--random-plies", "9"]).status.success());
    let games = folder.read("a.pgn");
    assert_eq!(games.replace('\n', " ").matches("{book}").count(), 18);
    for (played, openings, expected) in [
        ("horde", &pgn, "o.pgn, game 1: it is a game of atomic, but horde is played here"),
        ("atomic", &book, "a Polyglot book has moves of chess, but atomic is played here"),
        ("atomic", &epd, "o.epd, line 1: FEN: board"),
    ] {
        let output = with(played, &["--openings", openings]);
        assert!(told(&output, 2).contains(expected), "{output:?}");
    }
}

/// An engine of chess only, in `sh`.
const CHESS_ONLY: &str = "while read -r word _; do case $word in uci) echo id name Plain; echo uciok;; isready) echo readyok;; \
                          quit) exit;; esac; done";

#[test]
fn an_engine_that_does_not_offer_the_variant_is_told_before_the_match() {
    let folder = Folder::new();
    let plain = format!("cmd='sh {}'", folder.write("plain.sh", CHESS_ONLY));
    let own = format!("cmd='{HERALD}'");
    let refused = |played: &str, engine: &str| {
        let output = herald(&["match", "--variant", played, "--engine", &own, "--engine", engine]);
        refused(&output).to_owned()
    };
    assert!(refused("atomic", &plain).ends_with("cannot play the variant atomic (it offers chess)"));
    assert!(refused("chess960", &plain).ends_with("cannot play the variant chess960 (it offers chess)"));
    let cego = format!("cmd='{HERALD} cego' protocol=cego");
    assert!(refused("horde", &cego).ends_with("cannot play the variant horde (it offers chess only)"));
    let cecp = |variants: &str| {
        let script = format!(
            "while read -r word _; do case $word in protover) echo 'feature variants=\"{variants}\" done=1';; \
             quit) exit;; esac; done"
        );
        format!("cmd='sh {}' protocol=cecp", folder.write("cecp.sh", &script))
    };
    let losers = refused("chess", &cecp("suicide,losers"));
    assert!(losers.ends_with("cannot play the variant chess (it offers suicide, losers)"), "{losers}");
    assert!(refused("horde", &cecp("")).ends_with("cannot play the variant horde (it offers chess)"));
    assert!(
        refused("xiangqi", &plain)
            .contains("the rules of this variant are not known here; expected one of chess,")
    );
    let option = format!("cmd='{HERALD}' option.UCI_Variant=atomic");
    assert!(
        refused("atomic", &option).contains("it is the match that says what is played, with --variant NAME")
    );
}

#[test]
fn peers_play_crazyhouse() {
    let peers = ["sjeng", "sjaakii"].map(|name| (name, find(name)));
    if !has_all(&[("sjeng", peers[0].1.is_some()), ("sjaakii", peers[1].1.is_some())]) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = |place: usize| peers[place].1.as_ref().expect("found").display().to_string();
    let engines = [
        format!("cmd='{HERALD}' name=Herald depth=5"),
        format!("cmd={} protocol=cecp name=Sjeng depth=3", path(0)),
        format!("cmd={} name=Sjaak depth=3", path(1)),
    ];
    let mut herald = without_settings(HERALD);
    herald.args(["match", "--variant", "crazyhouse", "--max-moves", "30", "--pgn"]);
    herald.arg(folder.path().join("a.pgn"));
    herald.args(engines.iter().flat_map(|engine| ["--engine", engine]));
    let output = herald.output().expect("herald runs");
    assert!(output.status.success(), "{output:?}");
    check_games(folder.path(), PlayedVariant::named("crazyhouse").expect("a variant"), 6);
}
