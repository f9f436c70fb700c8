//! The state of a game: its position, its moves, and its outcome by the rules. Used for playing and for refereeing.
//!
//! [`Game`] is the single game state, built on shakmaty's `VariantPosition`. Only this type decides on repetition, the fifty-move
//! rule, claims and undo. Code that supports only chess (books, endgame tables) uses [`Game::chess`], which is `None` in a
//! variant.
//!
//! Bughouse is Crazyhouse in which captured pieces go to the partner ([`PocketOwner::Partner`]). `Game` does not track them;
//! pieces to drop are set by [`Game::set_pockets`]. A side without a legal move that could have one with a piece in its pocket is
//! not mated: it waits.

use std::iter;

use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{ByColor, ByRole, CastlingMode, Chess, Color, Move, MoveList, Position as _, Setup};

use crate::fen::{self, FenError};
use crate::notation::{self, MoveError, san};
use crate::outcome::{DrawReason, Outcome, WinReason};
use crate::variant::{self, PocketOwner};

/// A game of chess, Chess960 or another variant from any start position.
///
/// The position is always legal.
#[derive(Clone, Debug)]
pub struct Game {
    mode: CastlingMode,
    /// The position before each move, for undo and repetition.
    earlier: Vec<VariantPosition>,
    current: VariantPosition,
    moves: Vec<Move>,
    declared: Option<Outcome>,
    pocket_owner: PocketOwner,
}

/// Error: a move is illegal in the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {0}")]
pub struct IllegalMove(String);

impl Default for Game {
    /// The start of a game of standard chess.
    fn default() -> Game {
        Game::new(Variant::Chess)
    }
}

/// Set-up and position.
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

    /// The start of a game of a variant with castling as in `mode`.
    pub fn with_mode(variant: Variant, mode: CastlingMode) -> Game {
        let start = Game::new(variant);
        // The start position is legal in both modes.
        Game::from_variant_fen(variant, &start.fen(), mode).unwrap_or(start)
    }

    /// The start of a game on one of the two boards of Bughouse: Crazyhouse in which captured pieces go to the captor's
    /// partner, and pieces to drop are set by [`Game::set_pockets`]. A side without a move that could have one with another
    /// piece in its pocket waits; it is neither mated nor stalemated.
    pub fn bughouse() -> Game {
        Game::new(Variant::Crazyhouse).with_pocket_owner(PocketOwner::Partner)
    }

    /// The same game with another recipient of captured pieces.
    #[must_use]
    pub fn with_pocket_owner(self, pocket_owner: PocketOwner) -> Game {
        Game { pocket_owner, ..self }
    }

    /// Recipient of captured pieces in a variant with drops.
    pub fn pocket_owner(&self) -> PocketOwner {
        self.pocket_owner
    }

    /// Sets the pieces in the pockets. The moves played are kept and can be taken back.
    ///
    /// # Errors
    /// The variant has no pockets, or there are more pieces than possible in the variant; the game is unchanged.
    pub fn set_pockets(&mut self, pockets: ByColor<ByRole<u8>>) -> Result<(), FenError> {
        let held = fen::with_pockets(self.position(), pockets, self.pocket_owner)?;
        self.current = held;
        self.declared = None;
        Ok(())
    }

    /// Reads a game from a FEN of four to six fields; missing counters are 0 and 1.
    ///
    /// Castling rights may be written as in FEN, X-FEN or Shredder-FEN. In standard mode, rights that only make sense
    /// in Chess960 make it a game of Chess960. Castling rights and en passant squares that the board contradicts are
    /// dropped; impossible checks are accepted. Underscores may stand for spaces.
    ///
    /// # Errors
    /// The text is not a FEN, or its position is illegal: not one king per side, the side that is not to move in check, a
    /// pawn on the first or last rank, more material than possible, or a counter over 65535.
    pub fn from_fen(fen: &str, mode: CastlingMode) -> Result<Game, FenError> {
        Game::from_variant_fen(Variant::Chess, fen, mode)
    }

    /// Reads a game of a variant from a FEN as in [`Game::from_fen`]. In Crazyhouse the pieces in hand follow the board in
    /// brackets (`[Qn]`) or as a ninth rank; by default there are none. In Three-check the checks left precede the counters
    /// (`3+3`) or the checks given follow them (`+0+0`); by default none were given.
    ///
    /// # Errors
    /// The text is not a FEN, or its position is illegal in the variant.
    pub fn from_variant_fen(variant: Variant, fen: &str, mode: CastlingMode) -> Result<Game, FenError> {
        fen::read(variant, fen, mode).map(Game::starting_from)
    }

    /// Creates a game from a set-up board, under the same rules as [`Game::from_variant_fen`].
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

    /// The position for code that supports only chess, including Chess960; `None` in a variant.
    pub fn chess(&self) -> Option<&Chess> {
        match self.position() {
            VariantPosition::Chess(chess) => Some(chess),
            _ => None,
        }
    }

    /// The variant. Chess960 is a mode of chess; see [`Game::mode`].
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

    /// The positions of the game, from the one before the first move to the current one.
    pub fn positions(&self) -> impl Iterator<Item = &VariantPosition> {
        self.earlier.iter().chain([&self.current])
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.position().turn()
    }

    /// The moves played, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Number of plies played.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// The legal moves; none if the game is over by checkmate, by stalemate or by a rule of the variant.
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

    /// Whether the game is at the start position of its variant and no move has been played.
    pub fn is_start_position(&self) -> bool {
        self.moves.is_empty() && self.has_standard_start()
    }

    /// Whether the game started from the start position of its variant.
    pub fn has_standard_start(&self) -> bool {
        let start = self.start();
        *start == VariantPosition::new(self.variant())
            && start.halfmoves() == 0
            && start.fullmoves().get() == 1
    }
}

/// Playing and taking back.
impl Game {
    /// Plays a move. A declared outcome is discarded.
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
            // shakmaty gives the captured piece to the captor.
            Some(pockets) if self.pocket_owner == PocketOwner::Partner && m.is_capture() => {
                fen::with_pockets(&next, *pockets, self.pocket_owner).unwrap_or(next)
            }
            _ => next,
        }
    }

    /// Takes the last move back and returns it; `None` at the start. A declared outcome is discarded.
    pub fn undo(&mut self) -> Option<Move> {
        self.declared = None;
        self.current = self.earlier.pop()?;
        self.moves.pop()
    }
}

/// Outcomes and claims.
impl Game {
    /// Number of occurrences of the position in the game, including the current one (FIDE Laws 9.2.3).
    pub fn repetitions(&self) -> u32 {
        occurrences(&self.current, self.earlier.iter().rev())
    }

    /// The outcome: as declared, or by checkmate, stalemate, insufficient material or a rule of the variant; `None` while the
    /// game is in progress. Draws that must be claimed are in [`Game::claim`].
    pub fn outcome(&self) -> Option<Outcome> {
        self.declared.or_else(|| ending(&self.current, self.pocket_owner))
    }

    /// Ends the game by resignation, agreement, time or adjudication. The outcome holds until the next move or undo.
    pub fn declare(&mut self, outcome: Outcome) {
        self.declared = Some(outcome);
    }

    /// The draw that the player to move may claim in the current position (FIDE Laws 9.2.1.2, 9.3.2); `None` if the game is
    /// over, as checkmate on the hundredth ply takes precedence.
    pub fn claim(&self) -> Option<DrawReason> {
        match self.outcome() {
            Some(_) => None,
            None => claim(&self.current, self.repetitions()),
        }
    }

    /// The draw that the player to move may claim by announcing the move `m` (FIDE Laws 9.2.1.1, 9.3.1); `None` if
    /// `m` is illegal or ends the game.
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

    /// Whether the side to move can mate in one.
    pub fn can_mate_at_once(&self) -> bool {
        self.legal_moves().into_iter().any(|mv| {
            let mut next = self.position().clone();
            next.play_unchecked(mv);
            next.is_checkmate()
        })
    }

    /// The outcome if the time of `loser` has run out: a draw if the opponent could not mate by any series of legal moves (FIDE Laws
    /// 6.9). Only the material is examined; permanently blocked positions are not recognised.
    pub fn flag_fall(&self, loser: Color) -> Outcome {
        if self.position().has_insufficient_material(!loser) {
            Outcome::Draw(DrawReason::TimeoutVsInsufficient)
        } else {
            Outcome::Win { winner: !loser, reason: WinReason::TimeForfeit }
        }
    }

    /// The draw that ends the game without a claim (FIDE Laws 9.6): fivefold repetition or seventy-five moves; `None`
    /// if the game is over.
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

/// Notation. Lines are sequences of moves from the current position.
impl Game {
    /// Parses a move.
    ///
    /// Accepts coordinates (`e2e4`, `e7e8q`, castling as `e1g1` or as king takes rook), SAN with missing or superfluous marks
    /// (`Nf3`, `Ng1-f3+!`, `ed5`, `0-0`), and drops (`N@f3`, `P@e4` or `@e4`). In Chess960 coordinates denote castling only if
    /// they are not an ordinary king move.
    ///
    /// # Errors
    /// The text is not a move, is illegal, or is ambiguous.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        notation::read(self.position(), self.mode, text)
    }

    /// Plays a move that is read as by [`Game::parse_move`], and returns it.
    ///
    /// # Errors
    /// The text is not a move, is illegal, or is ambiguous; the game is unchanged.
    pub fn play_text(&mut self, text: &str) -> Result<Move, MoveError> {
        let mv = self.parse_move(text)?;
        // A move that was just read is legal.
        let _ = self.play(mv);
        Ok(mv)
    }

    /// Plays moves one after the other as [`Game::play_text`] does.
    ///
    /// # Errors
    /// A text is not a move, is illegal, or is ambiguous; the moves before it were played.
    pub fn play_line(&mut self, texts: impl IntoIterator<Item = impl AsRef<str>>) -> Result<(), MoveError> {
        texts.into_iter().try_for_each(|text| self.play_text(text.as_ref()).map(drop))
    }

    /// A move in SAN, with `+` or `#`. An illegal move is written in coordinates, as SAN is undefined for it.
    pub fn san(&self, m: Move) -> String {
        san(self.position(), self.mode, m)
    }

    /// A move in the coordinates of UCI: castling is `e1g1`, in Chess960 `e1h1`.
    pub fn coordinate(&self, m: Move) -> String {
        m.to_uci(self.mode).to_string()
    }

    /// The legal beginning of a line in SAN, separated by spaces.
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

/// Earlier positions.
impl Game {
    /// The earlier positions that can be repeated, oldest first: back to the last capture or pawn move, in Crazyhouse to the
    /// start of the game.
    pub fn repeatable(&self) -> impl Iterator<Item = &VariantPosition> {
        let reach = self.earlier.len().min(variant::reach_of_repetition(self.position()));
        self.earlier[self.earlier.len() - reach..].iter()
    }

    /// Whether a position has been repeated since the last capture or pawn move.
    pub(crate) fn repeats_itself(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        !self.repeatable().chain([&self.current]).all(|position| seen.insert(position))
    }
}

/// Number of occurrences of a position, including the current one; `before` are the earlier positions, latest first. Positions
/// are equal if side to move, pieces and possible moves are equal (FIDE Laws 9.2.3).
fn occurrences<'a>(position: &VariantPosition, before: impl Iterator<Item = &'a VariantPosition>) -> u32 {
    let reach = variant::reach_of_repetition(position);
    1 + before.take(reach).filter(|earlier| *earlier == position).count() as u32
}

/// The outcome of a position without a claim.
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

/// The draw that may be claimed after this number of occurrences, or by the fifty-move rule.
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
