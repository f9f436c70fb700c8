//! A player that speaks the dialect of R. Hyatt's autoplayer proposal (1998). docs/AUTOPLAYER.md describes it.
//!
//! The dialect has neither a handshake nor options. Two settings of the conversation are given as options: `Moves` (`san` or
//! `coordinates`; SAN by default) and `Time` (whether the engine is told its own clock, too; true by default, as the interface keeps it).

use std::sync::Arc;
use std::time::Duration;

use game::{CastlingMode, Color, Game, Outcome, Phase, TimeControl, excerpt};
use messages::autoplayer::{MoveNotation, dialect};
use messages::cecp::{Command, GameResult, Message, TimeSession};
use platform::Source;

use crate::cecp::{cecp_result, remark, setup, thinking};
use crate::player::{ProtocolPlayer, next_arrival};
use crate::stream::{Stream, Timed};
use crate::{Arrival, Cecp, Departure, Log, NewGame, Player, PlayerEvent, PlayerFault, Spec, Turn, spec};

/// An engine of the dialect. It plays the side for which it is told `go`, or else answers moves.
pub struct AutoplayerPlayer {
    stream: Stream<Cecp>,
    notation: MoveNotation,
    tells_time: bool,
    state: DialectState,
    /// Whether all that it says belongs to this game: it has moved, or its process has played no other. Nothing in the dialect tells
    /// games apart.
    is_present: bool,
    /// It was ended while it thought: its move could come in the next game.
    needs_restart: bool,
    /// What it has said after a line that was too long.
    pending: Option<Arrival>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DialectState {
    /// No game: what it says belongs to the last one.
    Idle,
    /// A game is set up.
    Ready,
    /// It has to move.
    Thinking,
    /// It has moved.
    Waiting,
}

impl AutoplayerPlayer {
    /// Starts the engine. It is not asked for anything.
    ///
    /// # Errors
    /// [`PlayerFault::Start`]: the engine cannot be started, or an option is invalid.
    pub fn start(spec: &Spec, log: Option<Arc<dyn Log>>) -> Result<AutoplayerPlayer, PlayerFault> {
        let mut player = AutoplayerPlayer {
            stream: Stream::start(spec, log)?,
            notation: MoveNotation::default(),
            tells_time: true,
            state: DialectState::Idle,
            is_present: true,
            needs_restart: false,
            pending: None,
        };
        for (name, value) in &spec.options {
            let wrong = |expected| PlayerFault::Start(format!("option {name}: {expected}, not \"{value}\""));
            match name.to_ascii_lowercase().as_str() {
                "moves" => player.notation = value.to_string().parse().map_err(wrong)?,
                "time" => {
                    player.tells_time =
                        value.to_string().parse().map_err(|_| wrong("expected true or false"))?;
                }
                _ => return Err(spec::unknown_option(name, ["Moves", "Time"].into_iter())),
            }
        }
        Ok(player)
    }

    /// A `move` with something else than one word, which counts only where a move is awaited.
    fn odd_move(&mut self, line: &str) -> PlayerEvent {
        if self.state != DialectState::Thinking {
            return PlayerEvent::Remark(format!("writes {}", excerpt(line)));
        }
        (self.state, self.is_present) = (DialectState::Waiting, true);
        PlayerEvent::Move(line.trim_start().strip_prefix("move").unwrap_or_default().trim().to_owned())
    }

    fn tell(&mut self, command: &Command) -> Result<(), PlayerFault> {
        self.stream.tell(dialect::write(command))
    }

    fn finish(&mut self, result: &Command) -> Result<(), PlayerFault> {
        self.needs_restart |= self.state == DialectState::Thinking;
        (self.state, self.is_present) = (DialectState::Idle, false);
        self.tell(result)
    }

    /// Returns the last move of a game in the engine's notation.
    fn last_move(&self, game: &Game) -> Option<String> {
        let mut before = game.clone();
        let mv = before.undo()?;
        Some(match self.notation {
            MoveNotation::San => before.san(mv),
            MoveNotation::Coordinates => before.coordinate(mv),
        })
    }
}

/// Whether a line is meant to be a move.
fn is_move(line: &str) -> bool {
    line.split_whitespace().next() == Some("move")
}

/// Returns `level` in either of its forms.
fn level(control: &TimeControl) -> Result<Command, PlayerFault> {
    let phases = match control {
        TimeControl::Clock(phases) => phases.as_slice(),
        // The longest time that the dialect can say; the interface stops nobody.
        TimeControl::Unlimited => {
            return Ok(Command::Level {
                moves: 0,
                base: Duration::from_hours(24),
                increment: Duration::ZERO,
            });
        }
        // One move in the time, again and again.
        TimeControl::PerMove(time) => {
            return Ok(Command::Level { moves: 1, base: *time, increment: Duration::ZERO });
        }
        TimeControl::Depth(_) | TimeControl::Nodes(_) => &[],
    };
    match *phases {
        [Phase { moves, time, increment }] => {
            Ok(Command::Level { moves: moves.unwrap_or(0), base: time, increment })
        }
        [Phase { moves: Some(moves), time, increment: Duration::ZERO }, later]
            if later.increment.is_zero() =>
        {
            let later = TimeSession { moves: later.moves.unwrap_or(0), time: later.time };
            Ok(Command::Sessions { first: TimeSession { moves, time }, later })
        }
        _ => Err(PlayerFault::Unsupported(format!("with the time control {control}"))),
    }
}

impl ProtocolPlayer for AutoplayerPlayer {
    type Vocabulary = Cecp;

    fn stream(&mut self) -> &mut Stream<Cecp> {
        &mut self.stream
    }

    fn understand(&mut self, said: Timed<Message>) -> Result<Option<PlayerEvent>, PlayerFault> {
        if self.state == DialectState::Idle {
            return Ok(None);
        }
        Ok(match said.message {
            Message::Move(text) => {
                if self.state == DialectState::Thinking {
                    (self.state, self.is_present) = (DialectState::Waiting, true);
                }
                Some(PlayerEvent::Move(text))
            }
            Message::Time { .. } | Message::Result { result: GameResult::Known(_), .. }
                if !self.is_present =>
            {
                None
            }
            Message::Draw | Message::OfferDraw => Some(PlayerEvent::DrawOffer),
            Message::Decline => Some(PlayerEvent::DrawRefusal),
            Message::Time { centiseconds } => {
                Some(PlayerEvent::Clock(Duration::from_millis(centiseconds.saturating_mul(10))))
            }
            Message::Resign => Some(PlayerEvent::Resignation),
            Message::Result { result, comment } => {
                self.state = DialectState::Waiting;
                Some(PlayerEvent::Claim { result: result.to_string(), reason: comment.unwrap_or_default() })
            }
            Message::Thinking(line) => Some(PlayerEvent::Thinking(thinking(line, self.name()))),
            Message::IllegalMove { .. } => Some(PlayerEvent::Complaint(said.line)),
            // It believes to have moved; what is no move is judged like an illegal one.
            Message::Other(_) if is_move(&said.line) => Some(self.odd_move(&said.line)),
            message => remark(&message),
        })
    }
}

impl Player for AutoplayerPlayer {
    fn new_game(&mut self, game: &NewGame) -> Result<(), PlayerFault> {
        if game.game.mode() == CastlingMode::Chess960 {
            return Err(PlayerFault::Unsupported("Chess960".into()));
        }
        let level = level(&game.controls[game.color])?;
        if self.needs_restart || self.stream.has_ended() {
            let stream = Stream::start(&self.stream.spec, self.stream.log.0.clone())?;
            // It may have ended already.
            let _ = self.tell(&Command::Quit);
            self.stream.replace(stream);
            (self.needs_restart, self.is_present) = (false, true);
        }
        self.tell(&Command::New)?;
        // The dialect has no moves that nobody answers: an opening is a position.
        if !game.game.is_start_position() {
            self.tell(&Command::SetBoard(game.game.fen()))?;
        }
        if !game.opponent.trim().is_empty() {
            self.tell(&Command::Name(game.opponent.clone()))?;
        }
        if let Some(command) = setup::rating(game) {
            self.tell(&command)?;
        }
        self.tell(&level)?;
        self.state = DialectState::Ready;
        Ok(())
    }

    fn think(&mut self, turn: &Turn) -> Result<(), PlayerFault> {
        let us = turn.game.turn();
        let clock = |color: Color| setup::centiseconds(turn.clock.remaining(color, turn.at));
        if self.tells_time {
            self.tell(&Command::Time { centiseconds: clock(us) })?;
        }
        self.tell(&Command::OpponentTime { centiseconds: clock(!us) })?;
        let is_first = self.state == DialectState::Ready;
        self.state = DialectState::Thinking;
        // An engine that has the first move of a game is told `go`; the other one simply gets a move.
        let played =
            if is_first && turn.clock.moves_made(!us) == 0 { None } else { self.last_move(turn.game) };
        self.tell(&played.map_or(Command::Go, Command::BareMove))
    }

    fn offer_draw(&mut self) -> Result<(), PlayerFault> {
        self.tell(&Command::Draw)
    }

    fn decline_draw(&mut self) -> Result<(), PlayerFault> {
        self.tell(&Command::Decline)
    }

    fn opponent_clock(&mut self, left: Duration) -> Result<(), PlayerFault> {
        self.tell(&Command::OpponentTime { centiseconds: setup::centiseconds(Some(left)) })
    }

    fn end_game(&mut self, outcome: Outcome) -> Result<(), PlayerFault> {
        self.finish(&cecp_result(outcome))
    }

    fn call_off(&mut self, reason: &str) -> Result<(), PlayerFault> {
        self.finish(&Command::Result { result: GameResult::Unknown, comment: Some(reason.to_owned()) })
    }

    fn take(&mut self) -> Option<Arrival> {
        if let Some(arrival) = self.pending.take() {
            return Some(arrival);
        }
        let next = next_arrival(self);
        let Some((at, line)) = self.stream.cut.take().filter(|_| self.state != DialectState::Idle) else {
            return next;
        };
        // It came first.
        self.pending = next;
        let event = if is_move(&line) {
            self.odd_move(&line)
        } else {
            PlayerEvent::Remark(format!("writes a line that is too long: {}", excerpt(&line)))
        };
        Some(Arrival { at, event })
    }

    fn source(&self) -> Option<Source<'_>> {
        Some(self.stream.source())
    }

    fn quit(mut self: Box<Self>) -> Departure {
        // The engine may have ended already.
        let _ = self.tell(&Command::Quit);
        let grace = self.stream.spec.grace;
        self.stream.quit(grace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An engine that is late with all that it says about the end of a game.
    const LATE: &str = "while read -r word rest; do case $word in \
        go) echo 'move e4'; echo 'time 590'; echo '# thinks'; echo draw;; \
        new) if [ -n \"$old\" ]; then echo 'time 1'; echo '1/2-1/2 {Draw by repetition}'; fi; old=1;; \
        setpos) echo \"# $word $rest\" >&2;; quit) exit;; esac; done";

    fn events(player: &mut AutoplayerPlayer, count: usize) -> Vec<PlayerEvent> {
        let until = std::time::Instant::now() + Duration::from_secs(20);
        let mut events = Vec::new();
        while events.len() < count {
            match player.take() {
                Some(arrival) => events.push(arrival.event),
                None => assert!(platform::wait(&[player.stream.source()], until), "{events:?}"),
            }
        }
        events
    }

    fn new_game(control: &TimeControl) -> NewGame {
        NewGame { opponent: "X".into(), ..NewGame::new(Game::default(), control) }
    }

    #[test]
    fn what_comes_late_is_not_taken_for_the_next_game() {
        let command = crate::CommandLine::from_words(["sh", "-c", LATE].map(str::to_owned)).unwrap();
        let mut player =
            AutoplayerPlayer::start(&Spec::new(command, crate::Protocol::Autoplayer), None).unwrap();
        let control: TimeControl = "60".parse().unwrap();
        let game = new_game(&control);
        let clock = game::Clock::new(control.clone());
        for _ in 0..3 {
            player.new_game(&game).unwrap();
            let at = std::time::Instant::now();
            player.think(&Turn { game: &game.game, clock: &clock, at }).unwrap();
            let events = events(&mut player, 3);
            assert!(
                matches!(
                    &events[..],
                    [PlayerEvent::Move(mv), PlayerEvent::Clock(_), PlayerEvent::DrawOffer] if mv == "e4"
                ),
                "{events:?}"
            );
            player.end_game(Outcome::Draw(game::DrawReason::Repetition)).unwrap();
        }
        assert!(!player.needs_restart);
        Box::new(player).quit();
    }

    #[test]
    fn a_move_that_is_none_is_one_that_can_be_judged() {
        const ODD: &str = "read -r _; while read -r word rest; do case $word in \
            go) echo 'move'; echo 'move e4 or d4'; printf 'x%070000d\\n' 1; printf 'move y%070000d\\n' 1;; quit) exit;; esac; done";
        let command = crate::CommandLine::from_words(["sh", "-c", ODD].map(str::to_owned)).unwrap();
        let mut player =
            AutoplayerPlayer::start(&Spec::new(command, crate::Protocol::Autoplayer), None).unwrap();
        let control: TimeControl = "60".parse().unwrap();
        let game = new_game(&control);
        player.new_game(&game).unwrap();
        let clock = game::Clock::new(control);
        player.think(&Turn { game: &game.game, clock: &clock, at: std::time::Instant::now() }).unwrap();
        let told = events(&mut player, 3);
        let PlayerEvent::Move(first) = &told[0] else { panic!("{told:?}") };
        assert_eq!(first, "");
        let odd = |event: &PlayerEvent, text: &str| matches!(event, PlayerEvent::Remark(told) if told.contains(text));
        assert!(told[1..].iter().all(|event| odd(event, "e4 or d4") || odd(event, "writes")), "{told:?}");
        Box::new(player).quit();
    }

    #[test]
    fn both_forms_of_the_time_control() {
        let told = |control: &str| level(&control.parse().unwrap()).map(|command| command.to_string());
        assert_eq!(told("40/7200:20/3600"), Ok("level 40 120 20 60".into()));
        assert_eq!(told("40/7200:3600"), Ok("level 40 120 0 60".into()));
        assert_eq!(told("8+0.08"), Ok("level 0 0:08 0.08".into()));
        assert_eq!(told("5/move"), Ok("level 1 0:05 0".into()));
        assert_eq!(told("-"), Ok("level 0 1440 0".into()));
        for control in ["40/60+1:20/60", "40/60:20/60:10", "depth=3", "nodes=7"] {
            assert!(matches!(told(control), Err(PlayerFault::Unsupported(_))), "{control}");
        }
    }
}
