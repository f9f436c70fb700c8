//! `herald epd purge`: an operation removed from all records.

use analysis::{Purge, Verb};
use anyhow::{Result, bail};
use clap::Args;

use super::work::{InputArgs, OutputArgs, Work};
use crate::WrongInput;

/// Remove an operation from all EPD records (the standard's "pfop"); the rest stays as it is
#[derive(Args)]
#[command(after_help = "Example: herald epd purge pv analysed.epd -o suite.epd")]
pub(crate) struct PurgeArgs {
    /// The operation to remove
    opcode: String,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl PurgeArgs {
    pub(super) fn run(&self) -> Result<()> {
        let purge = Purge::new(&self.opcode).map_err(WrongInput::of)?;
        let counts = Work::new(&self.input, &self.output)?.run(&Verb::quick(purge))?;
        if counts.errors > 0 {
            bail!("{} lines were left out", counts.errors);
        }
        Ok(())
    }
}
