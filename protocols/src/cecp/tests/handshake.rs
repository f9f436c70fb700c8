//! Tests of the handshake and of the answers to lines that need none or can't be obeyed.

use super::Gui;

#[test]
fn features_are_announced_in_one_go_and_end_with_done() {
    let mut gui = Gui::start();
    let lines = gui.answers(&["protover 2"]);
    assert!(lines.iter().all(|line| line.starts_with("feature ") && line.len() < 500), "{lines:?}");
    let all = lines.join(" ");
    for feature in [
        "ping=1",
        "setboard=1",
        "usermove=1",
        "san=0",
        "playother=1",
        "colors=1",
        "time=1",
        "draw=1",
        "analyze=1",
        "exclude=1",
        "setscore=1",
        "pause=1",
        "highlight=1",
        "nps=1",
        "memory=1",
        "smp=1",
        "debug=1",
        "reuse=1",
        "name=1",
        "ics=1",
        "sigint=0",
        "sigterm=0",
        "variants=\"normal,fischerandom,crazyhouse,bughouse,3check,atomic,giveaway,antichess,kingofthehill,horde,\
         racingkings\"",
        "option=\"MultiPV -spin 1 1 256\"",
        "option=\"MoveOverhead -spin 10 0 5000\"",
        "option=\"LimitStrength -check 0\"",
        "option=\"Elo -spin 2800 1000 2800\"",
        "option=\"BookFile -file \"",
        "option=\"SyzygyPath -path \"",
        "option=\"EvalFile -file \"",
        "option=\"ClearHash -button\"",
        "option=\"Save -save\"",
        "option=\"Reset -reset\"",
    ] {
        assert!(all.contains(&format!(" {feature}")), "{feature} in {all}");
    }
    assert!(all.contains(concat!("myname=\"Herald ", env!("CARGO_PKG_VERSION"), '"')));
    assert!(all.ends_with("feature done=1"));
    gui.disconnect();
}

#[test]
fn what_needs_no_answer_gets_none() {
    let mut gui = Gui::quick();
    gui.expect_silence(&[
        "xboard",
        "accepted ping",
        "rejected option NAME -reset",
        "rejected debug",
        "random",
        "name A B",
        "ics -",
        "rating 2000 0",
        "computer",
        "post",
        "nopost",
        "hard",
        "easy",
        "force",
        "st 0",
        "sd 4",
        "nps 0",
        "time 100",
        "otim 100",
        "draw",
        "?",
        ".",
        "exit",
        "result * {xboard exit}",
        "partner",
        "partner somebody",
        "ptell sit",
        "holding [] []",
        "put e4",
        "hover e4",
        "decline",
        "",
        "   ",
        "cores 1",
        "memory 68",
        "level 40 5 0",
    ]);
    gui.expect_answer("bk", "");
    gui.disconnect();
}

#[test]
fn errors_say_what_is_wrong() {
    let mut gui = Gui::quick();
    gui.send(&["force"]);
    for (line, answer) in [
        ("foo bar", "Error (unknown command): foo bar"),
        ("ping", "Error (missing parameter): ping"),
        ("sd x", "Error (bad number): sd x"),
        ("level 0 x 0", "Error (bad time): level 0 x 0"),
        ("variant suicide", "Error (unknown variant): variant suicide"),
        ("option Foo=1", "Error (unknown option): option Foo=1"),
        ("option MultiPV=0", "Error (MultiPV must be between 1 and 256, not 0): option MultiPV=0"),
        ("option MultiPV=x", "Error (MultiPV needs a whole number, not `x`): option MultiPV=x"),
        ("option MultiPV", "Error (missing value): option MultiPV"),
        ("option Elo=x", "Error (Elo needs a whole number, not `x`): option Elo=x"),
        (
            "option LimitStrength=x",
            "Error (LimitStrength needs true or false (1 or 0), not `x`): option LimitStrength=x",
        ),
        (
            "option MoveOverhead=-1",
            "Error (MoveOverhead must be between 0 and 5000, not -1): option MoveOverhead=-1",
        ),
        ("undo", "Error (command not legal now): undo"),
        ("remove", "Error (command not legal now): remove"),
        ("exclude e2e5", "Error (not a legal move here): exclude e2e5"),
        ("resume", "Error (not paused): resume"),
    ] {
        gui.expect_answer(line, answer);
    }
    gui.disconnect();
}

#[test]
fn the_debug_channel_is_used_only_if_it_was_accepted() {
    let mut gui = Gui::start();
    gui.expect_silence(&["memory 48"]);
    gui.expect_silence(&["accepted debug"]);
    gui.expect_answer("memory 48", "# hash table of 32 MiB");
    gui.expect_silence(&["rejected debug", "memory 40", "memory 0"]);
    gui.disconnect();
}

#[test]
fn a_gui_of_version_1_is_served() {
    let mut gui = Gui::start();
    // As XBoard talks to an engine that does not know `protover`.
    gui.send(&[
        "new",
        "random",
        "level 40 5 0",
        "post",
        "hard",
        "easy",
        "sd 2",
        "nopost",
        "time 30000",
        "otim 30000",
    ]);
    gui.send(&["e2e4"]);
    gui.expect_move();
    gui.send(&[
        "force", "edit", "#", "Kg6", "Ra1", "c", "Kg8", ".", "black", "time 100", "otim 100", "white", "go",
    ]);
    gui.expect("move a1a8");
    gui.expect("1-0 {White mates}");
    gui.send(&["result 1-0 {White mates}", "new", "sd 2", "quit"]);
    gui.expect_end();
}

#[test]
fn a_ping_is_answered_once_in_every_mode() {
    for mode in [
        &["force"][..],
        &["new"],
        &["new", "force", "playother"],
        &["new", "sd 2", "hard", "force", "usermove e2e4", "playother"],
        &["analyze"],
        &["analyze", "usermove e2e4", "exclude all"],
        &["force", "edit", "."],
        &["edit", "#", "."],
        &["setboard 8/8/8/8/8/8/8/8 w - - 0 1"],
        &["pause", "resume"],
        &["force", "result 1-0 {over}"],
        &["force", "hint"],
    ] {
        let mut gui = Gui::start();
        gui.send(mode);
        gui.send(&["ping 1", "ping 2", "ping 1"]);
        let mut pongs = Vec::new();
        while pongs.len() < 3 {
            let line = gui.line();
            if line.starts_with("pong ") {
                pongs.push(line);
            }
        }
        assert_eq!(pongs, ["pong 1", "pong 2", "pong 1"], "{mode:?}");
        assert!(gui.until_pong().iter().all(|line| !line.starts_with("pong ")), "{mode:?}");
        gui.disconnect();
    }
}

#[test]
fn the_first_version_of_the_protocol_has_no_features() {
    let mut gui = Gui::start();
    gui.expect_silence(&["protover 1"]);
    assert!(gui.answers(&["protover 2"]).len() > 3);
    gui.disconnect();
}

#[test]
fn the_threads_take_their_part_of_the_memory_and_missing_tables_are_no_news() {
    let mut gui = Gui::start();
    gui.expect_silence(&["accepted debug", "egtpath syzygy /EGT/Syzygy", "option Threads=3"]);
    gui.expect_answer("memory 70", "# hash table of 48 MiB");
    assert_eq!(gui.answers(&["egtpath syzygy /no/such/folder"]).len(), 1);
    gui.expect_answer("cores 1", "# hash table of 54 MiB");
    gui.disconnect();
}
