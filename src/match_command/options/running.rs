//! How the games are run on this machine.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use arena::Concurrency;
use clap::Args;
use serde::{Deserialize, Serialize};

#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
#[command(next_help_heading = "Running")]
pub(in crate::match_command) struct RunningOptions {
    /// Games played at the same time, at most 1024 [default: 1]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Pin each game to its own share of the processor's cores
    #[arg(long)]
    pin: bool,
    /// Cores that games may use, for example 0-3,6 [default: all]
    #[arg(long, value_name = "LIST")]
    processors: Option<String>,
    /// Milliseconds between the pairs of games that are played in the same place [default: 0]
    #[arg(long, value_name = "MS")]
    wait: Option<u64>,
    /// Stop the match when an engine has crashed so often; a crash always loses the game [default: never stop]
    #[arg(long, value_name = "N")]
    pub(in crate::match_command) max_crashes: Option<u64>,
    /// File with the state of the match; a match is resumed if it exists
    #[arg(long, value_name = "FILE")]
    pub(in crate::match_command) state: Option<PathBuf>,
}

/// Maximum number of games at the same time: each needs a dozen threads and open files.
const MOST_AT_A_TIME: usize = 1024;

/// Largest number of a core.
const LAST_CORE: usize = 65_535;

impl RunningOptions {
    pub(in crate::match_command) fn concurrency(&self) -> Result<Concurrency> {
        let games = self.concurrency.unwrap_or(1);
        ensure!(
            (1..=MOST_AT_A_TIME).contains(&games),
            "--concurrency {games}: expected 1 to {MOST_AT_A_TIME}"
        );
        let cores = self.processors.as_deref().map(|text| {
            cores(text)
                .with_context(|| format!("--processors {text}: expected numbers of cores, as in 0-3,6"))
        });
        let pause = Duration::from_millis(self.wait.unwrap_or(0));
        Ok(Concurrency { games, pin: self.pin, cores: cores.transpose()?, pause })
    }
}

/// Parses numbers and ranges of numbers, in ascending order and without repetition.
fn cores(text: &str) -> Option<Vec<usize>> {
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|core| *core <= LAST_CORE);
    let mut cores = Vec::new();
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return None;
        }
        cores.extend(first..=last);
    }
    cores.sort_unstable();
    cores.dedup();
    Some(cores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_cores() {
        assert_eq!(cores("0-3,6"), Some(vec![0, 1, 2, 3, 6]));
        assert_eq!(cores("5, 2 ,2-3"), Some(vec![2, 3, 5]));
        for wrong in ["", "3-1", "a", "1-", "-1", "1,,2", "0-99999999999"] {
            assert_eq!(cores(wrong), None, "{wrong}");
        }
    }
}
