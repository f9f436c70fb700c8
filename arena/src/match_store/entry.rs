//! A finished game, as the state has it.

use game::{Color, Outcome};
use serde::{Deserialize, Serialize};

use crate::schedule::Fixture;
use crate::statistics::Points;

/// A finished game, as stored in the state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameEntry {
    /// Fixture of the game.
    #[serde(flatten)]
    pub fixture: Fixture,
    /// Outcome of the game.
    #[serde(flatten)]
    pub outcome: RecordedOutcome,
    /// Details that the outcome does not contain, such as the text of an illegal move; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    /// Number of plies played, without those of the opening.
    pub plies: u32,
    /// Duration of the game, in seconds.
    pub seconds: f64,
    /// Whether the game was lost on time by no more than the lag of the referee.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub late: bool,
}

/// An outcome that is serialised as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "OutcomeText", into = "OutcomeText")]
pub struct RecordedOutcome(pub Outcome);

#[derive(Serialize, Deserialize)]
struct OutcomeText {
    result: String,
    reason: String,
}

impl From<RecordedOutcome> for OutcomeText {
    fn from(RecordedOutcome(outcome): RecordedOutcome) -> OutcomeText {
        OutcomeText { result: outcome.result().to_owned(), reason: outcome.to_string() }
    }
}

impl TryFrom<OutcomeText> for RecordedOutcome {
    type Error = String;

    fn try_from(words: OutcomeText) -> Result<RecordedOutcome, String> {
        let is_meant = |o: &Outcome| o.result() == words.result && o.to_string() == words.reason;
        let outcome = Outcome::all().find(is_meant).map(RecordedOutcome);
        outcome.ok_or_else(|| format!("`{} {}` is no outcome of a game", words.result, words.reason))
    }
}

impl GameEntry {
    /// Returns White's points.
    pub fn white_points(&self) -> Points {
        Points::of(self.outcome.0, Color::White)
    }
}
