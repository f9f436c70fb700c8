//! Translates between `game` and `search`: games to roots, limits, moves and scores.

use game::{Game, Move, MoveLimits, MoveTime, PocketOwner, Score, ScoreBound, VariantPosition};
use search::network::Network;
use search::{Bound, Limits, TimeLimit, Verdict};
use shakmaty::Position as _;
use variants::Board;

use crate::perft::count;

/// The position to think about, with the keys of the earlier ones that could still be repeated; `None` in a variant,
/// which the main search does not know.
pub fn root(game: &Game) -> Option<search::Root> {
    let position = search::Position::from(game.chess()?);
    Some(search::Root::new(position, game.repeatable().map(key).collect()))
}

/// The same for the searcher of variants, which knows chess as well.
pub fn variant_root(game: &Game) -> search::Root<Board> {
    let board = match (game.position(), game.pocket_owner()) {
        (VariantPosition::Crazyhouse(board), PocketOwner::Partner) => Board::Bughouse(board.clone()),
        (position, _) => Board::Single(position.clone()),
    };
    search::Root::new(board, game.repeatable().map(variants::key).collect())
}

/// The key under which the search knows a position.
pub(crate) fn key(position: &VariantPosition) -> u64 {
    match position {
        VariantPosition::Chess(chess) => search::Position::from(chess).keys().full,
        _ => variants::key(position),
    }
}

/// The static evaluation of the position, for the side to move.
pub(crate) fn evaluate(game: &Game, network: &Network) -> Score {
    score(match root(game) {
        Some(root) => search::evaluate(network, &root.position),
        None => variants::evaluate(game.position()),
    })
}

/// The number of sequences of so many legal moves, while `goes_on` says so; `None` once it does not.
pub fn perft(game: &Game, depth: u32, goes_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    match root(game) {
        Some(root) => count(&root.position, depth, goes_on),
        None => variants::perft(game.position(), depth, goes_on),
    }
}

/// A score of the search as programs tell it.
pub fn score(score: search::Score) -> Score {
    match score.verdict() {
        Verdict::Centipawns(centipawns) => Score::Centipawns(centipawns),
        Verdict::MateIn(moves) => Score::MateIn(moves),
        Verdict::MatedIn(moves) => Score::MatedIn(moves),
    }
}

/// What is known about a score, as programs tell it.
pub(crate) fn bound(bound: Bound) -> ScoreBound {
    match bound {
        Bound::Exact => ScoreBound::Exact,
        Bound::Lower => ScoreBound::Lower,
        Bound::Upper => ScoreBound::Upper,
    }
}

/// The limits of a move as those of a search.
pub fn limits(limits: MoveLimits) -> Limits {
    let MoveLimits { time, depth, nodes } = limits;
    Limits { time: time_limit(time), depth, nodes, ..Limits::default() }
}

/// The time for a move as that of a search.
pub fn time_limit(time: MoveTime) -> TimeLimit {
    match time {
        MoveTime::Unlimited => TimeLimit::Unlimited,
        MoveTime::Fixed(time) => TimeLimit::PerMove(time),
        MoveTime::Clock { remaining, increment, moves_to_go } => {
            TimeLimit::Clock { remaining, increment, moves_to_go }
        }
    }
}

/// A move as the search has it.
pub fn to_search(m: Move) -> search::Move {
    variants::short(m)
}

/// The legal move that the search means; `None` if there is none.
pub fn from_search(game: &Game, m: search::Move) -> Option<Move> {
    variants::find(game.position(), m)
}

/// A line of the search, as far as it is legal.
pub fn line_from_search(game: &Game, line: &[search::Move]) -> Vec<Move> {
    let mut position = game.position().clone();
    line.iter()
        .map_while(|&m| {
            let m = variants::find(&position, m)?;
            position.play_unchecked(m);
            Some(m)
        })
        .collect()
}
