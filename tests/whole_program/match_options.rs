//! Options of matches: colours and openings, engines, files, what stops a match, and the commands of other runners.

use std::fs;
use std::path::Path;

use game::PgnReader;
use serde_json::Value;

use crate::support::{Folder, HERALD, refused, text, told, without_settings};

/// Plays a match and returns White, Black and the opening of each game.
fn games(hall: &Folder, arguments: &[&str]) -> Vec<(String, String, u64)> {
    let output = hall.play(&[&["--json"], arguments].concat());
    assert!(output.status.success(), "{output:?}");
    let events = text(&output.stdout).lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let word = |event: &Value, key: &str| event[key].as_str().expect("a text").to_owned();
    let games = events.filter(|event| event["event"] == "start");
    games
        .map(|event| {
            (word(&event, "white"), word(&event, "black"), event["opening"].as_u64().expect("a number"))
        })
        .collect()
}

#[test]
fn colours_and_openings() {
    let hall = Folder::new();
    let order = |arguments: &[&str]| -> String {
        let games = games(&hall, arguments);
        games.iter().map(|(white, _, opening)| format!("{white}{opening}")).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(order(&["--games", "5"]), "A1 B1 A2 B2 A3");
    assert_eq!(order(&["--games", "4", "--no-reversal"]), "A1 B2 A3 B4");
    assert_eq!(order(&["--games", "3", "--fixed-colours"]), "A1 A2 A3");
    assert_eq!(order(&["--games", "1", "--rounds", "3"]), "A1 B1 A2");
    let both = hall.play(&["--no-reversal", "--fixed-colours"]);
    assert!(refused(&both).contains("cannot be used with"), "{both:?}");
}

/// The first two lines of a text.
fn first_lines(text: &str) -> &str {
    text.match_indices('\n').nth(1).map_or(text, |(end, _)| &text[..=end])
}

/// An odd number of games is resumed, and the test on single games counts them.
#[test]
fn single_games_are_resumed_and_tested() {
    let hall = Folder::new();
    let arguments =
        ["--games", "3", "--no-reversal", "--state", "s", "--pgn", "p", "--epd", "e", "--sprt", "0,10"];
    let output = hall.play(&arguments);
    assert!(
        output.status.success() && text(&output.stdout).contains("after 3 games, undecided"),
        "{output:?}"
    );
    let state = hall.read("s");
    let begun = state.lines().nth(2).expect("three games");
    // The second game was being written when the runner was killed.
    hall.write("s", &format!("{}{begun}", first_lines(&state)));
    let pgn = hall.read("p");
    let second = pgn.match_indices("[Event ").nth(2).expect("three games").0;
    hall.write("p", &pgn[..second]);
    hall.write("e", first_lines(&hall.read("e")));
    assert!(hall.play(&arguments).status.success());
    hall.write("p", &(hall.read("p") + "[Event \"mine\"]\n\n*\n\n"));
    assert!(refused(&hall.play(&arguments)).contains("it has 19 bytes more"));
    hall.write("p", &hall.read("p").replace("[Event \"mine\"]\n\n*\n\n", ""));
    assert_eq!((hall.read("p").matches("[Event ").count(), hall.read("e").lines().count()), (3, 3));
    let other = hall.play(&["--games", "3", "--state", "s", "--pgn", "p", "--epd", "e", "--sprt", "0,10"]);
    assert!(refused(&other).contains("schedule.colours was \"alternating\", now null"), "{other:?}");
}

#[test]
fn files_have_what_was_asked_for() {
    let hall = Folder::new();
    let output =
        hall.play(&["--pgn", "a.pgn", "--epd", "a.epd", "--pgn-fields", "all", "--log-folder", "logs"]);
    assert!(output.status.success(), "{output:?}");
    let pgn = hall.read("a.pgn").replace('\n', " ");
    for field in ["sd=", "n=", "nps=", "hash=", "latency=", "pv "] {
        assert!(pgn.contains(field), "{field}: {pgn}");
    }
    let games: Vec<_> = PgnReader::new(pgn.as_bytes()).map(|read| read.expect("a game").game).collect();
    for (game, line) in games.iter().zip(hall.read("a.epd").lines()) {
        let position = game.fen().split(' ').take(4).collect::<Vec<_>>().join(" ");
        assert!(
            line.starts_with(&position) && line.contains("hmvc ") && line.contains("id \"game "),
            "{line}"
        );
    }
    let check = hall.herald(&["epd", "check", "a.epd"]);
    assert!(check.status.success(), "{check:?}");
    for name in ["A", "B"] {
        assert!(hall.read(&format!("logs/{name}.log")).contains(&format!(" {name} < ucinewgame")));
    }
    assert!(hall.play(&["--pgn", "b.pgn", "--pgn-fields", "none"]).status.success());
    assert!(!hall.read("b.pgn").contains("book") && !hall.read("b.pgn").contains("%clk"));
    let wrong = hall.play(&["--pgn-fields", "score,elo"]);
    assert!(
        refused(&wrong).contains("`elo` is no field of a move: expected all, none or a list of score"),
        "{wrong:?}"
    );
}

#[test]
fn a_match_that_nobody_can_play_goes_on_only_if_it_is_saved() {
    let hall = Folder::new();
    // Each can be started once, to learn its name.
    let script = hall.write(
        "once.sh",
        "[ -e \"$0.$1\" ] && exit; : >\"$0.$1\"; while read -r word _; do case $word in uci) echo id name Once; echo uciok;; \
         isready) echo readyok;; quit) exit;; esac; done",
    );
    let engine = |name: &str| format!("cmd='sh {script} {name}' name={name}");
    let play = |names: [&str; 2], state: &[&str]| {
        let [one, other] = names.map(engine);
        let output = hall.play(&[&["--engine", one.as_str(), "--engine", other.as_str()], state].concat());
        told(&output, 1).trim_end().to_owned()
    };
    let unsaved = play(["A", "B"], &[]);
    assert!(unsaved.ends_with("; the match stops here"), "{unsaved}");
    let saved = play(["C", "D"], &["--state", "s"]);
    assert!(saved.ends_with("; the match stops here and can go on later"), "{saved}");
}

#[test]
fn an_engine_that_cannot_use_the_value_of_an_option_plays_no_match() {
    let hall = Folder::new();
    let engine = |name: &str, option: &str| format!("cmd='{HERALD}' name={name} {option}");
    let [new, old] = [engine("new", "option.EvalFile=nosuch"), engine("old", "option.Hash=8")];
    let output = hall.play(&["--engine", &new, "--engine", &old]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("can't use `nosuch` as a network"), "{output:?}");
}

#[test]
fn engines_are_started_as_often_as_wanted() {
    let hall = Folder::new();
    let script = hall.write("count.sh", &format!("echo started >> starts\nexec {HERALD} uci\n"));
    let starts = |restart: &str| {
        let _ = fs::remove_file(hall.file("starts"));
        let counted = format!("cmd='sh {script}' name=C restart={restart}");
        let output =
            hall.play(&["--games", "4", "--engine", &counted, "--engine", &format!("cmd='{HERALD}' name=D")]);
        assert!(output.status.success(), "{output:?}");
        hall.read("starts").lines().count()
    };
    // Once to learn its name, and for the games.
    assert_eq!((starts("auto"), starts("on")), (2, 5));
    let off = hall.play(&["--engine", "cmd=a restart=off", "--engine", "cmd=b"]);
    assert!(refused(&off).contains("restart: \"off\" is not on, auto, true or false"), "{off:?}");
}

#[test]
fn a_match_stops_when_an_engine_has_crashed_often_enough() {
    let hall = Folder::new();
    let script = "while read -r word _; do case $word in uci) echo uciok;; isready) echo readyok;; go) exit 7;; quit) exit;; esac; done";
    let crashing = format!("cmd='sh {}' name=X", hall.write("crash.sh", script));
    let play = |more: &[&str]| {
        let engines = ["--games", "6", "--engine", &crashing, "--engine", &format!("cmd='{HERALD}' name=Y")];
        hall.play(&[&engines, more].concat())
    };
    let all = play(&[]);
    assert!(all.status.success() && text(&all.stdout).contains("X: crashes 6"), "{all:?}");
    let some = play(&["--max-crashes", "2"]);
    assert_eq!(some.status.code(), Some(1), "{some:?}");
    assert_eq!(
        text(&some.stderr),
        "herald: stopped after 2 games: X has crashed too often (--max-crashes)\n"
    );
}

#[test]
fn engines_of_cute_chess() {
    let hall = Folder::new();
    let engines = format!(
        r#"[{{"name": "Cute", "command": "{HERALD}", "protocol": "xboard", "workingDirectory": "", "initStrings": ["post"],
            "options": [{{"name": "Contempt", "type": "spin", "default": 0, "value": 7}}]}}]"#
    );
    hall.write("engines.json", &engines);
    let pair = ["--engine", "conf=Cute", "--engine", &format!("cmd='{HERALD}' name=Other"), "--log", "log"];
    let output = hall.play(&[&["--engines-file", "engines.json"], &pair[..]].concat());
    assert!(output.status.success(), "{output:?}");
    let log = hall.read("log");
    assert!(log.contains(" Cute < option Contempt=7") && log.contains(" Cute < post"), "{log}");
    let missing = hall.play(&["--engines-file", "engines.json", "--engine", "conf=Kute", "--engine", "a"]);
    assert!(
        refused(&missing).contains("engines.json: there is no engine Kute; there are Cute"),
        "{missing:?}"
    );
}

#[test]
fn cores_and_tables_are_checked() {
    let hall = Folder::new();
    for (arguments, told) in [
        (&["--processors", "60000"][..], "core 60000 cannot be used: this process may use ["),
        (&["--processors", "3-1"], "--processors 3-1: expected numbers of cores, as in 0-3,6"),
        (
            &["--tablebase-men", "4"],
            "--tablebase-men, --tablebase-ignore-50 and --tablebase-ends are for --tablebases",
        ),
        (&["--openings", "a.epd", "--random-plies", "3"], "cannot be used with"),
        (&["--random-plies", "300"], "--random-plies: expected at most 40"),
        (&["--epd", "x", "--pgn", "x"], "--pgn and --epd name the same file"),
    ] {
        let output = hall.play(arguments);
        assert!(refused(&output).contains(told), "{output:?}");
    }
    let settings = hall.write("m.toml", "games = 2\npgn-felds = 'all'\n");
    let wrong = hall.play(&[&settings]);
    assert!(refused(&wrong).contains("unknown key `pgn-felds`: expected the name of a flag"), "{wrong:?}");
}

const UCI_LOOP: &str =
    "while read -r word rest; do case $word in uci) echo uciok;; isready) echo readyok;; quit) exit;;";
const CECP_LOOP: &str = "while read -r word rest; do case $word in protover) echo feature ping=1 setboard=1 usermove=1 done=1;; \
                         ping) echo pong $rest;; quit) exit;;";

/// A limit that a program cannot be told would lose all its games.
#[test]
fn what_a_program_cannot_do_is_told_before_the_match() {
    let hall = Folder::new();
    hall.write("cecp.sh", &format!("{CECP_LOOP} esac; done"));
    let plain = format!("cmd='{HERALD}' name=A");
    let cego = format!("cmd='{HERALD} cego' protocol=cego");
    for (engine, told) in [
        (
            "cmd='sh cecp.sh' protocol=cecp nodes=100",
            "herald: engine 2, sh cecp.sh, cannot play with nodes=100: it has no feature nps; use depth=N, \
             st=SECONDS or tc=CONTROL",
        ),
        (
            &format!("{cego} depth=3"),
            "cannot play with depth=3: CEGO has clocks only; use tc=CONTROL or st=SECONDS",
        ),
        (
            "cmd=cat patience=0.2",
            "herald: engine 2, cat, gave no answer to uci in time; patience=SECONDS gives it longer",
        ),
    ] {
        let output = hall.play(&["--engine", &plain, "--engine", engine]);
        assert!(refused(&output).ends_with(told), "{output:?}");
    }
}

/// A program that passes its limit of depth is told to move, in both protocols, and the report names it.
#[test]
fn a_program_that_ignores_its_depth_is_told_to_move() {
    let hall = Folder::new();
    hall.write(
        "uci.sh",
        &format!(
            "{UCI_LOOP} go) echo info depth 3 score cp 1 pv a2a3; echo info depth 9 score cp 1 pv a2a3;; \
                                   stop) echo bestmove a2a3;; esac; done"
        ),
    );
    hall.write("cecp.sh", &format!("{CECP_LOOP} go) echo 9 1 1 1 a2a3;; \\?) echo move a2a3;; esac; done"));
    hall.write("deaf.sh", &format!("{UCI_LOOP} go) echo info depth 9 score cp 1 pv a2a3;; esac; done"));
    hall.write("o.epd", "4k3/8/8/8/8/8/P7/4K3 w - - 0 1\n");
    let fast = format!("cmd='{HERALD}' name=Fast");
    let play_with = |engine: &str, limit: &str| {
        let rest = [
            "--engine",
            engine,
            "--engine",
            &fast,
            "--openings",
            "o.epd",
            "--max-moves",
            "1",
            "--games",
            "1",
        ];
        let output = hall.herald(&[&["match", "--each", limit][..], &rest].concat());
        text(&output.stdout).to_owned()
    };
    let play = |engine: &str| play_with(engine, "depth=3");
    hall.write(
        "nodes.sh",
        &format!(
            "{UCI_LOOP} go) echo info depth 9 nodes 90000 score cp 1; echo info depth 9 nodes 100401 score cp 1;; \
                                   stop) echo bestmove a2a3;; esac; done"
        ),
    );
    let told = play_with("cmd='sh nodes.sh' name=Wide", "nodes=100");
    let line = "Wide: does not keep to its limit, was told to move for 1 move\n";
    assert_eq!((told.matches(line).count(), told.contains("1 game, 100.0 % drawn")), (2, true), "{told}");
    for engine in ["cmd='sh uci.sh' name=Deep", "cmd='sh cecp.sh' name=Deep protocol=cecp"] {
        let told = play(engine);
        assert!(told.contains("1 game, 100.0 % drawn"), "{told}");
        assert!(told.contains("Deep: does not keep to its limit, was told to move for 1 move\n"), "{told}");
    }
    let told = play("cmd='sh deaf.sh' name=Deep");
    let lost = "Game 1 (Deep - Fast): 0-1 {White abandons the game: gave no answer to the request to move now in time}\n";
    assert!(told.contains(lost), "{told}");
}

#[test]
fn a_complete_match_goes_on_with_more_games() {
    let hall = Folder::new();
    let files = ["--state", "s", "--pgn", "p"];
    let play = |more: &[&str]| hall.play(&[more, &files].concat());
    assert!(play(&["--games", "2"]).status.success());
    assert!(play(&["--games", "4"]).status.success());
    let games = hall.read("p");
    let numbers = games.lines().filter(|line| line.starts_with("[GameNumber "));
    assert_eq!(
        numbers.collect::<Vec<_>>(),
        (1..=4).map(|n| format!("[GameNumber \"{n}\"]")).collect::<Vec<_>>()
    );
    // The second pair has the second opening, as if four games had been wanted at first.
    let fens: Vec<&str> = games.lines().filter(|line| line.starts_with("[FEN ")).collect();
    assert!(fens[0] == fens[1] && fens[2] == fens[3] && fens[1] != fens[2], "{fens:?}");
    let fewer = play(&["--games", "2"]);
    assert!(
        refused(&fewer).contains("game 3 is not in the schedule: fewer games are wanted now"),
        "{fewer:?}"
    );
    let fewer = play(&["--games", "1"]);
    assert!(refused(&fewer).contains("schedule.games was 2, now 1"), "{fewer:?}");
    let other = play(&["--games", "6", "--sprt", "0,5"]);
    assert!(refused(&other).contains("sprt.bounds was null"), "{other:?}");
}

/// The openings of the first games do not depend on how many there will be.
#[test]
fn a_round_robin_of_three_goes_on_with_more_games() {
    let hall = Folder::new();
    let third = format!("cmd='{HERALD}' name=C");
    let engines: Vec<String> = ["A", "B"].iter().map(|name| format!("cmd='{HERALD}' name={name}")).collect();
    let play = |rest: &[&str]| {
        let all = ["--engine", &engines[0], "--engine", &engines[1], "--engine", &third];
        hall.play(&[&all[..], rest].concat())
    };
    for (name, more, less) in [
        ("games", &["--games", "4"][..], &["--games", "2"][..]),
        ("rounds", &["--games", "2", "--rounds", "3"], &["--games", "2"]),
        ("single", &["--games", "3", "--no-reversal"], &["--games", "1", "--no-reversal"]),
    ] {
        let whole = play(&[more, &["--pgn", &format!("{name}.whole")]].concat());
        assert!(whole.status.success(), "{whole:?}");
        let pgn = format!("{name}.pgn");
        let files = ["--state", name, "--pgn", &pgn];
        for games in [less, more] {
            let output = play(&[games, &files].concat());
            assert!(output.status.success(), "{output:?}");
        }
        let tags = |file: &str| -> Vec<String> {
            let kept = ["[White ", "[Black ", "[FEN ", "[Round "];
            let pgn = hall.read(file);
            pgn.lines()
                .filter(|line| kept.iter().any(|tag| line.starts_with(tag)))
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(tags(&pgn), tags(&format!("{name}.whole")), "{name}");
    }
    assert!(play(&["--games", "1", "--state", "odd"]).status.success());
    let longer = play(&["--games", "2", "--state", "odd"]);
    assert!(refused(&longer).contains("game 2 is not in the schedule"), "{longer:?}");
}

/// A match goes on with the openings that it began with.
#[test]
fn other_openings_of_the_same_number_are_noticed() {
    let hall = Folder::new();
    hall.write("o.epd", "4k3/8/8/8/8/8/P7/4K3 w - -\n");
    let play = |games: &str| hall.play(&["--openings", "o.epd", "--state", "s", "--games", games]);
    assert!(play("2").status.success());
    hall.write("o.epd", "4k3/8/8/8/8/8/7P/4K3 w - -\n");
    assert!(refused(&play("4")).contains("openings.checksum was "));
    hall.write("o.epd", "4k3/8/8/8/8/8/P7/4K3 w - -\n");
    assert!(play("4").status.success());
}

/// The tags of other match runners, for tools that read them.
#[test]
fn games_have_their_times_and_openings() {
    let hall = Folder::new();
    hall.write("o.pgn", "1. e4 c5 2. Nf3 d6 *\n");
    assert!(hall.play(&["--openings", "o.pgn", "--games", "1", "--pgn", "p"]).status.success());
    let game = hall.read("p");
    let tag = |name: &str| {
        let line = game.lines().find(|line| line.starts_with(&format!("[{name} \"")));
        line.unwrap_or_else(|| panic!("{name}: {game}")).split('"').nth(1).expect("a value").to_owned()
    };
    assert!(tag("ECO").starts_with("B5") && tag("Opening").starts_with("Sicilian"), "{game}");
    let (start, end) = (tag("GameStartTime"), tag("GameEndTime"));
    assert!(start <= end && start.ends_with(" UTC") && start.contains('T'), "{game}");
    assert_eq!(start[..10].replace('-', "."), tag("Date"));
    assert_eq!(tag("GameDuration").len(), 8, "{game}");
}

/// What is printed for a command of fastchess is a command that the shell and Herald understand.
#[test]
fn a_command_of_fastchess_is_translated_and_runs() {
    let hall = Folder::new();
    hall.write("book.epd", "4k3/8/8/8/8/8/PPPP4/4K3 w - - 0 1\n");
    let theirs = format!(
        "fastchess -engine cmd={HERALD} args=uci name=A -engine cmd={HERALD} name='B B' proto=uci -each depth=1 tc=inf \
         -openings file=book.epd format=epd order=random -maxmoves 2 -rounds 2 -repeat -concurrency 2 -pgnout file=out.pgn \
         nodes=true -draw movenumber=10 movecount=4 score=8 -recover"
    );
    let output = hall.play(&["--from-fastchess", &theirs]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        text(&output.stderr).starts_with("herald: -recover: left out; an engine that crashes"),
        "{output:?}"
    );
    let ours = text(&output.stdout);
    assert!(ours.starts_with("herald match \\\n    --engine"), "{ours}");
    let folder = Path::new(HERALD).parent().expect("a folder").display().to_string();
    let path = format!("{folder}:{}", std::env::var("PATH").unwrap_or_default());
    let mut shell = without_settings("sh");
    let played =
        shell.args(["-c", ours]).env("PATH", path).current_dir(hall.path()).output().expect("a shell");
    assert!(played.status.success(), "{ours}{played:?}");
    let games = hall.read("out.pgn");
    assert_eq!(games.matches("[Event ").count(), 4, "{games}");
    assert!(
        games.contains("[White \"B B\"]") && games.contains("/1 0.") && !games.contains("%clk"),
        "{games}"
    );
    let wrong = hall.play(&["--from-cutechess", "-engine cmd=a -fly"]);
    assert_eq!(refused(&wrong), "herald: -fly: this option is not known");
}

/// What a program calls itself may depend on how it starts, as with features of CECP that come late.
#[test]
fn a_match_goes_on_under_the_names_with_which_it_began() {
    let hall = Folder::new();
    let told = "read -r first; [ -f name ] && echo \"id name $(cat name)\"; echo uciok";
    hall.write("told.sh", &format!("{told}; exec '{HERALD}' uci"));
    let other = format!("cmd='{HERALD}' name=A");
    let play = |engine: &str, games: &str| {
        let engines = ["--engine", engine, "--engine", &other];
        hall.play(&[&engines[..], &["--games", games, "--state", "s", "--pgn", "p"]].concat())
    };
    let first = play("cmd='sh told.sh'", "2");
    assert!(first.status.success(), "{first:?}");
    hall.write("name", "Told 1.0");
    for (engine, games) in [("cmd='sh told.sh'", "4"), ("cmd='sh told.sh' name=sh", "6")] {
        let output = play(engine, games);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(hall.read("p").matches("[White \"sh\"]").count(), 3);
    let renamed = play("cmd='sh told.sh' name=Told", "6");
    assert!(refused(&renamed).contains("engines.1.name was \"sh\", now \"Told\""), "{renamed:?}");
}

#[test]
fn a_name_that_is_given_stays_with_its_program() {
    let engines = [format!("cmd='{HERALD}'"), format!("cmd='{HERALD}' name='Herald 1.0.0'")];
    let [told, given] = &engines;
    let games = games(&Folder::new(), &["--games", "1", "--engine", told, "--engine", given]);
    assert_eq!(games, [("Herald 1.0.0 (2)".to_owned(), "Herald 1.0.0".to_owned(), 1)]);
}

#[test]
fn what_the_table_does_not_show_is_told() {
    let hall = Folder::new();
    let report = |arguments: &[&str]| {
        let output = hall.play(arguments);
        assert!(output.status.success(), "{output:?}");
        text(&output.stdout).to_owned()
    };
    let told = report(&["--format", "knockout"]);
    let end = "Tie-breaks: 10 games; the better seed advanced from 1 encounter tied to the end\nWinner: A\n";
    assert!(told.contains(end), "{told}");
    let third = format!("cmd='{HERALD}' name=C");
    let [first, second] = ["A", "B"].map(|name| format!("cmd='{HERALD}' name={name}"));
    let three = ["--engine", &first, "--engine", &second, "--engine", &third];
    let told = report(&[&["--format", "swiss", "--rounds", "1"], &three[..]].concat());
    assert!(told.contains("\nPoints of byes, which count in the order: C 2.0\n"), "{told}");
    assert!(told.lines().any(|line| line.trim_start().starts_with("1  C")), "{told}");
}

#[test]
#[cfg(unix)]
fn a_program_of_another_protocol_plays_no_game() {
    let hall = Folder::new();
    let script = hall.write("other.sh", "while read -r line; do echo \"Unknown command: '$line'\"; done");
    let other = format!("cmd='sh {script}' protocol=cecp");
    let output = hall.play(&["--engine", &format!("cmd='{HERALD}'"), "--engine", &other]);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("it does not know `xboard`"), "{output:?}");
}
