//! The loop of a session and the commands that are about the tree.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Instant;

use engine::{Engine, Settings, TaskId, Thought};
use game::{Game, PlayedVariant, openings};
use shakmaty::Position as _;

use super::analysis::{AnnotationRun, BoardAnalysis};
use super::library::GameLibrary;
use super::messages::{
    BoardMode, BrowserCommand, BrowserGames, BrowserMessage, BrowserMove, BrowserNotice, BrowserState,
};
use super::play::BrowserPlay;
use super::tree::VariationTree;

/// What is done with the answer to a command: `Err` says in a sentence why it was refused.
pub type CommandReply = Box<dyn FnOnce(Result<(), String>) + Send>;

/// An event of a session.
pub(super) enum SessionEvent {
    Command(BrowserCommand, CommandReply),
    Load(Vec<u8>, CommandReply),
    Pgn(Box<dyn FnOnce(String) + Send>),
    Refresh,
    Unwatched,
    End,
    Thought(TaskId, Thought),
}

/// The way to a session. The session ends with the last clone.
#[derive(Clone)]
pub struct SessionHandle(Arc<EndOnDrop>);

struct EndOnDrop(Sender<SessionEvent>);

impl Drop for EndOnDrop {
    fn drop(&mut self) {
        // Fails only if the session has ended.
        let _ = self.0.send(SessionEvent::End);
    }
}

/// Each call returns at once. What it asks for comes later, through the session's listener or the function that it takes. If the
/// session has ended, that function is dropped.
impl SessionHandle {
    /// Gives a command.
    pub fn command(&self, command: BrowserCommand, reply: CommandReply) {
        self.send(SessionEvent::Command(command, reply));
    }

    /// Loads games or positions from a text in PGN, EPD or FEN, and opens the first one.
    pub fn load(&self, text: Vec<u8>, reply: CommandReply) {
        self.send(SessionEvent::Load(text, reply));
    }

    /// Asks for the game on the board in PGN.
    pub fn pgn(&self, reply: impl FnOnce(String) + Send + 'static) {
        self.send(SessionEvent::Pgn(Box::new(reply)));
    }

    /// Asks for all messages that a page needs to show the session.
    pub fn refresh(&self) {
        self.send(SessionEvent::Refresh);
    }

    /// Says that no page shows the session any more. Analysis ends; the clock of a game goes on.
    pub fn unwatched(&self) {
        self.send(SessionEvent::Unwatched);
    }

    fn send(&self, event: SessionEvent) {
        // Fails only if the session has ended.
        let _ = self.0.0.send(event);
    }
}

/// Starts a session with an engine of its own. `listener` is called on the session's thread with every message to the page.
///
/// # Errors
/// If there is not enough memory for the engine, or a thread can't be started.
pub fn start(
    settings: &Settings,
    library: Arc<GameLibrary>,
    listener: impl FnMut(BrowserMessage) + Send + 'static,
) -> io::Result<SessionHandle> {
    let (sender, events) = mpsc::channel();
    let thoughts = sender.clone();
    let mut engine = Engine::new(move |id, thought| {
        // Fails only when the session has ended.
        let _ = thoughts.send(SessionEvent::Thought(id, thought));
    })?;
    // What can't be used was reported when the settings were read.
    drop(engine.adopt(settings));
    let mut session = BrowserSession::new(engine, settings.clone(), library, Box::new(listener));
    thread::Builder::new().name("board".into()).spawn(move || session.run(&events))?;
    Ok(SessionHandle(Arc::new(EndOnDrop(sender))))
}

/// What the engine is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BrowserTask {
    /// It looks for its move.
    Move,
    /// It looks for a move to recommend.
    Hint,
    /// It analyses the node on the board.
    Analysis,
    /// It evaluates a node for annotations.
    Evaluation(usize),
}

/// A session.
pub(super) struct BrowserSession {
    pub(super) engine: Engine,
    /// The user's settings, which hold for games.
    pub(super) settings: Settings,
    pub(super) tree: VariationTree,
    /// The node on the board.
    pub(super) at: usize,
    /// The game up to that node.
    pub(super) game: Game,
    /// The game against Herald; `None` while the board is for analysis.
    pub(super) play: Option<BrowserPlay>,
    pub(super) task: Option<BrowserTask>,
    pub(super) analysis: BoardAnalysis,
    pub(super) annotating: Option<AnnotationRun>,
    /// The time of the event that is being handled.
    pub(super) now: Instant,
    library: Arc<GameLibrary>,
    open: Option<usize>,
    listener: Box<dyn FnMut(BrowserMessage) + Send>,
}

impl BrowserSession {
    pub(super) fn new(
        engine: Engine,
        settings: Settings,
        library: Arc<GameLibrary>,
        listener: Box<dyn FnMut(BrowserMessage) + Send>,
    ) -> BrowserSession {
        let game = Game::default();
        let mut session = BrowserSession {
            engine,
            settings,
            tree: VariationTree::new(game.clone()),
            at: 0,
            game,
            play: None,
            task: None,
            analysis: BoardAnalysis::default(),
            annotating: None,
            now: Instant::now(),
            library,
            open: None,
            listener,
        };
        if !session.library.is_empty() {
            // A first game that can't be opened leaves the start position.
            drop(session.open(0));
        }
        session
    }

    fn run(&mut self, events: &Receiver<SessionEvent>) {
        loop {
            let event = match self.deadline() {
                Some(at) => events.recv_timeout(at.saturating_duration_since(Instant::now())),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            self.now = Instant::now();
            match event {
                Ok(SessionEvent::End) | Err(RecvTimeoutError::Disconnected) => return,
                Ok(event) => self.handle(event),
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.check_flag();
            self.tell_thinking(false);
        }
    }

    /// The next moment at which something is to be done without an event.
    fn deadline(&self) -> Option<Instant> {
        self.flag_falls().into_iter().chain(self.analysis.due()).min()
    }

    pub(super) fn handle(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Command(command, reply) => reply(self.obey(command)),
            SessionEvent::Load(text, reply) => reply(self.load(&text)),
            SessionEvent::Pgn(reply) => reply(self.tree.pgn()),
            SessionEvent::Refresh => self.refresh(),
            SessionEvent::Unwatched => self.rest(),
            SessionEvent::Thought(id, thought) => {
                if self.engine.is_current(id) {
                    self.hear(thought);
                }
            }
            SessionEvent::End => {}
        }
    }

    fn obey(&mut self, command: BrowserCommand) -> Result<(), String> {
        match command {
            BrowserCommand::Play(game) => self.begin(&game)?,
            BrowserCommand::Move { text } => self.play_typed(&text)?,
            BrowserCommand::TakeBack {} => self.take_back()?,
            BrowserCommand::Hint {} => return self.hint(),
            BrowserCommand::MoveNow {} => return self.move_now(),
            BrowserCommand::Resign {} => self.resign()?,
            BrowserCommand::Draw {} => self.offer_draw()?,
            BrowserCommand::Go { node } => self.go(node)?,
            BrowserCommand::Explore {} => self.explore(),
            BrowserCommand::Analyse { on } => self.analyse(on)?,
            BrowserCommand::Lines { count } => self.set_lines(count)?,
            BrowserCommand::Annotate { on } => self.annotate(on)?,
            BrowserCommand::Delete { node } => self.delete(node)?,
            BrowserCommand::Promote { node } => self.promote(node)?,
            BrowserCommand::Setup { variant, fen } => self.set_up(variant, fen.as_deref())?,
            BrowserCommand::Open { game } => self.open(game)?,
        }
        self.tell_state();
        Ok(())
    }

    fn hear(&mut self, thought: Thought) {
        match (thought, self.task) {
            (Thought::Line(line), Some(task)) => self.analysis.note(task, line),
            (Thought::Done(decision), Some(task)) => {
                self.engine.finish();
                self.task = None;
                match task {
                    BrowserTask::Move => self.decided(&decision),
                    BrowserTask::Hint => self.tell_hint(&decision),
                    BrowserTask::Evaluation(node) => self.evaluated(node, &decision),
                    BrowserTask::Analysis => self.tell_thinking(true),
                }
            }
            (Thought::Warning(text), _) => self.tell(BrowserMessage::Notice(BrowserNotice { text })),
            _ => {}
        }
    }
}

/// The tree.
impl BrowserSession {
    fn play_typed(&mut self, text: &str) -> Result<(), String> {
        if self.play.is_some() {
            return self.play_persons(text);
        }
        let mv = self.game.parse_move(text).map_err(|error| error.to_string())?;
        self.at = self.tree.play(self.at, &mut self.game, mv)?;
        self.tell_game();
        self.board_changed();
        Ok(())
    }

    fn go(&mut self, node: usize) -> Result<(), String> {
        self.needs_analysis()?;
        self.needs_node(node)?;
        (self.at, self.game) = (node, self.tree.game(node));
        self.board_changed();
        Ok(())
    }

    fn delete(&mut self, node: usize) -> Result<(), String> {
        self.needs_analysis()?;
        self.needs_node(node)?;
        let before = self.tree.parent(node).ok_or("the start can't be removed")?;
        self.end_annotating();
        self.tree.remove(node);
        if !self.tree.has(self.at) {
            (self.at, self.game) = (before, self.tree.game(before));
        }
        self.tell_game();
        self.board_changed();
        Ok(())
    }

    fn promote(&mut self, node: usize) -> Result<(), String> {
        self.needs_analysis()?;
        self.needs_node(node)?;
        self.end_annotating();
        self.tree.promote(node)?;
        self.tell_game();
        Ok(())
    }

    fn set_up(&mut self, rules: PlayedVariant, fen: Option<&str>) -> Result<(), String> {
        let game = position(rules, fen)?;
        self.show(VariationTree::new(game), 0);
        self.open = None;
        self.tell_games();
        Ok(())
    }

    fn load(&mut self, text: &[u8]) -> Result<(), String> {
        let library = GameLibrary::read(text)?;
        let before = std::mem::replace(&mut self.library, Arc::new(library));
        if let Err(error) = self.open(0) {
            self.library = before;
            return Err(error);
        }
        self.tell_state();
        Ok(())
    }

    fn open(&mut self, number: usize) -> Result<(), String> {
        let library = Arc::clone(&self.library);
        let game = library.games.get(number).ok_or("there is no such game")?;
        let (tree, hidden) = VariationTree::read(&game.tree)?;
        self.show(tree, 0);
        self.open = Some(number);
        self.tell_games();
        // The page shows one notice.
        let faults = [&game.fault, &library.fault].into_iter().flatten().cloned();
        let facts: Vec<String> = hidden.notice().into_iter().chain(faults).collect();
        if !facts.is_empty() {
            self.tell(BrowserMessage::Notice(BrowserNotice { text: facts.join(" ") }));
        }
        Ok(())
    }

    /// Puts another tree on the board, for analysis.
    fn show(&mut self, tree: VariationTree, at: usize) {
        self.end_game();
        self.end_annotating();
        self.engine.new_game();
        (self.at, self.game) = (at, tree.game(at));
        self.tree = tree;
        self.tell_game();
        self.board_changed();
    }

    pub(super) fn needs_analysis(&self) -> Result<(), String> {
        match self.play {
            Some(_) => Err("a game against Herald is on the board; end it first".to_owned()),
            None => Ok(()),
        }
    }

    fn needs_node(&self, node: usize) -> Result<(), String> {
        if self.tree.has(node) { Ok(()) } else { Err(format!("there is no node {node}")) }
    }
}

/// A game of a variant from a position; of Chess960 without a position from one of its start positions, drawn by lot.
pub(super) fn position(played: PlayedVariant, fen: Option<&str>) -> Result<Game, String> {
    match fen.map(str::trim).filter(|fen| !fen.is_empty()) {
        None if played == PlayedVariant::CHESS960 => {
            let number = fastrand::u32(..openings::CHESS960_POSITIONS);
            played.read(&openings::chess960(number)).map_err(|error| error.to_string())
        }
        None => Ok(played.start()),
        Some(fen) => played.read(fen).map_err(|error| error.to_string()),
    }
}

/// Messages to the page.
impl BrowserSession {
    pub(super) fn tell(&mut self, message: BrowserMessage) {
        (self.listener)(message);
    }

    fn refresh(&mut self) {
        self.tell_games();
        self.tell_game();
        self.tell_state();
        self.tell_thinking(true);
    }

    fn tell_games(&mut self) {
        let headings = self.library.games.iter().map(|game| game.heading.clone()).collect();
        self.tell(BrowserMessage::Games(BrowserGames { headings, open: self.open }));
    }

    pub(super) fn tell_game(&mut self) {
        self.tell(BrowserMessage::Game(self.tree.page()));
    }

    pub(super) fn tell_node(&mut self, node: usize) {
        let shown = self.tree.shown(node).clone();
        self.tell(BrowserMessage::Node(Box::new(shown)));
    }

    pub(super) fn tell_state(&mut self) {
        let state = self.state();
        self.tell(BrowserMessage::State(Box::new(state)));
    }

    fn state(&self) -> BrowserState {
        let outcome = self.game.outcome().map(|outcome| format!("{} {{{outcome}}}", outcome.result()));
        let may_move =
            outcome.is_none() && self.play.as_ref().is_none_or(|play| play.game.person == self.game.turn());
        BrowserState {
            mode: if self.play.is_some() { BoardMode::Play } else { BoardMode::Analyse },
            node: self.at,
            variant: PlayedVariant::of(&self.game),
            fen: self.game.fen(),
            check: self.game.position().is_check(),
            turn: self.game.turn().into(),
            moves: if may_move { legal_moves(&self.game) } else { Vec::new() },
            outcome,
            play: self.play.as_ref().map(|play| play.status(&self.game, self.now)),
            analysing: self.analysis.is_on,
            lines: self.analysis.count,
            annotating: self.annotating.as_ref().map(AnnotationRun::progress),
        }
    }
}

/// The legal moves as the page's board takes them, by their coordinates.
fn legal_moves(game: &Game) -> Vec<BrowserMove> {
    let moves = game.legal_moves();
    let mut shown = Vec::with_capacity(moves.len());
    for mv in moves {
        let text = game.coordinate(mv);
        let drop = text.split_once('@').map(|_| mv.role().char());
        let from = drop.is_none().then(|| text[..2].to_owned());
        let (to, promotion) = (text[2..4].to_owned(), text.chars().nth(4));
        shown.push(BrowserMove { from, drop, to, promotion, text });
    }
    shown
}
