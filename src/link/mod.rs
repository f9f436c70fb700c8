//! `herald link`: the autoplayer interface of R. Hyatt's proposal (1998).

mod games;
mod options;
mod terminal;

use std::ffi::OsString;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, anyhow};
use clap::{Args, CommandFactory as _, FromArgMatches as _};
use platform::signals::{self, Signal};
use players::link::{self, LinkConfig, LinkPlan, LinkReport};
use players::{KeptPlayer, Log, PlayerFault, Protocol, TextLog};

use self::games::GamesFile;
use self::options::{LineArgs, LinkEngineArgs, LinkMatchArgs};
use self::terminal::Terminal;
use crate::{HeraldArgs, WrongInput, settings};

const EXAMPLES: &str = "\
Examples:
  herald link --master --port 5020 --tc 40/120/20/60 --engine herald --pgn games.pgn
  herald link --slave --host first.example --port 5020 --engine \"gnuchess --xboard\" --protocol cecp
  herald link --master --modem /dev/ttyS0 --tc 60+1 --games 10 --engine \"cmd=stockfish option.Threads=1\"
  herald link --slave --modem /dev/ttyS0 --protocol autoplayer -- herald xboard --autoplayer

An ENGINE is a command line, or with cmd= a list of KEY=VALUE as for `herald match`. Without --protocol and protocol=, it speaks
UCI. The long options are also understood with one hyphen, as in Hyatt's proposal: herald link -master -port 5020 -engine herald.
The secret is the first line of --secret-file, or the environment variable HERALD_SECRET. docs/AUTOPLAYER.md describes the protocol.";

const OTHER_PROTOCOL: &str =
    "if it speaks another protocol than UCI, say --protocol cecp, cego or autoplayer";

/// Play a match against a program at another `herald link`, over a network or a serial line, without a referee
///
/// The master waits for the slave and has the settings of the match. Both ends show the games, what both engines think, and keep
/// the games in PGN. When the line breaks, both engines keep their clocks, and the game goes on when it is there again. Ctrl-C ends
/// the match at both ends.
#[derive(Args)]
#[command(
    after_help = EXAMPLES,
    override_usage = "herald link <--master|--slave> <--engine <ENGINE>|-- <COMMAND>...> [OPTIONS]"
)]
pub(crate) struct LinkArgs {
    #[command(flatten)]
    line: LineArgs,
    #[command(flatten)]
    engine: LinkEngineArgs,
    #[command(flatten)]
    games: LinkMatchArgs,
    /// Append the games to this file
    #[arg(long, value_name = "FILE")]
    pgn: Option<std::path::PathBuf>,
    /// Append all lines of the engine and of the other end to this file
    #[arg(long, value_name = "FILE")]
    log: Option<std::path::PathBuf>,
    /// Do not show what the engines think
    #[arg(long)]
    quiet: bool,
}

impl LinkArgs {
    pub(crate) fn run(&self) -> Result<()> {
        self.line.check_role().map_err(WrongInput::of)?;
        let spec = self.engine.spec().map_err(WrongInput::of)?;
        let given = self.engine.name.clone().or_else(|| spec.name.clone());
        let given =
            given.map(|name| settings::client_name("name", &name)).transpose().map_err(WrongInput::of)?;
        let plan = self.plan().map_err(WrongInput::of)?;
        let mut games = self.pgn.as_deref().map(GamesFile::open).transpose().map_err(WrongInput::of)?;
        let place = self.line.place().map_err(WrongInput::of)?;
        let secret = self.line.secret().map_err(WrongInput::of)?;
        let log = settings::open_log(self.log.as_deref())?;
        let began = Instant::now();
        let log =
            |name: &str| log.clone().map(|file| Arc::new(TextLog::new(name, began, file)) as Arc<dyn Log>);
        let is_uci = spec.protocol == Protocol::Uci;
        let command = spec.command.clone();
        let engine = KeptPlayer::start(spec, log("engine"));
        let engine =
            engine.map_err(|fault| WrongInput::of(anyhow!("{command} {}", explain(&fault, is_uci))))?;
        let own = Some(printing_ascii(engine.name())).filter(|name| !name.is_empty());
        let name = given.or(own).unwrap_or_else(|| printing_ascii(command.file_name()));
        let terminal = Terminal::start(self.quiet)?;
        terminal.say(format!("{place}"));
        let (patience, first_patience) = self.line.patience();
        let config = LinkConfig {
            place,
            name,
            rating: self.engine.rating,
            ponder: self.engine.ponder,
            secret,
            plan,
            patience,
            first_patience,
            log: log("line"),
        };
        let leaving = Arc::new(AtomicBool::new(false));
        // The second signal ends the program without a word to the other end.
        signals::set_flag_then_exit(&leaving, 1)?;
        let others = [Signal::HangUp, Signal::Quit].into_iter().filter(|signal| !signal.is_ignored());
        signals::set_flag(&others.collect::<Vec<_>>(), &leaving)?;
        let mut report = |report: LinkReport| match report {
            LinkReport::Event(text) => terminal.say(text),
            LinkReport::Thinking(text) => terminal.say_thinking(text),
            LinkReport::Alert(text) => terminal.alert(&text),
            // Without its disk the match goes on: the other end counts on us.
            LinkReport::Game(pgn) => {
                if let Err(error) = games.as_mut().map_or(Ok(()), |games| games.append(&pgn)) {
                    terminal.alert(&format!("{error:#}; tried again with the next game"));
                }
            }
        };
        let played = link::play(engine, config, &leaving, &mut report);
        let kept = games.as_mut().map_or(Ok(()), GamesFile::finish);
        let shown = terminal.finish();
        played?;
        kept?;
        shown.context("the report cannot be written")
    }

    /// The settings of the match, if this is the master.
    fn plan(&self) -> Result<Option<LinkPlan>> {
        if !self.line.master {
            return Ok(None);
        }
        let mut openings = self.games.openings()?;
        Ok(Some(LinkPlan {
            terms: self.games.terms()?,
            opening: Box::new(move |number| openings.get(number.into()).map_err(|error| error.to_string())),
            date: Box::new(|| arena::pgn_date(SystemTime::now())),
        }))
    }
}

/// Formats the fault of a program, with a hint if it may speak another protocol.
fn explain(fault: &PlayerFault, is_uci: bool) -> String {
    match fault {
        PlayerFault::Died(_) | PlayerFault::Silence(_) if is_uci => format!("{fault}; {OTHER_PROTOCOL}"),
        _ => fault.to_string(),
    }
}

/// Gives the long options of `herald link` their second hyphen, where they are written as in the proposal (`-master`).
pub(crate) fn with_two_hyphens(arguments: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = arguments.collect();
    if arguments.get(1).is_none_or(|subcommand| subcommand != "link") {
        return arguments;
    }
    let command = HeraldArgs::command();
    let known = |name: &str| {
        let link = command.find_subcommand("link");
        link.is_some_and(|link| link.get_arguments().any(|argument| argument.get_long() == Some(name)))
    };
    // What follows `--` belongs to the engine.
    for argument in arguments.iter_mut().skip(2).take_while(|argument| *argument != "--") {
        let name = argument.to_str().and_then(|text| text.strip_prefix('-')).unwrap_or_default();
        let (name, _) = name.split_once('=').unwrap_or((name, ""));
        if name.len() > 1 && known(name) {
            let mut longer = OsString::from("-");
            longer.push(&*argument);
            *argument = longer;
        }
    }
    arguments
}

impl HeraldArgs {
    /// Reads the arguments of this process. Windows leaves it to programs to expand `*.epd`.
    pub(crate) fn read() -> Result<HeraldArgs, clap::Error> {
        let arguments = with_two_hyphens(wild::args_os());
        let mut matches = HeraldArgs::command().try_get_matches_from(arguments)?;
        HeraldArgs::from_arg_matches_mut(&mut matches)
    }
}

/// Cleans a name that an engine has for itself, as a link has only printing ASCII characters.
fn printing_ascii(name: &str) -> String {
    let is_fit = |c: &char| (c.is_ascii_graphic() || *c == ' ') && *c != '"';
    name.chars().take(100).map(|c| if is_fit(&c) { c } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(line: &str) -> String {
        let arguments = with_two_hyphens(line.split(' ').map(OsString::from));
        arguments.iter().map(|argument| argument.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_names_of_the_proposal_are_understood() {
        assert_eq!(
            converted("herald link -master -port 5020  -tc 40/120/20/60 -engine crafty"),
            "herald link --master --port 5020  --tc 40/120/20/60 --engine crafty"
        );
        assert_eq!(
            converted("herald link -slave -modem=/dev/ttyS2 --rating 5 -h -- x -port"),
            "herald link --slave --modem=/dev/ttyS2 --rating 5 -h -- x -port"
        );
        assert_eq!(converted("herald match -port 1"), "herald match -port 1");
    }
}
