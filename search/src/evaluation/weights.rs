//! The weights of the evaluation. Written by `herald-trainer tune`, of which 2493964 was the last commit.

use super::Tapered;
use super::features::COUNT;

const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered::new(middlegame, endgame)
}

/// One weight for each feature, in the order of [`super::features::GROUPS`]. Boards begin with a1.
#[rustfmt::skip]
pub(super) static WEIGHTS: [Tapered; COUNT] = [
    // PIECE: A piece on the board, pawn to queen.
    s(58, 122), s(257, 383), s(281, 415), s(322, 701), s(884, 1203),
    // BISHOP_PAIR: Two bishops or more.
    s(9, 80),
    // BY_OWN_KING: A piece (pawn to king) on a square, as seen with the own king on the files e to h.
    // pawn
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    s(-2, 14), s(-11, 12), s(-13, -5), s(-8, -1), s(-1, 5), s(7, 17), s(11, -10), s(-4, 4),
    s(-4, 7), s(-15, -1), s(-15, -4), s(-12, 2), s(3, 7), s(17, 20), s(22, 4), s(-2, 11),
    s(-9, 15), s(-7, 2), s(-2, -3), s(11, -10), s(11, -6), s(13, 16), s(0, 15), s(-1, 14),
    s(-2, 17), s(-12, 15), s(0, -5), s(3, 6), s(15, 1), s(24, 24), s(18, 13), s(-8, 20),
    s(0, -14), s(-5, 20), s(-3, 13), s(22, 17), s(8, 21), s(8, 30), s(9, 24), s(3, 22),
    s(11, -5), s(-7, 10), s(6, 15), s(16, 34), s(4, 14), s(15, 29), s(1, 34), s(4, 19),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    // knight
    s(-23, -26), s(-22, -34), s(-2, -15), s(21, -7), s(-21, 0), s(-7, -8), s(-21, -5), s(-16, -19),
    s(-30, -20), s(-13, -18), s(-5, 3), s(-5, 16), s(5, -1), s(-10, -17), s(-18, -10), s(-23, -16),
    s(-11, -19), s(-7, -8), s(-1, -3), s(10, 0), s(13, 21), s(3, 12), s(8, -2), s(-15, -2),
    s(1, -7), s(12, 5), s(8, 18), s(20, 27), s(21, 21), s(12, 9), s(3, -6), s(-3, -3),
    s(-8, -1), s(15, -2), s(28, 5), s(28, 21), s(26, 7), s(1, 12), s(5, 8), s(5, -3),
    s(-4, -10), s(-2, 2), s(7, -2), s(11, 19), s(24, 26), s(4, -3), s(-15, -2), s(-7, -12),
    s(-25, -23), s(-10, -7), s(11, 3), s(17, 5), s(17, 2), s(6, 1), s(-4, -3), s(-4, -15),
    s(-43, -50), s(-12, -17), s(-8, -9), s(-3, -5), s(6, -3), s(-18, -12), s(-19, -23), s(-48, -35),
    // bishop
    s(-7, -3), s(-4, -3), s(-13, -11), s(-1, 8), s(-6, -4), s(-14, 3), s(-11, -8), s(-10, 1),
    s(-4, -1), s(-8, -19), s(-9, -5), s(0, 2), s(10, 2), s(12, 2), s(8, 1), s(1, 3),
    s(-5, 5), s(-10, 6), s(4, 8), s(4, 5), s(8, 4), s(8, 11), s(7, -10), s(5, 6),
    s(-6, 0), s(8, 7), s(3, 1), s(9, 16), s(13, 4), s(11, 15), s(-6, 8), s(4, -4),
    s(-15, 11), s(13, 0), s(5, 18), s(14, 10), s(15, 11), s(7, -3), s(0, 0), s(3, -3),
    s(5, 6), s(4, -1), s(-1, 12), s(8, 3), s(10, 10), s(6, 0), s(0, -9), s(-9, -7),
    s(-5, 1), s(-4, -9), s(2, -3), s(1, 0), s(1, 1), s(0, -5), s(0, 1), s(-12, -15),
    s(-9, -15), s(-13, -4), s(-8, -9), s(4, -8), s(3, -5), s(0, 1), s(-4, -12), s(-8, 1),
    // rook
    s(-9, 9), s(-2, 2), s(-7, 9), s(-2, 4), s(13, -17), s(1, -2), s(-22, 5), s(-23, -11),
    s(-8, 7), s(-7, -14), s(14, 0), s(7, -4), s(-2, -12), s(-6, -15), s(1, 7), s(-33, -21),
    s(-6, -2), s(-4, -4), s(-1, 20), s(-3, 7), s(5, -6), s(-8, -12), s(-9, -7), s(-15, 7),
    s(-10, 8), s(-5, 10), s(-2, 4), s(-4, 4), s(-4, 6), s(-1, -9), s(8, -3), s(-8, 2),
    s(-11, 15), s(4, 6), s(12, 8), s(3, 5), s(3, 11), s(-2, 4), s(-1, 1), s(-10, 0),
    s(-6, 16), s(4, 17), s(5, 17), s(-3, 10), s(6, 4), s(-10, -2), s(-3, 7), s(-11, -5),
    s(-5, 22), s(7, 15), s(17, 18), s(30, 12), s(26, 12), s(19, 5), s(10, 12), s(7, 13),
    s(-3, 15), s(5, 11), s(4, 13), s(2, 11), s(8, 9), s(1, 9), s(7, 16), s(-10, 13),
    // queen
    s(1, -25), s(6, -21), s(-8, -10), s(6, -47), s(-14, 1), s(-7, -13), s(-17, -21), s(-15, -27),
    s(-12, -10), s(-3, -14), s(5, 0), s(-5, 3), s(2, -9), s(-14, -18), s(-5, -15), s(-12, -22),
    s(-9, -10), s(4, -5), s(-2, 12), s(5, 25), s(-11, 12), s(-7, 4), s(-10, -5), s(-6, -11),
    s(0, -2), s(-13, 11), s(-2, 37), s(0, 28), s(-10, 27), s(-5, 22), s(-2, 15), s(-7, 3),
    s(-11, 8), s(-4, 15), s(0, 30), s(-9, 37), s(-5, 29), s(-6, 23), s(-8, 13), s(-1, 9),
    s(6, -1), s(0, 1), s(-2, 12), s(2, 25), s(7, 23), s(8, 15), s(-5, 2), s(-10, -12),
    s(-13, -9), s(-1, -7), s(4, 7), s(1, 14), s(8, 16), s(1, 13), s(1, -10), s(8, -9),
    s(-9, -20), s(-11, -16), s(1, -4), s(7, 7), s(-1, 4), s(-9, -8), s(-9, -11), s(-10, -22),
    // king
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-31, -30), s(-39, -12), s(4, -30), s(3, -50),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-34, -6), s(-28, -7), s(10, -28), s(12, -24),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-68, 11), s(-47, -2), s(-21, -12), s(-28, -27),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-84, 14), s(-67, 11), s(-28, -12), s(-55, -7),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-92, 28), s(-78, 19), s(-51, 8), s(-58, -1),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-110, 35), s(-96, 28), s(-64, 9), s(-75, -9),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-126, 18), s(-111, 1), s(-82, -4), s(-91, -28),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(-145, -6), s(-130, -18), s(-101, -30), s(-109, -47),
    // BY_ENEMY_KING: A piece (pawn to queen) on a square, as seen with the enemy's king on the files e to h.
    // pawn
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    s(-1, 9), s(9, 7), s(3, 9), s(0, -1), s(-8, 5), s(-8, 3), s(-8, -5), s(-6, 9),
    s(0, 7), s(11, 0), s(12, 3), s(-3, 8), s(-10, -7), s(-13, 5), s(-6, -5), s(-10, 2),
    s(9, 8), s(4, 0), s(10, -7), s(-4, -16), s(-11, -15), s(-2, 3), s(-7, 0), s(-8, 4),
    s(6, 18), s(22, 8), s(14, 8), s(-3, -15), s(-19, -1), s(5, -13), s(-17, -4), s(-9, -5),
    s(2, 6), s(4, 32), s(-14, 1), s(17, 1), s(-3, 5), s(8, 9), s(-4, -21), s(3, -30),
    s(18, -6), s(-15, 7), s(8, 5), s(2, 11), s(-2, -2), s(-1, 0), s(1, -3), s(-5, -20),
    s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0), s(0, 0),
    // knight
    s(10, 7), s(1, -3), s(-2, -5), s(-5, 1), s(4, 2), s(13, 5), s(-3, 2), s(11, 0),
    s(-15, -2), s(-8, -7), s(-6, 4), s(-8, 4), s(-8, 7), s(-4, -7), s(1, 3), s(5, 5),
    s(-3, 2), s(-9, -1), s(-7, 2), s(-3, -4), s(-6, 7), s(-3, 3), s(18, 2), s(4, 0),
    s(4, -4), s(1, -6), s(-11, 8), s(-7, 12), s(1, 4), s(3, 1), s(6, 1), s(6, 4),
    s(-15, 14), s(3, -2), s(-5, -6), s(5, -4), s(-7, 1), s(-2, 5), s(1, 4), s(16, -8),
    s(4, 1), s(-4, 14), s(-9, 8), s(-14, 15), s(9, 12), s(1, -17), s(-13, -4), s(5, 1),
    s(3, 4), s(-4, 12), s(2, 9), s(4, -2), s(5, 4), s(11, 5), s(6, 2), s(5, -4),
    s(-17, -3), s(2, 3), s(-5, 6), s(-7, -1), s(1, 4), s(-9, -3), s(-1, -5), s(-23, -29),
    // bishop
    s(22, 15), s(7, 1), s(-3, -7), s(-11, 12), s(12, -6), s(-6, 7), s(2, 2), s(-7, 3),
    s(2, 4), s(4, -9), s(2, 3), s(4, -6), s(-6, 6), s(-3, -4), s(1, 0), s(7, 12),
    s(5, 9), s(15, 6), s(-1, 5), s(-2, 0), s(-7, -1), s(2, 10), s(-21, -9), s(0, 11),
    s(4, -1), s(-2, 7), s(3, 2), s(-5, 0), s(-2, 4), s(-8, 5), s(-8, 3), s(-10, -1),
    s(-12, 4), s(-4, -1), s(-12, 5), s(2, -1), s(-2, 6), s(3, 0), s(5, -4), s(-4, 6),
    s(-13, 7), s(-14, -4), s(-9, 6), s(12, 2), s(-14, 1), s(2, 1), s(13, -5), s(13, 0),
    s(-4, 7), s(-1, 7), s(-1, -7), s(-15, -6), s(6, 3), s(-1, 1), s(2, -6), s(-1, -6),
    s(1, 1), s(-3, 1), s(-5, -1), s(0, -12), s(3, 1), s(1, 2), s(-3, -3), s(2, 5),
    // rook
    s(-17, 4), s(-17, 7), s(-7, 3), s(-3, -6), s(3, -7), s(-3, 4), s(-3, 0), s(-3, -6),
    s(-16, 5), s(-19, -5), s(-7, 8), s(-13, 0), s(6, -17), s(10, -22), s(17, -2), s(-13, -20),
    s(-3, 10), s(-18, 2), s(-11, 11), s(-18, 0), s(8, 1), s(-1, -2), s(10, -13), s(-5, -5),
    s(2, 5), s(-1, 5), s(-10, 3), s(-8, 11), s(-12, -1), s(3, -9), s(9, 2), s(-7, 4),
    s(-3, 11), s(4, 4), s(5, 10), s(5, 2), s(-11, 14), s(0, 1), s(2, 2), s(-7, 4),
    s(-6, -7), s(7, 15), s(-1, 11), s(-11, 2), s(2, 6), s(-8, -3), s(-2, 3), s(1, 12),
    s(-13, 12), s(-9, 4), s(1, -1), s(8, 5), s(8, -3), s(3, 2), s(2, 1), s(-1, 1),
    s(2, 10), s(5, 17), s(-1, 11), s(-4, 9), s(1, 4), s(2, 5), s(12, 4), s(-2, 12),
    // queen
    s(-9, -3), s(-1, -2), s(5, 0), s(3, -29), s(-6, -14), s(-12, -3), s(2, -5), s(10, 3),
    s(0, 5), s(1, -4), s(-1, -11), s(5, -4), s(-7, -13), s(-3, -2), s(0, -5), s(-11, 0),
    s(-5, 2), s(-7, -2), s(-7, 4), s(-15, 1), s(6, 8), s(-2, 1), s(5, -4), s(-2, -3),
    s(-1, 3), s(-7, 9), s(-11, 21), s(-19, 1), s(1, 10), s(0, 10), s(-8, 5), s(-1, 1),
    s(-12, 9), s(-4, 12), s(-4, 11), s(-13, 7), s(-9, 15), s(-6, 14), s(-8, 4), s(3, 13),
    s(-1, 8), s(-3, 4), s(8, 8), s(2, 8), s(3, 11), s(-1, 6), s(3, 4), s(5, -1),
    s(0, 9), s(2, 2), s(2, 16), s(4, 13), s(5, 4), s(7, 8), s(6, 2), s(7, 9),
    s(-15, 4), s(-4, 5), s(4, 9), s(4, 5), s(6, 11), s(-4, -1), s(-4, 3), s(12, 5),
    // KNIGHT_MOBILITY: A knight that can go to so many squares.
    s(-37, -28), s(-28, -19), s(-22, -15), s(-10, 2), s(-7, 17), s(-2, 26), s(3, 28), s(11, 34),
    s(20, 34),
    // BISHOP_MOBILITY: A bishop that can go to so many squares.
    s(-38, -21), s(-41, -38), s(-25, -30), s(-12, -19), s(-7, -4), s(-5, 15), s(0, 15), s(-3, 30),
    s(2, 33), s(1, 40), s(12, 28), s(15, 26), s(34, 34), s(35, 23),
    // ROOK_MOBILITY: A rook that can go to so many squares.
    s(-47, -42), s(-51, -50), s(-26, -34), s(-17, -20), s(-13, -5), s(-7, 15), s(-5, 17), s(-7, 20),
    s(-4, 28), s(-1, 40), s(5, 40), s(-4, 50), s(21, 38), s(11, 57), s(29, 49),
    // QUEEN_MOBILITY: A queen that can go to so many squares.
    s(-14, -50), s(-7, -46), s(-18, -44), s(-17, -41), s(-16, -49), s(-17, -55), s(-13, -43), s(-16, -30),
    s(-16, -21), s(-13, -5), s(-12, -3), s(-14, 13), s(-15, 24), s(-8, 34), s(-8, 36), s(-7, 42),
    s(2, 44), s(-5, 50), s(-3, 41), s(12, 44), s(10, 43), s(14, 45), s(15, 45), s(10, 45),
    s(9, 45), s(12, 51), s(12, 54), s(12, 57),
    // ISOLATED: A pawn without pawns on the files beside it; with an enemy's pawn ahead, or with none.
    s(2, -9), s(-11, -2),
    // DOUBLED: A pawn behind another one.
    s(-9, -24),
    // BACKWARD: A pawn that can't be guarded by pawns and would be taken by one if it advanced; opposed or not.
    s(-1, -7), s(-20, -4),
    // PHALANX: A pawn with another one beside it, by rank.
    s(0, 0), s(7, 4), s(4, 2), s(5, 14), s(20, 26), s(45, 54), s(64, 73), s(0, 0),
    // GUARDED: A pawn guarded by another one, by rank.
    s(0, 0), s(0, 0), s(8, 14), s(6, 5), s(7, 24), s(23, 33), s(55, 26), s(0, 0),
    // PASSED: A passed pawn, by rank.
    s(0, 0), s(1, 20), s(-4, 27), s(-10, 72), s(17, 88), s(63, 103), s(110, 157), s(0, 0),
    // PASSED_FREE: ... with its next square empty.
    s(0, 0), s(-5, 9), s(-6, -3), s(-19, 5), s(2, 6), s(10, 14), s(27, 62), s(0, 0),
    // PASSED_SAFE: ... with its next square empty and not attacked.
    s(0, 0), s(3, 15), s(-5, 17), s(-9, 10), s(5, 34), s(10, 70), s(23, 64), s(0, 0),
    // PASSED_OPEN_ROAD: ... with all squares before it empty.
    s(0, 0), s(4, 2), s(0, 2), s(-6, 15), s(4, 22), s(10, 27), s(7, 12), s(0, 0),
    // PASSED_OWN_KING: ... for each step that its own king is away from its next square.
    s(0, 0), s(-9, -8), s(0, -5), s(8, -18), s(2, -23), s(-10, -21), s(-11, -24), s(0, -6),
    // PASSED_ENEMY_KING: ... for each step that the enemy's king is away from its next square.
    s(0, 0), s(2, 2), s(-5, 4), s(-7, 15), s(-10, 28), s(7, 36), s(-5, 37), s(0, 6),
    // PASSED_ROOK_BEHIND: ... with a rook behind it: the own one, or the enemy's.
    s(29, 1), s(-17, -37),
    // PASSED_UNSTOPPABLE: ... that no king can catch, the enemy having nothing else.
    s(0, 311),
    // OPEN_FILE: A rook on a file without own pawns: with enemy's pawns, or with none at all.
    s(9, 12), s(38, 27),
    // KNIGHT_OUTPOST: A knight where no pawn can drive it away, beyond the middle of the board; guarded by a pawn or not.
    s(4, 4), s(6, 29),
    // BISHOP_OUTPOST: The same of a bishop.
    s(16, 3), s(26, 0),
    // BEHIND_PAWN: A knight or bishop right behind a pawn.
    s(-2, 24),
    // BISHOP_PAWNS: For each own pawn on squares of a bishop's colour.
    s(-4, -7),
    // SHELTER: The hindmost own pawn ahead of the king on its file or one beside it, by the file's distance from the edge and the pawn's rank; rank 1 for none.
    s(-22, 8), s(12, -31), s(22, -11), s(13, -5), s(18, 3), s(-5, 19), s(13, 21), s(0, 0),
    s(7, 4), s(23, -8), s(13, -6), s(4, 3), s(-28, 9), s(13, 10), s(0, 16), s(0, 0),
    s(11, 17), s(34, -11), s(-2, 6), s(5, -2), s(-17, -20), s(11, 1), s(7, 9), s(0, 0),
    s(-5, -3), s(15, -14), s(21, -11), s(14, 8), s(13, -1), s(-1, -4), s(-3, -6), s(0, 0),
    // STORM: The nearest enemy's pawn ahead of the king there, if an own pawn does not stop it; by the same.
    s(0, 0), s(0, 39), s(-19, 5), s(-14, 17), s(11, 5), s(6, 3), s(4, 17), s(0, 0),
    s(0, 0), s(0, 4), s(-17, 35), s(-8, 3), s(8, 10), s(11, 3), s(10, -10), s(0, 0),
    s(0, 0), s(-5, -12), s(-40, 14), s(-14, -3), s(-4, 20), s(-3, 8), s(7, 5), s(0, 0),
    s(0, 0), s(-1, 5), s(-14, 8), s(-9, 12), s(1, 15), s(12, 7), s(14, 3), s(0, 0),
    // STOPPED_STORM: ... and if an own pawn stands right before it, by rank.
    s(0, 0), s(0, 0), s(-9, -15), s(2, 4), s(13, -17), s(16, -16), s(19, 3), s(0, 0),
    // DANGER: What the danger to the enemy's king begins with.
    s(-13, -1),
    // DANGER_ATTACKER: A piece (knight to queen) that attacks squares near the king.
    s(44, 21), s(22, 16), s(45, 14), s(24, 34),
    // DANGER_ATTACKED: For each such square, by the piece that attacks it.
    s(17, 1), s(12, 3), s(13, -3), s(21, 46),
    // DANGER_WEAK: For each attacked square near the king that only king or queen guards.
    s(34, 16),
    // DANGER_CHECK: For each square from which a piece (knight to queen) could give check without being taken.
    s(108, 37), s(57, 32), s(117, 51), s(84, 58),
    // DANGER_NO_QUEEN: The attacker has no queen.
    s(-95, -38),
    // ATTACKED_BY_PAWN: A piece (knight to queen) attacked by a pawn.
    s(49, 30), s(50, 37), s(55, 22), s(41, 20),
    // ATTACKED_BY_MINOR: A piece (pawn to queen) not well guarded and attacked by a knight or bishop.
    s(-2, 23), s(24, 42), s(19, 36), s(36, 32), s(34, 26),
    // ATTACKED_BY_ROOK: A piece (pawn to queen) not well guarded and attacked by a rook.
    s(-1, 25), s(24, 23), s(20, 33), s(18, 22), s(40, 16),
    // ATTACKED_BY_KING: A pawn or piece not well guarded and attacked by the king.
    s(20, 23),
    // HANGING: A pawn, or a piece, that is attacked and not guarded at all.
    s(11, 31), s(8, 17),
    // PAWN_STEP: For each piece that a pawn could attack with a safe step.
    s(17, 7),
    // TEMPO: The right to move.
    s(10, 7),
];
