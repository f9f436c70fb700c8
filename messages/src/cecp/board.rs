//! The board of a session: a game, a position that is being set up, or a refused position.

use std::num::NonZeroU32;

use game::{FenError, Game, Variant};
use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, ByColor, ByRole, CastlingMode, Color, EnPassantMode, Position as _, Role, Setup, Square,
};

use super::EditLine;

/// The board of a session.
#[derive(Debug)]
pub struct CecpBoard {
    /// The game, or the last one if none is being played. The following positions use its variant and pocket owner.
    game: Game,
    /// The games before each null move, the latest last. A null move begins another game, because no rule knows it.
    passed: Vec<Game>,
    stage: BoardStage,
    /// The side put on move by `white` or `black`. In the middle of a game XBoard sends `black`, `time`, `otim`,
    /// `white`, `go`, so the game must not be changed before the sequence is complete.
    turn: Option<Color>,
    /// How castling rights are read. A Chess960 position does not change it for the following positions.
    mode: CastlingMode,
}

#[derive(Debug)]
enum BoardStage {
    /// A game is being played.
    Playing,
    /// A position is being edited.
    Edit { setup: Setup, color: Color },
    /// The position after `edit`. Whether it is legal may depend on a `black` that follows.
    Draft(Setup),
    /// The position is illegal, so nothing can be done with it.
    Refused,
}

/// A position that was refused.
#[derive(Debug)]
pub struct PositionRefusal {
    /// The position.
    pub fen: String,
    /// The reason of the refusal.
    pub reason: String,
}

impl CecpBoard {
    /// Creates the board of a new game. The following positions are of the same variant.
    pub fn new(game: Game) -> CecpBoard {
        CecpBoard { mode: game.mode(), game, passed: Vec::new(), stage: BoardStage::Playing, turn: None }
    }

    fn is_playing(&self) -> bool {
        matches!(self.stage, BoardStage::Playing) && self.turn.is_none()
    }

    /// Returns the game if the position is legal and the side to move is settled.
    pub fn game(&self) -> Option<&Game> {
        self.is_playing().then_some(&self.game)
    }

    /// As [`CecpBoard::game`], mutable.
    pub fn game_mut(&mut self) -> Option<&mut Game> {
        self.is_playing().then_some(&mut self.game)
    }

    /// Sets up a position and returns true.
    ///
    /// # Errors
    /// The position is illegal. Nothing can be done with the board until there is another one.
    pub fn set_up(&mut self, fen: &str) -> Result<bool, PositionRefusal> {
        self.turn = None;
        let game = Game::from_variant_fen(self.game.variant(), fen, self.mode);
        self.put(game, || fen.to_owned())
    }

    /// Changes the side to move; takes effect when the board is [settled](CecpBoard::settle).
    pub fn put_on_move(&mut self, color: Color) {
        self.turn = Some(color);
    }

    /// Completes an edited position or a change of the side to move. Returns whether the position has changed.
    ///
    /// # Errors
    /// As for [`CecpBoard::set_up`].
    pub fn settle(&mut self) -> Result<bool, PositionRefusal> {
        let turn = self.turn.take();
        let mut setup = match (&self.stage, turn) {
            (BoardStage::Playing, Some(color)) if color != self.game.turn() => {
                Setup { ep_square: None, ..self.game.position().to_setup(EnPassantMode::Legal) }
            }
            (BoardStage::Draft(setup), _) => setup.clone(),
            _ => return Ok(false),
        };
        setup.turn = turn.unwrap_or(setup.turn);
        let game = Game::from_setup(self.game.variant(), setup.clone(), self.mode);
        self.put(game, || fen_of(setup))
    }

    fn put(
        &mut self,
        game: Result<Game, FenError>,
        fen: impl FnOnce() -> String,
    ) -> Result<bool, PositionRefusal> {
        self.passed.clear();
        match game {
            Ok(game) => {
                self.game = game.with_pocket_owner(self.game.pocket_owner());
                self.stage = BoardStage::Playing;
                Ok(true)
            }
            Err(error) => {
                self.stage = BoardStage::Refused;
                Err(PositionRefusal { fen: fen(), reason: reason(&error) })
            }
        }
    }

    /// Plays a null move, after which the other side is on move. Returns false if there is no game or the side to move is in check;
    /// then nothing has changed.
    pub fn pass(&mut self) -> bool {
        let Some(game) = self.game().filter(|game| !game.position().is_check()) else { return false };
        let position = game.position();
        let setup = Setup { turn: !game.turn(), ep_square: None, ..position.to_setup(EnPassantMode::Legal) };
        let Ok(next) = Game::from_setup(game.variant(), setup, self.mode) else { return false };
        let next = next.with_pocket_owner(game.pocket_owner());
        self.passed.push(std::mem::replace(&mut self.game, next));
        true
    }

    /// Takes moves and null moves back. Returns false if there are not so many; then nothing has changed.
    pub fn take_back(&mut self, plies: usize) -> bool {
        let made: usize = self.passed.iter().map(|game| game.ply() + 1).sum();
        if self.game().is_none_or(|game| made + game.ply() < plies) {
            return false;
        }
        for _ in 0..plies {
            if self.game.undo().is_none()
                && let Some(before) = self.passed.pop()
            {
                self.game = before;
            }
        }
        true
    }

    /// Returns whether the variant has pockets.
    pub fn has_pockets(&self) -> bool {
        self.game.variant() == Variant::Crazyhouse
    }

    /// Sets the pockets, given as piece letters, if the variant has pockets. Returns whether they have changed;
    /// impossible pockets are refused and change nothing. `None` if a letter is not a piece.
    pub fn set_pockets(&mut self, white: &str, black: &str) -> Option<Result<bool, PositionRefusal>> {
        let pockets = ByColor { white: read_pocket(white)?, black: read_pocket(black)? };
        let Some(game) =
            self.game_mut().filter(|game| game.position().pockets().is_some_and(|held| *held != pockets))
        else {
            return Some(Ok(false));
        };
        let held = game.set_pockets(pockets).map(|()| true);
        Some(held.map_err(|error| PositionRefusal { fen: game.fen(), reason: reason(&error) }))
    }

    /// Starts to edit the position.
    pub fn edit(&mut self) {
        let mut setup = match &self.stage {
            BoardStage::Playing => self.game.position().to_setup(EnPassantMode::Legal),
            BoardStage::Edit { setup, .. } | BoardStage::Draft(setup) => setup.clone(),
            BoardStage::Refused => Setup::empty(),
        };
        setup.turn = self.turn.take().unwrap_or(setup.turn);
        self.passed.clear();
        self.stage = BoardStage::Edit { setup, color: Color::White };
    }

    /// Returns whether a position is being edited, so that lines belong to `edit`.
    pub fn is_edited(&self) -> bool {
        matches!(self.stage, BoardStage::Edit { .. })
    }

    /// Carries out a line of `edit`; outside of `edit` it has no effect.
    pub fn obey(&mut self, line: EditLine) {
        let BoardStage::Edit { setup, color } = &mut self.stage else { return };
        match line {
            EditLine::Clear => setup.board = shakmaty::Board::empty(),
            EditLine::ToggleColor => *color = !*color,
            EditLine::Place(role, at) => setup.board.set_piece_at(at, role.of(*color)),
            EditLine::Remove(at) => setup.board.discard_piece_at(at),
            EditLine::End => self.stage = BoardStage::Draft(with_assumed_rights(setup)),
        }
    }
}

/// Adds what `edit` can't express: kings and rooks on their home squares may castle, and there are no earlier moves.
/// Pockets and remaining checks, which `edit` does not describe, are kept.
fn with_assumed_rights(setup: &Setup) -> Setup {
    let board = &setup.board;
    let mut castling_rights = Bitboard::EMPTY;
    for (color, king) in [(Color::White, Square::E1), (Color::Black, Square::E8)] {
        if board.piece_at(king) == Some(color.king()) {
            castling_rights |= board.by_piece(color.rook()) & Bitboard::CORNERS & king.rank();
        }
    }
    Setup { castling_rights, ep_square: None, halfmoves: 0, fullmoves: NonZeroU32::MIN, ..setup.clone() }
}

/// Reads the piece letters of a pocket; `None` if one is not a piece that a pocket can hold.
fn read_pocket(letters: &str) -> Option<ByRole<u8>> {
    letters.chars().try_fold(ByRole::default(), |mut pocket: ByRole<u8>, letter| {
        let role = Role::from_char(letter).filter(|&role| role != Role::King)?;
        let count = pocket.get_mut(role);
        *count = count.checked_add(1)?;
        Some(pocket)
    })
}

fn fen_of(setup: Setup) -> String {
    Fen::try_from_setup(setup).unwrap_or_else(shakmaty::fen::LossyFenError::ignore).to_string()
}

/// Describes why a position was refused, without the position itself, which the message already contains.
fn reason(error: &FenError) -> String {
    match error {
        FenError::Fields { count, .. } => format!("{count} fields; expected 4 to 6"),
        FenError::Kings { color, count, .. } => format!("{color} has {count} kings; expected one"),
        FenError::PawnOnBackRank { .. } => "a pawn stands on the first or last rank".to_owned(),
        FenError::OpponentInCheck { color, .. } => format!("{color} is in check and not on move"),
        FenError::TooMuchMaterial { .. } => {
            "a side has over 16 pieces, or more promoted pieces than pawns are missing".to_owned()
        }
        FenError::Variant { problem, .. } => problem.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(lines: &[&str]) -> CecpBoard {
        let mut board = CecpBoard::new(Game::default());
        board.edit();
        for line in lines {
            board.obey(line.parse().unwrap());
        }
        board
    }

    #[test]
    fn the_example_of_the_specification() {
        let mut board = edited(&["#", "Ke1", "Pe2", "c", "Ke8", "."]);
        assert!(board.game().is_none(), "the turn may still change");
        assert!(board.settle().unwrap());
        assert_eq!(board.game().unwrap().fen(), "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    }

    #[test]
    fn kings_and_rooks_at_home_may_castle() {
        let mut board = edited(&["#", "Ke1", "Ra1", "Rb1", "c", "Ke8", "Rh8", "."]);
        board.put_on_move(Color::Black);
        assert!(board.settle().unwrap());
        assert_eq!(board.game().unwrap().fen(), "4k2r/8/8/8/8/8/8/RR2K3 b Qk - 0 1");
    }

    #[test]
    fn a_square_can_be_emptied_and_the_rest_stays() {
        let mut board = edited(&["xe2", "."]);
        board.settle().unwrap();
        assert!(
            board.game().unwrap().fen().starts_with("rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR w KQkq")
        );
    }

    #[test]
    fn turning_the_turn_forth_and_back_keeps_the_game() {
        let mut board = CecpBoard::new(Game::default());
        let game = board.game_mut().unwrap();
        let mv = game.parse_move("e4").unwrap();
        game.play(mv).unwrap();
        board.put_on_move(Color::White);
        board.put_on_move(Color::Black);
        assert!(!board.settle().unwrap());
        assert_eq!(board.game().unwrap().ply(), 1);
        board.put_on_move(Color::White);
        assert!(board.settle().unwrap());
        assert_eq!((board.game().unwrap().ply(), board.game().unwrap().turn()), (0, Color::White));
    }

    #[test]
    fn an_illegal_draft_may_become_legal_by_the_other_turn() {
        let lines = ["#", "Ke1", "Re2", "c", "Ke8", "."];
        assert!(edited(&lines).settle().unwrap_err().reason.contains("in check"));
        let mut board = edited(&lines);
        board.put_on_move(Color::Black);
        assert!(board.settle().unwrap());
    }

    #[test]
    fn pockets_are_filled_where_there_are_pockets() {
        let mut board = CecpBoard::new(Game::default());
        assert!(!board.set_pockets("PN", "").unwrap().unwrap(), "chess has none");
        board = CecpBoard::new(Game::new(Variant::Crazyhouse));
        assert!(!board.set_pockets("", "").unwrap().unwrap(), "they are empty already");
        assert!(board.set_pockets("X", "").is_none() && board.set_pockets("", "K").is_none());
        board.set_up("r3k3/8/8/8/8/8/8/R3K3[-] w - - 0 1").unwrap();
        assert!(board.set_pockets("NP", "q").unwrap().unwrap());
        assert_eq!(board.game().unwrap().fen(), "r3k3/8/8/8/8/8/8/R3K3[PNq] w - - 0 1");
        assert!(board.set_pockets("NNNNN", "").unwrap().is_err(), "there are four knights in a game");
    }

    #[test]
    fn after_a_refusal_there_is_no_game_until_the_next_position() {
        let mut board = CecpBoard::new(Game::default());
        let refusal = board.set_up("8/8/8/8/8/8/8/8 w - - 0 1").unwrap_err();
        assert_eq!(refusal.fen, "8/8/8/8/8/8/8/8 w - - 0 1");
        assert!(board.game().is_none());
        board.put_on_move(Color::Black);
        assert!(!board.settle().unwrap() && board.game().is_none());
        board.set_up("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert!(board.game().is_some());
    }
}
