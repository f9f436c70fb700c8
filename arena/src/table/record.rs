//! A game as it was played: the one record that PGN, EPD and the log are made of.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime};

use game::{Clock, Color, Game, Outcome, PgnTags, epd, write_pgn};
use players::{PlayerFault, Protocol, Thinking};
use shakmaty::{ByColor, Position as _};

use super::Seat;

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
    /// Offers and claims.
    pub incidents: Vec<Incident>,
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

/// Something a player said beside its moves, or that befell the official.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// After how many plies of the game.
    pub ply: usize,
    /// Who; `None` for the official.
    pub color: Option<Color>,
    /// What, in words: "offers a draw".
    pub text: String,
}

/// What the official took of the time between a move and the opponent's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overhead {
    /// The median over the moves.
    pub median: Duration,
    /// The longest.
    pub longest: Duration,
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
            incidents: Vec::new(),
            started,
            lasted: Duration::ZERO,
        }
    }

    /// Clocks for the game.
    pub(crate) fn clock(&self) -> Clock {
        let controls = self.seats.as_ref().map(|seat| seat.control.clone());
        Clock::with_controls(controls).with_margins(self.seats.as_ref().map(|seat| seat.margin))
    }

    /// Notes an incident after the last move.
    pub(crate) fn note(&mut self, color: Option<Color>, text: impl Into<String>) {
        self.incidents.push(Incident { ply: self.game.ply(), color, text: text.into() });
    }

    /// The game has ended, or been called off.
    pub(crate) fn end(&mut self, outcome: Option<Outcome>, detail: String, lasted: Duration) {
        if let Some(outcome) = outcome {
            self.game.declare(outcome);
        }
        (self.outcome, self.detail, self.lasted) = (outcome, detail, lasted);
    }

    /// The official's overhead; `None` if no move was passed on.
    pub fn overhead(&self) -> Option<Overhead> {
        let mut all: Vec<Duration> = self.moves.iter().filter_map(|m| m.overhead).collect();
        let longest = all.iter().copied().max()?;
        let middle = all.len() / 2;
        let (_, median, _) = all.select_nth_unstable(middle);
        Some(Overhead { median: *median, longest })
    }

    /// The game in PGN. What the record knows is written over what `tags` say of it: the players, the date, the time
    /// controls.
    ///
    /// A comment after each move holds the score from the mover's view (`+0.31`, `-M4`) and the depth, the time used,
    /// the nodes, the variation if wanted, and the clock (`[%clk 0:04:59.070]`): `+0.31/14 1.250s, n=120034, [%clk …]`.
    pub fn pgn(&self, tags: &PgnTags, variations: PgnVariations) -> String {
        let comments = match variations {
            PgnVariations::Hidden => self.comments(|_| String::new()),
            PgnVariations::Shown => {
                let mut lines = self.variations().into_iter();
                self.comments(|_| lines.next().unwrap_or_default())
            }
        };
        write_pgn(&self.game, &self.tags(tags), &comments)
    }

    /// The position in which the players took over, as an EPD record.
    pub fn opening_epd(&self, id: &str) -> String {
        epd::record(&self.replay(self.opening), &[("id", epd::quoted(id))])
    }

    /// The last position as an EPD record, with the result and its reason in `c0`.
    pub fn final_epd(&self, id: &str) -> String {
        epd::record(&self.game, &[("c0", epd::quoted(&self.result_line())), ("id", epd::quoted(id))])
    }

    /// What happened, line by line, for a person who looks for a fault.
    pub fn log(&self) -> String {
        let mut log = String::new();
        for color in Color::ALL {
            let seat = self.seats.get(color);
            let _ = writeln!(log, "{color:?}: {seat}");
        }
        let _ = writeln!(log, "Position: {}", self.replay(self.opening).fen());
        let mut incidents = self.incidents.iter().peekable();
        for (ply, (line, m)) in (self.opening..).zip(self.move_lines().into_iter().zip(&self.moves)) {
            while let Some(incident) = incidents.next_if(|incident| incident.ply <= ply) {
                let _ = writeln!(log, "  {incident}");
            }
            let _ = writeln!(log, "{line} {}", m.comment(""));
            if let Some(overhead) = m.overhead {
                let _ = writeln!(log, "  passed on after {overhead:?}");
            }
        }
        for incident in incidents {
            let _ = writeln!(log, "  {incident}");
        }
        let _ = writeln!(log, "Result: {}", self.result_line());
        if let Some(Overhead { median, longest }) = self.overhead() {
            let _ = writeln!(log, "Overhead: median {median:?}, longest {longest:?}");
        }
        log
    }
}

/// The parts that the notations share.
impl GameRecord {
    /// The game after so many plies.
    fn replay(&self, plies: usize) -> Game {
        let mut game = self.fresh();
        for &m in &self.game.moves()[..plies] {
            replay_move(&mut game, m);
        }
        game
    }

    /// The game before its first move.
    fn fresh(&self) -> Game {
        Game::from_fen(&self.game.start_fen(), self.game.mode()).expect("a game's own start is legal")
    }

    fn result_line(&self) -> String {
        let mut line = match self.outcome {
            Some(outcome) => format!("{} {outcome}", outcome.result()),
            None => "* unfinished".to_owned(),
        };
        if !self.detail.is_empty() {
            let _ = write!(line, " ({})", self.detail);
        }
        line
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

    /// A comment for each ply of the game. `variation` is called once for each move of the players, in order.
    fn comments(&self, mut variation: impl FnMut(&MoveRecord) -> String) -> Vec<Option<String>> {
        let opening = std::iter::repeat_n(Some("book".to_owned()), self.opening);
        opening.chain(self.moves.iter().map(|m| Some(m.comment(&variation(m))))).collect()
    }

    /// The variation that each move was expected to begin, in SAN as far as it is legal.
    fn variations(&self) -> Vec<String> {
        let mut game = self.replay(self.opening);
        let played = &self.game.moves()[self.opening..];
        let variation = |(record, &m): (&MoveRecord, &game::Move)| {
            let line = variation(&mut game, &record.thinking.line);
            replay_move(&mut game, m);
            line
        };
        self.moves.iter().zip(played).map(variation).collect()
    }

    /// The players' moves with their numbers: `1. e4`, `1... e5`.
    fn move_lines(&self) -> Vec<String> {
        let mut position = self.replay(self.opening).position().clone();
        self.game.moves()[self.opening..]
            .iter()
            .map(|&m| {
                let number = position.fullmoves();
                let dots = position.turn().fold_wb(".", "...");
                let san = shakmaty::san::SanPlus::from_move_and_play_unchecked(&mut position, m);
                format!("{number}{dots} {san}")
            })
            .collect()
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

impl std::fmt::Display for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)?;
        match self.protocol {
            Some(Protocol::Cecp) => f.write_str(", CECP")?,
            Some(Protocol::Uci) => f.write_str(", UCI")?,
            // The document wants the mediator to tell.
            Some(Protocol::Cego) => f.write_str(", CEGO revision 1")?,
            None => {}
        }
        write!(f, ", {}, margin {:?}", self.control, self.margin)
    }
}

impl std::fmt::Display for Incident {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.color {
            Some(color) => write!(f, "{color:?} {}", self.text),
            None => write!(f, "The official {}", self.text),
        }
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
fn replay_move(game: &mut Game, m: game::Move) {
    game.play(m).expect("the move was legal before");
}

/// The day in PGN's form, in universal time.
pub(crate) fn date(moment: SystemTime) -> String {
    let date = time::OffsetDateTime::from(moment).date();
    format!("{:04}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day())
}
