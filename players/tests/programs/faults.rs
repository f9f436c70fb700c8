//! What a program that misbehaves says with a move, and what is left of it.

use std::time::{Duration, Instant};

use game::{Clock, Game, TimeControl};
use players::{NewGame, PlayerEvent, Protocol, Spec, Turn};

use crate::built::start;
use crate::support::{fixture, is_gone, is_running, unique_seed};

use Protocol::{Cecp, Cego, Uci};

/// All that a program says until it has made the first move of a game.
fn said(spec: &Spec) -> Vec<PlayerEvent> {
    let mut player = start(spec);
    let (game, control) = (Game::default(), "60+1".parse::<TimeControl>().expect("a time control"));
    player.new_game(&NewGame::new(game.clone(), &control)).expect("it is ready");
    let turn = Turn { game: &game, clock: &Clock::new(control), at: Instant::now() };
    player.think(&turn).expect("it listens");
    // Long enough for anything on a busy machine.
    let until = Instant::now() + Duration::from_secs(30);
    let mut events: Vec<PlayerEvent> = Vec::new();
    while !matches!(events.last(), Some(PlayerEvent::Move(_))) {
        assert!(Instant::now() < until, "{events:?}");
        if let Some(arrival) = player.take() {
            events.push(arrival.event);
        } else {
            platform::wait(&[player.source().expect("a pipe")], until);
        }
    }
    player.quit();
    events
}

#[test]
fn talk_to_persons_is_heard() {
    let remarks = |spec: &Spec| -> Vec<String> {
        let remark = |event: PlayerEvent| match event {
            PlayerEvent::Remark(text) | PlayerEvent::ServerMessage(text) => Some(text),
            _ => None,
        };
        said(spec).into_iter().filter_map(remark).collect()
    };
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
    assert_eq!(remarks(&fixture(Cecp, "--fault talk --at 1")), heard);
    assert!(remarks(&fixture(Uci, "")).is_empty());
}

#[test]
fn names_and_lines_have_no_control_characters() {
    for protocol in [Cecp, Uci] {
        let spec = fixture(protocol, "--fault markup");
        let evil = start(&spec);
        let name = evil.name();
        assert!(name.contains("Evil") && !name.contains(char::is_control), "{name:?}");
        evil.quit();
        let line = said(&spec).into_iter().find_map(|event| match event {
            PlayerEvent::Thinking(thinking) => Some(thinking.line),
            _ => None,
        });
        let line = line.expect("it tells what it thinks");
        assert!(line.contains("[Event") && !line.contains(char::is_control), "{line:?}");
    }
}

#[test]
fn features_are_asked_for_until_they_come() {
    let player = start(&fixture(Cecp, "--fault deaf-at-first"));
    assert_eq!(player.name(), "Misbehaving");
    player.quit();
}

#[test]
fn children_go_with_their_parent() {
    for protocol in [Cecp, Uci, Cego] {
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
