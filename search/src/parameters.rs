//! The numbers of the search. Words: a MARGIN is in centipawns, a DEPTH in plies, a LIMIT bounds where a step applies.
//!
//! They are first choices, to be settled by games (docs/EXPERIMENTS.md tells which have been).

/// Aspiration windows are used from this depth on; below, scores move too much.
pub(crate) const ASPIRATION_DEPTH: i32 = 4;
/// Half the width of the first window.
pub(crate) const ASPIRATION_MARGIN: i32 = 18;

pub(crate) const REVERSE_FUTILITY_DEPTH_LIMIT: i32 = 8;
pub(crate) const REVERSE_FUTILITY_MARGIN_PER_PLY: i32 = 75;

pub(crate) const NULL_MOVE_DEPTH: i32 = 3;
pub(crate) const NULL_MOVE_REDUCTION: i32 = 3;
/// A null move is reduced by one more ply for each so many plies of depth.
pub(crate) const NULL_MOVE_PLIES_PER_REDUCTION: i32 = 3;
/// ... and for each such margin by which the evaluation exceeds beta, up to [`NULL_MOVE_MAX_BY_MARGIN`] plies.
pub(crate) const NULL_MOVE_MARGIN_PER_REDUCTION: i32 = 200;
pub(crate) const NULL_MOVE_MAX_BY_MARGIN: i32 = 3;

/// Without a move from the hash table, nodes of this depth are searched a ply less.
pub(crate) const INTERNAL_REDUCTION_DEPTH: i32 = 4;

pub(crate) const LATE_MOVE_PRUNING_DEPTH_LIMIT: i32 = 8;
/// Quiet moves tried at depth 0, to which the square of the depth is added.
pub(crate) const LATE_MOVE_PRUNING_BASE: i32 = 3;

pub(crate) const FUTILITY_DEPTH_LIMIT: i32 = 8;
pub(crate) const FUTILITY_MARGIN: i32 = 80;
pub(crate) const FUTILITY_MARGIN_PER_PLY: i32 = 90;

pub(crate) const SEE_PRUNING_DEPTH_LIMIT: i32 = 8;
/// Material a quiet move may lose per ply of depth ...
pub(crate) const SEE_QUIET_MARGIN_PER_PLY: i32 = 60;
/// ... and a tactical one, per squared ply.
pub(crate) const SEE_TACTICAL_MARGIN_PER_SQUARED_PLY: i32 = 25;

pub(crate) const LATE_MOVE_REDUCTION_DEPTH: i32 = 3;
/// Reductions are base + ln(depth) * ln(number) / divisor, in 1/1024 of a ply.
pub(crate) const REDUCTION_BASE: f64 = 0.8;
pub(crate) const REDUCTION_DIVISOR: f64 = 2.3;
/// History that changes a reduction by one ply.
pub(crate) const REDUCTION_HISTORY: i32 = 9_000;

/// History bonus: so much per ply of depth, up to a limit.
pub(crate) const HISTORY_BONUS_PER_PLY: i32 = 160;
pub(crate) const HISTORY_BONUS_LIMIT: i32 = 1_800;

/// In quiescence, a capture must bring the evaluation within this margin of alpha.
pub(crate) const QUIESCENCE_FUTILITY_MARGIN: i32 = 150;

/// Halfmove clock from which on results from the hash table no longer cut: a draw is near that it does not know.
pub(crate) const HASH_CUTOFF_HALFMOVES: u8 = 90;
