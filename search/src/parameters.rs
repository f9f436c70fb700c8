//! The numbers of the search. Words: a MARGIN is in centipawns, a DEPTH in plies, a LIMIT bounds where a step applies.
//!
//! They are first choices, to be settled by games (docs/EXPERIMENTS.md tells which have been).

use crate::deepening::Aspiration;

pub(crate) const ASPIRATION: Aspiration = Aspiration { depth: 4, margin: 18, limit: 500 };

/// A move that was reduced by so much is searched a ply deeper if the opponent did not lose by it ...
pub(crate) const HINDSIGHT_EXTENSION_REDUCTION: i32 = 3;
/// ... and one reduced by so much a ply less deep, if the opponent lost more than the margin.
pub(crate) const HINDSIGHT_REDUCTION_REDUCTION: i32 = 2;
pub(crate) const HINDSIGHT_MARGIN: i32 = 120;

pub(crate) const RAZORING_DEPTH_LIMIT: i32 = 4;
pub(crate) const RAZORING_MARGIN: i32 = 220;
pub(crate) const RAZORING_MARGIN_PER_SQUARED_PLY: i32 = 130;

pub(crate) const REVERSE_FUTILITY_DEPTH_LIMIT: i32 = 9;
pub(crate) const REVERSE_FUTILITY_MARGIN_PER_PLY: i32 = 70;

pub(crate) const NULL_MOVE_DEPTH: i32 = 3;
pub(crate) const NULL_MOVE_REDUCTION: i32 = 4;
/// A null move is reduced by one more ply for each so many plies of depth.
pub(crate) const NULL_MOVE_PLIES_PER_REDUCTION: i32 = 3;
/// ... and for each such margin by which the evaluation exceeds beta, up to [`NULL_MOVE_MAX_BY_MARGIN`] plies.
pub(crate) const NULL_MOVE_MARGIN_PER_REDUCTION: i32 = 200;
pub(crate) const NULL_MOVE_MAX_BY_MARGIN: i32 = 3;
/// The evaluation must exceed beta by a margin that the depth brings down.
pub(crate) const NULL_MOVE_MARGIN: i32 = 160;
pub(crate) const NULL_MOVE_MARGIN_PER_PLY: i32 = 20;
pub(crate) const NULL_MOVE_VERIFICATION_DEPTH: i32 = 14;

pub(crate) const PROBCUT_DEPTH: i32 = 5;
pub(crate) const PROBCUT_REDUCTION: i32 = 3;
pub(crate) const PROBCUT_MARGIN: i32 = 180;
pub(crate) const PROBCUT_IMPROVING_MARGIN: i32 = 50;

/// Without a move from the hash table, nodes of this depth are searched a ply less.
pub(crate) const INTERNAL_REDUCTION_DEPTH: i32 = 4;

pub(crate) const LATE_MOVE_PRUNING_DEPTH_LIMIT: i32 = 8;
/// Quiet moves tried at depth 0, to which the square of the depth is added.
pub(crate) const LATE_MOVE_PRUNING_BASE: i32 = 4;

pub(crate) const HISTORY_PRUNING_DEPTH_LIMIT: i32 = 5;
pub(crate) const HISTORY_PRUNING_PER_PLY: i32 = 4_000;

pub(crate) const FUTILITY_DEPTH_LIMIT: i32 = 8;
pub(crate) const FUTILITY_MARGIN: i32 = 90;
pub(crate) const FUTILITY_MARGIN_PER_PLY: i32 = 95;
/// History that changes the margin by a centipawn.
pub(crate) const FUTILITY_HISTORY_PER_CENTIPAWN: i32 = 300;
pub(crate) const TACTICAL_FUTILITY_MARGIN: i32 = 200;
pub(crate) const TACTICAL_FUTILITY_MARGIN_PER_PLY: i32 = 180;

pub(crate) const SEE_PRUNING_DEPTH_LIMIT: i32 = 9;
/// Material a quiet move may lose per squared ply of depth ...
pub(crate) const SEE_QUIET_MARGIN_PER_SQUARED_PLY: i32 = 22;
/// ... and a tactical one, per ply.
pub(crate) const SEE_TACTICAL_MARGIN_PER_PLY: i32 = 110;

pub(crate) const SINGULAR_DEPTH: i32 = 7;
/// The hash entry may be so many plies shallower than the node.
pub(crate) const SINGULAR_ENTRY_DEPTH: i32 = 3;
pub(crate) const SINGULAR_MARGIN_PER_PLY: i32 = 1;
pub(crate) const DOUBLE_EXTENSION_MARGIN: i32 = 18;

pub(crate) const LATE_MOVE_REDUCTION_DEPTH: i32 = 2;
/// Reductions are base + ln(depth) * ln(number) / divisor, in 1/1024 of a ply.
pub(crate) const REDUCTION_BASE: f64 = 0.8;
pub(crate) const REDUCTION_DIVISOR: f64 = 2.3;
/// History that changes a reduction by one ply.
pub(crate) const REDUCTION_HISTORY: i32 = 12_000;
pub(crate) const REDUCTION_CAPTURE_HISTORY: i32 = 10_000;
/// What else changes a reduction, in 1/1024 of a ply.
pub(crate) const REDUCTION_CUT: i32 = 1_400;
pub(crate) const REDUCTION_PV: i32 = 1_024;
pub(crate) const REDUCTION_EVASION: i32 = 1_024;
pub(crate) const REDUCTION_CHECK: i32 = 1_024;
pub(crate) const REDUCTION_ROOT: i32 = 1_024;
pub(crate) const REDUCTION_NOT_IMPROVING: i32 = 512;
pub(crate) const REDUCTION_TACTICAL_HASH_MOVE: i32 = 700;
pub(crate) const REDUCTION_MANY_CUTOFFS: i32 = 700;
/// More cutoffs than these below a node show that its moves are easily refuted.
pub(crate) const MANY_CUTOFFS: u32 = 3;

/// A reduced move that beats the best by so much, and twice the depth, is searched a ply deeper ...
pub(crate) const DEEPER_MARGIN: i32 = 40;
/// ... and one that beats it by less than this a ply less deep.
pub(crate) const SHALLOWER_MARGIN: i32 = 8;

/// In the order of quiet moves: history's worth of a centipawn of a piece that leaves or enters a threat.
pub(crate) const SAFETY_PER_CENTIPAWN: i32 = 16;

/// History bonus: so much per ply of depth, up to a limit.
pub(crate) const HISTORY_BONUS_PER_PLY: i32 = 160;
pub(crate) const HISTORY_BONUS_LIMIT: i32 = 1_800;

/// In quiescence, a capture must bring the evaluation within this margin of alpha.
pub(crate) const QUIESCENCE_FUTILITY_MARGIN: i32 = 150;

/// Halfmove clock from which on results from the hash table no longer cut: a draw is near that it does not know.
pub(crate) const HASH_CUTOFF_HALFMOVES: u8 = 90;
