//! Tests that lines that can't be obeyed get the documented answer and change nothing, in every mode.

use super::{CecpSession, with_session};

/// Modes and the lines that lead to them.
const MODES: [(&str, &[&str]); 8] = [
    ("force", &["force", "usermove e2e4"]),
    ("playing", &["new"]),
    ("thinking", &["new", "level 0 1000 0", "go"]),
    ("pondering", &["new", "sd 3", "hard", "usermove e2e4", "?"]),
    ("analysing", &["force", "analyze", "exclude e2e4"]),
    ("editing", &["force", "edit"]),
    ("paused", &["analyze", "pause"]),
    ("over", &["force", "setboard 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1", "playother", "usermove g1g7"]),
];

/// Lines that are wrong in every mode, and their errors.
const WRONG: [(&str, &str); 62] = [
    ("foo", "unknown command"),
    ("foo bar", "unknown command"),
    ("usermov e2e4", "unknown command"),
    ("e2e4 e7e5", "unknown command"),
    ("GO", "unknown command"),
    ("\u{0}", "unknown command"),
    ("é", "unknown command"),
    ("protover", "missing parameter"),
    ("protover two", "bad number"),
    ("protover -1", "bad number"),
    ("accepted", "missing parameter"),
    ("rejected", "missing parameter"),
    ("variant", "missing parameter"),
    ("variant chess boxing", "unknown variant"),
    ("usermove", "missing parameter"),
    ("setboard", "missing parameter"),
    ("setpos", "missing parameter"),
    ("result", "missing parameter"),
    ("result 2-0", "bad result"),
    ("result {White mates}", "bad result"),
    ("ping", "missing parameter"),
    ("ping pong", "bad number"),
    ("ping 99999999999999999999", "bad number"),
    ("exclude", "missing parameter"),
    ("include", "missing parameter"),
    ("memory", "missing parameter"),
    ("memory much", "bad number"),
    ("memory -1", "bad number"),
    ("cores", "missing parameter"),
    ("cores all", "bad number"),
    ("egtpath", "missing parameter"),
    ("egtpath syzygy", "missing parameter"),
    ("egtpath nalimov /tables", "unknown kind of endgame tables"),
    ("option", "missing parameter"),
    ("option Hsah=1", "unknown option"),
    ("option =1", "unknown option"),
    ("option MultiPV", "missing value"),
    ("option MultiPV=", "MultiPV needs a whole number, not ``"),
    ("option MultiPV=0", "MultiPV must be between 1 and 256, not 0"),
    ("option OwnBook=2", "OwnBook needs true or false (1 or 0), not `2`"),
    ("level", "missing parameter"),
    ("level 40 5", "missing parameter"),
    ("level x 5 0", "bad number"),
    ("level -1 5 0", "bad number"),
    ("level 40 5:x 0", "bad time"),
    ("level 40 5 now", "bad time"),
    ("st", "missing parameter"),
    ("st soon", "bad time"),
    ("st -1", "bad time"),
    ("sd deep", "bad number"),
    ("sd -1", "bad number"),
    ("nps", "missing parameter"),
    ("nps fast", "bad number"),
    ("time", "missing parameter"),
    ("time late", "bad number"),
    ("otim 1.5", "bad number"),
    ("rating 2000", "missing parameter"),
    ("rating good bad", "bad number"),
    ("setscore", "missing parameter"),
    ("setscore good", "bad number"),
    ("holding BP []", "bad holding"),
    ("lift e9", "bad square"),
];

/// Lines that are wrong in the positions of [`MODES`].
const ILLEGAL: [(&str, &str); 3] = [
    ("exclude e2e5", "not a legal move here"),
    ("include xyz", "not a legal move here"),
    ("holding [BPPP] []", "no pieces in hand in this variant"),
];

fn enter(session: &mut CecpSession, lines: &[&str]) {
    let waits_for_move = !lines.contains(&"go");
    for line in lines {
        session.say(line);
        if waits_for_move {
            session.move_at_once();
        }
    }
}

#[test]
fn a_wrong_line_gets_its_answer_in_every_mode_and_changes_nothing() {
    for (mode, lines) in MODES {
        with_session(|session, paper| {
            enter(session, lines);
            paper.take_lines();
            let before = session.picture();
            for (line, problem) in WRONG.into_iter().chain(ILLEGAL) {
                session.say(line);
                let expected = match mode {
                    "editing" => None,
                    "paused" => Some("paused"),
                    _ => Some(problem),
                };
                let said = paper.take_lines();
                match (expected, &said[..]) {
                    (Some(problem), [said]) => {
                        let line = line.replace('\u{0}', "?");
                        assert_eq!(*said, format!("Error ({problem}): {line}"), "while {mode}");
                    }
                    (None, [said]) => assert!(said.contains(" in edit mode): "), "{said}"),
                    _ => panic!("{said:?} to {line} while {mode}"),
                }
                assert_eq!(session.picture(), before, "after {line} while {mode}");
            }
        });
    }
}

#[test]
fn an_illegal_move_changes_nothing() {
    for (mode, lines) in
        MODES.into_iter().filter(|(mode, _)| !["thinking", "editing", "paused"].contains(mode))
    {
        with_session(|session, paper| {
            enter(session, lines);
            paper.take_lines();
            let before = session.picture();
            for mv in ["usermove e2e5", "e1e5", "usermove xyz", "Qxh9", "O-O-O", "P@e4"] {
                session.say(mv);
                let said = paper.take_lines();
                assert!(
                    said.len() == 1 && said[0].starts_with("Illegal move ("),
                    "{said:?} to {mv} while {mode}"
                );
                assert_eq!(session.picture(), before, "after {mv} while {mode}");
            }
        });
    }
}

#[test]
fn what_can_not_be_done_now_is_an_error() {
    with_session(|session, paper| {
        session.say("force");
        for (line, problem) in
            [("undo", "command not legal now"), ("remove", "command not legal now"), ("resume", "not paused")]
        {
            let before = session.picture();
            session.say(line);
            assert_eq!(paper.take_lines(), [format!("Error ({problem}): {line}")]);
            assert_eq!(session.picture(), before);
        }
        session.say("setboard 8/8/8/8/8/8/8/8 w - - 0 1");
        paper.take_lines();
        for line in ["undo", "setscore 100"] {
            session.say(line);
            assert_eq!(paper.take_lines(), [format!("Error (command not legal now): {line}")]);
        }
        for line in ["exclude all", "include e2e4"] {
            session.say(line);
            assert_eq!(paper.take_lines(), [format!("Error (not a legal move here): {line}")]);
        }
        for line in ["lift e2", "hover e4", "put e4", "hint", "."] {
            session.say(line);
            assert!(paper.take_lines().is_empty(), "{line}");
        }
    });
}
