//! Tests of conversations with a person: with decisions made by the test, and whole games with the engine.

use std::time::{Duration, Instant};

use engine::Decision;
use game::Score;

use super::play::TerminalSession;
use super::serve;
use crate::host::Host;
use crate::scripted::{Paper, Scripted};
use game::diagram::DiagramStyle;

/// A conversation in which the test decides for the engine.
struct Talk {
    session: TerminalSession<'static>,
    paper: Paper,
    now: Instant,
}

impl Talk {
    fn new() -> Talk {
        let paper = Paper::default();
        let output = Box::leak(Box::new(paper.clone()));
        let session = TerminalSession::new(Host::silent().expect("an engine"), output, DiagramStyle::Ascii);
        Talk { session, paper, now: Instant::now() }
    }

    /// Types a line and returns what is shown.
    fn say(&mut self, line: &str) -> String {
        let _ = self.session.hear(line, self.now);
        self.paper.take()
    }

    /// Returns whether Herald has to move.
    fn is_asked(&self) -> bool {
        self.session.host.engine.is_thinking()
    }

    /// Plays Herald's move with this score.
    fn herald(&mut self, text: &str, centipawns: i32) -> String {
        assert!(self.is_asked());
        self.session.host.engine.abandon();
        let best = Some(self.session.game.parse_move(text).expect(text));
        let decision = Decision { best, ponder: None, score: Score::Centipawns(centipawns), depth: 1 };
        self.session.decided(&decision, self.now);
        self.paper.take()
    }
}

#[test]
fn moves_in_both_notations_and_herald_s_answer() {
    let mut talk = Talk::new();
    talk.say("e4");
    let shown = talk.herald("e5", 0);
    assert!(shown.starts_with("Herald plays 1... e5\n"), "{shown}");
    assert!(shown.contains(" 5  .  .  .  . (p) .  .  . "), "{shown}");
    talk.say("g1f3");
    assert!(talk.herald("Nc6", 0).starts_with("Herald plays 2... Nc6"));
}

#[test]
fn wrong_lines_get_one_line_that_helps() {
    let mut talk = Talk::new();
    for wrong in
        ["e5", "Ke2", "nonsense", "level strong", "new green", "setup hello", "pgn", "takeback", "move now"]
    {
        let shown = talk.say(wrong);
        assert_eq!(shown.lines().count(), 1, "{wrong}: {shown}");
        assert!(shown.ends_with(".\n"), "{wrong}: {shown}");
    }
    assert!(!talk.is_asked());
    assert_eq!(talk.say("   "), "");
}

#[test]
fn commands_are_read_whatever_their_capitals() {
    let mut talk = Talk::new();
    assert!(talk.say("  New  Black ").starts_with("A new game. You play Black."));
    assert_eq!(talk.say("MOVE NOW"), "");
    assert!(talk.say("setup 8/8/8/8/8/8/8/8 w - -").contains("kings"));
}

#[test]
fn what_is_no_command_is_taken_for_a_move() {
    for text in ["e4", "Nf3", "b2b4"] {
        let mut talk = Talk::new();
        talk.say(text);
        assert!(talk.is_asked(), "{text}");
    }
    for text in ["O-O", "nonsense"] {
        assert!(Talk::new().say(text).ends_with(". `help` shows what you can type.\n"), "{text}");
    }
}

#[test]
fn errors_say_what_to_type() {
    let mut talk = Talk::new();
    assert_eq!(
        talk.say("new green"),
        "`new` takes `white` or `black`, the side that you want to play, not `green`.\n"
    );
    assert_eq!(talk.say("pgn"), "`pgn` needs the name of a file, such as `pgn game.pgn`.\n");
}

#[test]
fn it_is_not_the_person_s_turn_while_herald_thinks() {
    let mut talk = Talk::new();
    talk.say("e4");
    assert_eq!(talk.say("d4"), "It is Herald's turn; `move now` makes it play at once.\n");
    assert_eq!(talk.say("move now"), "");
}

#[test]
fn takeback_goes_to_the_person_s_last_move() {
    let mut talk = Talk::new();
    talk.say("e4");
    talk.herald("e5", 0);
    talk.say("takeback");
    assert_eq!(talk.say("fen"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n");
    talk.say("d4");
    talk.say("takeback");
    assert!(!talk.is_asked(), "Herald still thinks about a move that was taken back");
    assert_eq!(talk.say("fen"), "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n");
}

#[test]
fn playing_black_turns_the_board_and_herald_begins() {
    let mut talk = Talk::new();
    talk.say("new black");
    let shown = talk.herald("e4", 0);
    let bottom = shown.lines().rfind(|line| line.starts_with("    ")).map(str::trim_end);
    assert_eq!(bottom, Some("    h  g  f  e  d  c  b  a"), "{shown}");
    assert!(talk.say("flip").contains("    a  b  c  d"));
}

#[test]
fn the_end_is_announced_in_plain_words() {
    let mut talk = Talk::new();
    talk.say("f3");
    talk.herald("e5", 0);
    talk.say("g4");
    let shown = talk.herald("Qh4", 0);
    assert!(shown.contains("0-1 {Black mates}: Herald wins."), "{shown}");
    assert!(talk.say("e4").starts_with("The game is over: Black mates."));
    assert!(talk.say("new").contains("You play White."));
    assert!(talk.say("resign").starts_with("0-1 {White resigns}: Herald wins."));
    assert!(talk.say("takeback").starts_with("You have made no move"));
}

#[test]
fn a_draw_by_repetition_is_offered_and_claimed() {
    let mut talk = Talk::new();
    let mut shown = String::new();
    for _ in 0..2 {
        talk.say("Nf3");
        talk.herald("Nf6", 50);
        talk.say("Ng1");
        shown = talk.herald("Ng8", 50);
    }
    assert!(shown.contains("You may claim a draw"), "{shown}");
    assert!(talk.say("draw").starts_with("1/2-1/2 {"));
}

#[test]
fn herald_claims_a_draw_when_it_is_not_better() {
    let mut talk = Talk::new();
    let dance = ["Nf3", "Nf6", "Ng1", "Ng8", "Nf3", "Nf6", "Ng1", "Ng8"];
    talk.say("e4");
    talk.herald("e5", -10);
    let mut shown = String::new();
    for moves in dance.chunks(2) {
        shown = talk.say(moves[0]);
        if !talk.is_asked() {
            break;
        }
        shown = talk.herald(moves[1], -10);
        if shown.contains("You may claim") {
            shown = talk.say("Nf3");
            break;
        }
    }
    assert!(shown.contains("1/2-1/2 {"), "{shown}");
}

#[test]
fn a_draw_offer_is_weighed() {
    let mut talk = Talk::new();
    assert!(talk.say("draw").starts_with("Herald declines"));
    talk.say("e4");
    talk.herald("e5", -200);
    assert!(talk.say("draw").starts_with("1/2-1/2 {"));
}

#[test]
fn a_score_is_taken_back_with_its_move() {
    let mut talk = Talk::new();
    talk.say("e4");
    talk.herald("e5", -200);
    talk.say("takeback");
    assert!(talk.say("draw").starts_with("Herald declines"));
}

#[test]
fn a_lone_king_does_not_win_on_time() {
    let mut talk = Talk::new();
    talk.say("level 5+0");
    talk.say("setup 8/8/8/4k3/8/8/4P3/4K3 w - - 0 1");
    talk.say("e3");
    talk.herald("Kd5", 0);
    talk.now += Duration::from_secs(6);
    let shown = talk.say("e4");
    assert!(shown.contains("1/2-1/2 {"), "{shown}");
}

#[test]
fn a_fallen_flag_ends_the_game_whatever_is_typed() {
    for line in ["go", "fen", "board", "hint", "draw", "resign", "move now", "d4", "d5", ""] {
        let mut talk = Talk::new();
        talk.say("level 6+0");
        talk.say("e4");
        talk.herald("e5", -50);
        talk.now += Duration::from_secs(6);
        talk.say("");
        assert_eq!(talk.say("level").matches("forfeits").count(), 0, "the last moment is in time");
        talk.now += Duration::from_millis(1);
        let shown = talk.say(line);
        assert!(shown.starts_with("0-1 {White forfeits on time}: Herald wins."), "{line}: {shown}");
        assert!(shown.matches("forfeits").count() == 1 && !talk.is_asked(), "{line}: {shown}");
        assert!(talk.say("d4").starts_with("The game is over: White forfeits on time."), "{line}");
        talk.say("takeback");
        talk.say("d4");
        assert!(talk.is_asked(), "{line}");
    }
}

#[test]
fn changing_sides_lets_herald_move() {
    let mut talk = Talk::new();
    assert!(talk.say("go").starts_with("You play Black now."));
    assert!(talk.herald("d4", 0).starts_with("Herald plays 1. d4"));
}

#[test]
fn positions_can_be_set_up() {
    let mut talk = Talk::new();
    let shown = talk.say("setup 6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1");
    assert!(shown.starts_with("A new game. You play White."), "{shown}");
    assert!(talk.say("Ra8").contains("1-0 {White mates}: you win."));
}

#[test]
fn games_are_saved_one_after_the_other() {
    let directory = std::env::temp_dir().join(format!("herald-terminal-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory for the test");
    let file = directory.join("games.pgn");
    let mut talk = Talk::new();
    talk.say("e4");
    talk.herald("e5", 0);
    let save = format!("pgn {}", file.display());
    std::fs::write(&file, "[Event \"older\"]\n\n*").expect("written");
    assert!(talk.say(&save).starts_with("Saved to "));
    talk.say("resign");
    assert!(talk.say(&save).starts_with("Saved to "));
    let saved = std::fs::read_to_string(&file).expect("the file is there");
    assert_eq!(saved.matches("1. e4 e5").count(), 2, "{saved}");
    assert_eq!(saved.matches("\n\n[Event ").count(), 2, "{saved}");
    assert!(saved.contains("[White \"Human\"]\n") && saved.contains("[Result \"0-1\"]"), "{saved}");
    assert!(saved.contains("[Date \"2") && saved.contains("[TimeControl \"1/move\"]"), "{saved}");
    std::fs::remove_dir_all(&directory).expect("the test's own directory");
    assert!(talk.say(&save).contains("can't be written"));
}

#[test]
fn levels_are_shown_and_chosen() {
    let mut talk = Talk::new();
    assert_eq!(talk.say("level"), "The level is 1 second a move (normal). `help` shows the others.\n");
    assert_eq!(
        talk.say("level 300+2"),
        "The level is 300 seconds for the game and 2 seconds a move from the next move on.\n"
    );
    assert!(talk.say("board").contains("White 5:00   Black 5:00"));
}

#[test]
fn clocks_run_and_the_flag_falls_before_time_is_added() {
    let mut talk = Talk::new();
    talk.say("level 2/60+5");
    talk.say("e4");
    talk.now += Duration::from_secs(10);
    assert!(talk.herald("e5", 0).contains("White 1:05   Black 0:55"));
    talk.now += Duration::from_secs(5);
    assert!(talk.say("board").contains("White 1:00   Black 0:55"));
    talk.say("d4");
    talk.now += Duration::from_secs(56);
    assert!(talk.herald("d5", 0).contains("1-0 {"));
}

#[test]
fn a_move_that_is_taken_back_takes_its_time_along() {
    let mut talk = Talk::new();
    talk.say("level 60+5");
    talk.say("e4");
    talk.now += Duration::from_secs(10);
    talk.herald("e5", 0);
    talk.now += Duration::from_secs(20);
    talk.say("d4");
    talk.now += Duration::from_secs(10);
    assert!(talk.herald("exd4", 0).contains("White 0:50   Black 0:50"));
    talk.now += Duration::from_secs(7);
    assert!(talk.say("takeback").contains("White 1:05   Black 0:55"));
    assert!(talk.say("takeback").contains("White 1:00   Black 1:00"));
    talk.now += Duration::from_secs(9);
    assert!(talk.say("board").contains("White 1:00   Black 1:00"), "it does not run before the first move");
}

#[test]
fn the_engine_plays_hints_and_is_left_at_any_time() {
    let session = Scripted::start(|host, output| serve(host, output, DiagramStyle::Ascii, |_, _| {}));
    session.say("level depth 1\ne4");
    session.hear("Herald plays 1... ");
    session.say("hint");
    session.hear("Hint: ");
    session.say("level time 1000\nd3\nmove now");
    session.hear("Herald plays 2... ");
    session.say("new black\nquit");
    assert_eq!(session.end().last().map(String::as_str), Some("Goodbye."));

    let mut session = Scripted::start(|host, output| serve(host, output, DiagramStyle::Ascii, |_, _| {}));
    session.say("level time 1000\ne4");
    session.close();
    session.end();
}
