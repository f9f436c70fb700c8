//! Events of scripted clients, in a time that passes as the test wants it.

mod director;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use game::{Color, Outcome, WinReason};
use messages::referee::{
    Analysis, ClientState, ClientTask, Directive, DisconnectReason, Remark, Request, Response, Secret,
    answer_with,
};

use super::*;
use crate::schedule::{self, TournamentFormat};
use crate::{MatchOpenings, Rules};

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

pub(super) fn seconds(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub(super) fn settings(names: &[&str]) -> EventSettings {
    EventSettings {
        name: "Open".to_owned(),
        site: "Here".to_owned(),
        programs: names
            .iter()
            .map(|name| ProgramSettings { name: (*name).to_owned(), secret: None, is_local: false })
            .collect(),
        schedule: schedule::ScheduleSettings {
            programs: names.len(),
            format: TournamentFormat::RoundRobin,
            games: 2,
            colours: crate::schedule::ColourOrder::Pairs,
        },
        control: "60+1".parse().expect("a time control"),
        margin: Duration::ZERO,
        rules: Rules::default(),
        quiet: seconds(5),
        patience: seconds(30),
        returns: 2,
        rounds_by_hand: false,
        penalty: seconds(10),
        local_games: None,
        sign_on_time: seconds(10),
    }
}

/// An event with its clients. Letters arrive at once, and facts are kept as a store would.
struct Room {
    event: EventState,
    now: Instant,
    facts: Vec<Fact>,
    /// What each connection was sent and has not been looked at.
    inboxes: BTreeMap<ConnectionId, Vec<String>>,
    clients: BTreeMap<ConnectionId, ClientState>,
    closed: Vec<ConnectionId>,
    news: Vec<String>,
    endings: Vec<FinishedGame>,
    amended: Vec<(u64, Option<FinishedGame>)>,
    next: ConnectionId,
}

impl Room {
    fn new(settings: EventSettings) -> Room {
        let mut event = EventState::new(settings, MatchOpenings::none()).expect("a schedule");
        let now = Instant::now();
        event.open(1, now);
        Room::around(event, now, Vec::new(), 1)
    }

    fn around(event: EventState, now: Instant, facts: Vec<Fact>, next: ConnectionId) -> Room {
        let mut room = Room {
            event,
            now,
            facts,
            next,
            inboxes: BTreeMap::new(),
            clients: BTreeMap::new(),
            closed: Vec::new(),
            news: Vec::new(),
            endings: Vec::new(),
            amended: Vec::new(),
        };
        room.send();
        room
    }

    /// The referee dies, and another one goes on with its facts.
    fn succeed(self) -> Room {
        let settings = self.event.settings.clone();
        let mut event = EventState::new(settings, MatchOpenings::none()).expect("a schedule");
        for fact in &self.facts {
            event.restore(fact).expect("what happened fits");
        }
        event.open(2, self.now);
        Room { clients: self.clients, ..Room::around(event, self.now, self.facts, self.next) }
    }

    fn send(&mut self) {
        let mut out = self.event.take_effects();
        self.facts.extend(out.facts);
        for Proof { connection, program, secret } in out.proofs {
            let hash = self.event.settings.programs[program].secret.as_ref().expect("a secret");
            let proof = if hash.is_of(&secret) { Ok(()) } else { Err(RefusedGuess::Wrong) };
            self.event.handle(ConnectionEvent::Proved(connection, proof), self.now);
            let more = self.event.take_effects();
            out.messages.extend(more.messages);
            out.disconnects.extend(more.disconnects);
            out.news.extend(more.news);
            self.facts.extend(more.facts);
        }
        for message in out.messages {
            self.inboxes.entry(message.to).or_default().push(message.line);
            if let Some(game) = message.starts {
                self.event.told(game, self.now);
            }
        }
        self.closed.extend(out.disconnects);
        self.news.extend(out.news.into_iter().map(|news| news.text));
        self.endings.extend(out.finished);
        self.amended.extend(out.amended);
    }

    /// Gives an order of the console.
    fn try_obey(&mut self, line: &str) -> Result<String, String> {
        self.send();
        let facts = &self.facts;
        let past = |number| {
            let facts: Vec<Fact> = facts.iter().filter(|fact| fact.game() == Some(number)).cloned().collect();
            Ok(store::since_beginning(&facts))
        };
        let order = Order::new(line, CONSOLE);
        let question = order.needs_confirmation().then(|| self.event.question(&order, &past, self.now));
        let told = self.event.obey(&order, &past, self.now);
        if let Some(question) = question {
            assert_eq!(
                question.err().as_ref(),
                told.as_ref().err(),
                "{line}: what is asked about can be done"
            );
        }
        self.send();
        told
    }

    /// Gives an order and returns the answer; `! ` and the reason if it is refused.
    fn obey(&mut self, line: &str) -> String {
        self.try_obey(line).unwrap_or_else(|error| format!("! {error}"))
    }

    fn connect(&mut self) -> ConnectionId {
        self.connect_by(ConnectionEvent::Opened)
    }

    fn connect_by(&mut self, way: fn(ConnectionId) -> ConnectionEvent) -> ConnectionId {
        let connection = self.next;
        self.next += 1;
        self.event.handle(way(connection), self.now);
        self.clients.insert(connection, ClientState::new("-".parse().expect("a time control")));
        connection
    }

    fn say(&mut self, connection: ConnectionId, line: &impl ToString) {
        self.event.handle(ConnectionEvent::Line(connection, line.to_string()), self.now);
        self.send();
    }

    fn sign_on(&mut self, name: &str) -> ConnectionId {
        self.sign_on_by(ConnectionEvent::Opened, name)
    }

    fn sign_on_by(&mut self, way: fn(ConnectionId) -> ConnectionEvent, name: &str) -> ConnectionId {
        let connection = self.connect_by(way);
        let record = self.clients[&connection].sign_on(name, None, true);
        self.say(connection, &record);
        connection
    }

    /// Lets time pass, moment by moment.
    fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(next) = self.event.next_deadline().filter(|next| *next <= until) {
            self.now = next.max(self.now);
            self.event.tick(self.now);
            self.send();
        }
        self.now = until;
        self.event.tick(until);
        self.send();
    }

    /// What a connection was sent, heard by its client. Returns the last task.
    fn hear(&mut self, connection: ConnectionId) -> ClientTask {
        let mut last = ClientTask::Nothing;
        for line in self.inboxes.remove(&connection).unwrap_or_default() {
            let client = self.clients.get_mut(&connection).expect("a client");
            last = client.hear(&line).unwrap_or_else(|error| panic!("{line}: {error}"));
        }
        last
    }

    /// What a connection was sent, by the commands.
    fn commands(&mut self, connection: ConnectionId) -> Vec<&'static str> {
        let lines = self.inboxes.remove(&connection).unwrap_or_default();
        lines.iter().map(|line| line.parse::<Directive>().expect("a record").command.name()).collect()
    }

    fn answer(&mut self, connection: ConnectionId, answer: Response) {
        let client = self.clients.get_mut(&connection).expect("a client");
        let record = client.reply(answer, Analysis::default()).expect("legal");
        self.say(connection, &record);
    }

    fn play(&mut self, connection: ConnectionId, text: &str) {
        self.play_with(connection, text, Remark::None);
    }

    fn play_with(&mut self, connection: ConnectionId, text: &str, remark: Remark) {
        assert_eq!(self.hear(connection), ClientTask::Respond, "{text}");
        let game = self.clients[&connection].game();
        let answer = answer_with(game, game.parse_move(text).expect(text), remark);
        self.answer(connection, answer);
    }

    /// Plays moves in turn.
    fn play_all(&mut self, [white, black]: [ConnectionId; 2], moves: &str) {
        for (ply, text) in moves.split_whitespace().enumerate() {
            self.play(if ply % 2 == 0 { white } else { black }, text);
        }
    }

    fn ending(&self) -> String {
        let ending = self.endings.last().expect("a game has ended");
        let outcome = ending.record.outcome.expect("an outcome");
        format!("{} {outcome}|{}", outcome.result(), ending.record.detail)
    }
}

/// Two programs at their first game.
fn pair() -> (Room, [ConnectionId; 2]) {
    let mut room = Room::new(settings(&["A", "B"]));
    let both = [room.sign_on("A"), room.sign_on("B")];
    room.pass(seconds(5));
    (room, both)
}

#[test]
fn what_a_line_has_spoiled_is_told_again() {
    let mut room = Room::new(settings(&["A", "B"]));
    let [a, b] = ["A", "B"].map(|name| room.sign_on_by(ConnectionEvent::SerialLine, name));
    room.pass(seconds(5));
    room.commands(b);
    let fault = room.clients[&b].request(Request::Fault(None)).to_string();
    room.say(b, &fault);
    assert!(room.inboxes[&b].iter().any(|line| line.contains("TimeControl")), "{:?}", room.inboxes[&b]);
    assert_eq!(room.commands(b), ["inform"]);
    room.play(a, "e4");
    assert_eq!(room.commands(b), ["respond"]);
    room.say(b, &fault);
    assert_eq!(room.hear(b), ClientTask::Respond);
    // Who doesn't understand anything is left to the people there.
    (0..100).for_each(|_| room.say(b, &fault));
    assert!(room.commands(b).len() < 40);
}

#[test]
fn an_event_goes_as_section_8_has_it() {
    let mut room = Room::new(settings(&["A", "B"]));
    let (a, b) = (room.sign_on("A"), room.sign_on("B"));
    assert_eq!(room.inboxes[&a], [format!("{START} Epoch 1; refcom reset;")]);
    room.commands(a);
    room.commands(b);
    room.pass(Duration::from_millis(4999));
    assert!(room.inboxes.is_empty(), "nothing comes in the quiet period");
    room.pass(Duration::from_millis(1));
    let inform = &room.inboxes[&a][0];
    for tag in [
        "Event \"Open\"",
        "Site \"Here\"",
        "Date \"2",
        "Round \"1\"",
        "White \"A\"",
        "Black \"B\"",
        "Result \"*\"",
        "TimeControl \"60+1\"",
    ] {
        assert!(inform.contains(tag), "{tag}: {inform}");
    }
    assert_eq!(room.commands(b), ["inform"]);
    assert_eq!(
        room.inboxes[&a][1],
        format!(
            "{START} Clock 60000 1000 - 60000 1000 -; Epoch 1; cc 000:00:00:00 000:00:00:00; fmvn 1; hmvc 0; refcom respond; tcgs 1;"
        )
    );
    room.pass(seconds(3));
    room.play(a, "f3");
    assert_eq!(
        room.inboxes[&b],
        [format!(
            "{START} Clock 58000 1000 - 60000 1000 -; Epoch 1; cc 000:00:00:03 000:00:00:00; fmvn 1; hmvc 0; refcom respond; sm f3; tcgs 1;"
        )],
        "the position before the move, and the move"
    );
    room.play(b, "e5");
    room.play(a, "g4");
    room.play(b, "Qh4");
    assert_eq!(room.ending(), "0-1 Black mates|");
    for connection in [a, b] {
        let lines = room.inboxes[&connection].clone();
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert!(lines[0].contains("ptp Result \"0-1\"; refcom inform;"), "{lines:?}");
        assert!(
            lines[1].starts_with("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - "),
            "{lines:?}"
        );
        assert_eq!(room.hear(connection), ClientTask::Conclude(Some("0-1".to_owned())));
    }
    room.pass(Duration::from_millis(4999));
    assert!(room.inboxes.is_empty());
    room.pass(Duration::from_millis(1));
    assert_eq!((room.commands(a), room.commands(b)), (vec!["reset"], vec!["reset"]));
    room.pass(seconds(5));
    assert_eq!(
        (room.commands(a), room.commands(b)),
        (vec!["inform"], vec!["inform", "respond"]),
        "colours reversed"
    );
}

#[test]
fn a_plain_client_gets_what_the_specification_has() {
    let mut room = Room::new(settings(&["A", "B"]));
    let connection = room.connect();
    room.say(connection, &format!("{START} refreq sign_on;"));
    room.sign_on("B");
    room.pass(seconds(5));
    let lines = room.inboxes[&connection].join("\n");
    assert!(lines.contains("refcom respond") && lines.contains("White \"A\""), "{lines}");
    assert!(!lines.contains("Clock") && !lines.contains("Epoch"), "{lines}");
}

#[test]
fn the_flag_falls_to_the_millisecond_and_a_move_in_time_counts() {
    let (mut room, [a, _]) = pair();
    room.pass(seconds(60));
    room.play(a, "e4");
    assert!(room.endings.is_empty(), "the last moment is in time");
    room.pass(seconds(60));
    assert!(room.endings.is_empty());
    room.pass(Duration::from_millis(1));
    assert_eq!(room.ending(), "1-0 Black forfeits on time|no move when the time was over");
    let (mut room, [a, _]) = pair();
    room.pass(Duration::from_micros(60_000_300));
    room.play(a, "e4");
    assert_eq!(room.ending(), "0-1 White forfeits on time|time overdrawn by 1ms");
}

#[test]
fn draws_are_offered_accepted_and_declined() {
    let (mut room, [a, b]) = pair();
    room.play_with(a, "e4", Remark::OfferDraw);
    assert!(room.inboxes[&b].last().expect("a record").contains("draw_offer;"));
    room.play(b, "e5");
    room.hear(a);
    room.answer(a, Response::AcceptDraw);
    assert!(room.endings.is_empty(), "its own offer was declined by the move");
    room.play_with(a, "Nf3", Remark::OfferDraw);
    room.hear(b);
    room.answer(b, Response::AcceptDraw);
    assert_eq!(room.ending(), "1/2-1/2 Draw by agreement|");
}

#[test]
fn claims_are_checked_and_false_ones_cost_time() {
    let mut fide = settings(&["A", "B"]);
    fide.rules.draws = crate::table::DrawRule::Automatic;
    let mut room = Room::new(fide);
    let both = [room.sign_on("A"), room.sign_on("B")];
    room.pass(seconds(5));
    room.play_with(both[0], "Nf3", Remark::ClaimDraw);
    assert!(room.endings.is_empty(), "the claim is false, the move stands");
    room.play(both[1], "Nf6");
    let clocks = room.inboxes[&both[0]].last().expect("a record").clone();
    assert!(clocks.contains("Clock 61000 1000 - 71000 1000 -;"), "{clocks}");
    room.play_all(both, "Ng1 Ng8 Nf3 Nf6 Ng1");
    room.hear(both[1]);
    let game = room.clients[&both[1]].game().clone();
    let claim = answer_with(&game, game.parse_move("Ng8").expect("a move"), Remark::ClaimDraw);
    room.answer(both[1], claim);
    assert_eq!(room.ending(), "1/2-1/2 Draw by repetition|claimed with the move");
}

#[test]
fn the_official_claims_what_a_player_could() {
    let (mut room, both) = pair();
    room.play_all(both, "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8");
    assert_eq!(room.ending(), "1/2-1/2 Draw by repetition|");
}

#[test]
fn resignation_and_illegal_moves() {
    let (mut room, [a, b]) = pair();
    room.play(a, "e4");
    room.hear(b);
    room.answer(b, Response::Resign);
    assert_eq!(room.ending(), "1-0 Black resigns|");
    room.pass(seconds(10));
    assert_eq!(room.hear(b), ClientTask::Respond);
    room.say(b, &format!("{START} refreq reply; sm Ke2;"));
    assert_eq!(room.ending(), "0-1 White makes an illegal move|illegal move Ke2");
    room.pass(seconds(10));
    assert!(room.event.is_over(room.now) && room.event.standings.games == 2);
}

#[test]
fn an_answer_that_is_none_is_forgiven_once() {
    for (answer, reason) in [
        ("refreq reply;", "no move, though there are legal ones"),
        ("refreq reply; draw_accept;", "no draw was offered"),
        ("refreq reply; draw_claim;", "the draw claim is false"),
    ] {
        let (mut room, [a, _]) = pair();
        room.hear(a);
        room.say(a, &format!("{START} {answer}"));
        let again = room.inboxes[&a].last().expect("a record").clone();
        assert!(again.contains("refcom respond") && again.contains(&format!("c0 \"{reason}\"")), "{again}");
        room.say(a, &format!("{START} {answer}"));
        assert_eq!(room.ending(), format!("0-1 White breaks the rules|{reason}"));
    }
    let (mut room, both @ [a, b]) = pair();
    room.play_all(both, "e4 e5 Nf3");
    room.hear(b);
    room.say(b, &format!("{START} refreq reply; sm e4;"));
    let commands: Vec<String> = room.inboxes[&b].clone();
    assert!(
        commands[0].contains("refcom execute; sv e4 e5;") && commands[1].contains("sm Nf3;"),
        "{commands:?}"
    );
    room.play(b, "Nc6");
    assert_eq!(room.hear(a), ClientTask::Respond, "the game goes on");
}

#[test]
fn what_is_out_of_place_is_refused_and_harms_nobody() {
    let (mut room, [a, b]) = pair();
    room.hear(a);
    room.hear(b);
    for (line, reason) in [
        (format!("{START} refreq reply; sm e4;"), "it is not the turn of this client"),
        (format!("{START} refcom respond;"), "`refcom` must not be sent by this side"),
        (format!("{START} refreq sign_on; tcsi \"\" \"A\";"), "signed on already"),
        ("hello".to_owned(), "not an EPD record"),
        (" ".to_owned(), "not an EPD record"),
    ] {
        room.say(b, &line);
        let told = room.inboxes.remove(&b).expect("an answer").concat();
        assert!(told.contains("refcom fault") && told.contains(reason), "{line}: {told}");
    }
    room.say(a, &format!("{START} refreq reply; sm e4;"));
    room.say(a, &format!("{START} refreq reply; sm d4;"));
    assert!(room.inboxes[&a].concat().contains("not the turn"), "two replies");
    for _ in 0..21 {
        room.say(b, &"noise");
    }
    assert!(room.closed.contains(&b) && room.endings.is_empty());
    room.pass(seconds(30));
    assert_eq!(room.ending(), "1-0 Black abandons the game|gone for 30s");
    room.say(a, &format!("{START} refreq reply; sm d4;"));
    assert!(room.news.iter().any(|news| news == "A replied too late"));
}

/// Clients that can't break off reply to games that were taken from them, and to their next game only then.
#[test]
fn late_replies_harm_nobody() {
    let (mut room, both @ [a, b]) = pair();
    room.play_all(both, "e4 e5 Nf3 Nc6");
    room.try_obey("restart 1").expect("begins anew");
    room.pass(seconds(5));
    let late = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - refreq reply; sm Bb5;";
    room.say(a, &late);
    assert_eq!(room.news.last().map(String::as_str), Some("A replied too late"));
    room.play(a, "d4");
    room.try_obey("adjudicate 1 1/2-1/2").expect("ends");
    room.pass(seconds(20));
    // The other game; White thinks.
    room.hear(a);
    room.say(b, &"rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - refreq reply; sm d5;");
    assert_eq!(room.news.last().map(String::as_str), Some("B replied too late"));
    assert!(!room.inboxes[&b].concat().contains("fault"));
    room.play(b, "e4");
    room.hear(a);
    room.say(a, &late);
    assert!(room.inboxes[&a].concat().contains("c0 \"the position of the reply is not that of the game\""));
    room.play(a, "e5");
    assert_eq!((room.hear(b), room.endings.len()), (ClientTask::Respond, 1));
}

#[test]
fn only_those_who_are_expected_may_sign_on() {
    let mut wanted = settings(&["A", "B", "C"]);
    wanted.programs[0].secret = Some(SecretHash::of(&Secret::new("sesame")));
    let mut room = Room::new(wanted);
    let attempt = |room: &mut Room, name: &str, secret: Option<&str>| {
        let connection = room.connect();
        let secret = secret.map(Secret::new);
        let record = room.clients[&connection].sign_on(name, secret.as_ref(), false);
        room.say(connection, &record);
        let told = room.inboxes.remove(&connection).expect("an answer").concat();
        (connection, told)
    };
    for (name, secret, reason) in [
        ("X", None, "no program of that name is expected"),
        ("A", None, "wrong secret"),
        ("A", Some("Sesame"), "wrong secret"),
    ] {
        let (connection, told) = attempt(&mut room, name, secret);
        assert!(told.contains(reason) && room.closed.contains(&connection), "{told}");
    }
    let (first, told) = attempt(&mut room, "A", Some("sesame"));
    assert!(told.contains("refcom reset"), "{told}");
    let (_, told) = attempt(&mut room, "A", Some("sesame"));
    assert!(told.contains("refcom reset") && room.closed.contains(&first), "the old connection was dead");
    attempt(&mut room, "B", None);
    let (_, told) = attempt(&mut room, "B", None);
    assert!(told.contains("the name is taken"), "{told}");
    let hasty = room.connect();
    room.say(hasty, &format!("{START} refreq reply; sm e4;"));
    assert!(
        room.inboxes[&hasty].concat().contains("the first request is sign_on")
            && room.closed.contains(&hasty)
    );
    let silent = room.connect();
    room.pass(seconds(10));
    assert!(room.closed.contains(&silent));
    assert!(!format!("{:?}{:?}", room.facts, room.news).contains("sesame"));
}

#[test]
fn a_name_that_is_taken_may_soon_be_free() {
    let (mut room, [_, b]) = pair();
    let again = room.connect();
    let record = room.clients[&again].sign_on("B", None, true);
    room.say(again, &record);
    let expected = DisconnectReason::TryAgain { after: seconds(3), why: "the name is taken".to_owned() };
    assert_eq!(room.hear(again), ClientTask::Disconnect(expected));
    assert!(room.closed.contains(&again) && !room.closed.contains(&b));
    let plain = room.connect();
    room.say(plain, &format!("{START} refreq sign_on; tcsi \"\" \"B\";"));
    let told = room.inboxes[&plain].concat();
    assert!(told.contains("the name is taken") && !told.contains("Retry"), "{told}");
}

#[test]
fn a_secret_is_waited_for_and_may_come_too_late() {
    let mut wanted = settings(&["A", "B"]);
    wanted.programs[0].secret = Some(SecretHash::of(&Secret::new("open-sesame")));
    let mut room = Room::new(wanted);
    let connection = room.connect();
    let record = room.clients[&connection].sign_on("A", Some(&Secret::new("open-sesame")), true).to_string();
    room.event.handle(ConnectionEvent::Line(connection, record.clone()), room.now);
    room.event.handle(ConnectionEvent::Line(connection, record), room.now);
    let out = room.event.take_effects();
    assert!(out.proofs.len() == 1 && out.messages[0].line.contains("the secret is being checked"));
    room.pass(seconds(60));
    assert!(!room.closed.contains(&connection), "the check may take its time");
    let wait = Err(RefusedGuess::Wait(Duration::from_millis(3500)));
    room.event.handle(ConnectionEvent::Proved(connection, wait), room.now);
    room.send();
    let told = room.inboxes[&connection].concat();
    assert!(told.contains("Retry 4; c0 \"wrong secrets before; wait 4 seconds\""), "{told}");
    room.event.handle(ConnectionEvent::Proved(connection, Ok(())), room.now);
    assert!(!room.event.is_present(0), "it has left");
}

#[test]
fn who_says_nothing_any_more_is_gone_if_it_sends_heartbeats() {
    let (mut room, [a, b]) = pair();
    let beating = |room: &mut Room, name: &str| {
        let connection = room.connect();
        room.say(connection, &format!("{START} Heartbeat; refreq sign_on; tcsi \"\" \"{name}\";"));
        connection
    };
    for old in [a, b] {
        room.event.handle(ConnectionEvent::Closed(old), room.now);
    }
    let (silent, alive) = (beating(&mut room, "A"), beating(&mut room, "B"));
    assert_eq!(room.inboxes[&silent][0], "", "the referee knows heartbeats");
    for _ in 0..10 {
        room.pass(seconds(1));
        room.say(alive, &"");
    }
    assert!(room.closed.contains(&silent) && !room.closed.contains(&alive));
    assert!(!room.inboxes[&alive].concat().contains("fault"), "an empty line is none");
    let beats = room.inboxes[&alive].iter().filter(|line| line.is_empty()).count();
    assert_eq!(beats, 6, "one for each two seconds, and one at the beginning, in the quiet period, too");
    let plain = room.sign_on("A");
    room.pass(seconds(60));
    assert!(!room.closed.contains(&plain) && !room.inboxes[&plain].iter().any(String::is_empty));
}

#[test]
fn an_outage_of_the_referee_costs_nobody_anything() {
    let (mut room, [a, b]) = pair();
    room.pass(seconds(2));
    room.play(a, "e4");
    room.pass(seconds(3));
    // The process is stopped while Black thinks and has been away for five of thirty seconds.
    room.event.handle(ConnectionEvent::Closed(a), room.now);
    room.pass(seconds(5));
    room.now += seconds(100);
    room.event.outage(seconds(100), room.now);
    room.send();
    room.pass(seconds(24));
    assert!(room.endings.is_empty(), "neither the flag nor the patience of White");
    room.play(b, "e5");
    room.event.outage(seconds(1), room.now);
    for _ in 0..5 {
        // These connections were closed while the referee was away, and are heard of only now.
        let connection = room.sign_on("A");
        room.event.handle(ConnectionEvent::Closed(connection), room.now);
    }
    let noted =
        |fact: &Fact| matches!(fact, Fact::Noted { text, .. } if text.contains("did not run for 100.0 s"));
    assert_eq!(room.facts.iter().filter(|fact| noted(fact)).count(), 1);
    let used = room.event.live_games[&0].used_by_both();
    assert_eq!((used.white, used.black), (seconds(2), seconds(32)));
    assert!(room.endings.is_empty(), "{:?}", room.news);
}

#[test]
fn who_only_talks_is_sent_away() {
    let (mut room, [a, b]) = pair();
    room.play(a, "e4");
    let late = format!("{START} refreq fault; c0 \"help\";");
    for _ in 0..20 {
        room.say(a, &late);
    }
    assert!(!room.closed.contains(&a));
    room.play(b, "e5");
    room.play(a, "Nf3");
    for _ in 0..21 {
        assert!(!room.closed.contains(&a), "a move that counts makes a new beginning");
        room.say(a, &late);
    }
    assert!(room.closed.contains(&a));
    assert!(room.inboxes[&a].concat().contains("too many records without effect"));
}

#[test]
fn local_programs_do_not_play_all_at_once() {
    let mut wanted = settings(&["A", "B", "C", "D", "E", "F"]);
    wanted.programs.iter_mut().take(4).for_each(|program| program.is_local = true);
    (wanted.quiet, wanted.local_games) = (Duration::ZERO, Some(1));
    let mut room = Room::new(wanted);
    for name in ["A", "B", "C", "D", "E", "F"] {
        room.sign_on(name);
    }
    let names = |room: &Room, live: &live_game::LiveGame| {
        Color::ALL.map(|color| room.event.name(live.program(color)).to_owned()).concat()
    };
    let playing: Vec<String> = room.event.live_games.values().map(|live| names(&room, live)).collect();
    let local = playing.iter().filter(|names| names.contains(['A', 'B', 'C', 'D'])).count();
    assert_eq!(local, 1, "{playing:?}");
}

#[test]
fn a_program_that_comes_back_goes_on() {
    let (mut room, both @ [a, b]) = pair();
    room.play_all(both, "e4 e5 Nf3 Nc6");
    room.pass(seconds(7));
    room.event.handle(ConnectionEvent::Closed(a), room.now);
    room.pass(seconds(20));
    let again = room.sign_on("A");
    assert_eq!(room.commands(again), ["reset"]);
    room.pass(seconds(5));
    let lines = room.inboxes[&again].clone();
    assert!(lines[1].contains("refcom execute; sv e4 e5 Nf3;"), "{lines:?}");
    assert!(
        lines[2].contains("Clock 35000 1000") && lines[2].contains("sm Nc6;"),
        "its clock ran while it was gone: {lines:?}"
    );
    room.play(again, "Bb5");
    assert_eq!(room.clients[&again].game().ply(), 5);
    assert_eq!(room.hear(b), ClientTask::Respond);
    let noted = room.facts.iter().filter_map(|fact| match fact {
        Fact::Noted { side: Some(Side::White), text, .. } => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(noted.collect::<Vec<_>>(), ["is gone", "is back"]);
    let mut latest = b;
    for _ in 0..3 {
        assert!(room.endings.is_empty());
        room.event.handle(ConnectionEvent::Closed(latest), room.now);
        latest = room.sign_on("B");
    }
    assert_eq!(room.ending(), "1-0 Black abandons the game|came back more than 2 times");
}

#[test]
fn a_successor_knows_every_game() {
    let (mut room, both) = pair();
    room.pass(seconds(2));
    room.play_all(both, "e4 e5");
    room.pass(seconds(9));
    let mut room = room.succeed();
    assert_eq!(room.event.epoch, 2);
    room.pass(seconds(29));
    assert!(room.endings.is_empty(), "nobody is there");
    let (a, b) = (room.sign_on("A"), room.sign_on("B"));
    room.pass(seconds(5));
    let told = room.inboxes[&a].last().expect("a record").clone();
    assert!(
        told.contains("Clock 59000 1000") && told.contains("sm e5;") && told.contains("Epoch 2"),
        "an outage costs no time: {told}"
    );
    room.play_all([a, b], "Nf3 Nc6");
    assert_eq!(room.event.live_games.values().next().expect("a game").record.game.ply(), 4);
    let same = room.succeed();
    assert_eq!(same.event.live_games.values().next().expect("a game").record.game.ply(), 4);
}

#[test]
fn if_both_are_gone_nobody_wins_until_one_is_back() {
    let (mut room, [a, b]) = pair();
    for connection in [a, b] {
        room.event.handle(ConnectionEvent::Closed(connection), room.now);
    }
    room.obey("pause");
    room.pass(seconds(600));
    assert!(room.endings.is_empty());
    room.obey("resume");
    room.sign_on("B");
    room.pass(seconds(29));
    assert!(room.endings.is_empty());
    room.pass(seconds(31));
    assert!(room.ending().starts_with("0-1 White"), "{}", room.ending());
}

#[test]
fn an_epoch_that_a_client_tells_means_nothing() {
    let mut room = Room::new(settings(&["A", "B"]));
    for (name, epoch) in [("X", "99"), ("A", "18446744073709551615"), ("B", "x")] {
        let connection = room.connect();
        room.say(
            connection,
            &format!("{START} Epoch {epoch}; Extended; refreq sign_on; tcsi \"\" \"{name}\";"),
        );
        let told = room.inboxes[&connection].concat();
        assert!(
            told.contains(if name == "X" { "no program of that name" } else { "refcom reset" }),
            "{told}"
        );
    }
    room.pass(seconds(5));
    assert_eq!((room.event.live_games.len(), room.event.epoch), (1, 1), "the event goes on");
}

#[test]
fn the_director_s_word() {
    let (mut room, both @ [a, b]) = pair();
    room.play_all(both, "e4 e5");
    assert_eq!(room.obey("pause"), "1 game held");
    room.pass(seconds(1000));
    assert!(room.endings.is_empty(), "no clock runs");
    assert_eq!(room.obey("add 1 white 30"), "white has 30s more in game 1");
    room.obey("resume 1");
    room.play(a, "Nf3");
    let told = room.inboxes[&b].last().expect("a record").clone();
    assert!(told.contains("Clock 92000 1000 - 61000"), "{told}");
    assert!(told.contains("cc 000:00:00:00"), "what was added shows in `cc`: {told}");
    let status = room.obey("status");
    assert!(status.contains("game 1, round 1: A 92.0 - B 61.0*, move 2"), "{status}");
    assert_eq!(room.obey("restart 1"), "game 1 begins anew");
    room.pass(seconds(5));
    room.play(a, "d4");
    room.obey("broadcast Lunch is \"served\"");
    assert!(room.inboxes[&a].concat().contains("c0 \"Lunch is 'served'\""));
    assert_eq!(room.obey("adjudicate 1 1/2"), "game 1: 1/2-1/2");
    assert_eq!(room.ending(), "1/2-1/2 Draw by adjudication|by the director's word");
    assert_eq!(room.obey("adjudicate 1 1-0"), "! game 1 is not being played");
    assert_eq!(room.obey("forfeit A"), "game 2: 1-0");
    room.pass(seconds(20));
    assert!(room.event.is_over(room.now));
    let report = report::text(&room.event);
    assert!(report.contains("forfeited by the director's word"), "{report}");
    assert!(report::page(&room.event).contains("forfeited by the director&#39;s word"));
}

#[test]
fn orders_and_what_is_none() {
    let mut room = Room::new(settings(&["Toga II", "Herald"]));
    for (line, told) in [
        (" pause 3 ", "! game 3 is not being played"),
        ("pause 0", "! `0` is no number of a game"),
        ("pause x", "! `x` is no number of a game"),
        ("pair \"Toga II\" Herald", "game 1 begins as soon as both are free"),
        ("pair Bob Herald", "! `Bob` takes no part"),
        ("pair Bob", "! expected `pair NAME NAME`"),
        ("pair 'a", "! a quotation mark is not closed"),
        ("broadcast", "! expected `broadcast TEXT`"),
        ("broadcast It's lunch", "told 0 programs"),
        ("broadcast Grüße", "told 0 programs, as records have it: Grusse"),
        ("forfeit Toga II", "game 1: 0-1"),
        ("forfeit Herald", "game 2: 0-1"),
        ("forfeit Toga II", "! it has no game to lose"),
        ("jump", "! `jump` is not understood; `help` shows what is"),
        ("", "! no command; `help` shows what there is"),
    ] {
        let answer = room.obey(line);
        assert_eq!(answer, told, "{line}");
    }
    let (mut room, _) = pair();
    for (line, told) in [
        ("add 1 red 3", "! `red`: expected white or black"),
        ("add 1 white -3", "! `-3`: expected seconds"),
        ("add 1 black 30.5", "black has 30.5s more in game 1"),
        ("adjudicate 1 2-0", "! `2-0`: expected 1-0, 0-1 or 1/2-1/2"),
    ] {
        let answer = room.obey(line);
        assert_eq!(answer, told, "{line}");
    }
}

#[test]
fn rounds_wait_for_the_director() {
    let mut by_hand = settings(&["A", "B", "C", "D"]);
    by_hand.rounds_by_hand = true;
    let mut room = Room::new(by_hand);
    for name in ["A", "B", "C", "D"] {
        room.sign_on(name);
    }
    room.pass(seconds(60));
    assert_eq!(room.event.live_games.values().count(), 0);
    let asks = |room: &Room, round: u32| {
        room.news.iter().filter(|news| news.contains(&format!("round {round} waits for `next`"))).count()
    };
    assert_eq!(asks(&room, 1), 1, "{:?}", room.news);
    let fixture = *room.event.queue.iter().last().expect("a game");
    let names = [fixture.white, fixture.black].map(|program| room.event.name(program).to_owned());
    let order = format!("pair {} {}", names[0], names[1]);
    room.try_obey(&order).expect("they have a game");
    assert_eq!(room.event.live_games.values().count(), 1);
    room.try_obey("next").expect("a round");
    assert!(
        room.event
            .live_games
            .values()
            .all(|live| live.fixture.round == 1 || live.fixture.number == fixture.number - 1)
    );
}

#[test]
fn a_whole_swiss_event_is_played() {
    let mut swiss = settings(&["A", "B", "C", "D", "E"]);
    swiss.quiet = Duration::ZERO;
    swiss.schedule.format = TournamentFormat::Swiss { rounds: 3 };
    let mut room = Room::new(swiss);
    for name in ["A", "B", "C", "D", "E"] {
        room.sign_on(name);
    }
    let mut steps = 0;
    while !room.event.is_over(room.now) {
        steps += 1;
        assert!(steps < 2000, "the event does not end");
        for connection in room.clients.keys().copied().collect::<Vec<_>>() {
            if room.hear(connection) != ClientTask::Respond {
                continue;
            }
            let game = room.clients[&connection].game().clone();
            let answer = match game.ply() {
                10 => Response::Resign,
                _ => answer_with(&game, game.legal_moves()[0], Remark::None),
            };
            room.answer(connection, answer);
        }
        room.pass(Duration::from_millis(10));
    }
    assert_eq!(room.event.standings.games, 12);
    let text = report::text(&room.event);
    assert_eq!(text.matches("White resigns").count(), 12, "{text}");
    let mut again = EventState::new(room.event.settings.clone(), MatchOpenings::none()).expect("a schedule");
    for fact in &room.facts {
        let line = serde_json::to_string(fact).expect("facts can be written");
        again.restore(&serde_json::from_str(&line).expect("and read")).expect("they fit");
    }
    assert_eq!(report::text(&again), text, "the facts are the event");
}

#[test]
fn a_damaged_store_is_told() {
    let mut event = EventState::new(settings(&["A", "B"]), MatchOpenings::none()).expect("a schedule");
    let fact = |text: &str| serde_json::from_str::<Fact>(text).expect(text);
    let moved = fact(r#"{"fact":"moved","game":0,"mv":"e2e4","used":5}"#);
    assert_eq!(event.restore(&moved), Err("game 1 is not being played".to_owned()));
    let began = r#"{"fact":"began","game":0,"round":1,"white":0,"black":1,"opening":0,"start":"START","moves":[],"at":1}"#;
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert!(event.restore(&fact(&began.replace("START", "nonsense"))).is_err());
    assert!(
        event.restore(&fact(&began.replace("START", start).replace("\"round\":1", "\"round\":2"))).is_err()
    );
    event.restore(&fact(&began.replace("START", start))).expect("it fits");
    assert!(event.restore(&fact(r#"{"fact":"moved","game":0,"mv":"e2e5","used":5}"#)).is_err());
    event.restore(&moved).expect("it fits");
    let outcome = Outcome::Win { winner: Color::White, reason: WinReason::TimeForfeit };
    event.restore(&Fact::ended(0, outcome, String::new(), 5)).expect("it fits");
    assert_eq!(event.standings.games, 1);
}
