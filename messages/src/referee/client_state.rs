//! What a client knows: its game, its clocks, its opponent's offers. It neither thinks nor reads or writes.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use game::{Clock, Color, Game, Move, MoveLimits, MoveTime, TimeControl};
use shakmaty::{ByColor, Position as _};

use super::client_connection::DisconnectReason;
use super::directive::{Directive, ExactClock, Moves};
use super::reading::MessageError;
use super::request::{Analysis, ClientRecord, ClientReply, Remark, Request, Response, SignOn};
use crate::epd::{EpdMove, Position, RefereeCommand};

/// What a client has to do after a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientTask {
    /// Nothing but to know it.
    Nothing,
    /// To prepare for a new game; the old one is void.
    NewGame,
    /// To find a move, or another answer.
    Respond,
    /// To send this once more: the referee asks again what it was told already, as a referee does that has taken over.
    Repeat(Box<ClientRecord>),
    /// To do what it does at the end of a game; carries the result, if it was told.
    Conclude(Option<String>),
    /// To close the connection.
    Disconnect(DisconnectReason),
    /// To call for human help; carries the reason, if there is one.
    Alarm(Option<String>),
}

/// How a referee broke the protocol. The text goes into `c0` of a fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProtocolError {
    /// A line is no record from a referee.
    #[error(transparent)]
    Malformed(#[from] MessageError),
    /// The position is illegal. Carries why.
    #[error("{0}")]
    Position(String),
    /// A move can't be played. Carries it.
    #[error("illegal move `{0}`")]
    IllegalMove(String),
    /// The game is longer than any game can be.
    #[error("a game of more than {LONGEST_GAME} plies")]
    Endless,
    /// The event has got another referee meanwhile.
    #[error("this referee's epoch is {told}, but the event is in epoch {known}")]
    Outdated {
        /// The epoch that the referee tells.
        told: u64,
        /// The latest one known.
        known: u64,
    },
}

/// Longer than any game under the seventy-five-move rule.
const LONGEST_GAME: usize = 12_000;
/// More tags than any game has.
const MOST_TAGS: usize = 100;

/// What a client knows of the event and of its game. It lives longer than a connection: who comes back to the referee, or
/// comes to its successor, goes on with it.
#[derive(Clone, Debug)]
pub struct ClientState {
    game: Game,
    tags: BTreeMap<String, String>,
    /// What holds if no tag tells the time control.
    default_control: TimeControl,
    control: TimeControl,
    used: Option<ByColor<Duration>>,
    clocks: Option<ByColor<ExactClock>>,
    offered_draw: bool,
    epoch: Option<u64>,
    number: Option<std::num::NonZeroU32>,
    last: Option<LastReply>,
}

/// The last reply, and to what.
#[derive(Clone, Debug)]
struct LastReply {
    number: std::num::NonZeroU32,
    fen: String,
    record: ClientRecord,
}

impl ClientState {
    /// Before the first record. Plays by this time control as long as the referee tells none.
    pub fn new(default_control: TimeControl) -> ClientState {
        ClientState {
            game: Game::default(),
            tags: BTreeMap::new(),
            control: default_control.clone(),
            default_control,
            used: None,
            clocks: None,
            offered_draw: false,
            epoch: None,
            number: None,
            last: None,
        }
    }

    /// Takes a line without its end, and says what is to be done.
    ///
    /// # Errors
    /// The referee broke the protocol; what came before stands, unless moves were played from a new position.
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
            R::Fault => ClientTask::Alarm(directive.reason),
            R::Conclude => {
                ClientTask::Conclude(self.tags.get("Result").filter(|result| *result != "*").cloned())
            }
            R::Respond => {
                self.offered_draw = directive.offers_draw;
                if directive.reason.is_some() {
                    // The referee asks once more because the reply was none.
                    self.last = None;
                }
                self.repeat().map_or(ClientTask::Respond, |record| ClientTask::Repeat(Box::new(record)))
            }
        })
    }

    /// What was told of the last game no longer holds. The last reply is remembered beyond that: it is known by the number
    /// of its game.
    fn reset(&mut self) {
        *self = ClientState {
            epoch: self.epoch,
            last: self.last.take(),
            ..ClientState::new(self.default_control.clone())
        };
    }

    /// What may be told by any record.
    fn note(&mut self, directive: &Directive) {
        self.number = directive.game.or(self.number);
        if let Some(used) = directive.used {
            self.used = Some(used.map(|used| Duration::from_secs(used.seconds().into())));
            // These are newer.
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

    /// Brings the position and the moves of a record on the board. The history is kept if the position is the present one;
    /// otherwise it begins here (section 8.1).
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

    /// The last reply, if the referee asks the same once more; its move is played again.
    fn repeat(&mut self) -> Option<ClientRecord> {
        let last = self.last.as_ref().filter(|last| Some(last.number) == self.number)?;
        let record = (last.fen == self.game.fen()).then(|| last.record.clone())?;
        if let Request::Reply(reply) = &record.request {
            // It was legal in this position before.
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

    /// Answers `respond`. A move is played on the client's own board.
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

    /// A record about the present position that is no reply.
    pub fn request(&self, request: Request) -> ClientRecord {
        ClientRecord { position: Position::of(&self.game), request }
    }

    /// The first record of a connection.
    pub fn sign_on(&self, name: &str, secret: Option<&super::Secret>, extended: bool) -> ClientRecord {
        let sign_on = SignOn {
            name: Some(name.to_owned()),
            secret: secret.cloned(),
            extended,
            epoch: self.epoch.filter(|_| extended),
        };
        ClientRecord { position: Position::of(&Game::default()), request: Request::SignOn(sign_on) }
    }
}

/// What is known.
impl ClientState {
    /// The game so far.
    pub fn game(&self) -> &Game {
        &self.game
    }

    /// Whether the opponent's last move came with a draw offer.
    pub fn is_draw_offered(&self) -> bool {
        self.offered_draw
    }

    /// The value of a tag.
    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(String::as_str)
    }

    /// The time control by which the clocks are understood.
    pub fn control(&self) -> &TimeControl {
        &self.control
    }

    /// How many moves a side has made, as far as the number of the move tells.
    fn moves_made(&self, color: Color) -> u32 {
        let before = self.game.position().fullmoves().get() - 1;
        before + u32::from(color.is_white() && self.game.turn().is_black())
    }

    /// What a side has left; `None` if nobody keeps its time, or has told.
    pub fn remaining(&self, color: Color) -> Option<Duration> {
        if let Some(clocks) = &self.clocks {
            return clocks.get(color).remaining;
        }
        let granted = self.control.granted(self.moves_made(color))?;
        let TimeControl::Clock(_) = self.control else { return Some(granted) };
        // `cc` drops what is less than a second.
        let used = self.used.map_or(Duration::ZERO, |used| *used.get(color));
        let left = granted.saturating_sub(used);
        Some(if used.is_zero() {
            left
        } else {
            left.saturating_sub(Duration::from_millis(999)).max(left / 4)
        })
    }

    /// Both sides' time as far as the referee has told, by the time control. Nothing runs.
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

    /// What a side adds to its clock with its next move.
    pub fn increment(&self, color: Color) -> Duration {
        match &self.clocks {
            Some(clocks) => clocks.get(color).increment,
            None => self.control.increment(self.moves_made(color) + 1),
        }
    }

    /// What the side to move may use for its search. Where neither clock nor anything else limits it, the time control from
    /// the one that the client began with does.
    pub fn limits(&self) -> MoveLimits {
        // Nothing runs, so that any moment will do.
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

/// A move as an answer.
pub fn answer_with(game: &Game, mv: Move, remark: Remark) -> Response {
    let mv = match game.chess() {
        Some(chess) => EpdMove::new(chess, mv),
        // Not reached: the protocol knows no variants.
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
            ("hello", "no EPD record"),
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
