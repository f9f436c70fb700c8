//! The engine as the protocols see it: it thinks about a [`Game`] on a thread of its own, tells what it finds, and can
//! be stopped at any time.
//!
//! Every task has an id, and everything the engine says carries it: what an abandoned task still says is dropped. A book move is a
//! decision like any other: it comes from the thinking thread as [`Thought::Done`], at once.

mod thought;
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use game::book::{self, Book, BookError, BookMove};
use game::{Color, Game, Move, SyzygyTables};
use search::network::Network;
use search::{Control, Limits, Score, Style, Table};

use crate::bridge;
use crate::network::open_network;
use crate::settings::{NumberSetting, PathSetting, Setting, SettingError, Settings, SwitchSetting};
use crate::strength::Strength;
use worker::{Job, Worker};

pub use thought::{Decision, Purpose, SearchLine, SearchTask, TaskId, Thought};

/// Something for the thinking thread to do, in its turn.
type WorkerCommand = Box<dyn FnOnce(&mut Worker) + Send>;

/// The engine. Dropping it stops it.
pub struct Engine {
    commands: Sender<WorkerCommand>,
    worker: Option<JoinHandle<()>>,
    /// The task under way.
    current: Option<TaskId>,
    /// That of the last search, whether it is still under way or not.
    control: Arc<Control>,
    last_id: TaskId,
    settings: Settings,
    /// What the worker evaluates with.
    network: Arc<Network>,
    book: Option<Book>,
    /// Whether [`NumberSetting::Noise`] is in effect.
    is_noisy: bool,
    /// The seed of the noise in this game.
    seed: u64,
    told_values: Vec<(u64, Score)>,
    random: fastrand::Rng,
}

impl Engine {
    /// Starts an engine with default settings. `listener` is called on the thinking thread with every [`Thought`].
    ///
    /// # Errors
    /// If there is no memory for the smallest hash table, or no thread can be started.
    pub fn new(listener: impl FnMut(TaskId, Thought) + Send + 'static) -> std::io::Result<Engine> {
        let table = Table::new(NumberSetting::Hash.default() as usize)
            .or_else(|_| Table::new(1))
            .map_err(|error| std::io::Error::new(std::io::ErrorKind::OutOfMemory, error))?;
        let (commands, inbox) = mpsc::channel::<WorkerCommand>();
        let thread = std::thread::Builder::new().name("thinking".into()).stack_size(search::STACK_SIZE);
        let worker = thread.spawn(move || {
            let mut worker = Worker::new(table, Box::new(listener));
            for command in inbox {
                command(&mut worker);
            }
        })?;
        Ok(Engine {
            commands,
            worker: Some(worker),
            current: None,
            control: Arc::default(),
            last_id: TaskId(0),
            settings: Settings::default(),
            network: Network::embedded(),
            book: None,
            is_noisy: true,
            seed: fastrand::u64(..),
            told_values: Vec::new(),
            random: fastrand::Rng::new(),
        })
    }

    /// What is set.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The value of a number.
    pub fn get(&self, setting: NumberSetting) -> i64 {
        self.settings.get(setting)
    }

    /// Changes a number; a running task goes on with the old value.
    ///
    /// # Errors
    /// If the value is out of range or the memory for it is not there; the old value stays.
    pub fn set(&mut self, setting: NumberSetting, value: i64) -> Result<(), SettingError> {
        let old = self.get(setting);
        self.settings.set(setting, value)?;
        match setting {
            NumberSetting::Hash if value != old => match Table::new(value as usize) {
                Ok(table) => self.send(|worker| worker.table = table),
                Err(error) => {
                    self.settings.set(setting, old)?;
                    return Err(SettingError::Memory { mebibytes: value, error });
                }
            },
            NumberSetting::Threads => self.send(move |worker| worker.use_threads(value as usize)),
            _ => {}
        }
        Ok(())
    }

    /// Switches something on or off; a running task is not disturbed.
    pub fn switch(&mut self, setting: SwitchSetting, on: bool) {
        self.settings.switch(setting, on);
    }

    /// Uses other files from the next task on, or none if `path` is empty.
    ///
    /// # Errors
    /// If they can't be used; the old ones stay.
    pub fn set_path(&mut self, setting: PathSetting, path: &str) -> Result<(), SettingError> {
        let is_set = !path.is_empty();
        match setting {
            PathSetting::Book => {
                let book = is_set.then(|| Book::open(Path::new(path))).transpose();
                self.book = book.map_err(|error| SettingError::Book { path: path.to_owned(), error })?;
            }
            PathSetting::Tablebases => {
                let tables = is_set.then(|| SyzygyTables::open(path)).transpose()?.map(Arc::new);
                self.send(|worker| (worker.tablebases, worker.is_fault_told) = (tables, false));
            }
            PathSetting::Network => {
                let network = open_network(Path::new(path))
                    .map_err(|error| SettingError::Network { path: path.to_owned(), error })?;
                self.network = Arc::clone(&network);
                self.send(|worker| worker.use_network(network));
            }
        }
        self.settings.set_path(setting, path);
        Ok(())
    }

    /// Sets something to what a text says; for files, no text means none.
    ///
    /// # Errors
    /// The text is no such value, or the value can't be set. The old one stays.
    pub fn change(&mut self, setting: Setting, text: &str) -> Result<(), SettingError> {
        match setting {
            Setting::Number(number) => self.set(number, number.read(text)?),
            Setting::Switch(switch) => {
                self.switch(switch, switch.read(text)?);
                Ok(())
            }
            Setting::Path(path) => self.set_path(path, text.trim()),
        }
    }

    /// Takes over all `settings` that can be set; returns the errors of the others.
    pub fn adopt(&mut self, settings: &Settings) -> Vec<SettingError> {
        let adopt = |setting| match setting {
            // A setting that stays may be in use by a running task.
            Setting::Number(number) if self.get(number) == settings.get(number) => Ok(()),
            Setting::Number(number) => self.set(number, settings.get(number)),
            Setting::Switch(switch) => {
                self.switch(switch, settings.is_on(switch));
                Ok(())
            }
            Setting::Path(path) if self.settings.path(path) == settings.path(path) => Ok(()),
            Setting::Path(path) => self.set_path(path, settings.path(path)),
        };
        Setting::ALL.into_iter().map(adopt).filter_map(Result::err).collect()
    }

    /// Whether [`NumberSetting::Noise`] is in effect, as it is in a new engine.
    pub fn use_noise(&mut self, on: bool) {
        self.is_noisy = on;
    }

    /// Sets the value of a position for the side to move, in centipawns, from the next task on. What earlier searches found out
    /// is forgotten, once the engine is idle, since it rests on other values.
    pub fn tell_value(&mut self, game: &Game, centipawns: i32) {
        let key = bridge::key(game.position());
        self.told_values.retain(|(told, _)| *told != key);
        self.told_values.push((key, Score::centipawns(centipawns)));
        self.send(Worker::forget);
    }

    /// Takes back all of [`Engine::tell_value`].
    pub fn forget_told_values(&mut self) {
        if !self.told_values.is_empty() {
            self.told_values.clear();
            self.send(Worker::forget);
        }
    }

    /// The moves of the book, whether the engine plays from it or not; none without a book, or in a variant.
    ///
    /// # Errors
    /// If the book turns out to be damaged.
    pub fn book_moves(&mut self, game: &Game) -> Result<Vec<BookMove>, BookError> {
        match (&mut self.book, game.chess()) {
            (Some(book), Some(chess)) => book.moves(chess),
            _ => Ok(Vec::new()),
        }
    }

    /// Prepares for another game: clears hash table and histories, and takes back all of [`Engine::tell_value`].
    pub fn new_game(&mut self) {
        self.told_values.clear();
        self.seed = self.random.u64(..);
        self.clear();
    }

    /// Clears hash table and histories, once the engine is idle.
    pub fn clear(&self) {
        self.send(Worker::forget);
    }

    /// What the position is worth at first sight, for the side to move: without a search, and without noise.
    pub fn evaluate(&self, game: &Game) -> game::Score {
        bridge::evaluate(game, &self.network)
    }

    /// Starts a task; one that is still running is abandoned.
    pub fn think(&mut self, game: &Game, mut task: SearchTask) -> TaskId {
        self.abandon();
        self.last_id.0 += 1;
        let id = self.last_id;
        self.current = Some(id);
        self.control = Arc::new(match task.purpose {
            Purpose::Play => Control::new(),
            Purpose::Ponder | Purpose::Analyse => Control::pondering(),
        });
        if task.purpose == Purpose::Play
            && let Some(m) = self.choose_from_book(game, task.allowed.as_deref())
        {
            // Nothing was searched; the static evaluation has to do.
            let decision = Decision { best: Some(m), ponder: None, score: self.evaluate(game) };
            self.send(move |worker| (worker.listener)(id, Thought::Done(decision)));
            return id;
        }
        // An analysis shows what Herald thinks at full strength.
        let strength = self.strength().filter(|_| task.purpose != Purpose::Analyse);
        let nodes = task.limits.nodes.into_iter().chain(strength.map(|strength| strength.nodes)).min();
        task.limits = Limits {
            nodes,
            overhead: Duration::from_millis(self.get(NumberSetting::Overhead) as u64),
            lines: self.get(NumberSetting::Lines) as usize,
            ..task.limits
        };
        let style = match task.purpose {
            Purpose::Play | Purpose::Ponder => self.style(game.turn(), strength),
            Purpose::Analyse => Style::default(),
        };
        let job = Job {
            id,
            game: game.clone(),
            task,
            style,
            uses_tablebases: strength.is_none(),
            told_values: self.told_values.clone(),
            control: Arc::clone(&self.control),
        };
        self.send(move |worker| worker.think(&job));
        id
    }

    /// The limited strength to play with; `None` without a limit.
    fn strength(&self) -> Option<Strength> {
        let is_limited = self.settings.is_on(SwitchSetting::LimitStrength);
        is_limited.then(|| Strength::of_elo(self.get(NumberSetting::Elo)))
    }

    /// The style of play for a colour.
    fn style(&self, color: Color, strength: Option<Strength>) -> Style {
        let contempt = self.get(NumberSetting::Contempt) as i32;
        let noise = if self.is_noisy { self.get(NumberSetting::Noise) as u32 } else { 0 };
        Style {
            draw_for_white: color.fold_wb(-contempt, contempt),
            noise: noise.max(strength.map_or(0, |strength| strength.noise)),
            seed: self.seed,
        }
    }

    /// A move of the book, if the engine plays from it. A damaged book counts as empty: the game goes on.
    fn choose_from_book(&mut self, game: &Game, allowed: Option<&[Move]>) -> Option<Move> {
        if !self.settings.is_on(SwitchSetting::OwnBook) {
            return None;
        }
        let mut moves = self.book_moves(game).ok()?;
        moves.retain(|m| allowed.is_none_or(|allowed| allowed.contains(&m.mv)));
        book::choose(&moves, &mut self.random)
    }

    /// Whether a thought belongs to the task under way, and not to an abandoned one. After the task's
    /// [`Thought::Done`], call [`Engine::finish`].
    pub fn is_current(&self, id: TaskId) -> bool {
        self.current == Some(id)
    }

    /// Whether a task is under way.
    pub fn is_thinking(&self) -> bool {
        self.current.is_some()
    }

    /// To be called after [`Thought::Done`]: there is no current task any more.
    pub fn finish(&mut self) {
        self.current = None;
    }

    /// Tells the current task to answer as soon as possible.
    pub fn move_now(&self) {
        self.control.stop();
    }

    /// The expected move was played: a task that pondered is now about the engine's own move.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Suspends the current task, which then uses no processor time. Its stop-watch is suspended by its owner.
    pub fn suspend(&self) {
        self.control.suspend();
    }

    /// Lets a suspended task go on.
    pub fn resume(&self) {
        self.control.resume();
    }

    /// Ends the current task; whatever it still says is no longer current.
    pub fn abandon(&mut self) {
        self.current = None;
        self.control.stop();
    }

    /// Waits until the engine has carried out all earlier calls and can search at full speed. Returns at once during a task.
    pub fn settle(&self) {
        if self.is_thinking() {
            return;
        }
        let (done, wait) = mpsc::channel();
        self.send(move |worker| {
            worker.table.warm_up();
            let _ = done.send(());
        });
        // An error means that the thread is gone, and then there is nothing to wait for.
        let _ = wait.recv();
    }

    fn send(&self, command: impl FnOnce(&mut Worker) + Send + 'static) {
        // Fails only if the thinking thread has died, which its panic message has told already.
        let _ = self.commands.send(Box::new(command));
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.abandon();
        // Closing the channel ends the thread.
        self.commands = mpsc::channel().0;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}
