//! `herald check`: Herald passes all rules, and each rule fails for Herald behind a distorting proxy.

use std::sync::Mutex;

use assert_cmd::Command;
use serde_json::Value;

use crate::support::{distorting, example};

const HERALD: &str = env!("CARGO_BIN_EXE_herald");

/// Number of parallel checks, which mostly wait.
const AT_ONCE: usize = 12;

fn check(arguments: &[&str]) -> (Option<i32>, Vec<Value>) {
    let mut command = Command::new(HERALD);
    // Without the user's saved settings.
    command.env("XDG_CONFIG_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/no-settings"));
    let output = command.arg("check").args(arguments).output().expect("herald runs");
    let lines = String::from_utf8(output.stdout).expect("text");
    let values = lines.lines().map(|line| serde_json::from_str(line).expect("JSON"));
    (output.status.code(), values.collect())
}

/// Runs `work` for each item, a limited number in parallel.
fn for_each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = Mutex::new(all.iter());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(one) = next.lock().map_or(None, |mut next| next.next()) {
                    work(one);
                }
            });
        }
    });
}

fn labels(protocol: &str) -> Vec<String> {
    let output = Command::new(HERALD).args(["check", protocol, "--rules"]).output().expect("herald runs");
    let lines = String::from_utf8(output.stdout).expect("text");
    lines.lines().filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Asserts that Herald passes all rules except some with these verdicts. A rule that fails is
/// checked again alone, as a busy machine may cause time-outs.
fn herald_passes(protocol: &str, arguments: &[&str], others: &[(&str, &str)]) {
    let verdicts = |how: &[&str]| -> Vec<(String, String)> {
        let (_, findings) = check(&[&[protocol, "--json"], how, &["--", HERALD], arguments].concat());
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let verdict = |finding: &Value| Some((text(&finding["rule"])?, text(&finding["verdict"])?));
        findings.iter().filter_map(verdict).filter(|(_, verdict)| verdict != "pass").collect()
    };
    let missed = verdicts(&["--concurrency", "8"]);
    let missed: Vec<_> = missed.iter().flat_map(|(rule, _)| verdicts(&["--rule", rule])).collect();
    let others = others.iter().map(|&(rule, verdict)| (rule.to_owned(), verdict.to_owned()));
    assert_eq!(missed, others.collect::<Vec<_>>());
}

/// Asserts that each rule is in the table and fails with its fault.
fn each_rule_fails(protocol: &str, arguments: &[&str], faults: &[(&str, &[&str])]) {
    let without: Vec<String> =
        labels(protocol).into_iter().filter(|label| faults.iter().all(|(rule, _)| rule != label)).collect();
    assert!(without.is_empty(), "never seen failing: {without:?}");
    let is_seen = |(rule, fault): &(&str, &[&str])| {
        let (status, findings) = distorted(protocol, arguments, rule, fault);
        status == Some(1) && findings[0]["verdict"] == "fail"
    };
    assert_each(faults, is_seen);
}

/// Asserts that no rule is kept whose commands, or whose answers, are swallowed.
fn nothing_is_kept_unseen(protocol: &str, arguments: &[&str], swallowed: &[(&str, &[&str])]) {
    assert_each(swallowed, |(rule, fault)| {
        let (status, findings) = distorted(protocol, arguments, rule, fault);
        // A program that doesn't even answer the greeting isn't checked.
        status == Some(2) || findings[0]["verdict"] != "pass"
    });
}

/// Checks a rule on Herald behind a proxy with a fault.
fn distorted(protocol: &str, arguments: &[&str], rule: &str, fault: &[&str]) -> (Option<i32>, Vec<Value>) {
    let program = distorting();
    let program = program.to_str().expect("text");
    let begin = [protocol, "--json", "--strict", "--patience", "2", "--rule", rule, "--", program];
    check(&[&begin[..], fault, &["--", HERALD], arguments].concat())
}

/// Asserts that something holds for all faults. One for which it doesn't is tried again alone, because of busy machines.
fn assert_each(faults: &[(&str, &[&str])], holds: impl Fn(&(&str, &[&str])) -> bool + Sync) {
    let missed = Mutex::new(Vec::new());
    for_each(faults, |fault| {
        if !holds(fault) {
            missed.lock().expect("the list").push(*fault);
        }
    });
    let missed = missed.into_inner().expect("the list");
    let missed: Vec<_> = missed.iter().filter(|fault| !holds(fault)).collect();
    assert!(missed.is_empty(), "not seen: {missed:?}");
}

#[test]
fn herald_keeps_the_rules_of_cecp() {
    let others = [
        // It says nothing to `xboard` and `computer`.
        ("xboard-again", "not-seen"),
        ("san-input", "not-supported"),
        ("sigterm", "not-supported"),
        ("analyze-edit", "not-supported"),
        // It varies its moves only by the option Noise, which is off at first.
        ("random", "not-seen"),
        ("egtpath", "not-seen"),
        ("computer", "not-seen"),
        ("setup", "not-supported"),
    ];
    herald_passes("cecp", &["xboard"], &others);
}

#[test]
fn each_rule_of_cecp_can_be_broken() {
    each_rule_fails("cecp", &["xboard"], CECP);
}

/// A program that moves at random, at once, and ignores most commands, passes only what it does; and so does one that pretends to
/// think, always for the same time, while it sleeps. They are checked at the same time, as they only wait.
#[test]
fn nothing_is_kept_by_doing_nothing() {
    let program = example("random_mover");
    let program = program.to_str().expect("text");
    let begin = ["cecp", "--json", "--patience", "2", "--concurrency", "40", "--", program];
    for_each(&[&[][..], &["--pretend"]], |how| {
        let (_, findings) = check(&[&begin[..], how].concat());
        let passed = findings.iter().filter(|finding| finding["verdict"] == "pass");
        let passed: Vec<_> = passed.filter_map(|finding| finding["rule"].as_str()).collect();
        // The pretender shows its inventions only when it is asked to.
        let is_done = |rule: &&str| *rule != "nopost" || !how.is_empty();
        assert_eq!(passed, KEPT_AT_RANDOM.iter().copied().filter(is_done).collect::<Vec<_>>(), "{how:?}");
    });
    // It takes nearly two seconds for a move, whatever its time.
    let (_, findings) = check(&["cecp", "--json", "--rule", "st", "--", program, "--delay", "1900"]);
    assert_eq!(findings[0]["verdict"], "fail", "{findings:?}");
}

/// Each wreck breaks the rule about its fault.
#[test]
fn wrecks_are_seen() {
    let program = example("random_mover");
    for_each(&WRECKS, |(wreck, rule)| {
        let program = program.to_str().expect("text");
        let (status, findings) =
            check(&["cecp", "--json", "--patience", "2", "--rule", rule, "--", program, "--wreck", wreck]);
        assert_eq!(
            (status, &findings[0]["verdict"]),
            (Some(1), &Value::from("fail")),
            "{wreck}: {findings:?}"
        );
    });
}

#[test]
fn rules_that_were_fooled_are_not_kept_unseen() {
    let is_one = |&&(rule, _): &&(&str, &[&str])| ONCE_FOOLED.contains(&rule);
    for (protocol, arguments, swallowed) in SWALLOWED {
        let rows: Vec<_> = swallowed.iter().filter(is_one).copied().collect();
        nothing_is_kept_unseen(protocol, &[arguments], &rows);
    }
}

#[test]
#[ignore = "half a minute; for changes of rules"]
fn nothing_is_kept_unseen_by_any_rule() {
    for (protocol, arguments, swallowed) in SWALLOWED {
        // What a rule is about is told by its fault, too, if that swallows a command or an answer.
        let is_swallowing = |(_, fault): &(&str, &[&str])| {
            fault.iter().any(|word| ["--deaf", "--mute", "--gulp"].contains(word))
        };
        let known =
            [CECP, UCI, CEGO].concat().into_iter().filter(is_swallowing).chain(swallowed.iter().copied());
        let known: Vec<&str> = known.map(|(rule, _)| rule).collect();
        let without: Vec<String> = labels(protocol)
            .into_iter()
            .filter(|label| !known.contains(&label.as_str()) && !OF_NO_COMMAND.contains(&label.as_str()))
            .collect();
        assert!(without.is_empty(), "nothing is swallowed: {without:?}");
        nothing_is_kept_unseen(protocol, &[arguments], swallowed);
    }
}

#[test]
fn a_program_of_another_protocol_is_told_so() {
    for (protocol, command) in [("cecp", [HERALD, "uci"]), ("uci", [HERALD, "xboard"])] {
        let output =
            Command::new(HERALD).args(["check", protocol, "--"]).args(command).output().expect("herald runs");
        let told = String::from_utf8_lossy(&output.stderr);
        let other = if protocol == "cecp" { "uci" } else { "cecp" };
        assert!(told.contains(&format!("herald check {other} -- {HERALD}")), "{told}");
        assert_eq!(output.status.code(), Some(2));
    }
}

/// Background jobs of a shell without job control inherit an ignored SIGINT.
#[test]
fn sigint_counts_where_it_is_ignored_around() {
    let program = distorting();
    let broken = ["--replace", "sigint=0=>sigint=1", "--", HERALD, "xboard"];
    let ignoring =
        ["-c", "trap '' INT; exec \"$@\"", "sh", HERALD, "check", "cecp", "--rule", "sigint", "--"];
    let output = Command::new("sh").args(ignoring).arg(program).args(broken).output().expect("a shell");
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn herald_keeps_the_rules_of_uci() {
    herald_passes("uci", &["uci"], &[]);
}

#[test]
fn each_rule_of_uci_can_be_broken() {
    each_rule_fails("uci", &["uci"], UCI);
}

/// What a program keeps that answers, waits where it is told to, and moves at random. It ignores options and limits.
#[test]
fn a_random_mover_passes_what_it_does() {
    let program = example("random_mover");
    let (status, findings) =
        check(&["uci", "--json", "--concurrency", "12", "--", program.to_str().expect("text"), "--uci"]);
    assert_eq!(status, Some(1));
    let is_passed = |finding: &&Value| finding["verdict"] == "pass";
    let passed: Vec<_> =
        findings.iter().filter(is_passed).filter_map(|finding| finding["rule"].as_str()).collect();
    assert_eq!(passed, RANDOM_MOVER);
}

/// The files for other programs: `JUnit` XML for a real parser, a badge, a recipe; and the script, which a shell runs.
#[test]
fn reports_for_other_programs() {
    let folder = tempfile::tempdir().expect("a folder");
    let [junit, badge, recipe] = ["junit.xml", "badge.json", "recipe.toml"]
        .map(|name| folder.path().join(name).to_str().expect("text").to_owned());
    let program = distorting();
    let (status, findings) = check(&[
        "uci",
        "--json",
        "--rule",
        "uciok",
        "--rule",
        "option-names",
        "--show-dialogue",
        "--junit",
        &junit,
        "--badge",
        &badge,
        "--recipe",
        &recipe,
        "--",
        program.to_str().expect("text"),
        "--twice",
        "uciok",
        "--say",
        "uci=>id name \u{1}Odd <&\"' \u{fffe}",
        "--",
        HERALD,
        "uci",
    ]);
    assert_eq!(status, Some(1));
    let summary = &findings[2];
    assert_eq!((&summary["passed"], &summary["failed"]), (&1.into(), &1.into()), "{summary}");
    assert_eq!(summary["program"], "?Odd <&\"' \u{fffe}");
    let read = |path: &str| std::fs::read_to_string(path).expect("the file is written");
    let badge: Value = serde_json::from_str(&read(&badge)).expect("JSON");
    assert_eq!((&badge["message"], &badge["color"]), (&"1/2".into(), &"red".into()));
    let recipe: toml::Table = toml::from_str(&read(&recipe)).expect("TOML");
    assert_eq!(recipe["protocol"].as_str(), Some("uci"));
    let parse = "import sys, xml.etree.ElementTree as t; r = t.parse(sys.argv[1]).getroot(); \
        print(r.get('tests'), r.get('failures'), r.get('name'), [f.get('type') for f in r.iter('failure')])";
    let parsed = Command::new("python3").args(["-c", parse, &junit]).output().expect("python3");
    let parsed = String::from_utf8_lossy(&parsed.stdout).into_owned();
    assert!(parsed.starts_with("2 1 ?Odd <&\"' ?, UCI, by Herald "), "{parsed}");
    assert!(parsed.ends_with(" ['must']\n"), "{parsed}");
    let script = findings[0]["script"].as_str().expect("a script");
    let said = Command::new("sh").args(["-c", script]).output().expect("a shell");
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(said.matches("uciok\n").count(), 2, "{script}{said}");
}

#[test]
fn herald_keeps_the_rules_of_cego() {
    herald_passes("cego", &["cego", "--ponder"], &[]);
}

#[test]
fn each_rule_of_cego_can_be_broken() {
    each_rule_fails("cego", &["cego"], CEGO);
}

#[test]
fn wrong_arguments() {
    for arguments in [
        &["cecp", "--json", "--", "/no/such/program"][..],
        &["cecp", "--json", "--rule", "nonsense", "--", HERALD],
        &["cecp", "--rule", "go", "--junit", SAME, "--badge", SAME, "--", HERALD, "xboard"],
        &["cecp"],
        &["usi", "--", HERALD],
    ] {
        assert_eq!(check(arguments), (Some(2), Vec::new()), "{arguments:?}");
    }
}

/// A file that two reports were to be written to.
const SAME: &str = concat!(env!("CARGO_TARGET_TMPDIR"), "/two-reports");

/// One that says nothing of the protocol is told so, too.
#[test]
fn a_program_of_no_protocol_is_told_so() {
    let cases = [
        ("exit", "ended unexpectedly"),
        ("exec cat", ", and nothing of the protocol"),
        ("exec sleep 99", "says nothing"),
        ("printf never; exec sleep 99", "writes 5 bytes without a line end"),
        ("exec sleep 99 <&-", "has closed its standard input"),
        // It doesn't speak UCI: nobody has asked.
        ("echo uciok; exec sleep 99", "says nothing"),
    ];
    for_each(&cases, |(script, instead)| {
        let arguments = ["check", "cecp", "--patience", "1", "--rule", "go", "--", "sh", "-c", script];
        let output = Command::new(HERALD).args(arguments).output().expect("herald runs");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(told.contains("it doesn't answer as a CECP program: `") && told.contains(instead), "{told}");
        assert_eq!(output.status.code(), Some(2));
    });
}

/// A rule that is named twice is checked once, and a rule of the level usual is no failure unless the check is strict.
#[test]
fn junit_agrees_with_the_exit_code() {
    let folder = tempfile::tempdir().expect("a folder");
    let junit = folder.path().join("junit.xml");
    let junit = junit.to_str().expect("text");
    let program = distorting();
    let broken = [program.to_str().expect("text"), "--die", "setoption name No Such", "--", HERALD, "uci"];
    for (strict, failures) in [(&[][..], 0), (&["--strict"][..], 1)] {
        let rule = ["--rule", "option-unknown", "--rule", "option-unknown"];
        let begin = [&["uci", "--json", "--junit", junit][..], &rule, strict, &["--"], &broken].concat();
        let (status, findings) = check(&begin);
        assert_eq!((status, findings.len()), (Some(failures), 2));
        let xml = std::fs::read_to_string(junit).expect("the file is written");
        assert!(xml.contains(&format!("tests=\"1\" failures=\"{failures}\"")), "{xml}");
    }
}

const WRECKS: [(&str, &str); 6] = [
    ("silent-force", "go"),
    ("pong-first", "ping-thinking"),
    ("no-undo", "undo"),
    ("analysis-mover", "analyze"),
    ("fragile", "unknown-command"),
    ("boaster", "go"),
];

const KEPT_AT_RANDOM: &[&str] = &[
    "one-read",
    "version-1",
    "answers-move",
    "go",
    "playother",
    "colors",
    "reuse",
    "illegal-move",
    "legal-moves",
    "setboard",
    "setboard-illegal",
    "new-resets",
    "undo",
    "undo-nothing",
    "remove",
    "is-mated",
    "is-stalemated",
    "result-idle",
    "ping",
    "unknown-command",
    "crlf",
    "split-line",
    "long-line",
    "nopost",
    "stray-words",
];

const CECP: Faults = &[
    ("one-read", &["--gulp"]),
    ("version-1", &["--deaf", "e2e4"]),
    ("accepted", &["--say", "rejected setboard=>Error (unknown command): rejected setboard"]),
    ("option-names", &["--say", "protover=>feature option=\"A -check 1\" option=\"A -check 0\""]),
    ("xboard-again", &["--say", "xboard=>Illegal move: xboard"]),
    // The proxy itself obeys the signal.
    ("sigint", &["--replace", "sigint=0=>sigint=1"]),
    ("answers-move", &["--deaf", "usermove"]),
    ("go", &["--deaf", "go"]),
    ("playother", &["--deaf", "playother"]),
    ("colors", &["--deaf", "white"]),
    ("reuse", &["--die", "usermove e2e4"]),
    ("illegal-move", &["--mute", "Illegal"]),
    ("legal-moves", &["--say", "usermove e1g1=>Illegal move: e1g1"]),
    ("san-input", &["--replace", "done=1=>san=1 done=1", "--say", "usermove e4=>Illegal move: e4"]),
    ("setboard", &["--deaf", "setboard"]),
    ("setboard-illegal", &["--say", "setboard 8/8/=>1/2-1/2 {Stalemate}"]),
    ("edit", &["--replace", "setboard=1=>setboard=0", "--deaf", "edit"]),
    ("new-resets", &["--deaf", "new"]),
    ("undo", &["--deaf", "undo"]),
    ("undo-nothing", &["--die", "undo"]),
    ("remove", &["--deaf", "remove"]),
    ("mates", &["--say", "go=>0-1 {Black mates}"]),
    ("is-mated", &["--say", "go=>1/2-1/2 {agreed}"]),
    ("is-stalemated", &["--say", "go=>1-0 {White mates}"]),
    ("result", &["--replace", "pong 2=>pong 2\nmove h2h3"]),
    ("result-idle", &["--say", "result=>Illegal move: result"]),
    ("result-pondering", &["--say", "result=>move h2h3"]),
    ("result-analysing", &["--die", "result"]),
    ("draw-offer", &["--say", "draw=>Error (unknown command): draw"]),
    ("draw-accepted", &["--say", "draw=>move a1a2"]),
    ("draw-refused", &["--say", "draw=>offer draw"]),
    ("claims-repetition", &["--say", "usermove c6b8=>1/2-1/2 {Draw by repetition}"]),
    ("claims-fifty", &["--say", "usermove b8c6=>1-0 {White mates}"]),
    ("ping", &["--say", "ping 72=>pong 72"]),
    ("ping-thinking", &["--say", "ping 77=>pong 77"]),
    ("ping-pondering", &["--mute", "pong 78"]),
    ("force-silent", &["--replace", "pong 2=>pong 2\nmove h2h3"]),
    ("reads-thinking", &["--say", "force=>move h2h3"]),
    ("new-silent", &["--replace", "pong 2=>pong 2\nmove h2h3"]),
    ("ponder-silent", &["--twice", "move"]),
    ("move-now", &["--rewrite", "?=>force"]),
    ("move-now-idle", &["--say", "?=>Illegal move: ?"]),
    ("undisturbed", &["--rewrite", "nopost=>?"]),
    ("unknown-command", &["--mute", "Error"]),
    ("quit-thinking", &["--deaf", "quit"]),
    ("quit-analysing", &["--deaf", "quit"]),
    ("end-of-input", &["--stay"]),
    // SIGTERM goes to the proxy.
    ("sigterm", &["--replace", "sigterm=0=>sigterm=1", "--undying"]),
    ("crlf", &["--gulp"]),
    ("split-line", &["--deaf", "usermove"]),
    ("long-line", &["--die", "result 1/2"]),
    ("pause", &["--deaf", "pause"]),
    ("pause-dropped", &["--deaf", "new"]),
    ("pause-analysing", &["--deaf", "pause"]),
    ("pause-other", &["--say", "hint=>Hint: h2h3"]),
    ("st", &["--rewrite", "st 1=>st 3"]),
    ("st-decimal", &["--die", "st 0.5"]),
    ("st-0", &["--die", "st 0"]),
    ("level", &["--say", "level=>Illegal move: level"]),
    ("level-decimal", &["--die", "level 0 0:05"]),
    ("level-moves", &["--die", "level"]),
    ("level-refilled", &["--rewrite", "level 2 0:01 0=>st 5"]),
    ("own-clock", &["--rewrite", "level 0 0:05 0=>st 5"]),
    ("time-short", &["--rewrite", "time 100=>time 60000"]),
    ("time-odd", &["--die", "time -100"]),
    ("sd", &["--rewrite", "sd 3=>sd 6"]),
    ("sd-with-time", &["--rewrite", "st 1=>st 3"]),
    ("new-clears-sd", &["--rewrite", "new=>force"]),
    ("nps", &["--deaf", "nps"]),
    ("nps-0", &["--deaf", "nps"]),
    ("thinking", &["--deaf", "post"]),
    ("nopost", &["--deaf", "nopost"]),
    ("mate-score", &["--replace", "100002=>100003"]),
    ("mated-score", &["--replace=-100001=>-100002"]),
    ("stray-words", &["--say", "go=>Draw is near"]),
    ("analyze", &["--deaf", "analyze"]),
    ("analyze-move", &["--deaf", "usermove"]),
    ("analyze-undo", &["--deaf", "undo"]),
    ("analyze-new", &["--deaf", "new"]),
    ("analyze-setboard", &["--deaf", "setboard 8/5pk1"]),
    ("analyze-edit", &["--replace", "setboard=1=>setboard=0", "--deaf", "edit"]),
    ("analyze-over", &["--say", "analyze=>0-1 {Black mates}"]),
    ("ping-analysing", &["--mute", "pong 79"]),
    ("stat01", &["--mute", "stat01"]),
    ("exclude", &["--deaf", "exclude"]),
    ("exclude-all", &["--deaf", "exclude"]),
    ("setscore", &["--deaf", "setscore"]),
    ("hint", &["--replace", "Hint: =>Hint: a1"]),
    ("bk", &["--say", "bk=>the book is open"]),
    ("options", &["--say", "option =>Error (bad value): option"]),
    ("option-unknown", &["--mute", "Error"]),
    ("memory", &["--rewrite", "memory 128=>memory 900"]),
    ("cores", &["--say", "cores=>Error (unknown command): cores"]),
    ("easy", &["--rewrite", "easy=>hard"]),
    ("ponder-hit", &["--rewrite", "st 1=>st 3"]),
    ("random", &["--say", "random=>Illegal move: random"]),
    ("egtpath", &["--die", "egtpath"]),
    ("computer", &["--say", "computer=>Illegal move: computer"]),
    ("rating", &["--die", "rating"]),
    ("names", &["--say", "name =>Illegal move: name"]),
    ("highlight", &["--mute", "highlight"]),
    ("fischerandom", &["--say", "usermove O-O=>Illegal move: O-O"]),
    ("variants", &["--deaf", "variant"]),
    ("variant-unknown", &["--die", "variant nosuch"]),
    (
        "setup",
        &[
            "--replace",
            "variants=\"normal=>variants=\"myown,normal",
            "--say",
            "variant myown=>setup nonsense",
        ],
    ),
    ("holding", &["--deaf", "holding"]),
];

const UCI: Faults = &[
    ("uciok", &["--twice", "uciok"]),
    ("isready", &["--twice", "readyok"]),
    ("isready-searching", &["--say", "isready=>bestmove h2h3"]),
    ("unknown-command", &["--say", "xyzzy=>bestmove e2e4"]),
    ("white-space", &["--deaf", "  position"]),
    ("one-read", &["--gulp"]),
    ("line-ends", &["--deaf", "position startpos moves e2e4 f7f6 d1h5"]),
    ("long-line", &["--deaf", "position startpos moves g1f3"]),
    ("debug", &["--say", "debug on=>bestmove a2a3"]),
    ("option-names", &["--twice", "option name Hash"]),
    ("option-case", &["--deaf", "setoption name mUlTiPv"]),
    ("hash", &["--deaf", "setoption name Hash"]),
    ("threads", &["--deaf", "setoption name Threads"]),
    ("clear-hash", &["--die", "setoption name Clear"]),
    ("option-defaults", &["--say", "uci=>option name A type spin default 9 min 1 max 3"]),
    ("options", &["--die", "setoption name Hash"]),
    ("option-unknown", &["--die", "setoption name No Such"]),
    ("ucinewgame", &["--die", "ucinewgame"]),
    ("position-fen", &["--deaf", "position fen"]),
    ("position-moves", &["--deaf", "position"]),
    ("position-illegal", &["--say", "position fen x=>bestmove e2e4"]),
    ("game-over", &["--replace", "0000=>e2e4", "--replace", "(none)=>e2e4"]),
    ("chess960", &["--replace", "g1h1=>g1g1"]),
    ("quit", &["--deaf", "quit"]),
    ("end-of-input", &["--stay"]),
    ("stop", &["--twice", "bestmove"]),
    ("stop-early", &["--deaf", "stop"]),
    ("one-answer", &["--twice", "bestmove"]),
    ("infinite-mated", &["--say", "go infinite=>bestmove 0000"]),
    ("mate", &["--deaf", "go mate"]),
    ("info-form", &["--replace", " nodes => nodes x"]),
    ("stop-idle", &["--say", "stop=>bestmove e2e4"]),
    ("infinite", &["--say", "go infinite=>bestmove a1a8"]),
    ("ponder", &["--deaf", "ponderhit"]),
    ("ponder-stop", &["--deaf", "stop"]),
    ("ponder-move", &["--replace", "ponder =>ponder a1b8 "]),
    ("searchmoves", &["--rewrite", "go depth 4 searchmoves h2h3 g2g3=>go depth 4"]),
    ("info", &["--mute", "info"]),
    ("pv", &["--replace", " pv => pv a1h8 "]),
    ("mate-score", &["--replace", "mate 2=>mate 3"]),
    ("mated-score", &["--replace", "mate -1=>mate -2"]),
    ("multipv", &["--deaf", "setoption name MultiPV"]),
    ("depth", &["--rewrite", "go depth 3=>go depth 6"]),
    ("nodes", &["--rewrite", "go nodes 50000=>go nodes 900000"]),
    ("movetime", &["--rewrite", "go movetime 500=>go movetime 4000"]),
    ("clock", &["--rewrite", "go wtime 1000 btime 60000=>go movetime 4000"]),
    ("clock-increment", &["--rewrite", "go wtime 300 btime 60000 winc 5000 binc 0=>go movetime 4000"]),
    ("clock-short", &["--deaf", "go wtime 1 "]),
    ("movestogo", &["--rewrite", "go wtime 1000 btime 1000 movestogo 1=>go movetime 4000"]),
];

const RANDOM_MOVER: &[&str] = &[
    "uciok",
    "isready",
    "unknown-command",
    "white-space",
    "one-read",
    "line-ends",
    "long-line",
    "position-fen",
    "position-moves",
    "game-over",
    "option-names",
    "option-defaults",
    "stop-idle",
    "stop-early",
    "infinite",
    "infinite-mated",
    "one-answer",
];

const CEGO: Faults = &[
    ("ready", &["--twice", "ready"]),
    ("first-move", &["--say", "1000000000=>e9e9"]),
    ("later-moves", &["--say", "1000000000 1000000000=>e9e9"]),
    ("special-moves", &["--say", "1000000000 1000000000=>e9e9"]),
    ("mates", &["--twice", "a1a8"]),
    ("clock-increment", &["--deaf", "300000000"]),
    ("pieces", &["--deaf", "1000000000"]),
    ("lost", &["--say", "1000000000=>resign"]),
    (
        "clock",
        &[
            "--rewrite",
            "1000000000 0 1000000000 0 r2q1rk1/1b2bppp/p1n1pn2/1pp5/P2P4/1BN1PN2/1P2QPPP/R1BR2K1 w - - 0 13=>\
            900000000000 0 900000000000 0 r2q1rk1/1b2bppp/p1n1pn2/1pp5/P2P4/1BN1PN2/1P2QPPP/R1BR2K1 w - - 0 13",
        ],
    ),
    ("clock-extremes", &["--die", "0 0 0 0"]),
    ("pondering", &["--say", "1000000000=>a1b1"]),
    ("long-wait", &["--say", "1000000000 1000000000=>forfeit"]),
    ("end-of-input", &["--stay"]),
    // The proxy hides the exit status or standard error.
    ("breach-fields", &["--content"]),
    ("breach-space", &["--speechless"]),
    ("breach-empty", &["--content"]),
    ("breach-clock", &["--speechless"]),
    ("breach-fen", &["--content"]),
    ("breach-move", &["--content"]),
    ("breach-illegal", &["--stay"]),
    ("breach-order", &["--content"]),
];

/// Rules about signals, ends of input, and what a program never does.
const OF_NO_COMMAND: &[&str] = &["sigint", "sigterm", "end-of-input"];

/// Rules that were kept while their commands were swallowed.
const ONCE_FOOLED: &[&str] = &[
    "reuse",
    "legal-moves",
    "undo-nothing",
    "result",
    "draw-offer",
    "move-now-idle",
    "level",
    "sd-with-time",
    "options",
    "easy",
    "fischerandom",
    "unknown-command",
    "debug",
    "clear-hash",
    "ucinewgame",
    "chess960",
    "stop-idle",
    "clock-increment",
    "movestogo",
];

/// Rules, each with the arguments of the proxy that make its fault.
type Faults = &'static [(&'static str, &'static [&'static str])];

/// The protocols, with Herald's argument for each.
const SWALLOWED: [(&str, &str, Faults); 3] =
    [("cecp", "xboard", SWALLOWED_CECP), ("uci", "uci", SWALLOWED_UCI), ("cego", "cego", SWALLOWED_CEGO)];

/// What never comes: the commands that a rule is about, or the program's answers. For other rules it stands in the tables above.
const SWALLOWED_CECP: Faults = &[
    ("one-read", &["--deaf", "protover"]),
    ("accepted", &["--deaf", "rejected"]),
    ("option-names", &["--deaf", "protover"]),
    ("xboard-again", &["--deaf", "xboard"]),
    ("reuse", &["--deaf", "new"]),
    ("illegal-move", &["--deaf", "usermove"]),
    ("legal-moves", &["--deaf", "usermove"]),
    ("san-input", &["--replace", "done=1=>san=1 done=1", "--deaf", "usermove"]),
    ("setboard-illegal", &["--deaf", "setboard 8/8/8"]),
    ("undo-nothing", &["--deaf", "undo", "--deaf", "remove"]),
    ("undo-nothing", &["--deaf", "remove"]),
    ("mates", &["--deaf", "go"]),
    ("mates", &["--mute", "1-0"]),
    ("is-mated", &["--deaf", "go"]),
    ("is-stalemated", &["--deaf", "go"]),
    ("result", &["--deaf", "result"]),
    ("result-idle", &["--deaf", "result"]),
    ("result-pondering", &["--deaf", "result"]),
    ("result-analysing", &["--deaf", "result"]),
    ("draw-offer", &["--deaf", "draw"]),
    ("draw-accepted", &["--deaf", "draw"]),
    ("draw-refused", &["--deaf", "draw"]),
    ("draw-refused", &["--mute", "offer draw"]),
    ("claims-repetition", &["--deaf", "usermove"]),
    ("claims-repetition", &["--mute", "1/2"]),
    ("claims-fifty", &["--deaf", "usermove"]),
    ("claims-fifty", &["--mute", "1/2"]),
    ("ping", &["--deaf", "ping"]),
    ("ping-thinking", &["--deaf", "ping 77"]),
    ("ping-pondering", &["--deaf", "ping 78"]),
    ("ping-analysing", &["--deaf", "ping 79"]),
    ("force-silent", &["--deaf", "force"]),
    ("reads-thinking", &["--deaf", "force"]),
    ("new-silent", &["--deaf", "new"]),
    ("ponder-silent", &["--deaf", "hard"]),
    ("move-now", &["--deaf", "?"]),
    ("move-now-idle", &["--deaf", "?"]),
    ("undisturbed", &["--deaf", "nopost", "--deaf", "post", "--deaf", "hard", "--deaf", "easy"]),
    ("unknown-command", &["--deaf", "xyzzy"]),
    ("crlf", &["--deaf", "usermove"]),
    ("long-line", &["--deaf", "result"]),
    ("pause-dropped", &["--deaf", "pause"]),
    ("pause-other", &["--deaf", "pause"]),
    ("pause-other", &["--deaf", "hint"]),
    ("st", &["--deaf", "st "]),
    ("st-decimal", &["--deaf", "st "]),
    ("st-0", &["--deaf", "st "]),
    ("level", &["--deaf", "level"]),
    ("level-decimal", &["--deaf", "level"]),
    ("level-moves", &["--deaf", "level"]),
    ("level-refilled", &["--deaf", "level"]),
    ("own-clock", &["--deaf", "level"]),
    ("time-short", &["--deaf", "time"]),
    ("time-odd", &["--deaf", "time", "--deaf", "otim"]),
    ("sd", &["--deaf", "sd "]),
    ("sd-with-time", &["--deaf", "sd "]),
    ("sd-with-time", &["--deaf", "st "]),
    ("new-clears-sd", &["--deaf", "sd "]),
    ("new-clears-sd", &["--deaf", "new"]),
    ("nps-0", &["--deaf", "nps"]),
    ("mate-score", &["--deaf", "post"]),
    ("mated-score", &["--deaf", "post"]),
    ("stray-words", &["--deaf", "go"]),
    ("analyze-over", &["--deaf", "analyze"]),
    ("stat01", &["--deaf", "."]),
    ("hint", &["--deaf", "hint"]),
    ("hint", &["--mute", "Hint"]),
    ("bk", &["--deaf", "bk"]),
    ("options", &["--deaf", "option "]),
    ("option-unknown", &["--deaf", "option "]),
    ("memory", &["--deaf", "memory"]),
    ("cores", &["--deaf", "cores"]),
    ("easy", &["--deaf", "easy"]),
    ("easy", &["--deaf", "hard"]),
    ("ponder-hit", &["--deaf", "hard"]),
    ("random", &["--deaf", "random"]),
    ("egtpath", &["--deaf", "egtpath"]),
    ("computer", &["--deaf", "computer"]),
    ("rating", &["--deaf", "rating"]),
    ("names", &["--deaf", "name", "--deaf", "ics"]),
    ("highlight", &["--deaf", "lift"]),
    ("fischerandom", &["--deaf", "variant"]),
    ("variant-unknown", &["--deaf", "variant"]),
    ("setup", &["--replace", "variants=\"normal=>variants=\"myown,normal", "--deaf", "variant"]),
    ("holding", &["--deaf", "variant"]),
];

const SWALLOWED_UCI: Faults = &[
    ("uciok", &["--deaf", "uci"]),
    ("uciok", &["--mute", "id name"]),
    ("isready", &["--deaf", "isready"]),
    ("isready-searching", &["--deaf", "isready"]),
    ("unknown-command", &["--deaf", "xyzzy"]),
    ("one-read", &["--deaf", "isready"]),
    ("debug", &["--deaf", "debug"]),
    ("option-names", &["--mute", "option"]),
    ("option-defaults", &["--mute", "option"]),
    ("options", &["--deaf", "setoption"]),
    ("option-unknown", &["--deaf", "setoption"]),
    ("clear-hash", &["--deaf", "setoption name Clear"]),
    ("ucinewgame", &["--deaf", "ucinewgame"]),
    (
        "position-illegal",
        &[
            "--deaf",
            "position fen 8/8/8",
            "--deaf",
            "position startpos moves e2e4 e2e5",
            "--deaf",
            "position fen x",
        ],
    ),
    ("game-over", &["--deaf", "position fen"]),
    ("chess960", &["--deaf", "setoption name UCI_Chess960"]),
    ("stop", &["--deaf", "stop"]),
    ("stop-idle", &["--deaf", "stop", "--deaf", "ponderhit"]),
    ("stop-idle", &["--deaf", "ponderhit"]),
    ("one-answer", &["--deaf", "go"]),
    ("infinite", &["--deaf", "go infinite"]),
    ("infinite", &["--deaf", "stop"]),
    ("infinite-mated", &["--deaf", "go infinite"]),
    ("searchmoves", &["--deaf", "go depth 4 searchmoves"]),
    ("ponder-stop", &["--deaf", "go ponder"]),
    ("ponder-move", &["--replace", " ponder =>"]),
    ("info", &["--deaf", "go"]),
    ("info-form", &["--mute", "info"]),
    ("pv", &["--mute", "info"]),
    ("mate-score", &["--mute", "info"]),
    ("mated-score", &["--mute", "info"]),
    ("depth", &["--rewrite", "go depth 3=>go"]),
    ("nodes", &["--rewrite", "go nodes 50000=>go"]),
    ("movetime", &["--rewrite", "go movetime 500=>go"]),
    (
        "clock",
        &[
            "--rewrite",
            "go wtime 1000 btime 60000=>go",
            "--rewrite",
            "go wtime 1000 btime 60000 winc 0 binc 0=>go",
        ],
    ),
    (
        "clock-increment",
        &["--rewrite", "go wtime 5000 btime 60000 winc 10000 binc 0=>go wtime 5000 btime 60000"],
    ),
    (
        "movestogo",
        &[
            "--rewrite",
            "go wtime 1000 btime 1000 movestogo 1=>go wtime 1000 btime 1000",
            "--rewrite",
            "go wtime 3000 btime 3000 movestogo 40=>go wtime 3000 btime 3000",
            "--rewrite",
            "go wtime 3000 btime 3000 movestogo 1=>go wtime 3000 btime 3000",
        ],
    ),
];

const SWALLOWED_CEGO: Faults = &[
    ("ready", &["--mute", "ready"]),
    ("first-move", &["--deaf", "1000000000"]),
    ("later-moves", &["--deaf", "1000000000 1000000000"]),
    ("special-moves", &["--deaf", "1000000000 1000000000"]),
    ("mates", &["--deaf", "1000000000"]),
    ("lost", &["--deaf", "1000000000"]),
    ("clock", &["--deaf", "1000000000"]),
    ("clock-increment", &["--deaf", "300000000"]),
    ("clock-extremes", &["--deaf", "0 0 0 0"]),
    ("pondering", &["--deaf", "1000000000"]),
    ("long-wait", &["--deaf", "1000000000 1000000000"]),
    ("breach-fields", &["--deaf", "1000000000 0 1000000000"]),
    ("breach-space", &["--deaf", "1000000000 0 1000000000"]),
    ("breach-empty", &["--deaf", "1000000000"]),
    ("breach-clock", &["--deaf", "-1"]),
    ("breach-fen", &["--deaf", "1000000000 0 1000000000"]),
    ("breach-move", &["--deaf", "1000000000 1000000000"]),
    ("breach-illegal", &["--deaf", "1000000000 1000000000"]),
    ("breach-order", &["--deaf", "1000000000"]),
];
