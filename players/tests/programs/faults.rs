//! A program that misbehaves ends its game with the right reason, or does not disturb it. In both cases its process ends.

use std::time::Duration;

use game::Color;
use players::{Departure, Player, PlayerFault, Protocol, Spec};
use shakmaty::ByColor;

use crate::support::{End, LONG, Played, Rules, fixture, is_gone, is_running, play, start, unique_seed};

use Protocol::{Cecp, Cego, Uci};

const ALL: [Protocol; 3] = [Cecp, Uci, Cego];

/// Plays a game with the misbehaving program as White; `opponent` are arguments for Black. Returns White's departure.
fn meet(spec: &Spec, opponent: &str, patience: Duration) -> (Played, Departure) {
    let mut players = ByColor { white: start(spec), black: start(&fixture(Uci, opponent)) };
    let played = play(&mut players, Rules { patience, plies: 20, ..Rules::default() });
    let departure = players.white.quit();
    players.black.quit();
    (played, departure)
}

fn end(protocol: Protocol, fault: &str) -> End {
    // An opponent that thinks long gives time for faults in its time.
    let opponent = if matches!(fault, "out-of-turn" | "exit-waiting") { "--fault hang --at 3" } else { "" };
    meet(&fixture(protocol, &format!("--fault {fault}")), opponent, LONG).0.end
}

/// As above, for faults that only the clock reveals.
fn end_on_time(protocol: Protocol, fault: &str) -> End {
    meet(&fixture(protocol, &format!("--fault {fault}")), "", Duration::from_secs(2)).0.end
}

fn is_malformed(end: &End) -> bool {
    matches!(end, End::Faulty(Color::White, PlayerFault::Malformed(_)))
}

#[test]
fn moves_that_are_none() {
    for protocol in ALL {
        let end = end(protocol, "illegal-move");
        assert!(matches!(&end, End::Illegal(Color::White, text) if text == "a1a8"), "{protocol:?}: {end:?}");
    }
    for protocol in [Cecp, Uci] {
        let end = end(protocol, "gibberish");
        assert!(
            matches!(&end, End::Illegal(Color::White, text) if text == "castles"),
            "{protocol:?}: {end:?}"
        );
    }
    assert!(is_malformed(&end(Cego, "gibberish")));
}

#[test]
fn moves_that_nobody_asked_for() {
    for fault in ["out-of-turn", "two-moves"] {
        for protocol in [Cecp, Uci] {
            let end = end(protocol, fault);
            assert!(matches!(end, End::OutOfTurn(Color::White)), "{fault} {protocol:?}: {end:?}");
        }
        let end = end(Cego, fault);
        assert!(is_malformed(&end), "{fault}: {end:?}");
    }
}

#[test]
fn claims_and_complaints() {
    let claim = end(Cecp, "wrong-claim");
    assert!(matches!(&claim, End::Claim(Color::White, result) if result == "1-0"), "{claim:?}");
    let complaint = end(Cecp, "refusal");
    assert!(matches!(&complaint, End::Complaint(Color::White)), "{complaint:?}");
}

#[test]
fn death() {
    for protocol in ALL {
        for (fault, status) in [("exit-thinking", "exit status: 3"), ("exit-waiting", "exit status: 0")] {
            let end = end(protocol, fault);
            let right = matches!(&end, End::Faulty(Color::White, PlayerFault::Died(how)) if how == status);
            assert!(right, "{fault} {protocol:?}: {end:?}");
        }
        let end = end(protocol, "close-output");
        assert!(matches!(&end, End::Faulty(_, PlayerFault::Closed("output"))), "{protocol:?}: {end:?}");
    }
}

#[test]
fn silence() {
    for protocol in ALL {
        for fault in ["half-line", "hang"] {
            let end = end_on_time(protocol, fault);
            assert!(matches!(end, End::TooLate(Color::White)), "{fault} {protocol:?}: {end:?}");
        }
    }
}

#[test]
fn talk_without_end() {
    for protocol in [Cecp, Uci] {
        for fault in ["flood", "endless-line"] {
            let end = end_on_time(protocol, fault);
            assert!(matches!(end, End::TooLate(Color::White)), "{fault} {protocol:?}: {end:?}");
        }
    }
    for fault in ["flood", "endless-line"] {
        let end = end_on_time(Cego, fault);
        assert!(is_malformed(&end), "{fault}: {end:?}");
    }
}

#[test]
fn noise_disturbs_only_a_protocol_that_forgives_nothing() {
    for fault in ["long-line", "noise", "standard-error"] {
        for protocol in [Cecp, Uci] {
            let end = end(protocol, fault);
            assert!(matches!(end, End::LongEnough), "{fault} {protocol:?}: {end:?}");
        }
    }
    for fault in ["long-line", "noise"] {
        let end = end(Cego, fault);
        assert!(is_malformed(&end), "{fault}: {end:?}");
    }
    let end = end(Cego, "standard-error");
    assert!(matches!(end, End::LongEnough), "{end:?}");
}

#[test]
fn talk_to_persons_is_heard_and_disturbs_nothing() {
    let (played, _) = meet(&fixture(Cecp, "--fault talk"), "", LONG);
    assert!(matches!(played.end, End::LongEnough), "{:?}", played.end);
    let heard = [
        "tells the user about an error: No book",
        "tells the user: I move",
        "tells the opponent: Good luck!",
        "tells the others: Look",
        "tells all: Hello",
        "tells the chess server: who",
        "tells the chess server: who",
        "asks the user: Shall I?",
    ];
    assert_eq!(played.remarks.white, heard);
    assert!(played.remarks.black.is_empty());
}

#[test]
fn names_and_lines_have_no_control_characters() {
    for protocol in [Cecp, Uci] {
        let spec = fixture(protocol, "--fault markup");
        let evil = start(&spec);
        let name = evil.name();
        assert!(name.contains("Evil") && !name.contains(char::is_control), "{name:?}");
        evil.quit();
        let (played, _) = meet(&spec, "", LONG);
        let line = played.thinking.white.expect("it tells what it thinks").line;
        assert!(line.contains("[Event") && !line.contains(char::is_control), "{line:?}");
    }
}

#[test]
fn who_ignores_quit_is_killed() {
    for protocol in ALL {
        let mut spec = fixture(protocol, "--fault ignore-quit");
        spec.grace = Duration::from_millis(200);
        let (played, departure) = meet(&spec, "", LONG);
        assert!(matches!(played.end, End::LongEnough), "{protocol:?}: {:?}", played.end);
        assert!(departure.killed, "{protocol:?}");
    }
}

#[test]
fn children_go_with_their_parent() {
    for protocol in ALL {
        let seed = unique_seed();
        let spec = fixture(protocol, &format!("--fault fork --seed {seed}"));
        let player = start(&spec);
        let child = format!("sleep 1000.{seed}");
        assert!(is_running(&child));
        let departure = player.quit();
        assert!(!departure.killed, "{protocol:?}");
        assert!(is_gone(&child) && is_gone(&format!("--seed {seed}")), "{protocol:?}");
    }
}

#[test]
fn who_never_gets_ready() {
    let begin = |protocol, fault: &str, patience| {
        let mut spec = fixture(protocol, &format!("--fault {fault}"));
        spec.patience = Duration::from_millis(patience);
        let white: Box<dyn Player> = players::start(&spec, None)?;
        let mut players = ByColor { white, black: start(&fixture(Uci, "")) };
        match play(&mut players, Rules { plies: 4, ..Rules::default() }).end {
            End::Faulty(Color::White, fault) => Err(fault),
            End::LongEnough => Ok(()),
            end => panic!("{end:?}"),
        }
    };
    assert_eq!(begin(Cecp, "never-ready", 1500), Err(PlayerFault::Silence("ping")));
    assert_eq!(begin(Uci, "never-ready", 1500), Err(PlayerFault::Silence("uci")));
    assert_eq!(begin(Cego, "never-ready", 1500), Err(PlayerFault::Silence("being started")));
    // Slow, but it asks to wait where the protocol allows it.
    assert_eq!(begin(Cecp, "slow-ready", 500), Ok(()));
    assert_eq!(begin(Uci, "slow-ready", 500), Err(PlayerFault::Silence("isready")));
    assert_eq!(begin(Cego, "slow-ready", 500), Err(PlayerFault::Silence("being started")));
    assert_eq!(begin(Cego, "slow-ready", 20_000), Ok(()));
}
