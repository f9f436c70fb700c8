//! The position of the search: small, copied at each move, with the data that the search needs often (piece on a
//! square, keys, checkers, pinned pieces).
//!
//! It is created from a legal `shakmaty::Chess` and changed only by legal moves.

mod cycle;
mod generate;
mod keys;
mod legality;
mod make;
mod perft;
mod see;
mod threats;

pub use keys::Keys;
pub(crate) use keys::{exact_halfmoves, scramble};
pub use perft::perft;
pub use see::exchange_value;
pub(crate) use threats::Threats;

use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, Color, EnPassantMode, FromSetup, Piece,
    Position as _, Role, Setup, Square,
};

use crate::{Move, attacks};

/// A legal position of chess or Chess960.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    mailbox: [Option<Role>; 64],
    roles: [Bitboard; 6],
    colors: [Bitboard; 2],
    keys: Keys,
    /// Rooks with the right to castle: the complete castling rights, in Chess960 too.
    castling_rooks: Bitboard,
    /// Pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that may only move on the line to their king.
    pinned: Bitboard,
    /// Set only while an en passant capture is legal.
    en_passant: Option<Square>,
    /// Plies since the last capture or pawn move, at most 255.
    halfmoves: u8,
    turn: Color,
}

impl Position {
    /// Returns the kind of the piece on a square.
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.mailbox[square as usize]
    }

    /// Returns the piece on a square.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = Color::from_white(self.by_color(Color::White).contains(square));
        Some(self.role_at(square)?.of(color))
    }

    /// Returns all pieces of one kind.
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize - 1]
    }

    /// Returns all pieces of one colour.
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// Returns the pieces of one kind and colour.
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.by_color(color) & self.by_role(role)
    }

    /// Returns all pieces.
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// Returns the pieces of the side to move.
    pub fn us(&self) -> Bitboard {
        self.by_color(self.turn)
    }

    /// Returns the pieces of the side that is not to move.
    pub fn them(&self) -> Bitboard {
        self.by_color(!self.turn)
    }

    /// Returns the bishops and queens of both colours.
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.by_role(Role::Bishop) | self.by_role(Role::Queen)
    }

    /// Returns the rooks and queens of both colours.
    pub fn straight_sliders(&self) -> Bitboard {
        self.by_role(Role::Rook) | self.by_role(Role::Queen)
    }

    /// Returns the square of a king.
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).first().unwrap_or(Square::A1)
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the keys, which are updated with each move.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Returns the key for the hash table: the full key, combined with the halfmove clock once that is high.
    pub fn table_key(&self) -> u64 {
        self.keys.full ^ keys::halfmoves(self.halfmoves)
    }

    /// Returns the pieces that give check.
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// Returns the number of plies since the last capture or pawn move; 255 means 255 or more.
    pub fn halfmoves(&self) -> u8 {
        self.halfmoves
    }

    /// Whether either side has castling rights.
    pub fn has_castling_rights(&self) -> bool {
        self.castling_rooks.any()
    }

    /// Whether `color` has a piece besides king and pawns, which makes zugzwang rare.
    pub fn has_pieces(&self, color: Color) -> bool {
        (self.by_color(color) & !self.by_role(Role::Pawn) & !self.by_role(Role::King)).any()
    }

    /// Whether a side has only its king.
    pub fn has_lone_king(&self) -> bool {
        Color::ALL.into_iter().any(|color| !self.by_color(color).more_than_one())
    }

    /// Whether neither side can mate: lone kings, or one additional knight or bishop.
    pub fn has_insufficient_material(&self) -> bool {
        let minor = self.by_role(Role::Knight) | self.by_role(Role::Bishop);
        let pieces = self.occupied().count();
        pieces == 2 || pieces == 3 && minor.any()
    }

    /// Returns the kind of the piece that a move captures, en passant included.
    pub fn captured(&self, m: Move) -> Option<Role> {
        if self.is_castling(m) {
            return None;
        }
        self.role_at(m.to()).or_else(|| self.is_en_passant(m).then_some(Role::Pawn))
    }

    /// Whether a move is a capture or promotion, that is, changes the material.
    pub fn is_tactical(&self, m: Move) -> bool {
        m.promotion().is_some() || self.captured(m).is_some()
    }

    /// Whether a legal move is castling (encoded as the king capturing its own rook).
    pub fn is_castling(&self, m: Move) -> bool {
        self.castling_rooks.contains(m.to()) && self.us().contains(m.to())
    }

    fn is_en_passant(&self, m: Move) -> bool {
        self.en_passant == Some(m.to()) && self.role_at(m.from()) == Some(Role::Pawn)
    }

    /// Returns the pieces of both colours that attack `square` if `occupied` is the occupancy of the board.
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::pawn(Color::White, square) & self.pieces(Color::Black, Role::Pawn))
            | (attacks::pawn(Color::Black, square) & self.pieces(Color::White, Role::Pawn))
            | (attacks::knight(square) & self.by_role(Role::Knight))
            | (attacks::bishop(square, occupied) & self.diagonal_sliders())
            | (attacks::rook(square, occupied) & self.straight_sliders())
            | (attacks::king(square) & self.by_role(Role::King))
    }

    /// Whether the opponent of the side to move attacks `square` if `occupied` is the occupancy of the board.
    fn is_attacked(&self, square: Square, occupied: Bitboard) -> bool {
        let them = self.them();
        (attacks::pawn(self.turn, square) & them & self.by_role(Role::Pawn)).any()
            || (attacks::knight(square) & them & self.by_role(Role::Knight)).any()
            || (attacks::king(square) & them & self.by_role(Role::King)).any()
            || self.is_attacked_by_sliders(square, occupied, them)
    }

    fn is_attacked_by_sliders(&self, square: Square, occupied: Bitboard, attackers: Bitboard) -> bool {
        let diagonal = attackers & self.diagonal_sliders() & attacks::diagonals(square);
        let straight = attackers & self.straight_sliders() & attacks::straights(square);
        diagonal.any() && (attacks::bishop(square, occupied) & diagonal).any()
            || straight.any() && (attacks::rook(square, occupied) & straight).any()
    }

    /// Computes the checkers and the pinned pieces of the side to move.
    fn update_checkers_and_pins(&mut self) {
        let (us, them) = (self.us(), self.them());
        let (king, occupied) = (self.king(self.turn), us | them);
        self.checkers = them
            & ((attacks::pawn(self.turn, king) & self.by_role(Role::Pawn))
                | (attacks::knight(king) & self.by_role(Role::Knight)));
        self.pinned = Bitboard::EMPTY;
        // Sliders that would give check on an empty board.
        let snipers = them
            & ((attacks::diagonals(king) & self.diagonal_sliders())
                | (attacks::straights(king) & self.straight_sliders()));
        for sniper in snipers {
            let blockers = attacks::between(king, sniper) & occupied;
            if blockers.is_empty() {
                self.checkers |= Bitboard::from_square(sniper);
            } else if !blockers.more_than_one() {
                self.pinned |= blockers & us;
            }
        }
    }

    /// Computes all keys from scratch. They must equal the incremental ones.
    ///
    /// # Panics
    /// Never: each occupied square has a piece.
    pub fn keys_from_scratch(&self) -> Keys {
        let mut keys = Keys::default();
        for square in self.occupied() {
            let Piece { color, role } = self.piece_at(square).expect("occupied squares carry a piece");
            let key = keys::piece(color, role, square);
            keys.full ^= key;
            match role {
                Role::Pawn => keys.pawn ^= key,
                _ => keys.non_pawn[color as usize] ^= key,
            }
        }
        for rook in self.castling_rooks {
            keys.full ^= keys::castling_rook(rook);
        }
        if let Some(square) = self.en_passant {
            keys.full ^= keys::en_passant(square);
        }
        if self.turn == Color::Black {
            keys.full ^= keys::TURN;
        }
        keys
    }

    /// Converts the position to shakmaty's, for the rules outside the search and for endgame tables.
    ///
    /// The full move number is not stored; it becomes 1.
    ///
    /// # Panics
    /// Never for a position that came from a legal one by legal moves.
    pub fn to_chess(&self) -> Chess {
        let mut setup = Setup::empty();
        let colors = ByColor::new_with(|color| self.by_color(color));
        let board = Board::try_from_bitboards(ByRole::new_with(|role| self.by_role(role)), colors);
        setup.board = board.expect("each square carries at most one piece");
        setup.turn = self.turn;
        setup.castling_rights = self.castling_rooks;
        setup.ep_square = self.en_passant;
        setup.halfmoves = self.halfmoves.into();
        Chess::from_setup(setup, CastlingMode::Chess960)
            .or_else(shakmaty::PositionError::ignore_impossible_check)
            .or_else(shakmaty::PositionError::ignore_too_much_material)
            .expect("the search keeps to legal positions")
    }
}

/// Converts a legal position. The full move number is dropped.
impl From<&Chess> for Position {
    fn from(chess: &Chess) -> Position {
        let board = chess.board();
        let mut position = Position {
            mailbox: std::array::from_fn(|i| board.role_at(Square::new(i as u32))),
            roles: Role::ALL.map(|role| board.by_role(role)),
            colors: [board.by_color(Color::Black), board.by_color(Color::White)],
            keys: Keys::default(),
            castling_rooks: chess.castles().castling_rights(),
            checkers: Bitboard::EMPTY,
            pinned: Bitboard::EMPTY,
            en_passant: chess.ep_square(EnPassantMode::Legal),
            halfmoves: chess.halfmoves().min(255) as u8,
            turn: chess.turn(),
        };
        position.keys = position.keys_from_scratch();
        position.update_checkers_and_pins();
        position
    }
}

impl Default for Position {
    /// Returns the start position.
    fn default() -> Position {
        Position::from(&Chess::default())
    }
}

/// Returns the squares of king and rook after castling with the rook on `rook`.
pub(crate) fn castling_squares(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = if rook > king { (6, 5) } else { (2, 3) };
    let first = king as u32 & 0o70;
    (Square::new(first | king_file), Square::new(first | rook_file))
}
