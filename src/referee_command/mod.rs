//! `herald referee`: the referee of an EPD event.

mod console;
mod kibitzer;
mod locals;
mod options;
mod witness;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::{Context, Result, anyhow, bail};
use arena::referee::server::{ObservationEnd, Service, ServiceEnd, ServiceError, StandbyReferee};
use arena::referee::{EventState, EventStoreError, report};
use clap::Args;
use console::{Console, Desk, Recipient};
use kibitzer::Kibitzer;
use locals::LocalThreads;
use options::{EventOptions, EventPlan};
use platform::signals;

use crate::{WrongInput, settings};

const EXAMPLES: &str = "\
Examples:
  herald referee --folder open --program Herald --program \"name=Toga secret-file=toga.secret\" \\
      --program \"cmd=stockfish name=Stockfish\" --tc 60+0.6 --format round-robin --games 2
  herald referee event.toml --background --live 127.0.0.1:8080
  herald referee event.toml --listen 0.0.0.0:7676 --tls-certificate referee.pem --tls-key referee.key
  herald referee --watch 127.0.0.1:8080

A PROGRAM is a name, or a list of KEY=VALUE, with values quoted as in a shell:
  name=NAME          the name it signs on with
  secret-file=FILE   the first line of the file is the secret for the name, of at least 8 characters
  cmd=COMMAND        an engine on this machine that the referee starts; with protocol=, option.NAME= and the other keys of
                     an ENGINE of `herald match`

In a TOML file, [[program]] are tables with these keys, and flags are keys of the same name. There, secret=\"SECRET\" is possible,
too. Programs that the referee starts itself need no secret: it makes one for each.

The folder holds event.sqlite (the store; event.lock keeps other referees out, event.shown counts what was shown), games.pgn, running/ (games in play), traffic.log
(all messages) and, at the end, report.txt, report.html and report/, a page with every game that opens from a disk. The same
command resumes an event that was interrupted.";

/// Referee an event: programs connect over the network, are paired, and play
///
/// In the foreground it reads the director's commands from standard input; `help` lists them. Exit code 0: all games have been
/// played, also if the director ends the service after that.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RefereeArgs {
    /// TOML file with options; flags take precedence
    file: Option<PathBuf>,
    /// Program that may take part; repeat it for each program
    #[arg(long = "program", value_name = "PROGRAM")]
    programs: Vec<String>,
    #[command(flatten)]
    options: EventOptions,
    /// Only show the event whose page (`--live`) has this address, on this terminal; with https:// before it, over TLS
    #[arg(long, value_name = "HOST:PORT", conflicts_with_all = ["file", "programs", "background"])]
    watch: Option<String>,
    /// Read no commands from standard input
    #[arg(long)]
    background: bool,
}

impl RefereeArgs {
    pub(crate) fn run(self) -> Result<()> {
        if let Some(page) = &self.watch {
            if !self.options.is_for_watching() {
                return Err(WrongInput::of(anyhow!(
                    "--watch: nothing but --tls-authority can be combined with it"
                )));
            }
            return console::watch(page, self.options.tls_authority.as_deref());
        }
        if let Some(address) = self.options.as_witness {
            return witness::run(address, &self.options);
        }
        let plan = self.plan().map_err(WrongInput::of)?;
        let event = EventState::new(plan.event.clone(), plan.openings()?)
            .map_err(|error| WrongInput::of(anyhow!(error)))?;
        let console = Console::new();
        let (service, desk) = open(&plan, event, &console, self.background)?;
        let Some(mut service) = service else { return Ok(()) };
        announce(&plan, &mut service)?;
        let director = service.director();
        let at_signal = director.clone();
        // If the service has already ended, there is nothing to do.
        signals::at_each(&signals::ALL, move || {
            if at_signal.quit(true) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        match &desk {
            Some(desk) => desk.hand_to(Recipient::Here(director.clone())),
            None if self.background => {}
            None => drop(Desk::open(Recipient::Here(director.clone()), plan.needs_secrets())?),
        }
        let locals = LocalThreads::start(&plan, service.address, &director)?;
        service.manage(Box::new(locals.clone()));
        let kibitzer = plan.kibitzer.clone();
        let most = plan.options.kibitzer_games.map_or(2, std::num::NonZeroUsize::get);
        let kibitzer = kibitzer.map(|spec| Kibitzer::start(&mut service, spec, most)).transpose()?;
        let end = service.run(plan.options.stay, &mut |news| console.tell(news));
        locals.end();
        kibitzer.into_iter().for_each(Kibitzer::end);
        console.restore();
        let text = report::text(service.event());
        service.close();
        conclude(end.map_err(explain)?, &text)
    }

    /// Makes the plan from the file and the flags.
    fn plan(&self) -> Result<EventPlan> {
        let mut table = settings::merged(self.file.as_deref(), &self.options)?;
        let mut programs = options::take_programs(&mut table)?;
        for words in &self.programs {
            programs.push(options::program(words).with_context(|| format!("--program \"{words}\""))?);
        }
        EventPlan::new(settings::from_table(table)?, programs)
    }
}

/// Lets clients, observers and spectators come, and says where.
fn announce(plan: &EventPlan, service: &mut Service) -> Result<()> {
    console::say(&format!("refereeing {} at {}", plan.event.name, service.address));
    for text in [&plan.event.name, &plan.event.site].into_iter().filter(|text| !text.is_ascii()) {
        let sent = game::epd::operand_text(text);
        console::say(&format!("records are ASCII: the programs are told `{sent}` for `{text}`"));
    }
    for device in &plan.options.serial {
        service.attach(device, plan.options.baud.unwrap_or(9600)).map_err(explain)?;
        console::say(&format!("listening to {device}"));
    }
    if let Some(address) = plan.options.observers {
        let address = service.let_observe(address, plan.token()?, plan.shared()?).map_err(explain)?;
        console::say(&format!("observers may come to {address}"));
    }
    if let Some(address) = plan.options.live {
        let shown = service.show(address, plan.director.clone()).map_err(explain)?;
        let scheme = if plan.tls.is_some() { "https" } else { "http" };
        console::say(&format!("shown at {scheme}://{shown}/"));
    }
    Ok(())
}

/// Shows the report of an event that is complete. Otherwise the error says how it goes on.
fn conclude(end: ServiceEnd, report: &str) -> Result<()> {
    let reason = match end {
        ServiceEnd::Complete => {
            console::say(report.trim_end());
            return Ok(());
        }
        ServiceEnd::Quit => "ended early; the same command goes on with the event",
        ServiceEnd::Outdated => "another referee has taken over; to stand by for it, use --observe",
        ServiceEnd::Pause => {
            "interrupted; the programs wait for some minutes until the same command goes on with the event"
        }
    };
    bail!(reason)
}

/// Opens the service, in observer mode only after the active referee has failed; `None` if the event ended meanwhile. Orders that
/// are typed before are refused at the desk.
fn open(
    plan: &EventPlan,
    event: EventState,
    console: &Console,
    is_background: bool,
) -> Result<(Option<Service>, Option<Desk>)> {
    let (identity, witness) = (plan.identity(), plan.witness().map_err(WrongInput::of)?);
    let Some(referee) = &plan.options.observe else {
        let opened = Service::open(event, plan.options.folder(), &identity, plan.listen_config(), witness);
        return opened.map(|service| (Some(service), None)).map_err(explain);
    };
    let folder = plan.options.folder();
    let mut observer = StandbyReferee::open(event, folder, &identity, witness).map_err(explain)?;
    if observer.has_ended() && !plan.options.stay {
        end_observation(&mut observer, console)?;
        if observer.has_acted_last() && observer.is_end_told() {
            if observer.tell_end_again(&plan.peer(referee).map_err(WrongInput::of)?).map_err(explain)? {
                console::say(&format!("the referee at {referee} had an older copy; it has the end now"));
            }
            return Ok((None, None));
        }
    }
    let stop = Arc::new(AtomicBool::new(false));
    let stopping = signals::set_flag(&signals::ALL, &stop)?;
    console::say(&format!("observing {referee}"));
    let elsewhere = Recipient::Elsewhere { address: referee.clone(), stop: Arc::clone(&stop) };
    let desk = if is_background { None } else { Some(Desk::open(elsewhere, plan.needs_secrets())?) };
    let service = stand_by(plan, observer, referee, &stop, console);
    stopping.cancel();
    if !matches!(service, Ok(Some(_))) {
        console.restore();
    }
    Ok((service?, desk))
}

/// Observes the active referee; returns the service if it has failed.
fn stand_by(
    plan: &EventPlan,
    mut observer: StandbyReferee,
    referee: &str,
    stop: &AtomicBool,
    console: &Console,
) -> Result<Option<Service>> {
    let first = plan.peer(referee).map_err(WrongInput::of)?;
    let shared = plan.shared().map_err(WrongInput::of)?;
    let watch = observer.watch(&first, &shared, stop, &mut |news| console.tell(news));
    let end = match watch {
        Err(error @ ServiceError::ObservedReferee(..)) if observer.has_acted_last() => {
            console::say(&format!("! {error}"));
            console::say(
                "! this referee was the last that acted, as far as it knows; the event goes on here",
            );
            return observer.take_over(plan.listen_config()).map(Some).map_err(explain);
        }
        Err(error @ ServiceError::ObservedReferee(..)) if observer.has_ended() && !plan.options.stay => {
            console::say(&format!("{error}; nothing is left to be played"));
            return Ok(None);
        }
        watch => watch.map_err(explain)?,
    };
    match end {
        ObservationEnd::TakeOver => {
            console::say("! the referee is gone; taking over");
            observer.take_over(plan.listen_config()).map(Some).map_err(explain)
        }
        ObservationEnd::Ended => {
            console::say("the referee has ended the service");
            end_observation(&mut observer, console)?;
            if !observer.has_ended() {
                bail!("games are left; started again by their commands, both referees go on");
            }
            Ok(None)
        }
        ObservationEnd::Stopped => bail!("observing has ended early; the same command goes on with it"),
    }
}

/// Leaves the games and, at the event's end, the report in the observer's folder.
fn end_observation(observer: &mut StandbyReferee, console: &Console) -> Result<()> {
    if let Some(report) = observer.finish(&mut |news| console.tell(news)).map_err(explain)? {
        console::say("all games have been played");
        console::say(report.trim_end());
    }
    Ok(())
}

/// Distinguishes wrong arguments or files from failed work.
fn explain(error: ServiceError) -> anyhow::Error {
    let is_damage = matches!(&error, ServiceError::Store(error) if error.is_damage());
    let is_wrong_input = is_damage
        || matches!(
            &error,
            ServiceError::Network(..)
                | ServiceError::ObservedReferee(..)
                | ServiceError::Refused(..)
                | ServiceError::Line(..)
                | ServiceError::Folder { .. }
                | ServiceError::Store(EventStoreError::InUse(_) | EventStoreError::OtherEvent { .. })
        );
    if is_wrong_input { WrongInput::of(error) } else { error.into() }
}
