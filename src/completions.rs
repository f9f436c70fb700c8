//! `herald completions`: scripts with which shells complete subcommands and options.

use std::io::{self, Write as _};

use anyhow::Result;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use crate::HeraldArgs;

/// Write the script with which a shell completes Herald's subcommands and options
#[derive(Args)]
#[command(
    after_help = "Example: herald completions bash > ~/.local/share/bash-completion/completions/herald"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

impl CompletionsArgs {
    pub(crate) fn run(&self) -> Result<()> {
        let mut command = HeraldArgs::command();
        let name = command.get_name().to_owned();
        // `generate` panics if it can't write.
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        io::stdout().write_all(&script)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory as _};

    use crate::HeraldArgs;

    /// `clap_complete` writes the help of possible values between quotation marks for fish, and does not escape it.
    #[test]
    fn the_help_of_values_can_be_quoted() {
        fn check(command: &Command) {
            for value in command.get_arguments().flat_map(clap::Arg::get_possible_values) {
                let help = value.get_help().map(ToString::to_string).unwrap_or_default();
                assert!(!help.contains(['"', '$', '\n']), "{}: {help}", command.get_name());
            }
            command.get_subcommands().for_each(check);
        }
        let mut root = HeraldArgs::command();
        root.build();
        check(&root);
    }
}
