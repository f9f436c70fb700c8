//! The engine as the protocols see it: it thinks about a [`Game`] on a thread of its own, tells what it finds, and can
//! be stopped at any time.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};
use std::thread::JoinHandle;
use std::time::Duration;

use search::mate::{Finding, Goal, Problem, Solver};
use search::{Answer, Bound, Clock, Control, Limits, Observer, Report, Score, Searcher, Table, TimeLimit};
use shakmaty::Move;

use crate::Game;
use crate::book::{self, Book, BookError, BookMove};
use crate::settings::{PathSetting, Setting, SettingError};
use crate::tablebases::Tablebases;

/// What the mate solver may remember while it works on a mate that was asked for, besides the hash table.
const MATE_TABLE_MEBIBYTES: usize = 64;

/// Identifies one task, so that what an abandoned task still had to say can be told from the news.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskId(u64);

/// What to think about, besides the game itself.
pub struct Task {
    /// Whether, and from when on, the answer is wanted.
    pub purpose: Purpose,
    /// The bounds of the search. Overhead and number of lines are the engine's settings, and filled in by it.
    pub limits: Limits,
    /// The root moves to consider; `None` means all legal ones.
    pub allowed: Option<Vec<Move>>,
    /// How time is measured.
    pub clock: Arc<dyn Clock + Send + Sync>,
}

/// Why the engine thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To move.
    Play,
    /// To move, should [`Engine::ponder_hit`] come: the position is the one after the opponent's expected move.
    Ponder,
    /// To show lines until told to stop.
    Analyse,
}

/// What the engine says while and after thinking.
#[derive(Clone, Debug)]
pub enum Thought {
    /// A line was found.
    Line(Line),
    /// The engine turned to a root move.
    RootMove {
        /// The iteration, in plies.
        depth: u32,
        /// The move.
        mv: Move,
        /// Its number, from 1.
        number: usize,
        /// The number of root moves.
        total: usize,
    },
    /// The engine has decided. The last thought of a task.
    Done(Decision),
}

/// A line of play and what it is worth.
#[derive(Clone, Debug)]
pub struct Line {
    /// The iteration, in plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub selective_depth: u32,
    /// Which of several best lines this is, from 1.
    pub number: usize,
    /// The value for the side to move.
    pub score: Score,
    /// What is known about the value.
    pub bound: Bound,
    /// Moves made so far.
    pub nodes: u64,
    /// Time used.
    pub elapsed: Duration,
    /// How full the hash table is, in permille.
    pub hash_full: u32,
    /// Successful tablebase probes.
    pub tablebase_hits: u64,
    /// The moves, best first.
    pub moves: Vec<Move>,
}

impl Line {
    /// Nodes per second, 0 while no time has passed.
    pub fn nodes_per_second(&self) -> u64 {
        let nanos = self.elapsed.as_nanos().max(1);
        u64::try_from(u128::from(self.nodes) * 1_000_000_000 / nanos).unwrap_or(u64::MAX)
    }
}

/// The outcome of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decision {
    /// The best move; `None` if none is allowed.
    pub best: Option<Move>,
    /// The reply that the engine expects.
    pub ponder: Option<Move>,
    /// The value of the position for the side to move.
    pub score: Score,
}

/// The engine. Dropping it stops it.
pub struct Engine {
    orders: Sender<Order>,
    worker: Option<JoinHandle<()>>,
    current: Option<Current>,
    last_id: TaskId,
    settings: [u64; Setting::ALL.len()],
    /// What was set as [`PathSetting`].
    paths: [String; PathSetting::ALL.len()],
    book: Option<Book>,
    plays_from_book: bool,
    random: fastrand::Rng,
}

struct Current {
    id: TaskId,
    control: Arc<Control>,
}

/// What the session asks of the thinking thread, in order.
enum Order {
    Think(Box<Job>),
    Play(TaskId, Decision),
    UseTablebases(Option<Arc<Tablebases>>),
    UseTable(Table),
    UseThreads(usize),
    Forget,
    Answer(Sender<()>),
}

struct Job {
    id: TaskId,
    game: Game,
    allowed: Option<Vec<Move>>,
    limits: Limits,
    clock: Arc<dyn Clock + Send + Sync>,
    control: Arc<Control>,
}

impl Engine {
    /// Starts an engine with default settings. `listener` is called on the thinking thread with everything it says.
    ///
    /// # Errors
    /// If there is no memory for the smallest hash table, or no thread can be started.
    pub fn new(listener: impl FnMut(TaskId, Thought) + Send + 'static) -> std::io::Result<Engine> {
        let settings = Setting::ALL.map(Setting::default);
        let table = Table::new(Setting::Hash.default() as usize)
            .or_else(|_| Table::new(1))
            .map_err(|error| std::io::Error::new(std::io::ErrorKind::OutOfMemory, error))?;
        let (orders, inbox) = mpsc::channel();
        let thread = std::thread::Builder::new().name("thinking".into()).stack_size(search::STACK_SIZE);
        let worker = thread.spawn(move || {
            let mut worker = Worker { searcher: Searcher::new(table), tablebases: None, listener };
            for order in inbox {
                worker.obey(order);
            }
        })?;
        Ok(Engine {
            orders,
            worker: Some(worker),
            current: None,
            last_id: TaskId(0),
            settings,
            paths: Default::default(),
            book: None,
            plays_from_book: false,
            random: fastrand::Rng::new(),
        })
    }

    /// The value of a setting.
    pub fn get(&self, setting: Setting) -> u64 {
        self.settings[setting as usize]
    }

    /// Changes a setting; a running task goes on with the old value.
    ///
    /// # Errors
    /// If the value is out of range or the memory for it is not there; the old value stays.
    pub fn set(&mut self, setting: Setting, value: u64) -> Result<(), SettingError> {
        if !setting.range().contains(&value) {
            return Err(SettingError::OutOfRange { setting, value });
        }
        match setting {
            Setting::Hash if value != self.get(Setting::Hash) => {
                self.order(Order::UseTable(Table::new(value as usize)?));
            }
            Setting::Threads => self.order(Order::UseThreads(value as usize)),
            Setting::Hash | Setting::Lines | Setting::Overhead => {}
        }
        self.settings[setting as usize] = value;
        Ok(())
    }

    /// The files that were set; empty if there are none.
    pub fn path(&self, setting: PathSetting) -> &str {
        &self.paths[setting as usize]
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
                let tables = is_set.then(|| Tablebases::open(path)).transpose()?;
                self.order(Order::UseTablebases(tables.map(Arc::new)));
            }
        }
        path.clone_into(&mut self.paths[setting as usize]);
        Ok(())
    }

    /// Whether the engine plays from its book.
    pub fn plays_from_book(&self) -> bool {
        self.plays_from_book
    }

    /// Makes the engine play from its book, without thinking, as long as the book knows a move.
    pub fn use_own_book(&mut self, on: bool) {
        self.plays_from_book = on;
    }

    /// The moves of the book, whether the engine plays from it or not; none without a book.
    ///
    /// # Errors
    /// If the book turns out to be damaged.
    pub fn book_moves(&mut self, game: &Game) -> Result<Vec<BookMove>, BookError> {
        self.book.as_mut().map_or(Ok(Vec::new()), |book| book.moves(game.chess()))
    }

    /// Forgets what earlier games taught it, once it is idle.
    pub fn new_game(&mut self) {
        self.order(Order::Forget);
    }

    /// Starts a task; one that is still running is abandoned.
    pub fn think(&mut self, game: &Game, task: Task) -> TaskId {
        self.abandon();
        self.last_id.0 += 1;
        let id = self.last_id;
        let control = Arc::new(match task.purpose {
            Purpose::Play => Control::new(),
            Purpose::Ponder | Purpose::Analyse => Control::pondering(),
        });
        self.current = Some(Current { id, control: Arc::clone(&control) });
        if task.purpose == Purpose::Play
            && let Some(m) = self.choose_from_book(game, task.allowed.as_deref())
        {
            // Nothing was searched; what the position looks like at first sight must do.
            let score = search::evaluate(&game.root().position);
            self.order(Order::Play(id, Decision { best: Some(m), ponder: None, score }));
            return id;
        }
        let limits = Limits {
            overhead: Duration::from_millis(self.get(Setting::Overhead)),
            lines: self.get(Setting::Lines) as usize,
            ..task.limits
        };
        let Task { allowed, clock, .. } = task;
        self.order(Order::Think(Box::new(Job { id, game: game.clone(), allowed, limits, clock, control })));
        id
    }

    /// A move of the book, if the engine plays from it. A damaged book counts as one that knows nothing: the game goes on.
    fn choose_from_book(&mut self, game: &Game, allowed: Option<&[Move]>) -> Option<Move> {
        if !self.plays_from_book {
            return None;
        }
        let mut moves = self.book_moves(game).ok()?;
        moves.retain(|m| allowed.is_none_or(|allowed| allowed.contains(&m.mv)));
        book::choose(&moves, &mut self.random)
    }

    /// Whether a thought belongs to the task under way, and not to an abandoned one. After the task's
    /// [`Thought::Done`], call [`Engine::finish`].
    pub fn is_current(&self, id: TaskId) -> bool {
        self.current.as_ref().is_some_and(|current| current.id == id)
    }

    /// Whether a task is under way.
    pub fn is_thinking(&self) -> bool {
        self.current.is_some()
    }

    /// Notes that the current task has said its last word.
    pub fn finish(&mut self) {
        self.current = None;
    }

    /// Tells the current task to answer as soon as possible.
    pub fn move_now(&self) {
        if let Some(current) = &self.current {
            current.control.stop();
        }
    }

    /// The expected move was played: a task that pondered is now about the engine's own move.
    pub fn ponder_hit(&self) {
        if let Some(current) = &self.current {
            current.control.ponder_hit();
        }
    }

    /// Ends the current task; whatever it still says is no longer current.
    pub fn abandon(&mut self) {
        if let Some(current) = self.current.take() {
            current.control.stop();
        }
    }

    /// Waits until the engine has done all that it was told and can search at full speed, tasks under way excepted.
    pub fn settle(&self) {
        if self.is_thinking() {
            return;
        }
        let (done, wait) = mpsc::channel();
        self.order(Order::Answer(done));
        // An error means that the thread is gone, and then there is nothing to wait for.
        let _ = wait.recv();
    }

    fn order(&self, order: Order) {
        // Fails only if the thinking thread has died, which its panic has told already.
        let _ = self.orders.send(order);
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.abandon();
        // Closing the channel ends the thread.
        self.orders = mpsc::channel().0;
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

struct Worker<L> {
    searcher: Searcher,
    tablebases: Option<Arc<Tablebases>>,
    listener: L,
}

impl<L: FnMut(TaskId, Thought)> Worker<L> {
    fn obey(&mut self, order: Order) {
        match order {
            Order::Think(job) => self.think(&job),
            Order::Play(id, decision) => (self.listener)(id, Thought::Done(decision)),
            Order::UseTablebases(tables) => self.tablebases = tables,
            Order::UseTable(table) => self.searcher.use_table(table),
            Order::UseThreads(threads) => self.searcher.use_threads(threads),
            Order::Forget => self.searcher.clear(),
            Order::Answer(done) => {
                self.searcher.warm_up();
                let _ = done.send(());
            }
        }
    }

    fn think(&mut self, job: &Job) {
        let (root, root_probes) = root(job, self.tablebases.as_ref());
        let mut reporter = Reporter { job, root_probes, listener: &mut self.listener };
        let (mate, limits) = find_mate(job, &root, &mut reporter);
        let answer = mate
            .unwrap_or_else(|| self.searcher.think(&root, &limits, &job.control, &*job.clock, &mut reporter));
        // A search that ran out of depth must still not move on the opponent's time.
        job.control.wait_until_released();
        (self.listener)(job.id, Thought::Done(decision(&job.game, &answer)));
    }
}

/// A mate that is asked for is first of all a matter for the mate solver, which gets three quarters of the nodes and of a
/// fixed time. If it finds none, the search takes over within the limits that are returned.
fn find_mate(job: &Job, root: &search::Root, observer: &mut dyn Observer) -> (Option<Answer>, Limits) {
    let limits = job.limits.clone();
    let Some(moves) = limits.mate.filter(|_| limits.lines <= 1) else { return (None, limits) };
    let Ok(mut solver) = Solver::new(MATE_TABLE_MEBIBYTES) else { return (None, limits) };
    let problem = Problem { attacker: root.position.turn(), moves, goal: Goal::Within };
    let time = match limits.time {
        TimeLimit::PerMove(time) => TimeLimit::PerMove(time * 3 / 4),
        other => other,
    };
    let most = Limits { nodes: limits.nodes.map(|nodes| nodes - nodes / 4), time, ..limits.clone() };
    let solution = solver.solve(root, problem, &most, &job.control, &*job.clock, observer);
    let rest = limits.nodes.map(|nodes| nodes - solution.nodes);
    let answer = match solution.finding {
        Finding::Mate(mate) => Some(Answer {
            best: mate.line.first().copied(),
            ponder: mate.line.get(1).copied(),
            score: Score::mate_at(mate.line.len()),
            depth: mate.line.len() as u32,
            nodes: solution.nodes,
        }),
        Finding::NoMate | Finding::Undecided => None,
    };
    (answer, Limits { nodes: rest, ..limits })
}

/// What to search, and how many moves the endgame tables have been asked about.
///
/// If they know the root, only the moves remain that keep what it is worth, and the search finds the shortest way by
/// itself; otherwise it asks them. With several lines the lesser moves are wanted, too.
fn root(job: &Job, tablebases: Option<&Arc<Tablebases>>) -> (search::Root, u64) {
    let mut root = job.game.root();
    let candidates = job.allowed.clone().unwrap_or_else(|| job.game.legal_moves().to_vec());
    let known = tablebases
        .filter(|_| job.limits.lines <= 1)
        .and_then(|tables| tables.best_moves(&job.game, &candidates).ok().flatten());
    let allowed = known.as_ref().or(job.allowed.as_ref());
    root.allowed = allowed.map(|moves| moves.iter().copied().map(Game::to_search).collect());
    if known.is_some() {
        return (root, candidates.len() as u64);
    }
    root.tablebases = tablebases.map(|tables| Arc::clone(tables) as _);
    (root, 0)
}

fn decision(game: &Game, answer: &Answer) -> Decision {
    let best = answer.best.and_then(|m| game.from_search(m));
    let line: Vec<search::Move> = answer.best.into_iter().chain(answer.ponder).collect();
    Decision { best, ponder: game.line_from_search(&line).get(1).copied(), score: answer.score }
}

/// Translates the search's reports for the listener.
struct Reporter<'a, L> {
    job: &'a Job,
    /// Tablebase probes before the search.
    root_probes: u64,
    listener: &'a mut L,
}

impl<L: FnMut(TaskId, Thought)> Observer for Reporter<'_, L> {
    fn report(&mut self, report: &Report) {
        let line = Line {
            depth: report.depth,
            selective_depth: report.selective_depth,
            number: report.line,
            score: report.score,
            bound: report.bound,
            nodes: report.nodes,
            elapsed: report.elapsed,
            hash_full: report.hash_full,
            tablebase_hits: self.root_probes + report.tablebase_hits,
            moves: self.job.game.line_from_search(report.principal_variation),
        };
        (self.listener)(self.job.id, Thought::Line(line));
    }

    fn root_move(&mut self, depth: u32, mv: search::Move, number: usize, total: usize) {
        if let Some(mv) = self.job.game.from_search(mv) {
            (self.listener)(self.job.id, Thought::RootMove { depth, mv, number, total });
        }
    }
}
