//! What operations demand of each other.

use std::num::NonZeroU32;

use game::epd::{Findings, Rule, Severity};

use super::moves::EpdMove;
use super::operation::Operation;
use super::values::{Evaluation, EvaluationVerdict};

/// Judges the operations of a record, each of which comes with the byte of the line at which it begins.
pub(super) fn judge<'f, 'a: 'f>(
    operations: impl Iterator<Item = (usize, &'f Operation<'a>)>,
    findings: &mut Findings<'_>,
) {
    let found = Found::new(operations);
    found.draws(findings);
    found.moves(findings);
    found.mates(findings);
    if let (Some(at), Some(_)) = (found.refcom, found.refreq) {
        findings.report(at, Rule::X7, Severity::Error, "`refcom` and `refreq` in one record");
    }
}

/// The operations that have to do with others, and where they are.
#[derive(Default)]
struct Found<'f, 'a> {
    am: Option<(usize, &'f [EpdMove<'a>])>,
    bm: Option<(usize, &'f [EpdMove<'a>])>,
    ce: Option<(usize, Evaluation)>,
    dm: Option<(usize, NonZeroU32)>,
    draw_accept: Option<usize>,
    draw_claim: Option<usize>,
    draw_offer: Option<usize>,
    draw_reject: Option<usize>,
    pm: Option<(usize, &'f EpdMove<'a>)>,
    pv: Option<(usize, &'f [EpdMove<'a>])>,
    refcom: Option<usize>,
    refreq: Option<usize>,
    resign: Option<usize>,
    sm: Option<(usize, &'f EpdMove<'a>)>,
    sv: Option<(usize, &'f [EpdMove<'a>])>,
}

impl<'f, 'a> Found<'f, 'a> {
    fn new(operations: impl Iterator<Item = (usize, &'f Operation<'a>)>) -> Found<'f, 'a> {
        let mut found = Found::default();
        for (at, operation) in operations {
            match operation {
                Operation::Am(moves) => found.am = Some((at, moves)),
                Operation::Bm(moves) => found.bm = Some((at, moves)),
                Operation::Ce(evaluation) => found.ce = Some((at, *evaluation)),
                Operation::Dm(moves) => found.dm = Some((at, *moves)),
                Operation::DrawAccept => found.draw_accept = Some(at),
                Operation::DrawClaim => found.draw_claim = Some(at),
                Operation::DrawOffer => found.draw_offer = Some(at),
                Operation::DrawReject => found.draw_reject = Some(at),
                Operation::Pm(mv) => found.pm = Some((at, mv)),
                Operation::Pv(moves) => found.pv = Some((at, moves)),
                Operation::Refcom(_) => found.refcom = Some(at),
                Operation::Refreq(_) => found.refreq = Some(at),
                Operation::Resign => found.resign = Some(at),
                Operation::Sm(mv) => found.sm = Some((at, mv)),
                Operation::Sv(moves) => found.sv = Some((at, moves)),
                _ => {}
            }
        }
        found
    }

    fn draws(&self, findings: &mut Findings<'_>) {
        let mut error = |at, rule, message: &str| findings.report(at, rule, Severity::Error, message);
        if let (Some(at), None) = (self.draw_offer, self.sm) {
            error(at, Rule::X1, "`draw_offer` without `sm`");
        }
        if let (Some(_), Some(at)) = (self.draw_accept, self.draw_reject) {
            error(at, Rule::X2, "`draw_accept` and `draw_reject` in one record");
        }
        if let (Some(_), Some(at)) = (self.draw_claim, self.draw_offer) {
            error(at, Rule::X3, "`draw_claim` and `draw_offer` in one record");
        }
        for (draw, opcode) in [
            (self.draw_accept, "draw_accept"),
            (self.draw_claim, "draw_claim"),
            (self.draw_offer, "draw_offer"),
            (self.draw_reject, "draw_reject"),
        ] {
            if let (Some(_), Some(at)) = (draw, self.resign) {
                error(at, Rule::X4, &format!("`{opcode}` and `resign` in one record"));
            }
        }
        if let (Some(at), None) = (self.draw_claim, self.sm) {
            let message = "`draw_claim` without `sm` claims the present position";
            findings.report(at, Rule::A6, Severity::Note, message);
        }
    }

    fn moves(&self, findings: &mut Findings<'_>) {
        let variations = [("pm", self.pm, "pv", self.pv, Rule::X5), ("sm", self.sm, "sv", self.sv, Rule::X6)];
        for (single, one, sequence, line, rule) in variations {
            if let (Some((at, mv)), Some((_, [first, ..]))) = (one, line)
                && !is_same(first, mv)
            {
                let message =
                    format!("`{single}` is {}, but `{sequence}` begins with {}", shown(mv), shown(first));
                findings.report(at, rule, Severity::Error, message);
            }
        }
        if let (Some((at, avoided)), Some((_, best))) = (self.am, self.bm)
            && let Some(both) = avoided.iter().find(|avoided| best.iter().any(|best| is_same(best, avoided)))
        {
            let message = format!("{} is both in `am` and in `bm`", shown(both));
            findings.report(at, Rule::X10, Severity::Note, message);
        }
    }

    fn mates(&self, findings: &mut Findings<'_>) {
        let Some((at, evaluation)) = self.ce else { return };
        // The winner mates after an odd number of plies, the loser is mated after an even one.
        let parity = match evaluation.verdict() {
            EvaluationVerdict::MateIn(plies) if plies % 2 == 0 => {
                "an odd number of plies before the mover mates"
            }
            EvaluationVerdict::MatedIn(plies) if plies % 2 == 1 => {
                "an even number of plies before the mover is mated"
            }
            _ => "",
        };
        if !parity.is_empty() {
            let message = format!("`ce {}`; expected {parity}", evaluation.value());
            findings.report(at, Rule::A4, Severity::Note, message);
        }
        if let Some((_, moves)) = self.dm
            && Evaluation::mate_in(moves.get()) != Some(evaluation)
        {
            let message = match Evaluation::mate_in(moves.get()) {
                Some(expected) => {
                    format!("`ce {}`; `dm {moves}` is {}", evaluation.value(), expected.value())
                }
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
