//! The parameters of the search. Margins are in centipawns, depths in plies; a depth limit is the greatest depth at
//! which a step applies.

use search::runtime::Aspiration;

pub(crate) const ASPIRATION: Aspiration = Aspiration { depth: 4, margin: 30, limit: 600 };

pub(crate) const REVERSE_FUTILITY_DEPTH_LIMIT: i32 = 6;

pub(crate) const NULL_MOVE_DEPTH: i32 = 3;
pub(crate) const NULL_MOVE_REDUCTION: i32 = 3;
/// Depth in plies per additional ply of null move reduction.
pub(crate) const NULL_MOVE_PLIES_PER_REDUCTION: i32 = 4;

/// Without a hash move, nodes of at least this depth are searched a ply less deep.
pub(crate) const INTERNAL_REDUCTION_DEPTH: i32 = 5;

pub(crate) const LATE_MOVE_PRUNING_DEPTH_LIMIT: i32 = 6;
/// Number of moves at depth 0, to which the square of the depth is added.
pub(crate) const LATE_MOVE_PRUNING_BASE: i32 = 6;

pub(crate) const FUTILITY_DEPTH_LIMIT: i32 = 6;
/// Greatest depth at which captures that lose more than the margin below are pruned.
pub(crate) const EXCHANGE_DEPTH_LIMIT: i32 = 5;
pub(crate) const EXCHANGE_MARGIN_PER_PLY: i32 = 100;

pub(crate) const LATE_MOVE_REDUCTION_DEPTH: i32 = 3;
/// History value that changes a reduction by one ply.
pub(crate) const REDUCTION_HISTORY: i32 = 10_000;
/// Divisor of the reduction for captures.
pub(crate) const REDUCTION_CAPTURE_DIVISOR: i32 = 2;
/// Other adjustments of a reduction, in 1/1024 of a ply.
pub(crate) const REDUCTION_NOT_IMPROVING: i32 = 512;
pub(crate) const REDUCTION_PV: i32 = 1_024;
pub(crate) const REDUCTION_EVASION: i32 = 1_024;
pub(crate) const REDUCTION_CHECK: i32 = 1_024;

/// History bonus per ply of depth, up to the limit below.
pub(crate) const HISTORY_BONUS_PER_PLY: i32 = 160;
pub(crate) const HISTORY_BONUS_LIMIT: i32 = 1_800;

/// Forced lines are extended below this multiple of the iteration's depth.
pub(crate) const EXTENSION_SPAN: i32 = 2;

/// Order of captures: history value per centipawn of the gain.
pub(crate) const GAIN_PER_CENTIPAWN: i32 = 16;

/// Quiescence: maximum number of nodes of a line in which several forced captures are searched. Without this limit
/// there can be a million lines.
pub(crate) const MAX_CHOICES: u32 = 5;
/// Quiescence: a capture must bring the evaluation within this multiple of `Rules::SWING` of alpha.
pub(crate) const QUIESCENCE_FUTILITY_SWINGS: i32 = 2;

/// Halfmove clock from which on hash entries cause no cutoffs, as they do not take the approaching draw into account.
pub(crate) const HASH_CUTOFF_HALFMOVES: u32 = 90;
