//! The parameters of the search. Margins are in centipawns, depths in plies; a depth limit is the greatest depth at
//! which a step applies.
//!
//! They are initial guesses unless docs/EXPERIMENTS.md shows a match that settled them. In a build with the feature
//! `tuning` each can be set at run time as a UCI option of the same name, and steps of the search can be left out
//! ([`step`]); without it they are constants and all steps are taken. Sizes of tables are defined beside the tables.

/// Defines each parameter as a function that returns its value, and the names of the steps that can be left out.
macro_rules! parameters {
    (
        $($(#[doc = $text:expr])* $name:ident = $value:expr;)*
        [steps] $($(#[doc = $step_text:expr])* $step:ident;)*
    ) => {
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

        /// The current values of the parameters, and 1 for each step that is taken.
        #[cfg(feature = "tuning")]
        #[expect(non_upper_case_globals, reason = "named like what they are the values of")]
        pub(crate) mod tuned {
            use std::sync::atomic::AtomicI32;

            $(pub(super) static $name: AtomicI32 = AtomicI32::new($value);)*
            $($(#[doc = $step_text])* pub(crate) static $step: AtomicI32 = AtomicI32::new(1);)*
        }

        /// All parameters and steps of the search.
        #[cfg(feature = "tuning")]
        pub static PARAMETERS: &[Parameter] = &[
            $(Parameter { name: stringify!($name), default: $value, value: &tuned::$name },)*
            $(Parameter { name: stringify!($step), default: 1, value: &tuned::$step },)*
        ];
    };
}

/// `step!(name, result)` is the result of a step of the search. In a build with the feature `tuning` the step is left out when its
/// parameter is 0: then the result is `false`, 0 or `None`, or what stands after `else`.
#[cfg(not(feature = "tuning"))]
macro_rules! step {
    ($name:ident, $result:expr $(, else $without:expr)?) => {
        $result
    };
}

#[cfg(feature = "tuning")]
macro_rules! step {
    ($name:ident, $result:expr) => {
        step!($name, $result, else Default::default())
    };
    ($name:ident, $result:expr, else $without:expr) => {
        if $crate::parameters::tuned::$name.load(std::sync::atomic::Ordering::Relaxed) > 0 {
            $result
        } else {
            $without
        }
    };
}

pub(crate) use step;

/// A parameter of the search that can be changed at run time.
#[cfg(feature = "tuning")]
#[derive(Debug)]
pub struct Parameter {
    /// Name of the parameter or step.
    pub name: &'static str,
    /// Default value.
    pub default: i32,
    value: &'static std::sync::atomic::AtomicI32,
}

#[cfg(feature = "tuning")]
impl Parameter {
    /// Sets the value for all following searches. The table of reductions, which is computed from parameters, is
    /// updated for the next game.
    pub fn set(&self, value: i32) {
        self.value.store(value, std::sync::atomic::Ordering::Relaxed);
    }
}

parameters! {
    /// Aspiration windows are used from this depth on; at lower depths scores change too much.
    aspiration_depth = 4;
    /// Half the width of the first aspiration window.
    aspiration_margin = 17;
    /// A margin that has grown beyond this is replaced by an open window.
    aspiration_limit = 500;

    /// Extension in plies if the side to move is in check.
    check_extension = 1;

    /// Hindsight extension: a move reduced by at least this many plies is searched a ply deeper if it has not worsened
    /// the evaluation of the opponent, who is to move.
    hindsight_extension_reduction = 3;
    /// Hindsight reduction: a move reduced by at least this many plies is searched a ply less deep if the opponent lost
    /// more than the margin.
    hindsight_reduction_reduction = 2;
    hindsight_margin = 105;
    hindsight_reduction_depth = 2;

    razoring_depth_limit = 4;
    razoring_margin = 192;
    razoring_margin_per_squared_ply = 207;

    reverse_futility_depth_limit = 9;
    reverse_futility_margin_per_ply = 73;
    reverse_futility_improving_margin = 34;

    null_move_depth = 3;
    /// Null move reduction in 1/1024 of a ply: at depth 0, and more for each ply of depth.
    null_move_reduction = 4_242;
    null_move_reduction_per_ply = 358;
    /// Margin of the evaluation above beta per additional ply of null move reduction, up to [`null_move_max_by_margin`]
    /// plies.
    null_move_margin_per_reduction = 163;
    null_move_max_by_margin = 3;
    /// The evaluation must exceed beta by this margin, which decreases with depth.
    null_move_margin = 129;
    null_move_margin_per_ply = 23;
    null_move_verification_depth = 14;
    /// While a null move is verified, no other is tried for this many quarters of the verification depth.
    null_move_verification_quarters = 3;

    probcut_depth = 5;
    probcut_reduction = 3;
    probcut_margin = 142;
    probcut_improving_margin = 69;

    /// Without a hash move, nodes of at least this depth are searched a ply less deep.
    internal_reduction_depth = 4;

    /// A lower bound in the hash table settles a node off the principal variation if it exceeds beta by this margin, though it is too
    /// shallow by up to this number of plies.
    hash_margin_plies = 4;
    hash_margin = 432;

    late_move_pruning_depth_limit = 8;
    /// Number of moves at depth 0, to which hundredths of a move are added for each squared ply of depth.
    late_move_pruning_base = 6;
    late_move_pruning_per_squared_ply = 130;
    /// Percentage of these moves where the evaluation is not improving.
    late_move_pruning_not_improving = 58;

    history_pruning_depth_limit = 5;
    history_pruning_per_ply = 3_966;

    futility_depth_limit = 8;
    futility_margin = 73;
    futility_margin_per_ply = 40;
    /// History value that changes the margin by one centipawn.
    futility_history_per_centipawn = 399;
    tactical_futility_margin = 209;
    tactical_futility_margin_per_ply = 172;

    see_pruning_depth_limit = 9;
    /// Material that a quiet move may lose, per squared ply of depth.
    see_quiet_margin_per_squared_ply = 20;
    /// Material that a tactical move may lose, per ply of depth.
    see_tactical_margin_per_ply = 126;

    singular_depth = 7;
    /// Plies by which the hash entry may be shallower than the node.
    singular_entry_depth = 3;
    /// Singular extensions apply below this multiple of the iteration's depth.
    singular_ply_limit = 2;
    /// Divisor of the depth for the search without the hash move.
    singular_depth_divisor = 2;
    /// In sixteenths of a centipawn.
    singular_margin_per_ply = 49;
    /// Margin by which the other moves must exceed beta for a multicut.
    multicut_margin = 0;
    double_extension_margin = 20;
    /// Reduction in plies of a hash move that is not singular, if its hash score reached beta.
    negative_extension = 2;
    /// The same if its hash score did not reach beta, in cut nodes.
    negative_extension_in_cut_nodes = 1;

    late_move_reduction_depth = 2;
    /// Reductions are base + ln(depth) * ln(move number) / divisor, base and divisor in hundredths.
    reduction_base = 102;
    reduction_divisor = 203;
    /// Share of the reduction that captures and promotions have, in 1/1024.
    reduction_tactical = 614;
    /// History value that changes a reduction by one ply.
    reduction_history = 11_427;
    reduction_capture_history = 11_402;
    /// Other adjustments of a reduction, in 1/1024 of a ply.
    reduction_cut = 1_500;
    reduction_pv = 1_015;
    reduction_evasion = 460;
    reduction_check = 898;
    reduction_root = 2_138;
    reduction_not_improving = 754;
    reduction_tactical_hash_move = 508;
    reduction_many_cutoffs = 811;
    /// A node counts as having many cutoffs below it if there are more than this.
    many_cutoffs = 3;

    /// Plies by which the most promising late moves are extended instead of reduced.
    late_move_extension = 1;

    /// A reduced move that exceeds the best score by this margin is searched a ply deeper.
    deeper_margin = 39;
    deeper_margin_per_ply = 2;
    /// A reduced move that exceeds the best score by less than this is searched a ply less deep.
    shallower_margin = 12;

    /// A search for a mate, which the evaluation does not see: no null move, no `ProbCut`, no multicut, and other limits and
    /// reductions in these steps.
    mate_razoring_depth_limit = 1;
    mate_reverse_futility_depth_limit = 4;
    mate_see_pruning_depth_limit = 4;
    mate_reduction_check = 2_048;

    /// Order of quiet moves: history value per centipawn of a piece that leaves or enters an attacked square.
    safety_per_centipawn = 16;
    /// Order of captures: history value per centipawn of the captured piece.
    victim_per_centipawn = 16;

    /// History bonus per ply of depth, up to the limit below.
    history_bonus_per_ply = 252;
    history_bonus_limit = 1_761;
    /// Penalty of the moves before the one that cut, in percent of its bonus.
    history_penalty = 142;
    /// Bonus for a quiet move that no reply refutes, in percent of that for a cutoff.
    history_unrefuted_bonus = 49;
    /// Weights of the histories of a quiet move in sixteenths.
    butterfly_weight = 16;
    pawn_history_weight = 14;
    second_continuation_weight = 18;
    fourth_continuation_weight = 17;
    /// Maximum magnitude of a single history value.
    history_limit = 16_384;

    /// Ten-thousandths by which evaluations fade for each ply of the halfmove clock.
    evaluation_fade = 26;

    /// Weights of a position's correction entries in thousandths of a centipawn.
    pawn_correction_weight = 44;
    non_pawn_correction_weight = 34;
    continuation_correction_weight = 47;
    /// The entries change by error times depth and this, in 1/1024.
    correction_rate = 139;
    /// Maximum change of an entry by one update; entries stay within the limit below.
    correction_largest_step = 256;
    correction_limit = 1_024;

    /// Quiescence: a capture must bring the evaluation within this margin of alpha.
    quiescence_futility_margin = 268;
    /// Quiescence: a capture must win at least this much by static exchange evaluation.
    quiescence_see_threshold = 0;

    /// Halfmove clock from which on hash entries cause no cutoffs, as they do not take the approaching draw into
    /// account.
    hash_cutoff_halfmoves = 90;
    /// Plies by which a hash entry counts as shallower for each search that has begun since it was stored.
    hash_plies_per_age = 4;
    /// An entry of the current search is kept if a new one for the same position is shallower by more than this.
    hash_deeper_plies = 3;
    /// The hash key depends on the halfmove clock beyond this value, in steps of `halfmoves_per_key`.
    halfmoves_without_key = 12;
    halfmoves_per_key = 8;

    /// Number of moves to plan for at the beginning of a game if the time control does not give one; and hundredths of a move by
    /// which each move made lowers it, but not below [`fewest_expected_moves`].
    expected_moves = 38;
    expected_moves_per_move = 70;
    fewest_expected_moves = 16;
    /// Maximum number of moves to plan for; in longer sessions the next moves get more than an equal share.
    max_planned_moves = 40;
    /// Number of move overheads kept in reserve: machines sometimes stall for longer than one overhead, which loses on
    /// time when playing on the increment alone.
    reserved_overheads = 8;
    /// Maximum reserve, in percent of the remaining time.
    max_reserved_percent = 75;
    /// Percentage of the increment that is allotted to each move.
    increment_percent = 75;
    /// Soft time limit, in percent of a move's equal share. The rest is left for moves that need more.
    soft_limit_percent = 70;
    /// Hard time limit, in equal shares.
    hard_limit_shares = 4;
    /// Maximum percentage of the remaining time for one move if others must follow before new time is added.
    max_percent_of_move = 40;
    /// Maximum percentage of the remaining time for the last move before new time is added.
    max_percent_of_last_move = 90;
    /// The search ends when the depth is at least this multiple of the distance to a mate that was found.
    mate_depth_divisor = 3;
    /// Percentage to which the soft limit is stretched if the best move took none of the nodes.
    stretch_of_no_share = 210;
    /// Percentage points by which that decreases if the best move took all nodes.
    stretch_by_share = 140;
    /// Maximum percentages by which a falling score extends the soft limit and a rising score shortens it.
    max_stretch_by_falling_score = 50;
    max_cut_by_rising_score = 10;

    /// Vote of threads: weight of the thread with the lowest score, in centipawns, so that its depth still counts.
    vote_of_lowest_score = 14;

    [steps]
    upcoming_repetition;
    mate_distance_pruning;
    killer_moves;
    improving;
    /// A node that was once on the principal variation keeps counting as one.
    remembered_pv;
    /// The hash score replaces the static evaluation if its bound makes it a better estimate.
    hash_score_as_evaluation;
    /// Static evaluations are taken from the hash table.
    cached_evaluation;
    fifty_moves_in_hash_key;
    quiescence_evasions;
    quiescence_hash_table;
    butterfly_history;
    threats_in_butterfly_history;
    pawn_history;
    capture_history;
    pawn_correction;
    non_pawn_correction;
    continuation_correction;
    /// Factors that stretch the soft time limit.
    best_move_stability;
    node_share_of_best_move;
    score_trend;
    /// The threads vote for the best move; otherwise the first thread's move is played.
    voting;
}

/// Percentages to which the soft time limit is stretched, by the number of iterations for which the best move has not
/// changed.
pub(crate) const STRETCH_BY_UNCHANGED_MOVE: [i32; 7] = [140, 118, 104, 97, 92, 88, 85];
