//! A game as it was played: the one record that PGN, EPD and the log are made of.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use game::{Clock, Game, Outcome, PgnTags, write_pgn};
use players::{PlayerFault, Thinking};
use shakmaty::ByColor;

use super::Seat;
use crate::schedule::Fixture;

/// The longest part of a variation that PGN shows, in plies.
const LONGEST_VARIATION: usize = 32;

/// All that is known about a game.
#[derive(Clone, Debug)]
pub struct GameRecord {
    /// Who played, and how.
    pub seats: ByColor<Seat>,
    /// The start, the moves and the outcome.
    pub game: Game,
    /// How many of the moves, in plies, belong to the opening that was set.
    pub opening: usize,
    /// What is known about each move after the opening.
    pub moves: Vec<MoveRecord>,
    /// How the game ended; `None` if it was called off or could not begin.
    pub outcome: Option<Outcome>,
    /// What the outcome leaves open: the illegal move, the fault, the ground of an adjudication. May be empty.
    pub detail: String,
    /// Why a player can no longer play.
    pub faults: ByColor<Option<PlayerFault>>,
    /// When the game began, by the calendar.
    pub started: SystemTime,
    /// How long it took, from presenting it to the players to its end.
    pub lasted: Duration,
}

/// What is known about a move.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveRecord {
    /// Time used.
    pub used: Duration,
    /// What the clock showed afterwards, with what the move added; `None` if no time is kept.
    pub remaining: Option<Duration>,
    /// What the player told about it.
    pub thinking: Thinking,
    /// The time from the move's arrival until the opponent had been told of it; `None` for the last move.
    pub overhead: Option<Duration>,
}

/// Whether PGN comments show the variations that the players expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PgnVariations {
    /// They don't.
    #[default]
    Hidden,
    /// In SAN, as far as they are legal; their beginning, if they are long.
    Shown,
}

impl GameRecord {
    /// The record of a game of which only the opening has been played.
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
        }
    }

    /// Clocks for the game.
    pub(crate) fn clock(&self) -> Clock {
        let controls = self.seats.as_ref().map(|seat| seat.control.clone());
        Clock::with_controls(controls).with_margins(self.seats.as_ref().map(|seat| seat.margin))
    }

    /// The game has ended, or been called off.
    pub(crate) fn end(&mut self, outcome: Option<Outcome>, detail: String, lasted: Duration) {
        if let Some(outcome) = outcome {
            self.game.declare(outcome);
        }
        (self.outcome, self.detail, self.lasted) = (outcome, detail, lasted);
    }

    /// The game in PGN. What the record knows is written over what `tags` say of it: the players, the date, the time
    /// controls.
    ///
    /// A comment after each move holds the score from the mover's view (`+0.31`, `-M4`) and the depth, the time used,
    /// the nodes, the variation if wanted, and the clock (`[%clk 0:04:59.070]`): `+0.31/14 1.250s, n=120034, [%clk …]`.
    pub fn pgn(&self, tags: &PgnTags, variations: PgnVariations) -> String {
        let mut board = (variations == PgnVariations::Shown).then(|| self.before_first_move());
        let comment = |(ply, &m): (usize, &game::Move)| {
            let comment = match ply.checked_sub(self.opening) {
                None => "book".to_owned(),
                Some(number) => {
                    let played = &self.moves[number];
                    let line = board.as_mut().map(|board| variation(board, &played.thinking.line));
                    played.comment(&line.unwrap_or_default())
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

    /// The game in PGN as [`GameRecord::pgn`] has it, with its place in the schedule.
    pub(crate) fn pgn_of(&self, fixture: &Fixture, tags: &PgnTags, variations: PgnVariations) -> String {
        let mut tags = tags.clone();
        tags.set("Round", fixture.round.to_string());
        tags.set("GameNumber", (fixture.number + 1).to_string());
        self.pgn(&tags, variations)
    }

    /// The game before its first move.
    pub(crate) fn before_first_move(&self) -> Game {
        Game::from_fen(&self.game.start_fen(), self.game.mode()).expect("a game's own start is legal")
    }

    fn tags(&self, given: &PgnTags) -> PgnTags {
        let ByColor { white, black } = self.seats.as_ref();
        let mut tags = given.clone();
        tags.set("Date", date(self.started));
        tags.set("White", &white.name);
        tags.set("Black", &black.name);
        if white.control == black.control {
            tags.set("TimeControl", white.control.to_string());
        } else {
            tags.set("WhiteTimeControl", white.control.to_string());
            tags.set("BlackTimeControl", black.control.to_string());
        }
        tags.set("PlyCount", self.game.ply().to_string());
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
    /// The comment after the move. An empty variation is left out.
    pub(crate) fn comment(&self, variation: &str) -> String {
        let mut comment = String::with_capacity(64);
        if let Some(score) = self.thinking.score {
            let _ = write!(comment, "{score}");
            if let Some(depth) = self.thinking.depth {
                let _ = write!(comment, "/{depth}");
            }
            comment.push(' ');
        }
        let _ = write!(comment, "{:.3}s", self.used.as_secs_f64());
        if let Some(nodes) = self.thinking.nodes {
            let _ = write!(comment, ", n={nodes}");
        }
        if !variation.is_empty() {
            let _ = write!(comment, ", pv {variation}");
        }
        if let Some(remaining) = self.remaining {
            // Cut, not rounded: no clock shows more than there is.
            let (seconds, millis) = (remaining.as_secs(), remaining.subsec_millis());
            let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
            let _ = write!(comment, ", [%clk {hours}:{minutes:02}:{seconds:02}.{millis:03}]");
        }
        comment
    }
}

/// A player's line in SAN, as far as it is legal; move numbers in it are passed over.
fn variation(game: &mut Game, line: &str) -> String {
    let mut sans: Vec<String> = Vec::new();
    let words = line.split_whitespace().map(|word| word.rsplit_once('.').map_or(word, |(_, m)| m));
    for word in words.filter(|word| !word.is_empty()).take(LONGEST_VARIATION) {
        let Ok(m) = game.parse_move(word) else { break };
        sans.push(game.san(m));
        replay_move(game, m);
    }
    for _ in &sans {
        game.undo();
    }
    sans.join(" ")
}

/// Plays a move that is known to be legal.
pub(crate) fn replay_move(game: &mut Game, m: game::Move) {
    game.play(m).expect("the move was legal before");
}

/// The day in PGN's form, in universal time.
pub(crate) fn date(moment: SystemTime) -> String {
    let date = time::OffsetDateTime::from(moment).date();
    format!("{:04}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day())
}
