//! `herald epd purge`: an operation taken out of all records.

use analysis::Purge as PurgeVerb;
use anyhow::{Result, anyhow, bail};
use clap::Args;

use super::work::{Destination, Files, Work};
use crate::WrongInput;

/// Take an operation out of all EPD records that have it (the standard's "pfop"); all the rest stays as it is
#[derive(Args)]
#[command(after_help = "Example: herald epd purge pv analysed.epd -o suite.epd")]
pub(super) struct Purge {
    /// The operation to take out
    opcode: String,
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    destination: Destination,
}

impl Purge {
    pub(super) fn run(&self) -> Result<()> {
        let verb = |name: &str| {
            PurgeVerb::new(name.to_owned(), &self.opcode).map_err(|error| anyhow!(WrongInput).context(error))
        };
        verb("")?;
        let tally = Work::new(&self.files, &self.destination)?.run(verb)?;
        if tally.errors > 0 {
            bail!("{} lines were left out", tally.errors);
        }
        Ok(())
    }
}
