//! Zobrist keys: random numbers whose exclusive or identifies a position (A. Zobrist, 1970).

use shakmaty::{Color, Role, Square};

use crate::parameters::{self as p, step};

/// The keys of a position. Equal positions have equal keys; the converse fails about once in 2^64 pairs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Keys {
    /// Key of everything that decides which moves are legal: pieces, side to move, castling rights and en passant
    /// square (only if an en passant capture is legal). For the hash table and for repetitions.
    pub full: u64,
    /// Key of the pawns of both colours.
    pub pawn: u64,
    /// Keys of the pieces other than pawns, by colour (index `Color as usize`).
    pub non_pawn: [u64; 2],
}

/// Returns the next number of the `SplitMix64` generator (Steele, Lea and Flood, 2014).
const fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    scramble(*state)
}

/// The finalizer of `SplitMix64` (S. Vigna): every input bit flips each output bit with a probability of about one
/// half.
pub(crate) const fn scramble(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}

const fn numbers<const N: usize>(seed: u64) -> [u64; N] {
    let mut state = seed;
    let mut out = [0; N];
    let mut i = 0;
    while i < N {
        out[i] = split_mix(&mut state);
        i += 1;
    }
    out
}

static PIECES: [u64; 2 * 8 * 64] = numbers(1);
static CASTLING_ROOKS: [u64; 64] = numbers(2);
static EN_PASSANT_FILES: [u64; 8] = numbers(3);
static HALFMOVES: [u64; 32] = numbers(5);

/// Key of the side to move, toggled with each move.
pub(super) const TURN: u64 = numbers::<1>(4)[0];

pub(super) fn piece(color: Color, role: Role, square: Square) -> u64 {
    PIECES[(color as usize) << 9 | (role as usize) << 6 | square as usize]
}

/// Returns the key of the right to castle with the rook on `square`.
pub(super) fn castling_rook(square: Square) -> u64 {
    CASTLING_ROOKS[square as usize]
}

pub(super) fn en_passant(square: Square) -> u64 {
    EN_PASSANT_FILES[square as usize & 7]
}

/// Returns the key of the halfmove clock for the hash table: 0 while the clock is low, then in steps of several plies.
/// Results found far from the fifty-move limit must not be used near it.
pub(super) fn halfmoves(halfmoves: u8) -> u64 {
    match step!(fifty_moves_in_hash_key, i32::from(halfmoves) - p::halfmoves_without_key()).max(0)
        / p::halfmoves_per_key()
    {
        0 => 0,
        step => HALFMOVES[step as usize % HALFMOVES.len()],
    }
}

/// Returns a different key for each value of the halfmove clock.
pub(crate) fn exact_halfmoves(halfmoves: u8) -> u64 {
    split_mix(&mut (u64::from(halfmoves) + 6))
}
