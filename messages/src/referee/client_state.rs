//! State of a client: its game, the clocks and the draw offers of the opponent. Search and input/output happen
//! elsewhere.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use game::{Clock, Color, Game, Move, MoveLimits, MoveTime, TimeControl};
use shakmaty::{ByColor, Position as _};

use super::client_connection::DisconnectReason;
use super::directive::{Directive, ExactClock, Moves};
use super::reading::MessageError;
use super::request::{Analysis, ClientRecord, ClientReply, Remark, Request, Response, SignOn};
use crate::epd::{EpdMove, Position, RefereeCommand};

/// Task of a client after a record of the referee.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTask {
    /// Nothing; the state is updated.
    Nothing,
    /// Prepare for a new game; the previous one is void.
    NewGame,
    /// Answer with a move or another response.
    Respond,
    /// Send this record again: the referee repeats a question that was answered, for instance after it took over the
    /// event.
    Repeat(Box<ClientRecord>),
    /// End the game; carries the result if the referee sent one.
    Conclude(Option<String>),
    /// Close the connection.
    Disconnect(DisconnectReason),
    /// Call for human help; carries the reason, if any.
    Alarm(Option<String>),
}

/// Violation of the protocol by a referee. The text is sent as `c0` of a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// The line is not a record from a referee.
    #[error(transparent)]
    Malformed(#[from] MessageError),
    /// The position is illegal. Carries the reason.
    #[error("{0}")]
    Position(String),
    /// The move is illegal. Carries its text.
    #[error("illegal move `{0}`")]
    IllegalMove(String),
    /// The game is longer than any game can be.
    #[error("game exceeds {LONGEST_GAME} plies")]
    Endless,
    /// Another referee has taken over the event.
    #[error("this referee's epoch is {told}, but the event is in epoch {known}")]
    Outdated {
        /// Epoch of this referee.
        told: u64,
        /// Latest epoch known to the client.
        known: u64,
    },
}

/// Maximal length of a game in plies: longer than any game under the seventy-five-move rule.
const LONGEST_GAME: usize = 12_000;
/// Longest pause that a referee can ask for.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// Maximal number of tags that are stored.
const MOST_TAGS: usize = 100;

/// State of a client: its game and the event. It outlives a connection, so that a client that reconnects to the referee
/// or to its successor continues with it.
#[derive(Clone, Debug, Default)]
pub struct ClientState {
    game: Game,
    tags: BTreeMap<String, String>,
    /// Time control that applies until a tag specifies one.
    default_control: TimeControl,
    control: TimeControl,
    used: Option<ByColor<Duration>>,
    clocks: Option<ByColor<ExactClock>>,
    offered_draw: bool,
    epoch: Option<u64>,
    number: Option<std::num::NonZeroU32>,
    last: Option<LastReply>,
}

/// The last reply with the game and position that it answered.
#[derive(Clone, Debug)]
struct LastReply {
    number: std::num::NonZeroU32,
    fen: String,
    record: ClientRecord,
}

impl ClientState {
    /// Creates the state before the first record. `default_control` applies until the referee sends a time control.
    pub fn new(default_control: TimeControl) -> ClientState {
        ClientState { control: default_control.clone(), default_control, ..ClientState::default() }
    }

    /// Processes a line without its end and returns the task that follows.
    ///
    /// # Errors
    /// The referee violated the protocol. The state is unchanged, except for moves that were already played from a new
    /// position.
    pub fn hear(&mut self, line: &str) -> Result<ClientTask, ProtocolError> {
        use RefereeCommand as R;
        let directive: Directive = line.parse()?;
        match (directive.epoch, self.epoch) {
            (Some(told), Some(known)) if told < known => return Err(ProtocolError::Outdated { told, known }),
            (told, known) => self.epoch = told.or(known),
        }
        if directive.command == R::Reset {
            self.reset();
        }
        self.note(&directive);
        if matches!(directive.command, R::Execute | R::Conclude | R::Respond) {
            self.set_up(&directive)?;
        }
        Ok(match directive.command {
            R::Reset => ClientTask::NewGame,
            R::Inform | R::Execute => ClientTask::Nothing,
            R::Disconnect => ClientTask::Disconnect(DisconnectReason::ByReferee),
            R::Fault => match directive.retry {
                Some(seconds) => {
                    let after = Duration::from_secs(seconds.into()).min(LONGEST_PAUSE);
                    let why = directive.reason.unwrap_or_else(|| "it gives no reason".to_owned());
                    ClientTask::Disconnect(DisconnectReason::TryAgain { after, why })
                }
                None => ClientTask::Alarm(directive.reason),
            },
            R::Conclude => {
                ClientTask::Conclude(self.tags.get("Result").filter(|result| *result != "*").cloned())
            }
            R::Respond => {
                self.offered_draw = directive.offers_draw;
                if directive.reason.is_some() {
                    // The referee asks again because it rejected the reply.
                    self.last = None;
                }
                self.repeat().map_or(ClientTask::Respond, |record| ClientTask::Repeat(Box::new(record)))
            }
        })
    }

    /// Forgets the last game. The last reply is kept, because it carries the number of its game.
    fn reset(&mut self) {
        *self = ClientState {
            epoch: self.epoch,
            last: self.last.take(),
            ..ClientState::new(self.default_control.clone())
        };
    }

    /// Stores the operations that any record may carry.
    fn note(&mut self, directive: &Directive) {
        self.number = directive.game.or(self.number);
        if let Some(used) = directive.used {
            self.used = Some(used.map(|used| Duration::from_secs(used.seconds().into())));
            // `cc` is newer than the exact clocks.
            self.clocks = None;
        }
        self.clocks = directive.clocks.or(self.clocks);
        for (name, value) in &directive.tags {
            if self.tags.len() < MOST_TAGS || self.tags.contains_key(name) {
                self.tags.insert(name.clone(), value.clone());
            }
            if name == "TimeControl"
                && let Ok(control) = value.parse()
            {
                self.control = control;
            }
        }
    }

    /// Sets up the position of a record and plays its moves. The history is kept if the position is the current one;
    /// otherwise it starts here (section 8.1).
    fn set_up(&mut self, directive: &Directive) -> Result<(), ProtocolError> {
        let illegal = |error: game::FenError| ProtocolError::Position(error.to_string());
        let (chess, _) = directive.position.legal().map_err(illegal)?;
        let counters = directive.counters;
        let is_same = self.game.chess() == Some(&chess)
            && counters.halfmoves.is_none_or(|told| told == self.game.halfmoves())
            && counters.fullmoves.is_none_or(|told| told == self.game.position().fullmoves());
        if !is_same {
            let (halfmoves, fullmoves) = (counters.halfmoves.unwrap_or(0), counters.fullmoves);
            let fullmoves = fullmoves.unwrap_or(std::num::NonZeroU32::MIN);
            self.game = directive.position.game(halfmoves, fullmoves).map_err(illegal)?;
        }
        match &directive.moves {
            Moves::None => Ok(()),
            Moves::Supplied(mv) => self.execute(mv),
            Moves::History(moves) => moves.iter().try_for_each(|mv| self.execute(mv)),
        }
    }

    fn execute(&mut self, mv: &EpdMove<'_>) -> Result<(), ProtocolError> {
        if self.game.ply() >= LONGEST_GAME {
            return Err(ProtocolError::Endless);
        }
        let played = mv.legal().filter(|mv| self.game.play(*mv).is_ok());
        played.map(|_| ()).ok_or_else(|| ProtocolError::IllegalMove(game::excerpt(&mv.text())))
    }

    /// Returns the last reply if the referee repeats its question, and plays its move again.
    fn repeat(&mut self) -> Option<ClientRecord> {
        let last = self.last.as_ref().filter(|last| Some(last.number) == self.number)?;
        let record = (last.fen == self.game.fen()).then(|| last.record.clone())?;
        if let Request::Reply(reply) = &record.request {
            // The move was legal in this position before.
            let _ = self.play(&reply.answer);
        }
        Some(record)
    }

    fn play(&mut self, answer: &Response) -> Result<(), game::IllegalMove> {
        match answer {
            Response::Move { mv, .. } => mv.legal().map_or(Ok(()), |mv| self.game.play(mv).map(drop)),
            _ => Ok(()),
        }
    }

    /// Returns the answer to `respond` and plays its move on the client's board.
    ///
    /// # Errors
    /// The move is illegal.
    pub fn reply(&mut self, answer: Response, analysis: Analysis) -> Result<ClientRecord, game::IllegalMove> {
        let position = Position::of(&self.game);
        let fen = self.game.fen();
        self.play(&answer)?;
        let record =
            ClientRecord { position, request: Request::Reply(Box::new(ClientReply { answer, analysis })) };
        self.last = self.number.map(|number| LastReply { number, fen, record: record.clone() });
        self.offered_draw = false;
        Ok(record)
    }

    /// Returns a record about the current position that is not a reply.
    pub fn request(&self, request: Request) -> ClientRecord {
        ClientRecord { position: Position::of(&self.game), request }
    }

    /// Returns the first record of a connection.
    pub fn sign_on(&self, name: &str, secret: Option<&super::Secret>, extended: bool) -> ClientRecord {
        let sign_on =
            SignOn { name: Some(name.to_owned()), secret: secret.cloned(), extended, heartbeat: false };
        ClientRecord { position: Position::of(&Game::default()), request: Request::SignOn(sign_on) }
    }
}

/// Accessors.
impl ClientState {
    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Returns true if the opponent's last move came with a draw offer.
    pub fn is_draw_offered(&self) -> bool {
        self.offered_draw
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }

    /// The time control of the game.
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// Number of moves made by a side, computed from the full move number.
    fn moves_made(&self, color: Color) -> u32 {
        let before = self.game.position().fullmoves().get() - 1;
        before + u32::from(color.is_white() && self.game.turn().is_black())
    }

    /// Time left to a side; `None` if the time control has no clock.
    pub fn remaining(&self, color: Color) -> Option<Duration> {
        if let Some(clocks) = &self.clocks {
            return clocks.get(color).remaining;
        }
        let granted = self.control.granted(self.moves_made(color))?;
        let TimeControl::Clock(_) = self.control else { return Some(granted) };
        // `cc` is rounded down to seconds.
        let used = self.used.map_or(Duration::ZERO, |used| *used.get(color));
        let left = granted.saturating_sub(used);
        Some(if used.is_zero() {
            left
        } else {
            left.saturating_sub(Duration::from_millis(999)).max(left / 4)
        })
    }

    /// Clock with the latest times that the referee has sent. It does not run.
    pub fn clock(&self, at: Instant) -> Clock {
        let mut clock = Clock::new(self.control.clone());
        for color in Color::ALL {
            clock.set_moves_made(color, self.moves_made(color));
            if let Some(remaining) = self.remaining(color) {
                clock.set_remaining(color, remaining, at);
            }
        }
        clock
    }

    /// Increment of the next move of a side.
    pub fn increment(&self, color: Color) -> Duration {
        match &self.clocks {
            Some(clocks) => clocks.get(color).increment,
            None => self.control.increment(self.moves_made(color) + 1),
        }
    }

    /// Limits of the search for the side to move. If the game sets no limit, the fixed time per move of the client's
    /// default time control applies.
    pub fn limits(&self) -> MoveLimits {
        // The clock does not run, so the moment does not matter.
        let (color, now) = (self.game.turn(), Instant::now());
        let mut limits = self.clock(now).move_limits(color, now);
        if let (MoveTime::Clock { increment, moves_to_go, .. }, Some(clocks)) =
            (&mut limits.time, &self.clocks)
        {
            (*increment, *moves_to_go) = (clocks.get(color).increment, clocks.get(color).moves_to_go);
        }
        if let (true, TimeControl::PerMove(time)) = (limits == MoveLimits::default(), &self.default_control) {
            limits.time = MoveTime::Fixed(*time);
        }
        limits
    }
}

/// Returns a move as an answer.
pub fn answer_with(game: &Game, mv: Move, remark: Remark) -> Response {
    let mv = match game.chess() {
        Some(chess) => EpdMove::new(chess, mv),
        // Unreachable: the protocol has no variants.
        None => EpdMove::Text(game.coordinate(mv).into()),
    };
    Response::Move { mv, remark, rejects_draw: false }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn new_client() -> ClientState {
        ClientState::new("5/move".parse().expect("a time control"))
    }

    fn hear(client: &mut ClientState, operations: &str) -> ClientTask {
        let line = format!("{} {operations}", game::epd::fields(client.game()));
        client.hear(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    fn move_of(client: &mut ClientState, text: &str) -> String {
        let mv = client.game().parse_move(text).expect(text);
        let answer = answer_with(client.game(), mv, Remark::None);
        client.reply(answer, Analysis::default()).expect("legal").to_string()
    }

    #[test]
    fn a_game_keeps_its_history_while_positions_agree() {
        let mut client = new_client();
        assert_eq!(hear(&mut client, "refcom reset;"), ClientTask::NewGame);
        assert_eq!(hear(&mut client, "refcom respond;"), ClientTask::Respond);
        assert_eq!(move_of(&mut client, "Nf3"), format!("{START} refreq reply; sm Nf3;"));
        assert_eq!(hear(&mut client, "refcom respond; sm Nf6; hmvc 1; fmvn 1;"), ClientTask::Respond);
        move_of(&mut client, "Ng1");
        hear(&mut client, "refcom respond; sm Ng8;");
        move_of(&mut client, "Nf3");
        hear(&mut client, "refcom respond; sm Nf6;");
        assert_eq!(client.game().ply(), 6);
        let again = client.game().parse_move("Ng1").expect("a move");
        assert_eq!(client.game().claim_after(again), None);
        move_of(&mut client, "Ng1");
        hear(&mut client, "refcom respond; sm Ng8;");
        assert_eq!(client.game().repetitions(), 3, "the history is known");
    }

    #[test]
    fn another_position_or_another_counter_begins_a_history() {
        for (counters, plies) in [("", 3), ("hmvc 2; fmvn 2;", 3), ("hmvc 0;", 1), ("fmvn 7;", 1)] {
            let mut client = new_client();
            hear(&mut client, "refcom execute; sv Nf3 Nf6;");
            hear(&mut client, &format!("refcom execute; sm Ng1; {counters}"));
            assert_eq!(client.game().ply(), plies, "{counters}");
        }
        let mut client = new_client();
        hear(&mut client, "refcom execute; sv Nf3 Nf6;");
        let other = "4k3/8/8/8/8/8/4P3/4K3 w - - fmvn 40; hmvc 7; refcom respond; sm e4;";
        assert_eq!(client.hear(other), Ok(ClientTask::Respond));
        assert_eq!(
            (client.game().ply(), client.game().fen()),
            (1, "4k3/8/8/8/4P3/8/8/4K3 b - - 0 40".into())
        );
        let history = format!("{START} fmvn 1; hmvc 0; refcom respond; sv Nf3 Nf6 Ng1 Ng8;");
        assert_eq!(client.hear(&history), Ok(ClientTask::Respond));
        assert_eq!((client.game().ply(), client.game().repetitions()), (4, 2), "an explicit history");
    }

    #[test]
    fn clocks_by_whole_seconds_and_by_milliseconds() {
        let mut client = new_client();
        assert_eq!(client.limits().time, MoveTime::Fixed(Duration::from_secs(5)), "nothing was told");
        hear(&mut client, "refcom inform; ptp TimeControl \"40/600:300+2\";");
        assert_eq!(client.remaining(Color::White), Some(Duration::from_mins(10)));
        hear(&mut client, "cc 000:00:01:40 000:00:00:00; refcom respond;");
        let limit = |remaining, moves_to_go| MoveTime::Clock {
            remaining: Duration::from_millis(remaining),
            increment: Duration::ZERO,
            moves_to_go,
        };
        assert_eq!(client.limits().time, limit(499_001, Some(40)), "a second may be missing");
        hear(&mut client, "Clock 499950 0 40 600000 0 40; cc 000:00:01:40 000:00:00:00; refcom respond;");
        assert_eq!(client.limits().time, limit(499_950, Some(40)));
        let late = "4k3/8/8/8/8/8/4P3/4K3 w - - cc 000:00:10:00 000:00:10:00; fmvn 43; refcom respond;";
        client.hear(late).expect("a record");
        let left = Duration::from_secs(300 + 2 * 2) - Duration::from_millis(999);
        assert_eq!(client.remaining(Color::White), Some(left));
        assert_eq!(client.increment(Color::White), Duration::from_secs(2));
    }

    #[test]
    fn there_is_always_a_limit() {
        let mut client = new_client();
        for (control, limits) in [
            ("nodes=500", MoveLimits { nodes: Some(500), ..MoveLimits::default() }),
            ("depth=7", MoveLimits { depth: Some(7), ..MoveLimits::default() }),
            ("-", MoveLimits { time: MoveTime::Fixed(Duration::from_secs(5)), ..MoveLimits::default() }),
        ] {
            hear(&mut client, &format!("refcom inform; ptp TimeControl \"{control}\";"));
            assert_eq!(client.limits(), limits, "{control}");
        }
    }

    #[test]
    fn what_was_replied_already_is_said_again() {
        let mut client = new_client();
        hear(&mut client, "refcom respond; tcgs 4;");
        let reply = move_of(&mut client, "e4");
        // A new referee.
        let reset = format!("{START} refcom reset; tcgs 4;");
        assert_eq!(client.hear(&reset), Ok(ClientTask::NewGame));
        match hear(&mut client, "refcom respond; tcgs 4;") {
            ClientTask::Repeat(record) => {
                assert_eq!(record.to_string(), reply);
                assert_eq!(client.game().ply(), 1);
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(
            client.hear(&format!("{START} refcom respond; tcgs 4; c0 \"no move\";")),
            Ok(ClientTask::Respond)
        );
        client.hear(&format!("{START} refcom reset; tcgs 5;")).expect("a record");
        assert_eq!(hear(&mut client, "refcom respond;"), ClientTask::Respond, "another game");
    }

    #[test]
    fn an_old_referee_is_not_followed() {
        let mut client = new_client();
        hear(&mut client, "Epoch 3; refcom reset;");
        let told = client.hear(&format!("{START} Epoch 2; refcom disconnect;"));
        assert_eq!(told, Err(ProtocolError::Outdated { told: 2, known: 3 }));
        assert_eq!(hear(&mut client, "refcom inform;"), ClientTask::Nothing);
    }

    #[test]
    fn a_hostile_referee_does_no_harm() {
        let mut client = new_client();
        for (line, expected) in [
            ("8/8/8/8/8/8/8/8 w - - refcom respond;", "illegal position"),
            (&format!("{START} refcom respond; sm e5;"), "illegal move `e5`"),
            (&format!("{START} refcom execute; sv e4 e4;"), "illegal move `e4`"),
            ("hello", "not an EPD record"),
        ] {
            let told = client.hear(line).expect_err(line).to_string();
            assert!(told.contains(expected), "{line}: {told}");
        }
        client.hear(&format!("{START} refcom reset;")).expect("a record");
        let there_and_back = "Nf3 Nf6 Ng1 Ng8 ".repeat(500);
        let endless = format!("{START} refcom execute; sv {};", there_and_back.trim());
        let ended = (0..10).map(|_| client.hear(&endless)).find(Result::is_err);
        assert_eq!(ended, Some(Err(ProtocolError::Endless)));
        let tags: Vec<String> = (0..5000).map(|number| format!("T{number} \"\u{1b}[2J\"")).collect();
        client.hear(&format!("{START} refcom inform; ptp {};", tags.join(" "))).expect("a record");
        assert_eq!((client.tags.len(), client.tag("T1")), (MOST_TAGS, Some("?[2J")));
    }
}
