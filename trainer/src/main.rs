//! Herald's trainer: it makes games of self-play and tunes the evaluation on their results. Never part of the playing
//! program.

mod games;
mod random;
mod record;
mod selfplay;
mod tune;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Makes Herald's knowledge out of its own games
#[derive(Parser)]
#[command(version, after_help = "Example: herald-trainer games data/games.txt --count 1000")]
struct Arguments {
    #[command(subcommand)]
    subcommand: Subcommands,
}

#[derive(Subcommand)]
enum Subcommands {
    Games(games::Games),
    Tune(tune::Tune),
}

fn main() -> ExitCode {
    let done = match Arguments::parse().subcommand {
        Subcommands::Games(games) => games.run(),
        Subcommands::Tune(tune) => tune.run(),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("herald-trainer: {error:#}");
            ExitCode::FAILURE
        }
    }
}
