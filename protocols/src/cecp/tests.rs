//! Conversations with a session, as a GUI has them.

use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::{Message, ThinkingLine, serve};
use crate::host::Host;

/// Long enough for a busy machine; only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// The GUI's end of the line.
struct Gui {
    to_engine: Option<Sender<Vec<u8>>>,
    from_engine: Receiver<String>,
    session: Option<JoinHandle<io::Result<()>>>,
    pings: i64,
}

struct ChannelReader(Receiver<Vec<u8>>, Vec<u8>);

impl Read for ChannelReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.1.is_empty() {
            match self.0.recv() {
                Ok(bytes) => self.1 = bytes,
                Err(_) => return Ok(0),
            }
        }
        let count = self.1.len().min(buffer.len());
        buffer[..count].copy_from_slice(&self.1[..count]);
        self.1.drain(..count);
        Ok(count)
    }
}

struct ChannelWriter(Sender<String>, Vec<u8>);

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.1.extend(bytes);
        Ok(bytes.len())
    }

    /// Only what was flushed arrives.
    fn flush(&mut self) -> io::Result<()> {
        let text = String::from_utf8(std::mem::take(&mut self.1)).map_err(io::Error::other)?;
        assert!(text.ends_with('\n'), "half a line: {text:?}");
        for line in text.lines() {
            self.0.send(line.to_owned()).map_err(|_| io::Error::from(io::ErrorKind::BrokenPipe))?;
        }
        Ok(())
    }
}

impl Gui {
    fn start() -> Gui {
        let (to_engine, input) = mpsc::channel();
        let (output, from_engine) = mpsc::channel();
        let session = std::thread::spawn(move || {
            let host = Host::start(ChannelReader(input, Vec::new()))?;
            serve(host, &mut ChannelWriter(output, Vec::new()))
        });
        let mut gui = Gui { to_engine: Some(to_engine), from_engine, session: Some(session), pings: 1000 };
        gui.send(&["xboard"]);
        gui
    }

    /// A session that plays Black in a new game and moves quickly.
    fn quick() -> Gui {
        let mut gui = Gui::start();
        gui.send(&["memory 20", "new", "sd 2"]);
        gui
    }

    /// As [`Gui::quick`], in force mode in this position.
    fn at(fen: &str) -> Gui {
        let mut gui = Gui::quick();
        gui.send(&["force", &format!("setboard {fen}")]);
        gui
    }

    fn send(&mut self, lines: &[&str]) {
        self.send_bytes((lines.join("\n") + "\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        self.to_engine.as_ref().unwrap().send(bytes.to_vec()).unwrap();
    }

    fn line(&mut self) -> String {
        self.from_engine.recv_timeout(PATIENCE).expect("the engine should have said something")
    }

    /// Waits for a line; none but thinking output may come before it.
    fn expect(&mut self, expected: &str) {
        let mut line = self.line();
        while ThinkingLine::parse(&line).is_some() {
            line = self.line();
        }
        assert_eq!(line, expected);
    }

    /// The engine's move, which must be the next thing it says.
    fn expect_move(&mut self) -> String {
        match Message::parse(&self.line()) {
            Message::Move(mv) => mv,
            other => panic!("expected a move, not {other:?}"),
        }
    }

    /// All that the engine says until it answers a ping.
    fn until_pong(&mut self) -> Vec<String> {
        self.pings += 1;
        let pong = format!("pong {}", self.pings);
        self.send(&[&format!("ping {}", self.pings)]);
        let mut lines = Vec::new();
        loop {
            match self.line() {
                line if line == pong => return lines,
                line => lines.push(line),
            }
        }
    }

    /// What the engine says to these lines.
    fn answers(&mut self, lines: &[&str]) -> Vec<String> {
        self.send(lines);
        self.until_pong()
    }

    fn expect_silence(&mut self, lines: &[&str]) {
        assert_eq!(self.answers(lines), Vec::<String>::new(), "after {lines:?}");
    }

    fn expect_answer(&mut self, line: &str, answer: &str) {
        assert_eq!(self.answers(&[line]), [answer], "to {line}");
    }

    /// Waits for the session's end.
    fn expect_end(mut self) {
        let start = Instant::now();
        let session = self.session.take().unwrap();
        while !session.is_finished() {
            assert!(start.elapsed() < PATIENCE, "the session should have ended");
            std::thread::sleep(Duration::from_millis(1));
        }
        session.join().unwrap().unwrap();
    }

    fn disconnect(mut self) {
        self.to_engine = None;
        self.expect_end();
    }
}

/// Starts a search that will not end by itself within any test.
fn long_think(gui: &mut Gui) {
    gui.send(&["new", "level 0 1000 0", "go"]);
}

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
        "nps=1",
        "memory=1",
        "smp=1",
        "debug=1",
        "reuse=1",
        "name=1",
        "ics=1",
        "sigint=0",
        "sigterm=0",
        "variants=\"normal,fischerandom,crazyhouse,3check,atomic,giveaway,antichess,kingofthehill,horde,\
         racingkings\"",
        "option=\"MultiPV -spin 1 1 256\"",
        "option=\"MoveOverhead -spin 10 0 5000\"",
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
        ("option MultiPV=x", "Error (bad number): option MultiPV=x"),
        ("option MultiPV", "Error (missing value): option MultiPV"),
        ("undo", "Error (command not legal now): undo"),
        ("remove", "Error (command not legal now): remove"),
        ("exclude e2e5", "Error (not a legal move here): exclude e2e5"),
        ("pause", "Error (unknown command): pause"),
    ] {
        gui.expect_answer(line, answer);
    }
    gui.disconnect();
}

#[test]
fn a_game_from_the_other_sides_first_move() {
    let mut gui = Gui::quick();
    gui.send(&["usermove e2e4"]);
    gui.expect_move();
    gui.send(&["d2d4"]);
    gui.expect_move();
    assert!(gui.answers(&["usermove Ng1f3"])[0].starts_with("move "));
    gui.disconnect();
}

#[test]
fn go_and_playother_choose_the_side() {
    let mut gui = Gui::quick();
    gui.send(&["go"]);
    gui.expect_move();
    gui.expect_silence(&["force", "new", "sd 2", "force", "usermove e2e4"]);
    gui.send(&["playother", "usermove e7e5"]);
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn a_ping_waits_for_the_move_and_only_for_that() {
    let mut gui = Gui::quick();
    gui.send(&["st 1", "sd 50", "go", "ping 1", "ping 2"]);
    gui.expect_move();
    gui.expect("pong 1");
    gui.expect("pong 2");
    gui.send(&["hard", "usermove e7e5", "?", "ping 3"]);
    // Whether the engine ponders or not, a ping must not wait for the opponent.
    gui.expect_move();
    gui.expect("pong 3");
    gui.expect_silence(&[]);
    gui.expect_silence(&["easy", "analyze"]);
    gui.disconnect();
}

#[test]
fn force_and_the_like_end_a_search_silently() {
    for command in
        ["force", "result 1-0 {White resigns}", "new", "setboard 8/8/8/4k3/8/8/4P3/4K3 b - - 0 1", "exit"]
    {
        let mut gui = Gui::start();
        long_think(&mut gui);
        if command.starts_with("setboard") {
            // White to move would be the engine's own turn again.
            gui.expect_silence(&[command]);
        } else if command == "exit" {
            gui.send(&["exit", "?"]);
            gui.expect_move();
        } else {
            gui.expect_silence(&[command]);
        }
        gui.disconnect();
    }
}

#[test]
fn pings_before_an_abort_are_answered_once() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&["ping 1", "ping 2", "force", "ping 3"]);
    for pong in ["pong 1", "pong 2", "pong 3"] {
        gui.expect(pong);
    }
    gui.expect_silence(&[]);
    gui.disconnect();
}

#[test]
fn settings_do_not_disturb_the_search_and_move_now_ends_it() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&[
        "time 100000",
        "otim 5",
        "post",
        "nopost",
        "easy",
        "hard",
        "easy",
        "cores 1",
        "option MultiPV=1",
        "hint",
    ]);
    gui.send(&["foo"]);
    let mut line = gui.line();
    while line.starts_with("Hint: ") || ThinkingLine::parse(&line).is_some() {
        line = gui.line();
    }
    assert_eq!(line, "Error (unknown command): foo");
    gui.send(&["?"]);
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn a_draw_is_accepted_with_the_move_if_there_is_nothing_to_win() {
    // A queen down; a queen up.
    let mut gui = Gui::at("4k3/8/8/8/8/8/q7/4K2R b - - 0 1");
    gui.send(&["usermove a2a3", "draw", "go"]);
    gui.expect("offer draw");
    gui.expect_move();
    let mut gui = Gui::at("4k3/8/8/8/8/8/8/Q3K2R w - - 0 1");
    gui.send(&["draw", "go"]);
    gui.expect_move();
    // The offer is gone with the move.
    gui.expect_silence(&["force"]);
    gui.disconnect();
}

#[test]
fn thinking_output_has_at_least_seven_numbers_and_a_line() {
    let mut gui = Gui::quick();
    gui.send(&["post", "sd 5", "go"]);
    let mut depths = Vec::new();
    loop {
        let line = gui.line();
        match Message::parse(&line) {
            Message::Thinking(thinking) => {
                assert!(thinking.tablebase_hits.is_some() && !thinking.text.is_empty(), "{line}");
                depths.push(thinking.depth);
            }
            Message::Move(_) => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(depths.iter().max(), Some(&5));
    gui.disconnect();
}

#[test]
fn mate_scores_are_written_as_the_specification_says() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["sd 4", "post", "go"]);
    let mut last = None;
    loop {
        match Message::parse(&gui.line()) {
            Message::Thinking(line) => last = Some(line.score),
            Message::Move(mv) => break assert_eq!(mv, "g1g7"),
            other => panic!("unexpected {other:?}"),
        }
    }
    assert_eq!(last, Some(search::Verdict::MateIn(1)));
    gui.expect("1-0 {White mates}");
    gui.expect_silence(&["setboard 7k/8/5K2/8/8/8/8/6Q1 w - - 0 1"]);
    gui.disconnect();
}

#[test]
fn the_opponents_mate_and_stalemate_are_announced() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["playother"]);
    gui.expect_answer("usermove g1g7", "1-0 {White mates}");
    let mut gui = Gui::at("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1");
    gui.send(&["playother"]);
    gui.expect_answer("usermove c1c7", "1/2-1/2 {Stalemate}");
    gui.disconnect();
}

#[test]
fn a_dead_position_is_announced_on_the_own_turn() {
    let mut gui = Gui::at("4k3/8/8/8/8/8/3p4/4K3 w - - 0 1");
    gui.send(&["playother"]);
    gui.expect_answer("usermove e1d2", "1/2-1/2 {Draw by insufficient material}");
    let mut gui = Gui::at("4k3/8/8/8/8/8/8/4K3 w - - 0 1");
    gui.expect_answer("go", "1/2-1/2 {Draw by insufficient material}");
    gui.disconnect();
}

#[test]
fn a_draw_by_the_own_move_is_offered_with_it() {
    // The king must take, and then nothing is left.
    let mut gui = Gui::at("7k/6R1/8/8/8/8/8/K7 b - - 0 1");
    gui.send(&["go"]);
    gui.expect("offer draw");
    gui.expect("move h8g7");
    gui.expect_silence(&[]);
    gui.disconnect();
}

const SHUFFLE: [&str; 4] = ["usermove g1f3", "usermove g8f6", "usermove f3g1", "usermove f6g8"];

#[test]
fn a_threefold_repetition_by_the_opponent_is_claimed() {
    let mut gui = Gui::quick();
    gui.send(&["force"]);
    gui.expect_silence(&SHUFFLE);
    gui.expect_silence(&SHUFFLE[..3]);
    // White has moved seven plies; the engine takes White, and Black repeats for the third time.
    gui.send(&["playother"]);
    gui.expect_answer("usermove f6g8", "1/2-1/2 {Draw by repetition}");
    gui.expect_silence(&["usermove e2e4"]);
    gui.disconnect();
}

#[test]
fn fifty_moves_are_claimed_after_the_opponents_move_but_not_on_go() {
    let fen = "4k3/8/8/8/8/8/R7/4K2r w - - 99 80";
    let mut gui = Gui::at(fen);
    gui.send(&["playother"]);
    gui.expect_answer("usermove e1d2", "1/2-1/2 {Draw by the fifty-move rule}");
    let mut gui = Gui::at("4k3/8/8/8/8/8/R7/4K3 w - - 100 80");
    gui.send(&["go"]);
    let first = gui.line();
    assert!(first.starts_with("move ") || first == "offer draw", "{first}");
    gui.disconnect();
}

#[test]
fn an_own_move_that_completes_fifty_moves_is_a_claim() {
    let mut gui = Gui::at("4k3/8/8/8/8/8/r7/4K3 w - - 99 80");
    gui.send(&["go"]);
    gui.expect("offer draw");
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn illegal_moves_change_nothing() {
    let mut gui = Gui::quick();
    gui.expect_answer("usermove e2e5", "Illegal move (no such piece can go there): e2e5");
    gui.expect_answer("usermove xyz", "Illegal move (unreadable): xyz");
    gui.expect_answer("@@@@", "Illegal move (unreadable): @@@@");
    gui.send(&["usermove e2e4"]);
    gui.expect_move();
    gui.disconnect();
}

#[test]
fn cutechess_may_prepare_blacks_turn_with_an_illegal_move() {
    let start = "setboard 4k3/8/8/8/8/8/4P3/4K3 b - - 0 1";
    let mut gui = Gui::at("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    gui.expect_silence(&["b2b3", start]);
    gui.send(&["b2b3", "edit", "."]);
    gui.expect_silence(&[]);
    // Any other line, a ping too, releases the report first.
    gui.send(&["b2b3", "ping 7"]);
    gui.expect("Illegal move (there is no piece to move): b2b3");
    gui.expect("pong 7");
    // Where it is legal, it is played.
    gui.expect_silence(&["new", "force", "b2b3", start, "usermove e8d8"]);
    gui.disconnect();
}

#[test]
fn an_illegal_position_is_refused_and_so_are_moves() {
    let fen = "8/8/8/8/8/8/8/8 w - - 0 1";
    let mut gui = Gui::quick();
    gui.expect_answer(
        &format!("setboard {fen}"),
        &format!("tellusererror Illegal position {fen} (white has 0 kings; expected one)"),
    );
    gui.expect_answer("usermove e2e4", "Illegal move (there is no legal position): e2e4");
    gui.expect_silence(&["go", "analyze", "hint", "force"]);
    gui.expect_answer("undo", "Error (command not legal now): undo");
    gui.send(&["new", "sd 2", "usermove e2e4"]);
    gui.expect_move();
    assert!(gui.answers(&["setboard nonsense"])[0].starts_with("tellusererror Illegal position nonsense ("));
    gui.disconnect();
}

#[test]
fn edit_sets_up_a_position_for_either_side() {
    let mut gui = Gui::quick();
    gui.expect_silence(&["force", "edit", "#", "Kg6", "Ra1", "c", "Kg8", "."]);
    gui.send(&["white", "go"]);
    gui.expect("move a1a8");
    gui.expect("1-0 {White mates}");
    gui.send(&["edit", "Zz9", "Kz9", "."]);
    gui.expect("Error (unknown command in edit mode): Zz9");
    gui.expect("Error (bad square in edit mode): Kz9");
    gui.disconnect();
}

#[test]
fn quit_is_obeyed_in_edit_mode() {
    let mut gui = Gui::quick();
    gui.send(&["edit", "quit"]);
    gui.expect_end();
}

#[test]
fn xboards_colour_dance_keeps_the_game() {
    let mut gui = Gui::quick();
    gui.expect_silence(&["force", "usermove e2e4", "usermove e7e5"]);
    gui.send(&["black", "time 100", "otim 100", "white", "go"]);
    gui.expect_move();
    // The history is still there.
    gui.expect_silence(&["force", "undo", "undo", "undo"]);
    gui.disconnect();
}

#[test]
fn a_position_on_the_engines_move_makes_it_think() {
    let mut gui = Gui::quick();
    gui.send(&["setboard 6k1/5ppp/8/8/8/8/r7/6K1 b - - 0 1"]);
    gui.expect_move();
    // The mode was kept, so it is the opponent's turn now.
    gui.expect_silence(&["setboard 6k1/5ppp/8/8/8/8/r7/6K1 w - - 0 1"]);
    gui.disconnect();
}

#[test]
fn a_time_per_move_is_kept_to_and_the_ponder_hit_starts_it() {
    let mut gui = Gui::start();
    gui.send(&["new", "hard", "st 0.3", "usermove e2e4"]);
    gui.expect_move();
    gui.send(&["hint"]);
    let hint = gui.line();
    let reply = hint.strip_prefix("Hint: ").expect("the engine ponders about a reply").to_owned();
    // Longer than the time for a move: pondering is not bound by it.
    std::thread::sleep(Duration::from_millis(500));
    gui.expect_silence(&[]);
    let start = Instant::now();
    gui.send(&[&format!("usermove {reply}")]);
    gui.expect_move();
    assert!(start.elapsed() < Duration::from_secs(5));
    gui.disconnect();
}

#[test]
fn undo_and_remove_take_back() {
    let mut gui = Gui::quick();
    gui.expect_silence(&[
        "force",
        "usermove e2e4",
        "undo",
        "usermove d2d4",
        "usermove d7d5",
        "remove",
        "usermove e2e4",
    ]);
    gui.expect_answer("remove", "Error (command not legal now): remove");
    gui.expect_silence(&["undo", "usermove c2c4"]);
    gui.disconnect();
}

#[test]
fn analysis_tells_its_status_and_never_moves() {
    let mut gui = Gui::start();
    gui.send(&["memory 20", "new", "force", "post", "analyze"]);
    assert!(ThinkingLine::parse(&gui.line()).is_some());
    gui.send(&["."]);
    let status = loop {
        if let Message::Status(status) = Message::parse(&gui.line()) {
            break status;
        }
    };
    assert_eq!(status.moves_total, 20);
    gui.send(&[
        "nopost",
        "usermove e2e4",
        "usermove e7e5",
        "undo",
        "new",
        "setboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1",
    ]);
    let quiet = |lines: Vec<String>| lines.iter().all(|line| ThinkingLine::parse(line).is_some());
    assert!(quiet(gui.until_pong()));
    // Stalemate: there is nothing to do but wait.
    gui.expect_answer(".", "stat01: 0 0 0 0 0");
    gui.expect_silence(&["exit", "usermove e2e4", "setboard 7k/5Q2/5K2/8/8/8/8/8 w - - 0 1"]);
    gui.disconnect();
}

#[test]
fn excluded_moves_are_not_searched() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["sd 20", "exclude g1g7", "post", "analyze"]);
    for _ in 0..3 {
        let line = ThinkingLine::parse(&gui.line()).unwrap();
        assert!(!line.text.starts_with("Qg7"), "{line}");
    }
    gui.send(&["nopost", "exclude all"]);
    gui.until_pong();
    gui.expect_answer(".", "stat01: 0 0 0 0 0");
    gui.send(&["include g1g7", "post"]);
    let mut line = gui.line();
    while ThinkingLine::parse(&line).is_none() {
        line = gui.line();
    }
    assert!(ThinkingLine::parse(&line).unwrap().text.starts_with("Qg7"), "{line}");
    gui.disconnect();
}

#[test]
fn a_hint_is_a_legal_move() {
    let mut gui = Gui::at("7k/8/5K2/8/8/8/8/6Q1 w - - 0 1");
    gui.send(&["hint"]);
    gui.expect("Hint: g1g7");
    gui.disconnect();
}

#[test]
fn pondering_neither_moves_nor_delays_a_pong() {
    let mut gui = Gui::quick();
    gui.send(&["hard", "sd 8", "usermove e2e4"]);
    gui.expect_move();
    gui.expect_silence(&["?"]);
    gui.send(&["hint"]);
    let hint = gui.line();
    let reply = hint.strip_prefix("Hint: ").expect("the engine ponders about a reply").to_owned();
    // The expected reply, and then, most of the time, an unexpected one.
    gui.send(&[&format!("usermove {reply}")]);
    gui.expect_move();
    gui.send(&["usermove a2a3"]);
    let answer = gui.line();
    assert!(answer.starts_with("move ") || answer.starts_with("Illegal move"), "{answer}");
    gui.disconnect();
}

#[test]
fn no_pondering_in_the_start_position() {
    let mut gui = Gui::quick();
    gui.send(&["hard", "new", "hint", "sd 1"]);
    // A search of its own, not one on the opponent's time, answers.
    assert!(gui.line().starts_with("Hint: "));
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
fn chess960_castles_with_letters() {
    let mut gui = Gui::quick();
    gui.send(&["variant fischerandom", "force", "setboard 4k3/8/8/8/8/8/8/RK6 w A - 0 1"]);
    gui.expect_silence(&["usermove O-O-O"]);
    gui.expect_silence(&["new", "force", "usermove e2e4"]);
    gui.disconnect();
}

#[test]
fn variants_are_played_by_their_rules() {
    let mut gui = Gui::quick();
    gui.send(&["variant crazyhouse", "force", "setboard 6rk/6pp/8/8/8/8/6PP/6K1[Nq] w - - 0 1"]);
    gui.expect_answer("usermove R@e4", "Illegal move (there is no such piece in hand): R@e4");
    gui.send(&["go"]);
    assert_eq!(gui.expect_move(), "N@f7");
    gui.expect("1-0 {White mates}");
    // A new position is one of the same variant.
    gui.send(&["force", "setboard 4k3/8/8/8/8/8/8/4K3 b - - 0 1"]);
    gui.expect_silence(&["usermove e8e7", "undo"]);
    // `new` is chess again.
    gui.send(&["new", "force", "usermove e2e4"]);
    gui.expect_answer("usermove P@e5", "Illegal move (there is no such piece in hand): P@e5");
    gui.disconnect();
}

#[test]
fn a_gui_is_told_of_variants_that_it_may_not_know() {
    let mut gui = Gui::quick();
    gui.expect_answer(
        "variant horde",
        "setup (PNBRQKpnbrqk) 8x8+0_fairy \
         rnbqkbnr/pppppppp/8/1PP2PP1/PPPPPPPP/PPPPPPPP/PPPPPPPP/PPPPPPPP w kq - 0 1",
    );
    gui.expect_silence(&["variant atomic", "force"]);
    gui.disconnect();
}

/// A GUI that does not know the rules would take the winner's word for a false claim.
#[test]
fn in_a_variant_the_loser_says_so() {
    let mut gui = Gui::quick();
    gui.send(&["variant kingofthehill", "force", "setboard 4k3/8/8/8/8/3K4/8/8 w - - 0 1", "go"]);
    assert!(gui.line().starts_with("setup "));
    assert!(["move d3d4", "move d3e4"].contains(&gui.line().as_str()));
    gui.expect_silence(&["time 100"]);
    gui.send(&["new", "variant kingofthehill", "sd 2", "force", "setboard 4k3/8/8/8/8/3K4/8/8 w - - 0 1"]);
    assert!(gui.line().starts_with("setup "));
    gui.send(&["usermove d3d4", "go"]);
    gui.expect("1-0 {White reaches the hill}");
    gui.disconnect();
}

#[test]
fn the_clock_runs_in_nodes_if_asked() {
    let mut gui = Gui::start();
    // 500 seconds of one node each.
    gui.send(&["new", "nps 1", "st 500", "post", "go"]);
    loop {
        match Message::parse(&gui.line()) {
            Message::Thinking(line) => assert!(line.nodes <= 500, "{line}"),
            Message::Move(_) => break,
            other => panic!("unexpected {other:?}"),
        }
    }
    gui.disconnect();
}

#[test]
fn the_end_of_the_input_and_quit_end_a_search() {
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.disconnect();
    let mut gui = Gui::start();
    long_think(&mut gui);
    gui.send(&["quit"]);
    gui.expect_end();
    let mut gui = Gui::start();
    gui.send(&["analyze", "quit", "quit"]);
    gui.expect_end();
}

#[test]
fn a_closed_output_ends_the_session_quietly() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let host = Host::start(&b"protover 2\n"[..]).unwrap();
    serve(host, &mut Closed).unwrap();
}

#[test]
fn long_lines_and_foreign_bytes_are_errors_and_nothing_more() {
    let mut gui = Gui::quick();
    let mut bytes = vec![b'x'; 1 << 20];
    bytes.extend(b"\nping 1\n\xFF\xFE\nname J\xFCrgen\nping 2\n");
    gui.send_bytes(&bytes);
    gui.expect(&format!("Error (line too long): {}", "x".repeat(40)));
    gui.expect("pong 1");
    gui.expect("Error (unknown command): \u{FFFD}\u{FFFD}");
    gui.expect("pong 2");
    gui.disconnect();
}

/// Lines that a confused GUI might send.
fn any_line() -> impl Strategy<Value = String> {
    let words = proptest::sample::select(vec![
        "new",
        "force",
        "go",
        "playother",
        "usermove",
        "e2e4",
        "e7e5",
        "Nf3",
        "draw",
        "edit",
        "#",
        "c",
        ".",
        "Ke1",
        "Pa8",
        "setboard",
        "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1",
        "white",
        "black",
        "result",
        "1-0",
        "undo",
        "remove",
        "analyze",
        "exit",
        "exclude",
        "include",
        "all",
        "hint",
        "random",
        "memory",
        "1",
        "cores",
        "easy",
        "hard",
        "post",
        "nopost",
        "option",
        "MultiPV=2",
        "level",
        "0",
        "0:01",
        "st",
        "sd",
        "3",
        "nps",
        "1000000",
        "time",
        "otim",
        "-7",
        "bk",
        "?",
        "variant",
        "fischerandom",
        "accepted",
        "debug",
        "protover",
        "\u{0}",
        "é",
    ]);
    prop_oneof![
        4 => words.clone().prop_map(str::to_owned),
        4 => (words.clone(), words).prop_map(|(a, b)| format!("{a} {b}")),
        1 => "\\PC{0,20}",
    ]
    // A big table would cost nothing but time.
    .prop_filter("no big memory, no end", |line| {
        !line.starts_with("quit") && !line.starts_with("memory 1000")
    })
}

#[test]
fn the_book_is_told_and_played() {
    let file = tempfile::Builder::new().suffix(".epd").tempfile().expect("a file");
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
    std::fs::write(&file, format!("{start} bm Na3 h4;\n{start} bm Na3;\n{start} sm Na3;\n"))
        .expect("written");
    let mut gui = Gui::start();
    let name = format!("option BookFile={}", file.path().display());
    gui.send(&["protover 2", "new", "force", &name]);
    while !gui.line().contains("done=1") {}
    gui.send(&["bk"]);
    assert_eq!([gui.line(), gui.line(), gui.line()], [" Na3 75%", " h4 25%", ""]);
    gui.send(&["option OwnBook=1", "exclude h2h4", "st 1000", "go"]);
    assert_eq!(gui.line(), "move b1a3");
    gui.send(&["force", "option OwnBook=2", "egtpath nalimov /x", "egtpath syzygy /no/tables"]);
    assert_eq!(gui.line(), "Error (expected 0 or 1): option OwnBook=2");
    assert_eq!(gui.line(), "Error (unknown kind of endgame tables): egtpath nalimov /x");
    assert!(gui.line().starts_with("Error (can't read `/no/tables`: "));
    gui.disconnect();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]
    #[test]
    fn a_session_survives_anything_and_still_answers(lines in proptest::collection::vec(any_line(), 1..60)) {
        let mut gui = Gui::start();
        gui.send(&["memory 17", "st 0"]);
        gui.send(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        gui.send(&[".", "force", "ping 42"]);
        while gui.line() != "pong 42" {}
        gui.expect_silence(&["result *"]);
        gui.disconnect();
    }
}
