//! The numbers of the search. Words: a margin is in centipawns, a depth in plies, a limit bounds where a step applies.
//!
//! They are first choices, to be settled by games (docs/EXPERIMENTS.md tells which have been). In a build with the feature `tuning`
//! they can be set at run time, each by its name here as a UCI option; without it they are constants.

/// Defines parameters: for each a function that gives its value and, for tuning, a place where it can be changed.
macro_rules! parameters {
    ($($(#[doc = $text:expr])* $name:ident = $value:expr;)*) => {
        $(
            $(#[doc = $text])*
            #[inline(always)]
            pub(crate) fn $name() -> i32 {
                #[cfg(feature = "tuning")]
                return tuned::$name.load(std::sync::atomic::Ordering::Relaxed);
                #[cfg(not(feature = "tuning"))]
                $value
            }
        )*

        #[cfg(feature = "tuning")]
        #[expect(non_upper_case_globals, reason = "named like what they are the values of")]
        mod tuned {
            use std::sync::atomic::AtomicI32;

            $(pub(super) static $name: AtomicI32 = AtomicI32::new($value);)*
        }

        /// All parameters of the search.
        #[cfg(feature = "tuning")]
        pub static PARAMETERS: &[Parameter] =
            &[$(Parameter { name: stringify!($name), default: $value, value: &tuned::$name }),*];
    };
}

/// A number of the search that can be changed while the program runs.
#[cfg(feature = "tuning")]
#[derive(Debug)]
pub struct Parameter {
    /// As in the search.
    pub name: &'static str,
    /// What it is unless it was changed.
    pub default: i32,
    value: &'static std::sync::atomic::AtomicI32,
}

#[cfg(feature = "tuning")]
impl Parameter {
    /// Changes it for all searches to come. What was made from it earlier (the table of reductions) is made anew for the next game.
    pub fn set(&self, value: i32) {
        self.value.store(value, std::sync::atomic::Ordering::Relaxed);
    }
}

parameters! {
    /// Windows around the expected score are used from this depth on; below, scores move too much.
    aspiration_depth = 4;
    /// Half the width of the first one ...
    aspiration_margin = 18;
    /// ... and a margin that has grown beyond this is given up.
    aspiration_limit = 500;

    /// Plies by which the search goes deeper where the side to move is in check.
    check_extension = 1;

    /// A move that was reduced by so much is searched a ply deeper if the opponent did not lose by it ...
    hindsight_extension_reduction = 3;
    /// ... and one reduced by so much a ply less deep, if the opponent lost more than the margin.
    hindsight_reduction_reduction = 2;
    hindsight_margin = 120;

    razoring_depth_limit = 4;
    razoring_margin = 220;
    razoring_margin_per_squared_ply = 130;

    reverse_futility_depth_limit = 9;
    reverse_futility_margin_per_ply = 70;

    null_move_depth = 3;
    null_move_reduction = 4;
    /// A null move is reduced by one more ply for each so many plies of depth.
    null_move_plies_per_reduction = 3;
    /// ... and for each such margin by which the evaluation exceeds beta, up to [`null_move_max_by_margin`] plies.
    null_move_margin_per_reduction = 200;
    null_move_max_by_margin = 3;
    /// The evaluation must exceed beta by a margin that the depth brings down.
    null_move_margin = 160;
    null_move_margin_per_ply = 20;
    null_move_verification_depth = 14;

    probcut_depth = 5;
    probcut_reduction = 3;
    probcut_margin = 180;
    probcut_improving_margin = 50;

    /// Without a move from the hash table, nodes of this depth are searched a ply less.
    internal_reduction_depth = 4;

    late_move_pruning_depth_limit = 8;
    /// Quiet moves tried at depth 0, to which the square of the depth is added.
    late_move_pruning_base = 4;

    history_pruning_depth_limit = 5;
    history_pruning_per_ply = 4_000;

    futility_depth_limit = 8;
    futility_margin = 90;
    futility_margin_per_ply = 95;
    /// History that changes the margin by a centipawn.
    futility_history_per_centipawn = 300;
    tactical_futility_margin = 200;
    tactical_futility_margin_per_ply = 180;

    see_pruning_depth_limit = 9;
    /// Material a quiet move may lose per squared ply of depth ...
    see_quiet_margin_per_squared_ply = 22;
    /// ... and a tactical one, per ply.
    see_tactical_margin_per_ply = 110;

    singular_depth = 7;
    /// The hash entry may be so many plies shallower than the node.
    singular_entry_depth = 3;
    singular_margin_per_ply = 3;
    /// How far above beta the other moves must be for several to cut.
    multicut_margin = 0;
    double_extension_margin = 18;
    /// Plies less for a hash move that is not singular although it reached beta before ...
    negative_extension = 2;
    /// ... and for one that did not, where a cut is expected.
    negative_extension_in_cut_nodes = 1;

    late_move_reduction_depth = 2;
    /// Reductions are base + ln(depth) * ln(number) / divisor, both in hundredths.
    reduction_base = 80;
    reduction_divisor = 230;
    /// History that changes a reduction by one ply.
    reduction_history = 12_000;
    reduction_capture_history = 10_000;
    /// What else changes a reduction, in 1/1024 of a ply.
    reduction_cut = 1_400;
    reduction_pv = 1_024;
    reduction_evasion = 1_024;
    reduction_check = 1_024;
    reduction_root = 3_072;
    reduction_not_improving = 512;
    reduction_tactical_hash_move = 700;
    reduction_many_cutoffs = 700;
    /// More cutoffs than these below a node show that its moves are easily refuted.
    many_cutoffs = 3;

    /// A reduced move that beats the best by so much, and twice the depth, is searched a ply deeper ...
    deeper_margin = 40;
    /// ... and one that beats it by less than this a ply less deep.
    shallower_margin = 8;

    /// In the order of quiet moves: history's worth of a centipawn of a piece that leaves or enters a threat.
    safety_per_centipawn = 16;

    /// History bonus: so much per ply of depth, up to a limit.
    history_bonus_per_ply = 160;
    history_bonus_limit = 1_800;

    /// The sum of the entries for a position is divided by this to give the centipawns that its evaluation is corrected by.
    correction_entries_per_centipawn = 28;

    /// In quiescence, a capture must bring the evaluation within this margin of alpha ...
    quiescence_futility_margin = 150;
    /// ... and win so much by exchanges.
    quiescence_see_threshold = 0;

    /// Halfmove clock from which on results from the hash table no longer cut: a draw is near that it does not know.
    hash_cutoff_halfmoves = 90;

    /// Moves that a game is expected to last when the clock does not say.
    expected_moves = 28;
    /// Of a long session, at most so many moves are planned for: positions at hand matter more than those to come.
    max_planned_moves = 40;
    /// Overheads that are not for spending: now and then a machine stands still for longer than one, and who lives on the
    /// increment would have nothing left then ...
    reserved_overheads = 8;
    /// ... but at most so much of what is left, in percent.
    max_reserved_percent = 75;
    /// Share of the increment that each move may count on, in percent.
    increment_percent = 75;
    /// The soft limit of time, in percent of a move's equal share: the rest goes to moves that need more.
    soft_limit_percent = 70;
    /// The hard limit of time, in equal shares.
    hard_limit_shares = 4;
    /// The most that one move may take of what is left while others must follow, in percent ...
    max_percent_of_move = 40;
    /// ... and the last one before new time comes.
    max_percent_of_last_move = 90;
    /// The soft limit is stretched to so many percent if the best move took no share of the nodes ...
    stretch_of_no_share = 210;
    /// ... and to so many less if it took all.
    stretch_by_share = 140;
    /// Percent by which it is stretched, at most, by a falling score, and cut by a rising one.
    max_stretch_by_falling_score = 50;
    max_cut_by_rising_score = 10;

    /// When threads vote: what the lowest score counts in centipawns, so that its depth still has a say.
    vote_of_lowest_score = 14;

    /// Steps that have no numbers, 1 or, to see what they are worth, 0.
    upcoming_repetition = 1;
    mate_distance_pruning = 1;
    killer_moves = 1;
    improving = 1;
    /// A node counts as one of the principal variation for longer than it is.
    remembered_pv = 1;
    /// The hash table's score stands in for the static evaluation where it is nearer the truth.
    hash_score_as_evaluation = 1;
    /// Static evaluations are taken from the hash table.
    cached_evaluation = 1;
    fifty_moves_in_hash_key = 1;
    quiescence_evasions = 1;
    quiescence_hash_table = 1;
    butterfly_history = 1;
    threats_in_butterfly_history = 1;
    pawn_history = 1;
    continuation_history = 1;
    capture_history = 1;
    pawn_correction = 1;
    non_pawn_correction = 1;
    continuation_correction = 1;
    /// What stretches the soft limit of time.
    best_move_stability = 1;
    node_share_of_best_move = 1;
    score_trend = 1;
    /// Threads vote for the move; otherwise the first one has the say.
    voting = 1;
}

/// To how many percent the soft limit of time is stretched, by the number of iterations for which the best move has been
/// the same.
pub(crate) const STRETCH_BY_UNCHANGED_MOVE: [i32; 7] = [140, 118, 104, 97, 92, 88, 85];
