//! One game of Herald against itself, short of time but not of variety: a random opening, then a fixed number of nodes
//! a move, ended as soon as the result is clear.

use engine::{Color, Game, Outcome};
use search::{Control, Limits, Score, Searcher};

use crate::random::Random;
use crate::record::{GameRecord, GameResult, Played};

/// Random plies at the beginning; one more in every second game, so that either side may begin to think.
const RANDOM_PLIES: usize = 8;
/// An opening is replaced by another if the first search thinks one side so far ahead, in centipawns.
const MOST_UNEVEN_OPENING: i32 = 500;
/// Won: so many centipawns for so many plies, by both sides' own reckoning.
const WON: (i32, usize) = (1000, 5);
/// Drawn: so few centipawns for so many plies, from this ply of the game on.
const DRAWN: (i32, usize) = (8, 10);
const DRAWN_FROM_PLY: usize = 80;
const LONGEST_GAME: usize = 400;

/// Plays the game that belongs to a seed and a number. The searcher is cleared first: the same arguments give the same
/// game.
pub(crate) fn play(searcher: &mut Searcher, nodes: u64, seed: u64, number: u64) -> GameRecord {
    searcher.clear();
    let mut random = Random::new(seed, number);
    loop {
        let game = random_opening(&mut random);
        if let Some(record) = play_from(searcher, nodes, game) {
            return record;
        }
    }
}

/// Random legal moves from the start position, to a position that is not over.
fn random_opening(random: &mut Random) -> Game {
    let plies = RANDOM_PLIES + random.below(2);
    loop {
        let mut game = Game::default();
        for _ in 0..plies {
            let legal = game.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[random.below(legal.len())];
            game.play(m).expect("a legal move can be played");
        }
        if game.ply() == plies && game.outcome().is_none() {
            return game;
        }
    }
}

/// Plays on until the result is clear; `None` if the opening is too uneven.
fn play_from(searcher: &mut Searcher, nodes: u64, mut game: Game) -> Option<GameRecord> {
    let limits = Limits { nodes: Some(nodes), ..Limits::default() };
    let mut moves: Vec<Played> =
        game.moves().iter().map(|&m| Played { mv: Game::to_search(m), score: None }).collect();
    let opening = moves.len();
    loop {
        if let Some(result) = result_by_rule(&game) {
            return Some(GameRecord { result, moves });
        }
        let root = game.root()?;
        let answer = searcher.think(&root, &limits, &Control::new(), &std::time::Instant::now(), &mut ());
        let mv = answer.best.expect("a game that is not over has a move");
        let score = answer.score;
        if moves.len() == opening && score.value().abs() > MOST_UNEVEN_OPENING {
            return None;
        }
        moves.push(Played { mv, score: Some(score.value()) });
        if let Some(result) = result_by_score(&moves, score, game.turn()) {
            return Some(GameRecord { result, moves });
        }
        game.play(game.from_search(mv).expect("the search plays legal moves"))
            .expect("a legal move can be played");
    }
}

fn result_by_rule(game: &Game) -> Option<GameResult> {
    match game.outcome() {
        Some(Outcome::Win { winner, .. }) => Some(GameResult::Win(winner)),
        Some(Outcome::Draw(_)) => Some(GameResult::Draw),
        None => (game.claim().is_some() || game.ply() >= LONGEST_GAME).then_some(GameResult::Draw),
    }
}

/// The result that the scores of the last moves make clear; `score` is the last one, for `turn`.
fn result_by_score(moves: &[Played], score: Score, turn: Color) -> Option<GameResult> {
    let winner = Color::from_white((score.value() > 0) == turn.is_white());
    if score.is_mate() {
        return Some(GameResult::Win(winner));
    }
    // The last scores, latest first, each for the side that has the last one.
    let scores = || {
        let signs = [1, -1].into_iter().cycle();
        moves.iter().rev().zip(signs).map_while(|(played, sign)| Some(sign * played.score?))
    };
    let lasts = |plies: usize, holds: &dyn Fn(i32) -> bool| {
        scores().count() >= plies && scores().take(plies).all(holds)
    };
    let (won, plies) = WON;
    if lasts(plies, &|s| s >= won) || lasts(plies, &|s| s <= -won) {
        return Some(GameResult::Win(winner));
    }
    let (drawn, plies) = DRAWN;
    (moves.len() >= DRAWN_FROM_PLY && lasts(plies, &|s| s.abs() <= drawn)).then_some(GameResult::Draw)
}

#[cfg(test)]
mod tests {
    use super::*;
    use search::{STACK_SIZE, Table};

    #[test]
    fn a_seed_and_a_number_give_one_game() {
        let games = || {
            let mut searcher = Searcher::new(Table::new(1).unwrap());
            [play(&mut searcher, 200, 5, 1), play(&mut searcher, 200, 5, 2), play(&mut searcher, 200, 5, 1)]
        };
        let run = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(games).unwrap();
        let [first, other, again] = run.join().unwrap();
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert_eq!(first.to_string().parse::<GameRecord>().unwrap(), first);
    }

    #[test]
    fn scores_decide_when_they_last() {
        let some = "1-0 g1f3:0 g8f6:0 f3g1:0".parse::<GameRecord>().unwrap().moves[0];
        let with = |scores: &[i32]| -> Vec<Played> {
            scores.iter().map(|&score| Played { score: Some(score), ..some }).collect()
        };
        let judge = |scores: &[i32]| {
            result_by_score(&with(scores), Score::from_value(*scores.last().unwrap()), Color::White)
        };
        assert_eq!(judge(&[1200, -1300, 1200, -1100, 1200]), Some(GameResult::Win(Color::White)));
        assert_eq!(judge(&[-1200, 1300, -1200, 1100, -1200]), Some(GameResult::Win(Color::Black)));
        assert_eq!(judge(&[1200, -900, 1200, -1100, 1200]), None);
        assert_eq!(judge(&[1200, 1200]), None);
        assert_eq!(judge(&[0; 30]), None);
        assert_eq!(judge(&[0; 81]), Some(GameResult::Draw));
        assert_eq!(judge(&[Score::mate_at(3).value()]), Some(GameResult::Win(Color::White)));
    }
}
