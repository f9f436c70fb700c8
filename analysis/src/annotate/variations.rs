//! The moves of variations.

use std::slice;

use game::{Annotation, Game, GameTree, MoveLine};

/// What is wrong with the moves of variations, with lines: the first move of each that can't be played. `start` is the game before
/// its first move, `lines` are those of the moves of variations in the order of the text.
pub(super) fn faults(tree: &GameTree, start: Game, lines: &[u64]) -> Vec<(u64, String)> {
    let mut check = VariationCheck { game: start, lines: lines.iter(), faults: Vec::new() };
    check.line(&tree.mainline, true, true);
    check.faults
}

struct VariationCheck<'a> {
    game: Game,
    lines: slice::Iter<'a, u64>,
    faults: Vec<(u64, String)>,
}

impl VariationCheck<'_> {
    /// Plays a line and takes it back. Of one that is not `known`, the position is not known.
    fn line(&mut self, line: &MoveLine, mut known: bool, is_mainline: bool) {
        let mut played = 0;
        self.variations(&line.before, known);
        for node in &line.moves {
            let at = if is_mainline { None } else { self.lines.next() };
            let mv = known.then(|| self.game.parse_move(&node.text));
            // They replace this move.
            self.variations(&node.after, known);
            let mv = mv.transpose().unwrap_or_else(|fault| {
                if let Some(at) = at.filter(|_| !is_null_move(&node.text)) {
                    self.faults.push((*at, format!("in a variation: {fault}")));
                }
                None
            });
            known = mv.is_some_and(|mv| self.game.play(mv).is_ok());
            played += usize::from(known);
        }
        for _ in 0..played {
            self.game.undo();
        }
    }

    fn variations(&mut self, annotations: &[Annotation], known: bool) {
        for annotation in annotations {
            if let Annotation::Variation(line) = annotation {
                self.line(line, known, false);
            }
        }
    }
}

/// Whether a move is none, by custom: a threat is shown after it.
fn is_null_move(text: &str) -> bool {
    matches!(text, "--" | "Z0" | "0000" | "@@@@")
}
