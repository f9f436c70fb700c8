//! The game of a person against Herald.

use std::time::{Duration, Instant};

use engine::{Decision, Limits, NumberSetting, Purpose, SearchTask, SwitchSetting, TimeLimit};
use game::{
    Clock, Color, DrawReason, Game, Move, MoveTime, Outcome, ResultMarker, Score, TimeControl, WinReason,
};
use pages::PageStep;
use shakmaty::Position as _;
use std::sync::Arc;

use super::messages::{BrowserMessage, BrowserNotice, NewBrowserGame, PersonSide, PlayStatus};
use super::session::{BrowserSession, BrowserTask, position};
use super::tree::VariationTree;
use crate::agreements::Agreements;
use crate::today;

/// A game of a person against Herald.
pub(super) struct PersonGame {
    pub(super) person: Color,
    elo: Option<i64>,
    /// The clock. Both sides have the same time control.
    clock: Clock,
    /// The clock as it stood at the beginning of each turn of the game, and before the first one.
    turns: Vec<Clock>,
    agreements: Agreements,
    /// Herald's score of the position at its last move.
    last_score: Option<Score>,
}

/// Time for a move in a game without a clock, and for a hint.
const MOVE_TIME: Duration = Duration::from_secs(1);

impl PersonGame {
    pub(super) fn status(&self, game: &Game, at: Instant) -> PlayStatus {
        let millis = |color| self.clock.remaining(color, at).map(|left| left.as_millis() as u64);
        let is_over = game.outcome().is_some();
        let claim = game
            .claim()
            .filter(|_| game.turn() == self.person)
            .map(|reason| Outcome::Draw(reason).to_string());
        PlayStatus {
            person: self.person.into(),
            elo: self.elo,
            control: self.control().to_string(),
            clocks: [millis(Color::White), millis(Color::Black)],
            running: self.clock.turn().filter(|_| self.clock.is_running() && !is_over).map(Into::into),
            thinking: !is_over && game.turn() != self.person,
            claim,
        }
    }

    fn control(&self) -> &TimeControl {
        self.clock.control(self.person)
    }
}

/// Beginning and end.
impl BrowserSession {
    /// Starts a game.
    pub(super) fn begin(&mut self, new: &NewBrowserGame) -> Result<(), String> {
        let control: TimeControl = new.control.parse().map_err(|error| format!("{error}"))?;
        if matches!(control, TimeControl::PerMove(time) if time.is_zero()) {
            return Err("a move needs some time, more than 0 seconds".to_owned());
        }
        let game = position(new.variant, new.fen.as_deref())?;
        if let Some(elo) = new.elo {
            let range = NumberSetting::Elo.range();
            if !range.contains(&elo) {
                return Err(format!(
                    "a strength is between {} and {} Elo, not {elo}",
                    range.start(),
                    range.end()
                ));
            }
        }
        let person = match new.side {
            PersonSide::White => Color::White,
            PersonSide::Black => Color::Black,
            PersonSide::Random => Color::from_white(fastrand::bool()),
        };
        self.end_annotating();
        self.forget_task();
        self.analysis.is_on = false;
        self.engine.new_game();
        self.tree = VariationTree::new(game.clone());
        (self.at, self.game) = (0, game);
        let (agreements, last_score) = (Agreements::default(), None);
        let clock = Clock::new(control);
        let turns = vec![clock.clone()];
        self.play = Some(PersonGame { person, elo: new.elo, clock, turns, agreements, last_score });
        self.set_tags();
        self.tell_game();
        self.go_on();
        Ok(())
    }

    fn set_tags(&mut self) {
        let Some(play) = &self.play else { return };
        let version = concat!("Herald ", env!("CARGO_PKG_VERSION"));
        let herald = play.elo.map_or_else(|| version.to_owned(), |elo| format!("{version} at {elo} Elo"));
        let (white, black) =
            play.person.fold_wb(("Human".to_owned(), herald.clone()), (herald, "Human".to_owned()));
        let tags = [
            ("Event", "A game in the browser".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", today()),
            ("Round", "-".to_owned()),
            ("White", white),
            ("Black", black),
            ("Result", "*".to_owned()),
            ("TimeControl", play.control().to_string()),
        ];
        for (name, value) in tags {
            self.tree.set_tag(name, value);
        }
    }

    /// Ends the game against Herald, if there is one, and leaves its moves on the board.
    pub(super) fn explore(&mut self) {
        self.end_game();
        self.tell_game();
        self.board_changed();
    }

    pub(super) fn end_game(&mut self) {
        if self.play.take().is_some() {
            self.forget_task();
            // A declared outcome belongs to the game, not to the position.
            self.game = self.tree.game(self.at);
        }
    }

    /// Abandons what the engine does.
    pub(super) fn forget_task(&mut self) {
        self.engine.abandon();
        self.task = None;
    }

    /// Continues after a move: ends the game or gives the turn to the other side.
    fn go_on(&mut self) {
        let Some(play) = &self.play else { return };
        let is_heralds = self.game.turn() != play.person;
        let claims = is_heralds && play.last_score.is_none_or(|score| score <= Score::DRAW);
        let claim = self.game.claim().filter(|_| claims);
        if let Some(reason) = self.game.automatic_draw().or(claim) {
            self.game.declare(Outcome::Draw(reason));
        }
        if self.game.outcome().is_some() {
            self.finish_game();
        } else if is_heralds {
            self.think_to_move();
        }
    }

    /// Writes down how the game has ended.
    fn finish_game(&mut self) {
        let Some(outcome) = self.game.outcome() else { return };
        self.forget_task();
        if let Some(play) = &mut self.play {
            play.clock.stop(self.now);
        }
        self.tree.set_result(ResultMarker::of(outcome.result()).unwrap_or_default());
        self.tree.set_tag("Result", outcome.result().to_owned());
        self.tree.set_tag("Termination", outcome.termination().to_owned());
        self.tell_game();
    }

    fn declare(&mut self, outcome: Outcome) {
        self.game.declare(outcome);
        self.finish_game();
    }
}

/// Moves.
impl BrowserSession {
    /// The game against Herald that is in progress.
    fn playing(&mut self) -> Result<&mut PersonGame, String> {
        match &mut self.play {
            None => Err("no game against Herald is on the board".to_owned()),
            Some(_) if self.game.outcome().is_some() => Err("the game is over".to_owned()),
            Some(play) => Ok(play),
        }
    }

    /// Makes the person's move.
    pub(super) fn play_persons(&mut self, text: &str) -> Result<(), String> {
        let person = self.playing()?.person;
        if self.game.turn() != person {
            return Err("it is Herald's turn".to_owned());
        }
        let mv = self.game.parse_move(text).map_err(|error| error.to_string())?;
        self.forget_task();
        self.play_move(mv)
    }

    /// Plays a legal move on the board and on the clock.
    fn play_move(&mut self, mv: Move) -> Result<(), String> {
        let mover = self.game.turn();
        self.at = self.tree.play(self.at, &mut self.game, mv)?;
        if let Some(play) = &mut self.play {
            // The clock does not run before the first move, but the move is counted.
            let turn = play.clock.end_turn(self.now);
            let turn = turn.unwrap_or_else(|| play.clock.book_turn(mover, Duration::ZERO));
            play.turns.push(play.clock.clone());
            let has_clock = matches!(play.clock.control(mover), TimeControl::Clock(_));
            if let Some(left) = turn.remaining.filter(|_| has_clock) {
                self.tree.set_clock(self.at, left.as_secs_f64());
            }
            if has_clock && !turn.overrun.is_zero() {
                self.game.declare(time_out(&self.game, mover));
            }
            if self.game.outcome().is_none() {
                play.clock.start_turn(self.game.turn(), self.now);
            }
        }
        self.tell_game();
        self.go_on();
        Ok(())
    }

    /// Goes back to the previous position in which it was the person's turn, and to the clocks as they stood there: the time used since
    /// then and what was added go with the moves.
    pub(super) fn take_back(&mut self) -> Result<(), String> {
        let Some(play) = &mut self.play else {
            return Err("no game against Herald is on the board".to_owned());
        };
        if self.game.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        let plies = if self.game.turn() == play.person { 2 } else { 1 };
        if self.game.ply() < plies {
            return Err("there is no move of yours to take back".to_owned());
        }
        for _ in 0..plies {
            self.game.undo();
            let at = self.at;
            self.at = self.tree.parent(at).unwrap_or(0);
            self.tree.remove(at);
            play.turns.pop();
        }
        if let Some(clock) = play.turns.last() {
            play.clock.clone_from(clock);
        }
        // As at the beginning of the game, the clock does not run before the first move.
        if self.game.ply() > 0 {
            play.clock.start_turn(play.person, self.now);
        }
        play.agreements = Agreements::default();
        self.forget_task();
        self.tree.set_result(ResultMarker::Open);
        self.tree.set_tag("Result", "*".to_owned());
        self.tell_game();
        Ok(())
    }

    pub(super) fn resign(&mut self) -> Result<(), String> {
        let person = self.playing()?.person;
        self.declare(Outcome::Win { winner: !person, reason: WinReason::Resignation });
        Ok(())
    }

    pub(super) fn offer_draw(&mut self) -> Result<(), String> {
        let person = self.playing()?.person;
        let claim = self.game.claim().filter(|_| self.game.turn() == person);
        let accepts =
            self.play.as_ref().is_some_and(|play| play.agreements.takes_a_draw(&self.game, &self.settings));
        match claim.or(accepts.then_some(DrawReason::Agreement)) {
            Some(reason) => self.declare(Outcome::Draw(reason)),
            None => self
                .tell(BrowserMessage::Notice(BrowserNotice { text: "Herald declines the draw.".to_owned() })),
        }
        Ok(())
    }

    /// The moment at which the running clock has no time left.
    pub(super) fn flag_falls(&self) -> Option<Instant> {
        let play = self.play.as_ref().filter(|_| self.game.outcome().is_none())?;
        play.clock.flag_falls().filter(|_| matches!(play.control(), TimeControl::Clock(_)))
    }

    /// Ends the game if a flag has fallen.
    pub(super) fn check_flag(&mut self) {
        if self.flag_falls().is_some_and(|at| at <= self.now) {
            self.declare(time_out(&self.game, self.game.turn()));
            self.tell_state();
        }
    }
}

/// The outcome when a side's time has run out: a draw if the opponent can't win (FIDE Laws 6.9).
fn time_out(game: &Game, color: Color) -> Outcome {
    if game.position().has_insufficient_material(!color) {
        Outcome::Draw(DrawReason::TimeoutVsInsufficient)
    } else {
        Outcome::Win { winner: !color, reason: WinReason::TimeForfeit }
    }
}

/// Herald's thinking.
impl BrowserSession {
    fn think_to_move(&mut self) {
        let herald = self.game.turn();
        let Some(play) = &mut self.play else { return };
        if play.clock.turn().is_none() {
            play.clock.start_turn(herald, self.now);
        }
        let mut limits = engine::limits(play.clock.move_limits(herald, self.now));
        if *play.control() == TimeControl::Unlimited {
            limits.time = TimeLimit::PerMove(MOVE_TIME);
        }
        let elo = play.elo;
        self.engine.switch(SwitchSetting::LimitStrength, elo.is_some());
        self.engine.switch(SwitchSetting::OwnBook, self.settings.is_on(SwitchSetting::OwnBook));
        if let Some(elo) = elo {
            // Its range was checked when the game began.
            let _ = self.engine.set(NumberSetting::Elo, elo);
        }
        self.think(BrowserTask::Move, limits);
    }

    /// Starts a task with one line about the position on the board.
    pub(super) fn think(&mut self, task: BrowserTask, limits: Limits) {
        let game = self.game.clone();
        self.think_about(&game, task, limits);
    }

    pub(super) fn think_about(&mut self, game: &Game, task: BrowserTask, limits: Limits) {
        let purpose = if task == BrowserTask::Analysis { Purpose::Analyse } else { Purpose::Play };
        let lines = if task == BrowserTask::Analysis { self.analysis.count } else { 1 };
        // The number of lines is within the range of the setting.
        let _ = self.engine.set(NumberSetting::Lines, lines.into());
        self.task = Some(task);
        self.analysis.begin(self.at);
        self.engine
            .think(game, SearchTask { purpose, limits, allowed: None, clock: Arc::new(Instant::now()) });
    }

    /// Has the engine think at full strength and without its book.
    pub(super) fn use_full_strength(&mut self) {
        self.engine.switch(SwitchSetting::LimitStrength, false);
        self.engine.switch(SwitchSetting::OwnBook, false);
    }

    /// Handles the engine's decision about its move.
    pub(super) fn decided(&mut self, decision: &Decision) {
        let Some(best) = decision.best else { return };
        if let Some(play) = &mut self.play {
            play.last_score = Some(decision.score);
            play.agreements.note(decision, None, self.engine.settings());
        }
        // The engine's moves are legal, and the tree has room for a game of chess.
        if let Err(text) = self.play_move(best) {
            self.tell(BrowserMessage::Notice(BrowserNotice { text }));
        }
        self.tell_state();
    }

    pub(super) fn move_now(&mut self) -> Result<(), String> {
        if self.task != Some(BrowserTask::Move) {
            return Err("it is not Herald's turn".to_owned());
        }
        self.engine.move_now();
        Ok(())
    }

    pub(super) fn hint(&mut self) -> Result<(), String> {
        if self.game.outcome().is_some() {
            return Err("the game is over".to_owned());
        }
        if self.task == Some(BrowserTask::Move) {
            return Err("it is Herald's turn".to_owned());
        }
        if self.task.is_none() {
            self.use_full_strength();
            let left = self.play.as_ref().map(|play| play.clock.move_time(self.game.turn(), self.now));
            // A hint must not cost the person the game on time.
            let time = match left {
                Some(MoveTime::Clock { remaining, .. }) => MOVE_TIME.min(remaining / 10),
                _ => MOVE_TIME,
            };
            self.think(BrowserTask::Hint, Limits { time: TimeLimit::PerMove(time), ..Limits::default() });
            return Ok(());
        }
        Err("Herald is analysing; its first line is the hint".to_owned())
    }

    pub(super) fn tell_hint(&mut self, decision: &Decision) {
        let hint = decision.best.and_then(|best| PageStep::play(&mut self.game.clone(), best));
        if let Some(hint) = hint {
            self.tell(BrowserMessage::Hint(hint));
        }
    }
}
