//! The position that the search works on: lean, copied at each move, with everything at hand that the search asks for
//! often (piece on a square, keys, checkers, pinned pieces).
//!
//! It is made from a legal `shakmaty::Chess` and only ever changed by legal moves.

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
    /// Rooks that may still castle. That says all about castling rights, in Chess960 too.
    castling_rooks: Bitboard,
    /// Pieces that give check to the side to move.
    checkers: Bitboard,
    /// Pieces of the side to move that may only move on the line to their king.
    pinned: Bitboard,
    /// Set only while an en passant capture is legal.
    en_passant: Option<Square>,
    /// Plies since the last capture or pawn move, stops counting at 255.
    halfmoves: u8,
    turn: Color,
}

impl Position {
    /// The kind of the piece on a square, whatever its colour.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.mailbox[square as usize]
    }

    /// The piece on a square, with its colour.
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        let color = Color::from_white(self.by_color(Color::White).contains(square));
        Some(self.role_at(square)?.of(color))
    }

    /// All pieces of one kind.
    #[inline]
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role as usize - 1]
    }

    /// All pieces of one colour.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// The pieces of one kind and colour.
    #[inline]
    pub fn pieces(&self, color: Color, role: Role) -> Bitboard {
        self.by_color(color) & self.by_role(role)
    }

    /// All pieces.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The pieces of the side to move.
    #[inline]
    pub fn us(&self) -> Bitboard {
        self.by_color(self.turn)
    }

    /// The pieces of the side that is not to move.
    #[inline]
    pub fn them(&self) -> Bitboard {
        self.by_color(!self.turn)
    }

    /// Bishops and queens of both colours.
    #[inline]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.by_role(Role::Bishop) | self.by_role(Role::Queen)
    }

    /// Rooks and queens of both colours.
    #[inline]
    pub fn straight_sliders(&self) -> Bitboard {
        self.by_role(Role::Rook) | self.by_role(Role::Queen)
    }

    /// The square of a king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.pieces(color, Role::King).first().unwrap_or(Square::A1)
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The keys, kept up to date at each move.
    #[inline]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The key for the hash table: the full key, and the fifty-move counter where it begins to matter.
    #[inline]
    pub fn table_key(&self) -> u64 {
        self.keys.full ^ keys::halfmoves(self.halfmoves)
    }

    /// The pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers.any()
    }

    /// Plies since the last capture or pawn move; 255 means 255 or more.
    #[inline]
    pub fn halfmoves(&self) -> u8 {
        self.halfmoves
    }

    /// Whether anybody may still castle.
    #[inline]
    pub fn has_castling_rights(&self) -> bool {
        self.castling_rooks.any()
    }

    /// Whether `color` has more than king and pawns, which makes zugzwang rare.
    #[inline]
    pub fn has_pieces(&self, color: Color) -> bool {
        (self.by_color(color) & !self.by_role(Role::Pawn) & !self.by_role(Role::King)).any()
    }

    /// Whether a side has nothing but its king.
    #[inline]
    pub fn has_lone_king(&self) -> bool {
        Color::ALL.into_iter().any(|color| !self.by_color(color).more_than_one())
    }

    /// Whether neither side can ever mate: lone kings, or one knight or bishop more.
    #[inline]
    pub fn has_insufficient_material(&self) -> bool {
        let minor = self.by_role(Role::Knight) | self.by_role(Role::Bishop);
        let pieces = self.occupied().count();
        pieces == 2 || pieces == 3 && minor.any()
    }

    /// The piece a move captures, the pawn of an en passant capture included.
    #[inline]
    pub fn captured(&self, m: Move) -> Option<Role> {
        if self.is_castling(m) {
            return None;
        }
        self.role_at(m.to()).or_else(|| self.is_en_passant(m).then_some(Role::Pawn))
    }

    /// Captures and promotions: the moves that change the material.
    #[inline]
    pub fn is_tactical(&self, m: Move) -> bool {
        m.promotion().is_some() || self.captured(m).is_some()
    }

    /// Whether a legal move castles (in the encoding, the king takes its own rook).
    #[inline]
    pub fn is_castling(&self, m: Move) -> bool {
        self.castling_rooks.contains(m.to()) && self.us().contains(m.to())
    }

    #[inline]
    fn is_en_passant(&self, m: Move) -> bool {
        self.en_passant == Some(m.to()) && self.role_at(m.from()) == Some(Role::Pawn)
    }

    /// The pieces of both colours that attack `square`, as if `occupied` were the board's occupancy.
    #[inline]
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        (attacks::pawn(Color::White, square) & self.pieces(Color::Black, Role::Pawn))
            | (attacks::pawn(Color::Black, square) & self.pieces(Color::White, Role::Pawn))
            | (attacks::knight(square) & self.by_role(Role::Knight))
            | (attacks::bishop(square, occupied) & self.diagonal_sliders())
            | (attacks::rook(square, occupied) & self.straight_sliders())
            | (attacks::king(square) & self.by_role(Role::King))
    }

    /// Whether the opponent of the side to move attacks `square`, as if `occupied` were the occupancy.
    #[inline]
    fn is_attacked(&self, square: Square, occupied: Bitboard) -> bool {
        let them = self.them();
        (attacks::pawn(self.turn, square) & them & self.by_role(Role::Pawn)).any()
            || (attacks::knight(square) & them & self.by_role(Role::Knight)).any()
            || (attacks::king(square) & them & self.by_role(Role::King)).any()
            || self.is_attacked_by_sliders(square, occupied, them)
    }

    #[inline]
    fn is_attacked_by_sliders(&self, square: Square, occupied: Bitboard, attackers: Bitboard) -> bool {
        let diagonal = attackers & self.diagonal_sliders() & attacks::diagonals(square);
        let straight = attackers & self.straight_sliders() & attacks::straights(square);
        diagonal.any() && (attacks::bishop(square, occupied) & diagonal).any()
            || straight.any() && (attacks::rook(square, occupied) & straight).any()
    }

    /// Finds the checkers and the pinned pieces of the side to move.
    #[inline]
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

    /// All keys, computed from scratch: what the incremental ones must equal.
    ///
    /// # Panics
    /// Never: each occupied square carries a piece.
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

    /// The same position for shakmaty, to which the rules outside the search and the tablebases belong.
    ///
    /// The number of full moves is not kept here; it comes out as 1.
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

/// Takes over a legal position; the number of full moves is dropped.
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
    /// The start position.
    fn default() -> Position {
        Position::from(&Chess::default())
    }
}

/// Where king and rook stand after castling with the rook on `rook`.
#[inline]
pub(crate) fn castling_squares(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = if rook > king { (6, 5) } else { (2, 3) };
    let first = king as u32 & 0o70;
    (Square::new(first | king_file), Square::new(first | rook_file))
}
