//! JSON for the live page.

use std::collections::VecDeque;
use std::time::Instant;

use game::{Color, Game, Move, counted};
use pages::{GamePage, PageMove, PageStep, WhiteScore, touched_squares};
use serde_json::{Value, json};
use shakmaty::{ByColor, Position as _};

use super::live_game::LiveGame;
use super::{EventState, report};
use crate::table::MoveRecord;

fn color_name(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

/// Describes a game in play.
pub(super) fn running(event: &EventState, live: &LiveGame, at: Instant) -> Value {
    let millis = |color| live.clock.remaining(color, at).map(|left| left.as_millis() as u64);
    let gone: Vec<&str> = Color::ALL
        .into_iter()
        .filter(|&color| !event.is_present(live.program(color)))
        .map(color_name)
        .collect();
    let game = &live.record.game;
    json!({
        "number": live.fixture.number + 1, "round": live.fixture.round,
        "white": event.name(live.fixture.white), "black": event.name(live.fixture.black),
        "fen": game.fen(), "last": game.moves().last().map(|mv| squares(*mv)), "check": game.position().is_check(),
        "clocks": { "white": millis(Color::White), "black": millis(Color::Black) },
        "running": live.clock.is_running().then(|| color_name(live.to_move())),
        "paused": live.paused, "gone": gone,
    })
}

/// Describes the whole event: table, games, log, and whether the director may sign in.
pub(super) fn state(event: &EventState, at: Instant, log: &VecDeque<String>, is_directed: bool) -> Value {
    let rows = report::rows(event);
    let table: Vec<Value> = rows
        .iter()
        .map(|row| {
            let cells: Vec<String> =
                rows.iter().map(|other| event.standings.score_text(row.program, other.program)).collect();
            json!({
                "name": event.name(row.program), "points": row.points, "games": row.games.games(), "won": row.games.wins,
                "drawn": row.games.draws, "lost": row.games.losses, "sb": row.sonneborn_berger, "buchholz": row.buchholz,
                "present": event.is_present(row.program), "cells": cells,
            })
        })
        .collect();
    let finished: Vec<Value> = report::results(event)
        .into_iter()
        .map(|result| {
            json!({
                "number": result.fixture.number + 1, "round": result.fixture.round,
                "white": event.name(result.fixture.white), "black": event.name(result.fixture.black),
                "result": result.outcome.result(), "reason": report::reason(result),
            })
        })
        .collect();
    let settings = &event.settings;
    json!({
        "event": settings.name, "site": settings.site, "control": settings.control.to_string(),
        "epoch": event.epoch, "table": table, "finished": finished, "log": log, "directed": is_directed,
        "running": event.live_games.values().map(|live| running(event, live, at)).collect::<Vec<_>>(),
    })
}

fn squares(mv: Move) -> Vec<String> {
    touched_squares(mv).iter().map(ToString::to_string).collect()
}

/// Describes a game with all its moves: its number, and the game as a page shows it.
pub(super) fn detail(live: &LiveGame) -> Value {
    json!({ "number": live.fixture.number + 1, "game": page(live) })
}

fn page(live: &LiveGame) -> GamePage {
    let record = &live.record;
    let mut board = record.before_first_move();
    let start = board.fen();
<<<<<<< HEAD
    let comments = std::iter::repeat_n(String::new(), record.opening)
        .chain(record.moves.iter().map(|played| played.comment(&PgnFields::default(), "")));
    let moves: Vec<Value> = record
        .game
        .moves()
        .iter()
        .zip(comments)
        .map(|(&mv, comment)| {
            let is_numbered = board.turn().is_white() || board.ply() == 0;
            let dots = board.turn().fold_wb(".", "...");
            let number = is_numbered.then(|| format!("{}{dots}", board.position().fullmoves()));
            let san = board.san(mv);
            replay_move(&mut board, mv);
            json!({ "san": san, "fen": board.fen(), "squares": squares(mv), "number": number, "comment": comment })
        })
        .collect();
=======
    let played = std::iter::repeat_n(None, record.opening).chain(record.moves.iter().map(Some));
    let moves = record.game.moves().iter().zip(played);
    let moves = moves.filter_map(|(&mv, played)| page_move(&mut board, mv, played)).collect();
>>>>>>> board
    let ByColor { white, black } = &record.seats;
    let tags = [("White", &white.name), ("Black", &black.name)];
    GamePage {
        tags: tags.map(|(name, value)| (name.to_owned(), value.clone())).to_vec(),
        start,
        result: record.outcome.map_or("*", |outcome| outcome.result()).to_owned(),
        termination: record.outcome.map(|outcome| outcome.to_string()),
        moves,
        ..GamePage::default()
    }
}

/// Plays a move and describes it; `played` is `None` for a move of the opening.
fn page_move(board: &mut Game, mv: Move, played: Option<&MoveRecord>) -> Option<PageMove> {
    let mover = board.turn();
    let step = PageStep::play(board, mv)?;
    let Some(played) = played else {
        return Some(PageMove { step, note: Some("opening".to_owned()), ..PageMove::default() });
    };
    let nodes = played.thinking.nodes.map(|nodes| format!(", {}", counted(nodes, "node")));
    Some(PageMove {
        step,
        score: played.thinking.score.and_then(|score| WhiteScore::of(score, mover)),
        depth: played.thinking.depth,
        clock: played.remaining.map(|remaining| remaining.as_secs_f64()),
        note: Some(format!("{:.3} s{}", played.used.as_secs_f64(), nodes.unwrap_or_default())),
        ..PageMove::default()
    })
}
