//! Translates between `game` and `search`: games to roots, and limits, moves and scores.

use game::{Game, Move, MoveLimits, MoveTime, PocketOwner, Score, ScoreBound, VariantPosition};
use search::network::Network;
use search::{Bound, Limits, TimeLimit, Verdict};
use shakmaty::Position as _;
use variants::Board;

use crate::perft::count;

/// Returns the root of a chess search with the keys of the earlier positions that may be repeated; `None` for a
/// variant, which the chess search does not support.
pub fn root(game: &Game) -> Option<search::Root> {
    let position = search::Position::from(game.chess()?);
    Some(at_its_move(game, search::Root::new(position, game.repeatable().map(key).collect())))
}

/// Returns the root for the search of variants, which supports chess as well.
pub fn variant_root(game: &Game) -> search::Root<Board> {
    let board = match (game.position(), game.pocket_owner()) {
        (VariantPosition::Crazyhouse(board), PocketOwner::Partner) => Board::Bughouse(board.clone()),
        (position, _) => Board::Single(position.clone()),
    };
    at_its_move(game, search::Root::new(board, game.repeatable().map(variants::key).collect()))
}

fn at_its_move<P>(game: &Game, root: search::Root<P>) -> search::Root<P> {
    search::Root { move_number: game.position().fullmoves().get(), ..root }
}

/// Returns the key that the search uses for a position.
pub(crate) fn key(position: &VariantPosition) -> u64 {
    match position {
        VariantPosition::Chess(chess) => search::Position::from(chess).keys().full,
        _ => variants::key(position),
    }
}

/// Returns the static evaluation of the position for the side to move.
pub(crate) fn evaluate(game: &Game, network: &Network) -> Score {
    score(match root(game) {
        Some(root) => search::evaluate(network, &root.position),
        None => variants::evaluate(game.position()),
    })
}

/// Counts the sequences of `depth` legal moves while `goes_on` returns true; `None` once it returns false.
pub fn perft(game: &Game, depth: u32, goes_on: &mut dyn FnMut() -> bool) -> Option<u64> {
    match root(game) {
        Some(root) => count(&root.position, depth, goes_on),
        None => variants::perft(game.position(), depth, goes_on),
    }
}

/// Converts a score of the search to a score as protocols report it.
pub fn score(score: search::Score) -> Score {
    match score.verdict() {
        Verdict::Centipawns(centipawns) => Score::Centipawns(centipawns),
        Verdict::MateIn(moves) => Score::MateIn(moves),
        Verdict::MatedIn(moves) => Score::MatedIn(moves),
    }
}

/// Converts the bound of a search's score.
pub fn bound(bound: Bound) -> ScoreBound {
    match bound {
        Bound::Exact => ScoreBound::Exact,
        Bound::Lower => ScoreBound::Lower,
        Bound::Upper => ScoreBound::Upper,
    }
}

/// Converts the limits of a move to limits of a search.
pub fn limits(limits: MoveLimits) -> Limits {
    let MoveLimits { time, depth, nodes } = limits;
    Limits { time: time_limit(time), depth, nodes, ..Limits::default() }
}

/// Converts the time for a move to a time limit of a search.
pub fn time_limit(time: MoveTime) -> TimeLimit {
    match time {
        MoveTime::Unlimited => TimeLimit::Unlimited,
        MoveTime::Fixed(time) => TimeLimit::PerMove(time),
        MoveTime::Clock { remaining, increment, moves_to_go } => {
            TimeLimit::Clock { remaining, increment, moves_to_go }
        }
    }
}

/// Converts a move to the search's type.
pub fn to_search(m: Move) -> search::Move {
    variants::short(m)
}

/// Returns the legal move that corresponds to a move of the search; `None` if it is illegal.
pub fn from_search(game: &Game, m: search::Move) -> Option<Move> {
    variants::find(game.position(), m)
}

/// Converts a line of the search up to the first illegal move.
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
