//! Game state, shared by playing and refereeing: positions and moves, rules and outcomes, time controls and clocks, books,
//! endgame tables, the notations of games (FEN, SAN, PGN, EPD), and tables of text. Contains no search.

pub mod book;
mod clock;
pub mod diagram;
pub mod epd;
mod fen;
mod files;
mod game;
mod judging;
mod lines;
mod notation;
mod opening_names;
pub mod openings;
mod outcome;
mod pgn;
mod score;
mod tablebases;
mod text;
mod text_table;
mod texts;
mod time_control;
mod variant;

pub use clock::{Clock, TurnTime};
pub use fen::{FenError, legal_position};
pub use files::open_file;
pub use game::{Game, IllegalMove};
pub use judging::{JudgingRules, MoveGrade};
pub use notation::{IllegalReason, MoveError, read_move};
pub use opening_names::{GameOpening, NamedOpening, opening_at};
pub use outcome::{DrawReason, Outcome, WinReason};
pub use pgn::{
    Annotation, GameTree, MoveLine, MoveNode, ParsedGame, PgnError, PgnFault, PgnGame, PgnHeader, PgnReader,
    PgnScanner, PgnTags, Replay, ResultMarker, TreeReader, WhiteScore, clock_command, comment_commands,
    comment_words, eval_command, pgn_gap, read_clock, read_eval, without_commands, write_pgn, write_pgn_as,
};
pub use score::{Score, ScoreBound};
pub use shakmaty::variant::{Variant, VariantPosition};
pub use shakmaty::{CastlingMode, Chess, Color, Move, Square};
pub use tablebases::{SyzygyTables, SyzygyValue, TablebaseError};
pub use text::{clock_face, counted, escaped, excerpt, millis_text};
pub use text_table::TextTable;
pub use time_control::{MoveLimits, MoveTime, Phase, Phases, TimeControl, TimeControlError};
pub use variant::{PlayedVariant, PocketOwner};
