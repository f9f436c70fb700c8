//! What is played, and from which positions.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use arena::{MatchOpenings, OpeningOrder, OpeningsError};
use clap::{Args, ValueEnum};
use game::PlayedVariant;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Variant and openings")]
pub(in crate::match_command) struct OpeningOptions {
    /// What is played: chess, chess960, crazyhouse, 3check, atomic, antichess (giveaway), kingofthehill, horde or
    /// racingkings [default: chess]
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// Short for --variant chess960
    #[arg(long)]
    chess960: bool,
    /// File of openings: .epd, .fen, .pgn, or .bin (Polyglot). Without one games begin from 400 balanced positions that
    /// are part of Herald, in Chess960 from its 960 start positions, in another variant after 4 random plies
    #[arg(long, value_name = "FILE")]
    pub(in crate::match_command) openings: Option<PathBuf>,
    /// Begin each game with so many random legal plies, after which nobody can win at once
    #[arg(long, value_name = "PLIES", conflicts_with = "openings")]
    random_plies: Option<usize>,
    /// Order of the openings [default: sequential]
    #[arg(long, value_enum)]
    order: Option<OrderName>,
    /// Seed of the random order, and of random plies and books [default: 1]
    #[arg(long)]
    seed: Option<u64>,
    /// Number of the first opening of a sequential order [default: 1]
    #[arg(long, value_name = "N")]
    start: Option<usize>,
    /// Plies taken from each opening at most [default: all; 8 from a Polyglot book]
    #[arg(long)]
    plies: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum OrderName {
    Sequential,
    Random,
}

/// Most random plies of an opening: nobody needs more, and games would end in them.
const MOST_RANDOM_PLIES: usize = 40;

impl OpeningOptions {
    /// Returns what is played.
    pub(in crate::match_command) fn played(&self) -> Result<PlayedVariant> {
        match (&self.variant, self.chess960) {
            (None, false) => Ok(PlayedVariant::CHESS),
            (None, true) => Ok(PlayedVariant::CHESS960),
            (Some(_), true) => bail!("--variant and --chess960: expected one of them"),
            (Some(name), false) => PlayedVariant::named(name).with_context(|| {
                let known: Vec<&str> = PlayedVariant::all().map(PlayedVariant::name).collect();
                format!(
                    "--variant {}: the rules of this variant are not known here; expected one of {}",
                    game::excerpt(name),
                    known.join(", ")
                )
            }),
        }
    }

    /// Checks what does not need the files.
    pub(in crate::match_command) fn check(&self) -> Result<()> {
        ensure!(
            self.openings.is_none() || self.random_plies.is_none(),
            "--openings and --random-plies: expected one of them"
        );
        ensure!(self.plies != Some(0), "--plies 0: expected at least 1");
        ensure!(
            self.random_plies.is_none_or(|plies| plies <= MOST_RANDOM_PLIES),
            "--random-plies: expected at most {MOST_RANDOM_PLIES}"
        );
        Ok(())
    }

    /// Returns the openings in the chosen order.
    pub(in crate::match_command) fn read(
        &self,
        played: PlayedVariant,
    ) -> Result<MatchOpenings, OpeningsError> {
        let openings = match (&self.openings, self.random_plies) {
            (Some(path), _) => MatchOpenings::read(path, played, self.plies)?,
            (None, Some(plies)) => MatchOpenings::random(played, plies),
            (None, None) => MatchOpenings::default_of(played),
        };
        openings.ordered(match self.order {
            Some(OrderName::Random) => OpeningOrder::Random { seed: self.seed.unwrap_or(1) },
            // Openings that are drawn at random anyway take the seed in either order.
            _ => OpeningOrder::Sequential { from: self.start.or(self.drawn_seed()).unwrap_or(1) },
        })
    }

    fn drawn_seed(&self) -> Option<usize> {
        let is_listed = self.openings.is_some() || self.random_plies.is_none();
        self.seed.filter(|_| !is_listed).and_then(|seed| usize::try_from(seed).ok())
    }

    /// Returns the settings that must be the same in a resumed match.
    pub(in crate::match_command) fn identity(&self, openings: &MatchOpenings) -> Value {
        json!({
            "file": self.openings, "count": openings.count(), "order": self.order, "seed": self.seed,
            "start": self.start, "plies": self.plies, "random-plies": self.random_plies,
            "checksum": openings.checksum(),
        })
    }

    /// Returns the variant for the settings of a match; `None` for chess and Chess960.
    pub(in crate::match_command) fn identity_of_variant(played: PlayedVariant) -> Option<&'static str> {
        (played.variant != PlayedVariant::CHESS.variant).then(|| played.name())
    }
}
