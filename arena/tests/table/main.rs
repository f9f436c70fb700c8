//! Games at the referee's table: between scripted players, and in the modules between programs.

#[path = "../../../tests/support/built.rs"]
mod built;
mod games;
#[path = "../../../tests/support/installed.rs"]
mod installed;
mod pair;
mod peers;
mod programs;

use std::cell::{Cell, RefCell};
use std::num::NonZeroU32;
use std::process::Command;
use std::rc::Rc;
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use arena::simulated::{Occasion, Simulated, SimulatedTime};
use arena::{Adjudication, DrawByScore, DrawRule, GameRecord, GameSetup, Rules, Seat, Time, play_by};
use game::{CastlingMode, Color, DrawReason, Game, Outcome, PgnTags, WinReason};
use platform::Source;
use players::{PgnField, PgnFields, Player, PlayerEvent, PlayerFault, Protocol, Thinking};
use shakmaty::ByColor;

const SECOND: Duration = Duration::from_secs(1);

/// What a player does, written down: one entry a turn, and in each what it says, separated by `;`. A number of
/// milliseconds in front is how long it thinks before that. What is said after the move is said in the opponent's turn.
///
/// `e2e4`: a move; `draw`: an offer; `resign`; `1-0 …`: a claim; `!…`: a complaint; `dies`; `garbles`; `says N`: a score
/// in centipawns; nothing: silence.
fn said(script: &str) -> Vec<(Duration, PlayerEvent)> {
    script.split(';').map(str::trim).filter(|text| !text.is_empty()).map(one_thing).collect()
}

fn one_thing(text: &str) -> (Duration, PlayerEvent) {
    let (time, text) = match text.split_once("ms ") {
        Some((millis, rest)) => (Duration::from_millis(millis.parse().unwrap()), rest),
        None => (Duration::ZERO, text),
    };
    let event = match text.split_once(' ').unwrap_or((text, "")) {
        ("draw", _) => PlayerEvent::DrawOffer,
        ("resign", _) => PlayerEvent::Resignation,
        ("tells", text) => PlayerEvent::Remark(format!("tells {text}")),
        ("dies", _) => PlayerEvent::Fault(PlayerFault::Died("exit status: 1".to_owned())),
        ("garbles", _) => PlayerEvent::Fault(PlayerFault::Malformed("\"hello\"".to_owned())),
        ("says", value) => PlayerEvent::Thinking(Thinking {
            score: Some(game::Score::Centipawns(value.parse().unwrap())),
            depth: Some(9),
            line: "} {Nf3 ; <b>".to_owned(),
            ..Thinking::default()
        }),
        (result @ ("1-0" | "0-1" | "1/2-1/2" | "*"), reason) => {
            PlayerEvent::Claim { result: result.to_owned(), reason: reason.to_owned() }
        }
        _ => match text.strip_prefix('!') {
            Some(complaint) => PlayerEvent::Complaint(complaint.to_owned()),
            None => PlayerEvent::Move(text.to_owned()),
        },
    };
    (time, event)
}

/// A game between two scripts, and what else each player was told: draw offers and the outcome.
struct Played {
    record: GameRecord,
    told: ByColor<Vec<String>>,
}

struct Match {
    setup: GameSetup,
    time: SimulatedTime,
}

impl Match {
    fn new(control: &str) -> Match {
        let seat = |name: &str| Seat {
            name: name.to_owned(),
            protocol: None,
            control: control.parse().unwrap(),
            margin: Duration::ZERO,
            ponder: false,
            white_view: false,
        };
        let seats = ByColor { white: seat("Ann"), black: seat("Bob") };
        let setup = GameSetup { game: Game::default(), seats, rules: Rules::default() };
        Match { setup, time: SimulatedTime::default() }
    }

    fn from(fen: &str, control: &str) -> Match {
        let mut game = Match::new(control);
        game.setup.game = Game::from_fen(fen, CastlingMode::Standard).unwrap();
        game
    }

    fn rules(mut self, rules: Rules) -> Match {
        self.setup.rules = rules;
        self
    }

    fn play(&self, white: &[&str], black: &[&str]) -> Played {
        self.play_in(&self.time, white, black)
    }

    fn play_in(&self, time: &dyn Time, white: &[&str], black: &[&str]) -> Played {
        let told: ByColor<Rc<RefCell<Vec<String>>>> = ByColor::default();
        let player = |script: &[&str], told: &Rc<RefCell<Vec<String>>>| {
            let mut turns: std::vec::IntoIter<String> =
                script.iter().map(|&turn| turn.to_owned()).collect::<Vec<_>>().into_iter();
            let told = Rc::clone(told);
            Simulated::new("", self.time.clone(), move |occasion| match occasion {
                Occasion::Think(_) => said(&turns.next().unwrap_or_default()),
                Occasion::DrawOffer => {
                    told.borrow_mut().push("draw?".to_owned());
                    Vec::new()
                }
                Occasion::End(outcome) => {
                    told.borrow_mut().push(outcome.to_string());
                    Vec::new()
                }
                Occasion::NewGame(_) | Occasion::Wait(_) => Vec::new(),
            })
        };
        let mut white = player(white, &told.white);
        let mut black = player(black, &told.black);
        let players = ByColor { white: &mut white as &mut dyn Player, black: &mut black };
        let record = play_by(time, &self.setup, players, &AtomicBool::new(false));
        Played { record, told: told.map(|told| told.take()) }
    }

    /// How the game ends.
    fn outcome(&self, white: &[&str], black: &[&str]) -> Outcome {
        self.play(white, black).record.outcome.expect("an outcome")
    }
}

fn wins(winner: Color, reason: WinReason) -> Outcome {
    Outcome::Win { winner, reason }
}

fn white_wins(reason: WinReason) -> Outcome {
    wins(Color::White, reason)
}

fn black_wins(reason: WinReason) -> Outcome {
    wins(Color::Black, reason)
}

#[test]
fn a_game_is_played_to_mate() {
    let played = Match::new("10+1").play(&["1000ms f3", "2000ms g4"], &["500ms e5", "Qh4"]);
    assert_eq!(played.record.outcome, Some(black_wins(WinReason::Checkmate)));
    let used: Vec<_> =
        played.record.moves.iter().map(|m| (m.used.as_millis(), m.remaining.unwrap().as_millis())).collect();
    assert_eq!(used, [(1000, 10_000), (500, 10_500), (2000, 9000), (0, 11_500)]);
    assert_eq!(
        played.told,
        ByColor { white: vec!["Black mates".to_owned()], black: vec!["Black mates".to_owned()] }
    );
}

#[test]
fn what_a_player_does_wrong_ends_the_game() {
    use WinReason::{Abandoned, IllegalMove, Resignation, RulesInfraction, TimeForfeit};
    let game = Match::new("10");
    let cases = [
        (&["e2e5"][..], &[][..], black_wins(IllegalMove)),
        (&["\u{1b}[2J{{{"], &[], black_wins(IllegalMove)),
        (&["e4; d4"], &["1ms e5"], black_wins(RulesInfraction)),
        (&["e4"], &["e5; d5"], white_wins(RulesInfraction)),
        (&["10001ms e4"], &[], black_wins(TimeForfeit)),
        (&[""], &[], black_wins(TimeForfeit)),
        (&["e4"], &["resign"], white_wins(Resignation)),
        (&["e4; resign"], &["e5"], black_wins(Resignation)),
        (&["e4; dies"], &[""], black_wins(Abandoned)),
        (&["e4"], &["dies"], white_wins(Abandoned)),
        (&["garbles"], &[], black_wins(RulesInfraction)),
        (&["e4"], &["!Illegal move: e4"], white_wins(RulesInfraction)),
        (&["* {bye}"], &[], black_wins(Abandoned)),
        (&["0-1 {White resigns}"], &[], black_wins(Resignation)),
        (&["e4"], &["1-0"], white_wins(Resignation)),
        (&["1-0 {I win}"], &[], black_wins(RulesInfraction)),
        (&["1-0 {I win}; e4"], &[], black_wins(RulesInfraction)),
        (&["1/2-1/2 {Draw by repetition}; e4"], &[], black_wins(RulesInfraction)),
        (&["1/2-1/2; 1/2-1/2"], &[], black_wins(RulesInfraction)),
        (&["e4; 1-0"], &["e5"], black_wins(RulesInfraction)),
        (&["e4; 1/2-1/2"], &["e5"], black_wins(RulesInfraction)),
    ];
    for (white, black, expected) in cases {
        assert_eq!(game.outcome(white, black), expected, "{white:?} {black:?}");
    }
}

#[test]
fn an_announced_result_must_come_with_the_next_move_at_once() {
    let mate = ["f3", "g4"];
    let announced = Match::new("10").outcome(&mate, &["e5", "0-1 {Black mates}; 900ms Qh4"]);
    assert_eq!(announced, black_wins(WinReason::Checkmate));
    let late = Match::new("10").outcome(&mate, &["e5", "0-1 {Black mates}; 1100ms Qh4"]);
    assert_eq!(late, white_wins(WinReason::RulesInfraction));
}

#[test]
fn a_flag_falls_beyond_the_margin_and_costs_only_who_could_be_mated() {
    let mut game = Match::new("1+1");
    game.setup.seats.white.margin = Duration::from_millis(50);
    let mate = ["e5", "Qh4"];
    assert_eq!(game.outcome(&["1050ms f3", "g4"], &mate), black_wins(WinReason::Checkmate));
    assert_eq!(game.outcome(&["1051ms f3", "g4"], &mate), black_wins(WinReason::TimeForfeit));
    assert_eq!(
        game.outcome(&["f3", "g4"], &["1001ms e5"]),
        white_wins(WinReason::TimeForfeit),
        "Black has no margin"
    );

    let bare = Match::from("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "1");
    let drawn = Outcome::Draw(DrawReason::TimeoutVsInsufficient);
    assert_eq!(bare.outcome(&["1001ms e4"], &[]), drawn);
    assert_eq!(bare.outcome(&["e4"], &[""]), white_wins(WinReason::TimeForfeit));
}

/// A referee that has no processor for 20 ms in each turn, and wakes up so much later.
struct Lagging<'a>(&'a SimulatedTime, Cell<Duration>, Duration);

impl Time for Lagging<'_> {
    fn now(&self) -> Instant {
        self.0.now()
    }

    fn run_delay(&self) -> Option<Duration> {
        self.1.set(self.1.get() + Duration::from_millis(20));
        Some(self.1.get())
    }

    fn wait(&self, sources: &[Source<'_>], until: Instant) {
        self.0.wait(sources, until + self.2);
    }
}

#[test]
fn only_a_move_that_came_is_late_by_lag() {
    let play_both = |oversleeps: u64, white: &[&str], black: &str| {
        let game = Match::new("1");
        let lagging = Lagging(&game.time, Cell::default(), Duration::from_millis(oversleeps));
        let record = game.play_in(&lagging, white, &[black]).record;
        assert_eq!(record.outcome, Some(black_wins(WinReason::TimeForfeit)), "{white:?}");
        assert_eq!(record.lags().count(), record.moves.len() + 1, "the turn lost on time has a lag, too");
        (record.late, record.detail.starts_with("no move"))
    };
    let play = |second: &str| play_both(0, &["500ms f3", second], "e5");
    assert_eq!(play("510ms g4"), (true, false));
    assert_eq!(play("505ms says 3; 5ms g4"), (true, false), "talk is no answer");
    assert_eq!(play("530ms g4"), (false, true));
    assert_eq!(play("510ms says 3"), (false, true));
    assert_eq!(play("510ms resign"), (true, false));
    assert_eq!(play("510ms draw"), (false, true), "an offer is no move");
    assert_eq!(play(""), (false, true));
    // The lag of this turn counts as well where talk and move are read at once.
    assert_eq!(play_both(20, &["1010ms says 3; 0ms f3"], ""), (true, false));
    // While a fallen flag is awaited the other side cannot lose.
    assert_eq!(play_both(0, &["500ms f3", ""], "e5; 510ms resign"), (false, true));
}

/// A referee that is stopped once for so long, while it waits.
struct Stopped<'a>(&'a SimulatedTime, Cell<Duration>);

impl Time for Stopped<'_> {
    fn now(&self) -> Instant {
        self.0.now()
    }

    fn wait(&self, sources: &[Source<'_>], until: Instant) {
        self.0.wait(sources, until);
        // The players' moments are forgotten after a wait, so that this one passes over them.
        self.0.wait(sources, self.now() + self.1.take());
    }
}

#[test]
fn a_referee_that_was_stopped_charges_no_clock_for_it() {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let tell: fn(&str) = |text| TOLD.lock().unwrap().push(text.to_owned());
    let rules = Rules { tell: Some(tell), patience: 5 * SECOND, ..Rules::default() };
    let used = |control: &str, stopped: u64, white: &str| {
        let game = Match::new(control).rules(rules.clone());
        let time = Stopped(&game.time, Cell::new(Duration::from_millis(stopped)));
        let record = game.play_in(&time, &[white], &["resign"]).record;
        record.moves.first().map(|m| m.used.as_millis())
    };
    // The stop is in the first wait, of 100 ms.
    assert_eq!(used("1", 4000, "4300ms e4"), Some(200));
    assert_eq!(used("1", 4000, "5101ms e4"), None, "a second after it");
    assert_eq!(used("1", 250, "600ms e4"), Some(600), "it may have been busy");
    assert_eq!(used("nodes=100", 10_000, "14000ms e4"), Some(3900));
    let told = "this program did not run for 4.1 s; the clock of Ann is not charged for that";
    assert_eq!(*TOLD.lock().unwrap(), [told; 2]);
}

#[test]
fn a_side_without_a_clock_may_not_be_silent_for_ever() {
    let rules = Rules { patience: 5 * SECOND, ..Rules::default() };
    let mut game = Match::new("nodes=100").rules(rules);
    assert_eq!(game.outcome(&["4000ms e4"], &[""]), white_wins(WinReason::Abandoned));
    game.setup.seats.black.control = "100".parse().unwrap();
    let record = game.play(&["4000ms e4", "5001ms d4"], &["90000ms e5"]).record;
    assert_eq!(record.outcome, Some(black_wins(WinReason::Abandoned)));
    assert_eq!(record.faults.white, Some(PlayerFault::Silence("the request for a move")));
    assert_eq!(record.moves.iter().map(|m| m.remaining).collect::<Vec<_>>(), [None, Some(10 * SECOND)]);
}

/// Nobody has to wait for ever without a word.
#[test]
fn a_silent_side_is_named_after_a_minute() {
    static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let rules = Rules { tell: Some(|text| TOLD.lock().unwrap().push(text.to_owned())), ..Rules::default() };
    let play = |control: &str, white: &[&str], black: &[&str]| {
        TOLD.lock().unwrap().clear();
        Match::new(control).rules(rules.clone()).play(white, black);
        TOLD.lock().unwrap().clone()
    };
    let told = ["waiting for Bob, which has reported nothing for a minute"];
    assert_eq!(play("nodes=100", &["1000ms e4", "50000ms resign"], &["300000ms e5"]), told);
    assert_eq!(play("nodes=100", &["1000ms says 3; 300000ms e4"], &["resign"]), [""; 0]);
    assert_eq!(play("1000", &["300000ms e4"], &["resign"]), [""; 0]);
}

#[test]
fn draw_offers_go_with_the_move_and_stand_until_the_answer() {
    let agreed = Outcome::Draw(DrawReason::Agreement);
    let game = Match::new("10");
    let played = game.play(&["draw; e4"], &["draw"]);
    assert_eq!(played.record.outcome, Some(agreed));
    assert_eq!(played.told.black, ["draw?", "Draw by agreement"]);
    assert_eq!(played.told.white, ["Draw by agreement"]);
    // Offered in the opponent's time, and accepted by a claim.
    assert_eq!(game.outcome(&["e4; draw"], &["1000ms 1/2-1/2 {agreed}"]), agreed);
    // Declined by moving: the answer comes too late and is an offer of its own, which is declined, too.
    let played = game.play(&["draw; draw; e4", "d4"], &["e5; draw", "resign"]);
    assert_eq!(played.record.outcome, Some(white_wins(WinReason::Resignation)));
    assert_eq!(
        played.told,
        ByColor {
            white: vec!["draw?".to_owned(), "Black resigns".to_owned()],
            black: vec!["draw?".to_owned(), "Black resigns".to_owned()],
        }
    );
}

#[test]
fn what_is_said_to_persons_changes_nothing() {
    let played =
        Match::new("10").play(&["tells the opponent: hello; e4", "resign"], &["e5; tells all: done"]);
    assert_eq!(played.record.outcome, Some(black_wins(WinReason::Resignation)));
}

#[test]
fn repetitions_are_claimed_by_the_official_or_by_the_players() {
    let (white, black) = (["Nf3", "Ng1", "Nf3", "Ng1"], ["Nf6", "Ng8", "Nf6", "Ng8"]);
    let repetition = Outcome::Draw(DrawReason::Repetition);
    assert_eq!(Match::new("10").outcome(&white, &black), repetition);

    let fide = || Match::new("10").rules(Rules { draws: DrawRule::Automatic, ..Rules::default() });
    let on_and_on = [&white[..], &white, &["e4"]].concat();
    assert_eq!(
        fide().outcome(&on_and_on, &[&black[..], &black].concat()),
        Outcome::Draw(DrawReason::FivefoldRepetition)
    );
    let on_the_board = [&white[..], &["1/2-1/2 {repetition}"]].concat();
    assert_eq!(fide().outcome(&on_the_board, &black), repetition);
    assert_eq!(
        fide().outcome(&white, &["Nf6", "Ng8", "Nf6", "draw; Ng8"]),
        repetition,
        "CECP's claim by an offer"
    );
    assert_eq!(fide().outcome(&white, &["Nf6", "Ng8", "Nf6", "1/2-1/2; Ng8"]), repetition);
    let not_won = fide().outcome(&white, &["Nf6", "Ng8", "Nf6", "0-1; Ng8"]);
    assert_eq!(not_won, white_wins(WinReason::RulesInfraction));
}

#[test]
fn a_mediator_lets_the_side_to_move_mate_before_a_draw() {
    let fifty = Outcome::Draw(DrawReason::FiftyMoves);
    let mut game = Match::from("6k1/Q7/5K2/8/8/8/8/8 b - - 99 80", "10");
    assert_eq!(game.outcome(&["Qg7"], &["Kh8"]), fifty);
    game.setup.seats.black.protocol = Some(Protocol::Cego);
    assert_eq!(game.outcome(&["Qg7"], &["Kh8"]), white_wins(WinReason::Checkmate));
    assert_eq!(game.outcome(&["Qa6"], &["Kh8"]), fifty);
    let claimed = ["1/2-1/2 {fifty moves}"];
    assert_eq!(game.outcome(&claimed, &["Kh8"]), fifty, "who could mate may claim instead");
    assert_eq!(game.outcome(&["1ms Qg7"], &["Kh8; 1/2-1/2 {fifty moves}"]), white_wins(WinReason::Checkmate));
}

#[test]
fn a_lasting_agreement_of_the_scores_is_a_draw() {
    let draw = DrawByScore { from_move: 2, moves: NonZeroU32::MIN, within: 20 };
    let adjudication = Adjudication { draw: Some(draw), ..Adjudication::default() };
    let game = Match::new("10").rules(Rules { adjudication, ..Rules::default() });
    let record = game.play(&["says 0; e4", "says 20; Nf3"], &["says -3; e5", "says -20; Nc6"]).record;
    let ended = (record.outcome, record.moves.len());
    assert_eq!(ended, (Some(Outcome::Draw(DrawReason::Adjudication)), 4), "pawn moves do not count");
    assert_eq!(record.detail, "draw by score");
}

#[test]
fn other_programs_read_the_pgn_without_complaint() {
    let mut pgn = String::new();
    let mut game = Match::new("40/60:30+0.5");
    game.setup.seats.white.name = "<b>\"Evil\"</b>\u{1b}[31m {1-0} [Event \"x\"]\u{7} ; % \\".to_owned();
    game.setup.seats.black.name = "Bücherwurm".to_owned();
    let records = [
        game.play(&["says 31; e4", "f3"], &["draw; e5", "1/2-1/2 {} } ; [%clk]"]).record,
        game.play(&["\u{7}} 1-0 {"], &[]).record,
        Match::from("7k/8/8/8/8/8/6R1/K7 b - - 5 40", "depth=3").play(&["Rh2"], &["Kh7", "Kg6; dies"]).record,
        Match::from("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "1").play(&["1001ms e4"], &[]).record,
    ];
    for record in &records {
        pgn += &record.pgn(&PgnTags::default(), &PgnFields::default().with(PgnField::Variation));
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("games.pgn");
    std::fs::write(&file, pgn).unwrap();
    if let Some(extract) = installed::needed("pgn-extract") {
        let output = Command::new(extract).arg("-r").arg(&file).output().unwrap();
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && complaints.contains("4 games matched out of 4"), "{complaints}");
        assert_eq!(
            complaints.lines().count(),
            2 + records.len(),
            "more than the names of the games: {complaints}"
        );
    }
    let script = "import chess.pgn, sys\n\
        file = open(sys.argv[1], encoding='utf-8')\n\
        games = list(iter(lambda: chess.pgn.read_game(file), None))\n\
        assert not any(game.errors for game in games)\n\
        print([(sum(1 for _ in game.mainline()), game.headers['Result']) for game in games])";
    if let Some(python) = installed::needed("python3") {
        let output = Command::new(python).args(["-c", script]).arg(&file).output().unwrap();
        let complaints = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && complaints.is_empty(), "{complaints}");
        let seen = String::from_utf8_lossy(&output.stdout);
        assert_eq!(seen.trim(), "[(3, '1-0'), (0, '0-1'), (3, '1-0'), (0, '1/2-1/2')]");
    }
}

/// A player that refuses every game.
fn refusing_with(fault: PlayerFault) -> Simulated<impl FnMut(Occasion<'_>) -> Vec<(Duration, PlayerEvent)>> {
    Simulated::new("", SimulatedTime::default(), move |occasion| match occasion {
        Occasion::NewGame(_) => vec![(Duration::ZERO, PlayerEvent::Fault(fault.clone()))],
        _ => Vec::new(),
    })
}

#[test]
fn who_refuses_the_game_loses_it_unless_both_do() {
    let refusing = || refusing_with(PlayerFault::Unsupported("Chess960".to_owned()));
    let game = Match::new("10");
    let mut other = Simulated::new("", game.time.clone(), |_| Vec::new());
    let players = ByColor { white: &mut refusing() as &mut dyn Player, black: &mut other };
    let record = play_by(&game.time, &game.setup, players, &AtomicBool::new(false));
    assert_eq!(record.outcome, Some(black_wins(WinReason::Abandoned)));
    assert_eq!(record.detail, "cannot play Chess960");
    let players = ByColor { white: &mut refusing() as &mut dyn Player, black: &mut refusing() };
    let record = play_by(&game.time, &game.setup, players, &AtomicBool::new(false));
    assert_eq!(record.outcome, None);
    assert!(
        record
            .pgn(&PgnTags::default(), &PgnFields::default().with(PgnField::Variation))
            .ends_with("\n\n*\n\n")
    );
}

#[test]
fn a_game_is_called_off_without_an_outcome() {
    let game = Match::new("10");
    let mut players: ByColor<_> =
        ByColor::new_with(|_| Simulated::new("", game.time.clone(), |_| said("e4")));
    let ByColor { white, black } = &mut players;
    let record = play_by(&game.time, &game.setup, ByColor { white, black }, &AtomicBool::new(true));
    assert_eq!((record.outcome, record.detail.as_str()), (None, "called off"));
    assert!(
        record.pgn(&PgnTags::default(), &PgnFields::default()).contains("[Termination \"unterminated\"]")
    );
    assert_eq!(players.white.name(), "");
}

#[test]
fn an_opening_that_is_over_is_not_played() {
    let stalemate = Match::from("7k/5Q2/8/8/8/8/8/K7 b - - 0 1", "10");
    assert_eq!(stalemate.outcome(&[], &[]), Outcome::Draw(DrawReason::Stalemate));
}

#[test]
fn the_record_is_written_as_pgn() {
    let mut game = Match::new("40/60");
    game.setup.seats.white.name = "Ann {the} \"Great\"".to_owned();
    game.setup.game.play_line(["d2d4", "g8f6"]).unwrap();
    let played = game.play(&["says 31; 1234ms c4", "e2e5"], &["says -12; draw; 10ms e7e5"]);
    let record = played.record;
    let pgn = record.pgn(&PgnTags::default(), &PgnFields::default().with(PgnField::Variation));
    let (tags, moves) = pgn.split_once("\n\n").unwrap();
    for tag in [
        "[White \"Ann {the} \\\"Great\\\"\"]",
        "[TimeControl \"40/60\"]",
        "[PlyCount \"4\"]",
        "[Result \"0-1\"]",
        "[Termination \"rules infraction\"]",
        "[TerminationDetails \"illegal move `e2e5`: no such piece can go there\"]",
    ] {
        assert!(tags.contains(tag), "{tag} in {tags}");
    }
    let expected = "1. d4 {book} 1... Nf6 {book} 2. c4 {+0.31/9 1.234s, [%clk 0:00:58.766]} 2... e5 \
        {-0.12/9 0.010s, [%clk 0:00:59.990]} {White makes an illegal move} 0-1";
    assert_eq!(moves.split_whitespace().collect::<Vec<_>>().join(" "), expected);
}

#[test]
fn variations_are_shown_in_san_as_far_as_they_are_legal() {
    let game = Match::new("-");
    let mut white = Simulated::new("", game.time.clone(), |occasion| match occasion {
        Occasion::Think(_) => {
            let line = "1. e2e4 1... e5 2.Nf3 {oops} Nc6".to_owned();
            let thinking = PlayerEvent::Thinking(Thinking { line, nodes: Some(77), ..Thinking::default() });
            vec![(Duration::ZERO, thinking), (Duration::ZERO, PlayerEvent::Move("e4".to_owned()))]
        }
        _ => Vec::new(),
    });
    let mut black = Simulated::new("", game.time.clone(), |occasion| match occasion {
        Occasion::Think(_) => said("resign"),
        _ => Vec::new(),
    });
    let players = ByColor { white: &mut white as &mut dyn Player, black: &mut black };
    let record = play_by(&game.time, &game.setup, players, &AtomicBool::new(false));
    let pgn = record.pgn(&PgnTags::default(), &PgnFields::default().with(PgnField::Variation));
    assert!(pgn.contains("1. e4 {0.000s, n=77, pv e4 e5 Nf3}"), "{pgn}");
}
