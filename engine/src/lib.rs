//! The engine: thinks about a game on its own thread, with settings, playing strength, opening book and endgame
//! tables.

pub mod bench;
mod bridge;
mod endgame_tables;
mod engine;
mod network;
pub mod openings;
mod perft;
mod position_file;
mod settings;
mod stop_watch;
mod strength;

pub use bridge::{
    bound, from_search, limits, line_from_search, perft, root, score, time_limit, to_search, variant_root,
};
pub use engine::{Decision, Engine, Purpose, SearchLine, SearchTask, TaskId, Thought};
pub use network::open_network;
pub use search::{Limits, SearchClock, TimeLimit};
#[cfg(feature = "tuning")]
pub use search::{PARAMETERS, Parameter};
pub use settings::{
    NumberSetting, PathSetting, Setting, SettingError, Settings, SettingsFault, SettingsFile, SwitchSetting,
};
pub use stop_watch::{StopWatch, TimeMeasure};
pub use strength::Strength;
