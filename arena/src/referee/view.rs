//! What the page shows, as JSON.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use game::{Color, Game, Move, Outcome};
use serde_json::{Value, json};
use shakmaty::{ByColor, Position as _};

use super::bout::Bout;
use super::event::Event;
use super::report;

fn color_name(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

/// A game that is being played.
pub(super) fn running(event: &Event, bout: &Bout, at: Instant) -> Value {
    let millis = |color| bout.remaining(color, at).map(|left| left.as_millis() as u64);
    let gone: Vec<&str> = Color::ALL
        .into_iter()
        .filter(|&color| !event.is_present(bout.program(color)))
        .map(color_name)
        .collect();
    let game = bout.game();
    json!({
        "number": bout.number() + 1, "round": bout.fixture.round,
        "white": event.name(bout.fixture.white), "black": event.name(bout.fixture.black),
        "fen": game.fen(), "last": game.moves().last().map(|mv| squares(*mv)),
        "clocks": { "white": millis(Color::White), "black": millis(Color::Black) },
        "running": bout.is_running().then(|| color_name(bout.to_move())),
        "paused": bout.is_paused(), "gone": gone,
    })
}

/// The squares that a move touches.
fn squares(mv: Move) -> Vec<String> {
    mv.from().into_iter().chain([mv.to()]).map(|square| square.to_string()).collect()
}

/// Table, games and log, and whether the director may sign in.
pub(super) fn state(event: &Event, at: Instant, log: &VecDeque<String>, is_directed: bool) -> Value {
    let rows = report::rows(event);
    let table: Vec<Value> = rows
        .iter()
        .map(|row| {
            let cells: Vec<String> =
                rows.iter().map(|other| report::cell(event, row.program, other.program)).collect();
            json!({
                "name": event.name(row.program), "points": row.points, "games": row.games, "won": row.wins,
                "drawn": row.draws, "lost": row.losses, "sb": row.sonneborn_berger, "buchholz": row.buchholz,
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
    let settings = event.settings();
    json!({
        "event": settings.name, "site": settings.site, "control": settings.control.to_string(),
        "epoch": event.epoch(), "table": table, "finished": finished, "log": log, "directed": is_directed,
        "running": event.bouts().map(|bout| running(event, bout, at)).collect::<Vec<_>>(),
    })
}

/// A game with all its moves.
pub(super) fn detail(bout: &Bout, outcome: Option<Outcome>) -> Value {
    let record = bout.record(outcome, "", Duration::ZERO);
    let mut board = Game::from_fen(&record.game.start_fen(), record.game.mode()).unwrap_or_default();
    let start = board.fen();
    let comments = std::iter::repeat_n(String::new(), record.opening)
        .chain(record.moves.iter().map(|played| played.comment("")));
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
            // The moves of a game are legal.
            let _ = board.play(mv);
            json!({ "san": san, "fen": board.fen(), "squares": squares(mv), "number": number, "comment": comment })
        })
        .collect();
    let ByColor { white, black } = &bout.seats;
    json!({
        "number": bout.number() + 1, "round": bout.fixture.round, "white": white.name, "black": black.name,
        "result": outcome.map_or("", |outcome| outcome.result()), "start": start, "moves": moves,
    })
}
