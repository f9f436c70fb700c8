//! `herald man`: manual pages, made from the help.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use clap::{Args, Command, CommandFactory as _};
use clap_mangen::Man;

use crate::HeraldArgs;

/// Write the manual pages: herald(1) and one for each subcommand
#[derive(Args)]
#[command(after_help = "Example: herald man ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// Folder of the pages; it is made if there is none, and pages in it are replaced [default: herald(1) to standard output]
    #[arg(value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

impl ManArgs {
    pub(crate) fn run(&self) -> Result<()> {
        // The subcommand `help` needs no page.
        let mut root = HeraldArgs::command().disable_help_subcommand(true);
        root.build();
        let Some(folder) = &self.folder else {
            io::stdout().write_all(page(Man::new(root))?.as_bytes())?;
            return Ok(());
        };
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        write_pages(root, folder)
    }
}

/// Day of this version's release, as in CHANGELOG.md.
const RELEASED: &str = "2026-11-25";

/// Writes the page of a command and of all below it.
fn write_pages(command: Command, folder: &Path) -> Result<()> {
    for subcommand in command.get_subcommands() {
        write_pages(subcommand.clone(), folder)?;
    }
    let man = Man::new(command);
    let path = folder.join(man.get_filename());
    fs::write(&path, page(man)?).with_context(|| path.display().to_string())
}

/// The page as text for troff.
fn page(man: Man) -> Result<String> {
    let title = man.get_filename().trim_end_matches(".1").to_uppercase();
    let version = concat!("Herald ", env!("CARGO_PKG_VERSION"));
    let mut page = Vec::new();
    man.title(title).date(RELEASED).source(version).manual("Herald").render(&mut page)?;
    let page = String::from_utf8(page)?;
    // Below the options the help has examples. The breaks are about a blank line, which is one already.
    let page = page.replace("\n.SH EXTRA\nExample: ", "\n.SH EXAMPLE\n");
    let page = page.replace("\n.SH EXTRA\nExamples:\n", "\n.SH EXAMPLES\n");
    Ok(page.replace("\n.br\n\n.br\n", "\n\n"))
}

#[cfg(test)]
mod tests {
    use super::RELEASED;

    #[test]
    fn the_changelog_knows_this_version_and_its_day() {
        let heading = format!("\n## [{}] - {RELEASED}\n", env!("CARGO_PKG_VERSION"));
        assert!(include_str!("../CHANGELOG.md").contains(&heading), "{heading}");
    }
}
