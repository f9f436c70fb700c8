//! Subcommands that finish on their own.

use game::{PgnGame, PgnReader};

use crate::support::{Folder, HERALD, herald, text, without_settings};

fn lines(bytes: &[u8]) -> Vec<String> {
    text(bytes).lines().map(Into::into).collect()
}

#[test]
fn every_subcommand_has_help_with_an_example() {
    for subcommand in [
        &[][..],
        &["xboard"],
        &["uci"],
        &["cego"],
        &["openings"],
        &["match"],
        &["check"],
        &["board"],
        &["link"],
        &["bench"],
        &["perft"],
        &["eval"],
        &["book"],
        &["book", "make"],
        &["book", "show"],
        &["epd"],
        &["epd", "check"],
        &["epd", "normalize"],
        &["epd", "purge"],
        &["completions"],
        &["man"],
    ] {
        let output = herald(&[subcommand, &["--help"]].concat());
        assert_eq!(output.status.code(), Some(0));
        let text = String::from_utf8(output.stdout).expect("text");
        assert!(text.contains("Usage: herald") && text.contains("Example"), "{subcommand:?}: {text}");
    }
}

/// Only `herald annotate` takes several programs.
#[test]
fn help_is_about_its_own_command() {
    for (subcommand, takes_several) in [
        (&["annotate"][..], true),
        (&["epd", "analyze"], false),
        (&["epd", "mate"], false),
        (&["epd", "target"], false),
    ] {
        let help = herald(&[subcommand, &["--help"]].concat()).stdout;
        assert_eq!(text(&help).contains("the first one judges"), takes_several, "{subcommand:?}");
    }
}

#[test]
fn every_subcommand_has_a_manual_page_and_is_completed() {
    let folder = tempfile::tempdir().expect("a folder");
    let pages = folder.path().join("man").join("man1");
    let output = herald(&["man", pages.to_str().expect("text")]);
    assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0));
    let completions: Vec<String> = ["bash", "elvish", "fish", "powershell", "zsh"]
        .map(|shell| String::from_utf8(herald(&["completions", shell]).stdout).expect("text"))
        .into();
    let help = lines(&herald(&["--help"]).stdout);
    let commands = help.iter().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> = commands.map_while(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"xboard") && commands.contains(&"man"), "{commands:?}");
    for command in commands.into_iter().filter(|command| *command != "help") {
        let page = std::fs::read_to_string(pages.join(format!("herald-{command}.1"))).expect("a page");
        assert!(page.contains("\n.SH EXAMPLE") && !page.contains("EXTRA"), "{page}");
        assert!(completions.iter().all(|script| script.contains(command)), "{command}");
    }
    for page in ["herald.1", "herald-epd-check.1", "herald-book-make.1"] {
        assert!(pages.join(page).exists(), "{page}");
    }
    let root = herald(&["man"]).stdout;
    assert_eq!(root, std::fs::read(pages.join("herald.1")).expect("a page"));
}

#[test]
fn wrong_arguments_get_one_line_and_exit_code_2() {
    for arguments in [
        &["perft"][..],
        &["perft", "deep"],
        &["perft", "1000"],
        &["perft", "2", "no", "position"],
        &["perft", "2", "--variant", "xiangqi"],
        &["perft", "2", "--variant", "atomic", "8/8/8/8/8/8/8/8 w - - 0 1"],
        &["perft", "2", "8/8/8/8/8/8/8/8 w - - 0 1"],
        &["eval", "4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"],
        &["bench", "0"],
        &["book", "make", "no-such.pgn", "-o", "x.bin"],
        &["book", "show", "no-such.bin"],
        &["bench", "-1"],
        &["bench", "--network", "no-such-network"],
        &["bench", "--network", "Cargo.toml"],
        &["nonsense"],
        &["--nonsense"],
        &["uci", "surplus"],
        &["openings", "--balance", "-1"],
        &["openings", "--nodes", "0"],
        &["openings", "--threads", "9999999"],
        &["epd", "check", "--threads", "1025"],
        &["epd", "normalize", "--threads", "0"],
        &["epd", "analyze", "--nodes", "1", "--threads", "9999999"],
        &["match", "--concurrency", "99999999"],
        &["cego", "--hash", "0"],
        &["cego", "--threads", "many"],
        &["completions", "cmd"],
    ] {
        let output = herald(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let complaint = lines(&output.stderr);
        assert_eq!(complaint.len(), 1, "{arguments:?}: {complaint:?}");
        assert!(complaint[0].starts_with("herald: "), "{complaint:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn what_was_meant_is_told() {
    for (arguments, expected) in [
        (&["perft"][..], "provided: <DEPTH> (see herald perft --help)"),
        (&["epd", "target", "x.epd"], "which limit? Say --nodes, --depth or --time"),
        (&["check", "foo", "--", "x"], "(see herald check --help)"),
        (&["epd"], "split, from-games, to-games, help] (see herald epd --help)"),
        (&["nonsense"], "'nonsense' (see herald --help)"),
        (&["mach"], "'match' (see herald --help)"),
        (&["match", "--enginne", "a"], "; a similar argument exists: '--engine' (see herald match --help)"),
        (
            &["match", "a.out"],
            "a.out: there is no such file with options; an engine is given as --engine a.out",
        ),
        (&["match", "a", "b"], "b: expected one file with options at most; an engine is given as --engine b"),
    ] {
        let complaint = lines(&herald(arguments).stderr);
        assert!(complaint.len() == 1 && complaint[0].ends_with(expected), "{arguments:?}: {complaint:?}");
    }
}

#[test]
fn perft_counts() {
    // Counts on which shakmaty and Stockfish agree.
    for (arguments, count) in [
        (&["5"][..], "4865609"),
        (&["0"], "1"),
        (&["3", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"], "97862"),
        (&["3", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8", "w", "-", "-", "0", "1"], "2812"),
        (&["3", "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"], "12189"),
        (&["3", "--chess960"], "8902"),
        (&["4", "--variant", "horde"], "23310"),
        (&["3", "--variant", "crazyhouse", "k7/8/8/8/8/8/8/r5K1[NPq] w - - 0 1"], "32270"),
    ] {
        let output = herald(&[&["perft"], arguments].concat());
        assert_eq!(output.status.code(), Some(0));
        assert_eq!(lines(&output.stdout), [count], "{arguments:?}");
    }
}

#[test]
fn perft_divides() {
    let output = lines(&herald(&["perft", "3", "--divide"]).stdout);
    assert!(output.contains(&"e2e4: 600".into()), "{output:?}");
    assert_eq!(output.last().map(String::as_str), Some("8902"));
    assert_eq!(output.len(), 20 + 2);
}

#[test]
fn bench_gives_the_same_nodes_each_time() {
    let nodes = |arguments: &[&str]| {
        let output = herald(&[&["bench"], arguments].concat());
        let first = lines(&output.stderr).into_iter().next().expect("a line for each position");
        let score = first
            .split(' ')
            .find(|word| word.starts_with(['+', '-']))
            .and_then(|word| word.parse::<f64>().ok());
        let is_even = score.is_some_and(|score| score.abs() < 1.0);
        assert!(first.contains(" nodes ") && is_even, "of the start position: {first}");
        let output = lines(&output.stdout);
        let words: Vec<&str> = output.last().expect("a line").split(' ').collect();
        let [nodes, "nodes", nps, "nps"] = words[..] else { panic!("{words:?}") };
        assert!(nps.parse::<u64>().is_ok_and(|nps| nps > 0), "{nps}");
        nodes.parse::<u64>().expect("a number")
    };
    for arguments in [&["8"][..], &["6", "--variant", "crazyhouse"]] {
        let first = nodes(arguments);
        assert!(first > 1_000, "{first}");
        assert_eq!(nodes(arguments), first);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn messages_that_cannot_be_written_stop_nothing() {
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a disk that is full");
    let output = without_settings(HERALD).args(["bench", "2"]).stderr(full).output().expect("herald runs");
    assert!(output.status.success(), "{}", output.status);
    assert!(lines(&output.stdout).last().is_some_and(|line| line.ends_with(" nps")), "{output:?}");
}

#[test]
fn openings_do_not_depend_on_the_number_of_threads() {
    let make = |threads| {
        herald(&["openings", "--plies", "4", "--count", "20", "--nodes", "300", "--threads", threads])
    };
    let output = make("1");
    assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]));
    let records = lines(&output.stdout);
    assert_eq!(records.len(), 20);
    assert!(records[19].contains(" ce ") && records[19].ends_with(" id \"Standard.4.1.20\";"));
    assert_eq!(make("3").stdout, output.stdout);
}

#[test]
fn openings_that_do_not_exist_are_not_made() {
    let output = herald(&["openings", "--plies", "0", "--count", "2", "--nodes", "1", "--balance", "200"]);
    assert_eq!((output.status.code(), lines(&output.stdout).len()), (Some(1), 1));
    assert_eq!(lines(&output.stderr).len(), 1);
}

#[test]
fn a_program_that_hung_in_a_game_is_started_anew_for_the_next() {
    let folder = Folder::new();
    let (flag, pgn) = (folder.file("hung"), folder.file("games.pgn"));
    let script = format!(
        "if [ -e {flag} ]; then exec {HERALD} uci; fi; while read -r word _; do case $word in \
         uci) echo uciok;; isready) echo readyok;; go) touch {flag}; exec sleep 1000;; quit) exit;; esac; done"
    );
    let path = folder.write("engine.sh", &script);
    let hanging = format!("cmd='sh {path}' name=Hanging protocol=uci patience=2 grace=0.1");
    let other = format!("cmd='{HERALD} uci' name=Other protocol=uci");
    let output = herald(&[
        "match",
        "--engine",
        &hanging,
        "--engine",
        &other,
        "--tc",
        "1+0.1",
        "--games",
        "2",
        "--max-moves",
        "4",
        "--pgn",
        &pgn,
    ]);
    assert!(output.status.success(), "{output:?}");
    let games = folder.read("games.pgn");
    let endings: Vec<_> = games.lines().filter(|line| line.starts_with("[Termination ")).collect();
    assert!(endings.len() == 2 && endings[0].contains("time"), "{games}");
    assert!(endings[1].contains("adjudication"), "{games}");
}

#[test]
fn a_match_tells_that_its_openings_came_again() {
    let folder = Folder::with("openings.epd", "8/8/4k3/8/8/3QK3/8/8 w - -\n");
    let named = ["A", "B"].map(|name| format!("cmd='{HERALD}' name={name} nodes=100 option.Hash=1"));
    let report = |wanted: &str| {
        let engines = ["--engine", &named[0], "--engine", &named[1]];
        let files = ["--openings", "openings.epd", "--pgn", "games.pgn"];
        let output = folder.herald(&[&["match", "--games", wanted][..], &engines, &files].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        text(&output.stdout).to_owned()
    };
    assert!(!report("2").contains("came again"));
    assert!(report("4").contains("The openings (1) came again"));
    // The warning is correct: the two games of the first match and the four of the second are only two different games.
    let games = folder.read("games.pgn");
    let games: Vec<PgnGame> = PgnReader::new(games.as_bytes()).map(|game| game.expect("a game")).collect();
    assert_eq!(games.len(), 6);
    for pair in games.chunks(2) {
        for (game, first) in pair.iter().zip(&games) {
            assert_eq!(game.game.moves(), first.game.moves());
        }
    }
}

#[test]
fn eval_is_symmetric() {
    let number =
        |line: &str| line.split_whitespace().next_back().expect("a number").parse::<i32>().expect("a number");
    let sums = |fen: &str| {
        let shown = lines(&herald(&["eval", fen]).stdout);
        ["Network", "Evaluation"]
            .map(|name| number(shown.iter().find(|line| line.starts_with(name)).expect("a sum")))
    };
    let white = sums("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    assert!(white.iter().all(|&sum| sum > 0));
    assert_eq!(white, sums("4k3/4p3/8/8/8/8/8/4K3 b - - 0 1").map(|sum| -sum));
}

#[test]
fn nobody_has_to_listen_to_the_end() {
    for arguments in [&["eval"][..], &["perft", "2", "--divide"], &["bench", "1"], &["help"]] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let mut herald = without_settings(HERALD);
        let status = herald.args(arguments).stdout(writer).status().expect("herald starts");
        assert!(status.success(), "{arguments:?}: {status}");
    }
}
