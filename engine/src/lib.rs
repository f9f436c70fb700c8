//! The game state that every adapter shares: positions and moves, rules and outcomes, time controls and clocks, PGN.

pub mod book;
mod clock;
mod engine;
pub mod epd;
mod fen;
mod game;
mod lines;
mod network;
mod notation;
pub mod openings;
mod outcome;
mod perft;
mod pgn;
mod settings;
mod strength;
mod tablebases;
mod text;
mod thinking_clock;
mod time_control;
mod variant;

pub use clock::{GameClock, MonotonicTime, TimeSource, Turn};
pub use engine::{Decision, Engine, Line, Purpose, Task, TaskId, Thought};
pub use fen::{FenError, legal_position};
pub use game::{Game, IllegalMove};
pub use network::{NetworkFault, open_evaluation, open_network};
pub use notation::{IllegalReason, MoveError, read_move};
pub use outcome::{DrawReason, Outcome, WinReason};
pub use pgn::{PgnError, PgnFault, PgnGame, PgnReader, PgnTags, write_pgn};
pub use settings::{
    NumberSetting, PathSetting, Setting, SettingError, Settings, SettingsFault, SettingsFile, SwitchSetting,
};
pub use strength::Strength;
pub use tablebases::{TablebaseError, Tablebases};
pub use text::{escaped, excerpt};
pub use thinking_clock::{
    CpuClock, NodeClock, ProcessCpuTime, StopWatch, ThinkingClock, TimeMeasure, WallClock,
};
pub use time_control::{Phase, Phases, TimeControl, TimeControlError};

pub use search::Wdl;
#[cfg(feature = "tuning")]
pub use search::{PARAMETERS, Parameter};
pub use shakmaty::variant::{Variant, VariantPosition};
pub use shakmaty::{CastlingMode, Chess, Color, Move, Square};
pub use variant::variant_from_name;
pub use variants::PocketOwner as Captives;
