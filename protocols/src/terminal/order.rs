//! What the person at the board types.

use std::str::FromStr;

use game::Color;

use super::level::{Level, LevelError};

/// An order of the person.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Order {
    /// Anything that is no other order should be a move.
    Move(String),
    TakeBack,
    Hint,
    /// Show the level.
    ShowLevel,
    /// Change the level.
    SetLevel(Level),
    Resign,
    /// Offer or claim a draw.
    Draw,
    /// A new game, in which the person plays this side; by default the same as before.
    New(Option<Color>),
    /// Change sides: Herald moves now.
    Go,
    Flip,
    Board,
    Evaluation,
    /// Show the position.
    Fen,
    /// Play from a position.
    SetUp(String),
    /// Save the game to a file.
    Save(String),
    MoveNow,
    Help,
    Quit,
}

/// Why a line is no order; the text says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum OrderError {
    #[error(transparent)]
    Level(#[from] LevelError),
    #[error("`new` takes `white` or `black`, the side that you want to play, not `{0}`.")]
    Side(String),
    #[error("`{0}` needs {1}.")]
    Missing(&'static str, &'static str),
}

/// What `help` shows.
pub(super) const HELP: &str = "\
Type a move, such as e4, Nf3, exd5, O-O, e8=Q or e2e4, or one of these:
  hint              ask Herald for a good move
  takeback          take your last move back
  new [white|black] start a new game, playing that side
  level [LEVEL]     show or choose the strength: easy, normal, hard,
                    depth 6, time 2.5 (seconds a move), 300+2 (seconds a game
                    and for each move), 40/300 (moves/seconds)
  go                change sides: Herald plays the next move
  move now          make Herald play at once (also Ctrl-C)
  draw              offer a draw, or claim it
  resign            give up the game
  board, flip       show the board; turn it round
  eval              show the evaluation of the position, without a search
  fen, setup FEN    show the position; play from another one
  pgn FILE          save the game
  quit              leave (also Ctrl-D)";

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(line: &str) -> Result<Order, OrderError> {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        Ok(match word.to_ascii_lowercase().as_str() {
            "takeback" | "undo" | "back" => Order::TakeBack,
            "hint" => Order::Hint,
            "level" if rest.is_empty() => Order::ShowLevel,
            "level" => Order::SetLevel(rest.parse()?),
            "resign" => Order::Resign,
            "draw" => Order::Draw,
            "new" => Order::New(side(rest)?),
            "go" => Order::Go,
            "flip" => Order::Flip,
            "board" | "show" => Order::Board,
            "eval" => Order::Evaluation,
            "fen" => Order::Fen,
            "setup" => Order::SetUp(needed("setup", "a position in FEN", rest)?),
            "pgn" | "save" => Order::Save(needed("pgn", "the name of a file, such as `pgn game.pgn`", rest)?),
            "move" if rest.is_empty() || rest.eq_ignore_ascii_case("now") => Order::MoveNow,
            "?" | "now" => Order::MoveNow,
            "help" => Order::Help,
            "quit" | "exit" | "bye" => Order::Quit,
            _ => Order::Move(line.to_owned()),
        })
    }
}

fn side(name: &str) -> Result<Option<Color>, OrderError> {
    match name.to_ascii_lowercase().as_str() {
        "" => Ok(None),
        "white" | "w" => Ok(Some(Color::White)),
        "black" | "b" => Ok(Some(Color::Black)),
        _ => Err(OrderError::Side(name.to_owned())),
    }
}

fn needed(order: &'static str, what: &'static str, rest: &str) -> Result<String, OrderError> {
    if rest.is_empty() { Err(OrderError::Missing(order, what)) } else { Ok(rest.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_whatever_their_capitals() {
        assert_eq!("  New  Black ".parse(), Ok(Order::New(Some(Color::Black))));
        assert_eq!("MOVE NOW".parse(), Ok(Order::MoveNow));
        assert_eq!("setup 8/8/8/8/8/8/8/8 w - -".parse(), Ok(Order::SetUp("8/8/8/8/8/8/8/8 w - -".into())));
    }

    #[test]
    fn what_is_no_order_is_taken_for_a_move() {
        for text in ["e4", "Nf3", "b2b4", "O-O", "nonsense"] {
            assert_eq!(text.parse(), Ok(Order::Move(text.into())));
        }
    }

    #[test]
    fn errors_say_what_to_type() {
        let error = |line: &str| line.parse::<Order>().unwrap_err().to_string();
        assert_eq!(
            error("new green"),
            "`new` takes `white` or `black`, the side that you want to play, not `green`."
        );
        assert_eq!(error("pgn"), "`pgn` needs the name of a file, such as `pgn game.pgn`.");
    }
}
