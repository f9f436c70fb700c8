//! Games at the table between programs.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arena::{GameRecord, GameSetup, RealTime, Rules, Time, play, play_by};
use game::{DrawReason, Game, Outcome, WinReason};
use platform::Source;
use players::{Arrival, CommandLine, Departure, NewGame, Player, PlayerFault, Protocol, Spec, Turn};
use shakmaty::ByColor;

use Protocol::{Cecp, Cego, Uci};
use WinReason::{Abandoned, IllegalMove, RulesInfraction, TimeForfeit};

use super::black_wins;
use crate::built::start;
use crate::pair::{Pair, fixture, seat};

const ALL: [Protocol; 3] = [Cecp, Uci, Cego];
const DRAWN: Outcome = Outcome::Draw(DrawReason::Adjudication);

/// A game between two programs under their own time controls, drawn after 20 moves.
fn game(white: (&Spec, &str), black: (&Spec, &str)) -> GameRecord {
    let mut pair = Pair::start(white.0, black.0);
    pair.seats = ByColor { white, black }.map(|(spec, control)| seat(spec.protocol, control));
    let record = pair.play(Game::default(), false, 20);
    for player in pair.players {
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
            assert_eq!(record.outcome, Some(DRAWN), "{record:?}");
            let clocks = [&record.moves[38], &record.moves[39]].map(|m| m.remaining.is_some());
            let keeps = |control: &str| control != "-" && !control.starts_with("nodes");
            assert_eq!(clocks, [keeps(white_controls[n]), keeps(black_controls[n])], "{white:?} {black:?}");
        }
    }
}

/// Plays against a program that misbehaves, and checks the reason of its loss and the details.
fn loses(protocol: Protocol, fault: &str, (reason, detail): (WinReason, &str)) {
    let control = if reason == TimeForfeit { "0.5" } else { "60" };
    // Faults in the opponent's time need an opponent that takes some.
    let waits = ["out-of-turn", "exit-waiting"].contains(&fault);
    let opponent = fixture(Uci, if waits { "--fault hang --at 3" } else { "" });
    let record = game((&fixture(protocol, &format!("--fault {fault}")), control), (&opponent, "60"));
    assert_eq!(record.outcome, Some(black_wins(reason)), "{protocol:?} {fault}: {record:?}");
    assert!(record.detail.contains(detail), "{protocol:?} {fault}: {record:?}");
}

#[test]
fn a_program_that_misbehaves_loses_for_the_right_reason() {
    let late = (TimeForfeit, "");
    let breach = (RulesInfraction, "broke the protocol: ");
    let out_of_turn = (RulesInfraction, "move out of turn: ");
    let gibberish = (IllegalMove, "move `castles`");
    let cases = [
        ("half-line", [late; 3]),
        ("hang", [late; 3]),
        ("flood", [late, late, breach]),
        ("endless-line", [late, late, breach]),
        ("illegal-move", [(IllegalMove, "move `a1a8`"); 3]),
        ("gibberish", [gibberish, gibberish, breach]),
        ("two-moves", [out_of_turn, out_of_turn, breach]),
        ("out-of-turn", [out_of_turn, out_of_turn, breach]),
        ("exit-thinking", [(Abandoned, "ended unexpectedly (exit status: 3)"); 3]),
        ("exit-waiting", [(Abandoned, "ended unexpectedly (exit status: 0)"); 3]),
        ("close-output", [(Abandoned, "has closed its standard output"); 3]),
    ];
    for (fault, ends) in cases {
        for (protocol, end) in ALL.into_iter().zip(ends) {
            loses(protocol, fault, end);
        }
    }
    loses(Cecp, "wrong-claim", (RulesInfraction, "wrong claim: 1-0 {"));
    loses(Cecp, "refusal", (RulesInfraction, "refuses a legal order: "));
}

#[test]
fn noise_disturbs_only_a_protocol_that_forgives_nothing() {
    for fault in ["long-line", "noise", "standard-error", "talk"] {
        for protocol in ALL {
            let mut pair = Pair::start(&fixture(protocol, &format!("--fault {fault}")), &fixture(Uci, ""));
            let record = pair.play(Game::default(), false, 10);
            let is_breach = protocol == Cego && fault != "standard-error";
            let outcome = if is_breach { black_wins(RulesInfraction) } else { DRAWN };
            assert_eq!(record.outcome, Some(outcome), "{protocol:?} {fault}: {record:?}");
            let is_malformed = matches!(record.faults.white, Some(PlayerFault::Malformed(_)));
            assert_eq!(is_malformed, is_breach, "{protocol:?} {fault}: {record:?}");
        }
    }
}

#[test]
fn who_ignores_quit_is_killed() {
    for protocol in ALL {
        let mut pair = Pair::start(&fixture(protocol, "--fault ignore-quit"), &fixture(Uci, ""));
        let record = pair.play(Game::default(), false, 10);
        assert_eq!(record.outcome, Some(DRAWN), "{protocol:?}: {record:?}");
        assert!(pair.players.white.quit().killed, "{protocol:?}");
    }
}

#[test]
fn who_never_gets_ready() {
    let begin = |protocol, fault: &str, patience| -> Result<(), PlayerFault> {
        let patience = Duration::from_millis(patience);
        let spec = Spec { patience, ..fixture(protocol, &format!("--fault {fault}")) };
        let players = ByColor { white: players::start(&spec, None)?, black: start(&fixture(Uci, "")) };
        let seats = ByColor { white: seat(protocol, "60+1"), black: seat(Uci, "60+1") };
        let record = Pair { players, seats }.play(Game::default(), false, 2);
        if let Some(fault) = record.faults.white {
            return Err(fault);
        }
        assert_eq!(record.outcome, Some(DRAWN));
        Ok(())
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
    let mut other = start(&fixture(Cego, ""));
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
