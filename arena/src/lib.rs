//! Officials of chess matches: the referee of a game, schedules, statistics, ratings, the match runner, and the referee of EPD
//! events.

mod game_runner;
mod match_runner;
mod match_store;
mod openings;
mod overheads;
pub mod ratings;
pub mod referee;
pub mod schedule;
pub mod simulated;
mod standings;
pub mod statistics;
mod table;

pub use game_runner::{MatchConfig, MatchWatcher, Participant, ProgramRunner};
pub use match_runner::{Concurrency, GameRunner, Match, MatchEnd, MatchError, MatchEvent, PlayedGame, Usage};
pub use match_store::{GameEntry, MatchFiles, MatchStore, RecordedOutcome, StoreError};
pub use openings::{MatchOpenings, OpeningOrder, OpeningsError, OpeningsProblem};
pub use overheads::Overheads;
pub use referee::server::{MatchFigure, MatchPage, PageHeading};
pub use standings::{Standing, Standings, TieBreak};
pub use table::{
    Adjudication, DrawByScore, DrawRule, GameRecord, GameSetup, GameWatch, MoveRecord, RealTime,
    ResignByScore, Rules, Seat, TablebaseEnds, TablebaseRule, Time, pgn_date, play, play_by, play_watched,
};
