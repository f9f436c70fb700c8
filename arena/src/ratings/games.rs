//! The games of a rating list, counted by encounters and pairs.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, Read};

use game::{PgnHeader, PgnScanner, ResultMarker};

use crate::statistics::{Points, WinDrawLoss};

/// Maximum number of games that wait for the other game of their pair. Beyond it all are forgotten: they are games of a
/// file without pairs.
const MOST_WAITING: usize = 1 << 16;

/// Games counted by who played whom.
#[derive(Clone, Debug, Default)]
pub struct GameTally {
    /// Names of the players.
    pub players: Vec<String>,
    numbers: HashMap<Box<str>, u32>,
    /// Results of the first player with White against the second.
    pub(super) encounters: HashMap<(u32, u32), WinDrawLoss>,
    /// Pairs of games of two players: the points of the first with White and with Black, in half points.
    pub(super) pairs: HashMap<(u32, u32), [[u32; 3]; 3]>,
    waiting: HashMap<PairKey, WaitingGame>,
    /// Games that are not counted.
    pub left_out: LeftOutGames,
}

/// Numbers of games that are not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOutGames {
    /// Games without a result.
    pub unfinished: u64,
    /// Games in which a player has no name, or both have the same.
    pub nameless: u64,
}

/// What the games of a pair have in common: the players, the lower number first, and the opening.
type PairKey = (u32, u32, u64);

/// A game that waits for the other one of its pair.
#[derive(Clone, Copy, Debug)]
struct WaitingGame {
    /// Number of the player of White.
    white: u32,
    /// White's points.
    points: Points,
    round: Option<u64>,
}

impl GameTally {
    /// Counts all games in a file.
    ///
    /// # Errors
    /// The input cannot be read.
    pub fn read(&mut self, input: impl Read) -> io::Result<()> {
        let mut scanner = PgnScanner::new(input);
        while let Some(header) = scanner.next()? {
            self.add(header);
        }
        // No pair is spread over two files.
        self.waiting.clear();
        Ok(())
    }

    /// Counts a game.
    fn add(&mut self, header: &PgnHeader) {
        let nameless = |name: &str| name.is_empty() || name == "?";
        if nameless(&header.white) || nameless(&header.black) || header.white == header.black {
            self.left_out.nameless += 1;
            return;
        }
        let points = match header.result {
            ResultMarker::WhiteWins => Points::One,
            ResultMarker::Draw => Points::Half,
            ResultMarker::BlackWins => Points::Zero,
            ResultMarker::Open => {
                self.left_out.unfinished += 1;
                return;
            }
        };
        let (white, black) = (self.number(&header.white), self.number(&header.black));
        self.encounters.entry((white, black)).or_default().add(points);
        self.pair(white, black, points, header);
    }

    /// Returns the number of a player.
    fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = self.players.len() as u32;
        self.players.push(name.to_owned());
        self.numbers.insert(name.into(), number);
        number
    }

    /// Counts a pair if this game completes one: the same players and opening, the colours reversed, in the same round
    /// or the next one.
    fn pair(&mut self, white: u32, black: u32, points: Points, header: &PgnHeader) {
        let game = WaitingGame { white, points, round: header.round };
        if self.waiting.len() >= MOST_WAITING {
            self.waiting.clear();
        }
        match self.waiting.entry((white.min(black), white.max(black), header.opening)) {
            Entry::Vacant(place) => {
                place.insert(game);
            }
            Entry::Occupied(mut place) => {
                let other = *place.get();
                let consecutive = match (other.round, game.round) {
                    (Some(a), Some(b)) => a.abs_diff(b) <= 1,
                    _ => true,
                };
                if other.white == white || !consecutive {
                    place.insert(game);
                    return;
                }
                place.remove();
                // The points of the player with the lower number.
                let (with_white, with_black) = if white < black {
                    (points, other.points.opposite())
                } else {
                    (other.points, points.opposite())
                };
                let counts = self.pairs.entry((white.min(black), white.max(black))).or_default();
                counts[with_white.halves() as usize][with_black.halves() as usize] += 1;
            }
        }
    }

    /// Returns the number of games counted.
    pub fn games(&self) -> u64 {
        self.encounters.values().map(WinDrawLoss::games).sum()
    }

    /// Returns the number of pairs of games.
    pub fn pairs(&self) -> u64 {
        self.pairs.values().flatten().flatten().map(|&count| u64::from(count)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(pgn: &str) -> GameTally {
        let mut tally = GameTally::default();
        tally.read(pgn.as_bytes()).unwrap();
        tally
    }

    fn game(white: &str, black: &str, result: &str, round: u32, moves: &str) -> String {
        format!(
            "[Event \"x\"]\n[Round \"{round}\"]\n[White \"{white}\"]\n[Black \"{black}\"]\n[Result \"{result}\"]\n\n\
             {moves} {result}\n\n"
        )
    }

    #[test]
    fn reversed_games_of_an_opening_are_pairs() {
        let (first, second) = ("1. e4 e5", "1. d4 d5");
        let pgn = [
            game("A", "B", "1-0", 1, first),
            game("A", "B", "1/2-1/2", 2, second),
            game("B", "A", "0-1", 1, first),
            game("B", "A", "1-0", 3, second),
            // The same colours again, too far away, and another opening.
            game("B", "A", "1-0", 9, first),
            game("B", "A", "1-0", 10, first),
            game("A", "B", "1-0", 20, first),
            game("B", "A", "1-0", 21, "1. c4 c5"),
        ];
        let tally = tally(&pgn.concat());
        assert_eq!((tally.games(), tally.pairs()), (8, 2));
        let mut expected = [[0; 3]; 3];
        expected[2][2] = 1;
        expected[1][0] = 1;
        assert_eq!(tally.pairs[&(0, 1)], expected);
        assert_eq!(tally.encounters[&(0, 1)], WinDrawLoss { wins: 2, draws: 1, losses: 0 });
    }

    #[test]
    fn what_cannot_be_counted_is_told() {
        let pgn = [
            game("A", "B", "*", 1, ""),
            game("A", "?", "1-0", 1, ""),
            game("A", "A", "1-0", 1, ""),
            "[Event \"x\"]\n[White \"A\"]\n\n1-0\n".to_owned(),
        ];
        let tally = tally(&pgn.concat());
        assert_eq!(tally.left_out, LeftOutGames { unfinished: 1, nameless: 3 });
        assert_eq!((tally.games(), tally.players.len()), (0, 0));
    }
}
