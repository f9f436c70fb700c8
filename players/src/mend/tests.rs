//! Tests of the fronts with a scripted program.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::process::ExitStatus;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use game::{Move, Outcome, PlayedVariant, Score};
use messages::OptionKind;
use messages::cecp::OptionDefinition;
use platform::Source;

use super::player::Starter;
use super::program::Program;
use super::*;
use crate::{Arrival, CommandLine, Departure, NewGame, Player, PlayerEvent, PlayerFault, Thinking, Turn};

/// What a scripted program was told, and what it is going to say.
#[derive(Default)]
struct Script {
    told: Vec<String>,
    says: VecDeque<PlayerEvent>,
    starts: u32,
    /// Starts that are going to fail.
    failures: u32,
    /// It says the same for ever.
    floods: bool,
    has_analysed: bool,
}

struct ScriptedPlayer(Arc<Mutex<Script>>);

impl ScriptedPlayer {
    #[expect(clippy::unnecessary_wraps, reason = "most methods of a player end with it")]
    fn note(&self, text: String) -> Result<(), PlayerFault> {
        self.0.lock().unwrap().told.push(text);
        Ok(())
    }
}

fn moves_of(game: &game::Game) -> String {
    let moves: Vec<String> = game.moves().iter().map(|&mv| mv.to_uci(game.mode()).to_string()).collect();
    format!("{} {}", game.start_fen().split(' ').next().unwrap_or_default(), moves.join(" "))
}

impl Player for ScriptedPlayer {
    #[expect(clippy::unnecessary_literal_bound, reason = "players with a name lend theirs")]
    fn name(&self) -> &str {
        "Script"
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        self.note(format!("new {}", game.game.ply()))
    }

    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        let left = turn.clock.remaining(turn.game.turn(), turn.at).map(|left| left.as_secs());
        let control = turn.clock.control(turn.game.turn());
        self.note(format!("think {} {control} {left:?}", moves_of(turn.game)))
    }

    fn wait(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        self.note(format!("wait {}", turn.game.ply()))
    }

    fn move_now(&mut self) -> Result<(), PlayerFault> {
        self.note("move now".into())
    }

    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        self.note("draw".into())
    }

    fn call_off(&mut self, _reason: &str) -> Result<(), PlayerFault> {
        self.note("call off".into())
    }

    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault> {
        self.note(format!("end {}", outcome.result()))
    }

    fn take(&mut self) -> Option<Arrival> {
        let mut script = self.0.lock().unwrap();
        let event = match script.says.pop_front() {
            None if script.floods => PlayerEvent::Thinking(line("e7e5", 1)),
            said => said?,
        };
        Some(Arrival { at: Instant::now(), event })
    }

    fn source(&self) -> Option<Source<'_>> {
        None
    }

    fn quit(self: Box<Self>) -> Departure {
        Departure { status: None::<ExitStatus>, killed: false, resources: None }
    }
}

impl MendedPlayer for ScriptedPlayer {
    fn abilities(&self) -> Abilities {
        let kind = OptionKind::Spin { value: 1, min: 0, max: 9 };
        Abilities {
            analyses: true,
            agrees: true,
            rounds_up: true,
            restricts: true,
            memory: true,
            variants: ["chess", "chess960", "kingofthehill", "crazyhouse"]
                .map(|name| PlayedVariant::named(name).unwrap())
                .into(),
            options: vec![OptionDefinition { name: "Style".into(), kind, purpose: None }],
            ..Abilities::default()
        }
    }

    fn analyse(&mut self, game: &NewGame, roots: &[Move]) -> Result<(), PlayerFault> {
        self.0.lock().unwrap().has_analysed = true;
        self.note(format!("analyse {} {}", moves_of(&game.game), roots.len()))
    }

    fn wait_no_longer_than(&mut self, _until: Option<Instant>) {}

    fn has_analysed(&self) -> bool {
        self.0.lock().unwrap().has_analysed
    }

    fn set(&mut self, setting: &Setting) -> Result<(), PlayerFault> {
        self.note(format!("{setting:?}"))
    }
}

/// Where the front writes.
#[derive(Clone, Default)]
struct Paper(Arc<Mutex<Vec<u8>>>);

impl Write for Paper {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session between a scripted GUI and a scripted program.
struct Bench {
    session: MendSession,
    script: Arc<Mutex<Script>>,
    paper: Paper,
}

impl Bench {
    fn new(front: Protocol) -> Bench {
        let (script, paper) = (Arc::new(Mutex::new(Script::default())), Paper::default());
        let known = Arc::clone(&script);
        let starter: Starter = Arc::new(move |_| {
            let mut script = known.lock().unwrap();
            script.starts += 1;
            script.has_analysed = false;
            if script.starts > 1 && script.failures > 0 {
                script.failures -= 1;
                return Err(PlayerFault::Died("at once".into()));
            }
            Ok(Box::new(ScriptedPlayer(Arc::clone(&known))))
        });
        let command = CommandLine::from_words(["script".to_owned()]).unwrap();
        let program = Program::new(Spec::new(command, Protocol::Uci), starter);
        let output = FrontOutput::new(paper.clone(), None);
        Bench { session: MendSession { program, front: Some(front_of(front)), output }, script, paper }
    }

    /// Sends lines of the GUI, and returns what is written.
    fn send(&mut self, lines: &str) -> String {
        for line in lines.lines() {
            assert!(self.session.read(Instant::now(), &Input::Line(line.to_owned())).is_continue());
            self.session.listen();
        }
        self.written()
    }

    /// Lets the program say something, and returns what is written.
    fn say(&mut self, event: PlayerEvent) -> String {
        self.script.lock().unwrap().says.push_back(event);
        self.session.listen();
        self.written()
    }

    fn moves(&mut self, text: &str) -> String {
        self.say(PlayerEvent::Move(text.into()))
    }

    fn written(&mut self) -> String {
        let bytes = std::mem::take(&mut *self.paper.0.lock().unwrap());
        String::from_utf8(bytes).unwrap().trim_end().replace('\n', "|")
    }

    /// What the program was told since the last call.
    fn told(&mut self) -> String {
        std::mem::take(&mut self.script.lock().unwrap().told).join("|")
    }
}

fn cecp() -> Bench {
    let mut bench = Bench::new(Protocol::Cecp);
    bench.send("xboard\nnew\nlevel 0 5 0\npost\neasy");
    bench
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";

fn line(text: &str, depth: u32) -> Thinking {
    Thinking {
        depth: Some(depth),
        score: Some(Score::Centipawns(12)),
        nodes: Some(900),
        time: Some(Duration::ZERO),
        line: text.into(),
        ..Thinking::default()
    }
}

#[test]
fn a_game_under_cecp() {
    let mut bench = cecp();
    assert_eq!(bench.send("ping 7"), "pong 7");
    assert_eq!(bench.told(), "new 0", "it gets ready before its clock runs");
    assert_eq!(bench.send("time 12000\notim 12000\nusermove e2e4"), "");
    assert_eq!(bench.told(), format!("think {START} e2e4 300 Some(119)"));
    assert_eq!(bench.send("ping 8"), "", "it waits for the move");
    assert_eq!(bench.say(PlayerEvent::Thinking(line("1... e5 2. Nf3", 3))), "3 12 0 900\te5 Nf3");
    assert_eq!(bench.moves("e7-e5"), "move e7e5|pong 8");
    assert_eq!(bench.send("hint"), "Hint: g1f3");
    assert_eq!(bench.moves("g8f6"), "", "nobody has asked");
    assert_eq!(bench.send("nopost\nhard\nusermove e1e5"), "Illegal move (no such piece can go there): e1e5");
}

#[test]
fn illegal_moves_are_reported_at_once_in_force_mode() {
    let mut bench = cecp();
    assert_eq!(bench.send("force\nusermove e2e5"), "Illegal move (no such piece can go there): e2e5");
    // Not the one by which cutechess prepares a position.
    let kings = "setboard 4k3/8/8/8/8/8/8/4K3";
    assert_eq!(bench.send(&format!("{kings} w - - 0 1\nb2b3\n{kings} b - - 0 1")), "");
}

#[test]
fn what_was_asked_for_is_forgotten() {
    let mut bench = cecp();
    bench.send("usermove e2e4");
    bench.told();
    assert_eq!(bench.send("ping 1\nforce"), "pong 1");
    assert_eq!(bench.told(), "call off");
    assert_eq!(bench.moves("e7e5"), "");
    assert_eq!(bench.send("undo\nusermove d2d4\nundo\nremove"), "Error (command not legal now): remove");
    bench.send("edit\n#\nKe1\nPa7\nc\nKe8\n.\ngo");
    assert_eq!(bench.told(), "new 0|think 4k3/P7/8/8/8/8/8/4K3  300 Some(299)");
    assert_eq!(bench.moves("a7a8q"), "move a7a8q");
}

#[test]
fn a_program_that_makes_illegal_moves_is_asked_once_more() {
    let mut bench = cecp();
    bench.send("usermove e2e4");
    bench.told();
    let said = bench.moves("e2e4");
    assert_eq!(
        said,
        "# herald mend: the program makes the illegal move e2e4; it is started again and asked once more"
    );
    assert!(bench.told().starts_with("new 1|think"));
    let said = bench.moves("e8e1");
    assert_eq!(said, "tellusererror the program makes the illegal move e8e1|resign");
}

#[test]
fn a_program_that_dies_goes_on() {
    let mut bench = cecp();
    bench.send("memory 7\noption Style=3\nusermove e2e4");
    bench.told();
    let said = bench.say(PlayerEvent::Fault(PlayerFault::Died("signal: 9".into())));
    assert_eq!(said, "# herald mend: the program ended unexpectedly (signal: 9); it is started again");
    assert_eq!(bench.script.lock().unwrap().starts, 2);
    let told = bench.told();
    assert!(
        told.starts_with("Memory(7)|Option { name: \"Style\", value: Some(\"3\") }|new 1|think"),
        "{told}"
    );
    assert_eq!(bench.moves("e7e5"), "move e7e5");
    bench.send("usermove a2a3");
    for _ in 0..3 {
        bench.say(PlayerEvent::Fault(PlayerFault::Died("again".into())));
    }
    let said = bench.say(PlayerEvent::Fault(PlayerFault::Died("again".into())));
    assert_eq!(said, "tellusererror the program ended unexpectedly (again)|resign");
}

#[test]
fn only_true_claims_are_passed_on() {
    let mut bench = cecp();
    let claim = |result: &str| PlayerEvent::Claim { result: result.into(), reason: "so".into() };
    bench.send("usermove e2e4");
    bench.told();
    assert!(bench.say(claim("0-1")).contains("claims the wrong result 0-1"));
    bench.session.program.tick(Instant::now() + Duration::from_secs(2));
    assert!(bench.told().starts_with("new 1|think"), "it would not go on");
    bench.session.listen();
    assert!(bench.written().contains("plays no more after its claim; it is started again"));
    assert_eq!(bench.say(claim("1/2-1/2")), "", "it may hold after the move");
    assert_eq!(bench.moves("e7e5"), "move e7e5");
    bench.send("force\nsetboard 6k1/5ppp/8/8/8/8/8/R3K3 w - - 99 80\nlevel 0 5 0\ngo");
    bench.say(claim("1/2-1/2"));
    assert_eq!(bench.moves("e1e2"), "move e1e2|1/2-1/2 {so}");
}

#[test]
fn the_end_on_the_board_is_told() {
    let mut bench = cecp();
    bench.send("force\nusermove f2f3\nusermove e7e5\nusermove g2g4\ngo");
    assert_eq!(bench.moves("d8h4"), "move d8h4|0-1 {Black mates}");
    assert!(bench.told().ends_with("end 0-1"));
    assert_eq!(bench.send("go\nping 3"), "pong 3");
}

#[test]
fn limits_that_one_protocol_does_not_have_together() {
    let mut bench = cecp();
    bench.send("st 3\nsd 5\nusermove e2e4");
    assert!(bench.told().ends_with("depth=5 None"), "the depth is the program's, the time is kept here");
    assert!(bench.session.program.deadline().is_some());
    bench.say(PlayerEvent::Thinking(line("e7e5", 5)));
    assert_eq!(bench.say(PlayerEvent::Thinking(line("d7d5", 6))), "", "deeper than allowed");
    assert_eq!(bench.told(), "move now");
    bench.session.program.tick(Instant::now() + Duration::from_mins(1));
    bench.session.listen();
    let said = bench.written();
    assert!(said.ends_with("move e7e5"), "its best line counts: {said}");
}

#[test]
fn a_pause_stops_the_search_and_the_clock() {
    let mut bench = cecp();
    bench.send("usermove e2e4");
    bench.told();
    assert_eq!(bench.send("pause\nhint"), "Error (paused): hint");
    assert_eq!(bench.told(), "call off");
    assert_eq!(bench.moves("e7e5"), "");
    bench.send("resume");
    assert!(bench.told().starts_with("new 1|think"));
    bench.send("pause\nnew");
    assert_eq!(bench.send("ping 4"), "pong 4", "XBoard drops its pause in this way");
}

#[test]
fn nobody_ponders_in_a_pause_or_after_easy() {
    for word in ["pause", "easy"] {
        let mut bench = cecp();
        bench.send("hard\nusermove e2e4");
        bench.moves("e7e5");
        assert!(bench.told().ends_with("|wait 2"));
        bench.send(word);
        assert_eq!(bench.told(), "call off", "{word}");
    }
    let mut bench = cecp();
    bench.send("usermove e2e4\npause");
    assert_eq!(bench.send("ping 5"), "Error (paused): ping 5");
    bench.told();
    assert_eq!(bench.send("resume"), "");
    assert!(bench.told().starts_with("new 1|think"));
}

#[test]
fn a_variant_that_the_gui_does_not_know() {
    let mut bench = cecp();
    assert_eq!(bench.send("variant bughouse"), "Error (unknown variant): variant bughouse");
    let said = bench.send("variant kingofthehill\nforce");
    assert!(said.starts_with("setup (PNBRQKpnbrqk) 8x8+0_fairy "), "{said}");
    bench.send("setboard 7k/8/8/8/8/4K3/8/8 w - - 0 1\ngo");
    assert_eq!(bench.moves("e3e4"), "move e3e4", "the loser tells the result");
    bench.send("new\nvariant kingofthehill\nforce\nsetboard 7k/8/8/8/8/4K3/8/8 w - - 0 1\nplayother");
    assert!(bench.send("usermove e3e4").starts_with("1-0 {"));
}

#[test]
fn nodes_in_the_place_of_time() {
    let mut bench = cecp();
    bench.send("nps 100\nusermove e2e4");
    assert!(bench.told().ends_with("- None"), "the program can't count them");
    let after = |nodes| PlayerEvent::Thinking(Thinking { nodes: Some(nodes), ..line("e7e5", 2) });
    bench.say(after(1100));
    assert_eq!(bench.told(), "");
    bench.say(after(1300));
    assert_eq!(bench.told(), "move now", "a twenty-fifth of five minutes are twelve seconds");
    bench.moves("e7e5");
    bench.send("st 4\nusermove d2d4");
    bench.told();
    bench.say(after(500));
    assert_eq!(bench.told(), "move now");
    bench.moves("d7d5");
    assert_eq!(bench.send("nps 0"), "Error (processor time is not counted): nps 0");
    bench.send("usermove a2a3");
    assert!(bench.told().ends_with("4/move Some(4)"));
}

#[test]
fn an_offer_belongs_to_its_game() {
    let mut bench = cecp();
    bench.send("draw\nforce\nresult * {so}\nnew");
    bench.told();
    bench.send("usermove e2e4");
    assert!(!bench.told().contains("draw"));
}

#[test]
fn analysis_under_cecp() {
    let mut bench = cecp();
    bench.send("force\nanalyze");
    assert_eq!(bench.told(), format!("analyse {START}  0"));
    assert_eq!(bench.say(PlayerEvent::Thinking(line("e2e4", 2))), "2 12 0 900\te4");
    let status = bench.send(".");
    assert!(status.starts_with("stat01: ") && status.ends_with(" 900 2 0 20"), "{status}");
    bench.send("usermove e2e4");
    assert_eq!(bench.told(), format!("call off|analyse {START} e2e4 0"));
    assert_eq!(bench.say(PlayerEvent::Thinking(line("e2e4", 2))), "", "a line of the position before");
    bench.send("exclude all\ninclude e7e5\ninclude d7d5");
    assert!(bench.told().ends_with("e2e4 2"));
    assert_eq!(bench.session.program.deadline(), None, "no clock runs");
    assert_eq!(bench.send("exit\nusermove e7e5"), "");
    bench.send("go");
    assert_eq!(bench.script.lock().unwrap().starts, 2, "old programs don't play on rightly");
    bench.send("force\nsetboard 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\nanalyze");
    assert_eq!(bench.send("."), "stat01: 0 0 0 0 0", "GUIs stop asking otherwise");
}

#[test]
fn features_under_cecp() {
    let mut bench = Bench::new(Protocol::Cecp);
    let said = bench.send("xboard\nprotover 2");
    assert!(said.starts_with("feature done=0|feature ping=1 setboard=1") && said.ends_with("feature done=1"));
    assert!(said.contains("myname=\"Script\" variants=\"normal,fischerandom,kingofthehill,crazyhouse\""));
    assert!(said.contains("memory=1 smp=0") && said.contains("option=\"Style -spin 1 0 9\""));
    assert_eq!(bench.send("option Other=3"), "Error (unknown option): option Other=3");
    assert_eq!(bench.send("xyzzy 7"), "Error (unknown command): xyzzy 7");
    bench.send("new\nforce\nsetboard 8/8/8/8/8/8/8/8 w - - 0 1");
    assert!(bench.send("usermove e2e4\nping 1").contains("Illegal move (no legal position): e2e4|pong 1"));
}

#[test]
fn a_game_under_uci() {
    let mut bench = Bench::new(Protocol::Uci);
    let said = bench.send("uci");
    assert!(said.starts_with("id name Script|") && said.ends_with("|uciok"));
    assert!(said.contains("option name Style type spin default 1 min 0 max 9"));
    assert_eq!(bench.send("setoption name Hash value 32\nsetoption name style value 4\nisready"), "readyok");
    assert!(bench.told().starts_with("Memory(32)|Option { name: \"Style\""));
    bench.send("position startpos moves e2e4\ngo wtime 60000 btime 50000 winc 1000 binc 1000 movestogo 5");
    assert_eq!(bench.told(), format!("think {START} e2e4 5/50+1 Some(49)"));
    let said = bench.say(PlayerEvent::Thinking(line("e5 Nf3", 3)));
    assert_eq!(said, "info depth 3 multipv 1 score cp 12 nodes 900 time 0 pv e7e5 g1f3");
    assert_eq!(bench.moves("e5"), "bestmove e7e5 ponder g1f3");
    bench.send("position startpos moves e2e4 e7e5 g1f3\ngo movetime 500");
    assert!(bench.told().starts_with("think"), "one more move needs no new game");
    bench.say(PlayerEvent::Thinking(line("Nc6", 3)));
    assert_eq!(bench.send("stop"), "");
    assert_eq!(bench.moves("g8f6"), "bestmove g8f6");
    assert_eq!(bench.send("position fen 8/8 w\nxyzzy").matches("info string").count(), 2);
    assert!(bench.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\ngo depth 3").ends_with("bestmove 0000"));
}

#[test]
fn searches_without_an_end_under_uci() {
    let mut bench = Bench::new(Protocol::Uci);
    bench.send("uci\nposition startpos\ngo infinite");
    assert_eq!(bench.told(), format!("analyse {START}  0"));
    bench.say(PlayerEvent::Thinking(line("d2d4 d7d5", 3)));
    assert_eq!(bench.moves("d2d4"), "", "no answer before `stop`");
    assert_eq!(bench.send("stop"), "bestmove d2d4 ponder d7d5");
    bench.send("position fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1");
    assert!(bench.send("go infinite").starts_with("info depth 0 score"));
    assert_eq!(bench.send("stop"), "bestmove 0000");
    bench.send("position startpos");
    bench.told();
    bench.send("go ponder wtime 9000 btime 9000");
    assert_eq!(bench.told(), "", "the program knows nothing of it");
    assert_eq!(bench.send("ponderhit"), "");
    let told = bench.told();
    assert!(told.contains("new 0|think") && !told.contains("analyse"), "{told}");
    assert_eq!(bench.moves("e2e4"), "bestmove e2e4");
    bench.send("go movetime 300 searchmoves a2a3 b2b3");
    assert!(bench.told().ends_with(" 2"));
    assert!(bench.session.program.deadline().is_some());
    assert_eq!(bench.send("stop"), "bestmove a2a3");
    bench.send("go nodes 800");
    let said = bench.say(PlayerEvent::Thinking(line("c2c4", 2)));
    assert!(said.starts_with("info depth 2"));
    assert!(bench.told().ends_with("- None|move now"), "the program can't count nodes");
    assert!(bench.moves("z9").contains("info string herald mend: the program makes the illegal move z9"));
    let said = bench.moves("z9");
    assert!(said.contains("makes the illegal move z9") && said.ends_with("bestmove c2c4"), "{said}");
}

#[test]
fn variant_and_castling_are_options_of_their_own() {
    let mut bench = Bench::new(Protocol::Uci);
    bench.send("uci\nsetoption name UCI_Variant value crazyhouse\nsetoption name UCI_Chess960 value false");
    assert_eq!(bench.send("position fen 4k3/8/8/8/8/8/8/4K3[Nn] w - - 0 1"), "");
    bench.send("setoption name UCI_Chess960 value true\nsetoption name UCI_Variant value chess");
    bench.send("position fen 4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1\ngo movetime 100");
    assert_eq!(bench.moves("e1h1"), "bestmove e1h1");
}

#[test]
fn a_program_of_uci_may_be_slow() {
    let slow = r#"sh -c 'while read -r word; do case $word in uci) sleep 1.2; echo uciok;; isready) echo readyok;;
        quit) exit;; *) echo "Unknown command: $word";; esac; done'"#;
    let spec = Spec::new(slow.parse().unwrap(), Protocol::Uci);
    let started = super::player::starter(false, None)(&spec);
    assert!(started.is_ok(), "{}", started.err().unwrap());
}

/// What a session with a real program leads to, and what is written. The GUI stays unless it says `quit`.
fn serve(program: &str, patience: Duration, input: &str) -> (Result<(), MendError>, String) {
    let mut spec = Spec::new(program.parse().unwrap(), Protocol::Uci);
    spec.patience = patience;
    let (gui, mut keyboard) = io::pipe().unwrap();
    keyboard.write_all(input.as_bytes()).unwrap();
    let paper = Paper::default();
    let mend = Mend { spec, knows_protocol: false, front: None, program_log: None, gui_log: None };
    let served = mend.serve(gui, paper.clone(), &Arc::default());
    (served, String::from_utf8(paper.0.lock().unwrap().clone()).unwrap())
}

#[test]
fn the_gui_can_leave_while_the_program_is_tried() {
    let began = Instant::now();
    let (served, _) = serve("sleep 1000", Duration::from_mins(1), "uci\nisready\nquit\n");
    assert!(served.is_ok() && began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
}

#[test]
fn a_program_that_says_nothing_is_told() {
    let silent = "the program gave no answer to uci, protover or go in time";
    let (served, written) = serve("sleep 1000", Duration::from_millis(300), "uci\nisready\n");
    assert_eq!(served.unwrap_err().to_string(), silent);
    assert_eq!(written, format!("info string {silent}\n"));
    let (served, written) = serve("false", Duration::from_secs(10), "new\nusermove e2e4\n");
    assert!(served.unwrap_err().to_string().ends_with("ended unexpectedly (exit status: 1)"));
    assert!(written.starts_with("tellusererror the program ended unexpectedly"), "{written}");
}

#[test]
fn the_flag_of_a_silent_program_does_not_fall() {
    for (clock, flag) in [("st 1", 1000), ("level 0 5 0\ntime 500\notim 500", 5000)] {
        let mut bench = cecp();
        let began = Instant::now();
        bench.send(&format!("{clock}\nusermove e2e4"));
        let due = bench.session.program.deadline().unwrap();
        bench.session.program.tick(due);
        assert!(bench.told().ends_with("move now"));
        let last = bench.session.program.deadline().unwrap();
        assert!(last < began + Duration::from_millis(flag - flag / 60), "{clock}");
        bench.session.program.tick(last);
        bench.session.listen();
        assert_eq!(
            bench.written(),
            "# herald mend: the program is late: a legal move is made in its place|move a7a6"
        );
    }
}

#[test]
fn who_writes_without_end_keeps_nobody_waiting() {
    let mut bench = cecp();
    bench.send("st 1");
    bench.script.lock().unwrap().floods = true;
    let began = Instant::now();
    bench.send("usermove e2e4");
    for _ in 0..20 {
        assert!(!bench.session.listen(), "there is more");
    }
    assert!(began.elapsed() < Duration::from_millis(900), "{:?}", began.elapsed());
    assert!(bench.written().split('|').count() <= 1000, "a GUI has to read it all");
    bench.session.program.tick(began + Duration::from_secs(1));
    bench.session.program.tick(began + Duration::from_secs(1));
    bench.session.listen();
    assert!(bench.written().ends_with("move e7e5"));
}

#[test]
fn a_time_for_a_move_is_told_in_whole_seconds_and_kept_here() {
    for (time, millis) in [("0.3", 300), ("1.5", 1500)] {
        let mut bench = cecp();
        let began = Instant::now();
        bench.send(&format!("st {time}\nusermove e2e4"));
        let told = bench.told();
        assert!(told.ends_with(if millis < 1000 { "1/move Some(1)" } else { "2/move Some(2)" }), "{told}");
        let due = bench.session.program.deadline().unwrap();
        assert!(due < began + Duration::from_millis(millis), "{time}");
        bench.session.program.tick(due);
        assert_eq!(bench.told(), "move now");
    }
}

#[test]
fn who_refuses_a_position_is_started_again_and_replaced() {
    for (front, lines) in [
        (Protocol::Cecp, "xboard\nforce\nsetboard 4k3/8/8/8/8/8/8/R3K2R w - - 0 1\nst 2\ngo"),
        (Protocol::Uci, "uci\nposition fen 4k3/8/8/8/8/8/8/R3K2R w - - 0 1\ngo movetime 2000"),
    ] {
        let mut bench = Bench::new(front);
        bench.send(lines);
        let complaint = || PlayerEvent::Complaint("Illegal move: a1a2".into());
        assert!(
            bench
                .say(complaint())
                .ends_with("complains: Illegal move: a1a2; it is started again and asked once more")
        );
        assert_eq!(bench.script.lock().unwrap().starts, 2);
        let said = bench.say(complaint());
        assert!(said.ends_with("move a1b1"), "{said}");
    }
}
