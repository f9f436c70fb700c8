//! The game state that every adapter shares: positions and moves, rules and outcomes, time controls and clocks, PGN.

pub mod book;
mod clock;
mod engine;
pub mod epd;
mod fen;
mod game;
mod lines;
mod notation;
pub mod openings;
mod outcome;
mod pgn;
mod settings;
mod tablebases;
mod text;
mod thinking_clock;
mod time_control;

pub use clock::{GameClock, MonotonicTime, TimeSource, Turn};
pub use engine::{Decision, Engine, Line, Purpose, Task, TaskId, Thought};
pub use fen::{FenError, legal_position};
pub use game::{Game, IllegalMove};
pub use notation::{IllegalReason, MoveError, read as read_move};
pub use outcome::{DrawReason, Outcome, WinReason};
pub use pgn::{PgnError, PgnFault, PgnGame, PgnReader, PgnTags, write_pgn};
pub use settings::{OWN_BOOK, PathSetting, Setting, SettingError};
pub use tablebases::{TablebaseError, Tablebases};
pub use text::excerpt;
pub use thinking_clock::{
    CpuClock, NodeClock, ProcessCpuTime, StopWatch, ThinkingClock, TimeMeasure, WallClock,
};
pub use time_control::{Phase, Phases, TimeControl, TimeControlError};

pub use search::Wdl;
pub use shakmaty::{CastlingMode, Chess, Color, Move};
