//! What the evaluation looks at: features in named groups, each group with its place in the table of weights.

use super::Term;

/// Features of one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Group {
    /// The name, as it stands in the table of weights.
    pub(super) name: &'static str,
    /// What the features are, and what distinguishes those of a group.
    pub(super) meaning: &'static str,
    /// What the group is shown as.
    pub(super) term: Term,
    /// The first feature's place in the table of weights.
    pub(super) first: usize,
    /// How many features there are.
    pub(super) len: usize,
}

/// One feature: its place in the table of weights.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Feature {
    pub(super) index: usize,
    pub(super) term: Term,
}

impl Group {
    /// The feature number `index` of the group.
    #[inline]
    pub(super) const fn at(self, index: usize) -> Feature {
        debug_assert!(index < self.len);
        Feature { index: self.first + index, term: self.term }
    }

    /// The only feature, or the first.
    #[inline]
    pub(super) const fn only(self) -> Feature {
        self.at(0)
    }

    const fn end(&self) -> usize {
        self.first + self.len
    }
}

/// Names each group and lays them out one behind the other.
macro_rules! groups {
    ($($(#[doc = $meaning:literal])+ $name:ident: $term:ident[$len:expr];)+) => {
        #[expect(non_camel_case_types, clippy::upper_case_acronyms, reason = "named after the groups")]
        #[derive(Clone, Copy)]
        enum Order { $($name),+ }

        /// All groups, in the order of the table of weights.
        pub(super) const GROUPS: [Group; [$(Order::$name),+].len()] = in_a_row([$(Group {
            name: stringify!($name),
            meaning: concat!($($meaning),+),
            term: Term::$term,
            first: 0,
            len: $len,
        }),+]);

        $($(#[doc = $meaning])+ pub(super) const $name: Group = GROUPS[Order::$name as usize];)+
    };
}

const fn in_a_row<const N: usize>(mut groups: [Group; N]) -> [Group; N] {
    let mut i = 1;
    while i < N {
        groups[i].first = groups[i - 1].end();
        i += 1;
    }
    groups
}

/// The number of weights.
pub(super) const COUNT: usize = GROUPS[GROUPS.len() - 1].end();

groups! {
    /// A piece on the board, pawn to queen.
    PIECE: Material[5];
    /// Two bishops or more.
    BISHOP_PAIR: Material[1];
    /// A piece (pawn to king) on a square, as seen with the own king on the files e to h.
    BY_OWN_KING: Placement[6 * 64];
    /// A piece (pawn to queen) on a square, as seen with the enemy's king on the files e to h.
    BY_ENEMY_KING: Placement[5 * 64];
    /// A knight that can go to so many squares.
    KNIGHT_MOBILITY: Mobility[9];
    /// A bishop that can go to so many squares.
    BISHOP_MOBILITY: Mobility[14];
    /// A rook that can go to so many squares.
    ROOK_MOBILITY: Mobility[15];
    /// A queen that can go to so many squares.
    QUEEN_MOBILITY: Mobility[28];
    /// A pawn without pawns on the files beside it; with an enemy's pawn ahead, or with none.
    ISOLATED: PawnStructure[2];
    /// A pawn behind another one.
    DOUBLED: PawnStructure[1];
    /// A pawn that can't be guarded by pawns and would be taken by one if it advanced; opposed or not.
    BACKWARD: PawnStructure[2];
    /// A pawn with another one beside it, by rank.
    PHALANX: PawnStructure[8];
    /// A pawn guarded by another one, by rank.
    GUARDED: PawnStructure[8];
    /// A passed pawn, by rank.
    PASSED: PassedPawns[8];
    /// ... with its next square empty.
    PASSED_FREE: PassedPawns[8];
    /// ... with its next square empty and not attacked.
    PASSED_SAFE: PassedPawns[8];
    /// ... with all squares before it empty.
    PASSED_OPEN_ROAD: PassedPawns[8];
    /// ... for each step that its own king is away from its next square.
    PASSED_OWN_KING: PassedPawns[8];
    /// ... for each step that the enemy's king is away from its next square.
    PASSED_ENEMY_KING: PassedPawns[8];
    /// ... with a rook behind it: the own one, or the enemy's.
    PASSED_ROOK_BEHIND: PassedPawns[2];
    /// ... that no king can catch, the enemy having nothing else.
    PASSED_UNSTOPPABLE: PassedPawns[1];
    /// A rook on a file without own pawns: with enemy's pawns, or with none at all.
    OPEN_FILE: OpenFiles[2];
    /// A knight where no pawn can drive it away, beyond the middle of the board; guarded by a pawn or not.
    KNIGHT_OUTPOST: MinorPieces[2];
    /// The same of a bishop.
    BISHOP_OUTPOST: MinorPieces[2];
    /// A knight or bishop right behind a pawn.
    BEHIND_PAWN: MinorPieces[1];
    /// For each own pawn on squares of a bishop's colour.
    BISHOP_PAWNS: MinorPieces[1];
    /// The hindmost own pawn ahead of the king on its file or one beside it, by the file's distance from the edge and
    /// the pawn's rank; rank 1 for none.
    SHELTER: KingShelter[4 * 8];
    /// The nearest enemy's pawn ahead of the king there, if an own pawn does not stop it; by the same.
    STORM: KingShelter[4 * 8];
    /// ... and if an own pawn stands right before it, by rank.
    STOPPED_STORM: KingShelter[8];
    /// What the danger to the enemy's king begins with.
    DANGER: KingDanger[1];
    /// A piece (knight to queen) that attacks squares near the king.
    DANGER_ATTACKER: KingDanger[4];
    /// For each such square, by the piece that attacks it.
    DANGER_ATTACKED: KingDanger[4];
    /// For each attacked square near the king that only king or queen guards.
    DANGER_WEAK: KingDanger[1];
    /// For each square from which a piece (knight to queen) could give check without being taken.
    DANGER_CHECK: KingDanger[4];
    /// The attacker has no queen.
    DANGER_NO_QUEEN: KingDanger[1];
    /// A piece (knight to queen) attacked by a pawn.
    ATTACKED_BY_PAWN: Threats[4];
    /// A piece (pawn to queen) not well guarded and attacked by a knight or bishop.
    ATTACKED_BY_MINOR: Threats[5];
    /// A piece (pawn to queen) not well guarded and attacked by a rook.
    ATTACKED_BY_ROOK: Threats[5];
    /// A pawn or piece not well guarded and attacked by the king.
    ATTACKED_BY_KING: Threats[1];
    /// A pawn, or a piece, that is attacked and not guarded at all.
    HANGING: Threats[2];
    /// For each piece that a pawn could attack with a safe step.
    PAWN_STEP: Threats[1];
    /// The right to move.
    TEMPO: Tempo[1];
}
