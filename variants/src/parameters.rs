//! The numbers of the search. Words: a MARGIN is in centipawns, a DEPTH in plies, a LIMIT bounds where a step applies.

use search::runtime::Aspiration;

pub(crate) const ASPIRATION: Aspiration = Aspiration { depth: 4, margin: 30, limit: 600 };

pub(crate) const REVERSE_FUTILITY_DEPTH_LIMIT: i32 = 6;

pub(crate) const NULL_MOVE_DEPTH: i32 = 3;
pub(crate) const NULL_MOVE_REDUCTION: i32 = 3;
/// A null move is reduced by one more ply for each so many plies of depth.
pub(crate) const NULL_MOVE_PLIES_PER_REDUCTION: i32 = 4;

/// Without a move from the hash table, nodes of this depth are searched a ply less.
pub(crate) const INTERNAL_REDUCTION_DEPTH: i32 = 5;

pub(crate) const LATE_MOVE_PRUNING_DEPTH_LIMIT: i32 = 6;
/// Quiet moves tried at depth 0, to which the square of the depth is added.
pub(crate) const LATE_MOVE_PRUNING_BASE: i32 = 6;

pub(crate) const FUTILITY_DEPTH_LIMIT: i32 = 6;
/// Bad captures may lose so much per ply of depth.
pub(crate) const EXCHANGE_DEPTH_LIMIT: i32 = 5;
pub(crate) const EXCHANGE_MARGIN_PER_PLY: i32 = 100;

pub(crate) const LATE_MOVE_REDUCTION_DEPTH: i32 = 3;
/// History that changes a reduction by one ply.
pub(crate) const REDUCTION_HISTORY: i32 = 10_000;
/// Captures have this part of it.
pub(crate) const REDUCTION_CAPTURE_DIVISOR: i32 = 2;
/// What else changes a reduction, in 1/1024 of a ply.
pub(crate) const REDUCTION_NOT_IMPROVING: i32 = 512;
pub(crate) const REDUCTION_PV: i32 = 1_024;
pub(crate) const REDUCTION_EVASION: i32 = 1_024;
pub(crate) const REDUCTION_CHECK: i32 = 1_024;

/// History bonus: so much per ply of depth, up to a limit.
pub(crate) const HISTORY_BONUS_PER_PLY: i32 = 160;
pub(crate) const HISTORY_BONUS_LIMIT: i32 = 1_800;

/// Forced lines are extended up to so many times the depth of the iteration.
pub(crate) const EXTENSION_SPAN: i32 = 2;

/// In the order of captures: history's worth of a centipawn that is gained.
pub(crate) const GAIN_PER_CENTIPAWN: i32 = 16;

/// How often in a line of quiescence forced captures that leave a choice are looked at: where all of them are, there may be
/// a million lines.
pub(crate) const MAX_CHOICES: u32 = 5;
/// In quiescence, a capture must bring the evaluation within so many swings of alpha.
pub(crate) const QUIESCENCE_FUTILITY_SWINGS: i32 = 2;

/// Halfmove clock from which on results from the hash table no longer cut: a draw is near that it does not know.
pub(crate) const HASH_CUTOFF_HALFMOVES: u32 = 90;
