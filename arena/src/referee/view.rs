//! JSON for the live page.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Instant, SystemTime};

use game::{Clock, Color, Game, Move, SyzygyTables, SyzygyValue, WhiteScore};
use pages::{GamePage, PageLine, PageMove, PageStep, game_data, touched_squares};
use serde_json::{Value, json};
use shakmaty::{ByColor, Position as _};

use super::live_game::LiveGame;
use super::{EventState, GameSummary, report};
use crate::schedule::Fixture;
use crate::standings::{Figures, Standings};
use crate::table::{Adjudication, GameRecord, MoveRecord};

/// What a third program thinks of a game: of the positions after so many plies.
pub(super) type Opinions = BTreeMap<usize, PageLine>;

/// Number of games to come that a page lists.
const MOST_COMING: usize = 200;

fn color_name(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}

/// Milliseconds since 1970, UTC.
pub(super) fn unix_millis(moment: SystemTime) -> u64 {
    let since = moment.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// A game in play, as the page shows it.
pub(super) struct GameInPlay<'a> {
    pub(super) fixture: &'a Fixture,
    pub(super) names: ByColor<&'a str>,
    pub(super) record: &'a GameRecord,
    pub(super) clock: &'a Clock,
    pub(super) paused: bool,
    /// The sides whose players are not connected.
    pub(super) gone: Vec<Color>,
    pub(super) adjudication: &'a Adjudication,
    pub(super) opinions: Option<&'a Opinions>,
    /// Whether the last move is described with its line, so that a page which has the game needs no more.
    pub(super) is_full: bool,
}

impl GameInPlay<'_> {
    /// Describes the game.
    pub(super) fn json(&self, at: Instant) -> Value {
        let millis = |color| self.clock.remaining(color, at).map(|left| left.as_millis() as u64);
        let game = &self.record.game;
        let tables = self.adjudication.tablebases.as_ref().map(|rule| &*rule.tables);
        json!({
            "number": self.fixture.number + 1, "round": self.fixture.round,
            "white": self.names.white, "black": self.names.black,
            "fen": game.fen(), "last": game.moves().last().map(|mv| squares(*mv)), "check": game.position().is_check(),
            "clocks": { "white": millis(Color::White), "black": millis(Color::Black) },
            "running": self.clock.is_running().then(|| color_name(game.turn())), "turn": color_name(game.turn()),
            "paused": self.paused, "gone": self.gone.iter().map(|&color| color_name(color)).collect::<Vec<_>>(),
            "ply": game.ply(), "score": self.last_score(), "move": self.is_full.then(|| self.last_move()), "began": unix_millis(self.record.started),
            "opening": opening(game), "tables": tables.and_then(|tables| verdict(tables, game)),
            "near": nearing(game, self.adjudication),
        })
    }

    fn last_score(&self) -> Option<WhiteScore> {
        WhiteScore::of(self.record.moves.last()?.thinking.score?, !self.record.game.turn())
    }

    fn last_move(&self) -> Option<PageMove> {
        let mut before = self.record.game.clone();
        let mv = before.undo()?;
        let ply = self.record.game.ply();
        let played =
            ply.checked_sub(self.record.opening + 1).and_then(|number| self.record.moves.get(number));
        page_move(&mut before, mv, played, self.opinions.and_then(|opinions| opinions.get(&ply)))
    }
}

/// Code and name of the opening of a game.
fn opening(game: &Game) -> Option<String> {
    game.opening().map(|known| format!("{} {}", known.opening.eco, known.opening.name))
}

/// What the endgame tables say of a position: `white`, `black` or `draw`.
fn verdict(tables: &SyzygyTables, game: &Game) -> Option<&'static str> {
    let chess = game.chess()?;
    if chess.board().occupied().count() > tables.max_pieces() {
        return None;
    }
    Some(match tables.probe(chess).ok()?? {
        SyzygyValue::Draw => "draw",
        SyzygyValue::Win => color_name(chess.turn()),
        SyzygyValue::Loss => color_name(!chess.turn()),
    })
}

/// Number of plies before the end by a rule from which a page tells that it is near.
const NEAR: u64 = 20;

/// The ends by a rule that are near, with the plies to them.
fn nearing(game: &Game, adjudication: &Adjudication) -> Vec<Value> {
    let fifty = 100_u64.saturating_sub(game.halfmoves().into());
    let longest =
        adjudication.longest.map(|moves| (2 * u64::from(moves.get())).saturating_sub(game.ply() as u64));
    let all = [("fifty moves", Some(fifty)), ("the maximum length", longest)];
    let near =
        all.into_iter().filter_map(|(rule, plies)| Some((rule, plies.filter(|plies| *plies <= NEAR)?)));
    let mut near: Vec<Value> = near.map(|(rule, plies)| json!({ "rule": rule, "plies": plies })).collect();
    if game.repetitions() > 1 {
        near.push(json!({ "rule": "repetition" }));
    }
    near
}

/// Maximum number of games in play that are described move by move. Lines cost time, which more games need.
const MOST_FULL: usize = 64;

/// Describes a game in play as it changes.
pub(super) fn change(event: &EventState, live: &LiveGame, opinions: Option<&Opinions>, at: Instant) -> Value {
    running(event, live, opinions, event.live_games.len() <= MOST_FULL, at)
}

/// Describes a game in play.
fn running(
    event: &EventState,
    live: &LiveGame,
    opinions: Option<&Opinions>,
    is_full: bool,
    at: Instant,
) -> Value {
    let fixture = &live.fixture;
    let is_gone = |color: &Color| !event.is_present(live.program(*color));
    let shown = GameInPlay {
        fixture,
        names: names_of(event, fixture),
        record: &live.record,
        clock: &live.clock,
        paused: live.paused,
        gone: Color::ALL.into_iter().filter(is_gone).collect(),
        adjudication: &event.settings.rules.adjudication,
        opinions,
        is_full,
    };
    shown.json(at)
}

fn names_of<'a>(event: &'a EventState, fixture: &Fixture) -> ByColor<&'a str> {
    ByColor { white: fixture.white, black: fixture.black }.map(|program| event.name(program))
}

/// Describes a program in the table of a match, in which it is always present. `ranking` has all programs, best first.
pub(super) fn standing_row(name: &str, row: &Figures, standings: &Standings, ranking: &[usize]) -> Value {
    let games = &row.games;
    let cells = ranking.iter().map(|&opponent| standings.score_text(row.program, opponent));
    json!({
        "name": name, "points": row.points, "games": games.games(), "won": games.wins, "drawn": games.draws, "lost": games.losses,
        "sb": row.sonneborn_berger, "buchholz": row.buchholz, "present": true, "cells": cells.collect::<Vec<_>>(),
    })
}

/// Describes a game that has ended.
pub(super) fn finished_row(game: &GameSummary, names: ByColor<&str>) -> Value {
    json!({
        "number": game.fixture.number + 1, "round": game.fixture.round, "white": names.white, "black": names.black,
        "result": game.outcome.result(), "reason": report::reason(game.outcome, &game.detail), "plies": game.plies,
        "began": unix_millis(game.began), "ended": unix_millis(game.began + game.lasted),
    })
}

/// Describes the whole event: table, games, log, and whether the director may sign in.
pub(super) fn state(
    event: &EventState,
    opinions: &BTreeMap<u64, Opinions>,
    at: Instant,
    log: &VecDeque<String>,
    is_directed: bool,
) -> Value {
    let rows = report::rows(event);
    let ranking: Vec<usize> = rows.iter().map(|row| row.program).collect();
    let table = rows.iter().map(|row| {
        let mut told = standing_row(event.name(row.program), row, &event.standings, &ranking);
        told["present"] = event.is_present(row.program).into();
        told["withdrawn"] = event.programs[row.program].is_withdrawn.into();
        told
    });
    let finished = report::results(event).into_iter();
    let finished = finished.map(|game| finished_row(game, names_of(event, &game.fixture)));
    let coming = event.queue.iter().take(MOST_COMING).map(|fixture| {
        json!({
            "number": fixture.number + 1, "round": fixture.round,
            "white": event.name(fixture.white), "black": event.name(fixture.black),
        })
    });
    let running = |(number, live)| running(event, live, opinions.get(number), false, at);
    let settings = &event.settings;
    json!({
        "event": settings.name, "site": settings.site, "control": event.control(event.begun_round).to_string(),
        "over": event.is_over(at), "epoch": event.epoch, "log": log, "directed": is_directed,
        "table": table.collect::<Vec<_>>(), "finished": finished.collect::<Vec<_>>(),
        "coming": coming.collect::<Vec<_>>(), "now": unix_millis(SystemTime::now()),
        "running": event.live_games.iter().map(running).collect::<Vec<_>>(),
    })
}

fn squares(mv: Move) -> Vec<String> {
    touched_squares(mv).iter().map(ToString::to_string).collect()
}

/// Describes a game with all its moves, as JSON: its number, and the game as a page shows it.
pub(super) fn detail(fixture: &Fixture, record: &GameRecord, opinions: Option<&Opinions>) -> String {
    format!("{{\"number\":{},\"game\":{}}}", fixture.number + 1, game_data(&page(fixture, record, opinions)))
}

fn page(fixture: &Fixture, record: &GameRecord, opinions: Option<&Opinions>) -> GamePage {
    let mut board = record.before_first_move();
    let start = board.fen();
    let played = std::iter::repeat_n(None, record.opening).chain(record.moves.iter().map(Some));
    let moves = (1..).zip(record.game.moves().iter().zip(played));
    let moves = moves.filter_map(|(ply, (&mv, played))| {
        page_move(&mut board, mv, played, opinions.and_then(|opinions| opinions.get(&ply)))
    });
    let moves = moves.collect();
    let ByColor { white, black } = &record.seats;
    let round = fixture.round.to_string();
    let tags = [("White", &white.name), ("Black", &black.name), ("Round", &round)];
    let on_time = record.outcome.filter(|outcome| outcome.termination() == "time forfeit");
    let loser = on_time.map(|outcome| outcome.winner().map_or(record.game.turn(), |winner| !winner));
    GamePage {
        tags: tags.map(|(name, value)| (name.to_owned(), value.clone())).to_vec(),
        start,
        result: record.outcome.map_or("*", |outcome| outcome.result()).to_owned(),
        termination: record.outcome.map(|outcome| outcome.to_string()),
        flag: loser.map(Color::char),
        opening: opening(&record.game),
        moves,
        ..GamePage::default()
    }
}

/// Plays a move and describes it; `played` is `None` for a move of the opening.
fn page_move(
    board: &mut Game,
    mv: Move,
    played: Option<&MoveRecord>,
    third: Option<&PageLine>,
) -> Option<PageMove> {
    let mover = board.turn();
    let line = played.map(|played| PageLine::play(board, &played.thinking.moves(board)));
    let step = PageStep::play(board, mv)?;
    let third = third.cloned();
    let Some(played) = played else {
        return Some(PageMove { step, third, note: Some("opening".to_owned()), ..PageMove::default() });
    };
    Some(PageMove {
        step,
        score: played.thinking.score.and_then(|score| WhiteScore::of(score, mover)),
        depth: played.thinking.depth,
        clock: played.remaining.map(|remaining| remaining.as_secs_f64()),
        used: Some(played.used.as_secs_f64()),
        nodes: played.thinking.nodes,
        line: line.filter(|line| !line.moves.is_empty()),
        third,
        ..PageMove::default()
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use game::{CastlingMode, Outcome, Score, WinReason};
    use players::Thinking;

    use super::*;
    use crate::table::Seat;

    fn seat(name: &str) -> Seat {
        Seat {
            name: name.to_owned(),
            protocol: None,
            control: "60+1".parse().expect("a time control"),
            margin: Duration::ZERO,
            ponder: false,
            white_view: false,
        }
    }

    /// A game in which Black mates and the first move is from an opening.
    fn record() -> GameRecord {
        let mut game = Game::default();
        game.play_text("f3").expect("legal");
        let started = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
        let mut record = GameRecord::new(game, ByColor { white: seat("A<b>"), black: seat("B") }, started);
        let told = [
            ("e5", Some(Score::Centipawns(85)), "e5 e4 d5"),
            ("g4", Some(Score::Centipawns(-30)), "g4 nonsense"),
            ("Qh4#", Some(Score::MateIn(1)), ""),
        ];
        for (text, score, line) in told {
            record.game.play_text(text).expect("legal");
            let thinking = Thinking { score, depth: Some(9), line: line.to_owned(), ..Thinking::default() };
            let (used, remaining) = (Duration::from_millis(1250), Some(Duration::from_millis(58_750)));
            record.moves.push(MoveRecord { used, remaining, thinking, overhead: None, lag: None });
        }
        record
    }

    fn fixture() -> Fixture {
        Fixture { number: 16, round: 2, white: 0, black: 1, opening: 0 }
    }

    #[test]
    fn a_game_tells_scores_from_whites_side_and_lines_as_far_as_they_are_legal() {
        let opinion = PageLine { score: Some(WhiteScore::Centipawns(-7)), ..PageLine::default() };
        let opinions = Opinions::from([(3, opinion)]);
        let told: Value =
            serde_json::from_str(&detail(&fixture(), &record(), Some(&opinions))).expect("JSON");
        assert_eq!((&told["number"], &told["game"]["start_score"]), (&json!(17), &Value::Null));
        assert!(told["game"]["opening"].as_str().is_some_and(|name| name.starts_with("A00")), "{told}");
        let moves = told["game"]["moves"].as_array().expect("moves");
        assert_eq!(moves[0]["note"], "opening");
        assert_eq!(
            moves.iter().map(|mv| mv["score"].clone()).collect::<Vec<_>>(),
            [Value::Null, json!({ "centipawns": -85 }), json!({ "centipawns": -30 }), json!({ "mate": -1 }),]
        );
        let line = moves[1]["line"]["moves"].as_array().expect("a line");
        assert_eq!(
            line.iter().map(|step| step[0].as_str().expect("SAN")).collect::<Vec<_>>(),
            ["e5", "e4", "d5"]
        );
        assert_eq!(moves[2]["line"]["moves"].as_array().map(Vec::len), Some(1));
        assert_eq!(
            (&moves[3]["line"], &moves[2]["third"]["score"]),
            (&Value::Null, &json!({ "centipawns": -7 }))
        );
        assert_eq!((&moves[1]["used"], &moves[1]["clock"]), (&json!(1.25), &json!(58.75)));
    }

    #[test]
    fn a_flag_that_fell_is_told() {
        let mut record = record();
        for (outcome, flag) in [
            (None, Value::Null),
            (Some(Outcome::Win { winner: Color::Black, reason: WinReason::Checkmate }), Value::Null),
            (Some(Outcome::Win { winner: Color::Black, reason: WinReason::TimeForfeit }), json!("w")),
        ] {
            record.outcome = outcome;
            let told: Value = serde_json::from_str(&detail(&fixture(), &record, None)).expect("JSON");
            assert_eq!(told["game"]["flag"], flag, "{outcome:?}");
        }
    }

    #[test]
    fn a_game_in_play_tells_its_last_move_in_full() {
        let record = record();
        let (clock, adjudication) =
            (record.clock(), Adjudication { longest: "5".parse().ok(), ..Adjudication::default() });
        let shown = GameInPlay {
            fixture: &fixture(),
            names: ByColor { white: "A<b>", black: "B" },
            record: &record,
            clock: &clock,
            paused: false,
            gone: vec![Color::Black],
            adjudication: &adjudication,
            opinions: None,
            is_full: true,
        };
        let told = shown.json(Instant::now());
        assert_eq!(
            (&told["ply"], &told["move"]["san"], &told["began"]),
            (&json!(4), &json!("Qh4#"), &json!(1_000_000))
        );
        assert_eq!(told["score"], json!({ "mate": -1 }));
        assert_eq!((&told["move"]["fen"], &told["gone"]), (&told["fen"], &json!(["black"])));
        assert_eq!(told["near"], json!([{ "rule": "the maximum length", "plies": 6 }]));
    }

    #[test]
    fn the_fifty_moves_and_repetitions_are_told_when_they_are_near() {
        let none = Adjudication::default();
        let near = |fen: &str, moves: &str| {
            let mut game = Game::from_fen(fen, CastlingMode::Standard).expect("a position");
            game.play_line(moves.split_whitespace()).expect("legal");
            nearing(&game, &none)
        };
        assert_eq!(near("4k3/8/8/8/8/8/8/R3K3 w - - 79 90", ""), Vec::<Value>::new());
        assert_eq!(
            near("4k3/8/8/8/8/8/8/R3K3 w - - 80 90", ""),
            [json!({ "rule": "fifty moves", "plies": 20 })]
        );
        assert_eq!(
            near("4k3/8/8/8/8/8/8/R3K3 w - - 0 1", "Ra2 Kd8 Ra1 Ke8"),
            [json!({ "rule": "repetition" })]
        );
    }

    #[test]
    fn viewers_get_clocks_and_scores_from_whites_side() {
        let pgn = record().broadcast_pgn(&fixture(), &game::PgnTags::default());
        let moves: String =
            pgn.split("\n\n").nth(1).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            moves.starts_with(
                "1. f3 e5 {[%eval -0.85,9] [%clk 0:00:58.750]} 2. g4 {[%eval -0.30,9] [%clk 0:00:58.750]}"
            ),
            "{pgn}"
        );
        assert!(moves.contains("2... Qh4# {[%eval #-1,9]") && pgn.contains("[Round \"2\"]"), "{pgn}");
    }
}
