//! The game of a person against Herald.

use std::time::{Duration, Instant};

use engine::{Decision, Limits, NumberSetting, Purpose, SearchTask, SwitchSetting, TimeLimit};
use game::{Color, DrawReason, Game, Move, MoveTime, Outcome, ResultMarker, TimeControl, WinReason};
use pages::PageStep;
use std::sync::Arc;

use super::messages::{BrowserMessage, BrowserNotice, NewBrowserGame, PersonSide, PlayStatus};
use super::session::{BrowserSession, BrowserTask, position};
use super::tree::VariationTree;
use crate::agreements::Agreements;
use crate::person::PersonGame;
use crate::today;

/// A person's game against Herald in the browser.
pub(super) struct BrowserPlay {
    pub(super) game: PersonGame,
    elo: Option<i64>,
    agreements: Agreements,
}

/// Time for a move in a game without a clock, and for a hint.
const MOVE_TIME: Duration = Duration::from_secs(1);

impl BrowserPlay {
    pub(super) fn status(&self, game: &Game, at: Instant) -> PlayStatus {
        let PersonGame { person, clock, .. } = &self.game;
        let millis = |color| clock.remaining(color, at).map(|left| left.as_millis() as u64);
        let is_over = game.outcome().is_some();
        let claim =
            game.claim().filter(|_| game.turn() == *person).map(|reason| Outcome::Draw(reason).to_string());
        PlayStatus {
            person: (*person).into(),
            elo: self.elo,
            control: self.game.control().to_string(),
            clocks: [millis(Color::White), millis(Color::Black)],
            running: clock.turn().filter(|_| clock.is_running() && !is_over).map(Into::into),
            thinking: self.game.is_heralds_turn(game),
            claim,
        }
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
        let (play, agreements) = (PersonGame::new(person, control), Agreements::default());
        self.play = Some(BrowserPlay { game: play, elo: new.elo, agreements });
        self.set_tags();
        self.tell_game();
        self.go_on();
        Ok(())
    }

    fn set_tags(&mut self) {
        let Some(BrowserPlay { game: play, elo, .. }) = &self.play else { return };
        let version = concat!("Herald ", env!("CARGO_PKG_VERSION"));
        let herald = elo.map_or_else(|| version.to_owned(), |elo| format!("{version} at {elo} Elo"));
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
        let Some(BrowserPlay { game: play, .. }) = &self.play else { return };
        play.settle(&mut self.game);
        if self.game.outcome().is_some() {
            self.finish_game();
        } else if play.is_heralds_turn(&self.game) {
            self.think_to_move();
        }
    }

    /// Writes down how the game has ended.
    fn finish_game(&mut self) {
        let Some(outcome) = self.game.outcome() else { return };
        self.forget_task();
        if let Some(BrowserPlay { game: play, .. }) = &mut self.play {
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
            Some(BrowserPlay { game: play, .. }) => Ok(play),
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
        if let Some(BrowserPlay { game: play, .. }) = &mut self.play
            && let Some(left) = play.end_turn(&mut self.game, mover, self.now)
        {
            self.tree.set_clock(self.at, left.as_secs_f64());
        }
        self.tell_game();
        self.go_on();
        Ok(())
    }

    pub(super) fn take_back(&mut self) -> Result<(), String> {
        self.playing()?;
        let taken = self.play.as_mut().and_then(|play| {
            let plies = play.game.take_back(&mut self.game, self.now)?;
            play.agreements = Agreements::default();
            Some(plies)
        });
        let Some(plies) = taken else {
            return Err("there is no move of yours to take back".to_owned());
        };
        for _ in 0..plies {
            let at = self.at;
            self.at = self.tree.parent(at).unwrap_or(0);
            self.tree.remove(at);
        }
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
        let BrowserPlay { game: play, .. } = self.play.as_ref().filter(|_| self.game.outcome().is_none())?;
        play.clock.flag_falls().filter(|_| play.has_clock())
    }

    /// Ends the game if a flag has fallen.
    pub(super) fn check_flag(&mut self) {
        if self.flag_falls().is_some_and(|at| at <= self.now) {
            self.declare(self.game.flag_fall(self.game.turn()));
            self.tell_state();
        }
    }
}

/// Herald's thinking.
impl BrowserSession {
    fn think_to_move(&mut self) {
        let herald = self.game.turn();
        let Some(BrowserPlay { game: play, elo, .. }) = &mut self.play else { return };
        let elo = *elo;
        if play.clock.turn().is_none() {
            play.clock.start_turn(herald, self.now);
        }
        let mut limits = engine::limits(play.clock.move_limits(herald, self.now));
        if *play.control() == TimeControl::Unlimited {
            limits.time = TimeLimit::PerMove(MOVE_TIME);
        }
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
            play.game.last_score = Some(decision.score);
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
            let left = self.play.as_ref().map(|play| play.game.clock.move_time(self.game.turn(), self.now));
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
