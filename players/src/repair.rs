//! Repairs: what `herald mend` can do for a program with known faults, and the recipe that says which of them one needs.
//!
//! `herald check --recipe` derives a recipe from the verdicts, `herald mend` follows it.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::Protocol;
use crate::check::{RuleReport, RuleVerdict};

/// A repair of a program's conversation with its GUI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Answers to `ping` are missing, late or out of order: they are given in the program's place.
    Ping,
    /// The program moves after `force`, `new` or `result`: such moves are dropped.
    Force,
    /// The program doesn't refuse illegal moves as it should: they are refused in its place, and it never sees them.
    IllegalMove,
    /// The program loses lines when several come in one read: it is sent one at a time.
    OneLineARead,
    /// The program doesn't read `?` while it thinks, so `st` can't be rounded up: it is rounded down, or becomes a clock.
    WholeSeconds,
    /// The program writes mates in a form of its own: they become 100000 plus the number of moves.
    MateScores,
    /// The program plays badly without `time` and `otim`, or ignores `st` or `sd`: it is sent clocks.
    TimeCommands,
    /// `undo` or `remove` leave the program in another position: the position is set up anew.
    Undo,
    /// The program doesn't take positions by `setboard`: it is sent `edit`, or moves.
    #[serde(rename = "setboard")]
    SetBoard,
    /// The program's features come late, oddly or never: they are told in its place.
    Features,
    /// The program claims wrong results: its claims are dropped.
    Claims,
    /// The program stumbles over commands that it doesn't know: it is sent none.
    KnownCommands,
    /// The program doesn't end when it is told to: it is killed.
    Quit,
}

impl Repair {
    /// All repairs, in the order in which a recipe names them.
    pub const ALL: [Repair; 13] = [
        Repair::Ping,
        Repair::Force,
        Repair::IllegalMove,
        Repair::OneLineARead,
        Repair::WholeSeconds,
        Repair::MateScores,
        Repair::TimeCommands,
        Repair::Undo,
        Repair::SetBoard,
        Repair::Features,
        Repair::Claims,
        Repair::KnownCommands,
        Repair::Quit,
    ];

    /// Name in recipes and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Repair::Ping => "ping",
            Repair::Force => "force",
            Repair::IllegalMove => "illegal-move",
            Repair::OneLineARead => "one-line-a-read",
            Repair::WholeSeconds => "whole-seconds",
            Repair::MateScores => "mate-scores",
            Repair::TimeCommands => "time-commands",
            Repair::Undo => "undo",
            Repair::SetBoard => "setboard",
            Repair::Features => "features",
            Repair::Claims => "claims",
            Repair::KnownCommands => "known-commands",
            Repair::Quit => "quit",
        }
    }
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// There is no repair of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no repair `{0}`: expected one of {names}", names = Repair::ALL.map(Repair::name).join(", "))]
pub struct UnknownRepair(String);

impl FromStr for Repair {
    type Err = UnknownRepair;

    fn from_str(text: &str) -> Result<Repair, UnknownRepair> {
        let known = Repair::ALL.into_iter().find(|repair| repair.name() == text);
        known.ok_or_else(|| UnknownRepair(text.to_owned()))
    }
}

/// The repairs that a program needs. Example in TOML:
///
/// ```toml
/// program = "GNU Chess 6.2.9"
/// protocol = "cecp"
/// repairs = ["ping", "one-line-a-read"]
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recipe {
    /// Name of the program, as it tells it; for people.
    #[serde(default)]
    pub program: String,
    /// Protocol of the program.
    pub protocol: Protocol,
    /// What to repair, each once, in the order of [`Repair::ALL`].
    #[serde(default)]
    pub repairs: Vec<Repair>,
}

impl Recipe {
    /// Derives what to repair from the verdicts on a program. Rules that were not checked count as kept.
    pub fn of_verdicts(
        protocol: Protocol,
        program: impl Into<String>,
        verdicts: &[impl Borrow<RuleReport>],
    ) -> Recipe {
        let mut repairs: Vec<Repair> =
            verdicts.iter().filter_map(|verdict| needed(protocol, verdict.borrow())).collect();
        repairs.sort_unstable();
        repairs.dedup();
        Recipe { program: program.into(), protocol, repairs }
    }
}

/// The repair that a verdict asks for. Forms that a specification leaves open count, too, where they are not supported.
fn needed(protocol: Protocol, report: &RuleReport) -> Option<Repair> {
    let cures = match protocol {
        Protocol::Cecp => CECP_CURES,
        Protocol::Uci => UCI_CURES,
        Protocol::Cego | Protocol::Autoplayer => &[],
    };
    let (repair, _) = cures.iter().find(|(_, rules)| rules.contains(&report.rule))?;
    let is_needed = match report.verdict {
        RuleVerdict::Fail { .. } => true,
        RuleVerdict::NotSupported { .. } => {
            matches!(repair, Repair::WholeSeconds | Repair::MateScores | Repair::SetBoard)
        }
        RuleVerdict::Pass | RuleVerdict::NotSeen { .. } => false,
    };
    is_needed.then_some(*repair)
}

/// The repairs for the rules of CECP.
const CECP_CURES: &[(Repair, &[&str])] = &[
    (Repair::Ping, &["ping", "ping-thinking", "ping-pondering", "ping-analysing"]),
    (
        Repair::Force,
        &[
            "force-silent",
            "new-silent",
            "ponder-silent",
            "reads-thinking",
            "result",
            "result-pondering",
            "result-analysing",
        ],
    ),
    (Repair::IllegalMove, &["illegal-move"]),
    (Repair::OneLineARead, &["one-read"]),
    (Repair::WholeSeconds, &["move-now"]),
    (Repair::MateScores, &["mate-score", "mated-score"]),
    (Repair::TimeCommands, &["st", "st-0", "sd", "sd-with-time", "own-clock", "time-odd", "level-decimal"]),
    (Repair::Undo, &["undo", "undo-nothing", "remove"]),
    (Repair::SetBoard, &["setboard"]),
    (Repair::Features, &["accepted", "option-names"]),
    (Repair::Claims, &["mates", "is-mated", "is-stalemated", "claims-repetition", "claims-fifty"]),
    (
        Repair::KnownCommands,
        &["unknown-command", "computer", "rating", "random", "egtpath", "variant-unknown"],
    ),
    (Repair::Quit, &["quit-thinking", "quit-analysing", "end-of-input", "sigterm"]),
];

/// The repairs for the rules of UCI.
const UCI_CURES: &[(Repair, &[&str])] = &[
    (Repair::IllegalMove, &["position-illegal"]),
    (Repair::OneLineARead, &["one-read"]),
    (Repair::MateScores, &["mate-score", "mated-score"]),
    (Repair::KnownCommands, &["unknown-command", "option-unknown"]),
    (Repair::Quit, &["quit", "end-of-input"]),
];

#[cfg(test)]
mod tests {
    use crate::check::{Level, rules};

    use super::*;

    #[test]
    fn names_are_read_back() {
        for repair in Repair::ALL {
            assert_eq!(repair.name().parse(), Ok(repair));
            assert_eq!(serde_json::to_string(&repair).unwrap(), format!("\"{repair}\""));
        }
        assert!("pings".parse::<Repair>().unwrap_err().to_string().ends_with("known-commands, quit"));
    }

    #[test]
    fn a_recipe_in_toml() {
        let text = "# Made by hand.\nprogram = \"Old \\\"One\\\"\"\nprotocol = \"uci\"\nrepairs = [\"setboard\", \"quit\"]\n";
        let recipe: Recipe = toml::from_str(text).unwrap();
        assert_eq!(recipe.repairs, [Repair::SetBoard, Repair::Quit]);
        assert_eq!(recipe.program, "Old \"One\"");
        assert!(toml::from_str::<Recipe>("protocol = \"cecp\"\nrepairs = [\"all\"]").is_err());
    }

    fn verdict(rule: &'static str, verdict: RuleVerdict) -> RuleReport {
        RuleReport { rule, duty: "", section: "", level: Level::Must, verdict }
    }

    #[test]
    fn faults_become_repairs_each_once_and_in_order() {
        let fail = || RuleVerdict::Fail { expected: String::new(), seen: String::new() };
        let lacking = || RuleVerdict::NotSupported { reason: String::new() };
        let verdicts = [
            verdict("quit-thinking", fail()),
            verdict("ping-thinking", fail()),
            verdict("ping", fail()),
            verdict("undo", RuleVerdict::Pass),
            verdict("illegal-move", lacking()),
            verdict("setboard", lacking()),
            verdict("hint", fail()),
        ];
        let recipe = Recipe::of_verdicts(Protocol::Cecp, "Old One", &verdicts);
        assert_eq!(recipe.repairs, [Repair::Ping, Repair::SetBoard, Repair::Quit]);
        let text = toml::to_string(&recipe).unwrap();
        assert_eq!(toml::from_str::<Recipe>(&text).unwrap(), recipe, "{text}");
    }

    #[test]
    fn cures_are_for_rules_that_exist() {
        for (protocol, cures) in [(Protocol::Cecp, CECP_CURES), (Protocol::Uci, UCI_CURES)] {
            let known: Vec<&str> = rules(protocol).iter().map(|rule| rule.label).collect();
            let unknown: Vec<_> =
                cures.iter().flat_map(|(_, rules)| *rules).filter(|rule| !known.contains(rule)).collect();
            assert!(unknown.is_empty(), "{unknown:?}");
        }
    }
}
