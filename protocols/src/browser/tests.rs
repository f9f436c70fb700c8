//! Sessions as a page has them: commands in JSON, and the messages that come.

use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use engine::Settings;

use super::*;

/// Long, as machines may be busy.
const PATIENCE: Duration = Duration::from_secs(30);

struct Page {
    session: SessionHandle,
    messages: Receiver<BrowserMessage>,
}

impl Page {
    fn open() -> Page {
        let (sender, messages) = mpsc::channel();
        let listener = move |message| drop(sender.send(message));
        let session =
            start(&Settings::default(), GameLibrary::default().into(), listener).expect("an engine");
        Page { session, messages }
    }

    fn say(&self, command: &str) -> Result<(), String> {
        let (sender, answer) = mpsc::channel();
        let reply = Box::new(move |answer| drop(sender.send(answer)));
        self.session.command(serde_json::from_str(command).expect("a command"), reply);
        answer.recv_timeout(PATIENCE).expect("an answer")
    }

    fn load(&self, text: &str) -> Result<(), String> {
        let (sender, answer) = mpsc::channel();
        self.session.load(text.into(), Box::new(move |answer| drop(sender.send(answer))));
        answer.recv_timeout(PATIENCE).expect("an answer")
    }

    fn pgn(&self) -> String {
        let (sender, answer) = mpsc::channel();
        self.session.pgn(move |pgn| drop(sender.send(pgn)));
        answer.recv_timeout(PATIENCE).expect("PGN")
    }

    fn hear<T>(&self, mut wanted: impl FnMut(BrowserMessage) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).expect("a message");
            if let Some(found) = wanted(message) {
                return found;
            }
        }
    }

    fn state(&self, mut wanted: impl FnMut(&BrowserState) -> bool) -> BrowserState {
        self.hear(|message| match message {
            BrowserMessage::State(state) if wanted(&state) => Some(*state),
            _ => None,
        })
    }
}

fn is_persons_turn(state: &BrowserState) -> bool {
    state.play.as_ref().is_some_and(|play| !play.thinking)
}

#[test]
fn a_game_is_played_taken_back_and_resigned() {
    let page = Page::open();
    page.say(r#"{"command":"play","side":"white","control":"60+1","elo":1000}"#).unwrap();
    let state = page.state(|_| true);
    assert_eq!((state.mode, state.moves.len(), state.node), (BoardMode::Play, 20, 0));
    assert!(page.say(r#"{"command":"move","move":"e5"}"#).unwrap_err().contains("illegal"));
    page.say(r#"{"command":"move","move":"e2e4"}"#).unwrap();
    let state = page.state(|state| is_persons_turn(state) && state.node > 0);
    assert!(state.fen.contains(" w ") && !state.moves.is_empty(), "{}", state.fen);
    let play = state.play.unwrap();
    assert_eq!((play.person, play.running), (SideName::White, Some(SideName::White)));
    assert!(play.clocks[0].is_some_and(|left| left > 50_000));
    page.say(r#"{"command":"take_back"}"#).unwrap();
    assert_eq!(page.state(|_| true).node, 0);
    assert!(page.say(r#"{"command":"take_back"}"#).unwrap_err().contains("no move"));
    page.say(r#"{"command":"move","move":"d4"}"#).unwrap();
    page.state(|state| is_persons_turn(state) && state.node > 0);
    page.say(r#"{"command":"resign"}"#).unwrap();
    let state = page.state(|state| state.outcome.is_some());
    assert!(page.say(r#"{"command":"take_back"}"#).unwrap_err().contains("over"));
    assert_eq!(state.outcome.as_deref(), Some("0-1 {White resigns}"));
    let pgn = page.pgn();
    assert!(
        pgn.contains("[Black \"Herald") && pgn.contains("1000 Elo") && pgn.contains("[Result \"0-1\"]"),
        "{pgn}"
    );
    assert!(pgn.contains("1. d4 {[%clk ") && pgn.trim_end().ends_with("0-1"), "{pgn}");
    assert!(page.say(r#"{"command":"move","move":"d5"}"#).unwrap_err().contains("over"));
}

#[test]
fn a_move_taken_back_takes_its_time_and_increment_along() {
    let page = Page::open();
    page.say(r#"{"command":"play","side":"white","control":"60+10","elo":1000}"#).unwrap();
    let mut after = Vec::new();
    for text in ["a3", "b3", "h3"] {
        page.say(&format!(r#"{{"command":"move","move":"{text}"}}"#)).unwrap();
        let moves = 2 * (after.len() + 1);
        let state = page.state(|state| is_persons_turn(state) && state.node == moves);
        after.push(state.play.expect("a game").clocks);
    }
    page.say(r#"{"command":"take_back"}"#).unwrap();
    let state = page.state(|state| state.node == 4);
    let play = state.play.expect("a game");
    assert_eq!((play.clocks, play.running), (after[1], Some(SideName::White)));
    let known = page.pgn().replace('\n', " ");
    page.say(r#"{"command":"move","move":"g3"}"#).unwrap();
    page.state(|state| is_persons_turn(state) && state.node == 6);
    assert!(page.pgn().replace('\n', " ").contains(known.trim_end_matches([' ', '*'])), "the same [%clk]");
    for node in [4, 2, 0] {
        page.say(r#"{"command":"take_back"}"#).unwrap();
        page.state(|state| state.node == node);
    }
    page.say(r#"{"command":"lines","count":1}"#).unwrap();
    let play = page.state(|_| true).play.expect("a game");
    assert_eq!((play.clocks, play.running), ([Some(60_000); 2], None), "as at the beginning");
}

#[test]
fn a_person_s_flag_falls() {
    let page = Page::open();
    page.say(r#"{"command":"play","side":"black","control":"1.5","elo":1000}"#).unwrap();
    let state = page.state(|state| state.outcome.is_some());
    assert_eq!(state.outcome.as_deref(), Some("1-0 {Black forfeits on time}"));
    assert!(state.moves.is_empty() && state.play.is_some_and(|play| play.clocks[1] == Some(0)));
}

#[test]
fn hints_are_given_at_full_strength_and_cost_no_move() {
    let page = Page::open();
    let fen = "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1";
    page.say(&format!(r#"{{"command":"play","side":"white","control":"-","elo":1000,"fen":"{fen}"}}"#))
        .unwrap();
    page.say(r#"{"command":"hint"}"#).unwrap();
    let hint = page.hear(|message| if let BrowserMessage::Hint(hint) = message { Some(hint) } else { None });
    assert_eq!((hint.san.as_str(), hint.squares.as_str()), ("Ra8#", "a1a8"));
    page.say(r#"{"command":"move","move":"Ra8#"}"#).unwrap();
    assert_eq!(page.state(|state| state.outcome.is_some()).outcome.as_deref(), Some("1-0 {White mates}"));
}

#[test]
fn a_position_is_analysed_with_several_lines() {
    let page = Page::open();
    page.say(r#"{"command":"lines","count":3}"#).unwrap();
    page.say(r#"{"command":"analyse","on":true}"#).unwrap();
    let thinking = page.hear(|message| match message {
        BrowserMessage::Thinking(thinking) if thinking.lines.len() == 3 && thinking.depth > 5 => {
            Some(thinking)
        }
        _ => None,
    });
    assert_eq!(thinking.node, 0);
    let firsts: Vec<&str> = thinking.lines.iter().map(|line| line.moves[0].san.as_str()).collect();
    assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2], "{firsts:?}");
    page.say(r#"{"command":"move","move":"e4"}"#).unwrap();
    page.hear(|message| match message {
        BrowserMessage::Thinking(thinking) => {
            (thinking.node == 1 && !thinking.lines.is_empty()).then_some(())
        }
        _ => None,
    });
    page.say(r#"{"command":"analyse","on":false}"#).unwrap();
    assert!(page.say(r#"{"command":"lines","count":6}"#).is_err());
}

#[test]
fn a_game_is_loaded_looked_at_and_annotated() {
    let page = Page::open();
    page.load("[White \"<b>A</b>\"]\n[Black \"B\"]\n\n1. f3 e5 (1... d5 2. d4) 2. g4 Qh4# 0-1\n\n1. e4 *\n")
        .unwrap();
    let games =
        page.hear(|message| if let BrowserMessage::Games(games) = message { Some(games) } else { None });
    assert_eq!((games.headings.len(), games.open), (2, Some(0)));
    page.say(r#"{"command":"go","node":2}"#).unwrap();
    assert!(page.state(|state| state.node == 2).fen.contains(" w "));
    assert!(page.say(r#"{"command":"go","node":77}"#).unwrap_err().contains("no node"));
    page.say(r#"{"command":"annotate","on":true}"#).unwrap();
    page.state(|state| state.annotating.is_none());
    let pgn = page.pgn().replace('\n', " ");
    assert!(pgn.contains("2. g4 $4 {[%eval #-1,") && pgn.contains("1... e5 {[%eval"), "{pgn}");
    page.say(r#"{"command":"open","game":1}"#).unwrap();
    page.hear(|message| match message {
        BrowserMessage::Game(game) => (game.nodes.len() == 2).then_some(()),
        _ => None,
    });
    assert!(page.say(r#"{"command":"open","game":2}"#).is_err());
    assert!(page.load("nothing to see").is_err());
    page.say(r#"{"command":"go","node":1}"#).unwrap();
}

#[test]
fn games_of_variants_are_evaluated_but_not_judged() {
    let page = Page::open();
    page.load("[Variant \"Antichess\"]\n\n1. d4 e6 2. Bh6 Nxh6 *\n").unwrap();
    page.say(r#"{"command":"annotate","on":true}"#).unwrap();
    page.state(|state| state.annotating.is_some());
    page.state(|state| state.annotating.is_none());
    let pgn = page.pgn();
    assert!(pgn.contains("1. d4 {[%eval") && !pgn.contains(['$', '(']), "{pgn}");
}

#[test]
fn moves_that_can_t_be_played_are_told_and_kept() {
    let page = Page::open();
    page.load("1. e4 e5 (1... c5 2. -- d6 {plan}) 2. Nf3 Nc6 (2... d6 3. Ke4 {what}) *\n").unwrap();
    let notice = page
        .hear(|message| if let BrowserMessage::Notice(notice) = message { Some(notice.text) } else { None });
    assert!(notice.contains("2 variations, the first one from 2. -- on"), "{notice}");
    let pgn = page.pgn();
    assert!(pgn.contains("(1... c5 2. -- d6 {plan})") && pgn.contains("(2... d6 3. Ke4 {what})"), "{pgn}");
}

#[test]
fn positions_and_variants_are_set_up() {
    let page = Page::open();
    page.say(r#"{"command":"setup","variant":"crazyhouse","fen":"4k3/8/8/8/8/8/8/4K3[Q] w - - 0 1"}"#)
        .unwrap();
    let state = page.state(|_| true);
    let drop = state.moves.iter().find(|mv| mv.text == "Q@e7").expect("a drop");
    assert_eq!((drop.drop, drop.from.as_deref(), drop.to.as_str()), (Some('q'), None, "e7"));
    let refused = page.say(r#"{"command":"setup","fen":"8/8/8/8/8/8/8/8 w - - 0 1"}"#);
    assert!(refused.unwrap_err().contains("king"));
    page.say(r#"{"command":"setup","fen":"4k3/P7/8/8/8/8/8/4K2R w K - 0 1"}"#).unwrap();
    let state = page.state(|_| true);
    let castling = state.moves.iter().find(|mv| mv.text == "e1g1").expect("castling");
    assert_eq!((castling.from.as_deref(), castling.to.as_str()), (Some("e1"), "g1"));
    let promotions = state.moves.iter().filter(|mv| mv.to == "a8").map(|mv| mv.promotion);
    assert_eq!(promotions.flatten().collect::<String>().len(), 4);
}

#[test]
fn what_belongs_to_analysis_waits_for_the_end_of_the_game() {
    let page = Page::open();
    page.say(r#"{"command":"play","side":"white","control":"-"}"#).unwrap();
    for command in [
        r#"{"command":"go","node":0}"#,
        r#"{"command":"analyse","on":true}"#,
        r#"{"command":"annotate","on":true}"#,
        r#"{"command":"delete","node":0}"#,
    ] {
        assert!(page.say(command).is_err(), "{command}");
    }
    for command in [
        r#"{"command":"play","side":"white","control":"nonsense"}"#,
        r#"{"command":"play","side":"white","control":"0/move"}"#,
        r#"{"command":"play","side":"white","control":"-","elo":5}"#,
    ] {
        assert!(page.say(command).is_err(), "{command}");
    }
    page.say(r#"{"command":"explore"}"#).unwrap();
    assert_eq!(page.state(|_| true).mode, BoardMode::Play, "of the game's beginning");
    assert_eq!(page.state(|state| state.mode == BoardMode::Analyse).moves.len(), 20);
    for command in [
        r#"{"command":"resign"}"#,
        r#"{"command":"draw"}"#,
        r#"{"command":"take_back"}"#,
        r#"{"command":"move_now"}"#,
    ] {
        assert!(page.say(command).is_err(), "{command}");
    }
}

#[test]
fn sessions_end_with_their_handles() {
    let page = Page::open();
    page.say(r#"{"command":"analyse","on":true}"#).unwrap();
    drop(page.session);
    let until = Instant::now() + PATIENCE;
    while page.messages.recv_timeout(until.saturating_duration_since(Instant::now())).is_ok() {}
    assert!(Instant::now() < until, "the session's thread has ended");
}
