//! The program behind a front: asked one question at a time, started again when it ends, and answered for when it fails.
//!
//! Whatever the program says, a front gets only what answers the present question: a legal move, lines of the position that was
//! asked about, true claims.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use game::{Clock, Game, Move, Outcome, TimeControl, excerpt};
use platform::Source;
use shakmaty::ByColor;

use super::player::{Abilities, MendedPlayer, Setting, Starter};
use super::question::{LAST_WORD, Question};
use crate::limit::RateLimit;
use crate::{NewGame, PlayerEvent, PlayerFault, Repair, Spec, Thinking, Turn};

/// Most restarts, and most moves that are no moves, for one question.
const MOST_STARTS: u32 = 3;
const MOST_REFUSALS: u32 = 1;

/// Time for a program to move when it is told to, with a line and without one. Then a move is made in its place.
const HURRY: Duration = Duration::from_millis(500);
const LONGEST_HURRY: Duration = Duration::from_secs(2);

/// Least time on the clock for which a program is started again. With less a move is made in its place.
const RESTART: Duration = Duration::from_millis(200);

/// Time for a program to read its input after it was interrupted. One that reads only between its searches is started again.
const LET_GO: Duration = Duration::from_secs(1);

/// Time after which an interrupted program is looked at, and for its answer then. One that thinks on is ended, as it takes processor
/// time from others.
const LOOK: Duration = Duration::from_millis(300);
const LOOK_PATIENCE: Duration = Duration::from_millis(200);

/// Most lines and remarks of a program that are passed on in a second.
const MOST_LINES: u32 = 1000;

/// Time for a program to go on after it has claimed a wrong result.
const SULKING: Duration = Duration::from_secs(1);

/// What a front learns from the program.
#[derive(Debug)]
pub(super) enum News {
    /// The answer to the question.
    Answer(Answer),
    /// A line of the position, with its rank from 1, and its legal moves.
    Line(u32, Thinking, Vec<Move>),
    /// The program offers or accepts a draw.
    Draw,
    /// The program resigns. A front whose protocol has no word for that makes this move.
    Resignation(Option<Answer>),
    /// The program claims a draw, rightly.
    DrawClaim(String),
    /// Text for persons.
    Remark(String),
    /// The program does not answer, for this reason. A front that has to move makes this move.
    GivenUp(String, Option<Answer>),
}

/// A move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    pub(super) mv: Move,
    /// The reply that the program expects.
    pub(super) expected: Option<Move>,
}

/// A question that waits for its answer.
struct Asked {
    question: Question,
    /// Restarts and refused moves so far.
    starts: u32,
    refusals: u32,
    /// When the program has to be told to move, and when it was.
    due: Option<Instant>,
    hurried: Option<Instant>,
    /// When the program has claimed a wrong result, and has said nothing about the position since.
    silent_since: Option<Instant>,
    /// The program claims a draw with its next move.
    claims_draw: Option<String>,
    /// The best line so far.
    best: Thinking,
    line: Vec<Move>,
}

/// The game as far as the program knows it.
struct KnownGame {
    game: Game,
    /// It has moved: it can only be sent one more move.
    has_moved: bool,
    ponder: bool,
    /// A limit that stays until the next game.
    limit: Option<TimeControl>,
}

/// The process of a program.
enum Engine {
    Off,
    /// It gets ready on a thread of its own, so that no clock has to wait for it.
    Starting(Receiver<Result<Box<dyn MendedPlayer>, PlayerFault>>),
    On(Box<dyn MendedPlayer>),
}

/// A program and how to start it.
pub(super) struct Program {
    spec: Spec,
    starter: Starter,
    engine: Engine,
    /// Why it could not be started the first time.
    failure: Option<PlayerFault>,
    /// Empty before the first start.
    name: String,
    abilities: Abilities,
    settings: Vec<Setting>,
    known: Option<KnownGame>,
    asked: Option<Asked>,
    /// Whether it was thinking when it was last interrupted, so that it may not have read that yet.
    was_interrupted: bool,
    /// When it is looked at whether it has.
    look_at: Option<Instant>,
    /// A move was made in its place, and the game goes on.
    has_stand_in: bool,
    /// How long it was waited for when it got ready last.
    patience: Duration,
    told: RateLimit,
    news: VecDeque<News>,
}

/// Start, settings and end.
impl Program {
    /// A program that is not started yet.
    pub(super) fn new(spec: Spec, starter: Starter) -> Program {
        Program {
            patience: spec.patience,
            spec,
            starter,
            engine: Engine::Off,
            failure: None,
            name: String::new(),
            abilities: Abilities::default(),
            settings: Vec::new(),
            known: None,
            asked: None,
            was_interrupted: false,
            look_at: None,
            has_stand_in: false,
            told: RateLimit::new(MOST_LINES, Duration::from_secs(1)),
            news: VecDeque::new(),
        }
    }

    /// Lets the program get ready, unless it is or does.
    fn begin_start(&mut self) {
        if matches!(self.engine, Engine::Off) {
            let (sender, receiver) = mpsc::channel();
            let (starter, spec) = (Arc::clone(&self.starter), self.spec.clone());
            let start = move || {
                // Without a listener the program goes.
                let _ = sender.send(starter(&spec));
            };
            // Without a thread nothing will come.
            let _ = thread::Builder::new().name("starting".into()).spawn(start);
            self.engine = Engine::Starting(receiver);
        }
    }

    /// The program. It is started if it doesn't run, and waited for as long as the present question allows.
    fn player(&mut self) -> Result<&mut dyn MendedPlayer, PlayerFault> {
        self.begin_start();
        if let Engine::Starting(starting) = &self.engine {
            let limit = self.asked.as_ref().and_then(|asked| asked.question.last_moment());
            let limit = limit.map_or(Duration::MAX, |limit| limit.saturating_duration_since(Instant::now()));
            let started = match starting.recv_timeout(limit) {
                Err(RecvTimeoutError::Timeout) => return Err(PlayerFault::Start("it takes too long".into())),
                Err(RecvTimeoutError::Disconnected) => Err(PlayerFault::Start("there is no thread".into())),
                Ok(started) => started,
            };
            self.engine = Engine::Off;
            let mut player = started?;
            self.was_interrupted = false;
            self.abilities = player.abilities();
            let own = Some(player.name()).filter(|name| !name.is_empty());
            let name = self.spec.name.as_deref().or(own).unwrap_or(self.spec.command.file_name());
            self.name = name.to_owned();
            self.settings.iter().try_for_each(|setting| player.set(setting))?;
            self.engine = Engine::On(player);
        }
        match &mut self.engine {
            Engine::On(player) => Ok(&mut **player),
            Engine::Off | Engine::Starting(_) => Err(PlayerFault::Start("it was not waited for".into())),
        }
    }

    fn running(&mut self) -> Option<&mut dyn MendedPlayer> {
        if let Engine::On(player) = &mut self.engine { Some(&mut **player) } else { None }
    }

    /// Starts the program if it never ran: then its name and abilities are known.
    ///
    /// # Errors
    /// It can't be started, now or ever.
    pub(super) fn meet(&mut self) -> Result<(), PlayerFault> {
        if !self.name.is_empty() {
            return Ok(());
        }
        let met = self.player().map(drop);
        self.failure = met.clone().err();
        met
    }

    /// Why the program could not be started the first time: then there is nothing to be mended.
    pub(super) fn failure(&self) -> Option<&PlayerFault> {
        self.failure.as_ref()
    }

    /// Name of the program, once it was started.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// What the program can do, once it was started.
    pub(super) fn abilities(&self) -> &Abilities {
        &self.abilities
    }

    /// Changes a setting, now and after each restart.
    ///
    /// # Errors
    /// The program has no such option, or the value is invalid, in words.
    pub(super) fn set(&mut self, setting: Setting) -> Result<(), String> {
        let set = self.player().and_then(|player| player.set(&setting));
        set.map_err(|fault| match fault {
            PlayerFault::Start(reason) => reason,
            fault => format!("the program {fault}"),
        })?;
        if let Setting::Option { name, value: Some(_) } = &setting {
            self.settings
                .retain(|known| !matches!(known, Setting::Option { name: other, .. } if other == name));
        }
        if !matches!(setting, Setting::Option { value: None, .. }) {
            self.settings.push(setting);
        }
        Ok(())
    }

    /// Ends the program. One that was thinking and does not read is killed.
    pub(super) fn quit(&mut self) {
        if self.asked.take().is_some() {
            self.was_interrupted = true;
            // It will be seen whether that was read.
            let _ = self.running().map(|player| player.call_off("the end"));
        }
        if self.is_deaf() {
            self.engine = Engine::Off;
        }
        if let Engine::On(player) = std::mem::replace(&mut self.engine, Engine::Off) {
            player.quit();
        }
    }

    /// Source that is ready when the program has said something.
    pub(super) fn source(&self) -> Option<Source<'_>> {
        if let Engine::On(player) = &self.engine { player.source() } else { None }
    }

    fn note(&mut self, text: String) {
        self.news.push_back(News::Remark(text));
    }

    /// Passes on what the program may say without end: the GUI has to read it.
    fn pass_on(&mut self, news: News) {
        if self.told.allows(Instant::now()) {
            self.news.push_back(news);
        }
    }
}

/// Questions.
impl Program {
    /// Whether the next question can be asked: there is none, and the front knows everything about the last one.
    pub(super) fn is_free(&self) -> bool {
        self.asked.is_none() && self.news.is_empty()
    }

    /// Whether a question waits for its answer.
    pub(super) fn is_asked(&self) -> bool {
        self.asked.is_some()
    }

    /// The best line so far about the present question, and when that was asked.
    pub(super) fn best(&self) -> Option<(&Question, &Thinking)> {
        self.asked.as_ref().map(|asked| (&asked.question, &asked.best))
    }

    /// Prepares for a game, so that the program's clock does not run meanwhile. Faults come again with the question.
    pub(super) fn prepare(&mut self, question: &Question) {
        if self.meet().is_ok() && self.asked.is_none() && self.known.is_none() && !question.is_analysis {
            let _ = self.set_up(question);
        }
    }

    /// Asks a question in place of the present one.
    pub(super) fn ask(&mut self, question: Question) {
        self.interrupt();
        self.asked = Some(Asked {
            due: question.due(),
            question,
            starts: 0,
            refusals: 0,
            hurried: None,
            silent_since: None,
            claims_draw: None,
            best: Thinking::default(),
            line: Vec::new(),
        });
        self.begin();
    }

    /// Drops the present question: its answer will not come.
    pub(super) fn interrupt(&mut self) {
        if self.asked.is_some() {
            self.end_game(None);
        }
    }

    /// Ends the game, also while the program ponders.
    pub(super) fn end_game(&mut self, outcome: Option<Outcome>) {
        self.has_stand_in = false;
        let was_thinking = self.asked.take().is_some();
        let was_playing = self.known.take().is_some();
        if was_thinking {
            self.was_interrupted = true;
            self.look_at = Instant::now().checked_add(LOOK);
        }
        let Some(player) = self.running().filter(|_| was_thinking || was_playing) else { return };
        let told = match outcome {
            Some(outcome) => player.end_game(outcome),
            None => player.call_off("the position is set up anew"),
        };
        if told.is_err() {
            // A program that has ended is started again for the next question.
            self.engine = Engine::Off;
        } else if player.is_spent() {
            self.retire();
        }
    }

    /// Ends the process in its own time.
    fn retire(&mut self) {
        if let Engine::On(player) = std::mem::replace(&mut self.engine, Engine::Off) {
            // Without a thread it is killed.
            let _ = thread::Builder::new().name("ending".into()).spawn(move || player.quit());
        }
    }

    /// Offers a draw, if the program is thinking.
    pub(super) fn offer_draw(&mut self) {
        if let (Engine::On(player), Some(_)) = (&mut self.engine, &self.asked) {
            let _ = player.offer_draw();
        }
    }

    /// Tells the program to move. The answer comes in [`HURRY`], at once for an analysis.
    pub(super) fn hurry(&mut self) {
        let Some(asked) = &mut self.asked else { return };
        if asked.question.is_analysis {
            return self.stand_in("");
        }
        if asked.hurried.is_none() {
            asked.hurried = Some(Instant::now());
            if let Some(player) = self.running() {
                let _ = player.move_now();
            }
        }
    }

    /// Lets the program ponder after its move.
    pub(super) fn ponder(&mut self, clock: &Clock) {
        let (Some(known), Engine::On(player)) = (&self.known, &mut self.engine) else { return };
        if known.ponder && known.has_moved {
            // A fault is an event, too.
            let _ = player.wait(&Turn { game: &known.game, clock, at: Instant::now() });
        }
    }

    /// When [`Program::tick`] has to be called.
    pub(super) fn deadline(&self) -> Option<Instant> {
        let Some(asked) = &self.asked else { return self.look_at };
        let due = match asked.hurried {
            None => asked.due,
            Some(_) if asked.line.is_empty() => asked.limit(LONGEST_HURRY),
            Some(_) => asked.limit(HURRY),
        };
        asked.gone_since().into_iter().chain(due).min()
    }

    /// Does what is due.
    pub(super) fn tick(&mut self, now: Instant) {
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return;
        }
        match &self.asked {
            None => self.look(),
            Some(asked) if asked.gone_since().is_some_and(|gone| now >= gone) => {
                self.ask_again("the program plays no more after its claim", Program::give_up);
            }
            Some(Asked { hurried: None, .. }) => self.hurry(),
            _ => self.stand_in("the program is late"),
        }
    }

    /// Ends an interrupted program that thinks on. In a game another one gets ready before it is asked again.
    fn look(&mut self) {
        self.look_at = None;
        if self.known.is_none() && self.is_deaf() {
            self.engine = Engine::Off;
        }
        if self.has_stand_in {
            self.begin_start();
        }
    }

    /// Whether an interrupted program does not read its input.
    fn is_deaf(&mut self) -> bool {
        if !std::mem::take(&mut self.was_interrupted) {
            return false;
        }
        self.running().is_some_and(|player| {
            player.wait_no_longer_than(Instant::now().checked_add(LOOK_PATIENCE));
            player.check_ready().is_err()
        })
    }

    fn begin(&mut self) {
        while let Err(fault) = self.try_to_begin() {
            if !self.recover(&fault) {
                return;
            }
        }
    }

    fn try_to_begin(&mut self) -> Result<(), PlayerFault> {
        let Some(asked) = &self.asked else { return Ok(()) };
        let question = asked.question.clone();
        self.player()?;
        let limit = self.limit(&question);
        if question.is_analysis {
            self.known = None;
            let new = self.new_game(&question);
            self.patient()?.analyse(&new, &question.roots)?;
            self.was_interrupted = false;
            return Ok(());
        }
        let known = self.known.as_ref().is_some_and(|known| {
            known.leads_to(&question.game) && known.ponder == question.ponder && known.limit == limit
        });
        if !known {
            self.set_up(&question)?;
        }
        let at = Instant::now();
        let clock = question.told_clock(&self.abilities, at);
        let player = self.player()?;
        player.wait_no_longer_than(question.last_moment());
        player.think(&Turn { game: &question.game, clock: &clock, at })?;
        let ponder = question.ponder;
        self.known = Some(KnownGame { game: question.game, has_moved: false, ponder, limit });
        Ok(())
    }

    fn set_up(&mut self, question: &Question) -> Result<(), PlayerFault> {
        self.known = None;
        if self.player()?.has_analysed() {
            self.retire();
            self.player()?;
        }
        let new = self.new_game(question);
        self.patient()?.new_game(&new)?;
        self.was_interrupted = false;
        let (game, limit) = (question.game.clone(), self.limit(question));
        self.known = Some(KnownGame { game, has_moved: false, ponder: question.ponder, limit });
        Ok(())
    }

    /// The program, with as much time to get ready as it may need: no more than half of what is left.
    fn patient(&mut self) -> Result<&mut dyn MendedPlayer, PlayerFault> {
        let now = Instant::now();
        let last_moment = self.asked.as_ref().and_then(|asked| asked.question.last_moment());
        let half = last_moment.map(|at| at.saturating_duration_since(now) / 2);
        let let_go = self.was_interrupted.then_some(LET_GO);
        self.patience = half.into_iter().chain(let_go).fold(self.spec.patience, Duration::min);
        let until = now.checked_add(self.patience);
        let player = self.player()?;
        player.wait_no_longer_than(until);
        Ok(player)
    }

    fn limit(&self, question: &Question) -> Option<TimeControl> {
        let control = question.control(&self.abilities);
        Some(control).filter(|control| matches!(control, TimeControl::Depth(_) | TimeControl::Nodes(_)))
    }

    fn new_game(&self, question: &Question) -> NewGame {
        let control = question.control(&self.abilities);
        NewGame {
            game: question.game.clone(),
            color: question.color(),
            controls: ByColor { white: control.clone(), black: control },
            opponent: question.opponent.clone(),
            ratings: question.ratings,
            ponder: question.ponder,
        }
    }

    /// Ends a program that failed. Returns whether its question shall be asked again.
    fn recover(&mut self, fault: &PlayerFault) -> bool {
        self.known = None;
        let has_run = matches!(self.engine, Engine::On(_));
        if has_run {
            // It is killed: whoever fails does not end in time.
            self.engine = Engine::Off;
        }
        let does_not_read =
            matches!(fault, PlayerFault::Silence(_)) && std::mem::take(&mut self.was_interrupted);
        if has_run && !does_not_read {
            self.learn(fault);
        }
        if self.name.is_empty() {
            self.failure = Some(fault.clone());
            self.give_up(&format!("the program {fault}"));
            return false;
        }
        self.begin_start();
        let Some(asked) = &mut self.asked else {
            self.note(format!("the program {fault}; it is started again for the next move"));
            return false;
        };
        let soon = Instant::now() + RESTART;
        if asked.question.last_moment().is_some_and(|last_moment| last_moment < soon) {
            self.stand_in(&format!("the program {fault}"));
            return false;
        }
        if does_not_read {
            self.note("the program does not read while it thinks; it is started again".to_owned());
            return true;
        }
        asked.starts += 1;
        match fault {
            PlayerFault::Unsupported(_) if asked.starts > MOST_REFUSALS => {
                self.stand_in(&format!("the program {fault}"));
                return false;
            }
            PlayerFault::Start(_) => self.give_up(&format!("the program {fault}")),
            _ if asked.starts > MOST_STARTS => self.give_up(&format!("the program {fault}")),
            _ => self.note(format!("the program {fault}; it is started again")),
        }
        self.asked.is_some()
    }

    /// Turns on a repair that would have helped, and off one that may have done harm.
    fn learn(&mut self, fault: &PlayerFault) {
        let Some(asked) = &self.asked else { return };
        let has_died = matches!(fault, PlayerFault::Died(_));
        let is_set_up = !asked.question.game.has_standard_start();
        if has_died && is_set_up && self.spec.repairs.remove(&Repair::SetBoard) {
            return self
                .note("the program may not understand `edit`: it gets `setboard` from now on".to_owned());
        }
        let (repair, why) = if has_died && asked.question.has_decimals(&self.abilities) {
            (Repair::WholeSeconds, "may not understand decimals in `st`")
        } else if *fault == PlayerFault::Silence("ping") && self.patience >= LET_GO {
            (Repair::Ping, "leaves `ping` without an answer")
        } else {
            return;
        };
        if self.spec.repairs.insert(repair) {
            self.note(format!("the program {why}: `{repair}` is repaired from now on"));
        }
    }

    fn give_up(&mut self, reason: &str) {
        let instead = self.asked.take().and_then(|asked| asked.instead());
        self.news.push_back(News::GivenUp(reason.to_owned(), instead));
    }

    /// Moves in the place of a program that does not, for this reason, and tells it to stop.
    fn stand_in(&mut self, reason: &str) {
        let Some(asked) = &self.asked else { return };
        let instead = asked.instead();
        if !asked.question.is_analysis {
            let what = if asked.line.is_empty() { "a legal move" } else { "the move of its best line" };
            self.note(format!("{reason}: {what} is made in its place"));
        }
        self.interrupt();
        self.has_stand_in = true;
        self.news.extend(instead.map(News::Answer));
    }
}

/// What the program says.
impl Program {
    /// Takes the next news, if there are any. A program that writes without end is read until this time.
    pub(super) fn take(&mut self, until: Instant) -> Option<News> {
        while self.news.is_empty() {
            let arrival = self.running()?.take()?;
            self.hear(arrival.event);
            if Instant::now() >= until {
                break;
            }
        }
        self.news.pop_front()
    }

    fn hear(&mut self, event: PlayerEvent) {
        match event {
            PlayerEvent::Move(text) => self.hear_move(&text),
            PlayerEvent::Thinking(thinking) => self.hear_line(1, thinking),
            PlayerEvent::OtherLine(rank, thinking) => self.hear_line(rank, thinking),
            PlayerEvent::DrawOffer if self.known.is_some() => self.pass_on(News::Draw),
            PlayerEvent::Resignation if self.known.is_some() => {
                self.known = None;
                let instead = self.asked.take().and_then(|asked| asked.instead());
                self.news.push_back(News::Resignation(instead));
            }
            PlayerEvent::Claim { result, reason } if self.known.is_some() => self.hear_claim(&result, reason),
            PlayerEvent::Complaint(text) => {
                let complaint = format!("the program complains: {}", excerpt(&text));
                self.ask_again(&complaint, Program::stand_in);
            }
            PlayerEvent::Remark(text) | PlayerEvent::ServerMessage(text) => {
                self.pass_on(News::Remark(format!("the program {text}")));
            }
            PlayerEvent::Fault(fault) => {
                if self.recover(&fault) {
                    self.begin();
                }
            }
            PlayerEvent::DrawOffer
            | PlayerEvent::Resignation
            | PlayerEvent::Claim { .. }
            | PlayerEvent::DrawRefusal
            | PlayerEvent::Clock(_) => {}
        }
    }

    fn hear_move(&mut self, text: &str) {
        // Moves for which nobody has asked are dropped.
        let Some(asked) = self.asked.as_mut().filter(|asked| !asked.question.is_analysis) else { return };
        let mut game = asked.question.game.clone();
        let Some(mv) = game.parse_move(text).ok().filter(|&mv| game.play(mv).is_ok()) else {
            let illegal = format!("the program makes the illegal move {}", excerpt(text));
            return self.ask_again(&illegal, Program::give_up);
        };
        let follows = asked.line.first() == Some(&mv);
        let expected = asked.line.get(1).copied().filter(|_| follows);
        let claim = asked.claims_draw.take().filter(|_| game.claim().is_some());
        self.asked = None;
        if let Some(known) = &mut self.known {
            (known.game, known.has_moved) = (game, true);
        }
        self.news.push_back(News::Answer(Answer { mv, expected }));
        self.news.extend(claim.map(News::DrawClaim));
    }

    /// Starts a program anew that has said something wrong, and asks it again. The second time it is dealt with `otherwise`.
    fn ask_again(&mut self, what: &str, otherwise: fn(&mut Program, &str)) {
        self.known = None;
        let Some(asked) = &mut self.asked else { return };
        asked.refusals += 1;
        if asked.refusals > MOST_REFUSALS {
            return otherwise(self, what);
        }
        self.note(format!("{what}; it is started again and asked once more"));
        self.engine = Engine::Off;
        self.begin();
    }

    fn hear_claim(&mut self, result: &str, reason: String) {
        let Some(known) = &self.known else { return };
        let on_board = known.game.outcome().map(|outcome| outcome.result());
        let turn = known.game.turn();
        let color = if known.has_moved { !turn } else { turn };
        match result {
            "1/2-1/2" if known.game.claim().is_some() => self.pass_on(News::DrawClaim(reason)),
            "1/2-1/2" if self.asked.is_some() && on_board.is_none() => {
                // The claim may hold after the move.
                if let Some(asked) = &mut self.asked {
                    asked.claims_draw = Some(reason);
                }
            }
            // The front knows the ends on the board.
            result if on_board == Some(result) => {}
            // An older form of `resign`.
            result if result == color.fold_wb("0-1", "1-0") && reason.to_lowercase().contains("resign") => {
                self.hear(PlayerEvent::Resignation);
            }
            result => {
                if let Some(asked) = &mut self.asked {
                    asked.silent_since.get_or_insert(Instant::now());
                    self.pass_on(News::Remark(format!("the program claims the wrong result {result}")));
                }
            }
        }
    }

    fn hear_line(&mut self, rank: u32, thinking: Thinking) {
        let Some(asked) = &mut self.asked else { return };
        asked.silent_since = None;
        let moves = thinking.moves(&asked.question.game);
        let roots = &asked.question.roots;
        let is_about_it = match moves.first() {
            Some(first) => roots.is_empty() || roots.contains(first),
            None => thinking.line.is_empty(),
        };
        let (depth, nodes) = (thinking.depth, thinking.nodes);
        let is_too_deep = asked.question.depth.is_some_and(|most| depth.is_some_and(|depth| depth > most));
        let is_too_much = asked.question.nodes.is_some_and(|most| nodes.is_some_and(|nodes| nodes >= most));
        asked.foresee(depth, nodes);
        if is_about_it && !is_too_deep {
            if rank == 1 {
                asked.best.update(thinking.clone());
                if !moves.is_empty() {
                    asked.line.clone_from(&moves);
                }
            }
            self.pass_on(News::Line(rank, thinking, moves));
        }
        if is_too_deep || is_too_much {
            self.hurry();
        }
    }
}

impl Asked {
    /// Brings forward when the program has to be told to move, by what it shows of a limit that is looked after here.
    fn foresee(&mut self, depth: Option<u32>, nodes: Option<u64>) {
        let (now, begun) = (Instant::now(), self.question.heard);
        let (mut by_nodes, mut by_depth) = (None, None);
        if let (Some(most), Some(nodes @ 1..)) = (self.question.nodes, nodes) {
            // At this speed the limit comes before the next line, perhaps.
            let left = (now - begun).mul_f64((most.saturating_sub(nodes)) as f64 / nodes as f64);
            by_nodes = now.checked_add(left);
        }
        if self.question.is_analysis && self.question.depth.is_some() && depth == self.question.depth {
            // A better line of this depth may come.
            by_depth = Some(now + (now - begun).max(LAST_WORD));
        }
        self.due = [self.due, by_nodes, by_depth].into_iter().flatten().min();
    }

    /// When a program that has claimed a wrong result counts as one that plays no more.
    fn gone_since(&self) -> Option<Instant> {
        self.silent_since.map(|since| since + SULKING)
    }

    /// When a program that was told to move is no longer waited for.
    fn limit(&self, patience: Duration) -> Option<Instant> {
        let limit = self.hurried? + patience;
        Some(self.question.last_moment().map_or(limit, |last_moment| last_moment.min(limit)))
    }

    /// The move in the place of a program that makes none: the first one of its best line, or else any.
    fn instead(&self) -> Option<Answer> {
        let roots = &self.question.roots;
        let best = self.line.first().copied().filter(|best| roots.is_empty() || roots.contains(best));
        let any = || roots.first().copied().or_else(|| self.question.game.legal_moves().first().copied());
        let expected = self.line.get(1).copied().filter(|_| best.is_some());
        best.or_else(any).map(|mv| Answer { mv, expected })
    }
}

impl KnownGame {
    /// Whether this game continues the known one, so that it is enough to send the further moves.
    fn leads_to(&self, game: &Game) -> bool {
        let known = &self.game;
        let is_beginning = game.start_fen() == known.start_fen() && game.moves().starts_with(known.moves());
        is_beginning && (!self.has_moved || game.ply() == known.ply() + 1)
    }
}
