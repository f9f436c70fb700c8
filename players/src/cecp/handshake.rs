//! The handshake before the first game: features and options.

use std::sync::Arc;
use std::time::{Duration, Instant};

use messages::cecp::{Command, Feature, Message, Switch};

use super::features::{self, Features};
use crate::{Cecp, Log, PlayerFault, Repair, Spec, Stream};

/// Time limit of a player's handshake after `feature done=0`, which asks to wait for any length of time.
pub(crate) const LONGEST_START: Duration = Duration::from_mins(10);

/// Time for an engine to read `xboard` before `protover` follows: GNU Chess loses input that it reads together with `xboard`.
const LONGEST_READING: Duration = Duration::from_secs(2);

/// Time for an engine to process `xboard` after reading it, which cannot be observed.
const DEALING: Duration = Duration::from_millis(20);

/// Time after which an engine that has read `protover` and is silent gets empty lines; it doubles each time, as a busy machine may
/// need seconds. A thread of GNU Chess waits for the lock of standard input, which its reader holds while there is nothing to read;
/// input read until then is lost.
const SILENCE: Duration = Duration::from_millis(300);

/// Time limit for the features of a program that is known not to end them.
const ENDLESS_FEATURES: Duration = Duration::from_secs(2);

/// Number of attempts to wake an engine. One that stays silent has no features.
const WAKINGS: u32 = 5;

/// Empty lines in one write, which make a reader release its input for a moment: on a busy machine they woke GNU Chess at the first
/// time in 20 of 20 trials, fifty lines of a write each in 1 of 12. With twenty `protover`, GNU Chess overflowed a buffer.
const WAKING_LINES: [u8; 1000] = [b'\n'; 1000];

/// Starts an engine, reads its features and sets its options. One that asks with `done=0` to be waited for has the `longest` time,
/// however often it asks.
pub(crate) fn start(
    spec: &Spec,
    log: Option<Arc<dyn Log>>,
    longest: Duration,
) -> Result<(Stream<Cecp>, Features), PlayerFault> {
    let mut stream = Stream::start(spec, log)?;
    stream.tell(Command::Xboard)?;
    stream.wait_until_read(Instant::now() + LONGEST_READING);
    std::thread::sleep(DEALING);
    let features = learn(&mut stream, longest)?;
    set_options(&mut stream, &features, spec)?;
    Ok((stream, features))
}

/// Asks for the features. An engine that sends none uses version 1 of the protocol.
fn learn(stream: &mut Stream<Cecp>, longest: Duration) -> Result<Features, PlayerFault> {
    let latest = Instant::now() + longest;
    let repairs = stream.spec.repairs.clone();
    let mut until = stream.deadline();
    if repairs.contains(&Repair::Features) {
        until = until.min(Instant::now() + ENDLESS_FEATURES);
    }
    let mut known = Features::repaired(repairs);
    stream.tell(Command::Protover(2))?;
    let mut wakings = 0;
    while known.done() != Some(true) {
        let silence = SILENCE * 2_u32.pow(wakings);
        let look = if wakings < WAKINGS { until.min(Instant::now() + silence) } else { until };
        // A program that writes without end has had its time, too.
        let said = stream.wait(look)?.filter(|said| said.at <= until);
        match said.map(|said| said.message) {
            Some(Message::Features(features)) => {
                wakings = WAKINGS;
                answer(stream, &mut known, features)?;
                if known.done() == Some(false) {
                    until = until.max(latest);
                }
            }
            // The engine doesn't know `protover`, so it sends no features.
            Some(Message::Error { command: text, .. } | Message::IllegalMove { mv: text, .. })
                if text.contains("protover") =>
            {
                break;
            }
            // Programs of every version know `xboard`.
            Some(Message::Other(text)) if is_unknown_xboard(&text) => {
                let fault = "it does not know `xboard`, so its protocol is another one, such as UCI";
                return Err(stream.fail(PlayerFault::Start(fault.to_owned())));
            }
            Some(_) => {}
            None if wakings < WAKINGS && Instant::now() < until => {
                wakings += 1;
                wake(stream, until)?;
                stream.tell(Command::Protover(2))?;
            }
            None => {
                stream.log.note("the features did not end: continuing with those received");
                break;
            }
        }
    }
    Ok(known)
}

/// Whether a line says that `xboard` is no command, as Stockfish and others do.
fn is_unknown_xboard(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    line.contains("unknown command") && line.contains("xboard")
}

/// Wakes an engine that has read its input and is silent.
fn wake(stream: &mut Stream<Cecp>, until: Instant) -> Result<(), PlayerFault> {
    stream.wait_until_read(until);
    stream.tell_bytes(&WAKING_LINES)?;
    stream.wait_until_read(until);
    std::thread::sleep(DEALING);
    Ok(())
}

fn answer(
    stream: &mut Stream<Cecp>,
    known: &mut Features,
    features: Vec<Feature>,
) -> Result<(), PlayerFault> {
    let answers = features.into_iter().map(|feature| {
        let name = features::name(&feature);
        if known.learn(feature) { Command::Accepted(name) } else { Command::Rejected(name) }
    });
    let answers: Vec<Command> = answers.collect();
    if stream.spec.repairs.contains(&Repair::KnownCommands) { Ok(()) } else { stream.tell_all(answers) }
}

fn set_options(stream: &mut Stream<Cecp>, features: &Features, spec: &Spec) -> Result<(), PlayerFault> {
    for (name, value) in &spec.options {
        let value = features.setting(name, value).map_err(|fault| stream.fail(fault))?;
        stream.tell(Command::Option { name: name.clone(), value })?;
    }
    let limits =
        [(Switch::Memory, spec.memory.map(Command::Memory)), (Switch::Smp, spec.threads.map(Command::Cores))];
    for (switch, command) in limits {
        match command {
            Some(command) if features.has(switch) => stream.tell(command)?,
            Some(command) => stream.log.note(&format!("the engine does not accept: {command}")),
            None => {}
        }
    }
    stream.tell_all(&spec.init)
}
