//! What annotations of PGN say about a move on the page, and how moves are numbered and variants named.

use game::{Annotation, CastlingMode, Game, Variant, comment_commands, comment_words, read_clock, read_eval};
use pages::PageMove;
use shakmaty::Position as _;

/// Takes over what annotations say about a move: comment, glyphs, evaluation and clock.
pub(super) fn show(annotations: &[Annotation], shown: &mut PageMove) {
    shown.comment = comment_words(annotations);
    shown.nags.clear();
    for annotation in annotations {
        match annotation {
            Annotation::Glyph(number) => shown.nags.push(*number),
            Annotation::Comment(text) => comment_commands(text).for_each(|(name, value)| match name {
                "eval" => (shown.score, shown.depth) = read_eval(value),
                "clk" => shown.clock = read_clock(value),
                _ => {}
            }),
            Annotation::Variation(_) | Annotation::Other(_) => {}
        }
    }
}

/// The number of the next move of a game: `12.` for White, `12…` for Black.
pub(super) fn number(game: &Game) -> String {
    format!("{}{}", game.position().fullmoves(), game.turn().fold_wb(".", "…"))
}

/// The value of the tag `Variant`; `None` for chess.
pub(super) fn variant_tag(game: &Game) -> Option<String> {
    match game.variant() {
        Variant::Chess => (game.mode() == CastlingMode::Chess960).then(|| "Chess960".to_owned()),
        variant => Some(variant.uci().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use game::WhiteScore;

    use super::*;

    #[test]
    fn what_programs_write_is_understood_and_left_out() {
        let annotations = [
            Annotation::Glyph(2),
            Annotation::Comment("[%eval -1.05,20] [%clk 0:04:59.5] a pity".to_owned()),
            Annotation::Comment("[%csl Ge4]".to_owned()),
        ];
        let mut shown = PageMove::default();
        show(&annotations, &mut shown);
        assert_eq!((shown.score, shown.depth), (Some(WhiteScore::Centipawns(-105)), Some(20)));
        assert_eq!(
            (shown.clock, shown.comment.as_deref(), shown.nags),
            (Some(299.5), Some("a pity"), vec![2])
        );
    }
}
