//! What is done about a program that fails.

use std::time::{Duration, Instant};

use super::{Engine, LET_GO, News, Program};
use crate::{PlayerFault, Repair};

/// Most restarts, and most moves that are no moves, for one question.
const MOST_STARTS: u32 = 3;
const MOST_REFUSALS: u32 = 1;

/// Least time on the clock for which a program is started again. With less a move is made in its place.
const RESTART: Duration = Duration::from_millis(200);

impl Program {
    /// Ends a program that failed. Returns whether its question shall be asked again.
    pub(super) fn recover(&mut self, fault: &PlayerFault) -> bool {
        self.known = None;
        let has_run = matches!(self.engine, Engine::On(_));
        if has_run {
            // It is killed: whoever fails does not end in time.
            self.engine = Engine::Off;
        }
        let does_not_read =
            matches!(fault, PlayerFault::Silence(_)) && std::mem::take(&mut self.was_interrupted);
        if does_not_read {
            self.learn_deafness();
        } else if has_run {
            self.learn(fault);
        }
        if self.name.is_empty() {
            self.failure = Some(fault.clone());
            self.give_up(&format!("the program {fault}"));
            return false;
        }
        self.begin_start();
        let Some(asked) = &mut self.asked else {
            self.note(format!("the program {fault}; it is started again for the next move"));
            return false;
        };
        let soon = Instant::now() + RESTART;
        if asked.question.last_moment().is_some_and(|last_moment| last_moment < soon) {
            self.stand_in(&format!("the program {fault}"));
            return false;
        }
        if does_not_read {
            self.note("the program does not read while it thinks; it is started again".to_owned());
            return true;
        }
        asked.starts += 1;
        match fault {
            PlayerFault::Unsupported(_) if asked.starts > MOST_REFUSALS => {
                self.stand_in(&format!("the program {fault}"));
                return false;
            }
            PlayerFault::Start(_) => self.give_up(&format!("the program {fault}")),
            _ if asked.starts > MOST_STARTS => self.give_up(&format!("the program {fault}")),
            _ => self.note(format!("the program {fault}; it is started again")),
        }
        self.asked.is_some()
    }

    /// Turns on a repair that would have helped, and off one that may have done harm.
    pub(super) fn learn(&mut self, fault: &PlayerFault) {
        let Some(asked) = &self.asked else { return };
        let has_died = matches!(fault, PlayerFault::Died(_) | PlayerFault::Closed(_));
        let is_set_up = !asked.question.game.has_standard_start();
        if has_died && is_set_up && self.spec.repairs.remove(&Repair::SetBoard) {
            return self
                .note("the program may not understand `edit`: it gets `setboard` from now on".to_owned());
        }
        if *fault == PlayerFault::Silence("ping") && self.patience >= LET_GO {
            self.repair(Repair::Ping, "leaves `ping` without an answer");
        }
    }

    /// A program that does not read while it thinks can't be told that its time is over.
    pub(super) fn learn_deafness(&mut self) {
        if self.abilities.rounds_up {
            self.repair(Repair::WholeSeconds, "does not read while it thinks");
        }
    }

    /// Turns on a repair from the next start on, for this reason.
    pub(super) fn repair(&mut self, repair: Repair, why: &str) {
        if self.spec.repairs.insert(repair) {
            self.note(format!("the program {why}: `{repair}` is repaired from now on"));
        }
    }

    pub(super) fn give_up(&mut self, reason: &str) {
        let instead = self.asked.take().and_then(|asked| asked.instead());
        self.news.push_back(News::GivenUp(reason.to_owned(), instead));
    }

    /// Moves in the place of a program that does not, for this reason, and tells it to stop.
    pub(super) fn stand_in(&mut self, reason: &str) {
        let Some(asked) = &self.asked else { return };
        let instead = asked.instead();
        if !asked.question.is_analysis {
            let what = if asked.line.is_empty() { "a legal move" } else { "the move of its best line" };
            self.note(format!("{reason}: {what} is made in its place"));
        }
        self.interrupt();
        self.has_stand_in = true;
        self.news.extend(instead.map(News::Answer));
    }

    /// Starts a program anew that has said something wrong, and asks it again. The second time it is dealt with `otherwise`.
    pub(super) fn ask_again(&mut self, what: &str, otherwise: fn(&mut Program, &str)) {
        self.known = None;
        let Some(asked) = &mut self.asked else { return };
        asked.refusals += 1;
        if asked.refusals > MOST_REFUSALS {
            return otherwise(self, what);
        }
        self.note(format!("{what}; it is started again and asked once more"));
        self.engine = Engine::Off;
        self.begin();
    }
}
