//! What operations demand of each other.

use game::Score;
use game::epd::{Findings, Rule, Severity};

use super::moves::EpdMove;
use super::operation::Operation;
use super::values::EpdEvaluation;

/// Judges the operations of a record, which are in their order. `places` are the bytes of the line at which they begin.
pub(super) fn judge(operations: &[Operation<'_>], places: &[usize], findings: &mut Findings<'_>) {
    // Few records have an operation that a rule begins with.
    let is_bound = |operation: &Operation<'_>| {
        use Operation as O;
        matches!(
            operation,
            O::Am(_) | O::Ce(_) | O::Pm(_) | O::Sm(_) | O::DrawClaim | O::DrawOffer | O::DrawReject
        ) || matches!(operation, O::Refcom(_) | O::Resign)
    };
    if operations.iter().any(is_bound) {
        let record = Judge { operations, places };
        record.draws(findings);
        record.moves(findings);
        record.mates(findings);
        if let (Some(at), Some(_)) = (record.place("refcom"), record.place("refreq")) {
            findings.report(at, Rule::X7, Severity::Error, "`refcom` and `refreq` in one record");
        }
    }
}

/// Operations that exclude each other; the second one is at fault.
const EXCLUSIONS: [(&str, &str, Rule); 6] = [
    ("draw_accept", "draw_reject", Rule::X2),
    ("draw_claim", "draw_offer", Rule::X3),
    ("draw_accept", "resign", Rule::X4),
    ("draw_claim", "resign", Rule::X4),
    ("draw_offer", "resign", Rule::X4),
    ("draw_reject", "resign", Rule::X4),
];

struct Judge<'r, 'a> {
    operations: &'r [Operation<'a>],
    places: &'r [usize],
}

impl<'r, 'a> Judge<'r, 'a> {
    /// The operation with that opcode, if its operands were understood, and where it begins.
    fn find(&self, opcode: &str) -> Option<(usize, &'r Operation<'a>)> {
        let mut operations = self.places.iter().copied().zip(self.operations);
        operations.find(|(_, operation)| {
            operation.opcode() == opcode && !matches!(operation, Operation::Other { .. })
        })
    }

    fn place(&self, opcode: &str) -> Option<usize> {
        self.find(opcode).map(|(at, _)| at)
    }

    /// The moves of an operation with that opcode.
    fn listed(&self, opcode: &str) -> Option<(usize, &'r [EpdMove<'a>])> {
        let (at, operation) = self.find(opcode)?;
        Some((at, operation.moves()))
    }

    fn draws(&self, findings: &mut Findings<'_>) {
        let has_move = self.place("sm").is_some();
        if let Some(at) = self.place("draw_offer").filter(|_| !has_move) {
            findings.report(at, Rule::X1, Severity::Error, "`draw_offer` without `sm`");
        }
        for (one, other, rule) in EXCLUSIONS {
            if let (Some(_), Some(at)) = (self.place(one), self.place(other)) {
                let message = format!("`{one}` and `{other}` in one record");
                findings.report(at, rule, Severity::Error, message);
            }
        }
        if let Some(at) = self.place("draw_claim").filter(|_| !has_move) {
            let message = "`draw_claim` without `sm` claims the present position";
            findings.report(at, Rule::A6, Severity::Note, message);
        }
    }

    fn moves(&self, findings: &mut Findings<'_>) {
        for (single, sequence, rule) in [("pm", "pv", Rule::X5), ("sm", "sv", Rule::X6)] {
            if let (Some((at, [mv])), Some((_, [first, ..]))) = (self.listed(single), self.listed(sequence))
                && !is_same(first, mv)
            {
                let message =
                    format!("`{single}` is {}, but `{sequence}` begins with {}", shown(mv), shown(first));
                findings.report(at, rule, Severity::Error, message);
            }
        }
        if let (Some((at, avoided)), Some((_, best))) = (self.listed("am"), self.listed("bm"))
            && let Some(both) = avoided.iter().find(|avoided| best.iter().any(|best| is_same(best, avoided)))
        {
            let message = format!("{} is both in `am` and in `bm`", shown(both));
            findings.report(at, Rule::X10, Severity::Note, message);
        }
    }

    fn mates(&self, findings: &mut Findings<'_>) {
        let Some((at, Operation::Ce(evaluation))) = self.find("ce") else { return };
        // The winner mates after an odd number of plies, the loser is mated after an even one.
        let is_odd = evaluation.value() % 2 != 0;
        let parity = match evaluation.score() {
            Some(Score::MateIn(_)) if is_odd => Some("an odd number of plies before the mover mates"),
            Some(Score::MatedIn(_)) if !is_odd => Some("an even number of plies before the mover is mated"),
            _ => None,
        };
        if let Some(parity) = parity {
            let message = format!("`ce {evaluation}`; expected {parity}");
            findings.report(at, Rule::A4, Severity::Note, message);
        }
        let Some((_, Operation::Dm(moves))) = self.find("dm") else { return };
        let expected = EpdEvaluation::of(Score::MateIn(moves.get()));
        if expected != Some(*evaluation) {
            let message = match expected {
                Some(expected) => format!("`ce {evaluation}`; `dm {moves}` is {expected}"),
                None => format!("`dm {moves}` is too far away for `ce`"),
            };
            findings.report(at, Rule::X11, Severity::Note, message);
        }
    }
}

fn is_same(one: &EpdMove<'_>, other: &EpdMove<'_>) -> bool {
    match (one.legal(), other.legal()) {
        (Some(one), Some(other)) => one == other,
        _ => one.text() == other.text(),
    }
}

fn shown(mv: &EpdMove<'_>) -> String {
    game::excerpt(&mv.text())
}
