//! Plays one self-play game: a random opening, then a fixed number of nodes per move until the result is clear.

use std::sync::Arc;
use std::time::Instant;

use game::{Color, Game, Outcome, Variant};
use search::network::Network;
use search::{Answer, Control, Limits, Root, Score, Searcher, Table, TableError};
use shakmaty::CastlingMode;

use crate::random::Random;
use crate::record::{GameRecord, GameResult, Played, Recipe, Start};

/// Random plies at the beginning; one more in every second game, so that both sides play the first searched move
/// equally often.
const RANDOM_PLIES: usize = 8;
/// An opening is replaced if the first search gives a score beyond this, in centipawns.
const MOST_UNEVEN_OPENING: i32 = 400;
/// Hard limit of nodes, as a multiple of the soft limit.
const HARD_LIMIT: u64 = 8;
/// Adjudicated as won: at least this many centipawns for this many plies, by the scores of both sides.
const WON: (i32, usize) = (1000, 4);
/// Adjudicated as drawn: at most this many centipawns for this many plies, from [`DRAWN_FROM_PLY`] on.
const DRAWN: (i32, usize) = (8, 10);
const DRAWN_FROM_PLY: usize = 80;
const LONGEST_GAME: usize = 400;

/// Size of the hash table, small so that clearing it for each game is cheap.
const TABLE_MEBIBYTES: usize = 4;

/// What a thread plays with.
pub(super) struct SelfPlayer {
    table: Table,
    searcher: Searcher,
}

impl SelfPlayer {
    /// # Errors
    /// If there is not enough memory.
    pub(super) fn new(network: &Arc<Network>) -> Result<SelfPlayer, TableError> {
        let mut searcher = Searcher::default();
        // Its scores foresee more at few nodes: see "Few nodes" in docs/EXPERIMENTS.md.
        searcher.prunes_late_moves = false;
        searcher.use_network(Arc::clone(network));
        Ok(SelfPlayer { table: Table::new(TABLE_MEBIBYTES)?, searcher })
    }

    /// Forgets everything, as for a new game.
    fn clear(&mut self) {
        self.table.clear();
        self.searcher.clear();
    }

    /// Searches until no iteration is to begin after these nodes; the search ends at [`HARD_LIMIT`] times as many.
    fn think(&mut self, root: &Root, soft: u64) -> Answer {
        let limits = Limits {
            soft_nodes: Some(soft),
            nodes: Some(HARD_LIMIT.saturating_mul(soft)),
            ..Limits::default()
        };
        self.searcher.think(&mut self.table, root, &limits, &Control::new(), &Instant::now(), &mut ())
    }
}

/// Plays the game with this recipe and number. Returns it with the number of nodes. The player's memory is cleared first, so that
/// the same arguments give the same game.
pub(super) fn play(player: &mut SelfPlayer, recipe: &Recipe, number: u64) -> (GameRecord, u64) {
    player.clear();
    let mut random = Random::new(recipe.seed, number);
    let mut nodes = 0;
    loop {
        let start = random_start(recipe, &mut random);
        let game = random_opening(start, &mut random);
        let mut think = |root: &Root| {
            let answer = player.think(root, recipe.soft_nodes.into());
            nodes += answer.nodes;
            answer
        };
        if let Some(record) = play_from(&mut think, start, game) {
            return (record, nodes);
        }
    }
}

fn random_start(recipe: &Recipe, random: &mut Random) -> Start {
    let start = Start::random(random);
    if random.below(100) < recipe.chess960_percent as usize { start } else { Start::STANDARD }
}

/// Returns a new game.
pub(crate) fn game_from(start: Start) -> Game {
    if start == Start::STANDARD {
        return Game::default();
    }
    Game::from_setup(Variant::Chess, start.setup(), CastlingMode::Chess960)
        .unwrap_or_else(|error| unreachable!("a start position: {error}"))
}

/// Plays random legal moves to a position in which the game is not over.
fn random_opening(start: Start, random: &mut Random) -> Game {
    let plies = RANDOM_PLIES + random.below(2);
    loop {
        let mut game = game_from(start);
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

/// Plays until the result is clear; returns `None` if the opening is too uneven.
fn play_from(think: &mut impl FnMut(&Root) -> Answer, start: Start, mut game: Game) -> Option<GameRecord> {
    let mut moves: Vec<Played> =
        game.moves().iter().map(|&m| Played { mv: engine::to_search(m), score: None }).collect();
    let opening = moves.len();
    loop {
        if let Some(result) = result_by_rule(&game) {
            return Some(GameRecord { start, result, moves });
        }
        let root = engine::root(&game)?;
        let answer = think(&root);
        let mv = answer.best.expect("a game that is not over has a move");
        let score = answer.score;
        if moves.len() == opening && score.value().abs() > MOST_UNEVEN_OPENING {
            return None;
        }
        moves.push(Played { mv, score: Some(score.value()) });
        if let Some(result) = result_by_score(&moves, score, game.turn()) {
            return Some(GameRecord { start, result, moves });
        }
        game.play(engine::from_search(&game, mv).expect("the search plays legal moves"))
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

/// Returns the result if the scores of the last moves make it clear; `score` is the last one, for `turn`.
fn result_by_score(moves: &[Played], score: Score, turn: Color) -> Option<GameResult> {
    let winner = Color::from_white((score.value() > 0) == turn.is_white());
    if score.is_mate() {
        return Some(GameResult::Win(winner));
    }
    // The last scores, latest first, all from the view of the side with the latest.
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
    use crate::record::tests::game;
    use search::STACK_SIZE;

    #[test]
    fn a_recipe_and_a_number_give_one_game() {
        let games = |chess960_percent| {
            let recipe = Recipe { seed: 5, soft_nodes: 100, chess960_percent, network: 0 };
            let mut player = SelfPlayer::new(&Network::embedded()).unwrap();
            [1, 2, 1].map(|number| play(&mut player, &recipe, number))
        };
        let run = std::thread::Builder::new().stack_size(STACK_SIZE).spawn(move || [games(0), games(100)]);
        for [(first, nodes), (other, _), (again, _)] in run.unwrap().join().unwrap() {
            assert!(
                nodes > 100 * first.moves.iter().filter(|played| played.score.is_some()).count() as u64 / 2
            );
            assert_eq!(first, again);
            assert_ne!(first, other);
            assert_eq!(GameRecord::decode(&first.encode()).unwrap(), first);
        }
    }

    #[test]
    fn scores_decide_when_they_last() {
        let some = game(GameResult::Draw, "g1f3:0").moves[0];
        let with = |scores: &[i32]| -> Vec<Played> {
            scores.iter().map(|&score| Played { score: Some(score), ..some }).collect()
        };
        let judge = |scores: &[i32]| {
            result_by_score(&with(scores), Score::from_value(*scores.last().unwrap()), Color::White)
        };
        assert_eq!(judge(&[-1600, 1700, -1600, 1600]), Some(GameResult::Win(Color::White)));
        assert_eq!(judge(&[1600, -1700, 1600, -1600]), Some(GameResult::Win(Color::Black)));
        assert_eq!(judge(&[-1600, 900, -1600, 1600]), None);
        assert_eq!(judge(&[1600, 1600]), None);
        assert_eq!(judge(&[0; 30]), None);
        assert_eq!(judge(&[0; 81]), Some(GameResult::Draw));
        assert_eq!(judge(&[Score::mate_at(3).value()]), Some(GameResult::Win(Color::White)));
    }
}
