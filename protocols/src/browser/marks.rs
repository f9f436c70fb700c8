//! What programs write into comments of PGN: `[%eval 0.35,14]`, `[%clk 0:04:59]`, and the names of variants.

use std::time::Duration;

use game::{Annotation, CastlingMode, Game, Variant, clock_face};
use pages::{PageMove, WhiteScore};
use shakmaty::Position as _;

/// The comments among annotations as one text, without what programs write; `None` without any.
pub(super) fn comment(annotations: &[Annotation]) -> Option<String> {
    let texts = annotations.iter().filter_map(|annotation| match annotation {
        Annotation::Comment(text) => Some(without_commands(text)),
        _ => None,
    });
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

/// Takes over what annotations say about a move: comment, glyphs, evaluation and clock.
pub(super) fn show(annotations: &[Annotation], shown: &mut PageMove) {
    shown.comment = comment(annotations);
    shown.nags.clear();
    for annotation in annotations {
        match annotation {
            Annotation::Glyph(number) => shown.nags.push(*number),
            Annotation::Comment(text) => commands(text).for_each(|(name, value)| match name {
                "eval" => (shown.score, shown.depth) = evaluation(value),
                "clk" => shown.clock = seconds(value),
                _ => {}
            }),
            Annotation::Variation(_) | Annotation::Other(_) => {}
        }
    }
}

/// The commands `[%name value]` of a comment.
fn commands(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let commands = text.split("[%").skip(1).filter_map(|rest| rest.split_once(']'));
    commands.map(|(command, _)| command.split_once(' ').unwrap_or((command, "")))
}

fn without_commands(text: &str) -> String {
    let mut parts = text.split("[%");
    let first = parts.next().unwrap_or_default().to_owned();
    let rest = parts.map(|part| part.split_once(']').map_or(part, |(_, rest)| rest));
    let whole = rest.fold(first, |text, rest| text + rest);
    whole.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Score and depth of `0.35,14` or `#-3`.
fn evaluation(text: &str) -> (Option<WhiteScore>, Option<u32>) {
    let (score, depth) = text.trim().split_once(',').unwrap_or((text.trim(), ""));
    let score = if let Some(moves) = score.strip_prefix('#') {
        moves.parse().ok().filter(|moves: &i32| *moves != 0).map(WhiteScore::Mate)
    } else {
        let pawns: Option<f64> = score.parse().ok().filter(|pawns: &f64| pawns.abs() < 1000.0);
        pawns.map(|pawns| WhiteScore::Centipawns((pawns * 100.0).round() as i32))
    };
    (score, depth.parse().ok())
}

/// The command for an evaluation.
pub(super) fn eval_text(score: WhiteScore, depth: Option<u32>) -> String {
    let depth = depth.map(|depth| format!(",{depth}")).unwrap_or_default();
    match score {
        WhiteScore::Centipawns(value) => format!("[%eval {:.2}{depth}]", f64::from(value) / 100.0),
        WhiteScore::Mate(moves) => format!("[%eval #{moves}{depth}]"),
    }
}

/// Seconds of `1:02:03.4`, at most a year.
fn seconds(text: &str) -> Option<f64> {
    let mut sum = 0.0;
    for part in text.trim().split(':') {
        let value: f64 = part.parse().ok().filter(|value: &f64| *value >= 0.0)?;
        sum = sum * 60.0 + value;
    }
    (sum < 366.0 * 86_400.0).then_some(sum)
}

/// The command for a clock.
pub(super) fn clock_text(seconds: f64) -> String {
    let time = Duration::try_from_secs_f64(seconds).unwrap_or_default();
    format!("[%clk {}.{}]", clock_face(time), time.subsec_millis() / 100)
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

    #[test]
    fn nonsense_is_no_evaluation_and_no_clock() {
        for text in ["", "x", "#0", "#", "nan", "1e9", "inf,3"] {
            assert_eq!(evaluation(text).0, None, "{text}");
        }
        for text in ["", "x", "1:x", "-1", "9e99:0:0", "nan"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(clock_text(3725.25), "[%clk 1:02:05.2]");
    }
}
