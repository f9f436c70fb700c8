//! The state of a game, for whoever plays it and whoever judges it: the position, how it came about, and what the
//! rules say about it.

use std::iter;

use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, Move, MoveList, Position as _, Setup};

use crate::fen::{self, FenError};
use crate::notation::{self, MoveError};
use crate::outcome::{DrawReason, Outcome, WinReason};

/// A game of chess or Chess960 from some position on.
///
/// There is always a legal position on the board; moves are played, taken back and judged here and nowhere else.
#[derive(Clone, Debug)]
pub struct Game {
    mode: CastlingMode,
    /// The positions before each of the moves, so that taking back is only dropping.
    earlier: Vec<Placement>,
    current: Placement,
    moves: Vec<Move>,
    declared: Option<Outcome>,
}

/// A position and its key, which is asked for more often than the position changes.
#[derive(Clone, Debug)]
struct Placement {
    chess: Chess,
    key: u64,
}

/// A move was played that is not legal in the position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal move {0}")]
pub struct IllegalMove(String);

impl Placement {
    fn new(chess: Chess) -> Placement {
        let key = search::Position::from(&chess).keys().full;
        Placement { chess, key }
    }

    /// The same position for the rules of repetition (FIDE Laws 9.2.3): the same player to move, the same pieces on
    /// the same squares, the same possible moves.
    fn repeats(&self, other: &Placement) -> bool {
        self.key == other.key && self.chess == other.chess
    }

    /// How often this position has occurred, this time included; `before` are the earlier ones, latest first.
    fn occurrences<'a>(&'a self, before: impl Iterator<Item = &'a Placement>) -> u32 {
        let reversible = self.chess.halfmoves() as usize;
        1 + before.take(reversible).filter(|earlier| self.repeats(earlier)).count() as u32
    }

    /// What ends the game on the spot, without anybody's word.
    fn outcome(&self) -> Option<Outcome> {
        if self.chess.legal_moves().is_empty() {
            Some(if self.chess.is_check() {
                Outcome::Win { winner: !self.chess.turn(), reason: WinReason::Checkmate }
            } else {
                Outcome::Draw(DrawReason::Stalemate)
            })
        } else {
            self.chess.is_insufficient_material().then_some(Outcome::Draw(DrawReason::InsufficientMaterial))
        }
    }

    /// The draw that so many occurrences, or so many plies without capture and pawn move, entitle to.
    fn claim(&self, occurrences: u32) -> Option<DrawReason> {
        if occurrences >= 3 {
            Some(DrawReason::Repetition)
        } else {
            (self.chess.halfmoves() >= 100).then_some(DrawReason::FiftyMoves)
        }
    }
}

impl Default for Game {
    /// The start of a game of standard chess.
    fn default() -> Game {
        Game::starting_from(Chess::default(), CastlingMode::Standard)
    }
}

/// Setting up, and what is on the board.
impl Game {
    fn starting_from(chess: Chess, mode: CastlingMode) -> Game {
        Game { mode, earlier: Vec::new(), current: Placement::new(chess), moves: Vec::new(), declared: None }
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
        fen::read(fen, mode).map(|(chess, mode)| Game::starting_from(chess, mode))
    }

    /// A game from a board that was set up by hand, under the same rules as [`Game::from_fen`].
    ///
    /// # Errors
    /// The position is illegal.
    pub fn from_setup(setup: Setup, mode: CastlingMode) -> Result<Game, FenError> {
        fen::from_setup(setup, mode).map(|(chess, mode)| Game::starting_from(chess, mode))
    }

    /// The position on the board.
    pub fn chess(&self) -> &Chess {
        &self.current.chess
    }

    /// Whether castling is written as in standard chess or as in Chess960.
    pub fn mode(&self) -> CastlingMode {
        self.mode
    }

    /// The position before the first move.
    pub fn start(&self) -> &Chess {
        &self.earlier.first().unwrap_or(&self.current).chess
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        self.current.chess.turn()
    }

    /// The moves that were played, in order.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// How many moves were played, each side's counted.
    pub fn ply(&self) -> usize {
        self.moves.len()
    }

    /// The moves that may be played; none if the game is over by checkmate or stalemate.
    pub fn legal_moves(&self) -> MoveList {
        self.current.chess.legal_moves()
    }

    /// Plies since the last capture or pawn move.
    pub fn halfmoves(&self) -> u32 {
        self.current.chess.halfmoves()
    }

    /// The FEN of the position: six fields, the en passant square only where the capture is legal, and castling
    /// rights by the files of the rooks (`HAha`) in Chess960.
    pub fn fen(&self) -> String {
        fen::write(&self.current.chess, self.mode)
    }

    /// The FEN of the position before the first move, written as in [`Game::fen`].
    pub fn start_fen(&self) -> String {
        fen::write(self.start(), self.mode)
    }

    /// Whether no move was played yet and the game starts from the standard start position.
    pub fn is_start_position(&self) -> bool {
        self.moves.is_empty() && self.has_standard_start()
    }

    /// Whether the game started from the standard start position, whatever was played since.
    pub fn has_standard_start(&self) -> bool {
        let start = self.start();
        *start == Chess::default() && start.halfmoves() == 0 && start.fullmoves().get() == 1
    }
}

/// Playing and taking back.
impl Game {
    /// Plays a move. An outcome that was declared before no longer holds.
    ///
    /// # Errors
    /// The move is illegal; the game is unchanged.
    pub fn play(&mut self, m: Move) -> Result<(), IllegalMove> {
        if !self.current.chess.is_legal(m) {
            return Err(IllegalMove(self.coordinate(m)));
        }
        let next = Placement::new(after(&self.current.chess, m));
        self.earlier.push(std::mem::replace(&mut self.current, next));
        self.moves.push(m);
        self.declared = None;
        Ok(())
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
        self.current.occurrences(self.earlier.iter().rev())
    }

    /// How the game ended: as declared, or by checkmate, stalemate or a material that cannot mate. `None` while it
    /// goes on. Draws that must be claimed are in [`Game::claim`].
    pub fn outcome(&self) -> Option<Outcome> {
        self.declared.or_else(|| self.current.outcome())
    }

    /// Ends the game by somebody's word: resignation, agreement, time, an official. Holds until the next move or undo.
    pub fn declare(&mut self, outcome: Outcome) {
        self.declared = Some(outcome);
    }

    /// The draw that the player to move may claim because of the position on the board (FIDE Laws 9.2.1.2, 9.3.2);
    /// `None` once the game is over, so that checkmate on the hundredth ply stands.
    pub fn claim(&self) -> Option<DrawReason> {
        match self.outcome() {
            Some(_) => None,
            None => self.current.claim(self.repetitions()),
        }
    }

    /// The draw that the player to move may claim by announcing the move `m` (FIDE Laws 9.2.1.1, 9.3.1); `None` if it
    /// is illegal or ends the game by itself.
    pub fn claim_after(&self, m: Move) -> Option<DrawReason> {
        if self.outcome().is_some() || !self.current.chess.is_legal(m) {
            return None;
        }
        let next = Placement::new(after(&self.current.chess, m));
        match next.outcome() {
            Some(_) => None,
            None => next.claim(next.occurrences(iter::once(&self.current).chain(self.earlier.iter().rev()))),
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
    /// are missing or superfluous (`Nf3`, `Ng1-f3+!`, `ed5`, `0-0`). In Chess960 coordinates mean castling only if
    /// they are no ordinary move of the king.
    ///
    /// # Errors
    /// The text is no move, no legal one, or could be several.
    pub fn parse_move(&self, text: &str) -> Result<Move, MoveError> {
        notation::read(&self.current.chess, self.mode, text)
    }

    /// A move in SAN, with `+` or `#`; an illegal one in coordinates, since SAN has no words for it.
    pub fn san(&self, m: Move) -> String {
        san(&self.current.chess, self.mode, m)
    }

    /// A move in coordinates as UCI has them: castling is `e1g1`, in Chess960 `e1h1`.
    pub fn coordinate(&self, m: Move) -> String {
        m.to_uci(self.mode).to_string()
    }

    /// A line in SAN, separated by spaces, as far as it is legal.
    pub fn san_line(&self, line: &[Move]) -> String {
        self.line(line, |chess, m| san(chess, self.mode, m))
    }

    /// A line in coordinates, separated by spaces, as far as it is legal.
    pub fn coordinate_line(&self, line: &[Move]) -> String {
        self.line(line, |_, m| self.coordinate(m))
    }

    fn line(&self, line: &[Move], write: impl Fn(&Chess, Move) -> String) -> String {
        let mut chess = self.current.chess.clone();
        let mut words = Vec::with_capacity(line.len());
        for &m in line {
            if !chess.is_legal(m) {
                break;
            }
            words.push(write(&chess, m));
            chess.play_unchecked(m);
        }
        words.join(" ")
    }
}

/// What the search sees of the game.
impl Game {
    /// The position to think about, with the keys of the earlier ones that could still be repeated.
    pub fn root(&self) -> search::Root {
        let reversible = self.earlier.len().min(self.halfmoves() as usize);
        search::Root {
            position: search::Position::from(&self.current.chess),
            earlier_keys: self.earlier[self.earlier.len() - reversible..].iter().map(|p| p.key).collect(),
            ..search::Root::default()
        }
    }

    /// A move as the search has it. Drops, which chess does not know, come out as a move that is legal nowhere.
    pub fn to_search(m: Move) -> search::Move {
        let from = m.from().unwrap_or(m.to());
        match m.promotion() {
            Some(role) => search::Move::promoting(from, m.to(), role),
            None => search::Move::new(from, m.to()),
        }
    }

    /// The legal move that the search means; `None` if there is none.
    pub fn from_search(&self, m: search::Move) -> Option<Move> {
        from_search(&self.current.chess, m)
    }

    /// A line of the search, as far as it is legal.
    pub fn line_from_search(&self, line: &[search::Move]) -> Vec<Move> {
        let mut chess = self.current.chess.clone();
        line.iter()
            .map_while(|&m| {
                let m = from_search(&chess, m)?;
                chess.play_unchecked(m);
                Some(m)
            })
            .collect()
    }
}

/// The position after a legal move.
pub(crate) fn after(chess: &Chess, m: Move) -> Chess {
    let mut next = chess.clone();
    next.play_unchecked(m);
    next
}

fn san(chess: &Chess, mode: CastlingMode, m: Move) -> String {
    if chess.is_legal(m) {
        SanPlus::from_move(chess.clone(), m).to_string()
    } else {
        m.to_uci(mode).to_string()
    }
}

fn from_search(chess: &Chess, m: search::Move) -> Option<Move> {
    chess.legal_moves().into_iter().find(|&legal| Game::to_search(legal) == m)
}
