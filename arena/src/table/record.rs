//! The record of a game, from which PGN, EPD and logs are made.

use std::time::{Duration, SystemTime};

use game::{Clock, Game, Outcome, PgnTags, WhiteScore, clock_command, eval_command, write_pgn};
use players::{MoveComment, PgnField, PgnFields, PlayerFault, Thinking};
use shakmaty::{ByColor, Position as _};

use super::Seat;
use crate::schedule::Fixture;

/// Maximum length of a variation in PGN, in plies.
const LONGEST_VARIATION: usize = 32;

/// Record of a game.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// Players and their conditions.
    pub seats: ByColor<Seat>,
    /// Start position, moves and outcome.
    pub game: Game,
    /// Number of plies of the opening.
    pub opening: usize,
    /// Information on each move after the opening.
    pub moves: Vec<MoveRecord>,
    /// Outcome of the game; `None` if it was called off or could not begin.
    pub outcome: Option<Outcome>,
    /// Details that the outcome does not contain: the illegal move, the fault, the reason of an adjudication. May be
    /// empty.
    pub detail: String,
    /// Faults after which a player can no longer play.
    pub faults: ByColor<Option<PlayerFault>>,
    /// Date and time of the start.
    pub started: SystemTime,
    /// Duration of the game, from its presentation to the players to its end.
    pub lasted: Duration,
    /// Whether the game was lost on time by no more than the referee's own lag, with which the loser's clock was charged.
    pub late: bool,
    /// Lag of the referee in a turn that was lost on time, in which there is no move.
    pub lost_turn_lag: Option<Duration>,
    /// Number of moves for which each side passed its limit of depth or nodes and had to be told to move.
    pub overruns: ByColor<u64>,
}

/// Information on a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveRecord {
    /// Time used for the move.
    pub used: Duration,
    /// Remaining time after the move, with the increment; `None` without a clock.
    pub remaining: Option<Duration>,
    /// Thinking information reported by the player.
    pub thinking: Thinking,
    /// Overhead: the time from the move's arrival until the opponent was told; `None` for the last move.
    pub overhead: Option<Duration>,
    /// Lag of the referee: the part of `used` in which its thread was ready to run but had no processor, so that the move may
    /// have been read later than it came. `None` without a clock, or where the system does not measure it.
    pub lag: Option<Duration>,
}

impl GameRecord {
    /// Makes the record of a game in which only the opening has been played.
    pub(crate) fn new(game: Game, seats: ByColor<Seat>, started: SystemTime) -> GameRecord {
        GameRecord {
            seats,
            opening: game.ply(),
            game,
            moves: Vec::new(),
            outcome: None,
            detail: String::new(),
            faults: ByColor::default(),
            started,
            lasted: Duration::ZERO,
            late: false,
            lost_turn_lag: None,
            overruns: ByColor::default(),
        }
    }

    /// Makes the clocks for the game.
    pub(crate) fn clock(&self) -> Clock {
        let controls = self.seats.as_ref().map(|seat| seat.control.clone());
        Clock::with_controls(controls).with_margins(self.seats.as_ref().map(|seat| seat.margin))
    }

    /// Lag of the referee in each turn, as far as it is known.
    pub fn lags(&self) -> impl Iterator<Item = Duration> {
        self.moves.iter().filter_map(|played| played.lag).chain(self.lost_turn_lag)
    }

    /// Records the end of the game.
    pub(crate) fn end(&mut self, outcome: Option<Outcome>, detail: String, lasted: Duration) {
        if let Some(outcome) = outcome {
            self.game.declare(outcome);
        }
        (self.outcome, self.detail, self.lasted) = (outcome, detail, lasted);
    }

    /// Formats the game as PGN. The record overrides the tags of the players, the date and the time controls in `tags`.
    ///
    /// A comment after each move holds these fields; see [`PgnFields`].
    pub fn pgn(&self, tags: &PgnTags, fields: &PgnFields) -> String {
        let mut board = fields.has(PgnField::Variation).then(|| self.before_first_move());
        let comment = |(ply, &m): (usize, &game::Move)| {
            let comment = match ply.checked_sub(self.opening) {
                None => if fields.is_empty() { "" } else { "book" }.to_owned(),
                Some(number) => {
                    let played = &self.moves[number];
                    let line = board.as_ref().map(|board| variation(board, &played.thinking));
                    played.told(&line.unwrap_or_default()).text(fields)
                }
            };
            if let Some(board) = &mut board {
                replay_move(board, m);
            }
            Some(comment)
        };
        let comments: Vec<_> = self.game.moves().iter().enumerate().map(comment).collect();
        write_pgn(&self.game, &self.tags(tags), &comments)
    }

    /// Formats the game like [`GameRecord::pgn`], with the tags of its fixture.
    pub(crate) fn pgn_of(&self, fixture: &Fixture, tags: &PgnTags, fields: &PgnFields) -> String {
        self.pgn(&fixture_tags(fixture, tags), fields)
    }

    /// Formats the game as viewers and broadcasts read it: after each move `[%eval 0.31,14]`, from White's view, and
    /// `[%clk 0:04:59.070]`.
    pub(crate) fn broadcast_pgn(&self, fixture: &Fixture, tags: &PgnTags) -> String {
        let start = self.game.start().turn();
        let comment = |ply: usize| {
            let played = ply.checked_sub(self.opening).and_then(|number| self.moves.get(number))?;
            let mover = if ply.is_multiple_of(2) { start } else { !start };
            let score = played.thinking.score.and_then(|score| WhiteScore::of(score, mover));
            let score = score.map(|score| eval_command(score, played.thinking.depth));
            let words: Vec<String> = score.into_iter().chain(played.remaining.map(clock_command)).collect();
            (!words.is_empty()).then(|| words.join(" "))
        };
        let comments: Vec<_> = (0..self.game.ply()).map(comment).collect();
        write_pgn(&self.game, &self.tags(&fixture_tags(fixture, tags)), &comments)
    }

    /// Returns the game before its first move.
    pub(crate) fn before_first_move(&self) -> Game {
        Game::from_fen(&self.game.start_fen(), self.game.mode()).expect("a game's own start is legal")
    }

    fn tags(&self, given: &PgnTags) -> PgnTags {
        let ByColor { white, black } = self.seats.as_ref();
        let mut tags = given.clone();
        tags.set("Date", pgn_date(self.started));
        tags.set("White", &white.name);
        tags.set("Black", &black.name);
        if white.control == black.control {
            tags.set("TimeControl", white.control.to_string());
        } else {
            tags.set("WhiteTimeControl", white.control.to_string());
            tags.set("BlackTimeControl", black.control.to_string());
        }
        tags.set("PlyCount", self.game.ply().to_string());
        if let Some(known) = self.game.opening() {
            tags.set("ECO", known.opening.eco);
            tags.set("Opening", known.opening.name);
        }
        tags.set("GameStartTime", pgn_moment(self.started));
        if self.outcome.is_some() {
            tags.set("GameEndTime", pgn_moment(self.started + self.lasted));
            let seconds = self.lasted.as_secs();
            let duration = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
            tags.set("GameDuration", duration);
        }
        if self.outcome.is_none() {
            tags.set("Termination", "unterminated");
        }
        if !self.detail.is_empty() {
            tags.set("TerminationDetails", &self.detail);
        }
        tags
    }
}

impl MoveRecord {
    /// What a comment can tell of the move.
    fn told<'a>(&'a self, variation: &'a str) -> MoveComment<'a> {
        let MoveRecord { thinking, used, remaining, lag, .. } = self;
        MoveComment { thinking, used: *used, remaining: *remaining, lag: *lag, variation }
    }
}

/// Adds the tags of a fixture.
fn fixture_tags(fixture: &Fixture, tags: &PgnTags) -> PgnTags {
    let mut tags = tags.clone();
    tags.set("Round", fixture.round.to_string());
    tags.set("GameNumber", (fixture.number + 1).to_string());
    tags
}

/// Returns the legal part of a player's variation in SAN.
fn variation(game: &Game, thinking: &Thinking) -> String {
    let mut line = thinking.moves(game);
    line.truncate(LONGEST_VARIATION);
    game.san_line(&line)
}

/// Plays a move that is known to be legal.
pub(crate) fn replay_move(game: &mut Game, m: game::Move) {
    game.play(m).expect("the move was legal before");
}

/// Formats a moment for PGN, in UTC, as other match runners do.
fn pgn_moment(moment: SystemTime) -> String {
    let moment = time::OffsetDateTime::from(moment);
    let (date, time) = (moment.date(), moment.time());
    let (hour, minute, second) = time.as_hms();
    format!("{date}T{hour:02}:{minute:02}:{second:02}.{:03} UTC", time.millisecond())
}

/// Formats the date for PGN, in UTC.
pub fn pgn_date(moment: SystemTime) -> String {
    time::OffsetDateTime::from(moment).date().to_string().replace('-', ".")
}
