//! A game of self-play as one line of text: its result, then its moves from the start position, castling as king takes
//! rook. A searched move carries its score in centipawns for the side to move; a random one of the opening has none.
//!
//! ```text
//! 1-0 g1f3 d7d5 b1c3:12 g8f6:-8
//! ```

use std::fmt;
use std::str::FromStr;

use anyhow::{Context as _, Error, anyhow, bail};
use search::{Move, Position};
use shakmaty::{Color, Role, Square};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GameResult {
    Win(Color),
    Draw,
}

impl GameResult {
    /// White's share of the point.
    pub(crate) fn points(self) -> f64 {
        match self {
            GameResult::Win(winner) => winner.fold_wb(1.0, 0.0),
            GameResult::Draw => 0.5,
        }
    }
}

/// A move and what the search made of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Played {
    pub(crate) mv: Move,
    /// Centipawns for the side to move; `None` for a random move of the opening.
    pub(crate) score: Option<i32>,
}

/// A whole game from the start position. Its moves are legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GameRecord {
    pub(crate) result: GameResult,
    pub(crate) moves: Vec<Played>,
}

impl GameRecord {
    /// Each move with the position that it was played in.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (Position, Played)> {
        let mut position = Position::default();
        self.moves.iter().map(move |&played| {
            let next = position.make(played.mv);
            (std::mem::replace(&mut position, next), played)
        })
    }
}

impl fmt::Display for GameRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.result {
            GameResult::Win(winner) => winner.fold_wb("1-0", "0-1"),
            GameResult::Draw => "1/2-1/2",
        })?;
        for played in &self.moves {
            write!(f, " {}", played.mv)?;
            played.score.map_or(Ok(()), |score| write!(f, ":{score}"))?;
        }
        Ok(())
    }
}

impl FromStr for GameRecord {
    type Err = Error;

    fn from_str(line: &str) -> Result<GameRecord, Error> {
        let mut words = line.split_ascii_whitespace();
        let result = match words.next().unwrap_or_default() {
            "1-0" => GameResult::Win(Color::White),
            "0-1" => GameResult::Win(Color::Black),
            "1/2-1/2" => GameResult::Draw,
            other => bail!("a game begins with its result, not with {other:?}"),
        };
        let mut position = Position::default();
        let mut moves = Vec::new();
        for word in words {
            let played = parse_move(word).with_context(|| format!("{word:?} is no move"))?;
            if !position.is_legal(played.mv) {
                bail!("{word:?} is illegal at ply {}", moves.len());
            }
            position = position.make(played.mv);
            moves.push(played);
        }
        Ok(GameRecord { result, moves })
    }
}

fn parse_move(word: &str) -> Result<Played, Error> {
    let (text, score) = match word.split_once(':') {
        Some((text, score)) => (text, Some(score.parse()?)),
        None => (word, None),
    };
    let square = |at| -> Result<Square, Error> { Ok(text.get(at..at + 2).unwrap_or_default().parse()?) };
    let (from, to) = (square(0)?, square(2)?);
    let mv = match text.get(4..).unwrap_or_default() {
        "" => Move::new(from, to),
        piece => {
            let role = piece.parse().ok().and_then(Role::from_char).filter(|role| *role != Role::Pawn);
            Move::promoting(from, to, role.ok_or_else(|| anyhow!("{piece:?} is no piece"))?)
        }
    };
    Ok(Played { mv, score })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_game_are_the_same() {
        for text in [
            "1/2-1/2",
            "1-0 e2e4 e7e5 g1f3:31 b8c6:-20 f1c4:25 g8f6:-14 e1h1:30",
            "0-1 a2a4 b7b5 a4b5 a7a6 b5a6 b8c6 a6a7 c6b8 a7b8q:900",
        ] {
            let game: GameRecord = text.parse().unwrap();
            assert_eq!(game.to_string(), text);
            assert_eq!(game.positions().count(), game.moves.len());
        }
    }

    #[test]
    fn what_is_no_game_is_refused() {
        for text in
            ["", "2-0", "1-0 e2e5", "1-0 e2", "1-0 e2e4:x", "1-0 e7e8k", "1-0 é2e4", "1-0 e2e4qq", "1-0 e1h1"]
        {
            assert!(text.parse::<GameRecord>().is_err(), "{text}");
        }
    }
}
