//! The director's orders: what they do, and that a referee that goes on with the facts knows them.

use super::*;

/// All of an event that its facts must bring back.
fn portrait(event: &EventState, at: Instant) -> String {
    let mut lines = vec![report::text(event)];
    lines.push(format!("{:?} {:?}", event.queue, event.left_out));
    lines.push(format!("{} {} {:?}", event.open_round, event.begun_round, event.controls));
    let programs = event.settings.programs.iter().zip(&event.programs);
    lines.extend(programs.map(|(settings, state)| {
        let hash = serde_json::to_string(&settings.secret).expect("text");
        format!("{} {hash} {:?} {}", settings.name, state.game, state.is_withdrawn)
    }));
    for live in event.live_games.values() {
        let clocks = Color::ALL.map(|color| {
            let in_turn = live.clock.used_in_turn(at);
            let in_turn = if live.clock.turn() == Some(color) { in_turn } else { Duration::ZERO };
            live.clock.remaining(color, at).map(|left| left + in_turn)
        });
        let (fen, moves) = (live.record.game.fen(), &live.record.moves);
        let control = live.clock.control(Color::White);
        lines.push(format!("{:?} {fen} {clocks:?} {} {control} {moves:?}", live.fixture, live.paused));
    }
    lines.join("\n")
}

/// Makes the event from its facts.
fn restored(room: &Room) -> EventState {
    let mut settings = room.event.settings.clone();
    settings.programs.truncate(settings.schedule.programs);
    let mut event = EventState::new(settings, MatchOpenings::none()).expect("a schedule");
    for fact in &room.facts {
        let line = serde_json::to_string(fact).expect("facts can be written");
        event.restore(&serde_json::from_str(&line).expect(&line)).expect(&line);
    }
    event
}

fn check_restart(room: &Room, after: &str) {
    assert_eq!(portrait(&restored(room), room.now), portrait(&room.event, room.now), "after {after}");
    assert!(room.news.iter().all(|news| !news.contains("at odds")), "after {after}: {:?}", room.news);
}

/// Gives orders, each with its answer, and after each compares the event with one made of its facts.
fn obey_all(room: &mut Room, orders: &[(&str, &str)]) {
    for (order, answer) in orders {
        let told = room.obey(order);
        assert!(told.contains(answer) && !answer.is_empty(), "{order}: {told}");
        check_restart(room, order);
    }
}

/// Programs that play without quiet periods, each signed on.
fn room_of(format: TournamentFormat, names: &[&str], change: impl FnOnce(&mut EventSettings)) -> Room {
    let mut wanted = settings(names);
    (wanted.quiet, wanted.schedule.format) = (Duration::ZERO, format);
    change(&mut wanted);
    let mut room = Room::new(wanted);
    for name in names {
        room.sign_on(name);
    }
    room
}

#[test]
fn programs_are_sent_away_withdrawn_and_readmitted() {
    let mut room = room_of(TournamentFormat::RoundRobin, &["Toga II", "B", "C"], |_| {});
    let playing = room.event.live_games.values().next().expect("a game").fixture;
    let name = room.event.name(playing.white).to_owned();
    obey_all(&mut room, &[(&format!("kick {name} it repeats itself"), "is sent away; it may come back")]);
    let closed = *room.closed.last().expect("a closed connection");
    assert!(
        room.inboxes[&closed]
            .concat()
            .contains("c0 \"the director closes this connection: it repeats itself\"")
    );
    assert_eq!(room.event.live_games.len(), 1, "the game waits for it");
    room.sign_on(&name);
    assert_eq!(room.facts.iter().filter(|fact| matches!(fact, Fact::Ordered { .. })).count(), 1);
    obey_all(
        &mut room,
        &[
            ("withdraw Toga II out of order", "Toga II plays no further games"),
            ("withdraw \"Toga II\"", "! Toga II has withdrawn already"),
            ("status", "withdrawn: Toga II"),
            ("kick Nobody", "! `Nobody` takes no part"),
        ],
    );
    room.pass(seconds(1));
    let is_his = |fixture: &crate::schedule::Fixture| [fixture.white, fixture.black].contains(&0);
    assert!(!room.event.queue.iter().any(is_his) && room.event.left_out.iter().all(is_his));
    while let Some(&game) = room.event.live_games.keys().next() {
        room.obey(&format!("adjudicate {} 1-0", game + 1));
    }
    assert!(room.event.is_over(room.now), "without his games");
    let left_out = room.event.left_out.len();
    obey_all(&mut room, &[("readmit Toga II", "its games that were left out are to be played")]);
    assert!(!room.event.is_over(room.now) && left_out > 0 && room.event.left_out.is_empty());
    assert!(room.event.live_games.values().any(|live| is_his(&live.fixture)), "at once");
}

#[test]
fn a_withdrawn_program_loses_what_others_depend_on() {
    let swiss = TournamentFormat::Swiss { rounds: 3 };
    let mut room = room_of(swiss, &["A", "B", "C", "D"], |settings| settings.rounds_by_hand = true);
    obey_all(
        &mut room,
        &[
            ("next", "round 1 begins"),
            ("withdraw A", "game 1: 0-1"),
            ("readmit A", "paired from the next round on"),
        ],
    );
    assert_eq!(room.event.results.len(), 2, "both games of the round are lost");
    for game in [3, 4] {
        room.obey(&format!("adjudicate {game} 1-0"));
    }
    // The round after is paired; nothing of it has begun.
    obey_all(
        &mut room,
        &[
            ("withdraw A", "`repair` pairs it again"),
            ("repair 1", "! only round 2 can be paired again"),
            ("repair", "round 2 is paired again"),
            ("readmit A", "or with `repair`"),
            ("withdraw A", "plays no further games"),
            ("repair 2", "round 2 is paired again"),
            ("next", "round 2 begins"),
            ("repair", "! round 2 has begun"),
        ],
    );
    assert!(room.event.live_games.values().all(|live| live.fixture.white != 0 && live.fixture.black != 0));
    let mut room = room_of(TournamentFormat::Knockout, &["A", "B", "C", "D"], |_| {});
    obey_all(
        &mut room,
        &[("withdraw D", "plays no further games"), ("enter E", "! nobody can enter a knockout")],
    );
    while let Some(&game) = room.event.live_games.keys().next() {
        let result = if room.event.live_games[&game].fixture.white < 2 { "1-0" } else { "0-1" };
        obey_all(&mut room, &[(&format!("adjudicate {} {result}", game + 1), result)]);
    }
    assert!(room.event.is_over(room.now));
    assert_eq!(room.event.schedule.champion(), Some(0));
}

#[test]
fn late_entries_play_from_the_next_round_on() {
    for (names, format) in [
        (vec!["A", "B", "C"], TournamentFormat::RoundRobin),
        (vec!["A", "B", "C", "D"], TournamentFormat::RoundRobin),
        (vec!["A", "B", "C"], TournamentFormat::Swiss { rounds: 4 }),
    ] {
        let mut room = room_of(format, &names, |settings| settings.rounds_by_hand = true);
        room.obey("next");
        let secret = SecretHash::of(&Secret::new("open-sesame"));
        let order = Order::new("enter Late", CONSOLE).with_secret(secret);
        let told = room.event.obey(&order, &|_| Ok(Vec::new()), room.now).expect("enters");
        room.send();
        assert_eq!(told, "Late takes part from round 2 on");
        check_restart(&room, "enter");
        let stored = serde_json::to_string(&room.facts).expect("text");
        assert!(!stored.contains("sesame"), "{stored}");
        let page = Order::new("enter Other", "page 127.0.0.1");
        assert!(room.event.obey(&page, &|_| Ok(Vec::new()), room.now).is_err());
        obey_all(
            &mut room,
            &[("enter Late", "! Late takes part already"), ("enter Other", "Other takes part")],
        );
        let connection = room.connect();
        room.say(connection, &format!("{START} Auth \"wrong-sesame\"; refreq sign_on; tcsi \"\" \"Late\";"));
        assert!(room.closed.contains(&connection), "its secret is asked for");
        let late = names.len();
        let connection = room.connect();
        room.say(connection, &format!("{START} Auth \"open-sesame\"; refreq sign_on; tcsi \"\" \"Late\";"));
        assert!(room.event.is_present(late));
        room.sign_on("Other");
        let mut met = BTreeMap::new();
        while !room.event.is_over(room.now) {
            while let Some(&game) = room.event.live_games.keys().next() {
                let fixture = room.event.live_games[&game].fixture;
                for (one, other) in [(fixture.white, fixture.black), (fixture.black, fixture.white)] {
                    assert!(fixture.round > 1 || one < late);
                    *met.entry(one).or_insert_with(BTreeMap::new).entry(other).or_insert(0) += 1;
                }
                room.obey(&format!("adjudicate {} 1/2-1/2", game + 1));
            }
            room.obey("next");
        }
        check_restart(&room, "the end");
        if format == TournamentFormat::RoundRobin {
            assert!(met.values().all(|others| others.len() == late + 1), "{met:?}");
            assert!(met.values().flat_map(BTreeMap::values).all(|games| *games == 2), "{met:?}");
        } else {
            assert!(met[&late].len() >= 2, "{met:?}");
        }
    }
}

#[test]
fn a_result_can_be_corrected() {
    let mut room = room_of(TournamentFormat::Swiss { rounds: 3 }, &["A", "B", "C", "D"], |settings| {
        (settings.schedule.games, settings.rounds_by_hand) = (1, true);
    });
    room.obey("next");
    obey_all(
        &mut room,
        &[
            ("correct 1 1-0", "! game 1 has no result"),
            ("adjudicate 1 1-0 the other one left", "game 1: 1-0"),
            ("adjudicate 2 1-0", "game 2: 1-0"),
            ("correct 1 1-0", "! 1-0 is its result"),
        ],
    );
    let before: Vec<_> = room.event.queue.iter().map(|game| (game.white, game.black)).collect();
    obey_all(
        &mut room,
        &[("correct 1 0-1 wrong board", "no longer 1-0\nthe round has not begun: `repair` pairs it again")],
    );
    let report = report::text(&room.event);
    let reason = "corrected from 1-0 (White wins by adjudication: by the director's word: the other one left): wrong board";
    assert!(report.contains(reason) && report.contains("correct 1 0-1 wrong board"), "{report}");
    let (game, amended) = room.amended.last().expect("the PGN changes");
    let record = &amended.as_ref().expect("a game").record;
    assert_eq!((*game, record.outcome.map(|outcome| outcome.result())), (0, Some("0-1")));
    assert!(record.detail.contains(reason));
    obey_all(&mut room, &[("repair", "round 2 is paired again")]);
    let now: Vec<_> = room.event.queue.iter().map(|game| (game.white, game.black)).collect();
    assert_ne!(before, now, "the pairing follows the points");
    let results = restored(&room).results;
    assert_eq!(results.iter().filter(|result| result.fixture.number == 0).count(), 1);
    assert!(results[0].detail.contains(reason), "it is known after a restart");
    for (order, last) in [("correct 1 1-0 so", "0-1: so"), ("correct 1 1/2 no, so", "1-0: no, so")] {
        room.obey(order);
        let detail = &room.event.results[0].detail;
        let first = reason.trim_end_matches(": wrong board");
        assert_eq!(*detail, format!("{first}, last from {last}"), "it does not grow");
    }
}

#[test]
fn clocks_obey_the_director() {
    let (mut room, [a, b]) = pair();
    room.pass(seconds(10));
    obey_all(
        &mut room,
        &[
            ("take 1 white 50", "! white has only 50.0 s"),
            ("take 1 white 20.5", "white has 20.5s less in game 1"),
            ("clock 1 black 300", "black has 300s in game 1"),
            ("clock 1 b 100", "black has 100s in game 1"),
            ("clock 9 b 100", "! game 9 is not being played"),
            ("clock 1 b 0", "! a clock needs more than 0 s"),
            ("add 1 white 0", "! `0`: expected more than 0 s"),
            ("take 1 b -5", "! `-5`: expected seconds"),
            ("rewind 1 1 0 0", "! a clock needs more than 0 s"),
        ],
    );
    room.play(a, "e4");
    let told = room.inboxes[&b].last().expect("a record").clone();
    assert!(told.contains("Clock 30500 1000 - 100000 1000 -;"), "{told}");
    obey_all(
        &mut room,
        &[("pause", "1 game held"), ("clock 1 black 2", "black has 2s"), ("resume", "1 game may go on")],
    );
    room.pass(Duration::from_millis(2002));
    assert_eq!(room.ending(), "1-0 Black forfeits on time|no move when the time was over");
}

#[test]
fn a_game_is_played_on_from_any_move() {
    let (mut room, both @ [a, b]) = pair();
    room.pass(seconds(3));
    room.play(a, "e4");
    room.pass(seconds(4));
    room.play(b, "e5");
    obey_all(&mut room, &[("add 1 white 7", "7s more")]);
    room.play_all(both, "Nf3 Nc6 Bb5 a6");
    obey_all(
        &mut room,
        &[
            ("rewind 1 9", "! the game has no move 9"),
            ("rewind 1 2c", "! `2c`: expected a move such as 17 or 17b"),
            ("rewind 1 x", "! `x`: expected a move such as 17 or 17b"),
            ("rewind 2 1", "! game 2 has not been played"),
            ("rewind 1 2...", "game 1 goes on at move 2 of black"),
        ],
    );
    room.pass(seconds(5));
    let told = room.inboxes[&b].concat();
    assert!(told.contains("refcom reset") && told.contains("sv e4 e5"), "{told}");
    assert!(
        told.contains("Clock 66000 1000 - 57000 1000 -;"),
        "the clocks of then, with what was added: {told}"
    );
    room.play(b, "Nf6");
    obey_all(&mut room, &[("rewind 1 2b 10 20.5", "goes on at move 2 of black")]);
    room.pass(seconds(5));
    assert!(room.inboxes[&b].last().expect("a record").contains("Clock 10000 1000 - 20500 1000 -;"));
    // A flag that fell for a reason that the director does not accept.
    room.pass(seconds(21));
    assert_eq!(room.ending(), "1-0 Black forfeits on time|no move when the time was over");
    room.endings.clear();
    obey_all(&mut room, &[("rewind 1 2b", "game 1 goes on at move 2 of black"), ("status", "B 20.5")]);
    assert!(matches!(room.amended.last(), Some((0, None))), "it is taken out of games.pgn");
    assert_eq!((room.event.standings.games, room.event.results.len()), (0, 0));
    room.pass(seconds(10));
    room.play(b, "Nc6");
    obey_all(&mut room, &[("adjudicate 1 1/2-1/2", "game 1: 1/2-1/2")]);
    assert_eq!(room.event.standings.games, 1);
    room.pass(seconds(10));
    obey_all(&mut room, &[("rewind 1 1", "! A is playing game 2")]);
    assert_eq!(restored(&room).results.len(), 1, "it counts once");
}

#[test]
fn what_is_said_of_time_and_rounds_holds() {
    let mut room = room_of(TournamentFormat::RoundRobin, &["A", "B", "C", "D"], |settings| {
        (settings.rounds_by_hand, settings.schedule.games) = (true, 1);
    });
    obey_all(
        &mut room,
        &[
            ("next", "round 1 begins"),
            ("tc 30+1", "30+1 from round 2 on"),
            ("tc much", "! much: "),
            ("repair", "! only a Swiss tournament is paired round by round"),
            ("start A", "! no programs of this machine take part"),
        ],
    );
    let controls = |room: &Room| -> Vec<String> {
        let live = room.event.live_games.values();
        live.map(|live| live.clock.control(Color::White).to_string()).collect()
    };
    assert_eq!(controls(&room), ["60+1", "60+1"]);
    for game in [1, 2] {
        room.obey(&format!("adjudicate {game} 1-0"));
    }
    room.obey("next");
    assert_eq!(controls(&room), ["30+1", "30+1"]);
    check_restart(&room, "another time control");
    assert!(report::text(&room.event).contains("60+1 (30+1 from round 2 on)"));
    assert!(room.news.iter().any(|news| news.starts_with("game 3: ") && news.ends_with(" begins")));
}

#[test]
fn orders_that_cannot_be_undone_are_known() {
    for (text, is_asked, words) in [
        (" adjudicate 1 1-0 ", true, "adjudicate 1 1-0"),
        ("adjudicate 1 1-0 --yes", false, "adjudicate 1 1-0"),
        ("quit", true, "quit"),
        ("quit --yes", false, "quit"),
        ("pause 1", false, "pause 1"),
        ("broadcast say --yes", false, "broadcast say --yes"),
        ("withdraw A\u{7}b\nquit", true, "withdraw A b quit"),
        ("", false, ""),
    ] {
        let order = Order::new(text, CONSOLE);
        assert_eq!((order.needs_confirmation(), order.words()), (is_asked, words), "{text}");
    }
}

#[test]
fn reasons_are_kept_as_they_are_typed() {
    let mut room = room_of(TournamentFormat::RoundRobin, &["Toga II", "O'Brien"], |_| {});
    let told = room.obey(r#"kick "Toga II" it said "no", didn't it \ "#);
    assert!(
        told.ends_with(r"as records have it: the director closes this connection: it said 'no', didn't it \"),
        "{told}"
    );
    let closed = *room.closed.last().expect("a closed connection");
    assert!(
        room.inboxes[&closed]
            .concat()
            .contains(r#"c0 "the director closes this connection: it said 'no', didn't it \";"#)
    );
    obey_all(
        &mut room,
        &[
            ("kick O'Brien it's late", "O'Brien is sent away; it may come back"),
            ("kick 'Toga II", "! a quotation mark is not closed"),
            ("kick \"Toga\" II", "! `Toga` takes no part"),
            (r#"kick "O'Brien" "#, "! O'Brien is not here"),
            ("adjudicate 1", "! expected `adjudicate GAME RESULT [REASON]`"),
            (r#"adjudicate 1 1-0 "its" 'flag"; --yes"#, "game 1: 1-0"),
        ],
    );
    let reason = r#"by the director's word: "its" 'flag";"#;
    obey_all(&mut room, &[(r#"correct 1 1/2 it's "a" draw"#, "game 1: 1/2-1/2, no longer 1-0")]);
    let record = &room.amended.last().expect("a game").1.as_ref().expect("amended").record;
    assert!(
        record.detail.contains(reason) && record.detail.ends_with(r#"): it's "a" draw"#),
        "{}",
        record.detail
    );
    let orders: Vec<&str> = room.event.orders.iter().map(|given| given.order.as_str()).collect();
    assert!(orders.contains(&r#"correct 1 1/2 it's "a" draw"#), "{orders:?}");
}

/// A random order, mostly one that can be carried out.
fn random_order(random: &mut fastrand::Rng, room: &Room) -> String {
    let name = room.event.name(random.usize(..room.event.settings.programs.len())).to_owned();
    let game = random.u64(1..=room.event.results.len() as u64 + room.event.live_games.len() as u64 + 1);
    let live: Vec<u64> = room.event.live_games.keys().map(|game| game + 1).collect();
    let live = if live.is_empty() { game } else { live[random.usize(..live.len())] };
    let result = ["1-0", "0-1", "1/2-1/2"][random.usize(..3)];
    let (side, number) = (["white", "black"][random.usize(..2)], random.u32(1..40));
    match random.u32(0..20) {
        0 => format!("kick {name}"),
        1 => format!("withdraw {name} because of {number}"),
        2 | 3 => format!("readmit {name}"),
        4 if number < 8 => format!("enter New{number}"),
        5 => format!("correct {game} {result} for a reason"),
        6 => format!("take {live} {side} {number}"),
        7 => format!("clock {live} {side} {number}"),
        8 => format!("add {live} {side} {number}"),
        9 => format!("rewind {live} {}{}", number % 6, ["", "b"][random.usize(..2)]),
        10 => format!("rewind {game} {} {number} 9", number % 6),
        11 => format!("tc {number}+1"),
        12 => "repair".to_owned(),
        13 => "pause".to_owned(),
        14 => format!("pause {live}"),
        15 => "resume".to_owned(),
        16 => format!("restart {live}"),
        17 => format!("forfeit {name}"),
        18 => "next".to_owned(),
        _ => format!("adjudicate {live} {result} enough"),
    }
}

/// Plays, signs on and gives orders at random.
fn random_event(seed: u64) -> usize {
    let mut random = fastrand::Rng::with_seed(seed);
    let format =
        [TournamentFormat::RoundRobin, TournamentFormat::Swiss { rounds: 4 }, TournamentFormat::Knockout]
            [random.usize(..3)];
    let names = &["A", "B", "C", "D", "E", "F"][..random.usize(2..=6)];
    let mut room = room_of(format, names, |settings| {
        settings.schedule.games = random.u32(1..=3);
        settings.rounds_by_hand = random.bool();
        settings.returns = 1000;
    });
    let mut carried_out = 0;
    for _ in 0..60 {
        for connection in room.clients.keys().copied().collect::<Vec<_>>() {
            if room.closed.contains(&connection) {
                room.inboxes.remove(&connection);
            } else if room.hear(connection) == ClientTask::Respond {
                let game = room.clients[&connection].game().clone();
                let moves = game.legal_moves();
                let answer = answer_with(&game, moves[random.usize(..moves.len())], Remark::None);
                room.answer(connection, answer);
            }
        }
        let order = random_order(&mut random, &room);
        carried_out += usize::from(room.try_obey(&order).is_ok());
        check_restart(&room, &format!("{order} (seed {seed})"));
        room.pass(Duration::from_millis(random.u64(0..3000)));
        for program in 0..room.event.settings.programs.len() {
            if !room.event.is_present(program) && random.bool() {
                let name = room.event.name(program).to_owned();
                room.sign_on(&name);
            }
        }
    }
    check_restart(&room, "time");
    assert_eq!(room.event.standings.games as usize, room.event.results.len(), "seed {seed}");
    carried_out
}

#[test]
fn a_restart_after_any_order_gives_the_same_event() {
    let carried_out: usize = (0..100).map(random_event).sum();
    assert!(carried_out > 2500, "{carried_out}");
}
