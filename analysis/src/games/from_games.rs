//! Positions of games as records.

use game::epd::{LONGEST_STRING, operand_text};
use game::{Game, Outcome, PgnGame, VariantPosition, opening_at};
use messages::epd::{EpdMove, EpdPosition, Operation, Record, Register};
use shakmaty::Position as _;

use crate::expressions::{Filter, Subject};

/// Which positions of a game become records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PositionChoice {
    /// Those from `first` to `last` plies after the start, every `step` plies (1 or more).
    Range {
        /// Plies before the first position.
        first: usize,
        /// Plies before the last position; `None` for the end of the game.
        last: Option<usize>,
        /// Distance in plies.
        step: usize,
    },
    /// The last position.
    #[default]
    Last,
    /// The last position that has a name as an opening.
    Opening,
}

/// An operation that is written, beside `fmvn` and `hmvc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GameOperation {
    /// `id`: the number of the game and the number of plies before the position, `12.34`.
    Id,
    /// `c0`: players, event, round, date and result.
    C0,
    /// `sm`: the move that was played.
    Sm,
    /// `pv`: at most this number of plies that were played from here on, and `pm`, the first of them.
    Pv(usize),
    /// `eco` and `v0`: code and name of the opening that the game went through last.
    Eco,
    /// `rc`: the number of occurrences of the position in the game.
    Rc,
}

/// Makes records of the positions of games.
#[derive(Clone, Debug, Default)]
pub struct GamePositions {
    /// Which positions.
    pub choice: PositionChoice,
    /// Which operations.
    pub operations: Vec<GameOperation>,
    /// Condition of the records that are written; `None` for all.
    pub filter: Option<Filter>,
}

impl GamePositions {
    /// The records of a game, in its order; `None` for a game of a variant, which EPD can't write. `number`: of the game in its file,
    /// from 1, which is also the `line` of conditions. `file`: name of the file, for conditions.
    pub fn records(&self, pgn: &PgnGame, file: &str, number: u64) -> Option<Vec<String>> {
        pgn.game.chess()?;
        let mut game = pgn.game.clone();
        while game.undo().is_some() {}
        let (moves, mut records) = (pgn.game.moves(), Vec::new());
        let named_at = pgn.game.opening().map(|opening| opening.named_at);
        let mut opening = None;
        for ply in 0..=moves.len() {
            if let VariantPosition::Chess(chess) = game.position() {
                opening = opening_at(chess).filter(|_| game.has_standard_start()).or(opening);
            }
            if self.takes(ply, moves.len(), named_at) {
                let mut record = self.record(pgn, &game, number);
                if let Some(opening) = opening.filter(|_| self.operations.contains(&GameOperation::Eco)) {
                    record.set(Operation::Eco(Some(opening.eco.into())));
                    record.extend(
                        Register::new(0)
                            .map(|register| Operation::Variation(register, Some(opening.name.into()))),
                    );
                }
                let subject = Subject::new(&record, &[], file, number);
                if self.filter.as_ref().is_none_or(|filter| filter.holds(&subject)) {
                    records.push(record.to_string());
                }
            }
            if let Some(mv) = moves.get(ply) {
                // It was played before.
                game.play(*mv).ok()?;
            }
        }
        Some(records)
    }

    /// Number of characters of each record of a game that EPD can't write in `c0`: quotation marks became apostrophes, other letters
    /// Latin ones, control characters and what has no Latin form question marks, and the rest behind 255 bytes is left out.
    pub fn replaced(&self, pgn: &PgnGame) -> u64 {
        if !self.operations.contains(&GameOperation::C0) {
            return 0;
        }
        let mut length = 0;
        let is_replaced = |c: &char| {
            let one = c.to_string();
            let written = operand_text(&one);
            length += written.len();
            written != one || length > LONGEST_STRING
        };
        about(pgn).chars().filter(is_replaced).count() as u64
    }

    fn takes(&self, ply: usize, last_ply: usize, named_at: Option<usize>) -> bool {
        match self.choice {
            PositionChoice::Last => ply == last_ply,
            PositionChoice::Opening => Some(ply) == named_at,
            PositionChoice::Range { first, last, step } => {
                ply >= first
                    && last.is_none_or(|last| ply <= last)
                    && (ply - first).is_multiple_of(step.max(1))
            }
        }
    }

    fn record(&self, pgn: &PgnGame, game: &Game, number: u64) -> Record<'static> {
        let mut record = Record::new(EpdPosition::of(game));
        record.set(Operation::Hmvc(game.halfmoves()));
        record.set(Operation::Fmvn(game.position().fullmoves()));
        let rest = &pgn.game.moves()[game.ply()..];
        for operation in &self.operations {
            match (operation, game.chess()) {
                (GameOperation::Sm, Some(chess)) => {
                    record.extend(rest.first().map(|mv| Operation::Sm(EpdMove::new(chess, *mv))));
                }
                (GameOperation::Pv(plies), Some(chess)) => {
                    let line = EpdMove::line(chess, &rest[..rest.len().min(*plies)]);
                    record.extend(line.first().cloned().map(Operation::Pm));
                    record.extend((!line.is_empty()).then_some(Operation::Pv(line)));
                }
                (GameOperation::Id, _) => {
                    record.set(Operation::Id(format!("{number}.{}", game.ply()).into()));
                }
                (GameOperation::C0, _) => {
                    let text = game::epd::operand_text(&about(pgn));
                    let register = Register::new(0);
                    record.extend(register.map(|register| Operation::Comment(register, Some(text.into()))));
                }
                (GameOperation::Rc, _) => {
                    record.extend(game.repetitions().try_into().ok().map(Operation::Rc));
                }
                // The name of the opening needs the game so far.
                (GameOperation::Eco | GameOperation::Sm | GameOperation::Pv(_), _) => {}
            }
        }
        record
    }
}

/// Players, event, round, date and result, as far as they are known.
fn about(pgn: &PgnGame) -> String {
    let known = |tag: &str| pgn.tags.get(tag).filter(|value| !value.is_empty() && !value.starts_with('?'));
    let player = |tag: &str| known(tag).unwrap_or("?");
    let mut text = format!("{} - {}", player("White"), player("Black"));
    let event = known("Event").map(str::to_owned);
    let round = known("Round").filter(|round| *round != "-").map(|round| format!("round {round}"));
    let date = known("Date").map(str::to_owned);
    let result = pgn.game.outcome().map_or("*", |outcome: Outcome| outcome.result());
    for part in [event, round, date, Some(result.to_owned())].into_iter().flatten() {
        text.push_str(", ");
        text.push_str(&part);
    }
    text
}
