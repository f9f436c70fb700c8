//! The interface of a participant for officials, independent of protocol and transport.

use std::collections::BTreeSet;
use std::process::ExitStatus;
use std::str::FromStr;
use std::time::{Duration, Instant};

use game::{Clock, Color, DrawReason, Game, Move, Outcome, PlayedVariant, Score, TimeControl, excerpt};
use platform::{Resources, Source};
use serde::{Deserialize, Serialize};
use shakmaty::ByColor;

use crate::{Stream, Timed, Vocabulary};

/// A participant: a program that speaks a protocol, or a scripted one in tests and benchmarks.
///
/// All events of a player come from [`Player::take`], in order and with the time of arrival. The other methods send and
/// don't wait for an answer, except [`Player::check_ready`] and [`Player::new_game`]. After a [`PlayerFault`] only
/// [`Player::quit`] may be called.
pub trait Player {
    /// Name that the player reports, without control characters; empty if it reports none.
    #[expect(clippy::unnecessary_literal_bound, reason = "players with a name lend theirs")]
    fn name(&self) -> &str {
        ""
    }

    /// What the player computes with, by what it told when it was started and what it was told then.
    fn capacity(&self) -> Capacity {
        Capacity::default()
    }

    /// Checks that the player offers a variant, by what it told when it was started.
    ///
    /// # Errors
    /// [`PlayerFault::Unsupported`]: it does not; the fault names the variants that it offers.
    fn check_variant(&self, _played: PlayedVariant) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Checks that the protocol can tell the player this time control, by what it told when it was started.
    ///
    /// # Errors
    /// [`PlayerFault::Unsupported`]: it cannot; the fault says what to use instead.
    fn check_control(&self, _control: &TimeControl) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Tells the player, which has to move, to move now. Protocols without a word for it send nothing.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn move_now(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Between games: checks that the player can be given another one. Waits for its answer if the protocol has a question for
    /// that.
    ///
    /// # Errors
    /// The player ended or didn't answer in time.
    fn check_ready(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Sets up a game and waits until the player is ready for it.
    ///
    /// # Errors
    /// The player ended, didn't answer in time, or cannot play this game.
    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault>;

    /// Sends the opponent's last move, if any, and the clocks, and asks for a move.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault>;

    /// Tells the player that its move was accepted and the opponent's clock runs, so that it may ponder. Only some protocols need
    /// this.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn wait(&mut self, _turn: &Turn) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Sends a draw offer of the opponent. Protocols without draw offers send nothing.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Sends the opponent's refusal of a draw. Only one protocol has a word for it.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn decline_draw(&mut self) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Sends what the opponent itself says about its clock. Only one protocol has that.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn opponent_clock(&mut self, _left: Duration) -> Result<(), PlayerFault> {
        Ok(())
    }

    /// Ends a game without a result, and stops a search. Protocols without a word for it send a draw.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn call_off(&mut self, _reason: &str) -> Result<(), PlayerFault> {
        self.end_game(Outcome::Draw(DrawReason::Adjudication))
    }

    /// Ends the game and stops a search. Further messages about this game are ignored.
    ///
    /// # Errors
    /// The player cannot be reached any more.
    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault>;

    /// Takes the next event, if there is one; never blocks.
    fn take(&mut self) -> Option<Arrival>;

    /// Source that is ready when the player has sent something; `None` if [`Player::take`] always answers at once. Call `take`
    /// first: it may have events of an earlier read.
    fn source(&self) -> Option<Source<'_>>;

    /// Terminates the player, by force if necessary.
    fn quit(self: Box<Self>) -> Departure;
}

/// Protocol of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// The protocol of XBoard and WinBoard.
    Cecp,
    /// The Universal Chess Interface.
    Uci,
    /// Chess Engine Game Operation, revision 1.
    Cego,
    /// The dialect of R. Hyatt's autoplayer proposal of 1998.
    Autoplayer,
}

/// Parses the usual names, case-insensitively.
impl FromStr for Protocol {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Protocol, &'static str> {
        match text.to_ascii_lowercase().as_str() {
            "cecp" | "xboard" | "winboard" => Ok(Protocol::Cecp),
            "uci" => Ok(Protocol::Uci),
            "cego" => Ok(Protocol::Cego),
            "autoplayer" => Ok(Protocol::Autoplayer),
            _ => Err("expected uci, cecp, cego or autoplayer"),
        }
    }
}

/// A game that is about to begin.
#[derive(Clone, Debug)]
pub struct NewGame {
    /// The start position with the opening moves, if any.
    pub game: Game,
    /// Side of the player.
    pub color: Color,
    /// Time control of each side.
    pub controls: ByColor<TimeControl>,
    /// Name of the opponent.
    pub opponent: String,
    /// Ratings of both sides, where known.
    pub ratings: ByColor<Option<u32>>,
    /// Whether the player may think in the opponent's time.
    pub ponder: bool,
}

impl NewGame {
    /// A game in which the player has the side on move, with a time control for both sides and nothing said of the opponent.
    pub fn new(game: Game, control: &TimeControl) -> NewGame {
        let (color, controls) = (game.turn(), ByColor::new_with(|_| control.clone()));
        let (opponent, ratings) = (String::new(), ByColor::default());
        NewGame { game, color, controls, opponent, ratings, ponder: false }
    }
}

/// The state of the game when a player has to move or begins to wait.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    /// The game so far.
    pub game: &'a Game,
    /// Clock of both sides.
    pub clock: &'a Clock,
    /// Current time.
    pub at: Instant,
}

/// What a player computes with; `None` is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capacity {
    /// Size of its hash table, in MiB.
    pub memory: Option<u64>,
    /// Number of search threads.
    pub threads: Option<u64>,
}

/// An event of a player.
#[derive(Debug)]
pub struct Arrival {
    /// Time when its last byte was read.
    pub at: Instant,
    /// The event.
    pub event: PlayerEvent,
}

/// Action or message of a player.
#[derive(Debug)]
pub enum PlayerEvent {
    /// A move, in the player's own notation; the official parses and judges it.
    Move(String),
    /// Thinking output.
    Thinking(Thinking),
    /// Thinking output on another than the best line, and its rank, from 2.
    OtherLine(u32, Thinking),
    /// A draw offer, or the acceptance of one.
    DrawOffer,
    /// A refusal of a draw offer.
    DrawRefusal,
    /// What the player itself believes to have left on its clock.
    Clock(Duration),
    /// The player resigns.
    Resignation,
    /// A claimed result, which the official checks: `1-0`, `0-1`, `1/2-1/2` or `*`.
    Claim {
        /// The result.
        result: String,
        /// The reason given; may be empty.
        reason: String,
    },
    /// A message for persons: recipient and text, as in "tells the opponent: good luck". A question gets no answer, as if the
    /// user had closed the dialogue.
    Remark(String),
    /// A message for a chess server, in the same words. A program that plays elsewhere has nobody to send it to.
    ServerMessage(String),
    /// The player rejects what it was sent, such as the opponent's move.
    Complaint(String),
    /// The player can no longer play.
    Fault(PlayerFault),
}

/// Thinking output. A value that the player didn't send is `None`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Thinking {
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Score from the player's point of view.
    pub score: Option<Score>,
    /// Nodes searched.
    pub nodes: Option<u64>,
    /// Selective depth in plies.
    pub selective_depth: Option<u32>,
    /// Nodes per second.
    pub speed: Option<u64>,
    /// Use of the hash table, in permille.
    pub hash_full: Option<u32>,
    /// Successful probes of endgame tables.
    pub tablebase_hits: Option<u64>,
    /// Time spent.
    pub time: Option<Duration>,
    /// Principal variation in the player's own notation, without control characters.
    pub line: String,
}

impl Thinking {
    /// Parses the line in the position of a game, up to the first illegal move. Move numbers are skipped, and the angle brackets
    /// in which Sjeng writes moves that it takes from its hash table.
    pub fn moves(&self, game: &Game) -> Vec<Move> {
        let mut game = game.clone();
        let words =
            self.line.split_whitespace().map(|word| word.rsplit_once('.').map_or(word, |(_, text)| text));
        let words = words.map(|word| word.trim_matches(['<', '>']));
        words.filter(|word| !word.is_empty()).map_while(|word| game.play_text(word).ok()).collect()
    }

    /// Score and depth, such as `+0.31/14`; empty without a score.
    pub fn evaluation(&self) -> String {
        match (self.score, self.depth) {
            (Some(score), Some(depth)) => format!("{score}/{depth}"),
            (Some(score), None) => score.to_string(),
            (None, _) => String::new(),
        }
    }

    /// Adds newer output; values that it lacks are kept.
    pub fn update(&mut self, news: Thinking) {
        self.depth = news.depth.or(self.depth);
        self.score = news.score.or(self.score);
        self.nodes = news.nodes.or(self.nodes);
        self.time = news.time.or(self.time);
        self.selective_depth = news.selective_depth.or(self.selective_depth);
        self.speed = news.speed.or(self.speed);
        self.hash_full = news.hash_full.or(self.hash_full);
        self.tablebase_hits = news.tablebase_hits.or(self.tablebase_hits);
        if !news.line.is_empty() {
            self.line = news.line;
        }
    }
}

/// Why a player can no longer play.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlayerFault {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(String),
    /// It did not answer this message in time.
    #[error("gave no answer to {0} in time")]
    Silence(&'static str),
    /// It ended by itself. Carries its exit status.
    #[error("ended unexpectedly ({0})")]
    Died(String),
    /// It has closed its standard input or output, as this says, and has not ended.
    #[error("has closed its standard {0}")]
    Closed(&'static str),
    /// It broke a protocol that demands to end the process then (CEGO), or sent a line without end.
    #[error("broke the protocol: {0}")]
    Malformed(String),
    /// It cannot play a game of this kind (Chess960, a set-up position).
    #[error("cannot play {0}")]
    Unsupported(String),
}

/// How a player ended.
#[derive(Clone, Debug)]
pub struct Departure {
    /// Exit status of its process; `None` if it has none.
    pub status: Option<ExitStatus>,
    /// Whether it had to be killed.
    pub killed: bool,
    /// Processor time and memory used, if known.
    pub resources: Option<Resources>,
}

/// Whether a game continues the one that a program knows, so that it is enough to send the further moves: only one to a program that
/// has moved.
pub(crate) fn continues(game: &Game, known: &Game, has_moved: bool) -> bool {
    let is_beginning = game.start_fen() == known.start_fen() && game.moves().starts_with(known.moves());
    is_beginning && (!has_moved || game.ply() == known.ply() + 1)
}

/// Finds the name under which a program offers a variant, among the names that it told.
pub(crate) fn offered_name<'a>(
    mut names: impl Iterator<Item = &'a str>,
    played: PlayedVariant,
) -> Option<&'a str> {
    names.find(|name| PlayedVariant::named(name) == Some(played))
}

/// The fault of a program that does not offer a variant. It names the variants of Herald that the program offers, or else those that
/// it told.
pub(crate) fn not_offered<'a>(names: impl Iterator<Item = &'a str>, played: PlayedVariant) -> PlayerFault {
    let told: Vec<&str> = names.collect();
    let ours = told.iter().filter_map(|name| Some(PlayedVariant::named(name)?.name()));
    let ours = ours.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ");
    let offered = match (ours.is_empty(), told.is_empty()) {
        (false, _) => ours,
        (true, false) => excerpt(&told.join(", ")),
        (true, true) => "chess only".to_owned(),
    };
    PlayerFault::Unsupported(format!("the variant {} (it offers {offered})", played.name()))
}

/// Clamps the estimates of a program to the range of Herald's own.
pub(crate) fn score(told: Score) -> Score {
    match told {
        Score::Centipawns(centipawns) => {
            Score::Centipawns(centipawns.clamp(-Score::LARGEST_ESTIMATE, Score::LARGEST_ESTIMATE))
        }
        mate => mate,
    }
}

/// A player whose program speaks over a [`Stream`].
pub(crate) trait ProtocolPlayer {
    /// Vocabulary of the protocol.
    type Vocabulary: Vocabulary;

    /// Connection to the program.
    fn stream(&mut self) -> &mut Stream<Self::Vocabulary>;

    /// Interprets a message. `None` if it is no event.
    ///
    /// # Errors
    /// The message is a fault.
    fn understand(
        &mut self,
        said: Timed<<Self::Vocabulary as Vocabulary>::Message>,
    ) -> Result<Option<PlayerEvent>, PlayerFault>;
}

/// Returns the next event. Reads at most once, so that a program that writes without end cannot block its owner. A fault is
/// reported once, as the last event.
pub(crate) fn next_arrival(listener: &mut impl ProtocolPlayer) -> Option<Arrival> {
    let mut said = listener.stream().take();
    loop {
        let (at, meaning) = match said {
            Ok(None) => return None,
            Ok(Some(said)) => (said.at, listener.understand(said)),
            Err(fault) => (Instant::now(), Err(fault)),
        };
        match meaning {
            Ok(Some(event)) => return Some(Arrival { at, event }),
            Ok(None) => said = listener.stream().take_read(),
            Err(fault) => {
                let is_news = listener.stream().expect_end();
                return is_news.then_some(Arrival { at, event: PlayerEvent::Fault(fault) });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds_of_programs() {
        let game = Game::default();
        let read = |line: &str| Thinking { line: line.into(), ..Thinking::default() }.moves(&game);
        let expected = read("e2e4 e7e5 g1f3");
        assert_eq!(expected.len(), 3);
        for line in ["1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3 <HT>", "e4 e7-e5 Nf3 Ke5", "1. ... e4 e5 Nf3"] {
            assert_eq!(read(line), expected, "{line}");
        }
        assert_eq!(read("Ke5 e4"), []);
    }
}
