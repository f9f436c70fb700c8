//! JSON for the live page.

use std::collections::VecDeque;
use std::time::Instant;

use game::{Color, Move};
use serde_json::{Value, json};
use shakmaty::{ByColor, Position as _};

use super::live_game::LiveGame;
use super::{EventState, report};
use crate::table::{PgnFields, replay_move};

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
        "fen": game.fen(), "last": game.moves().last().map(|mv| squares(*mv)),
        "clocks": { "white": millis(Color::White), "black": millis(Color::Black) },
        "running": live.clock.is_running().then(|| color_name(live.to_move())),
        "paused": live.paused, "gone": gone,
    })
}

/// Returns the squares that a move touches.
fn squares(mv: Move) -> Vec<String> {
    mv.from().into_iter().chain([mv.to()]).map(|square| square.to_string()).collect()
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

/// Describes a game with all its moves.
pub(super) fn detail(live: &LiveGame) -> Value {
    let record = &live.record;
    let mut board = record.before_first_move();
    let start = board.fen();
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
    let ByColor { white, black } = &record.seats;
    json!({
        "number": live.fixture.number + 1, "round": live.fixture.round, "white": white.name, "black": black.name,
        "result": record.outcome.map_or("", |outcome| outcome.result()), "start": start, "moves": moves,
    })
}
