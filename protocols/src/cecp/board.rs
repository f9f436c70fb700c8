//! What stands on the board: usually a game, sometimes a position that is still being set up, or one that was refused.

use engine::{FenError, Game};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Color, EnPassantMode, Position as _, Setup};

use super::command::EditLine;

/// The board of a session.
#[derive(Debug)]
pub(super) struct Board {
    content: Content,
    /// The side that `white` or `black` has put on move. XBoard sends `black`, `time`, `otim`, `white`, `go` in the
    /// middle of a game, so the game must not be touched before it is clear what is meant.
    turn: Option<Color>,
    /// The rules of castling in the variant that is played.
    variant: CastlingMode,
}

#[derive(Debug)]
enum Content {
    Game(Box<Game>),
    /// In the middle of `edit`.
    Edit {
        setup: Setup,
        color: Color,
    },
    /// After `edit`. Whether it is legal may still depend on a `black` to come.
    Draft(Setup),
    /// An illegal position: nothing can be done with it.
    Refused,
}

/// A position that was refused.
#[derive(Debug)]
pub(super) struct Refusal {
    /// The position.
    pub(super) fen: String,
    /// What is wrong with it.
    pub(super) reason: String,
}

impl Default for Board {
    fn default() -> Board {
        let game = Box::new(Game::default());
        Board { content: Content::Game(game), turn: None, variant: CastlingMode::Standard }
    }
}

impl Board {
    /// The game, if there is a legal position and it is known whose turn it is.
    pub(super) fn game(&self) -> Option<&Game> {
        match &self.content {
            Content::Game(game) if self.turn.is_none() => Some(game),
            _ => None,
        }
    }

    /// As [`Board::game`], to play on.
    pub(super) fn game_mut(&mut self) -> Option<&mut Game> {
        match &mut self.content {
            Content::Game(game) if self.turn.is_none() => Some(game),
            _ => None,
        }
    }

    /// Whether Herald plays a variant.
    pub(super) fn plays(name: &str) -> bool {
        mode_of(name).is_some()
    }

    /// A new game of a variant that Herald plays; of any other, nothing happens.
    pub(super) fn start_variant(&mut self, name: &str) {
        let Some(mode) = mode_of(name) else { return };
        self.variant = mode;
        // The start position is legal in both modes.
        let game = Game::from_fen(&Game::default().fen(), mode).unwrap_or_default();
        self.content = Content::Game(Box::new(game));
        self.turn = None;
    }

    /// Sets up a position. An illegal one leaves a board on which nothing can be done.
    pub(super) fn set_up(&mut self, fen: &str) -> Result<(), Refusal> {
        self.turn = None;
        let game = Game::from_fen(fen, self.variant);
        self.put(game, || fen.to_owned())
    }

    /// Puts a side on move, as soon as the board is [settled](Board::settle).
    pub(super) fn put_on_move(&mut self, color: Color) {
        self.turn = Some(color);
    }

    /// Makes a game of a draft or of a change of turn; whether the position has changed.
    pub(super) fn settle(&mut self) -> Result<bool, Refusal> {
        let turn = self.turn.take();
        let mut setup = match (&self.content, turn) {
            (Content::Game(game), Some(color)) if color != game.turn() => {
                Setup { ep_square: None, ..game.chess().to_setup(EnPassantMode::Legal) }
            }
            (Content::Draft(setup), _) => setup.clone(),
            _ => return Ok(false),
        };
        setup.turn = turn.unwrap_or(setup.turn);
        let game = Game::from_setup(setup.clone(), self.variant);
        self.put(game, || fen_of(setup)).map(|()| true)
    }

    fn put(&mut self, game: Result<Game, FenError>, fen: impl FnOnce() -> String) -> Result<(), Refusal> {
        match game {
            Ok(game) => {
                self.content = Content::Game(Box::new(game));
                Ok(())
            }
            Err(error) => {
                self.content = Content::Refused;
                Err(Refusal { fen: fen(), reason: reason(&error) })
            }
        }
    }

    /// Begins to edit the position.
    pub(super) fn edit(&mut self) {
        let mut setup = match &self.content {
            Content::Game(game) => game.chess().to_setup(EnPassantMode::Legal),
            Content::Edit { setup, .. } | Content::Draft(setup) => setup.clone(),
            Content::Refused => Setup::empty(),
        };
        setup.turn = self.turn.take().unwrap_or(setup.turn);
        self.content = Content::Edit { setup, color: Color::White };
    }

    /// Whether lines are to be read as lines of `edit`.
    pub(super) fn is_edited(&self) -> bool {
        matches!(self.content, Content::Edit { .. })
    }

    /// Obeys a line of `edit`; without it nothing happens.
    pub(super) fn obey(&mut self, line: EditLine) {
        let Content::Edit { setup, color } = &mut self.content else { return };
        match line {
            EditLine::Clear => setup.board = shakmaty::Board::empty(),
            EditLine::ToggleColor => *color = !*color,
            EditLine::Place(role, at) => setup.board.set_piece_at(at, role.of(*color)),
            EditLine::Remove(at) => setup.board.discard_piece_at(at),
            EditLine::End => {
                let draft = with_assumed_rights(setup);
                self.content = Content::Draft(draft);
            }
        }
    }
}

/// The rules of castling in a variant that Herald plays.
fn mode_of(variant: &str) -> Option<CastlingMode> {
    match variant {
        "normal" => Some(CastlingMode::Standard),
        "fischerandom" => Some(CastlingMode::Chess960),
        _ => None,
    }
}

/// After `edit` kings and rooks on their home squares may castle, and nothing is known of earlier moves.
fn with_assumed_rights(setup: &Setup) -> Setup {
    use shakmaty::{Rank, Role, Square};
    let mut draft = Setup { board: setup.board.clone(), turn: setup.turn, ..Setup::empty() };
    for (color, king) in [(Color::White, Square::E1), (Color::Black, Square::E8)] {
        let home = color.relative_rank(Rank::First);
        if draft.board.piece_at(king) == Some(Role::King.of(color)) {
            for corner in [shakmaty::File::A, shakmaty::File::H].map(|file| Square::from_coords(file, home)) {
                if draft.board.piece_at(corner) == Some(Role::Rook.of(color)) {
                    draft.castling_rights.add(corner);
                }
            }
        }
    }
    draft
}

fn fen_of(setup: Setup) -> String {
    Fen::try_from_setup(setup).unwrap_or_else(shakmaty::fen::LossyFenError::ignore).to_string()
}

/// Why a position was refused, without the position itself, which the message names already.
fn reason(error: &FenError) -> String {
    match error {
        FenError::Fields { count, .. } => format!("{count} fields; expected 4 to 6"),
        FenError::Kings { color, count, .. } => format!("{color} has {count} kings; expected one"),
        FenError::PawnOnBackRank { .. } => "a pawn stands on the first or last rank".to_owned(),
        FenError::OpponentInCheck { color, .. } => format!("{color} is in check and not on move"),
        FenError::TooMuchMaterial { .. } => {
            "a side has over 16 men, or more promoted pieces than pawns are missing".to_owned()
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(lines: &[&str]) -> Board {
        let mut board = Board::default();
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
        let mut board = Board::default();
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
    fn after_a_refusal_there_is_no_game_until_the_next_position() {
        let mut board = Board::default();
        let refusal = board.set_up("8/8/8/8/8/8/8/8 w - - 0 1").unwrap_err();
        assert_eq!(refusal.fen, "8/8/8/8/8/8/8/8 w - - 0 1");
        assert!(board.game().is_none());
        board.put_on_move(Color::Black);
        assert!(!board.settle().unwrap() && board.game().is_none());
        board.set_up("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1").unwrap();
        assert!(board.game().is_some());
    }
}
