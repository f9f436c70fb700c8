//! Rules about combinations of operations.

use game::Score;
use game::epd::{Findings, Rule, Severity};

use super::record::Place;
use super::{EpdEvaluation, EpdMove, Operation, Record};

/// Checks the operations of a record. `places`: where they were read.
pub(super) fn judge<'a>(record: &Record<'a>, places: &[Place], findings: &mut Findings<'a>) {
    // Fast path: most records have no operation to which a rule applies.
    let is_bound = |operation: &Operation<'_>| {
        use Operation as O;
        matches!(
            operation,
            O::Am(_) | O::Ce(_) | O::Pm(_) | O::Sm(_) | O::DrawClaim | O::DrawOffer | O::DrawReject
        ) || matches!(operation, O::Refcom(_) | O::Resign)
    };
    if record.operations().iter().any(is_bound) {
        let mut judge = Judge { record, places, findings };
        judge.draws();
        judge.moves();
        judge.mates();
        if record.refcom().is_some() && record.refreq().is_some() {
            judge.report("refcom", Rule::X7, Severity::Error, "`refcom` and `refreq` in one record");
        }
    }
}

/// Operations that exclude each other; the second one is reported.
const EXCLUSIONS: [(&str, &str, Rule); 6] = [
    ("draw_accept", "draw_reject", Rule::X2),
    ("draw_claim", "draw_offer", Rule::X3),
    ("draw_accept", "resign", Rule::X4),
    ("draw_claim", "resign", Rule::X4),
    ("draw_offer", "resign", Rule::X4),
    ("draw_reject", "resign", Rule::X4),
];

struct Judge<'r, 'a> {
    record: &'r Record<'a>,
    places: &'r [Place],
    findings: &'r mut Findings<'a>,
}

impl Judge<'_, '_> {
    /// Returns true if the record has an operation with this opcode and valid operands.
    fn has(&self, opcode: &str) -> bool {
        self.record.get(opcode).is_some_and(|operation| !matches!(operation, Operation::Other { .. }))
    }

    fn report(&mut self, opcode: &str, rule: Rule, severity: Severity, message: impl Into<String>) {
        let mut places = self.record.operations().iter().zip(self.places);
        let place = places.find(|(operation, _)| operation.opcode() == opcode);
        self.findings.report(place.map_or(0, |(_, place)| place.at), rule, severity, message);
    }

    fn draws(&mut self) {
        let has_move = self.has("sm");
        if self.has("draw_offer") && !has_move {
            self.report("draw_offer", Rule::X1, Severity::Error, "`draw_offer` without `sm`");
        }
        for (one, other, rule) in EXCLUSIONS {
            if self.has(one) && self.has(other) {
                self.report(other, rule, Severity::Error, format!("`{one}` and `{other}` in one record"));
            }
        }
        if self.has("draw_claim") && !has_move {
            let message = "`draw_claim` without `sm` claims the present position";
            self.report("draw_claim", Rule::A6, Severity::Note, message);
        }
    }

    fn moves(&mut self) {
        let record = self.record;
        for (single, sequence, rule) in [("pm", "pv", Rule::X5), ("sm", "sv", Rule::X6)] {
            if let ([mv], [first, ..]) = (record.moves(single), record.moves(sequence))
                && !is_same(first, mv)
            {
                let message =
                    format!("`{single}` is {}, but `{sequence}` begins with {}", shown(mv), shown(first));
                self.report(single, rule, Severity::Error, message);
            }
        }
        let best = record.moves("bm");
        let is_best = |avoided: &&EpdMove<'_>| best.iter().any(|best| is_same(best, avoided));
        if let Some(both) = record.moves("am").iter().find(is_best) {
            let message = format!("{} is both in `am` and in `bm`", shown(both));
            self.report("am", Rule::X10, Severity::Note, message);
        }
    }

    fn mates(&mut self) {
        let Some(evaluation) = self.record.ce() else { return };
        // The side to move mates after an odd number of plies and is mated after an even number.
        let is_odd = evaluation.value() % 2 != 0;
        let parity = match evaluation.score() {
            Some(Score::MateIn(_)) if is_odd => Some("an odd number of plies before the mover mates"),
            Some(Score::MatedIn(_)) if !is_odd => Some("an even number of plies before the mover is mated"),
            _ => None,
        };
        if let Some(parity) = parity {
            let message = format!("`ce {evaluation}`; expected {parity}");
            self.report("ce", Rule::A4, Severity::Note, message);
        }
        let Some(moves) = self.record.dm() else { return };
        let expected = EpdEvaluation::of(Score::MateIn(moves.get()));
        if expected != Some(*evaluation) {
            let message = match expected {
                Some(expected) => format!("`ce {evaluation}`; `dm {moves}` is {expected}"),
                None => format!("`dm {moves}` exceeds the range of `ce`"),
            };
            self.report("ce", Rule::X11, Severity::Note, message);
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
