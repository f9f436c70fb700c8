//! A player that speaks CECP, the protocol of XBoard and WinBoard.

mod features;
pub(crate) mod handshake;
pub(crate) mod setup;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use game::{Move, Outcome, PlayedVariant, TimeControl, excerpt};
use messages::cecp::{Audience, Command, GameResult, MateForm, Message, RootMoves, Switch, ThinkingLine};
use platform::Source;

pub(crate) use self::features::Features;
use crate::log::Log;
use crate::mend::{Abilities, MendedPlayer, Setting};
use crate::player::{ProtocolPlayer, next_arrival, not_offered, score};
use crate::stream::{Stream, Timed, Vocabulary};
use crate::{
    Arrival, Departure, NewGame, OptionValue, Player, PlayerEvent, PlayerFault, Repair, Spec, Thinking, Turn,
};

/// Maximum number of messages for persons that are kept while a program gets ready.
const MOST_REMARKS: usize = 16;

/// The vocabulary of CECP, from the GUI's side.
pub struct Cecp;

impl Vocabulary for Cecp {
    type Message = Message;
    const STRICT: bool = false;

    fn read(line: &str) -> Message {
        Message::parse(line)
    }
}

/// A CECP engine.
///
/// An engine with `reuse=0` gets a new process for every game. So does one without `ping` whose search was interrupted, since its
/// next move could belong to either game.
pub struct CecpPlayer {
    stream: Stream<Cecp>,
    features: Features,
    state: CecpState,
    game: GameState,
    /// Number of the last `ping`.
    pings: i64,
    /// The next game needs a new process.
    needs_restart: bool,
    /// The process has analysed.
    has_analysed: bool,
    /// Moves come as `move MOVE`, not in the form of version 1.
    says_move: bool,
    /// Messages for persons that came while the engine got ready.
    remarks: VecDeque<Arrival>,
}

/// State of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CecpState {
    /// Between games: its messages belong to the last one.
    Idle,
    /// In force mode at the beginning of a game.
    Forced,
    /// It has to move.
    Thinking,
    /// It analyses.
    Analysing,
    /// It has moved.
    Waiting,
}

/// Part of the current game that was sent to the engine.
#[derive(Default)]
struct GameState {
    /// Number of plies.
    told: usize,
    /// Text of the last move.
    last_told: Option<String>,
    /// Time control.
    control: Option<TimeControl>,
}

impl CecpPlayer {
    /// Starts the engine, negotiates features and sets its options.
    ///
    /// # Errors
    /// The engine cannot be started or ended, or an option is invalid.
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<CecpPlayer, PlayerFault> {
        let (stream, features) = handshake::start(spec, log, handshake::LONGEST_START)?;
        Ok(CecpPlayer {
            stream,
            features,
            state: CecpState::Idle,
            game: GameState::default(),
            pings: 0,
            needs_restart: false,
            has_analysed: false,
            says_move: false,
            remarks: VecDeque::new(),
        })
    }

    /// Whether the engine has announced anything.
    pub(crate) fn has_features(&self) -> bool {
        self.features.name.is_some()
            || self.features.done().is_some()
            || !self.features.asked_for().is_empty()
    }

    /// Whether the engine has said that it has announced everything.
    pub(crate) fn has_all_features(&self) -> bool {
        self.features.done() == Some(true)
    }

    /// Asks the engine to end.
    fn send_quit(&mut self) {
        // The engine may have ended already.
        let _ = self.stream.tell_all([Command::Force, Command::Quit]);
    }

    /// Stops the search, and tells the result.
    fn finish(&mut self, result: Command) -> Result<(), PlayerFault> {
        let is_busy = self.state == CecpState::Thinking;
        self.leave_analysis()?;
        self.state = CecpState::Idle;
        if is_busy && self.features.has(Switch::Sigint) {
            self.stream.interrupt();
        }
        self.needs_restart |= is_busy && !self.features.has(Switch::Ping);
        self.stream.tell(Command::Force)?;
        self.stream.tell(result)
    }

    fn leave_analysis(&mut self) -> Result<(), PlayerFault> {
        if self.state == CecpState::Analysing { self.stream.tell(Command::Exit) } else { Ok(()) }
    }

    /// Replaces the process by a new one.
    fn replace_process(&mut self) -> Result<(), PlayerFault> {
        let (stream, features) =
            handshake::start(&self.stream.spec, self.stream.log.0.clone(), handshake::LONGEST_START)?;
        self.send_quit();
        self.stream.replace(stream);
        self.features = features;
        self.needs_restart = false;
        self.has_analysed = false;
        Ok(())
    }

    fn set_up(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        let control = game.controls[game.color].phase_of(1);
        let told_clock = setup::time_control(&control, &self.features)?;
        let position = setup::position(&game.game, &self.features)?;
        self.stream.tell(Command::New)?;
        let played = PlayedVariant::of(&game.game);
        if played != PlayedVariant::CHESS {
            let name = self.features.variant_name(played);
            let name = name.ok_or_else(|| not_offered(self.features.variants(), played))?;
            self.stream.tell(Command::Variant(name.to_owned()))?;
        }
        self.stream.tell(Command::Post(true))?;
        self.stream.tell(Command::Ponder(game.ponder))?;
        if self.features.has(Switch::Name) && !game.opponent.trim().is_empty() {
            self.stream.tell(Command::Name(game.opponent.clone()))?;
            if let Some(command) = setup::rating(game) {
                self.stream.tell(command)?;
            }
            // Only for engines that ask for the opponent's name: Fairy-Max 5.0 may crash at unknown commands.
            self.stream.tell(Command::Computer)?;
        }
        self.stream.tell(Command::Force)?;
        position.into_iter().try_for_each(|line| self.stream.tell(line))?;
        self.game = GameState { told: 0, last_told: None, control: Some(control) };
        self.tell_moves(&game.game)?;
        // The moves of a session are counted from here on: those of an opening take no time.
        told_clock.into_iter().try_for_each(|command| self.stream.tell(command))
    }

    /// Sends the moves that were not sent yet.
    fn tell_moves(&mut self, game: &game::Game) -> Result<(), PlayerFault> {
        for text in setup::moves(game, self.game.told, &self.features) {
            self.game.last_told = Some(text.clone());
            self.stream.tell(setup::told_move(text, &self.features))?;
        }
        self.game.told = game.ply();
        Ok(())
    }

    /// Waits until the engine has processed its input. Without `ping`, that isn't known: returns at once.
    fn wait_until_ready(&mut self) -> Result<(), PlayerFault> {
        if !self.features.has(Switch::Ping) {
            return Ok(());
        }
        self.pings += 1;
        self.stream.tell(Command::Ping(self.pings))?;
        let until = self.stream.deadline();
        loop {
            let said = unprompted(self.stream.answer("ping", until)?);
            match said.message {
                Message::Pong(number) if number == self.pings => return Ok(()),
                Message::Features(features) => self.features.learn_all(features),
                Message::TellUserError(text) if text.contains("llegal position") => {
                    return Err(PlayerFault::Unsupported(format!("this position: {text}")));
                }
                _ if self.is_complaint(&said) => {
                    return Err(PlayerFault::Unsupported(format!("this opening: {}", said.line)));
                }
                message => {
                    let remark = remark(&message).map(|event| Arrival { at: said.at, event });
                    self.remarks.extend(remark.filter(|_| self.remarks.len() < MOST_REMARKS));
                }
            }
        }
    }

    /// Whether a message rejects the last move that was sent. The wording differs, and some engines use it for unknown commands;
    /// so the message has to contain the move.
    fn is_complaint(&self, said: &Timed<Message>) -> bool {
        let Some(told) = &self.game.last_told else { return false };
        let text = match &said.message {
            Message::IllegalMove { mv, .. } => mv,
            Message::Error { command, .. } => command,
            Message::Other(line) if line.starts_with("Illegal move") || line.starts_with("Invalid move") => {
                line
            }
            _ => return false,
        };
        text.split_whitespace().any(|word| word == told)
    }

    /// Handles a move. The official judges whether it is the engine's turn.
    fn moved(&mut self, text: String) -> PlayerEvent {
        if self.state == CecpState::Thinking {
            self.state = CecpState::Waiting;
            self.game.told += 1;
        }
        PlayerEvent::Move(text)
    }
}

impl ProtocolPlayer for CecpPlayer {
    type Vocabulary = Cecp;

    fn stream(&mut self) -> &mut Stream<Cecp> {
        &mut self.stream
    }

    fn understand(&mut self, said: Timed<Message>) -> Result<Option<PlayerEvent>, PlayerFault> {
        let said = unprompted(said);
        if let Message::Features(features) = said.message {
            self.features.learn_all(features);
            return Ok(None);
        }
        if self.state == CecpState::Idle {
            return Ok(None);
        }
        if self.is_complaint(&said) {
            return Ok(Some(PlayerEvent::Complaint(said.line)));
        }
        Ok(match said.message {
            Message::Move(text) => {
                self.says_move = true;
                Some(self.moved(text))
            }
            Message::Other(line) if !self.says_move => {
                former_move(&line).map(str::to_owned).map(|text| self.moved(text))
            }
            Message::Resign => Some(PlayerEvent::Resignation),
            Message::OfferDraw => Some(PlayerEvent::DrawOffer),
            Message::Result { result, comment } => {
                Some(PlayerEvent::Claim { result: result.to_string(), reason: comment.unwrap_or_default() })
            }
            Message::Thinking(mut line) => {
                let is_unknown = MateForm::of(self.name()) == MateForm::Moves;
                if is_unknown && self.features.repairs.contains(&Repair::MateScores) {
                    line.score = MateForm::guess(line.score).read(line.score);
                }
                Some(PlayerEvent::Thinking(thinking(line, self.name())))
            }
            message => remark(&message),
        })
    }
}

/// Reads a message behind prompts: GNU Chess writes `White (1) : pong 3` after an analysis.
fn unprompted(mut said: Timed<Message>) -> Timed<Message> {
    if let Message::Other(line) = &said.message {
        let text = without_prompts(line);
        if text.len() < line.len() {
            said.message = Message::parse(text);
        }
    }
    said
}

fn without_prompts(mut line: &str) -> &str {
    let prompt = |line: &str| {
        let rest = line.strip_prefix("White (").or_else(|| line.strip_prefix("Black ("))?;
        let number = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest[number..].starts_with(") : ").then_some(line.len() - rest.len() + number + ") : ".len())
    };
    while let Some(length) = prompt(line) {
        line = &line[length..];
    }
    line
}

/// Returns the command that tells an outcome.
pub(crate) fn cecp_result(outcome: Outcome) -> Command {
    let result = outcome.result().parse().unwrap_or(GameResult::Unknown);
    Command::Result { result, comment: Some(outcome.to_string()) }
}

/// Returns a message for persons, or for a chess server, in words.
pub(crate) fn remark(message: &Message) -> Option<PlayerEvent> {
    let text = match message {
        Message::TellUserError(text) => format!("tells the user about an error: {}", excerpt(text)),
        Message::Tell(audience, text) => format!("tells {}: {}", audience.in_words(), excerpt(text)),
        Message::AskUser { question, .. } => format!("asks the user: {}", excerpt(question)),
        _ => return None,
    };
    Some(match message {
        Message::Tell(Audience::Ics | Audience::IcsNoAlias, _) => PlayerEvent::ServerMessage(text),
        _ => PlayerEvent::Remark(text),
    })
}

/// Parses a move in the form of version 1 of the protocol, `12. ... e7e5`, which some engines still use.
pub(crate) fn former_move(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    let number = words.next()?.strip_suffix('.')?;
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let (dots, text, end) = (words.next()?, words.next()?, words.next());
    (is_number && dots == "..." && end.is_none()).then_some(text)
}

/// Converts the thinking output of a program of this name.
pub(crate) fn thinking(line: ThinkingLine, program: &str) -> Thinking {
    Thinking {
        depth: u32::try_from(line.depth).ok(),
        score: Some(score(MateForm::of(program).read(line.score))),
        nodes: Some(line.nodes),
        selective_depth: line.selective_depth,
        speed: line.kilonodes_per_second.map(|kilonodes| kilonodes.saturating_mul(1000)),
        hash_full: None,
        tablebase_hits: line.tablebase_hits,
        time: Some(Duration::from_millis(line.centiseconds.saturating_mul(10))),
        line: line.text,
    }
}

impl Player for CecpPlayer {
    fn name(&self) -> &str {
        self.features.name.as_deref().unwrap_or_default()
    }

    fn check_variant(&self, played: PlayedVariant) -> Result<(), PlayerFault> {
        match self.features.variant_name(played) {
            Some(_) => Ok(()),
            None => Err(not_offered(self.features.variants(), played)),
        }
    }

    fn check_control(&self, control: &TimeControl) -> Result<(), PlayerFault> {
        setup::time_control(control, &self.features).map(drop)
    }

    fn move_now(&mut self) -> Result<(), PlayerFault> {
        self.stream.tell(Command::MoveNow)
    }

    fn check_ready(&mut self) -> Result<(), PlayerFault> {
        if self.needs_restart || self.stream.has_ended() {
            // The next game gets a new process anyway.
            return Ok(());
        }
        self.game = GameState::default();
        self.wait_until_ready()
    }

    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        self.check_variant(PlayedVariant::of(&game.game))?;
        // HoiChess keeps `sd` in the games that follow.
        let control = game.controls[game.color].phase_of(1);
        let is_depth = |control: &TimeControl| matches!(control, TimeControl::Depth(_));
        let keeps_depth = self.game.control.as_ref().is_some_and(is_depth) && !is_depth(&control);
        if self.needs_restart || keeps_depth || self.stream.has_ended() {
            self.replace_process()?;
        }
        self.leave_analysis()?;
        self.set_up(game)?;
        self.wait_until_ready()?;
        self.needs_restart = !self.features.has(Switch::Reuse);
        self.state = CecpState::Forced;
        Ok(())
    }

    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        let us = turn.game.turn();
        let control = turn.clock.control(us).phase_of(turn.clock.move_number(us));
        if self.game.control.as_ref() != Some(&control) {
            let commands = setup::time_control(&control, &self.features)?;
            commands.into_iter().try_for_each(|command| self.stream.tell(command))?;
            self.game.control = Some(control);
        }
        // Outside force mode, the engine replies to a single move without `go`.
        let answers = self.state == CecpState::Waiting && self.game.told + 1 == turn.game.ply();
        if !answers {
            if self.state != CecpState::Forced {
                self.stream.tell(Command::Force)?;
            }
            self.tell_moves(turn.game)?;
        }
        if self.features.has(Switch::Time) {
            self.stream.tell(Command::Time {
                centiseconds: setup::centiseconds(turn.clock.remaining(us, turn.at)),
            })?;
            self.stream.tell(Command::OpponentTime {
                centiseconds: setup::centiseconds(turn.clock.remaining(!us, turn.at)),
            })?;
        }
        self.state = CecpState::Thinking;
        if answers { self.tell_moves(turn.game) } else { self.stream.tell(Command::Go) }
    }

    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        if self.features.has(Switch::Draw) { self.stream.tell(Command::Draw) } else { Ok(()) }
    }

    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault> {
        self.finish(cecp_result(outcome))
    }

    fn call_off(&mut self, reason: &str) -> Result<(), PlayerFault> {
        self.finish(Command::Result { result: GameResult::Unknown, comment: Some(reason.to_owned()) })
    }

    fn take(&mut self) -> Option<Arrival> {
        self.remarks.pop_front().or_else(|| next_arrival(self))
    }

    fn source(&self) -> Option<Source<'_>> {
        Some(self.stream.source())
    }

    fn quit(mut self: Box<Self>) -> Departure {
        self.send_quit();
        let grace = self.stream.spec.grace;
        self.stream.quit(grace)
    }
}

impl MendedPlayer for CecpPlayer {
    fn abilities(&self) -> Abilities {
        Abilities {
            analyses: self.features.has(Switch::Analyze),
            agrees: self.features.has(Switch::Draw),
            rounds_up: ![Repair::WholeSeconds, Repair::TimeCommands]
                .iter()
                .any(|repair| self.features.repairs.contains(repair)),
            counts_nodes: self.features.has(Switch::Nps),
            restricts: self.features.has(Switch::Exclude),
            memory: self.features.has(Switch::Memory),
            threads: self.features.has(Switch::Smp),
            variants: PlayedVariant::all().filter(|&played| self.check_variant(played).is_ok()).collect(),
            tables: self.features.endgame_tables.clone(),
            options: self.features.options.clone(),
        }
    }

    fn analyse(&mut self, game: &NewGame, roots: &[Move]) -> Result<(), PlayerFault> {
        self.new_game(game)?;
        self.state = CecpState::Analysing;
        self.has_analysed = true;
        self.stream.tell(Command::Analyze)?;
        if !roots.is_empty() && self.features.has(Switch::Exclude) {
            let roots =
                roots.iter().map(|&root| RootMoves::One(setup::move_text(&game.game, root, &self.features)));
            self.stream.tell(Command::Exclude(RootMoves::All))?;
            self.stream.tell_all(roots.map(Command::Include))?;
        }
        Ok(())
    }

    fn wait_no_longer_than(&mut self, until: Option<Instant>) {
        self.stream.limit = until;
    }

    fn is_spent(&self) -> bool {
        self.needs_restart
    }

    fn has_analysed(&self) -> bool {
        self.has_analysed
    }

    fn set(&mut self, setting: &Setting) -> Result<(), PlayerFault> {
        let command = match setting {
            Setting::Option { name, value } => {
                let value = OptionValue::Text(value.clone().unwrap_or_default());
                Command::Option { name: name.clone(), value: self.features.setting(name, &value)? }
            }
            Setting::Memory(mebibytes) => Command::Memory(*mebibytes),
            Setting::Threads(threads) => Command::Cores(*threads),
            Setting::Tables { flavor, path } => {
                Command::EgtPath { flavor: flavor.clone(), path: path.clone() }
            }
        };
        self.stream.tell(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_no_part_of_a_message() {
        assert_eq!(without_prompts("White (1) : Black (12) : pong 3"), "pong 3");
        for line in ["White (x) : pong 3", "White mates", "pong 3", ""] {
            assert_eq!(without_prompts(line), line);
        }
    }

    #[test]
    fn moves_in_the_forms_of_version_1() {
        assert_eq!(former_move("12. ... e7e5"), Some("e7e5"));
        assert_eq!(former_move("1. ... O-O"), Some("O-O"));
        for line in ["12. e7e5", "1. e4 e5", "12. ... e7e5 d2d4", "... ... x", "", "My move is: e7e5"] {
            assert_eq!(former_move(line), None, "{line}");
        }
    }
}
