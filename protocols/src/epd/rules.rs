//! What operations demand of each other.

use engine::epd::{Findings, Rule, Severity};

use super::moves::EpdMove;
use super::operation::Operation;
use super::values::{Evaluation, EvaluationVerdict};

/// An operation, and at which byte of the line it begins.
pub(super) type Placed<'a> = (usize, Operation<'a>);

/// Judges the operations of a record, which are in their order.
pub(super) fn judge<'a>(operations: &[Placed<'a>], findings: &mut Findings<'a>) {
    let mut judge = Judge { operations, findings };
    judge.draws();
    judge.moves();
    judge.mates();
    if let (Some((at, _)), Some(_)) = (judge.find("refcom"), judge.find("refreq")) {
        judge.error(at, Rule::X7, "`refcom` and `refreq` in one record");
    }
}

struct Judge<'f, 'a> {
    operations: &'f [Placed<'a>],
    findings: &'f mut Findings<'a>,
}

impl<'f, 'a> Judge<'f, 'a> {
    fn find(&self, opcode: &str) -> Option<(usize, &'f Operation<'a>)> {
        self.operations
            .iter()
            .find(|(_, operation)| operation.opcode() == opcode)
            .map(|(at, found)| (*at, found))
    }

    fn has(&self, opcode: &str) -> bool {
        self.find(opcode).is_some()
    }

    fn error(&mut self, at: usize, rule: Rule, message: &str) {
        self.findings.report(at, rule, Severity::Error, message);
    }

    fn note(&mut self, at: usize, rule: Rule, message: String) {
        self.findings.report(at, rule, Severity::Note, message);
    }

    fn draws(&mut self) {
        if let Some((at, _)) = self.find("draw_offer").filter(|_| !self.has("sm")) {
            self.error(at, Rule::X1, "`draw_offer` without `sm`");
        }
        if let Some((at, _)) = self.find("draw_claim").filter(|_| !self.has("sm")) {
            self.note(at, Rule::A6, "`draw_claim` without `sm` claims the present position".into());
        }
        if let Some((at, _)) = self.find("draw_reject").filter(|_| self.has("draw_accept")) {
            self.error(at, Rule::X2, "`draw_accept` and `draw_reject` in one record");
        }
        if let Some((at, _)) = self.find("draw_offer").filter(|_| self.has("draw_claim")) {
            self.error(at, Rule::X3, "`draw_claim` and `draw_offer` in one record");
        }
        for opcode in ["draw_accept", "draw_claim", "draw_offer", "draw_reject"] {
            if let Some((at, _)) = self.find("resign").filter(|_| self.has(opcode)) {
                self.error(at, Rule::X4, &format!("`{opcode}` and `resign` in one record"));
            }
        }
    }

    fn moves(&mut self) {
        for (single, sequence, rule) in [("pm", "pv", Rule::X5), ("sm", "sv", Rule::X6)] {
            if let (
                Some((at, Operation::Pm(mv) | Operation::Sm(mv))),
                Some((_, Operation::Pv(line) | Operation::Sv(line))),
            ) = (self.find(single), self.find(sequence))
                && let Some(first) = line.first().filter(|first| !is_same(first, mv))
            {
                let message =
                    format!("`{single}` is {}, but `{sequence}` begins with {}", shown(mv), shown(first));
                self.error(at, rule, &message);
            }
        }
        if let (Some((at, Operation::Am(avoided))), Some((_, Operation::Bm(best)))) =
            (self.find("am"), self.find("bm"))
            && let Some(both) = avoided.iter().find(|avoided| best.iter().any(|best| is_same(best, avoided)))
        {
            self.note(at, Rule::X10, format!("{} is both in `am` and in `bm`", shown(both)));
        }
    }

    fn mates(&mut self) {
        let Some((at, Operation::Ce(evaluation))) = self.find("ce") else { return };
        judge_parity(at, *evaluation, self.findings);
        if let Some((at, Operation::Dm(moves))) = self.find("dm") {
            let expected = Evaluation::mate_in(moves.get());
            if expected != Some(*evaluation) {
                let expected = expected.map_or("no such mate".to_owned(), |value| value.value().to_string());
                let message = format!("`dm {moves}`, but `ce {}`; expected {expected}", evaluation.value());
                self.note(at, Rule::X11, message);
            }
        }
    }
}

/// The winner mates after an odd number of plies, the loser is mated after an even one.
fn judge_parity(at: usize, evaluation: Evaluation, findings: &mut Findings<'_>) {
    let parity = match evaluation.verdict() {
        EvaluationVerdict::MateIn(plies) if plies % 2 == 0 => "an odd number of plies before the mover mates",
        EvaluationVerdict::MatedIn(plies) if plies % 2 == 1 => {
            "an even number of plies before the mover is mated"
        }
        _ => return,
    };
    let message = format!("`ce {}`; expected {parity}", evaluation.value());
    findings.report(at, Rule::A4, Severity::Note, message);
}

fn is_same(one: &EpdMove<'_>, other: &EpdMove<'_>) -> bool {
    match (one.legal(), other.legal()) {
        (Some(one), Some(other)) => one == other,
        _ => one.text() == other.text(),
    }
}

fn shown(mv: &EpdMove<'_>) -> String {
    engine::excerpt(&mv.text())
}
