//! A variant's position with its key, as the search runtime needs it.

use search::Score;
use search::runtime::SearchPosition;
use shakmaty::zobrist::Zobrist64;
use shakmaty::{Color, EnPassantMode, Move};

use crate::moves::{find, short};
use crate::rules::{Rules, decision, is_over};

/// Returns the key of a position for the repetition rule.
pub(crate) fn key_of<P: Rules>(position: &P) -> u64 {
    position.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0
}

/// A position on the path, with its key.
pub(crate) struct KeyedPosition<P> {
    pub(crate) position: P,
    key: u64,
}

impl<P: Rules> KeyedPosition<P> {
    /// Creates a keyed position and computes the key.
    pub(crate) fn new(position: P) -> KeyedPosition<P> {
        let key = key_of(&position);
        KeyedPosition { position, key }
    }

    /// Returns the position after a legal move.
    pub(crate) fn after_move(&self, m: Move) -> KeyedPosition<P> {
        let mut position = self.position.clone();
        let key = self.position.update_zobrist_hash(Zobrist64(self.key), m, EnPassantMode::Legal);
        position.play_unchecked(m);
        let key = key.map_or_else(|| key_of(&position), |key| key.0);
        KeyedPosition { position, key }
    }
}

impl<P: Rules> SearchPosition for KeyedPosition<P> {
    const CAPTURES_COME_BACK: bool = P::CAPTURES_COME_BACK;

    fn repetition_key(&self) -> u64 {
        self.key
    }

    /// The variant is part of the key, as positions of several variants share the hash table.
    fn table_key(&self) -> u64 {
        self.key ^ (P::VARIANT as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)
    }

    fn turn(&self) -> Color {
        self.position.turn()
    }

    fn halfmoves(&self) -> u32 {
        self.position.halfmoves()
    }

    fn is_check(&self) -> bool {
        self.position.is_check()
    }

    fn moves(&self) -> Vec<search::Move> {
        if is_over(&self.position) {
            return Vec::new();
        }
        self.position.legal_moves().into_iter().map(short).collect()
    }

    fn after(&self, m: search::Move) -> Option<KeyedPosition<P>> {
        find(&self.position, m).map(|m| self.after_move(m))
    }

    fn final_score(&self) -> Score {
        decision(&self.position, 0).unwrap_or(Score::DRAW)
    }
}
