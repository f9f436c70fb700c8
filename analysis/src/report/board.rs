//! Board diagrams as SVG.

use std::fmt::Write as _;

use game::{Color, Move, diagram};
use messages::epd::EpdPosition;
use shakmaty::Square;

/// Side length of a square in SVG units.
const SIDE: u32 = 45;

/// The squares that all boards of a page share. Must occur once on the page.
pub(super) fn definitions() -> String {
    let mut squares = String::new();
    for square in Square::ALL.into_iter().filter(|square| square.is_dark()) {
        let (x, y) = place(square, Color::White);
        let _ = write!(squares, "M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z");
    }
    let width = 8 * SIDE;
    format!(
        "<svg width=\"0\" height=\"0\" aria-hidden=\"true\"><defs><g id=\"squares\">\
         <rect width=\"{width}\" height=\"{width}\" fill=\"#f0e9d8\"/><path d=\"{squares}\" fill=\"#b7a98a\"/>\
         </g></defs></svg>"
    )
}

/// The board from the point of view of the side to move, with the squares of moves marked in colours. `label` is the accessible
/// name and must not contain markup.
pub(super) fn svg(position: &EpdPosition, label: &str, marks: &[(Move, &str)]) -> String {
    let width = 8 * SIDE;
    let mut svg = format!(
        "<svg class=\"board\" viewBox=\"0 0 {width} {width}\" role=\"img\" aria-label=\"{label}\"><use href=\"#squares\"/>"
    );
    for (mv, color) in marks {
        for square in [mv.from().unwrap_or(mv.to()), mv.to()] {
            let (x, y) = place(square, position.turn);
            let _ = write!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"{color}\" fill-opacity=\".45\"/>"
            );
        }
    }
    for (square, piece) in &position.board {
        let (x, y) = place(square, position.turn);
        let class = piece.color.fold_wb("w", "b");
        let (x, y) = (x + SIDE / 2, y + SIDE * 5 / 6);
        // The selector keeps a pawn from being drawn as an emoji.
        let symbol = diagram::symbol(piece.role.of(Color::Black));
        let _ = write!(svg, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{symbol}\u{fe0e}</text>");
    }
    svg.push_str("</svg>");
    svg
}

/// The upper left corner of a square from the point of view of `side`.
fn place(square: Square, side: Color) -> (u32, u32) {
    let seen = side.fold_wb(square.flip_vertical(), square.flip_horizontal());
    (SIDE * seen.file() as u32, SIDE * seen.rank() as u32)
}
