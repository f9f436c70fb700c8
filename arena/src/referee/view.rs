//! JSON for the live page.

use std::collections::VecDeque;
use std::time::Instant;

use game::{Clock, Color, Game, Move, WhiteScore, counted};
use pages::{GamePage, PageMove, PageStep, touched_squares};
use serde_json::{Value, json};
use shakmaty::{ByColor, Position as _};

use super::live_game::LiveGame;
use super::{EventState, report};
use crate::schedule::Fixture;
use crate::table::{GameRecord, MoveRecord};

fn color_name(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

/// A game in play, as the page shows it.
pub(super) struct GameInPlay<'a> {
    pub(super) fixture: &'a Fixture,
    pub(super) names: ByColor<&'a str>,
    pub(super) game: &'a Game,
    pub(super) clock: &'a Clock,
    pub(super) paused: bool,
    /// The sides whose players are not connected.
    pub(super) gone: Vec<Color>,
}

impl GameInPlay<'_> {
    /// Describes the game.
    pub(super) fn json(&self, at: Instant) -> Value {
        let millis = |color| self.clock.remaining(color, at).map(|left| left.as_millis() as u64);
        let game = self.game;
        json!({
            "number": self.fixture.number + 1, "round": self.fixture.round,
            "white": self.names.white, "black": self.names.black,
            "fen": game.fen(), "last": game.moves().last().map(|mv| squares(*mv)), "check": game.position().is_check(),
            "clocks": { "white": millis(Color::White), "black": millis(Color::Black) },
            "running": self.clock.is_running().then(|| color_name(game.turn())),
            "paused": self.paused, "gone": self.gone.iter().map(|&color| color_name(color)).collect::<Vec<_>>(),
        })
    }
}

/// Describes a game in play.
pub(super) fn running(event: &EventState, live: &LiveGame, at: Instant) -> Value {
    let fixture = &live.fixture;
    let is_gone = |color: &Color| !event.is_present(live.program(*color));
    let shown = GameInPlay {
        fixture,
        names: ByColor { white: event.name(fixture.white), black: event.name(fixture.black) },
        game: &live.record.game,
        clock: &live.clock,
        paused: live.paused,
        gone: Color::ALL.into_iter().filter(is_gone).collect(),
    };
    shown.json(at)
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
        "over": event.is_over(at), "epoch": event.epoch, "table": table, "finished": finished, "log": log, "directed": is_directed,
        "running": event.live_games.values().map(|live| running(event, live, at)).collect::<Vec<_>>(),
    })
}

fn squares(mv: Move) -> Vec<String> {
    touched_squares(mv).iter().map(ToString::to_string).collect()
}

/// Describes a game with all its moves: its number, and the game as a page shows it.
pub(super) fn detail(fixture: &Fixture, record: &GameRecord) -> Value {
    json!({ "number": fixture.number + 1, "game": page(record) })
}

fn page(record: &GameRecord) -> GamePage {
    let mut board = record.before_first_move();
    let start = board.fen();
    let played = std::iter::repeat_n(None, record.opening).chain(record.moves.iter().map(Some));
    let moves = record.game.moves().iter().zip(played);
    let moves = moves.filter_map(|(&mv, played)| page_move(&mut board, mv, played)).collect();
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
