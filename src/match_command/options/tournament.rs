//! Who meets whom, and how often.

use anyhow::{Result, anyhow, bail, ensure};
use arena::TieBreak;
use arena::schedule::{ColourOrder, ScheduleSettings, TournamentFormat};
use clap::{Args, ValueEnum};
use game::PgnTags;
use serde::{Deserialize, Serialize};

use crate::one_of;

/// The names of [`TieBreak`].
const TIE_BREAKS: [&str; 4] = ["sonneborn-berger", "buchholz", "direct", "wins"];

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Tournament")]
pub(in crate::match_command) struct TournamentOptions {
    /// Format of the tournament; the order of the engines is their seeding [default: round-robin]
    #[arg(long, value_enum)]
    format: Option<FormatName>,
    /// Games of each encounter of two programs in a round, two with each opening; the last of an odd number is single
    /// [default: 2; with --sprt as many as it takes]
    #[arg(long)]
    games: Option<u32>,
    /// Rounds of a round robin or gauntlet [default: 1] or of a Swiss tournament [default: as many as a knockout would have]
    #[arg(long)]
    rounds: Option<u32>,
    /// In a gauntlet, the number of engines that play all the others [default: 1]
    #[arg(long)]
    challengers: Option<usize>,
    /// Play each opening once; colours alternate
    #[arg(long)]
    no_reversal: bool,
    /// Play each opening once; the engine that is named first has White in all games of an encounter
    #[arg(long, conflicts_with = "no_reversal")]
    fixed_colours: bool,
    /// What orders programs with the same score, by commas: sonneborn-berger, buchholz, direct, wins [default:
    /// sonneborn-berger]
    #[arg(long, value_parser = one_of::<TieBreak>(TIE_BREAKS), value_delimiter = ',', value_name = "LIST")]
    tie_breaks: Vec<TieBreak>,
    /// Event for the PGN
    #[arg(long)]
    event: Option<String>,
    /// Site for the PGN
    #[arg(long)]
    site: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::match_command) enum FormatName {
    #[default]
    /// Everybody meets everybody
    RoundRobin,
    /// The first engines meet all the others
    Gauntlet,
    /// Engines with about the same score meet; a bye counts as a won encounter
    Swiss,
    /// The loser is out; a tie is prolonged by two games up to five times, then the better seed advances
    Knockout,
}

/// Number of games of an SPRT if none is given: more than a test of a single Elo needs.
const GAMES_OF_AN_SPRT: u32 = 100_000;

impl TournamentOptions {
    pub(in crate::match_command) fn format(&self) -> FormatName {
        self.format.unwrap_or_default()
    }

    pub(in crate::match_command) fn schedule(
        &self,
        programs: usize,
        is_test: bool,
    ) -> Result<ScheduleSettings> {
        let format = self.format();
        if self.challengers.is_some() && format != FormatName::Gauntlet {
            bail!("--challengers is for --format gauntlet");
        }
        ensure!(
            !(self.no_reversal && self.fixed_colours),
            "--no-reversal and --fixed-colours: expected one of them"
        );
        ensure!(self.rounds != Some(0), "--rounds 0: expected at least 1");
        let games = self.games.unwrap_or(if is_test { GAMES_OF_AN_SPRT } else { 2 });
        let all_games = || {
            let games = u64::from(games) * u64::from(self.rounds.unwrap_or(1));
            u32::try_from(games).map_err(|_| anyhow!("--games {games}: more than can be played"))
        };
        let (format, games) = match format {
            FormatName::RoundRobin => (TournamentFormat::RoundRobin, all_games()?),
            FormatName::Gauntlet => {
                (TournamentFormat::Gauntlet { challengers: self.challengers.unwrap_or(1) }, all_games()?)
            }
            FormatName::Swiss => (TournamentFormat::swiss(self.rounds, programs), games),
            FormatName::Knockout if self.rounds.is_some() => bail!("--rounds is not for --format knockout"),
            FormatName::Knockout => (TournamentFormat::Knockout, games),
        };
        Ok(ScheduleSettings { programs, format, games, colours: self.colours() })
    }

    pub(in crate::match_command) fn colours(&self) -> ColourOrder {
        match (self.no_reversal, self.fixed_colours) {
            (true, _) => ColourOrder::Alternating,
            (_, true) => ColourOrder::Fixed,
            _ => ColourOrder::Pairs,
        }
    }

    pub(in crate::match_command) fn tie_breaks(&self) -> Vec<TieBreak> {
        if self.tie_breaks.is_empty() { vec![TieBreak::SonnebornBerger] } else { self.tie_breaks.clone() }
    }

    /// Returns the name of the event.
    pub(in crate::match_command) fn event(&self) -> &str {
        self.event.as_deref().unwrap_or("herald match")
    }

    /// Returns the tags of all games.
    pub(in crate::match_command) fn tags(&self) -> PgnTags {
        let mut tags = PgnTags::default();
        tags.set("Event", self.event());
        if let Some(site) = &self.site {
            tags.set("Site", site);
        }
        tags
    }

    /// Returns the place of the event.
    pub(in crate::match_command) fn site(&self) -> &str {
        self.site.as_deref().unwrap_or("?")
    }
}
