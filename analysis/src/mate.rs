//! Search for mates (EPD specification, 7.3: "pfms").

use std::num::NonZeroU32;

use game::Game;
use messages::epd::{EpdMove, Evaluation, Operation, Record};

use crate::entries::enter_effort;
use crate::study::{Studied, Study, Verdict};
use crate::thinker::{MateSearch, ThinkError, Thinker};

/// Looks for mates by the side to move in records that have no `dm`, or a longer one. Where a mate is found, `dm`, `pm`, `pv`,
/// `ce`, `acn` and `acs` are written; all other records stay as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FindMates {
    /// The longest mate, in moves.
    pub moves: NonZeroU32,
    /// Whether mates in one are looked for first, then mates in two, and so on, each with the whole effort: what passes over
    /// the file one after the other do.
    pub passes: bool,
    /// What `dm` says.
    pub length: Length,
    /// Whether `acs` is written.
    pub times: bool,
}

/// What `dm` says of a mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// In how many moves it was proven.
    True,
    /// How long a mate was looked for, to the letter of the specification.
    Preset,
}

impl Study for FindMates {
    fn study(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        thinker: &mut dyn Thinker,
    ) -> Result<Studied, ThinkError> {
        let shorter_than = match record.get("dm") {
            Some(Operation::Dm(moves)) => moves.get(),
            _ => u32::MAX,
        };
        let is_ended = game.legal_moves().is_empty();
        let first = if self.passes { 1 } else { self.moves.get() };
        let passes = (first..=self.moves.get()).take_while(|moves| *moves < shorter_than && !is_ended);
        let mut studied = Studied::default();
        for moves in passes {
            let found = thinker.find_mate(game, moves)?;
            studied.verdict = if found.mate.is_some() { Verdict::Found } else { Verdict::Missed };
            studied.nodes += found.nodes.unwrap_or(0);
            studied.time += found.time;
            if found.mate.is_some() {
                self.enter(record, game, moves, &found);
                break;
            }
        }
        Ok(studied)
    }
}

impl FindMates {
    fn enter(self, record: &mut Record<'_>, game: &Game, preset: u32, found: &MateSearch) {
        let Some(mate) = &found.mate else { return };
        let written = match self.length {
            Length::True => mate.moves,
            Length::Preset => preset,
        };
        let Some(distance) = NonZeroU32::new(written) else { return };
        for opcode in ["acd", "acn", "acs", "ce"] {
            record.remove(opcode);
        }
        record.set(Operation::Dm(distance));
        // It would contradict a `dm` that isn't true.
        if let Some(evaluation) = Evaluation::mate_in(mate.moves).filter(|_| self.length == Length::True) {
            record.set(Operation::Ce(evaluation));
        }
        let moves = engine::line_from_search(game, &mate.line);
        let line = game.chess().map(|chess| EpdMove::line(chess, &moves)).unwrap_or_default();
        if let Some(first) = line.first() {
            record.set(Operation::Pm(first.clone()));
        }
        record.set(Operation::Pv(line));
        enter_effort(record, None, found.nodes, self.times.then_some(found.time));
    }
}
