//! The program behind a front: asked one question at a time, started again when it ends, and answered for when it fails.
//!
//! Whatever the program says, a front gets only what answers the present question: a legal move, lines of the position that was
//! asked about, true claims.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Clock, Game, Move, Outcome, TimeControl, excerpt};
use platform::Source;
use shakmaty::ByColor;

use super::player::{self, Abilities, MendedPlayer, Setting};
use super::question::{LAST_WORD, Question};
use crate::{Log, NewGame, PlayerEvent, PlayerFault, Repair, Spec, Thinking, Turn};

/// Most restarts, and most moves that are no moves, for one question.
const MOST_STARTS: u32 = 3;
const MOST_REFUSALS: u32 = 1;

/// Time for a program to move when it is told to. After that its best line counts; without a line it is waited for.
const HURRY: Duration = Duration::from_millis(500);
const LONGEST_HURRY: Duration = Duration::from_secs(2);

/// Time for a program to read its input after it was interrupted. One that reads only between its searches is started again.
const LET_GO: Duration = Duration::from_secs(1);

/// Time after which an interrupted program is looked at, and for its answer then. One that thinks on is ended, as it takes processor
/// time from others.
const LOOK: Duration = Duration::from_millis(300);
const LOOK_PATIENCE: Duration = Duration::from_millis(200);

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
    /// The program resigns.
    Resignation,
    /// The program claims a draw, rightly.
    DrawClaim(String),
    /// Text for persons.
    Remark(String),
    /// The program does not answer, for this reason.
    GivenUp(String),
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

/// Starts a program, and may find out its protocol.
pub(super) type Starter = Box<dyn FnMut(&mut Spec) -> Result<Box<dyn MendedPlayer>, PlayerFault>>;

/// A program and how to start it.
pub(super) struct Program {
    spec: Spec,
    starter: Starter,
    player: Option<Box<dyn MendedPlayer>>,
    name: String,
    abilities: Abilities,
    settings: Vec<Setting>,
    known: Option<KnownGame>,
    asked: Option<Asked>,
    /// Whether it was thinking when it was last interrupted, so that it may not have read that yet.
    was_interrupted: bool,
    /// When it is looked at whether it has.
    look_at: Option<Instant>,
    news: VecDeque<News>,
}

/// Start, settings and end.
impl Program {
    /// A program that is not started yet. With `is_guess`, its protocol is found out.
    pub(super) fn new(spec: Spec, mut is_guess: bool, log: Option<Arc<dyn Log>>) -> Program {
        let starter = move |spec: &mut Spec| {
            let started = player::start(spec, is_guess, log.clone());
            is_guess &= started.is_err();
            started
        };
        Program::with(spec, Box::new(starter))
    }

    /// A program that is started in this way.
    pub(super) fn with(spec: Spec, starter: Starter) -> Program {
        Program {
            spec,
            starter,
            player: None,
            name: String::new(),
            abilities: Abilities::default(),
            settings: Vec::new(),
            known: None,
            asked: None,
            was_interrupted: false,
            look_at: None,
            news: VecDeque::new(),
        }
    }

    /// Starts the program unless it runs.
    ///
    /// # Errors
    /// It can't be started.
    pub(super) fn start(&mut self) -> Result<&mut dyn MendedPlayer, PlayerFault> {
        let player = if let Some(player) = self.player.take() {
            player
        } else {
            let mut player = (self.starter)(&mut self.spec)?;
            self.abilities = player.abilities();
            let own = Some(player.name()).filter(|name| !name.is_empty());
            let name = self.spec.name.as_deref().or(own).unwrap_or(self.spec.command.file_name());
            self.name = name.to_owned();
            for setting in &self.settings {
                player.set(setting)?;
            }
            player
        };
        Ok(&mut **self.player.insert(player))
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
        let set = self.start().and_then(|player| player.set(&setting));
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

    /// Ends the program.
    pub(super) fn quit(&mut self) {
        if let Some(player) = self.player.take() {
            player.quit();
        }
    }

    /// Source that is ready when the program has said something.
    pub(super) fn source(&self) -> Option<Source<'_>> {
        self.player.as_ref().and_then(|player| player.source())
    }

    fn note(&mut self, text: String) {
        self.news.push_back(News::Remark(text));
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
        if self.asked.is_none() && self.known.is_none() && !question.is_analysis {
            let _ = self.set_up(question);
        }
    }

    /// Asks a question in place of the present one.
    pub(super) fn ask(&mut self, question: Question) {
        self.interrupt();
        let due = question.due().filter(|_| !question.is_analysis || !question.roots.is_empty());
        self.asked = Some(Asked {
            question,
            starts: 0,
            refusals: 0,
            due,
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
        if self.asked.take().is_some() {
            self.was_interrupted = true;
            self.look_at = Instant::now().checked_add(LOOK);
            self.rest(None);
        }
    }

    /// Ends the game, also while the program ponders.
    pub(super) fn end_game(&mut self, outcome: Option<Outcome>) {
        let is_thinking = self.asked.take().is_some();
        if is_thinking {
            self.was_interrupted = true;
            self.look_at = Instant::now().checked_add(LOOK);
        }
        if is_thinking || self.known.is_some() {
            self.rest(outcome);
        }
    }

    fn rest(&mut self, outcome: Option<Outcome>) {
        self.known = None;
        let Some(player) = &mut self.player else { return };
        let told = match outcome {
            Some(outcome) => player.end_game(outcome),
            None => player.call_off("the position is set up anew"),
        };
        // A program that has ended is started again for the next question.
        if told.is_err() {
            self.player = None;
        }
    }

    /// Offers a draw, if the program is thinking.
    pub(super) fn offer_draw(&mut self) {
        if let (Some(player), Some(_)) = (&mut self.player, &self.asked) {
            let _ = player.offer_draw();
        }
    }

    /// Tells the program to move. The answer comes in [`HURRY`], at once for an analysis.
    pub(super) fn hurry(&mut self) {
        let Some(asked) = &mut self.asked else { return };
        if asked.question.is_analysis {
            return self.answer_for(true);
        }
        if asked.hurried.is_none() {
            asked.hurried = Some(Instant::now());
            if let Some(player) = &mut self.player {
                let _ = player.move_now();
            }
        }
    }

    /// Lets the program ponder after its move.
    pub(super) fn ponder(&mut self, clock: &Clock) {
        let (Some(known), Some(player)) = (&self.known, &mut self.player) else { return };
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
                self.refuse("plays no more after its claim");
            }
            Some(Asked { hurried: None, .. }) => self.hurry(),
            _ => self.answer_for(false),
        }
    }

    /// Ends an interrupted program that does not read its input, and so thinks on.
    fn look(&mut self) {
        self.look_at = None;
        let Some(player) = self.player.as_mut().filter(|_| self.was_interrupted && self.known.is_none())
        else {
            return;
        };
        player.be_patient(LOOK_PATIENCE);
        if player.check_ready().is_err() {
            self.player = None;
        }
        self.was_interrupted = false;
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
        self.start()?;
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
        self.start()?.think(&Turn { game: &question.game, clock: &clock, at })?;
        let ponder = question.ponder;
        self.known = Some(KnownGame { game: question.game, has_moved: false, ponder, limit });
        Ok(())
    }

    fn set_up(&mut self, question: &Question) -> Result<(), PlayerFault> {
        self.known = None;
        self.start()?;
        let new = self.new_game(question);
        self.patient()?.new_game(&new)?;
        self.was_interrupted = false;
        let (game, limit) = (question.game.clone(), self.limit(question));
        self.known = Some(KnownGame { game, has_moved: false, ponder: question.ponder, limit });
        Ok(())
    }

    /// The program, with as much time to get ready as it may need.
    fn patient(&mut self) -> Result<&mut dyn MendedPlayer, PlayerFault> {
        let patience = self.spec.patience;
        let patience = if self.was_interrupted { LET_GO.min(patience) } else { patience };
        let player = self.start()?;
        player.be_patient(patience);
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
        // It is killed: whoever fails does not end in time.
        self.player = None;
        if matches!(fault, PlayerFault::Silence(_)) && std::mem::take(&mut self.was_interrupted) {
            self.note("the program does not read while it thinks; it is started again".to_owned());
            return self.asked.is_some();
        }
        self.learn(fault);
        let Some(asked) = &mut self.asked else {
            self.note(format!("the program {fault}; it is started again for the next move"));
            return false;
        };
        asked.starts += 1;
        let is_hopeless = matches!(fault, PlayerFault::Unsupported(_) | PlayerFault::Start(_));
        if is_hopeless || asked.starts > MOST_STARTS {
            self.give_up(format!("the program {fault}"));
            return false;
        }
        self.note(format!("the program {fault}; it is started again"));
        true
    }

    /// Turns on a repair that would have helped, and off one that may have done harm.
    fn learn(&mut self, fault: &PlayerFault) {
        let is_set_up = self.asked.as_ref().is_some_and(|asked| !asked.question.game.has_standard_start());
        if matches!(fault, PlayerFault::Died(_)) && is_set_up && self.spec.repairs.remove(&Repair::SetBoard) {
            return self
                .note("the program may not understand `edit`: it gets `setboard` from now on".to_owned());
        }
        let has_decimals =
            |asked: &Asked| matches!(asked.question.control(&self.abilities), TimeControl::PerMove(_));
        let (repair, why) = match fault {
            PlayerFault::Silence("ping") => (Repair::Ping, "leaves `ping` without an answer"),
            PlayerFault::Died(_) if self.asked.as_ref().is_some_and(has_decimals) => {
                (Repair::WholeSeconds, "may not understand decimals in `st`")
            }
            _ => return,
        };
        if self.spec.repairs.insert(repair) {
            self.note(format!("the program {why}: `{repair}` is repaired from now on"));
        }
    }

    fn give_up(&mut self, reason: String) {
        self.asked = None;
        self.news.push_back(News::GivenUp(reason));
    }

    /// Answers in the place of a program that doesn't move: by its best line; without one by any move if one `must` be given.
    fn answer_for(&mut self, must: bool) {
        let Some(asked) = &mut self.asked else { return };
        let is_late = asked.hurried.is_some_and(|at| at.elapsed() >= LONGEST_HURRY);
        let legal = asked.question.roots.first().copied();
        let any = legal.or_else(|| asked.question.game.legal_moves().first().copied());
        let roots = &asked.question.roots;
        let best = asked.line.first().copied().filter(|best| roots.is_empty() || roots.contains(best));
        let best = best.or_else(|| any.filter(|_| must || is_late));
        let Some(mv) = best else { return };
        let expected = asked.line.get(1).copied().filter(|_| asked.line.first() == Some(&mv));
        let was_analysis = asked.question.is_analysis;
        self.asked = None;
        self.was_interrupted = was_analysis;
        self.rest(None);
        if !was_analysis {
            // It will not read what it is told, either.
            self.player = None;
            self.note("the program is late: its best line counts, and it is started again".to_owned());
        }
        self.news.push_back(News::Answer(Answer { mv, expected }));
    }
}

/// What the program says.
impl Program {
    /// Takes the next news, if there are any.
    pub(super) fn take(&mut self) -> Option<News> {
        while self.news.is_empty() {
            let arrival = self.player.as_mut()?.take()?;
            self.hear(arrival.event);
        }
        self.news.pop_front()
    }

    fn hear(&mut self, event: PlayerEvent) {
        match event {
            PlayerEvent::Move(text) => self.hear_move(&text),
            PlayerEvent::Thinking(thinking) => self.hear_line(1, thinking),
            PlayerEvent::OtherLine(rank, thinking) => self.hear_line(rank, thinking),
            PlayerEvent::DrawOffer if self.known.is_some() => self.news.push_back(News::Draw),
            PlayerEvent::Resignation if self.known.is_some() => {
                self.asked = None;
                self.known = None;
                self.news.push_back(News::Resignation);
            }
            PlayerEvent::Claim { result, reason } if self.known.is_some() => self.hear_claim(&result, reason),
            PlayerEvent::Complaint(text) => self.refuse(&format!("complains: {}", excerpt(&text))),
            PlayerEvent::Remark(text) | PlayerEvent::ServerMessage(text) => {
                self.note(format!("the program {text}"));
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
            return self.refuse(&format!("makes the illegal move {}", excerpt(text)));
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

    /// Sets a program up anew that has said something wrong, and asks it again; gives up the second time.
    fn refuse(&mut self, what: &str) {
        let Some(asked) = &mut self.asked else {
            self.known = None;
            return;
        };
        asked.refusals += 1;
        let is_over = asked.refusals > MOST_REFUSALS;
        self.rest(None);
        if is_over {
            return self.give_up(format!("the program {what}"));
        }
        self.note(format!("the program {what}; it is set up anew and asked again"));
        self.begin();
    }

    fn hear_claim(&mut self, result: &str, reason: String) {
        let Some(known) = &self.known else { return };
        let on_board = known.game.outcome().map(|outcome| outcome.result());
        let turn = known.game.turn();
        let color = if known.has_moved { !turn } else { turn };
        match result {
            "1/2-1/2" if known.game.claim().is_some() => self.news.push_back(News::DrawClaim(reason)),
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
                    self.note(format!("the program claims the wrong result {result}"));
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
        let is_too_deep =
            asked.question.depth.is_some_and(|most| thinking.depth.is_some_and(|depth| depth > most));
        let is_too_much =
            asked.question.nodes.is_some_and(|most| thinking.nodes.is_some_and(|nodes| nodes >= most));
        if rank == 1 && is_about_it && !is_too_deep {
            asked.best.update(thinking.clone());
            if !moves.is_empty() {
                asked.line.clone_from(&moves);
            }
        }
        if is_about_it && !is_too_deep {
            self.news.push_back(News::Line(rank, thinking, moves));
        }
        if is_too_deep || is_too_much {
            return self.hurry();
        }
        let (now, begun) = (Instant::now(), asked.question.heard);
        if let (Some(most), Some(nodes @ 1..)) = (asked.question.nodes, nodes) {
            // At this speed the limit comes before the next line, perhaps.
            let left = (now - begun).mul_f64((most.saturating_sub(nodes)) as f64 / nodes as f64);
            asked.due = now.checked_add(left).into_iter().chain(asked.due).min();
        }
        if asked.question.is_analysis && asked.question.depth.is_some() && depth == asked.question.depth {
            // A better line of this depth may come.
            asked.due = Some(now + (now - begun).max(LAST_WORD)).into_iter().chain(asked.due).min();
        }
    }
}

impl Asked {
    /// When a program that has claimed a wrong result counts as one that plays no more.
    fn gone_since(&self) -> Option<Instant> {
        self.silent_since.map(|since| since + SULKING)
    }

    /// When a program that was told to move is no longer waited for.
    fn limit(&self, patience: Duration) -> Option<Instant> {
        let limit = self.hurried? + patience;
        let flag = self.question.flag();
        // A program without a line gets the time: any move would be worse than a fallen flag.
        let flag = flag.filter(|_| !self.line.is_empty() && self.due.is_some());
        Some(flag.map_or(limit, |flag| limit.min(flag)))
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
