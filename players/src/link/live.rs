//! A game over a link, as each end keeps it: the board, both clocks, and what goes into PGN.
//!
//! Each clock has one owner, the end at which its engine is. There it runs from the moment at which the engine was asked to the
//! moment at which its move was read. The other end takes over what it is told, so that no clock runs while a message travels.

use std::time::{Duration, Instant};

use game::{
    CastlingMode, Clock, Color, Game, Outcome, PgnTags, TimeControl, Variant, millis_text, write_pgn_as,
};
use messages::autoplayer::{GameTerms, GameVerdict, LinkRole, MatchTerms, PlayedMove};
use shakmaty::ByColor;

use crate::{MoveComment, NewGame, PgnFields, Thinking, Turn};

/// An engine as both ends know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LinkSeat {
    pub(crate) name: String,
    pub(crate) rating: Option<u32>,
}

/// How far a game has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkStage {
    /// The engines are made ready; whether those of this and of the other end are.
    Setting { own: bool, other: bool },
    /// The game is played.
    Playing,
    /// This end has claimed the end of the game, or sees it on the board; the master's word is awaited.
    Claimed,
}

/// A game in progress.
#[derive(Debug)]
pub(crate) struct LinkGame {
    pub(crate) terms: GameTerms,
    /// Side of the engine at this end.
    pub(crate) color: Color,
    pub(crate) seats: ByColor<LinkSeat>,
    pub(crate) game: Game,
    pub(crate) clock: Clock,
    pub(crate) stage: LinkStage,
    /// Draw offers that stand, or that go with the next move: the number of moves when they were made.
    pub(crate) offers: ByColor<Option<u32>>,
    /// Number of moves when our engine was last told what the other one says of its clock.
    pub(crate) clock_told: Option<u32>,
    /// A result that our engine has claimed and that its next move must bring about, and until when.
    pub(crate) announced: Option<(String, Instant)>,
    /// Latest thinking of our engine.
    pub(crate) thinking: Thinking,
    /// When the other end has been told to move, if the line has been undisturbed since.
    pub(crate) handed_over: Option<Instant>,
    /// Since when the other engine has to move, or since when the line is there again. `None` without a line.
    pub(crate) their_turn: Option<Instant>,
    /// Number of moves that came out of turn.
    pub(crate) ignored: u32,
    /// Number of plies of the opening.
    opening: usize,
    comments: Vec<Option<String>>,
}

/// How a clock was read twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GapKind {
    /// What is left for the other engine: its interface, and our calculation.
    Left,
    /// What the other engine has used: its interface, and our waiting.
    Used,
    /// What is left for our engine: itself, and its interface.
    Engine,
    /// What the other engine uses beyond its time: our waiting.
    Overdue,
}

/// A difference between two readings of a clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ClockGap {
    pub(crate) kind: GapKind,
    pub(crate) size: Duration,
    /// Whether it is told by itself; otherwise only many of them are.
    pub(crate) is_plain: bool,
    pub(crate) text: String,
}

/// What a move of the other end was wrong about.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum MoveFault {
    /// It is not the other end's turn, or not the next move.
    OutOfTurn,
    /// It is not legal; carries the reason.
    Illegal(String),
}

impl LinkGame {
    /// Sets up a game.
    ///
    /// # Errors
    /// The position or the opening is illegal.
    pub(crate) fn new(
        terms: GameTerms,
        role: LinkRole,
        own: LinkSeat,
        other: LinkSeat,
        control: TimeControl,
    ) -> Result<LinkGame, String> {
        let game = board(&terms)?;
        let color = Color::from_white(terms.white == role);
        let seats = color.fold_wb(
            ByColor { white: own.clone(), black: other.clone() },
            ByColor { white: other, black: own },
        );
        Ok(LinkGame {
            terms,
            color,
            seats,
            clock: Clock::new(control),
            stage: LinkStage::Setting { own: false, other: false },
            offers: ByColor::default(),
            clock_told: None,
            announced: None,
            thinking: Thinking::default(),
            handed_over: None,
            their_turn: None,
            ignored: 0,
            opening: game.ply(),
            comments: vec![Some("book".to_owned()); game.ply()],
            game,
        })
    }

    /// The game as the engine gets it.
    pub(crate) fn presented(&self, ponder: bool) -> NewGame {
        NewGame {
            game: self.game.clone(),
            color: self.color,
            controls: ByColor::new_with(|color| self.clock.control(color).clone()),
            opponent: self.seats.get(!self.color).name.clone(),
            ratings: self.seats.as_ref().map(|seat| seat.rating),
            ponder,
        }
    }

    pub(crate) fn turn(&self, at: Instant) -> Turn<'_> {
        Turn { game: &self.game, clock: &self.clock, at }
    }

    pub(crate) fn ply(&self) -> u32 {
        self.game.ply() as u32
    }

    /// Whether our engine has to move.
    pub(crate) fn is_our_turn(&self) -> bool {
        self.stage == LinkStage::Playing && self.game.turn() == self.color
    }

    /// The end of the game by the position on the board; draws that could be claimed are claimed by both ends, unless a mate is at hand.
    pub(crate) fn ending(&self) -> Option<Outcome> {
        let claim = || self.game.claim().filter(|_| !self.game.can_mate_at_once());
        self.game.outcome().or_else(|| claim().map(Outcome::Draw))
    }

    /// Plays a move of our engine.
    ///
    /// # Errors
    /// It is not a move, or illegal.
    pub(crate) fn play(&mut self, text: &str, at: Instant) -> Result<PlayedMove, String> {
        let mv = self.game.parse_move(text).map_err(|error| error.to_string())?;
        let san = self.game.san(mv);
        // Both ends book the same whole milliseconds.
        let used = Duration::from_millis(self.clock.used_in_turn(at).as_millis() as u64);
        self.game.play(mv).map_err(|error| error.to_string())?;
        let left = self.clock.book_turn(self.color, used).remaining;
        let thinking = std::mem::take(&mut self.thinking);
        let told = MoveComment { thinking: &thinking, used, remaining: left, lag: None, variation: "" };
        let comment = told.text(&PgnFields::default());
        let played = PlayedMove {
            game: self.terms.game,
            ply: self.ply(),
            san,
            used: used.as_millis() as u64,
            left: left.map(|left| left.as_millis() as u64),
            comment,
        };
        self.note(&played);
        *self.offers.get_mut(!self.color) = None;
        (self.handed_over, self.their_turn) = (Some(at), Some(at));
        Ok(played)
    }

    /// Plays a move of the other end. Returns what its clock says otherwise than ours.
    pub(crate) fn take(&mut self, played: &PlayedMove, at: Instant) -> Result<Vec<ClockGap>, MoveFault> {
        if self.game.turn() == self.color || played.ply != self.ply() + 1 {
            return Err(MoveFault::OutOfTurn);
        }
        self.game.play_text(&played.san).map_err(|error| MoveFault::Illegal(error.to_string()))?;
        let used = Duration::from_millis(played.used).min(LONGEST);
        let expected = self.clock.book_turn(!self.color, used).remaining;
        let told = played.left.map(|left| Duration::from_millis(left).min(LONGEST));
        self.note(played);
        *self.offers.get_mut(self.color) = None;
        self.their_turn = None;
        let mut gaps = Vec::new();
        if let (Some(told), Some(expected)) = (told, expected)
            && told.abs_diff(expected) >= Duration::from_millis(1)
        {
            self.clock.set_remaining(!self.color, told, at);
            let size = told.abs_diff(expected);
            let [told, expected] = [told, expected].map(millis_text);
            let text = format!("has {told} left by its own interface, {expected} by this one");
            gaps.push(ClockGap { kind: GapKind::Left, size, is_plain: true, text });
        }
        let waited = self.handed_over.take().map(|since| at.saturating_duration_since(since));
        if let Some(waited) = waited.filter(|&waited| waited > used + TRAVEL) {
            let unexplained = waited.saturating_sub(used);
            let [used, waited] = [used, waited].map(millis_text);
            let text = format!("used {used} by its own interface, but {waited} have passed here");
            let (size, is_plain) = (unexplained.saturating_sub(TRAVEL), unexplained > WAITING);
            gaps.push(ClockGap { kind: GapKind::Used, size, is_plain, text });
        }
        Ok(gaps)
    }

    /// The time by which the other engine is beyond its own, by this clock: its interface claims nothing, and its move may be late.
    pub(crate) fn overdue(&self, at: Instant) -> Option<ClockGap> {
        let waited =
            at.saturating_duration_since(self.their_turn.filter(|_| self.stage == LinkStage::Playing)?);
        let size = waited.checked_sub(self.clock.remaining(!self.color, at)?)?;
        let text = format!("has used {} s beyond its time by this clock", size.as_secs());
        Some(ClockGap { kind: GapKind::Overdue, size, is_plain: size > WAITING, text })
    }

    fn note(&mut self, played: &PlayedMove) {
        self.comments.push(Some(played.comment.clone()));
    }

    /// The verdict on the game as it stands. Without an outcome, `reason` is why there is none.
    pub(crate) fn verdict(&self, outcome: Option<Outcome>, reason: String, detail: String) -> GameVerdict {
        GameVerdict {
            game: self.terms.game,
            ply: self.ply(),
            result: outcome.map_or("*", |outcome| outcome.result()).to_owned(),
            reason: outcome.map_or(reason, |outcome| outcome.to_string()),
            detail,
        }
    }

    /// Ends the game as the verdict says: moves after it are taken back. Returns the outcome, `None` without a result.
    ///
    /// # Errors
    /// There are fewer moves here than in the verdict, or more in the opening.
    pub(crate) fn close(&mut self, verdict: &GameVerdict, at: Instant) -> Result<Option<Outcome>, String> {
        if verdict.ply > self.ply() {
            self.clock.stop(at);
            let there = game::counted(verdict.ply.into(), "move");
            return Err(format!("the game has {there} at the other end, {} here", self.ply()));
        }
        if (verdict.ply as usize) < self.opening {
            let moves = game::counted(verdict.ply.into(), "move");
            return Err(format!("the game ends after {moves}, within its opening"));
        }
        while self.ply() > verdict.ply {
            self.game.undo();
            self.comments.pop();
        }
        self.clock.stop(at);
        let outcome = outcome(verdict);
        if let Some(outcome) = outcome {
            self.game.declare(outcome);
        }
        Ok(outcome)
    }

    /// The game in PGN. It is made only of what both ends know, so that it is the same at both.
    pub(crate) fn pgn(&self, terms: &MatchTerms, verdict: &GameVerdict) -> String {
        let mut tags = PgnTags::default();
        let ByColor { white, black } = &self.seats;
        let round = self.terms.game.to_string();
        let plies = self.ply().to_string();
        for (name, value) in [
            ("Event", terms.event.as_str()),
            ("Site", &terms.site),
            ("Date", &self.terms.date),
            ("Round", &round),
            ("White", &white.name),
            ("Black", &black.name),
            ("TimeControl", &terms.control),
            ("PlyCount", &plies),
        ] {
            tags.set(name, value);
        }
        for (name, rating) in [("WhiteElo", white.rating), ("BlackElo", black.rating)] {
            if let Some(rating) = rating {
                tags.set(name, rating.to_string());
            }
        }
        let outcome = outcome(verdict);
        let is_known = outcome.is_some_and(|outcome| outcome.to_string() == verdict.reason);
        let details = [if is_known { "" } else { &verdict.reason }, &verdict.detail];
        let details = details.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join(": ");
        if !details.is_empty() {
            tags.set("TerminationDetails", details);
        }
        if outcome.is_none() {
            tags.set("Termination", "unterminated");
        }
        // Not what the board shows: both files are the same, and one end may not have seen the last move.
        write_pgn_as(outcome, &self.game, &tags, &self.comments)
    }

    /// Number of moves after the opening.
    pub(crate) fn moves_made(&self) -> usize {
        self.game.ply() - self.opening
    }
}

/// Time that may pass beyond what the other end tells, before its clock is called into question: the line and a busy machine.
const WAITING: Duration = Duration::from_secs(5);

/// Time of each move that is left to the line before what passes is added up.
const TRAVEL: Duration = Duration::from_secs(1);

/// Longest time that the other end is believed to have used or left.
const LONGEST: Duration = Duration::from_hours(7 * 24);

/// Number of plies of a variation that is sent.
const LONGEST_LINE: usize = 12;

/// The beginning of a variation in SAN.
pub(crate) fn short_line(thinking: &Thinking, game: &Game) -> String {
    let mut line = thinking.moves(game);
    line.truncate(LONGEST_LINE);
    game.san_line(&line)
}

/// The outcome of a verdict; `None` without a result. A reason that is not known here counts as adjudication.
pub(crate) fn outcome(verdict: &GameVerdict) -> Option<Outcome> {
    let named =
        |outcome: &Outcome| outcome.result() == verdict.result && outcome.to_string() == verdict.reason;
    Outcome::all().find(named).or_else(|| Outcome::adjudicated(&verdict.result))
}

fn board(terms: &GameTerms) -> Result<Game, String> {
    let mode = if terms.chess960 { CastlingMode::Chess960 } else { CastlingMode::Standard };
    let mut game = match &terms.fen {
        Some(fen) => Game::from_fen(fen, mode).map_err(|error| error.to_string())?,
        None => Game::with_mode(Variant::Chess, mode),
    };
    game.play_line(&terms.opening).map_err(|error| error.to_string())?;
    Ok(game)
}

/// The terms of a game that begins with an opening.
pub(crate) fn terms_of(number: u32, white: LinkRole, opening: &Game, date: String) -> GameTerms {
    let mut before = opening.clone();
    let mut moves = Vec::new();
    while let Some(mv) = before.undo() {
        moves.push(before.san(mv));
    }
    moves.reverse();
    GameTerms {
        game: number,
        white,
        fen: (!opening.has_standard_start()).then(|| opening.start_fen()),
        chess960: opening.mode() == CastlingMode::Chess960,
        opening: moves,
        date,
    }
}
