//! Games at the table between programs.

use std::cell::Cell;
use std::collections::VecDeque;
use std::path::Path;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arena::{Adjudication, GameRecord, GameSetup, RealTime, Rules, Seat, Time, play, play_by};
use game::{DrawReason, Game, Outcome, WinReason};
use platform::Source;
use players::{Arrival, CommandLine, Departure, NewGame, Player, PlayerFault, Protocol, Spec, Turn};
use shakmaty::ByColor;

use Protocol::{Cecp, Cego, Uci};
use WinReason::{Abandoned, IllegalMove, RulesInfraction, TimeForfeit};

use super::{black_wins, times};

/// The program that misbehaves, which cargo has built with the tests.
fn fixture(protocol: Protocol, arguments: &str) -> Spec {
    let tests = std::env::current_exe().expect("a path");
    let folder = tests.parent().and_then(Path::parent).expect("a target folder");
    let program = folder.join("examples/misbehaving-player");
    assert!(program.is_file(), "not built: cargo build --examples");
    let name = match protocol {
        Cecp => "cecp",
        Uci => "uci",
        Cego => "cego",
        Protocol::Autoplayer => "autoplayer",
    };
    let words = ["--protocol", name].into_iter().chain(arguments.split_whitespace());
    let words = std::iter::once(program.display().to_string()).chain(words.map(String::from));
    let command = CommandLine::from_words(words).expect("words");
    // Those that hang are not worth waiting for.
    Spec { grace: Duration::from_millis(200), ..Spec::new(command, protocol) }
}

fn seat(protocol: Protocol, control: &str) -> Seat {
    let control = control.parse().expect("a time control");
    let margin = Duration::from_millis(100);
    Seat {
        name: format!("{protocol:?}"),
        protocol: Some(protocol),
        control,
        margin,
        ponder: false,
        white_view: false,
    }
}

/// A game between two programs under their own time controls, drawn after 20 moves.
fn game(white: (&Spec, &str), black: (&Spec, &str)) -> GameRecord {
    let adjudication = Adjudication { longest: Some(times(20)), ..Adjudication::default() };
    let setup = GameSetup {
        game: Game::default(),
        seats: ByColor { white: seat(white.0.protocol, white.1), black: seat(black.0.protocol, black.1) },
        rules: Rules { patience: Duration::from_secs(2), adjudication, ..Rules::default() },
    };
    let mut players = ByColor { white: white.0, black: black.0 }
        .map(|spec| players::start(spec, None).expect("the program starts"));
    let ByColor { white, black } = &mut players;
    let record = play(&setup, ByColor { white: &mut **white, black: &mut **black }, &AtomicBool::new(false));
    for player in players {
        player.quit();
    }
    record
}

#[test]
fn programs_of_all_protocols_meet_each_under_its_own_time_control() {
    let controls = [
        (Cecp, ["60", "5/move", "40/60+1"]),
        (Uci, ["nodes=100", "-", "60+1"]),
        (Cego, ["60+1", "60", "10/60"]),
    ];
    for (n, (white, white_controls)) in controls.into_iter().enumerate() {
        for (black, black_controls) in controls {
            let record = game(
                (&fixture(white, "--seed 1"), white_controls[n]),
                (&fixture(black, "--seed 2"), black_controls[n]),
            );
            assert_eq!(record.outcome, Some(Outcome::Draw(DrawReason::Adjudication)), "{record:?}");
            let clocks = [&record.moves[38], &record.moves[39]].map(|m| m.remaining.is_some());
            let keeps = |control: &str| control != "-" && !control.starts_with("nodes");
            assert_eq!(clocks, [keeps(white_controls[n]), keeps(black_controls[n])], "{white:?} {black:?}");
        }
    }
}

#[test]
fn a_program_that_misbehaves_loses_for_the_right_reason() {
    let cases = [
        ("half-line", [TimeForfeit; 3]),
        ("hang", [TimeForfeit; 3]),
        ("flood", [TimeForfeit, TimeForfeit, RulesInfraction]),
        ("endless-line", [TimeForfeit, TimeForfeit, RulesInfraction]),
        ("illegal-move", [IllegalMove; 3]),
        ("gibberish", [IllegalMove, IllegalMove, RulesInfraction]),
        ("two-moves", [RulesInfraction; 3]),
        ("out-of-turn", [RulesInfraction; 3]),
        ("exit-thinking", [Abandoned; 3]),
        ("exit-waiting", [Abandoned; 3]),
        ("close-output", [Abandoned; 3]),
    ];
    for (fault, reasons) in cases {
        // Faults in the opponent's time need an opponent that takes some.
        let waits = ["out-of-turn", "exit-waiting"].contains(&fault);
        let opponent = fixture(Uci, if waits { "--fault hang --at 3" } else { "" });
        for (protocol, reason) in [Cecp, Uci, Cego].into_iter().zip(reasons) {
            let record = game((&fixture(protocol, &format!("--fault {fault}")), "0.5"), (&opponent, "60"));
            assert_eq!(record.outcome, Some(black_wins(reason)), "{protocol:?} {fault}: {record:?}");
        }
    }
    for (fault, protocol) in [("wrong-claim", Cecp), ("refusal", Cecp), ("noise", Cego)] {
        let record = game((&fixture(protocol, &format!("--fault {fault}")), "60"), (&fixture(Uci, ""), "60"));
        assert_eq!(record.outcome, Some(black_wins(RulesInfraction)), "{fault}: {record:?}");
    }
}

#[test]
fn a_program_without_a_clock_that_hangs_has_abandoned_the_game() {
    let record = game((&fixture(Uci, "--fault hang"), "nodes=1"), (&fixture(Cecp, ""), "60"));
    assert_eq!(record.outcome, Some(black_wins(Abandoned)), "{record:?}");
}

/// Time that stands still but for what the players are said to have thought.
#[derive(Clone)]
struct ScriptedTime(Rc<Cell<Instant>>);

impl Time for ScriptedTime {
    fn now(&self) -> Instant {
        self.0.get()
    }

    fn wait(&self, sources: &[Source<'_>], _until: Instant) {
        RealTime.wait(sources, Instant::now() + Duration::from_secs(1));
    }
}

/// A program whose answers are said to have taken so many seconds each, whatever they took.
struct Paced {
    program: Box<dyn Player>,
    time: ScriptedTime,
    seconds: VecDeque<u64>,
}

impl Player for Paced {
    fn name(&self) -> &str {
        self.program.name()
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        self.program.new_game(game)
    }

    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        self.program.think(turn)
    }

    fn wait(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        self.program.wait(turn)
    }

    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        self.program.offer_draw()
    }

    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault> {
        self.program.end_game(outcome)
    }

    fn take(&mut self) -> Option<Arrival> {
        let Arrival { at: _, event } = self.program.take()?;
        let seconds = self.seconds.pop_front().unwrap_or(0);
        self.time.0.set(self.time.now() + Duration::from_secs(seconds));
        Some(Arrival { at: self.time.now(), event })
    }

    fn source(&self) -> Option<Source<'_>> {
        self.program.source()
    }

    fn quit(self: Box<Self>) -> Departure {
        self.program.quit()
    }
}

/// The example at the end of the CEGO document, from the mediator's end: engine 1 thinks for five seconds, engine 2 for
/// three, then engine 1 forfeits. What each was told is compared byte for byte.
#[test]
fn the_example_of_the_cego_document() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = |name: &str, answers: &str, time: &ScriptedTime, seconds: &[u64]| {
        let told = folder.path().join(name);
        // Says `ready`, then keeps each line that it is told and gives the next answer.
        let script = format!(
            "echo ready; for answer in {answers}; do IFS= read -r line; printf '%s\\n' \"$line\" >>'{}'; \
            echo $answer; done; read -r line",
            told.display()
        );
        let command = CommandLine::from_words(["sh", "-c", &script].map(String::from)).expect("words");
        let program = players::start(&Spec::new(command, Cego), None).expect("the engine is ready");
        Paced { program, time: time.clone(), seconds: seconds.iter().copied().collect() }
    };
    let time = ScriptedTime(Rc::new(Cell::new(Instant::now())));
    let mut white = engine("1", "e2e4 forfeit", &time, &[5, 0]);
    let mut black = engine("2", "e7e5", &time, &[3]);
    let setup = GameSetup {
        game: Game::default(),
        seats: ByColor { white: seat(Cego, "30+1"), black: seat(Cego, "30+1") },
        rules: Rules::default(),
    };
    let players = ByColor { white: &mut white as &mut dyn Player, black: &mut black };
    let record = play_by(&time, &setup, players, &AtomicBool::new(false));
    assert_eq!(record.outcome, Some(black_wins(WinReason::Resignation)), "{record:?}");
    for player in [white, black] {
        let departure = Box::new(player).quit();
        assert!(departure.status.is_some_and(|status| !status.success()), "terminated by the mediator");
    }
    let told = |name| std::fs::read_to_string(folder.path().join(name)).expect("what it was told");
    assert_eq!(
        told("1"),
        "30000000000 1000000000 30000000000 1000000000 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n\
        26000000000 28000000000 e7e5\n"
    );
    assert_eq!(
        told("2"),
        "30000000000 1000000000 26000000000 1000000000 rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\n"
    );
}

#[test]
fn an_engine_that_never_gets_ready_is_not_waited_for() {
    let spec = Spec { patience: Duration::from_millis(200), ..fixture(Cego, "--fault never-ready") };
    let fault = players::start(&spec, None).err();
    assert!(matches!(fault, Some(PlayerFault::Silence(_))), "{fault:?}");
    // The next game needs a new process, and it is that one which keeps silent.
    let mut silent = super::refusing_with(fault.expect("a fault"));
    let mut other = players::start(&fixture(Cego, ""), None).expect("it starts");
    let setup = GameSetup {
        game: Game::default(),
        seats: ByColor { white: seat(Cego, "1"), black: seat(Cego, "1") },
        rules: Rules::default(),
    };
    let players = ByColor { white: &mut silent as &mut dyn Player, black: &mut *other };
    let record = play(&setup, players, &AtomicBool::new(false));
    assert_eq!(record.outcome, Some(black_wins(Abandoned)));
    assert!(matches!(record.faults, ByColor { white: Some(PlayerFault::Silence(_)), black: None }));
    other.quit();
}
