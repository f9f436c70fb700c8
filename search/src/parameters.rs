//! The numbers of the search. Words: a margin is in centipawns, a depth in plies, a limit bounds where a step applies.
//!
//! They are first choices, to be settled by games (docs/EXPERIMENTS.md tells which have been). In a build with the feature `tuning`
//! they can be set at run time, each by its name here as a UCI option, and steps can be left out ([`step`]); without it they are
//! constants, and all steps are taken. Sizes of tables stand beside the tables.

/// Defines the numbers, each a function that gives its value, and the names of the steps that can be left out.
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

        /// The present values of the numbers, and 1 for each step that is taken.
        #[cfg(feature = "tuning")]
        #[expect(non_upper_case_globals, reason = "named like what they are the values of")]
        pub(crate) mod tuned {
            use std::sync::atomic::AtomicI32;

            $(pub(super) static $name: AtomicI32 = AtomicI32::new($value);)*
            $($(#[doc = $step_text])* pub(crate) static $step: AtomicI32 = AtomicI32::new(1);)*
        }

        /// All numbers and steps of the search.
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
    hindsight_reduction_depth = 2;

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
    /// Below a null move that is verified there is no other for so many quarters of the depth of its search.
    null_move_verification_quarters = 3;

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
    /// Extensions end at so many times the depth of the iteration.
    singular_ply_limit = 2;
    /// The search without the hash move has this part of the depth.
    singular_depth_divisor = 2;
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
    /// Captures and promotions have this part of it.
    reduction_tactical_divisor = 2;
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

    /// A reduced move that beats the best by so much is searched a ply deeper ...
    deeper_margin = 40;
    deeper_margin_per_ply = 2;
    /// ... and one that beats it by less than this a ply less deep.
    shallower_margin = 8;

    /// In the order of quiet moves: history's worth of a centipawn of a piece that leaves or enters a threat.
    safety_per_centipawn = 16;
    /// In the order of captures: history's worth of a centipawn of what is captured.
    victim_per_centipawn = 16;

    /// History bonus: so much per ply of depth, up to a limit.
    history_bonus_per_ply = 160;
    history_bonus_limit = 1_800;
    /// The largest magnitude of a single history value.
    history_limit = 16_384;

    /// The sum of the entries for a position is divided by this to give the centipawns that its evaluation is corrected by.
    correction_entries_per_centipawn = 28;
    /// An error at a depth changes the entries by their product divided by this ...
    correction_divisor = 8;
    /// ... up to so much, and they stay within a limit.
    correction_largest_step = 256;
    correction_limit = 1_024;

    /// In quiescence, a capture must bring the evaluation within this margin of alpha ...
    quiescence_futility_margin = 150;
    /// ... and win so much by exchanges.
    quiescence_see_threshold = 0;

    /// Halfmove clock from which on results from the hash table no longer cut: a draw is near that it does not know.
    hash_cutoff_halfmoves = 90;
    /// An entry of the hash table from an earlier search counts as so much shallower for each search since.
    hash_plies_per_age = 4;
    /// One of this search stays if the new one about the same position is shallower by more than this.
    hash_deeper_plies = 3;
    /// The halfmove clock has no part in the hash key up to here; then a key holds for so many halfmoves.
    halfmoves_without_key = 12;
    halfmoves_per_key = 8;

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
    /// A mate in at most this part of the depth needs no further iteration.
    mate_depth_divisor = 3;
    /// The soft limit is stretched to so many percent if the best move took no share of the nodes ...
    stretch_of_no_share = 210;
    /// ... and to so many less if it took all.
    stretch_by_share = 140;
    /// Percent by which it is stretched, at most, by a falling score, and cut by a rising one.
    max_stretch_by_falling_score = 50;
    max_cut_by_rising_score = 10;

    /// When threads vote: what the lowest score counts in centipawns, so that its depth still has a say.
    vote_of_lowest_score = 14;

    [steps]
    upcoming_repetition;
    mate_distance_pruning;
    killer_moves;
    improving;
    /// A node counts as one of the principal variation for longer than it is.
    remembered_pv;
    /// The hash table's score stands in for the static evaluation where it is nearer the truth.
    hash_score_as_evaluation;
    /// Static evaluations are taken from the hash table.
    cached_evaluation;
    fifty_moves_in_hash_key;
    quiescence_evasions;
    quiescence_hash_table;
    butterfly_history;
    threats_in_butterfly_history;
    pawn_history;
    continuation_history;
    capture_history;
    pawn_correction;
    non_pawn_correction;
    continuation_correction;
    /// What stretches the soft limit of time.
    best_move_stability;
    node_share_of_best_move;
    score_trend;
    /// Threads vote for the move; otherwise the first one has the say.
    voting;
}

/// To how many percent the soft limit of time is stretched, by the number of iterations for which the best move has been
/// the same.
pub(crate) const STRETCH_BY_UNCHANGED_MOVE: [i32; 7] = [140, 118, 104, 97, 92, 88, 85];
