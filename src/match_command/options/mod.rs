//! The options of a match by subject, from flags or a TOML file. Their names are those of the flags and of the keys.

mod adjudication;
mod openings;
mod output;
mod running;
mod test;
mod tournament;

use std::path::Path;

use anyhow::{Error, Result, bail, ensure};
use arena::schedule::Schedule;
use clap::Args;
use platform::find_named_twice;
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::Table;

use crate::settings;

pub(super) use adjudication::AdjudicationOptions;
pub(super) use openings::OpeningOptions;
pub(super) use output::{EngineLogs, OutputOptions};
pub(super) use running::RunningOptions;
pub(super) use test::TestOptions;
pub(super) use tournament::TournamentOptions;

/// The options of a match.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct MatchOptions {
    #[command(flatten)]
    pub(super) tournament: TournamentOptions,
    #[command(flatten)]
    pub(super) openings: OpeningOptions,
    #[command(flatten)]
    pub(super) test: TestOptions,
    #[command(flatten)]
    pub(super) adjudication: AdjudicationOptions,
    #[command(flatten)]
    pub(super) running: RunningOptions,
    #[command(flatten)]
    pub(super) output: OutputOptions,
}

impl MatchOptions {
    /// Returns the flags that were given, by the names of their keys.
    pub(super) fn given(&self) -> Result<Table> {
        let mut table = settings::given(&self.tournament)?;
        table.extend(settings::given(&self.openings)?);
        table.extend(settings::given(&self.test)?);
        table.extend(settings::given(&self.adjudication)?);
        table.extend(settings::given(&self.running)?);
        table.extend(settings::given(&self.output)?);
        Ok(table)
    }

    /// Reads the options from their keys.
    pub(super) fn from_table(mut table: Table) -> Result<MatchOptions> {
        let options = MatchOptions {
            tournament: take(&mut table)?,
            openings: take(&mut table)?,
            test: take(&mut table)?,
            adjudication: take(&mut table)?,
            running: take(&mut table)?,
            output: take(&mut table)?,
        };
        match table.keys().next() {
            None => Ok(options),
            Some(key) => {
                bail!(
                    "unknown key `{key}`: expected the name of a flag, engine or each (see herald match --help)"
                )
            }
        }
    }

    /// Checks what can be checked without engines and endgame tables, for so many engines.
    pub(super) fn check(&self, engines: usize) -> Result<()> {
        self.running.concurrency()?;
        self.adjudication.by_scores()?;
        self.output.fields()?;
        self.openings.played()?;
        self.openings.check()?;
        let schedule = self.tournament.schedule(engines, self.test.sprt.is_some())?;
        Schedule::new(schedule).map_err(Error::msg)?;
        let is_tested = self.test.sprt(schedule.colours)?.is_some();
        ensure!(!is_tested || engines == 2, "an SPRT with {engines} programs: expected 2");
        Ok(())
    }

    /// Refuses a file that has two roles, as games that are appended to the openings.
    pub(super) fn check_files(&self, settings: Option<&Path>) -> Result<()> {
        let roles = [
            ("the settings", settings),
            ("--openings", self.openings.openings.as_deref()),
            ("--pgn", self.output.pgn.as_deref()),
            ("--epd", self.output.epd.as_deref()),
            ("--state", self.running.state.as_deref()),
            ("--log", self.output.log.as_deref()),
        ];
        for (role, path) in roles {
            ensure!(
                path.is_none_or(|path| !path.as_os_str().is_empty()),
                "{role} \"\": expected the name of a file"
            );
        }
        let files = roles.into_iter().filter_map(|(role, path)| Some((role, path?)));
        if let Some((one, other)) = find_named_twice(files) {
            bail!("{one} and {other} name the same file: expected one for each");
        }
        Ok(())
    }
}

/// Takes the options of a group out of a table.
fn take<T: Args + DeserializeOwned + Serialize>(table: &mut Table) -> Result<T> {
    let group = T::augment_args(clap::Command::new("group"));
    let keys = group.get_arguments().map(|flag| flag.get_id().as_str().replace('_', "-"));
    settings::from_table(keys.filter_map(|key| table.remove(&key).map(|value| (key, value))).collect())
}
