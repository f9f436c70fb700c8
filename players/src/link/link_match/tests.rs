//! Two ends that play against each other, without engines, without a line, and in no time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use game::{Color, Game, Score};
use messages::autoplayer::{GameVerdict, Hello, LINK_VERSION, LinkMessage, LinkRole, MatchTerms, PlayedMove};

use super::*;
use crate::{Arrival, PlayerEvent, PlayerFault, Thinking};

const MASTER: usize = 0;
const SLAVE: usize = 1;
/// Time for a message that is due.
const PATIENCE: Duration = Duration::from_mins(5);

/// Whether a game has this text, wherever its lines are wrapped.
fn has(pgn: &str, text: &str) -> bool {
    let unwrapped = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    unwrapped(pgn).contains(&unwrapped(text))
}

/// Both ends, and what is on its way between them.
struct Pair {
    ends: [LinkMatch; 2],
    letters: [VecDeque<LinkMessage>; 2],
    games: [Vec<String>; 2],
    alerts: [Vec<String>; 2],
    left: [Vec<Option<String>>; 2],
    /// Whether each engine has to move.
    asked: [bool; 2],
    ended: [Vec<String>; 2],
    now: Instant,
}

fn hello(role: LinkRole, session: &str) -> Hello {
    let name = if role == LinkRole::Master { "Anna" } else { "Boris" };
    Hello {
        version: LINK_VERSION,
        role,
        session: session.to_owned(),
        nonce: String::new(),
        answer: None,
        proof: None,
        satisfied: true,
        name: name.to_owned(),
        rating: (role == LinkRole::Master).then_some(2000),
        capabilities: Vec::new(),
    }
}

fn plan(games: u32, opening: &'static str) -> LinkPlan {
    let begin = move |_| {
        let mut game = Game::default();
        game.play_line(opening.split_whitespace()).map_err(|error| error.to_string())?;
        Ok(game)
    };
    let terms = MatchTerms { games, control: "60+1".into(), event: "Test".into(), site: "?".into() };
    LinkPlan { terms, opening: Box::new(begin), date: Box::new(|| "2026.01.02".to_owned()) }
}

fn anna(plan: LinkPlan) -> LinkMatch {
    let seat = LinkSeat { name: "Anna".to_owned(), rating: Some(2000) };
    LinkMatch::new(seat, false, Some(plan), Duration::ZERO, PATIENCE)
}

fn boris() -> LinkMatch {
    let seat = LinkSeat { name: "Boris".to_owned(), rating: None };
    LinkMatch::new(seat, false, None, Duration::ZERO, PATIENCE)
}

fn played(ply: u32, san: &str, used: u64, left: Option<u64>) -> LinkMessage {
    LinkMessage::Move(PlayedMove { game: 1, ply, san: san.into(), used, left, comment: String::new() })
}

fn verdict(ply: u32, result: &str, reason: &str) -> GameVerdict {
    GameVerdict { game: 1, ply, result: result.into(), reason: reason.into(), detail: String::new() }
}

impl Pair {
    fn start(games: u32, opening: &'static str) -> Pair {
        let mut pair = Pair {
            ends: [anna(plan(games, opening)), boris()],
            letters: Default::default(),
            games: Default::default(),
            alerts: Default::default(),
            left: Default::default(),
            asked: Default::default(),
            ended: Default::default(),
            now: Instant::now(),
        };
        pair.ends[MASTER].connected(&hello(LinkRole::Slave, "s"), true, pair.now);
        pair.ends[SLAVE].connected(&hello(LinkRole::Master, "m"), true, pair.now);
        pair.settle();
        pair
    }

    fn pass(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
    }

    /// Does what an end wants to be done, but carries no letters.
    fn act(&mut self, end: usize) {
        let mut actions = VecDeque::from(self.ends[end].actions());
        while let Some(action) = actions.pop_front() {
            match action {
                LinkAction::Send(message) => self.letters[1 - end].push_back(message),
                LinkAction::Present(_) => self.ends[end].presented(Ok(()), self.now),
                LinkAction::Think => {
                    self.asked[end] = true;
                    self.ends[end].thinking_began(self.now);
                }
                LinkAction::EndGame(outcome, reason) => {
                    self.asked[end] = false;
                    self.ended[end].push(outcome.map_or(reason, |outcome| outcome.to_string()));
                }
                LinkAction::Report(LinkReport::Game(pgn)) => self.games[end].push(pgn),
                LinkAction::Report(LinkReport::Alert(text)) => self.alerts[end].push(text),
                LinkAction::Leave(reason) => self.left[end].push(reason),
                _ => {}
            }
            actions.extend(self.ends[end].actions());
        }
    }

    fn hears(&mut self, end: usize, message: LinkMessage) {
        self.ends[end].hear(message, self.now);
        self.act(end);
    }

    /// Carries a letter to an end. Returns whether there was one.
    fn carry(&mut self, end: usize) -> bool {
        let Some(message) = self.letters[end].pop_front() else { return false };
        self.hears(end, message);
        true
    }

    fn settle(&mut self) {
        self.act(MASTER);
        self.act(SLAVE);
        while self.carry(SLAVE) || self.carry(MASTER) {}
    }

    fn says(&mut self, end: usize, event: PlayerEvent) {
        self.ends[end].engine_says(Arrival { at: self.now, event });
        self.act(end);
    }

    /// The engine that has to move does so after 100 milliseconds; the letter takes two seconds.
    fn play(&mut self, moves: &str) {
        for text in moves.split_whitespace() {
            self.pass(100);
            let end = self.asked.iter().position(|&asked| asked).expect("somebody has to move");
            self.asked[end] = false;
            self.says(end, PlayerEvent::Move(text.to_owned()));
            self.pass(2000);
            self.settle();
        }
    }

    /// The games of both ends, which must be the same.
    fn games(&self) -> &[String] {
        assert_eq!(self.games[MASTER], self.games[SLAVE]);
        assert_eq!(self.ended[MASTER], self.ended[SLAVE]);
        &self.games[MASTER]
    }

    fn clocks(&self, end: usize) -> [u64; 2] {
        let game = self.ends[end].game().expect("a game");
        [Color::White, Color::Black]
            .map(|color| game.clock.remaining(color, self.now).expect("a clock").as_millis() as u64)
    }
}

#[test]
fn two_games_with_both_colours_and_the_same_pgn() {
    let mut pair = Pair::start(2, "");
    pair.play("f3 e5 g4 Qh4");
    pair.play("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7");
    assert_eq!(pair.left, [[None], [None]]);
    assert_eq!(pair.alerts, [Vec::<String>::new(), Vec::new()]);
    let [first, second] = pair.games() else { panic!("two games") };
    assert!(has(first, "[White \"Anna\"]\n[Black \"Boris\"]\n[Result \"0-1\"]"), "{first}");
    assert!(has(first, "[WhiteElo \"2000\"]") && has(first, "{0.100s, [%clk 0:01:00.900]}"), "{first}");
    assert!(second.contains("[White \"Boris\"]\n[Black \"Anna\"]\n[Result \"1-0\"]"), "{second}");
    assert!(second.ends_with("{White mates} 1-0\n\n"), "{second}");
}

#[test]
fn the_line_is_charged_to_nobody() {
    let mut pair = Pair::start(1, "");
    pair.play("e4 e5 Nf3");
    // Each move took 100 ms, and each letter two seconds.
    assert_eq!(pair.clocks(MASTER), [61_800, 60_900]);
    pair.now += Duration::from_hours(1);
    assert_eq!(pair.clocks(MASTER), [61_800, 60_900], "it is not Anna's turn");
    // Boris' interface has its clock.
    assert_eq!(pair.clocks(SLAVE), [61_800, 0]);
    pair.ends[SLAVE].tick(pair.now);
    pair.settle();
    assert!(has(&pair.games()[0], "{Black forfeits on time} 1-0"), "{}", pair.games()[0]);
}

#[test]
fn an_opening_is_played_with_both_colours() {
    let mut pair = Pair::start(2, "e4 e5 Ke2");
    pair.play("Qh4");
    pair.says(MASTER, PlayerEvent::Resignation);
    pair.settle();
    pair.says(SLAVE, PlayerEvent::Resignation);
    pair.settle();
    let games = pair.games();
    assert!(has(&games[0], "1. e4 {book} 1... e5 {book} 2. Ke2 {book} 2... Qh4 {0.100s"), "{}", games[0]);
    assert!(has(&games[0], "{White resigns} 0-1") && has(&games[1], "{White resigns} 0-1"));
}

#[test]
fn draws_are_agreed_declined_and_forgotten() {
    let mut pair = Pair::start(1, "");
    pair.play("e4");
    pair.says(SLAVE, PlayerEvent::DrawOffer);
    pair.settle();
    pair.says(MASTER, PlayerEvent::DrawRefusal);
    pair.settle();
    pair.play("e5 Nf3");
    assert!(pair.games().is_empty(), "declined");
    pair.says(MASTER, PlayerEvent::DrawOffer);
    pair.settle();
    pair.play("Nc6");
    pair.says(SLAVE, PlayerEvent::DrawOffer);
    pair.settle();
    assert!(pair.games().is_empty(), "the first offer ended with the move");
    pair.says(MASTER, PlayerEvent::DrawOffer);
    pair.settle();
    assert!(has(&pair.games()[0], "{Draw by agreement} 1/2-1/2"));
    assert!(pair.alerts.iter().all(Vec::is_empty));
}

#[test]
fn repetition_is_seen_by_both_ends() {
    let mut pair = Pair::start(1, "");
    pair.play("Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8");
    assert!(has(&pair.games()[0], "{Draw by repetition} 1/2-1/2"));
}

#[test]
fn each_fault_of_an_engine_ends_the_game_for_both() {
    let claim = |result: &str| PlayerEvent::Claim { result: result.into(), reason: "so it is".into() };
    for (end, event, expected) in [
        (MASTER, PlayerEvent::Move("Ke3".into()), "0-1"),
        (SLAVE, PlayerEvent::Move("e5".into()), "1-0"),
        (SLAVE, PlayerEvent::Fault(PlayerFault::Died("exit status: 1".into())), "1-0"),
        (SLAVE, claim("1-0"), "1-0"),
        (SLAVE, claim("0-1"), "*"),
        (SLAVE, claim("*"), "*"),
        (MASTER, claim("*"), "*"),
        (SLAVE, PlayerEvent::Complaint("Illegal move: e4".into()), "*"),
        (SLAVE, claim("1/2-1/2"), "*"),
    ] {
        let mut pair = Pair::start(1, "");
        let told = format!("{event:?}");
        pair.says(end, event);
        pair.settle();
        let pgn = &pair.games()[0];
        assert!(has(pgn, &format!("[Result \"{expected}\"]")), "{told}: {pgn}");
        let is_alarming = expected == "*";
        assert!(
            pair.alerts.iter().all(|alerts| alerts.is_empty() != is_alarming),
            "{told}: {:?}",
            pair.alerts
        );
        assert_eq!(pair.left, [[None], [None]], "{told}");
    }
}

#[test]
fn a_claim_before_the_move_that_makes_it_true_is_confirmed() {
    let mut pair = Pair::start(2, "f3 e5 g4");
    let claim = || PlayerEvent::Claim { result: "0-1".into(), reason: "Black mates".into() };
    pair.says(SLAVE, claim());
    pair.play("Qh4");
    assert!(has(&pair.games()[0], "{Black mates} 0-1"));
    // The other engine only claims.
    pair.says(MASTER, claim());
    pair.pass(1001);
    pair.ends[MASTER].tick(pair.now);
    pair.settle();
    assert!(has(&pair.games()[1], "[TerminationDetails \"Anna claims 0-1 {Black mates}\"]"));
}

#[test]
fn what_was_played_on_during_a_partition_is_taken_back() {
    let mut pair = Pair::start(1, "");
    pair.play("e4 e5 Nf3");
    // Boris moves, but nothing arrives; Anna's engine dies meanwhile.
    pair.pass(100);
    pair.says(SLAVE, PlayerEvent::Move("Nc6".into()));
    pair.says(MASTER, PlayerEvent::Fault(PlayerFault::Died("killed".into())));
    assert_eq!(pair.ends[SLAVE].game().map(LinkGame::ply), Some(4));
    pair.settle();
    let pgn = &pair.games()[0];
    assert!(has(pgn, "[PlyCount \"3\"]") && has(pgn, "{White abandons the game} 0-1"), "{pgn}");
}

#[test]
fn both_engines_end_the_game_at_the_same_time() {
    let mut pair = Pair::start(1, "");
    pair.play("e4");
    pair.says(SLAVE, PlayerEvent::Resignation);
    pair.says(MASTER, PlayerEvent::Fault(PlayerFault::Died("killed".into())));
    pair.settle();
    assert!(has(&pair.games()[0], "{White abandons the game} 0-1"), "the master's word counts");
}

#[test]
fn moves_out_of_turn_and_clocks_that_differ_are_told() {
    let mut pair = Pair::start(1, "");
    pair.hears(MASTER, played(1, "e4", 100, Some(60_000)));
    assert_eq!(pair.alerts[MASTER], ["ignored: e4 of Boris out of turn, as move 1 of the game"]);
    pair.settle();
    assert_eq!(
        pair.alerts[SLAVE],
        ["the other end: ignored: e4 of Boris out of turn, as move 1 of the game"]
    );
    pair.play("e4");
    pair.asked = [false; 2];
    pair.hears(MASTER, played(2, "e5", 100, Some(70_000)));
    assert!(pair.alerts[MASTER][1].starts_with("clocks run apart: Boris has 70s left"), "{:?}", pair.alerts);
    assert_eq!(pair.clocks(MASTER)[1], 70_000, "its owner's word counts");
    pair.play("Nf3");
    // Eleven seconds have passed, of which the other end counts a tenth of one.
    pair.pass(9000);
    pair.hears(MASTER, played(4, "Nc6", 100, Some(70_900)));
    let last = pair.alerts[MASTER].last().expect("an alert");
    assert!(last.contains("used 100ms by its own interface, but 11s have passed here"), "{last}");
}

#[test]
fn an_illegal_move_over_the_link_ends_the_game_without_a_result() {
    let mut pair = Pair::start(1, "");
    pair.play("e4");
    pair.ends[MASTER].hear(played(2, "Ke6", 0, None), pair.now);
    pair.settle();
    assert!(has(&pair.games()[0], "[Result \"*\"]") && pair.alerts.iter().all(|alerts| !alerts.is_empty()));
}

#[test]
fn a_verdict_that_cannot_be_confirmed_is_told_to_both_operators() {
    for (result, reason, is_fine) in [
        ("1-0", "White mates", false),
        ("1-0", "Black resigns", false),
        ("1/2-1/2", "Draw by agreement", false),
        ("1-0", "the stars say so", false),
        ("0-1", "White resigns", true),
        ("*", "the stars say so", true),
        ("1-0", "Black forfeits on time", false),
    ] {
        let mut pair = Pair::start(1, "");
        pair.play("e4");
        pair.hears(SLAVE, LinkMessage::End(verdict(1, result, reason)));
        assert_eq!(pair.alerts[SLAVE].is_empty(), is_fine, "{result} {reason}");
        assert!(has(&pair.games[SLAVE][0], &format!("[Result \"{result}\"]")));
        // The master does not believe everything, either.
        let mut pair = Pair::start(1, "");
        pair.play("e4");
        pair.ends[MASTER].hear(LinkMessage::Claim(verdict(1, result, reason)), pair.now);
        pair.settle();
        let is_own_loss = (result, reason) == ("1-0", "Black resigns")
            || (result, reason) == ("1-0", "Black forfeits on time")
            || result == "1-0" && reason.contains("stars");
        let expected = if is_own_loss { result } else { "*" };
        assert!(has(&pair.games()[0], &format!("[Result \"{expected}\"]")), "{result} {reason}");
    }
}

#[test]
fn an_interface_that_was_started_again_gets_the_next_game() {
    let mut pair = Pair::start(2, "");
    pair.play("e4");
    pair.ends[SLAVE] = boris();
    pair.letters = Default::default();
    pair.ends[MASTER].connected(&hello(LinkRole::Slave, "t"), true, pair.now);
    pair.ends[SLAVE].connected(&hello(LinkRole::Master, "m"), true, pair.now);
    pair.settle();
    assert!(has(&pair.games[MASTER][0], "\"the interface at the other end was started again\""));
    pair.play("f3 e5 g4 Qh4");
    assert_eq!(pair.games[SLAVE][..], pair.games[MASTER][1..]);
    assert_eq!(pair.left, [[None], [None]]);
}

#[test]
fn an_operator_ends_the_match_for_both() {
    for end in [MASTER, SLAVE] {
        let mut pair = Pair::start(5, "");
        pair.play("e4 e5");
        pair.ends[end].stop(STOPPED, pair.now);
        pair.settle();
        for other in [MASTER, SLAVE] {
            assert!(has(&pair.games[other][0], "[Result \"*\"]"));
            assert!(matches!(&pair.left[other][..], [Some(_)]), "{:?}", pair.left);
        }
    }
}

#[test]
fn the_clock_of_the_dialect_becomes_that_of_the_opponent() {
    let mut pair = Pair::start(1, "");
    pair.pass(500);
    pair.says(MASTER, PlayerEvent::Move("e4".into()));
    pair.says(MASTER, PlayerEvent::Clock(Duration::from_millis(60_500)));
    while let Some(message) = pair.letters[SLAVE].pop_front() {
        pair.ends[SLAVE].hear(message, pair.now);
    }
    let actions = pair.ends[SLAVE].actions();
    let clock = actions.iter().find_map(|action| match action {
        LinkAction::OpponentClock(left) => Some(*left),
        _ => None,
    });
    assert_eq!(clock, Some(Duration::from_millis(60_500)));
    assert!(pair.alerts[MASTER].is_empty());
    pair.says(MASTER, PlayerEvent::Clock(Duration::from_secs(10)));
    assert_eq!(pair.alerts[MASTER], ["Anna believes that it has 10s left; measured are 60.5s"]);
}

#[test]
fn thinking_is_told_to_both_operators() {
    let mut pair = Pair::start(1, "");
    let thinking = Thinking {
        depth: Some(9),
        score: Some(Score::Centipawns(31)),
        line: "e2e4 e7e5".into(),
        ..Thinking::default()
    };
    let arrival = || Arrival { at: pair.now, event: PlayerEvent::Thinking(thinking.clone()) };
    pair.ends[MASTER].engine_says(arrival());
    let actions = pair.ends[MASTER].actions();
    pair.ends[MASTER].engine_says(arrival());
    assert!(pair.ends[MASTER].actions().is_empty(), "the same is told once");
    let mut actions = actions.into_iter();
    let Some(LinkAction::Report(LinkReport::Thinking(text))) = actions.next() else { panic!("no report") };
    assert_eq!(text, "Anna thinks +0.31/9 e4 e5");
    let Some(LinkAction::Say(message)) = actions.next() else { panic!("nothing said") };
    pair.ends[SLAVE].hear(message, pair.now);
    assert!(matches!(
        &pair.ends[SLAVE].actions()[..],
        [LinkAction::Report(LinkReport::Thinking(there))] if *there == text
    ));
}

#[test]
fn a_move_that_crosses_a_claim_is_in_both_records() {
    for event in [
        PlayerEvent::Resignation,
        PlayerEvent::Fault(PlayerFault::Died("killed".into())),
        PlayerEvent::Claim { result: "*".into(), reason: "cannot go on".into() },
    ] {
        let mut pair = Pair::start(1, "");
        pair.play("e4 e5");
        // Anna's move is under way while Boris' engine ends the game.
        pair.says(MASTER, PlayerEvent::Move("Nf3".into()));
        pair.says(SLAVE, event);
        pair.settle();
        assert!(has(&pair.games()[0], "[PlyCount \"3\"]"), "{}", pair.games()[0]);
    }
}

#[test]
fn an_end_that_does_not_fit_the_moves_is_one_without_a_result() {
    for (ply, told) in [(9, "9 moves at the other end, 3 here"), (1, "ends after 1 move, within its opening")]
    {
        let mut pair = Pair::start(1, "e4 e5");
        pair.play("Nf3");
        pair.hears(SLAVE, LinkMessage::End(verdict(ply, "1-0", "Black resigns")));
        let pgn = &pair.games[SLAVE][0];
        assert!(has(pgn, told) && has(pgn, "[Termination \"unterminated\"]"), "{pgn}");
    }
}

#[test]
fn a_draw_offer_that_a_move_has_crossed_has_lapsed() {
    let mut pair = Pair::start(1, "");
    pair.play("e4 e5");
    pair.ends[MASTER].hear(LinkMessage::Draw { game: 1, ply: 1 }, pair.now);
    pair.says(MASTER, PlayerEvent::DrawOffer);
    pair.settle();
    assert!(pair.games().is_empty());
    pair.ends[MASTER].hear(LinkMessage::Draw { game: 1, ply: 2 }, pair.now);
    pair.settle();
    assert!(has(&pair.games()[0], "{Draw by agreement} 1/2-1/2"));
}

#[test]
fn a_message_that_cannot_be_read_ends_the_game_for_both() {
    for end in [MASTER, SLAVE] {
        let mut pair = Pair::start(1, "");
        pair.play("e4");
        pair.ends[end].not_understood("{", pair.now);
        pair.settle();
        assert!(
            has(&pair.games()[0], "[Result \"*\"]") && pair.alerts.iter().all(|alerts| !alerts.is_empty())
        );
        assert_eq!(pair.left, [[None], [None]]);
    }
}

#[test]
fn a_slave_whose_claim_gets_an_unreadable_answer_comes_to_an_end() {
    let mut pair = Pair::start(1, "");
    pair.play("e4");
    pair.says(SLAVE, PlayerEvent::Resignation);
    pair.ends[SLAVE].not_understood("{\"type\":\"end\"", pair.now);
    pair.act(SLAVE);
    assert!(has(&pair.games[SLAVE][0], "[Result \"*\"]"), "{}", pair.games[SLAVE][0]);
    assert!(matches!(&pair.left[SLAVE][..], [Some(reason)] if reason.contains("not understood")));
}

#[test]
fn clocks_that_run_apart_are_told_when_the_difference_doubles() {
    let mut pair = Pair::start(1, "");
    for left in [10_500, 10_400, 9_700, 1_000, 500] {
        pair.says(SLAVE, PlayerEvent::Clock(Duration::from_millis(60_000 - left)));
    }
    let told = |left| format!("Boris believes that it has {left} left; measured are 60s");
    assert_eq!(pair.alerts[SLAVE], [told("49.5s")]);
    pair.says(SLAVE, PlayerEvent::Clock(Duration::from_micros(38_000_400)));
    assert_eq!(pair.alerts[SLAVE], [told("49.5s"), told("38.001s")]);
}

#[test]
fn both_operators_are_told_the_time_control_in_words() {
    let mut end = boris();
    let terms = MatchTerms { control: "40/120:20/60".into(), ..plan(2, "").terms };
    end.hear(LinkMessage::Match(terms), Instant::now());
    let told = "the match: 2 games, 40 moves in 2 minutes, then 20 moves in 1 minute, again and again";
    let actions = end.actions();
    assert!(
        matches!(&actions[..], [LinkAction::Report(LinkReport::Event(text))] if text == told),
        "{actions:?}"
    );
}

#[test]
fn one_point_is_singular() {
    assert_eq!(
        [0, 1, 2, 3, 4].map(points_text),
        ["0 points", "0.5 points", "1 point", "1.5 points", "2 points"]
    );
}

#[test]
fn moves_out_of_turn_are_not_told_without_end() {
    let mut pair = Pair::start(1, "");
    for _ in 0..100 {
        pair.ends[MASTER].hear(played(999, "e5", u64::MAX, Some(u64::MAX)), pair.now);
    }
    pair.act(MASTER);
    assert_eq!(pair.alerts[MASTER].len(), 5);
}

#[test]
fn an_operator_is_not_flooded_with_notes() {
    let mut pair = Pair::start(1, "");
    for _ in 0..2 {
        for _ in 0..1000 {
            pair.ends[MASTER].hear(LinkMessage::Note { text: "look".into() }, pair.now);
        }
        pair.pass(1000);
    }
    pair.act(MASTER);
    assert_eq!(pair.alerts[MASTER].len(), 20);
}

#[test]
fn another_match_begins_without_points() {
    let mut pair = Pair::start(2, "");
    pair.play("f3 e5 g4 Qh4");
    pair.ends[MASTER] = anna(plan(1, ""));
    (pair.letters, pair.asked) = Default::default();
    pair.ends[MASTER].connected(&hello(LinkRole::Slave, "s"), true, pair.now);
    pair.ends[SLAVE].connected(&hello(LinkRole::Master, "n"), true, pair.now);
    pair.settle();
    pair.play("f3 e5 g4 Qh4");
    assert_eq!(pair.ends[SLAVE].points, 2);
    assert_eq!(pair.games[MASTER].last(), pair.games[SLAVE].last());
}

/// Number of actions of this kind that an end wants to be done.
fn count(end: &mut LinkMatch, is_meant: fn(&LinkAction) -> bool) -> usize {
    end.actions().iter().filter(|action| is_meant(action)).count()
}

#[test]
fn the_other_end_cannot_flood_an_engine_that_thinks() {
    let mut pair = Pair::start(1, "");
    pair.play("e4 e5");
    let at = pair.now;
    let anna = &mut pair.ends[MASTER];
    for _ in 0..1000 {
        anna.hear(LinkMessage::Draw { game: 1, ply: 2 }, at);
        anna.hear(LinkMessage::Decline { game: 1, ply: None }, at);
        anna.hear(LinkMessage::Time { game: 1, centiseconds: 100 }, at);
    }
    let is_for_engine = |action: &LinkAction| {
        matches!(action, LinkAction::OfferDraw | LinkAction::DeclineDraw | LinkAction::OpponentClock(_))
    };
    assert_eq!(count(anna, is_for_engine), 2, "the offer and the clock, once");
}

#[test]
fn a_refusal_is_passed_on_only_for_the_offer_that_stands() {
    let mut pair = Pair::start(1, "");
    pair.says(MASTER, PlayerEvent::DrawOffer);
    pair.play("e4");
    let is_refusal = |action: &LinkAction| matches!(action, LinkAction::DeclineDraw);
    let at = pair.now;
    for (ply, expected) in [(Some(1), 0), (Some(0), 1), (None, 0)] {
        pair.ends[MASTER].hear(LinkMessage::Decline { game: 1, ply }, at);
        assert_eq!(count(&mut pair.ends[MASTER], is_refusal), expected, "{ply:?}");
    }
}

#[test]
fn a_slave_that_is_stopped_writes_the_game_as_the_master_ends_it() {
    let mut pair = Pair::start(3, "");
    pair.play("e4 e5");
    // Anna's move is on its way.
    pair.says(MASTER, PlayerEvent::Move("Nf3".into()));
    pair.ends[SLAVE].stop(STOPPED, pair.now);
    pair.settle();
    assert!(has(&pair.games()[0], "[PlyCount \"3\"]"), "{}", pair.games()[0]);
    assert_eq!(pair.games().len(), 1, "no other game begins");
    assert!(pair.left.iter().all(|left| matches!(&left[..], [Some(reason)] if reason.contains(STOPPED))));
}

#[test]
fn a_slave_that_is_stopped_does_not_wait_for_ever() {
    for is_linked in [true, false] {
        let mut pair = Pair::start(1, "");
        if !is_linked {
            pair.ends[SLAVE].line_broken();
        }
        pair.ends[SLAVE].stop(STOPPED, pair.now);
        pair.act(SLAVE);
        assert_eq!(pair.left[SLAVE].is_empty(), is_linked);
        pair.pass(5000);
        pair.ends[SLAVE].tick(pair.now);
        pair.act(SLAVE);
        assert!(has(&pair.games[SLAVE][0], "[Result \"*\"]") && pair.left[SLAVE].len() == 1);
    }
}

#[test]
fn a_game_without_a_result_has_none_in_its_file_whatever_its_board_shows() {
    for (result, reason) in [("*", "because"), ("9-9", "x"), ("1-0", "White mates")] {
        let mut pair = Pair::start(1, "f3 e5 g4");
        // The slave, Black, has mated, but the master has not heard of it.
        pair.asked = [false; 2];
        pair.says(SLAVE, PlayerEvent::Move("Qh4".into()));
        pair.hears(SLAVE, LinkMessage::End(verdict(4, result, reason)));
        let result = if result == "9-9" { "*" } else { result };
        let pgn = &pair.games[SLAVE][0];
        assert!(has(pgn, &format!("[Result \"{result}\"]")) && pgn.trim_end().ends_with(result), "{pgn}");
        assert_eq!(has(pgn, "[Termination \"unterminated\"]"), result == "*", "{pgn}");
        assert!(pair.alerts[SLAVE][0].ends_with("not confirmed here"), "{:?}", pair.alerts);
    }
}

#[test]
fn time_that_is_stolen_bit_by_bit_is_told() {
    for (waiting, moves, told) in [(4000, 20, false), (7500, 2, true), (4900, 20, true)] {
        let mut pair = Pair::start(1, "");
        let knights =
            [["Nf3", "Nf6"], ["Nc3", "Nc6"], ["e4", "e5"], ["d4", "d5"], ["a3", "a6"], ["b3", "b6"]];
        let more =
            [["g3", "g6"], ["h3", "h6"], ["Bb2", "Bb7"], ["Bg2", "Bg7"], ["Qd3", "Qd6"], ["Rb1", "Rb8"]];
        let mut alerts = 0;
        for (number, [white, black]) in knights.into_iter().chain(more).take(moves).enumerate() {
            pair.asked = [false; 2];
            pair.says(MASTER, PlayerEvent::Move(white.into()));
            pair.pass(if told { waiting + 1000 } else { 900 });
            pair.hears(MASTER, played(2 * number as u32 + 2, black, 1, None));
            alerts = pair.alerts[MASTER].len();
        }
        assert_eq!(alerts > 0, told, "{waiting}: {:?}", pair.alerts);
        if moves == 2 {
            assert_eq!(alerts, 2, "the sum has doubled: {:?}", pair.alerts);
        }
    }
}

#[test]
fn an_engine_that_never_moves_is_told_now_and_then() {
    let mut pair = Pair::start(1, "");
    pair.play("e4");
    for _ in 0..400 {
        pair.pass(1000);
        pair.ends[MASTER].tick(pair.now);
        pair.act(MASTER);
    }
    let told = &pair.alerts[MASTER];
    assert!((3..=8).contains(&told.len()) && told[0].starts_with("Boris has used 6 s beyond"), "{told:?}");
    assert!(pair.left[MASTER].is_empty(), "only its own interface may claim that");
}

#[test]
fn a_message_that_is_due_is_not_awaited_for_ever() {
    // Neither end gets what the other one says.
    let mut pair = Pair::start(1, "f3 e5 g4");
    pair.asked = [false; 2];
    pair.says(SLAVE, PlayerEvent::Move("Qh4".into()));
    let mut lonely = anna(plan(1, ""));
    lonely.connected(&hello(LinkRole::Slave, "s"), true, pair.now);
    lonely.presented(Ok(()), pair.now);
    lonely.actions();
    for (mut end, word) in [(pair.ends.into_iter().nth(SLAVE).expect("two ends"), "end"), (lonely, "ready")] {
        end.tick(pair.now);
        end.tick(pair.now + PATIENCE);
        let reason = |action: &LinkAction| match action {
            LinkAction::Leave(Some(reason)) => Some(reason.clone()),
            _ => None,
        };
        assert_eq!(end.actions().iter().find_map(reason), None);
        end.tick(pair.now + PATIENCE + Duration::from_millis(1));
        let told = end.actions().iter().find_map(reason).expect("it leaves");
        assert_eq!(told, format!("no `{word}` from the other end for 300 s"));
    }
}

#[test]
fn a_match_that_ends_before_its_last_game_is_not_complete() {
    let mut pair = Pair::start(3, "");
    pair.play("e4");
    for end in [MASTER, SLAVE] {
        pair.hears(end, LinkMessage::Bye { reason: None });
        assert!(
            matches!(&pair.left[end][..], [Some(reason)] if reason.contains("before the end")),
            "{:?}",
            pair.left
        );
    }
}

#[test]
fn a_master_that_repeats_the_match_or_its_games_is_left() {
    let another = |number| GameTerms {
        game: number,
        white: LinkRole::Slave,
        fen: None,
        chess960: false,
        opening: Vec::new(),
        date: "2026.01.02".into(),
    };
    let messages =
        [LinkMessage::Match(plan(2, "").terms), LinkMessage::Game(another(2)), LinkMessage::Game(another(1))];
    for message in messages {
        let mut pair = Pair::start(2, "");
        for _ in 0..1000 {
            pair.ends[SLAVE].hear(message.clone(), pair.now);
        }
        pair.act(SLAVE);
        assert!(matches!(&pair.left[SLAVE][..], [Some(reason)] if reason.contains("breaks the protocol")));
        assert_eq!(pair.games[SLAVE].len(), 1);
    }
    // Beyond the last game.
    let mut pair = Pair::start(1, "f3 e5 g4");
    pair.ends[SLAVE].abandon_game("test", pair.now);
    pair.hears(SLAVE, LinkMessage::Game(another(2)));
    assert_eq!(
        pair.left[SLAVE],
        [Some("the master breaks the protocol: it begins game 2 of 1 after game 1".into())]
    );
}

#[test]
fn a_repeated_start_does_not_set_the_clock_again() {
    let mut pair = Pair::start(2, "f3");
    pair.pass(3000);
    pair.hears(SLAVE, LinkMessage::Start { game: 1 });
    assert_eq!(pair.clocks(SLAVE)[1], 57_000);
}
