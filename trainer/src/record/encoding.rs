//! Encoding of games with about two bytes per ply.
//!
//! ```text
//! flags         1 byte: 0 draw, 1 White won, 2 Black won; plus 4 unless the start position is that of standard chess
//! start         only with flag 4: the numbers of White's and Black's start position, 2 bytes each, little-endian
//! random plies  a number: the plies of the random opening
//! moves         for each of these, 1 byte: the index of the move among the legal ones
//! searched plies, up to the end:
//!               the index, and a number: the difference of White's score from the previous one (initially 0),
//!               zigzag-encoded with the sign in the lowest bit
//! ```
//!
//! Legal moves are ordered by origin, then by target, then by promotion piece, which does not depend on the move
//! generator. Numbers have 7 bits per byte, the lowest first; the highest bit is set if more bytes follow.

use anyhow::{Context as _, Result, bail, ensure};
use search::{Move, Position};
use shakmaty::Color;

use super::{GameRecord, GameResult, Played, Start};

const OTHER_START: u8 = 4;

impl GameRecord {
    /// Encodes the game.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let result = match self.result {
            GameResult::Draw => 0,
            GameResult::Win(winner) => winner.fold_wb(1, 2),
        };
        let mut bytes = Vec::with_capacity(16 + 2 * self.moves.len());
        if self.start == Start::STANDARD {
            bytes.push(result);
        } else {
            bytes.push(result | OTHER_START);
            bytes.extend(self.start.numbers().map(u16::to_le_bytes).as_flattened());
        }
        let random = self.moves.iter().take_while(|played| played.score.is_none()).count();
        push_number(&mut bytes, random as u32);
        let mut last = 0;
        for (position, played) in self.positions() {
            bytes.push(index_of(&position, played.mv));
            if let Some(score) = played.score {
                let white = position.turn().fold_wb(score, -score);
                push_number(&mut bytes, zigzag(white - last));
                last = white;
            }
        }
        bytes
    }

    /// Decodes a game.
    ///
    /// # Errors
    /// If the bytes are incomplete or invalid.
    pub(crate) fn decode(mut bytes: &[u8]) -> Result<GameRecord> {
        let bytes = &mut bytes;
        let flags = take(bytes)?;
        let result = match flags & !OTHER_START {
            0 => GameResult::Draw,
            1 => GameResult::Win(Color::White),
            2 => GameResult::Win(Color::Black),
            _ => bail!("invalid flags {flags:#x}"),
        };
        let start = if flags & OTHER_START == 0 { Start::STANDARD } else { take_start(bytes)? };
        let random = take_number(bytes)? as usize;
        let mut moves = Vec::with_capacity(bytes.len() / 2);
        let (mut position, mut last) = (start.position(), 0i32);
        while !bytes.is_empty() || moves.len() < random {
            let index = take(bytes)?;
            let place = || format!("no move {index} at ply {}", moves.len());
            let mv = move_at(&position, index).with_context(place)?;
            let score = if moves.len() < random {
                None
            } else {
                last = last.wrapping_add(unzigzag(take_number(bytes)?));
                ensure!(i16::try_from(last).is_ok(), "score {last} at ply {} is out of range", moves.len());
                Some(position.turn().fold_wb(last, -last))
            };
            position = position.make(mv);
            moves.push(Played { mv, score });
        }
        Ok(GameRecord { start, result, moves })
    }
}

/// Returns the sort key of a move in the order of the format.
fn place(mv: Move) -> u32 {
    let promotion = mv.promotion().map_or(0, |role| role as u32);
    (mv.from() as u32) << 9 | (mv.to() as u32) << 3 | promotion
}

/// Returns the legal move with this index.
fn move_at(position: &Position, index: u8) -> Option<Move> {
    let mut moves = position.legal_moves().to_vec();
    let is_one = usize::from(index) < moves.len();
    is_one.then(|| *moves.select_nth_unstable_by_key(index.into(), |&mv| place(mv)).1)
}

/// Returns the index of a legal move: the number of legal moves before it.
fn index_of(position: &Position, mv: Move) -> u8 {
    position.legal_moves().iter().filter(|&&other| place(other) < place(mv)).count() as u8
}

/// Zigzag encoding: maps numbers of small magnitude to small unsigned numbers.
fn zigzag(number: i32) -> u32 {
    (number << 1 ^ number >> 31) as u32
}

fn unzigzag(number: u32) -> i32 {
    (number >> 1) as i32 ^ -((number & 1) as i32)
}

fn push_number(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn take(bytes: &mut &[u8]) -> Result<u8> {
    let (&first, rest) = bytes.split_first().context("unexpected end of the game")?;
    *bytes = rest;
    Ok(first)
}

fn take_start(bytes: &mut &[u8]) -> Result<Start> {
    let mut number = || Ok::<u16, anyhow::Error>(u16::from_le_bytes([take(bytes)?, take(bytes)?]));
    Start::new(number()?, number()?).context("invalid Chess960 start position")
}

fn take_number(bytes: &mut &[u8]) -> Result<u32> {
    let mut number = 0;
    for shift in (0..32).step_by(7) {
        let byte = take(bytes)?;
        number |= u32::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Ok(number);
        }
    }
    bail!("a number is too long")
}

#[cfg(test)]
mod tests {
    use super::super::tests::game;
    use super::*;
    use proptest::prelude::*;

    /// Returns a game of random moves and scores.
    fn random_game() -> impl Strategy<Value = GameRecord> {
        let result = prop_oneof![
            Just(GameResult::Draw),
            Just(GameResult::Win(Color::White)),
            Just(GameResult::Win(Color::Black))
        ];
        let start = prop_oneof![Just((518, 518)), (0..Start::COUNT, 0..Start::COUNT)];
        let plies = prop::collection::vec((any::<u16>(), -32_000..=32_000), 0..120);
        (start, result, 0..12usize, plies).prop_map(|((white, black), result, random, plies)| {
            let start = Start::new(white, black).unwrap();
            let mut position = start.position();
            let mut moves = Vec::new();
            for (choice, score) in plies {
                let legal = position.legal_moves();
                let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
                let score = (moves.len() >= random).then_some(score);
                moves.push(Played { mv, score });
                position = position.make(mv);
            }
            GameRecord { start, result, moves }
        })
    }

    proptest! {
        #[test]
        fn a_game_comes_back_as_it_was(game in random_game()) {
            prop_assert_eq!(GameRecord::decode(&game.encode()).unwrap(), game);
        }

        #[test]
        fn any_bytes_are_a_game_or_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(game) = GameRecord::decode(&bytes) {
                prop_assert_eq!(GameRecord::decode(&game.encode()).unwrap(), game);
            }
        }
    }

    #[test]
    fn ten_thousand_games_come_back_as_they_were() {
        let games = super::super::tests::random_games(2, 10_000);
        assert!(games.iter().all(|game| GameRecord::decode(&game.encode()).unwrap() == *game));
    }

    #[test]
    fn the_bytes_are_those_of_the_description() {
        let record = game(GameResult::Win(Color::Black), "a2a4 b7b5 a4b5:-100 g8f6:-90");
        // a2a4 comes after b1a3, b1c3, g1f3, g1h3 and a2a3.
        let [first, second] = [5, index_of(&record.positions().nth(1).unwrap().0, record.moves[1].mv)];
        let bytes = record.encode();
        assert_eq!(bytes[..4], [2, 2, first, second]);
        assert_eq!(bytes[5..7], [0xC7, 1], "-100, zigzag 199");
        assert_eq!(bytes[8..], [0xFC, 2], "from -100 to 90, zigzag 380");
    }
}
