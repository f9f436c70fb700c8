//! One question at a time: asked, hurried, dropped.

use std::thread;
use std::time::{Duration, Instant};

use game::{Clock, Outcome, TimeControl};

use super::super::player::MendedPlayer;
use super::super::question::Question;
use super::{Asked, Engine, KnownGame, LET_GO, Program};
use crate::player::continues;
use crate::{NewGame, PlayerFault, Thinking, Turn};

/// Time for a program without a line to move when it is told to. Then a move is made in its place.
const LONGEST_HURRY: Duration = Duration::from_secs(2);

/// Time after which an interrupted program is looked at, and for its answer then. One that thinks on is ended, as it takes processor
/// time from others.
const LOOK: Duration = Duration::from_millis(300);
const LOOK_PATIENCE: Duration = Duration::from_millis(200);

impl Program {
    /// Whether the next question can be asked: there is none, and the front knows everything about the last one.
    pub(in crate::mend) fn is_free(&self) -> bool {
        self.asked.is_none() && self.news.is_empty()
    }

    /// Whether a question waits for its answer.
    pub(in crate::mend) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// The best line so far about the present question, and when that was asked.
    pub(in crate::mend) fn best(&self) -> Option<(&Question, &Thinking)> {
        self.asked.as_ref().map(|asked| (&asked.question, &asked.best))
    }

    /// Prepares for a game, so that the program's clock does not run meanwhile. Faults come again with the question.
    pub(in crate::mend) fn prepare(&mut self, question: &Question) {
        if self.meet().is_ok() && self.asked.is_none() && self.known.is_none() && !question.is_analysis {
            let _ = self.set_up(question);
        }
    }

    /// Asks a question in place of the present one.
    pub(in crate::mend) fn ask(&mut self, question: Question) {
        self.interrupt();
        self.asked = Some(Asked {
            due: question.due(),
            question,
            starts: 0,
            refusals: 0,
            hurried: None,
            silent_since: None,
            claims_draw: None,
            best: Thinking::default(),
            line: Vec::new(),
        });
        self.begin();
    }

    /// Drops the present question: its answer will not come.
    pub(in crate::mend) fn interrupt(&mut self) {
        if self.asked.is_some() {
            self.end_game(None);
        }
    }

    /// Ends the game, also while the program ponders.
    pub(in crate::mend) fn end_game(&mut self, outcome: Option<Outcome>) {
        self.has_stand_in = false;
        let was_thinking = self.asked.take().is_some();
        let was_playing = self.known.take().is_some();
        if was_thinking {
            self.was_interrupted = true;
            self.look_at = Instant::now().checked_add(LOOK);
        }
        let Some(player) = self.running().filter(|_| was_thinking || was_playing) else { return };
        let told = match outcome {
            Some(outcome) => player.end_game(outcome),
            None => player.call_off("the position is set up anew"),
        };
        if told.is_err() {
            // A program that has ended is started again for the next question.
            self.engine = Engine::Off;
        } else if player.is_spent() {
            self.retire();
        }
    }

    /// Ends the process in its own time.
    pub(super) fn retire(&mut self) {
        if let Engine::On(player) = std::mem::replace(&mut self.engine, Engine::Off) {
            // Without a thread it is killed.
            let _ = thread::Builder::new().name("ending".into()).spawn(move || player.quit());
        }
    }

    /// Offers a draw, if the program is thinking.
    pub(in crate::mend) fn offer_draw(&mut self) {
        if let (Engine::On(player), Some(_)) = (&mut self.engine, &self.asked) {
            let _ = player.offer_draw();
        }
    }

    /// Tells the program to move. The answer comes soon, at once for an analysis.
    pub(in crate::mend) fn hurry(&mut self) {
        let Some(asked) = &mut self.asked else { return };
        if asked.question.is_analysis {
            return self.stand_in("");
        }
        if asked.hurried.is_none() {
            asked.hurried = Some(Instant::now());
            if let Some(player) = self.running() {
                let _ = player.move_now();
            }
        }
    }

    /// Lets the program ponder after its move.
    pub(in crate::mend) fn ponder(&mut self, clock: &Clock) {
        let (Some(known), Engine::On(player)) = (&self.known, &mut self.engine) else { return };
        if known.ponder && known.has_moved {
            // A fault is an event, too.
            let _ = player.wait(&Turn { game: &known.game, clock, at: Instant::now() });
        }
    }

    /// Ends the game if the program may ponder now.
    pub(in crate::mend) fn stop_pondering(&mut self) {
        let may_ponder = self.known.as_ref().is_some_and(|known| known.ponder && known.has_moved);
        if self.asked.is_none() && may_ponder {
            self.end_game(None);
        }
    }

    /// When [`Program::tick`] has to be called.
    pub(in crate::mend) fn deadline(&self) -> Option<Instant> {
        let Some(asked) = &self.asked else { return self.look_at };
        let due = match asked.hurried {
            None => asked.due,
            Some(_) if asked.line.is_empty() => asked.limit(LONGEST_HURRY),
            Some(hurried) => asked.limit(asked.last_word(hurried)),
        };
        asked.gone_since().into_iter().chain(due).min()
    }

    /// Does what is due.
    pub(in crate::mend) fn tick(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        match &self.asked {
            None => self.look(),
            Some(asked) if asked.gone_since().is_some_and(|gone| now >= gone) => {
                self.ask_again("the program plays no more after its claim", Program::give_up);
            }
            Some(Asked { hurried: None, .. }) => self.hurry(),
            _ => self.stand_in("the program is late"),
        }
    }

    /// Ends an interrupted program that thinks on. In a game another one gets ready before it is asked again.
    pub(super) fn look(&mut self) {
        self.look_at = None;
        if self.known.is_none() && self.is_deaf() {
            self.engine = Engine::Off;
            self.learn_deafness();
        }
        if self.has_stand_in {
            self.begin_start();
        }
    }

    /// Whether an interrupted program does not read its input.
    pub(super) fn is_deaf(&mut self) -> bool {
        if !std::mem::take(&mut self.was_interrupted) {
            return false;
        }
        self.running().is_some_and(|player| {
            player.wait_no_longer_than(Instant::now().checked_add(LOOK_PATIENCE));
            player.check_ready().is_err()
        })
    }

    pub(super) fn begin(&mut self) {
        while let Err(fault) = self.try_to_begin() {
            if !self.recover(&fault) {
                return;
            }
        }
    }

    fn try_to_begin(&mut self) -> Result<(), PlayerFault> {
        let Some(asked) = &self.asked else { return Ok(()) };
        let question = asked.question.clone();
        self.player()?;
        let limit = self.limit(&question);
        if question.is_analysis {
            self.known = None;
            let new = self.new_game(&question);
            self.patient()?.analyse(&new, &question.roots)?;
            self.was_interrupted = false;
            return Ok(());
        }
        let known = self.known.as_ref().is_some_and(|known| {
            let goes_on = continues(&question.game, &known.game, known.has_moved);
            goes_on && known.ponder == question.ponder && known.limit == limit
        });
        if !known {
            self.set_up(&question)?;
        }
        let at = Instant::now();
        let clock = question.told_clock(&self.abilities, at);
        let player = self.player()?;
        player.wait_no_longer_than(question.last_moment());
        player.think(&Turn { game: &question.game, clock: &clock, at })?;
        let ponder = question.ponder;
        self.known = Some(KnownGame { game: question.game, has_moved: false, ponder, limit });
        Ok(())
    }

    pub(super) fn set_up(&mut self, question: &Question) -> Result<(), PlayerFault> {
        self.known = None;
        if self.player()?.has_analysed() {
            self.retire();
            self.player()?;
        }
        let new = self.new_game(question);
        self.patient()?.new_game(&new)?;
        self.was_interrupted = false;
        let (game, limit) = (question.game.clone(), self.limit(question));
        self.known = Some(KnownGame { game, has_moved: false, ponder: question.ponder, limit });
        Ok(())
    }

    /// The program, with as much time to get ready as it may need: no more than half of what is left.
    pub(super) fn patient(&mut self) -> Result<&mut dyn MendedPlayer, PlayerFault> {
        let now = Instant::now();
        let last_moment = self.asked.as_ref().and_then(|asked| asked.question.last_moment());
        let half = last_moment.map(|at| at.saturating_duration_since(now) / 2);
        let let_go = self.was_interrupted.then_some(LET_GO);
        self.patience = half.into_iter().chain(let_go).fold(self.spec.patience, Duration::min);
        let until = now.checked_add(self.patience);
        let player = self.player()?;
        player.wait_no_longer_than(until);
        Ok(player)
    }

    pub(super) fn limit(&self, question: &Question) -> Option<TimeControl> {
        let control = question.control(&self.abilities);
        Some(control).filter(|control| matches!(control, TimeControl::Depth(_) | TimeControl::Nodes(_)))
    }

    pub(super) fn new_game(&self, question: &Question) -> NewGame {
        NewGame {
            opponent: question.opponent.clone(),
            ratings: question.ratings,
            ponder: question.ponder,
            ..NewGame::new(question.game.clone(), &question.control(&self.abilities))
        }
    }
}
