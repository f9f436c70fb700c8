//! The evaluation by hand: what a quiet position is worth, in centipawns, as a sum of named terms.
//!
//! Each term is worth one thing in the middlegame and another in the endgame; the pieces that are left say how much of
//! each counts ("tapered"). The values are our own judgement, to be tuned on our own games.

use std::ops::{Add, AddAssign, Mul, Neg, Sub};

use shakmaty::{Bitboard, Color, File, Rank, Role, Square};

use crate::attacks;
use crate::position::Position;
use crate::score::Score;

/// A value in centipawns for the middlegame and for the endgame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tapered {
    /// With all pieces on the board.
    pub middlegame: i32,
    /// With kings and pawns only.
    pub endgame: i32,
}

const fn s(middlegame: i32, endgame: i32) -> Tapered {
    Tapered { middlegame, endgame }
}

impl Add for Tapered {
    type Output = Tapered;
    #[inline]
    fn add(self, other: Tapered) -> Tapered {
        s(self.middlegame + other.middlegame, self.endgame + other.endgame)
    }
}

impl AddAssign for Tapered {
    #[inline]
    fn add_assign(&mut self, other: Tapered) {
        *self = *self + other;
    }
}

impl Sub for Tapered {
    type Output = Tapered;
    #[inline]
    fn sub(self, other: Tapered) -> Tapered {
        self + -other
    }
}

impl Neg for Tapered {
    type Output = Tapered;
    #[inline]
    fn neg(self) -> Tapered {
        s(-self.middlegame, -self.endgame)
    }
}

impl Mul<i32> for Tapered {
    type Output = Tapered;
    #[inline]
    fn mul(self, factor: i32) -> Tapered {
        s(self.middlegame * factor, self.endgame * factor)
    }
}

/// What a part of the evaluation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// The pieces on the board, and the pair of bishops.
    Material,
    /// Where each piece stands.
    Placement,
    /// Where pieces can go.
    Mobility,
    /// Isolated and doubled pawns.
    PawnStructure,
    /// Pawns that no pawn can stop.
    PassedPawns,
    /// Rooks on files without own pawns.
    OpenFiles,
    /// Pawns before the king, and enemy pieces that bear on the squares around it.
    KingSafety,
}

impl Term {
    /// All terms, in the order in which they are shown.
    pub const ALL: [Term; 7] = [
        Term::Material,
        Term::Placement,
        Term::Mobility,
        Term::PawnStructure,
        Term::PassedPawns,
        Term::OpenFiles,
        Term::KingSafety,
    ];
}

// By `Role as usize - 1`, pawn to king.
const MATERIAL: [Tapered; 6] = [s(85, 105), s(325, 305), s(340, 320), s(475, 545), s(990, 985), s(0, 0)];
const BISHOP_PAIR: Tapered = s(28, 45);
/// For each square that a piece reaches, and for the piece itself, so that average mobility is worth nothing.
const MOBILITY: [(Tapered, Tapered); 6] = [
    (s(0, 0), s(0, 0)),
    (s(5, 5), s(-20, -20)),
    (s(5, 5), s(-30, -30)),
    (s(3, 5), s(-18, -32)),
    (s(1, 4), s(-14, -50)),
    (s(0, 0), s(0, 0)),
];
const ISOLATED: Tapered = s(-12, -14);
const DOUBLED: Tapered = s(-6, -18);
/// By rank from the pawn's own side.
const PASSED: [Tapered; 8] =
    [s(0, 0), s(0, 8), s(2, 14), s(10, 30), s(28, 55), s(60, 100), s(105, 165), s(0, 0)];
/// A passed pawn whose next square is free.
const PASSED_FREE: [Tapered; 8] =
    [s(0, 0), s(0, 0), s(0, 3), s(3, 8), s(6, 16), s(12, 30), s(20, 50), s(0, 0)];
/// Per square that a king is nearer to the square before a passed pawn, from the fourth rank on.
const PASSED_KING_DISTANCE: Tapered = s(0, 6);
const OPEN_FILE: Tapered = s(28, 10);
const HALF_OPEN_FILE: Tapered = s(12, 8);
const SHELTER_PAWN: Tapered = s(14, 0);
/// Danger per attacked square around the king, by attacker.
const ATTACK_WEIGHT: [i32; 6] = [0, 3, 3, 4, 6, 0];
const MAX_DANGER: i32 = 40;
/// For the right to move.
const TEMPO: i32 = 15;

/// How much each piece keeps the game in the middlegame; 24 in all at the start.
const PHASE: [i32; 6] = [0, 1, 1, 2, 4, 0];
const FULL_PHASE: i32 = 24;

/// Distance from the four centre files (or ranks): 0 to 3.
const fn off_centre(coordinate: i32) -> i32 {
    if coordinate < 4 { 3 - coordinate } else { coordinate - 4 }
}

/// Placement from White's side: centralisation for most pieces, shelter for the king in the middlegame, advance for
/// pawns.
const fn placement(role: Role, square: i32) -> Tapered {
    let (file, rank) = (square & 7, square >> 3);
    let (df, dr) = (off_centre(file), off_centre(rank));
    match role {
        Role::Pawn => {
            let centre = if df == 0 && (rank == 3 || rank == 4) { 14 } else { 0 };
            s(centre + 2 * (rank - 1) - 3 * df * (rank > 2) as i32, 4 * (rank - 1))
        }
        Role::Knight => s(24 - 10 * df - 8 * dr + 4 * (rank > 3) as i32, 16 - 7 * (df + dr)),
        Role::Bishop => s(14 - 4 * df - 4 * dr - 6 * (rank == 0) as i32, 8 - 3 * (df + dr)),
        Role::Rook => s(6 - 4 * df + 14 * (rank == 6) as i32, 3 * (rank > 4) as i32 + 8 * (rank == 6) as i32),
        Role::Queen => s(4 - 2 * df - 2 * dr, 22 - 8 * (df + dr)),
        Role::King => {
            let shelter = match df {
                0 => -20,
                1 => -4,
                2 => 26,
                _ => 18,
            };
            let wandering = if rank == 0 { 0 } else { 14 + 16 * rank };
            s(shelter - wandering, 28 - 12 * df - 11 * dr)
        }
    }
}

const PLACEMENT: [[Tapered; 64]; 6] = {
    let mut table = [[s(0, 0); 64]; 6];
    let mut i = 0;
    while i < 6 * 64 {
        table[i / 64][i % 64] = placement(Role::ALL[i / 64], (i % 64) as i32);
        i += 1;
    }
    table
};

/// The value of a position for the side to move.
pub fn evaluate(position: &Position) -> Score {
    let mut sum = Tapered::default();
    let phase = evaluate_into(position, &mut sum);
    let white = taper(sum, phase);
    Score::centipawns(position.turn().fold_wb(white, -white) + TEMPO)
}

/// The value of a position, term by term.
#[derive(Clone, Debug)]
pub struct Breakdown {
    terms: [[Tapered; 2]; Term::ALL.len()],
    /// How much of the middlegame is left, in 0 ..= 24.
    pub phase: i32,
    /// The bonus of the side to move, in centipawns.
    pub tempo: i32,
}

impl Breakdown {
    /// Evaluates a position.
    pub fn new(position: &Position) -> Breakdown {
        let mut terms = [[Tapered::default(); 2]; Term::ALL.len()];
        let phase = evaluate_into(position, &mut terms);
        Breakdown { terms, phase, tempo: TEMPO }
    }

    /// What a term gives one side.
    pub fn get(&self, term: Term, color: Color) -> Tapered {
        self.terms[term as usize][color as usize]
    }

    /// A tapered value as it counts in this position, in centipawns.
    pub fn taper(&self, value: Tapered) -> i32 {
        taper(value, self.phase)
    }
}

fn taper(value: Tapered, phase: i32) -> i32 {
    (value.middlegame * phase + value.endgame * (FULL_PHASE - phase)) / FULL_PHASE
}

/// Where the terms go: into one sum, or into a table for people to read.
trait Account {
    fn add(&mut self, term: Term, color: Color, value: Tapered);
}

/// From White's view.
impl Account for Tapered {
    #[inline]
    fn add(&mut self, _term: Term, color: Color, value: Tapered) {
        *self += color.fold_wb(value, -value);
    }
}

impl Account for [[Tapered; 2]; Term::ALL.len()] {
    fn add(&mut self, term: Term, color: Color, value: Tapered) {
        self[term as usize][color as usize] += value;
    }
}

/// Books all terms and returns the phase.
fn evaluate_into(position: &Position, account: &mut impl Account) -> i32 {
    let phase = Role::ALL.map(|role| PHASE[role as usize - 1] * position.by_role(role).count() as i32);
    for color in [Color::White, Color::Black] {
        let side = Side::new(position, color);
        account.add(Term::Material, color, side.material());
        account.add(Term::Placement, color, side.placement());
        let (mobility, danger) = side.activity();
        account.add(Term::Mobility, color, mobility);
        account.add(Term::KingSafety, !color, danger);
        account.add(Term::PawnStructure, color, side.pawn_structure());
        account.add(Term::PassedPawns, color, side.passed_pawns());
        account.add(Term::OpenFiles, color, side.open_files());
        account.add(Term::KingSafety, color, side.shelter());
    }
    phase.iter().sum::<i32>().min(FULL_PHASE)
}

/// One side's view of the board.
struct Side<'a> {
    position: &'a Position,
    color: Color,
    pawns: Bitboard,
    enemy_pawns: Bitboard,
}

impl Side<'_> {
    fn new(position: &Position, color: Color) -> Side<'_> {
        Side {
            position,
            color,
            pawns: position.pieces(color, Role::Pawn),
            enemy_pawns: position.pieces(!color, Role::Pawn),
        }
    }

    fn material(&self) -> Tapered {
        let mut value = Tapered::default();
        for role in Role::ALL {
            value += MATERIAL[role as usize - 1] * self.position.pieces(self.color, role).count() as i32;
        }
        if self.position.pieces(self.color, Role::Bishop).more_than_one() {
            value += BISHOP_PAIR;
        }
        value
    }

    fn placement(&self) -> Tapered {
        let mut value = Tapered::default();
        for role in Role::ALL {
            for square in self.position.pieces(self.color, role) {
                value += PLACEMENT[role as usize - 1][self.relative(square) as usize];
            }
        }
        value
    }

    /// A square as it would be named if this side were White.
    #[inline]
    fn relative(&self, square: Square) -> Square {
        if self.color.is_white() { square } else { square.flip_vertical() }
    }

    /// Mobility, and the danger for the enemy's king that comes of it (as a value for the enemy).
    fn activity(&self) -> (Tapered, Tapered) {
        let position = self.position;
        let occupied = position.occupied();
        let reachable = !position.by_color(self.color) & !pawn_attacks(!self.color, self.enemy_pawns);
        let king = position.king(!self.color);
        let zone = attacks::king(king).with(king);
        let (mut mobility, mut danger) = (Tapered::default(), 0);
        for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
            let (each, base) = MOBILITY[role as usize - 1];
            for square in position.pieces(self.color, role) {
                let targets = attacks::of_piece(role, square, occupied);
                mobility += base + each * (targets & reachable).count() as i32;
                danger += ATTACK_WEIGHT[role as usize - 1] * (targets & zone).count() as i32;
            }
        }
        // Danger grows with the square: one attacker alone does little.
        let danger = danger.min(MAX_DANGER);
        (mobility, s(-danger * danger / 8, -danger / 2))
    }

    fn pawn_structure(&self) -> Tapered {
        let mut value = Tapered::default();
        for pawn in self.pawns {
            let file = Bitboard::from_file(pawn.file());
            if (neighbour_files(file) & self.pawns).is_empty() {
                value += ISOLATED;
            }
        }
        let doubled =
            File::ALL.map(|file| (self.pawns & Bitboard::from_file(file)).count().saturating_sub(1));
        value + DOUBLED * doubled.iter().sum::<usize>() as i32
    }

    fn passed_pawns(&self) -> Tapered {
        let mut value = Tapered::default();
        for pawn in self.pawns {
            let file = Bitboard::from_file(pawn.file());
            let ahead = ranks_ahead(self.color, pawn.rank());
            if ((file | neighbour_files(file)) & ahead & self.enemy_pawns).any()
                || (file & ahead & self.pawns).any()
            {
                continue;
            }
            let rank = self.relative(pawn).rank() as usize;
            value += PASSED[rank];
            let Some(next) = pawn.offset(self.color.fold_wb(8, -8)) else { continue };
            if !self.position.occupied().contains(next) {
                value += PASSED_FREE[rank];
            }
            if rank >= Rank::Fourth as usize {
                let ours = self.position.king(self.color).distance(next) as i32;
                let theirs = self.position.king(!self.color).distance(next) as i32;
                value += PASSED_KING_DISTANCE * (theirs - ours);
            }
        }
        value
    }

    fn open_files(&self) -> Tapered {
        let mut value = Tapered::default();
        for rook in self.position.pieces(self.color, Role::Rook) {
            let file = Bitboard::from_file(rook.file());
            if (file & self.pawns).is_empty() {
                value += if (file & self.enemy_pawns).is_empty() { OPEN_FILE } else { HALF_OPEN_FILE };
            }
        }
        value
    }

    /// Pawns on the two ranks before the king, on its file and the neighbouring ones.
    fn shelter(&self) -> Tapered {
        let king = self.position.king(self.color);
        let file = Bitboard::from_file(king.file());
        let near = attacks::king(king);
        let farther = Bitboard(near.0.rotate_left(self.color.fold_wb(8, 56)));
        let before = (near | farther) & (file | neighbour_files(file)) & ranks_ahead(self.color, king.rank());
        SHELTER_PAWN * (before & self.pawns).count() as i32
    }
}

/// The files beside a full file.
#[inline]
fn neighbour_files(file: Bitboard) -> Bitboard {
    (file & !Bitboard::from_file(File::H)).shift(1) | (file & !Bitboard::from_file(File::A)).shift(-1)
}

/// All squares that `color`'s pawns attack.
#[inline]
fn pawn_attacks(color: Color, pawns: Bitboard) -> Bitboard {
    let ahead = Bitboard(pawns.0.rotate_left(color.fold_wb(8, 56)));
    neighbour_files(ahead)
}

/// All ranks beyond `rank`, as `color` sees it.
#[inline]
fn ranks_ahead(color: Color, rank: Rank) -> Bitboard {
    match color {
        Color::White => Bitboard((!0u64).checked_shl(8 * (rank as u32 + 1)).unwrap_or(0)),
        Color::Black => Bitboard((1u64 << (8 * rank as u32)) - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::{CastlingMode, Chess, EnPassantMode, FromSetup as _, Position as _, fen::Fen};

    fn position(fen: &str) -> Position {
        let chess: Chess = fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        Position::from(&chess)
    }

    #[test]
    fn the_start_position_is_even_but_for_the_move() {
        assert_eq!(evaluate(&Position::default()), Score::centipawns(TEMPO));
    }

    #[test]
    fn colours_are_treated_alike() {
        for fen in [
            "r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 0 1",
            "8/2k5/3p4/1P1P4/P5K1/8/6r1/R7 w - - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        ] {
            let setup = position(fen).to_chess().to_setup(EnPassantMode::Legal).into_mirrored();
            let mirrored = Chess::from_setup(setup, CastlingMode::Standard).unwrap();
            assert_eq!(evaluate(&position(fen)), evaluate(&Position::from(&mirrored)));
        }
    }

    #[test]
    fn the_breakdown_adds_up() {
        let position = position("r1bq1rk1/pp2bppp/2n2n2/3p4/3N4/2N1B3/PPP1BPPP/R2Q1RK1 w - - 0 1");
        let breakdown = Breakdown::new(&position);
        let sum = Term::ALL.iter().fold(Tapered::default(), |sum, &term| {
            sum + breakdown.get(term, Color::White) - breakdown.get(term, Color::Black)
        });
        assert_eq!(Score::centipawns(breakdown.taper(sum) + breakdown.tempo), evaluate(&position));
    }

    #[test]
    fn a_queen_more_is_worth_a_queen_or_so() {
        let value = evaluate(&position("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")).value();
        assert!((850..1150).contains(&value), "{value}");
    }
}
