//! The base of every session: an engine, and one queue of events. Input lines and the engine's reports arrive in it in
//! order. One thread reads, one thinks, and the session's own thread writes.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::{Duration, Instant};

use engine::{Engine, Limits, Purpose, SearchTask, Setting, Settings, SettingsFile, TaskId, Thought};
use game::Game;
use messages::OptionKind;
use messages::input::{Input, LineReader};

/// An event that a session must handle.
#[derive(Clone, Debug)]
pub enum Event {
    /// A line of input.
    Input(Input),
    /// A report of the engine about its latest task.
    Thought(TaskId, Thought),
}

/// An engine and its queue of events.
pub struct Host {
    /// The engine.
    pub engine: Engine,
    /// Problems with the saved settings, one line each, for sessions that can show them to the user.
    pub settings_problems: Vec<String>,
    settings_file: Option<SettingsFile>,
    events: Receiver<Event>,
    sender: Sender<Event>,
    unread: VecDeque<Event>,
}

impl Host {
    /// Starts an engine and a thread that reads `lines`.
    ///
    /// # Errors
    /// If the engine or the thread can't be started.
    pub fn start(lines: LineReader<impl Read + Send + 'static>) -> io::Result<Host> {
        let host = Host::silent()?;
        host.attach(lines)?;
        Ok(host)
    }

    /// Starts an engine without input.
    ///
    /// # Errors
    /// If the engine can't be started.
    pub fn silent() -> io::Result<Host> {
        let (sender, events) = mpsc::channel();
        let thoughts = sender.clone();
        let engine = Engine::new(move |id, thought| {
            // Fails only when the session has ended; the report is then of no use.
            let _ = thoughts.send(Event::Thought(id, thought));
        })?;
        let (settings_problems, unread) = (Vec::new(), VecDeque::new());
        Ok(Host { engine, settings_problems, settings_file: None, events, sender, unread })
    }

    /// Starts a thread that reads `lines`. A second call attaches the next connection after the first has ended.
    ///
    /// # Errors
    /// If the thread can't be started.
    pub fn attach(&self, lines: LineReader<impl Read + Send + 'static>) -> io::Result<()> {
        read_lines("reading", lines, self.sender.clone(), Event::Input)
    }

    /// Starts to think about a game within `limits`; the previous task is abandoned.
    pub fn think(&mut self, game: &Game, purpose: Purpose, limits: Limits) {
        let clock = Arc::new(Instant::now());
        self.engine.think(game, SearchTask { purpose, limits, allowed: None, clock });
    }

    /// Applies the saved settings to the engine and makes `file` the one that settings are saved in. Returns a line
    /// for each value that can't be used; those settings keep their defaults.
    pub fn use_settings(&mut self, file: SettingsFile) -> &[String] {
        self.settings_problems = match file.load() {
            Ok(settings) => self.engine.adopt(&settings).iter().map(ToString::to_string).collect(),
            Err(fault) => vec![fault.to_string()],
        };
        self.settings_file = Some(file);
        &self.settings_problems
    }

    /// Saves the engine's settings and returns the path of the file.
    ///
    /// # Errors
    /// If there is no settings file, or if it can't be written; the text says which.
    pub fn save_settings(&self) -> Result<&Path, String> {
        let file = self.settings_file.as_ref().ok_or("no settings file is in use")?;
        file.save(self.engine.settings()).map_err(|fault| fault.to_string())?;
        Ok(file.path())
    }

    /// Returns whether [`Host::save_settings`] would change the file; false if there is no file.
    pub fn would_change_saved_settings(&self) -> bool {
        // Saving replaces a damaged file with a valid one.
        let differs =
            |file: &SettingsFile| file.load().map_or(true, |saved| saved != *self.engine.settings());
        self.settings_file.as_ref().is_some_and(differs)
    }

    /// Waits for the next event.
    pub fn next_event(&mut self) -> Event {
        // The channel never closes, because `self` keeps a sender for the next connection.
        self.receive(|events| events.recv().ok()).unwrap_or(Event::Input(Input::End))
    }

    /// Returns the next event if one arrives within `time`.
    pub fn event_within(&mut self, time: Duration) -> Option<Event> {
        self.receive(|events| events.recv_timeout(time).ok())
    }

    fn receive(&mut self, next: impl Fn(&Receiver<Event>) -> Option<Event>) -> Option<Event> {
        loop {
            let event = self.unread.pop_front().or_else(|| next(&self.events))?;
            // Drops reports of an abandoned task.
            if !matches!(event, Event::Thought(id, _) if !self.engine.is_current(id)) {
                return Some(event);
            }
        }
    }

    /// Puts events back at the head of the queue, in this order.
    pub fn unread(&mut self, events: impl DoubleEndedIterator<Item = Event>) {
        events.rev().for_each(|event| self.unread.push_front(event));
    }
}

/// Starts a thread that reads lines up to the end of the input and sends each as an event.
pub(crate) fn read_lines<E: Send + 'static>(
    name: &str,
    mut lines: LineReader<impl Read + Send + 'static>,
    events: Sender<E>,
    event: fn(Input) -> E,
) -> io::Result<()> {
    std::thread::Builder::new().name(name.to_owned()).spawn(move || {
        loop {
            let input = lines.read();
            let ended = input == Input::End;
            if events.send(event(input)).is_err() || ended {
                return;
            }
        }
    })?;
    Ok(())
}

/// Converts a setting to an option that a GUI can show.
pub(crate) fn option_kind(setting: Setting, settings: &Settings) -> OptionKind {
    match setting {
        Setting::Number(setting) => {
            let (min, max) = setting.range().into_inner();
            OptionKind::Spin { value: settings.get(setting), min, max }
        }
        Setting::Switch(setting) => OptionKind::Check(settings.is_on(setting)),
        Setting::Path(setting) => OptionKind::Text(settings.path(setting).to_owned()),
    }
}
