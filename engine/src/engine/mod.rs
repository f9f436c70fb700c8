//! The engine as the protocols see it: it thinks about a [`Game`] on its own thread, reports what it finds, and can be
//! stopped at any time.
//!
//! Every task has an id, and every report carries it, so that late reports of an abandoned task can be dropped. A book
//! move is a decision like any other: it comes at once from the thinking thread as [`Thought::Done`].

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

/// A command for the thinking thread, carried out in the order of sending.
type WorkerCommand = Box<dyn FnOnce(&mut Worker) + Send>;

/// The engine. Dropping it stops its thread.
pub struct Engine {
    commands: Sender<WorkerCommand>,
    worker: Option<JoinHandle<()>>,
    /// The current task.
    current: Option<TaskId>,
    /// The control of the latest search, whether or not it is still running.
    control: Arc<Control>,
    last_id: TaskId,
    settings: Settings,
    /// The network that the worker evaluates with.
    network: Arc<Network>,
    book: Option<Book>,
    /// Whether [`NumberSetting::Noise`] applies.
    is_noisy: bool,
    /// The seed of the noise for this game.
    seed: u64,
    told_values: Vec<(u64, Score)>,
    random: fastrand::Rng,
}

impl Engine {
    /// Starts an engine with default settings. `listener` is called on the thinking thread with every [`Thought`].
    ///
    /// # Errors
    /// If there is not enough memory for the smallest hash table, or if the thread can't be started.
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

    /// Returns the current settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the value of a number.
    pub fn get(&self, setting: NumberSetting) -> i64 {
        self.settings.get(setting)
    }

    /// Changes a number; a running task continues with the old value.
    ///
    /// # Errors
    /// If the value is out of range or there is not enough memory for it; the old value is kept.
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

    /// Switches a setting on or off; a running task is not affected.
    pub fn switch(&mut self, setting: SwitchSetting, on: bool) {
        self.settings.switch(setting, on);
    }

    /// Uses other files from the next task on; none if `path` is empty.
    ///
    /// # Errors
    /// If the files can't be used; the old ones are kept.
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

    /// Sets a setting to the value of a text. For files, an empty text stands for none.
    ///
    /// # Errors
    /// If the text is not a valid value or the value can't be set; the old value is kept.
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

    /// Applies all `settings` that can be set; returns the errors of the others.
    pub fn adopt(&mut self, settings: &Settings) -> Vec<SettingError> {
        let adopt = |setting| match setting {
            // Unchanged settings are skipped, because a running task may be using them.
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

    /// Sets whether [`NumberSetting::Noise`] applies; it does in a new engine.
    pub fn use_noise(&mut self, on: bool) {
        self.is_noisy = on;
    }

    /// Sets the value of a position for the side to move, in centipawns, from the next task on. The results of earlier
    /// searches rest on other values, so they are cleared once the engine is idle.
    pub fn tell_value(&mut self, game: &Game, centipawns: i32) {
        let key = bridge::key(game.position());
        self.told_values.retain(|(told, _)| *told != key);
        self.told_values.push((key, Score::centipawns(centipawns)));
        self.send(Worker::forget);
    }

    /// Removes all values set by [`Engine::tell_value`].
    pub fn forget_told_values(&mut self) {
        if !self.told_values.is_empty() {
            self.told_values.clear();
            self.send(Worker::forget);
        }
    }

    /// Returns the book's moves, whether or not the engine plays from the book; none without a book or in a variant.
    ///
    /// # Errors
    /// If the book is damaged.
    pub fn book_moves(&mut self, game: &Game) -> Result<Vec<BookMove>, BookError> {
        match (&mut self.book, game.chess()) {
            (Some(book), Some(chess)) => book.moves(chess),
            _ => Ok(Vec::new()),
        }
    }

    /// Prepares for another game: clears the hash table and the histories, and removes all values of
    /// [`Engine::tell_value`].
    pub fn new_game(&mut self) {
        self.told_values.clear();
        self.seed = self.random.u64(..);
        self.clear();
    }

    /// Clears the hash table and the histories once the engine is idle.
    pub fn clear(&self) {
        self.send(Worker::forget);
    }

    /// Returns the network that evaluates.
    pub fn network(&self) -> Arc<Network> {
        Arc::clone(&self.network)
    }

    /// Returns the static evaluation for the side to move, without a search and without noise.
    pub fn evaluate(&self, game: &Game) -> game::Score {
        bridge::evaluate(game, &self.network)
    }

    /// Starts a task and abandons the previous one if it is still running.
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
            // Nothing was searched, so the static evaluation serves as the score.
            let decision = Decision { best: Some(m), ponder: None, score: self.evaluate(game), depth: 0 };
            self.send(move |worker| (worker.listener)(id, Thought::Done(decision)));
            return id;
        }
        // An analysis runs at full strength.
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

    /// Returns the limited playing strength; `None` without a limit.
    fn strength(&self) -> Option<Strength> {
        let is_limited = self.settings.is_on(SwitchSetting::LimitStrength);
        is_limited.then(|| Strength::of_elo(self.get(NumberSetting::Elo)))
    }

    /// Returns the style of play for a colour.
    fn style(&self, color: Color, strength: Option<Strength>) -> Style {
        let contempt = self.get(NumberSetting::Contempt) as i32;
        let noise = if self.is_noisy { self.get(NumberSetting::Noise) as u32 } else { 0 };
        Style {
            draw_for_white: color.fold_wb(-contempt, contempt),
            noise: noise.max(strength.map_or(0, |strength| strength.noise)),
            seed: self.seed,
        }
    }

    /// Chooses a move from the book if the engine plays from it. A damaged book counts as empty, so that the game
    /// continues.
    fn choose_from_book(&mut self, game: &Game, allowed: Option<&[Move]>) -> Option<Move> {
        if !self.settings.is_on(SwitchSetting::OwnBook) {
            return None;
        }
        let mut moves = self.book_moves(game).ok()?;
        moves.retain(|m| allowed.is_none_or(|allowed| allowed.contains(&m.mv)));
        book::choose(&moves, &mut self.random)
    }

    /// Returns whether a thought belongs to the current task and not to an abandoned one. After the task's
    /// [`Thought::Done`], call [`Engine::finish`].
    pub fn is_current(&self, id: TaskId) -> bool {
        self.current == Some(id)
    }

    /// Returns whether there is a current task.
    pub fn is_thinking(&self) -> bool {
        self.current.is_some()
    }

    /// Ends the current task; to be called after its [`Thought::Done`].
    pub fn finish(&mut self) {
        self.current = None;
    }

    /// Makes the current task answer as soon as possible.
    pub fn move_now(&self) {
        self.control.stop();
    }

    /// Handles a ponder hit: the expected move was played, so the task now searches the engine's own move.
    pub fn ponder_hit(&self) {
        self.control.ponder_hit();
    }

    /// Suspends the current task, which then uses no processor time. The owner of its stop-watch must suspend that.
    pub fn suspend(&self) {
        self.control.suspend();
    }

    /// Resumes a suspended task.
    pub fn resume(&self) {
        self.control.resume();
    }

    /// Abandons the current task; its further reports are no longer current.
    pub fn abandon(&mut self) {
        self.current = None;
        self.control.stop();
    }

    /// Waits until all earlier calls have been carried out and the engine can search at full speed. Returns at once
    /// during a task.
    pub fn settle(&self) {
        if self.is_thinking() {
            return;
        }
        let (done, wait) = mpsc::channel();
        self.send(move |worker| {
            worker.table.warm_up();
            let _ = done.send(());
        });
        // Fails only if the thread has ended; then there is nothing to wait for.
        let _ = wait.recv();
    }

    fn send(&self, command: impl FnOnce(&mut Worker) + Send + 'static) {
        // Fails only if the thinking thread has panicked, which was reported by its panic message.
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
