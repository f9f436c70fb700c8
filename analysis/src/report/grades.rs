//! Suites that grade several moves with points.

use game::{Move, read_move};
use messages::epd::{Record, Register};

/// Moves with their points; empty if the record grades no moves. Supports both forms of the Strategic Test Suite: points in `c8`
/// with the moves in `c9` or `c7`, and `Nf5=10, Bf2=5` in `c0`. Any other text is an ordinary comment.
pub(super) fn of(record: &Record<'_>) -> Vec<(Move, u32)> {
    let Ok((chess, mode)) = record.position.legal() else { return Vec::new() };
    let grade = |mv: &str, points: &str| {
        Some((read_move(&chess, mode, mv.trim()).ok()?, points.trim().parse().ok()?))
    };
    let columns = |points: &str, moves: &str| -> Option<Vec<(Move, u32)>> {
        let (points, moves) = (points.split_whitespace(), moves.split_whitespace());
        let is_complete = points.clone().count() == moves.clone().count();
        points.zip(moves).map(|(points, mv)| grade(mv, points)).collect::<Option<_>>().filter(|_| is_complete)
    };
    let pairs = |text: &str| -> Option<Vec<(Move, u32)>> {
        text.split(',').map(|pair| pair.rsplit_once('=').and_then(|(mv, points)| grade(mv, points))).collect()
    };
    let moves = || comment(record, 9).or_else(|| comment(record, 7));
    let in_columns = comment(record, 8).zip(moves()).and_then(|(points, moves)| columns(points, moves));
    in_columns.or_else(|| pairs(comment(record, 0)?)).unwrap_or_default()
}

fn comment<'a>(record: &'a Record<'_>, number: u8) -> Option<&'a str> {
    record.comment(Register::new(number)?)
}
