//! Suites in which several moves are worth something.

use game::{CastlingMode, Chess, Move, read_move};
use messages::epd::{Operation, Record, Register};

/// Moves with their points; empty if the record grades none. Known are two ways of the Strategic Test Suite: points in `c8`
/// with the moves in `c9` or `c7`, and `Nf5=10, Bf2=5` in `c0`. What doesn't fit is taken for an ordinary comment.
pub(super) fn of(record: &Record<'_>) -> Vec<(Move, u32)> {
    let Ok((chess, mode)) = record.position.legal() else { return Vec::new() };
    let board = Board { chess, mode };
    let points = comment(record, 8);
    let moves = || comment(record, 9).or_else(|| comment(record, 7));
    let columns = points.zip(moves()).and_then(|(points, moves)| board.columns(points, moves));
    columns.or_else(|| board.pairs(comment(record, 0)?)).unwrap_or_default()
}

fn comment<'a>(record: &'a Record<'_>, number: u8) -> Option<&'a str> {
    let opcode = Register::new(number)?.comment_opcode();
    match record.get(opcode) {
        Some(Operation::Comment(_, Some(text))) => Some(text),
        _ => None,
    }
}

struct Board {
    chess: Chess,
    mode: CastlingMode,
}

impl Board {
    fn columns(&self, points: &str, moves: &str) -> Option<Vec<(Move, u32)>> {
        let (points, moves) = (points.split_whitespace(), moves.split_whitespace());
        let is_complete = points.clone().count() == moves.clone().count();
        let grades = points.zip(moves).map(|(points, mv)| self.grade(mv, points));
        grades.collect::<Option<Vec<_>>>().filter(|_| is_complete)
    }

    fn pairs(&self, text: &str) -> Option<Vec<(Move, u32)>> {
        text.split(',')
            .map(|pair| pair.rsplit_once('=').and_then(|(mv, points)| self.grade(mv, points)))
            .collect()
    }

    fn grade(&self, mv: &str, points: &str) -> Option<(Move, u32)> {
        let mv = read_move(&self.chess, self.mode, mv.trim()).ok()?;
        Some((mv, points.trim().parse().ok()?))
    }
}
