//! What a program under check was told and what it said, and a shell script that says it again.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use messages::cecp::{self, Feature};
use messages::uci;
use players::{CommandLine, Log, LogEntry, Protocol, Speaker};
use serde::Serialize;

/// Most lines of a dialogue that are kept; a program may write without end.
const KEPT: usize = 20_000;

/// Number of lines of a program, one after the other, above which the middle is not shown; and those shown at either end.
const LONG_SPEECH: usize = 24;
const ENDS_OF_SPEECH: usize = 8;

/// A line of a dialogue.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct DialogueLine {
    /// Seconds since the beginning of the rule.
    #[serde(rename = "seconds", serialize_with = "as_seconds")]
    at: Duration,
    /// Number of the process that said it or to which it was said: some rules need several.
    process: usize,
    #[serde(rename = "sign", serialize_with = "as_sign")]
    speaker: Speaker,
    text: String,
}

/// The sign of an author, as in the log.
fn sign(author: Speaker) -> char {
    match author {
        Speaker::Us => '<',
        Speaker::Program => '>',
        Speaker::StandardError => '!',
        Speaker::Note => '#',
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn as_sign<S: serde::Serializer>(author: &Speaker, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_char(sign(*author))
}

fn as_seconds<S: serde::Serializer>(at: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(at.as_micros() as f64 / 1e6)
}

/// Listens to the check of a rule: looks for the program's name, and keeps the dialogue if that is wanted.
pub(super) struct Witness {
    began: Instant,
    protocol: Protocol,
    /// The program's name, as the first rule hears it.
    name: Arc<OnceLock<String>>,
    dialogue: Option<Mutex<Vec<DialogueLine>>>,
}

impl Witness {
    pub(super) fn new(protocol: Protocol, name: Arc<OnceLock<String>>, keeps_dialogue: bool) -> Witness {
        Witness { began: Instant::now(), protocol, name, dialogue: keeps_dialogue.then(Mutex::default) }
    }

    /// Takes the lines that were heard so far; `None` if none are kept.
    pub(super) fn take_dialogue(&self) -> Option<Vec<DialogueLine>> {
        let lines = self.dialogue.as_ref()?;
        Some(std::mem::take(&mut *lines.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// Listens to one process of a rule.
pub(super) struct ProcessWitness {
    pub(super) of: Arc<Witness>,
    /// Number of the process, from 0.
    pub(super) process: usize,
    pub(super) next: Option<Arc<dyn Log>>,
}

impl Log for ProcessWitness {
    fn record(&self, entry: &LogEntry) {
        if let Some(next) = &self.next {
            next.record(entry);
        }
        let Witness { began, protocol, name, dialogue } = &*self.of;
        if entry.speaker == Speaker::Program
            && name.get().is_none()
            && let Some(told) = told_name(*protocol, entry.text)
        {
            // Another rule may have been faster.
            let _ = name.set(told);
        }
        if let Some(lines) = dialogue {
            let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
            if lines.len() < KEPT {
                lines.push(DialogueLine {
                    at: entry.at.saturating_duration_since(*began),
                    process: self.process,
                    speaker: entry.speaker,
                    text: entry.text.to_owned(),
                });
            }
        }
    }
}

/// Returns the program's name and version if this line tells them.
fn told_name(protocol: Protocol, line: &str) -> Option<String> {
    let name = match protocol {
        Protocol::Uci => match line.parse() {
            Ok(uci::Message::Name(name)) => name,
            _ => return None,
        },
        Protocol::Cecp => match cecp::Message::parse(line) {
            cecp::Message::Features(features) => features.into_iter().find_map(|feature| match feature {
                Feature::MyName(name) => Some(name),
                _ => None,
            })?,
            _ => return None,
        },
        Protocol::Cego | Protocol::Autoplayer => return None,
    };
    let name = game::excerpt(&name);
    (!name.is_empty()).then_some(name)
}

/// Formats a dialogue for people: seconds, the number of the process if there are several, a sign, the line.
pub(super) fn shown(dialogue: &[DialogueLine]) -> String {
    let mut text = String::new();
    let are_several = dialogue.iter().any(|line| line.process > 0);
    for speech in dialogue.chunk_by(|one, other| (one.speaker, one.process) == (other.speaker, other.process))
    {
        let is_long = speech[0].speaker != Speaker::Us && speech.len() > LONG_SPEECH;
        let (begin, end) = if is_long {
            (ENDS_OF_SPEECH, speech.len() - ENDS_OF_SPEECH)
        } else {
            (speech.len(), speech.len())
        };
        speech[..begin].iter().for_each(|line| line.show(are_several, &mut text));
        if is_long {
            let _ = writeln!(text, "           ... {} more lines ...", end - begin);
        }
        speech[end..].iter().for_each(|line| line.show(are_several, &mut text));
    }
    text
}

impl DialogueLine {
    fn show(&self, names_process: bool, to: &mut String) {
        let _ = write!(to, "{:10.3} ", self.at.as_secs_f64());
        if names_process {
            let _ = write!(to, "{} ", self.process + 1);
        }
        let _ = write!(to, "{} ", sign(self.speaker));
        for c in self.text.chars() {
            if c.is_control() && c != '\t' { to.extend(c.escape_default()) } else { to.push(c) }
        }
        to.push('\n');
    }
}

/// Returns a shell script that tells a program the same lines with the same pauses.
///
/// A program that was started several times is started as often, one process after the other. Signals stay remarks: whoever repeats
/// the rule sends them.
pub(super) fn script(label: &str, command: &CommandLine, dialogue: &[DialogueLine]) -> String {
    let mut script = format!("#!/bin/sh\n# The rule {label} by hand.\n");
    let processes = dialogue.iter().map(|line| line.process + 1).max().unwrap_or_default();
    for process in 0..processes {
        let run: Vec<_> = dialogue.iter().filter(|line| line.process == process).collect();
        let Some((first, last)) = run.first().zip(run.last()) else { continue };
        script.push_str("{\n");
        let mut now = first.at;
        let mut pause = |script: &mut String, until: Duration| {
            let millis = until.saturating_sub(now).as_millis();
            now = until;
            if millis > 0 {
                let _ = writeln!(script, "  sleep {}.{:03}", millis / 1000, millis % 1000);
            }
        };
        for told in run.chunk_by(|one, next| (one.speaker, one.at) == (next.speaker, next.at)) {
            match told[0].speaker {
                Speaker::Us => {
                    pause(&mut script, told[0].at);
                    let lines: String = told.iter().map(|line| format_of_printf(&line.text)).collect();
                    let _ = writeln!(script, "  printf '{lines}'");
                }
                Speaker::Note if is_signal(&told[0].text) => {
                    pause(&mut script, told[0].at);
                    let _ = writeln!(script, "  # now: {}", told[0].text);
                }
                _ => {}
            }
        }
        pause(&mut script, last.at);
        let _ = writeln!(script, "}} | {command}");
    }
    script
}

fn is_signal(note: &str) -> bool {
    ["interrupted", "stopped", "continued"].contains(&note) || note.starts_with("sent SIG")
}

/// Writes a line as a format of `printf` between single quotation marks.
fn format_of_printf(line: &str) -> String {
    let mut format = String::with_capacity(line.len() + 2);
    for c in line.chars() {
        match c {
            '\'' => format.push_str("'\\''"),
            '\\' => format.push_str("\\\\"),
            '%' => format.push_str("%%"),
            c if c.is_ascii_control() => {
                let _ = write!(format, "\\{:03o}", u32::from(c));
            }
            c => format.push(c),
        }
    }
    format + "\\n"
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn line(millis: u64, process: usize, speaker: Speaker, text: &str) -> DialogueLine {
        DialogueLine { at: Duration::from_millis(millis), process, speaker, text: text.into() }
    }

    #[test]
    fn names_are_heard() {
        assert_eq!(told_name(Protocol::Uci, "id name Old One 1.2"), Some("Old One 1.2".into()));
        assert_eq!(told_name(Protocol::Uci, "id author Somebody"), None);
        assert_eq!(told_name(Protocol::Cecp, "feature ping=1 myname=\"Old\u{7} 2\""), Some("Old? 2".into()));
        assert_eq!(told_name(Protocol::Cecp, "feature done=1"), None);
        assert_eq!(told_name(Protocol::Cego, "ready"), None);
    }

    /// A shell runs the script: the program gets every byte, each time it is started.
    #[test]
    fn the_script_says_it_again() {
        let command = CommandLine::from_words(["cat", "-"].map(str::to_owned)).unwrap();
        let odd = "it's 100 % \\n \u{e9}\t\"$HOME\" `id`\r";
        let dialogue = [
            line(1, 0, Speaker::Note, "starting cat -"),
            line(2, 0, Speaker::Us, "uci"),
            line(2, 0, Speaker::Us, odd),
            line(3, 0, Speaker::Program, "uciok"),
            line(20, 1, Speaker::Note, "starting cat -"),
            line(21, 1, Speaker::Us, "isready"),
            line(30, 0, Speaker::Note, "sent SIGTERM"),
            line(41, 1, Speaker::Us, "quit"),
        ];
        assert!(shown(&dialogue).contains("\n     0.021 2 < isready\n     0.030 1 # sent SIGTERM\n"));
        let script = script("stop", &command, &dialogue);
        assert!(script.contains("  sleep 0.028\n  # now: sent SIGTERM\n"), "{script}");
        assert_eq!(script.matches("} | cat -\n").count(), 2);
        let said = Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8(said.stdout).unwrap(), format!("uci\n{odd}\nisready\nquit\n"));
    }

    #[test]
    fn long_speeches_are_shortened() {
        let mut dialogue = vec![line(0, 0, Speaker::Us, "go\u{1b}")];
        dialogue.extend((0..100).map(|n| line(n, 0, Speaker::Program, "info")));
        let shown = shown(&dialogue);
        assert!(shown.starts_with("     0.000 < go\\u{1b}\n     0.000 > info\n"), "{shown}");
        assert!(shown.contains("... 84 more lines ..."), "{shown}");
        assert_eq!(shown.lines().count(), 1 + 2 * ENDS_OF_SPEECH + 1);
    }
}
