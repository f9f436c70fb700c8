//! What a thinker found, as operations of a record.

use game::Game;
use messages::epd::{EpdMove, Evaluation, Operation, Record};

use crate::thinker::Insight;

/// Writes `pv`, `pm`, `ce`, `acd`, `acn` and `acs`, as far as they are known; what earlier analyses left of them goes.
/// Without `times`, there is no `acs`.
pub(crate) fn enter(record: &mut Record<'_>, game: &Game, insight: &Insight, times: bool) {
    for opcode in ["acd", "acn", "acs", "ce", "pm", "pv"] {
        record.remove(opcode);
    }
    let line = game.chess().map(|chess| EpdMove::line(chess, &insight.line)).unwrap_or_default();
    if let Some(best) = line.first() {
        record.set(Operation::Pm(best.clone()));
    }
    record.set(Operation::Pv(line));
    if let Some(evaluation) = insight.score.and_then(Evaluation::of) {
        record.set(Operation::Ce(evaluation));
    }
    enter_effort(record, insight.depth, insight.nodes, times.then_some(insight.time));
}

/// Writes what it took, as far as it is known.
pub(crate) fn enter_effort(
    record: &mut Record<'_>,
    depth: Option<u32>,
    nodes: Option<u64>,
    time: Option<std::time::Duration>,
) {
    let depth = depth.map(|depth| Operation::Acd(depth.into()));
    let nodes = nodes.map(Operation::Acn);
    let time = time.map(|time| Operation::Acs(time.as_secs()));
    for operation in [depth, nodes, time].into_iter().flatten() {
        record.set(operation);
    }
}
