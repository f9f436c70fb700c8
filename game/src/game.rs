//! The state of a game: the position, how it came about, and what the rules say about it. The same for playing and for refereeing.
//!
//! [`Game`] is the single game state, built on shakmaty's `VariantPosition`. Repetition, fifty moves, claims and undo are asked here
//! and nowhere else. Code that knows nothing but chess (books, endgame tables) asks for [`Game::chess`], which a variant does not
//! have.
//!
//! Bughouse is Crazyhouse in which captured pieces go to the partner ([`PocketOwner::Partner`]). `Game` does not know them; what can
//! be dropped is set by [`Game::set_pockets`]. A side without a legal move that could have one with a piece in its pocket is
//! not mated: it waits.

use std::collections::HashSet;
use std::iter;

use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{ByColor, ByRole, CastlingMode, Chess, Color, Move, MoveList, Position as _, Setup};

use crate::fen::{self, FenError};
use crate::notation::{self, MoveError, san};
use crate::outcome::{DrawReason, Outcome, WinReason};
use crate::variant::{self, PocketOwner};

/// A game of chess, Chess960 or another variant, from some position on.
///
/// There is always a legal position on the board; moves are played, taken back and judged here and nowhere else.
#[derive(Clone, Debug)]
pub struct Game {
    mode: CastlingMode,
    /// The positions before each of the moves, so that taking back is only dropping.
    earlier: Vec<VariantPosition>,
    current: VariantPosition,
    moves: Vec<Move>,
    declared: Option<Outcome>,
    pocket_owner: PocketOwner,
}

/// A move was played that is not legal in the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {0}")]
pub struct IllegalMove(String);

impl Default for Game {
    /// The start of a game of standard chess.
    fn default() -> Game {
        Game::new(Variant::Chess)
    }
}

/// Setting up, and what is on the board.
impl Game {
    fn starting_from((position, mode): (VariantPosition, CastlingMode)) -> Game {
        Game {
            mode,
            earlier: Vec::new(),
            current: position,
            moves: Vec::new(),
            declared: None,
            pocket_owner: PocketOwner::Captor,
        }
    }

    /// The start of a game of a variant.
    pub fn new(variant: Variant) -> Game {
        Game::starting_from((VariantPosition::new(variant), CastlingMode::Standard))
    }

    /// The same, castling as in `mode`.
    pub fn with_mode(variant: Variant, mode: CastlingMode) -> Game {
        let start = Game::new(variant);
        // The start position is legal in both modes.
        Game::from_variant_fen(variant, &start.fen(), mode).unwrap_or(start)
    }

    /// The start of a game at one of the two boards of Bughouse: Crazyhouse, in which captured pieces go to the captor's
    /// partner, and those to be dropped are set by [`Game::set_pockets`]. A side without a move that could have one
    /// with another piece in its pocket waits for it; it is neither mated nor stalemated.
    pub fn bughouse() -> Game {
        Game::new(Variant::Crazyhouse).with_pocket_owner(PocketOwner::Partner)
    }

    /// The same game, but for what becomes of captured pieces.
    #[must_use]
    pub fn with_pocket_owner(self, pocket_owner: PocketOwner) -> Game {
        Game { pocket_owner, ..self }
    }

    /// Who gets captured pieces in a variant with drops.
    pub fn pocket_owner(&self) -> PocketOwner {
        self.pocket_owner
    }

    /// Puts pieces into the pockets. The moves that led here stay, and can be taken back.
    ///
    /// # Errors
    /// The variant has no pockets, or there are more pieces than the variant can bring about; the game is unchanged.
    pub fn set_pockets(&mut self, pockets: ByColor<ByRole<u8>>) -> Result<(), FenError> {
        let held = fen::with_pockets(self.position(), pockets, self.pocket_owner)?;
        self.current = held;
        self.declared = None;
        Ok(())
    }

    /// A game from a FEN of four to six fields; missing counters are 0 and 1.
    ///
    /// Castling rights may be written as in FEN, X-FEN or Shredder-FEN. In standard mode, rights that only make sense
    /// in Chess960 make it a game of Chess960. Castling rights and en passant squares that the board contradicts are
    /// dropped; impossible checks are accepted. Underscores may stand for spaces.
    ///
    /// # Errors
    /// The text is no FEN, or its position is illegal: not one king a side, the side that is not to move in check, a
    /// pawn on the first or last rank, more material than a game can bring about, or a counter over 65535.
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Game, FenError> {
        Game::from_variant_fen(Variant::Chess, fen, mode)
    }

    /// A game of a variant from a FEN, read as in [`Game::from_fen`]. In Crazyhouse the pieces in hand stand in brackets
    /// after the board (`[Qn]`) or make up a ninth rank; in Three-check the checks left stand before the counters
    /// (`3+3`) or those given after them (`+0+0`). Without them there are none in hand, and none were given.
    ///
    /// # Errors
    /// The text is no FEN, or its position is not one of the variant.
    pub fn from_variant_fen(variant: Variant, fen: &str, mode: CastlingMode) -> Result<Game, FenError> {
        fen::read(variant, fen, mode).map(Game::starting_from)
    }

    /// A game from a board that was set up by hand, under the same rules as [`Game::from_variant_fen`].
    ///
    /// # Errors
    /// The position is illegal.
    pub fn from_setup(variant: Variant, setup: Setup, mode: CastlingMode) -> Result<Game, FenError> {
        fen::from_setup(variant, setup, mode).map(Game::starting_from)
    }

    /// The position on the board.
    pub fn position(&self) -> &VariantPosition {
        &self.current
    }

    /// The position on the board, for code that knows nothing but chess; `None` in a variant. Chess960 is chess.
    pub fn chess(&self) -> Option<&Chess> {
        match self.position() {
            VariantPosition::Chess(chess) => Some(chess),
            _ => None,
        }
    }

    /// The rules by which the game is played. Chess960 is chess; [`Game::mode`] tells them apart.
    pub fn variant(&self) -> Variant {
        self.position().variant()
    }

    /// Whether castling is written as in standard chess or as in Chess960.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// The position before the first move.
    pub fn start(&self) -> &VariantPosition {
        self.earlier.first().unwrap_or(&self.current)
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.position().turn()
    }

    /// The moves that were played, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// How many moves were played, each side's counted.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// The moves that may be played; none if the game is over by checkmate, by stalemate or by the end of a variant.
    pub fn legal_moves(&self) -> MoveList {
        self.position().legal_moves()
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.position().halfmoves()
    }

    /// The FEN of the position: six fields, the en passant square only where the capture is legal, and castling
    /// rights by the files of the rooks (`HAha`) in Chess960.
    pub fn fen(&self) -> String {
        fen::write(self.position(), self.mode)
    }

    /// The FEN of the position before the first move, written as in [`Game::fen`].
    pub fn start_fen(&self) -> String {
        fen::write(self.start(), self.mode)
    }

    /// Whether no move was played yet and the game starts from the start position of its variant.
    pub fn is_start_position(&self) -> bool {
        self.moves.is_empty() && self.has_standard_start()
    }

    /// Whether the game started from the start position of its variant, whatever was played since.
    pub fn has_standard_start(&self) -> bool {
        let start = self.start();
        *start == VariantPosition::new(self.variant())
            && start.halfmoves() == 0
            && start.fullmoves().get() == 1
    }
}

/// Playing and taking back.
impl Game {
    /// Plays a move. An outcome that was declared before no longer holds.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if !self.position().is_legal(m) {
            return Err(IllegalMove(self.coordinate(m)));
        }
        let next = self.after(m);
        self.earlier.push(std::mem::replace(&mut self.current, next));
        self.moves.push(m);
        self.declared = None;
        Ok(())
    }

    /// The position after a legal move.
    fn after(&self, m: Move) -> VariantPosition {
        let next = after(self.position(), m);
        match self.position().pockets() {
            // shakmaty has given the captured piece to the captor.
            Some(pockets) if self.pocket_owner == PocketOwner::Partner && m.is_capture() => {
                fen::with_pockets(&next, *pockets, self.pocket_owner).unwrap_or(next)
            }
            _ => next,
        }
    }

    /// Takes the last move back and returns it; `None` at the start. A declared outcome no longer holds.
    pub fn undo(&mut self) -> Option<Move> {
        self.declared = None;
        self.current = self.earlier.pop()?;
        self.moves.pop()
    }
}

/// What the rules say.
impl Game {
    /// How often the position has occurred in the game, this time included (FIDE Laws 9.2.3).
    pub fn repetitions(&self) -> u32 {
        occurrences(&self.current, self.earlier.iter().rev())
    }

    /// How the game ended: as declared, or by checkmate, stalemate or a material that cannot mate. `None` while it
    /// goes on. Draws that must be claimed are in [`Game::claim`].
    pub fn outcome(&self) -> Option<Outcome> {
        self.declared.or_else(|| ending(&self.current, self.pocket_owner))
    }

    /// Ends the game by a decision off the board: resignation, agreement, time, an official. Holds until the next move or undo.
    pub fn declare(&mut self, outcome: Outcome) {
        self.declared = Some(outcome);
    }

    /// The draw that the player to move may claim because of the position on the board (FIDE Laws 9.2.1.2, 9.3.2);
    /// `None` once the game is over, so that checkmate on the hundredth ply stands.
    pub fn claim(&self) -> Option<DrawReason> {
        match self.outcome() {
            Some(_) => None,
            None => claim(&self.current, self.repetitions()),
        }
    }

    /// The draw that the player to move may claim by announcing the move `m` (FIDE Laws 9.2.1.1, 9.3.1); `None` if it
    /// is illegal or ends the game by itself.
    pub fn claim_after(&self, m: Move) -> Option<DrawReason> {
        if self.outcome().is_some() || !self.position().is_legal(m) {
            return None;
        }
        let next = self.after(m);
        let before = iter::once(&self.current).chain(self.earlier.iter().rev());
        match ending(&next, self.pocket_owner) {
            Some(_) => None,
            None => claim(&next, occurrences(&next, before)),
        }
    }

    /// The draw that ends the game without a claim (FIDE Laws 9.6): fivefold repetition or seventy-five moves; `None`
    /// once the game is over.
    pub fn automatic_draw(&self) -> Option<DrawReason> {
        if self.outcome().is_some() {
            None
        } else if self.repetitions() >= 5 {
            Some(DrawReason::FivefoldRepetition)
        } else {
            (self.halfmoves() >= 150).then_some(DrawReason::SeventyFiveMoves)
        }
    }
}

/// Notation. Lines are sequences of moves from the position on the board.
impl Game {
    /// Finds the legal move that a text means.
    ///
    /// Read are coordinates (`e2e4`, `e7e8q`, castling as `e1g1` or as king takes rook) and SAN with whatever marks
    /// are missing or superfluous (`Nf3`, `Ng1-f3+!`, `ed5`, `0-0`), drops as `N@f3` and `P@e4` or `@e4`. In Chess960 coordinates mean castling only if
    /// they are no ordinary move of the king.
    ///
    /// # Errors
    /// The text is no move, no legal one, or could be several.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        notation::read(self.position(), self.mode, text)
    }

    /// A move in SAN, with `+` or `#`; an illegal one in coordinates, since SAN has no words for it.
    pub fn san(&self, m: Move) -> String {
        san(self.position(), self.mode, m)
    }

    /// A move in coordinates as UCI has them: castling is `e1g1`, in Chess960 `e1h1`.
    pub fn coordinate(&self, m: Move) -> String {
        m.to_uci(self.mode).to_string()
    }

    /// A line in SAN, separated by spaces, as far as it is legal.
    pub fn san_line(&self, line: &[Move]) -> String {
        let mut position = self.position().clone();
        let words = line.iter().map_while(|&m| {
            let word = position.is_legal(m).then(|| san(&position, self.mode, m))?;
            position.play_unchecked(m);
            Some(word)
        });
        words.collect::<Vec<_>>().join(" ")
    }
}

/// What came before.
impl Game {
    /// The earlier positions that could still be repeated, oldest first: as far back as the last capture or pawn move,
    /// in Crazyhouse from the beginning.
    pub fn repeatable(&self) -> impl Iterator<Item = &VariantPosition> {
        let reach = self.earlier.len().min(variant::reach_of_repetition(self.position()));
        self.earlier[self.earlier.len() - reach..].iter()
    }

    /// Whether a position has come back since the last capture or pawn move.
    pub(crate) fn repeats_itself(&self) -> bool {
        let mut seen = HashSet::new();
        !self.repeatable().chain([&self.current]).all(|position| seen.insert(position))
    }
}

/// How often a position has occurred, this time included; `before` are the earlier ones, latest first. The same are positions with
/// the same player to move, the same pieces on the same squares and the same possible moves (FIDE Laws 9.2.3).
fn occurrences<'a>(position: &VariantPosition, before: impl Iterator<Item = &'a VariantPosition>) -> u32 {
    let reach = variant::reach_of_repetition(position);
    1 + before.take(reach).filter(|earlier| *earlier == position).count() as u32
}

/// What ends the game at once, without a claim.
fn ending(position: &VariantPosition, pocket_owner: PocketOwner) -> Option<Outcome> {
    if let Some(outcome) = variant::outcome(position) {
        Some(outcome)
    } else if !position.legal_moves().is_empty() {
        let is_insufficient = position.is_insufficient_material();
        is_insufficient.then_some(Outcome::Draw(DrawReason::InsufficientMaterial))
    } else if pocket_owner == PocketOwner::Partner && variant::could_drop(position) {
        None
    } else if position.is_check() {
        Some(Outcome::Win { winner: !position.turn(), reason: WinReason::Checkmate })
    } else {
        Some(Outcome::Draw(DrawReason::Stalemate))
    }
}

/// The draw that so many occurrences, or so many plies without capture and pawn move, entitle to.
fn claim(position: &VariantPosition, occurrences: u32) -> Option<DrawReason> {
    if occurrences >= 3 {
        Some(DrawReason::Repetition)
    } else {
        (position.halfmoves() >= 100).then_some(DrawReason::FiftyMoves)
    }
}

/// The position after a legal move.
pub(crate) fn after<P: shakmaty::Position + Clone>(position: &P, m: Move) -> P {
    let mut next = position.clone();
    next.play_unchecked(m);
    next
}
