//! One game between two players, from its setup to its record.
//!
//! Input of both players is accepted at any time. Any fault of a player ends this game and affects nothing else:
//!
//! | event | result of the game |
//! | --- | --- |
//! | a move after the flag fell (margin included), or no move | lost on time; drawn if the opponent could not mate |
//! | no move within the time limit where no clock runs; death of the player; a refused game | lost, abandoned |
//! | an illegal move, or text that is no move | lost, illegal move |
//! | a move out of turn, a second move, a protocol error, a refused legal move | lost, rules infraction |
//! | resignation, or a claim of an own loss | lost, resignation |
//! | a claim of a win or a draw that the board confirms | the claimed result |
//! | such a claim from the side to move, not true yet | its next move must make it true, or: rules infraction |
//! | any other claim | lost, rules infraction |
//! | text for humans | the game continues; the text is only in the log of the messages |
//!
//! A draw offer is passed on to the opponent, together with the move if it precedes one, and stands until the opponent
//! moves. A draw offer in return accepts it. An offer made with a move after which a draw can be claimed counts as that
//! claim (CECP).
//!
//! One thread listens to both players and does everything else, so that no other thread has to be woken between a move
//! and the opponent's turn. The mover's clock stops at the moment at which its line was read ([`Arrival::at`]), however
//! busy the referee is. The opponent's clock starts when the message with the move has been written. The time between
//! belongs to neither side: it is the overhead of the move and is kept in the record. A margin forgives an overdrawn
//! clock, but the overdrawn time is deducted all the same.
//!
//! A player with a limit of depth that reports a clearly greater depth is told to move now, and has ten seconds for that.
//!
//! A referee without a processor reads a move later than it came. The system tells how long its thread was ready to run and
//! had none: the lag. A loss on time by no more than the lag that the loser's clock was charged with stands, but is marked. So a
//! player without a move when its flag falls is awaited for as long as the lag that it was charged with.
//!
//! A referee that is stopped (SIGSTOP), or whose machine sleeps, reads a move later, too, and no lag is measured. It notices that by
//! a wait that lasted too long, and gives back all of that wait: when in it a player answered is not known.

mod record;
mod rules;

use std::ops::ControlFlow::{self, Break, Continue};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use arrayvec::ArrayVec;
use game::{Clock, Color, DrawReason, Game, Outcome, TimeControl, WinReason};
use platform::Source;
use players::{Arrival, NewGame, Player, PlayerEvent, PlayerFault, Protocol, Thinking, Turn};
use shakmaty::ByColor;

pub(crate) use self::record::replay_move;
pub use self::record::{GameRecord, MoveRecord, pgn_date};
pub use self::rules::{
    Adjudication, DrawByScore, DrawRule, ResignByScore, Rules, TablebaseEnds, TablebaseRule,
};

pub(crate) use self::rules::{Adjudicator, check_flag};

/// Interval at which the referee checks whether the game has been called off.
const GLANCE: Duration = Duration::from_millis(100);

/// Time in which a player must make the move that it has announced with a claim.
const CLAIM_PATIENCE: Duration = Duration::from_secs(1);

/// Number of plies by which a depth may exceed its limit: some programs count the first ply differently, or extend the last one.
const DEPTH_TOLERANCE: u32 = 1;

/// Nodes that a search may have: so many times its limit, and so many more. Some programs look at the limit seldom.
const NODES_FACTOR: u64 = 4;
const NODES_TOLERANCE: u64 = 100_000;

/// Time after which it is told that a player without a clock is awaited.
const LONG_WAIT: Duration = Duration::from_mins(1);

/// A wait that lasts longer than meant by more than this, and not for the lack of a processor, means that nothing ran.
const OUTAGE: Duration = Duration::from_millis(250);

/// Time in which a player must move that was told to move now.
const HURRY_PATIENCE: Duration = Duration::from_secs(10);

/// Everything that is agreed before a game.
#[derive(Clone, Debug)]
pub struct GameSetup {
    /// Position on the board; the moves of the opening are part of the game's moves.
    pub game: Game,
    /// Players and their conditions.
    pub seats: ByColor<Seat>,
    /// Rules of the game.
    pub rules: Rules,
}

/// One side of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seat {
    /// Name shown in tables and PGN.
    pub name: String,
    /// Protocol of the player; `None` if it is no program. If a CEGO engine takes part, the rules of CEGO hold for the
    /// game.
    pub protocol: Option<Protocol>,
    /// Time control.
    pub control: TimeControl,
    /// Margin by which the clock may be overdrawn without loss. The overdrawn time is deducted all the same.
    pub margin: Duration,
    /// Whether the player may think in the opponent's time.
    pub ponder: bool,
    /// Whether the player reports scores from White's point of view.
    pub white_view: bool,
}

/// Plays a game. It ends without an outcome if both players refuse it, or soon after `called_off` was set; in the
/// latter case the players are not informed.
pub fn play<'a>(
    setup: &'a GameSetup,
    players: ByColor<&'a mut dyn Player>,
    called_off: &'a AtomicBool,
) -> GameRecord {
    play_by(&RealTime, setup, players, called_off)
}

/// Plays a game like [`play`], with another source of time.
pub fn play_by<'a>(
    time: &'a dyn Time,
    setup: &'a GameSetup,
    players: ByColor<&'a mut dyn Player>,
    called_off: &'a AtomicBool,
) -> GameRecord {
    let mut table = GameReferee::new(time, setup, players, called_off);
    let ending = table.run();
    table.close(ending)
}

/// Plays a game like [`play`]. `watch` is called with the record and the clock when the game has begun and after each
/// move, in the referee's thread.
pub fn play_watched<'a>(
    setup: &'a GameSetup,
    players: ByColor<&'a mut dyn Player>,
    called_off: &'a AtomicBool,
    watch: &'a GameWatch<'a>,
) -> GameRecord {
    let mut table = GameReferee::new(&RealTime, setup, players, called_off);
    table.watch = Some(watch);
    let ending = table.run();
    table.close(ending)
}

/// Is shown the record and the clock of a game in play.
pub type GameWatch<'a> = dyn Fn(&GameRecord, &Clock) + 'a;

/// Outcome of a game, with details.
struct Ending {
    outcome: Option<Outcome>,
    detail: String,
}

/// Whether the game continues or ends.
type Flow = ControlFlow<Ending>;

/// The referee of one game.
struct GameReferee<'a> {
    time: &'a dyn Time,
    setup: &'a GameSetup,
    players: ByColor<&'a mut dyn Player>,
    called_off: &'a AtomicBool,
    record: GameRecord,
    clock: Clock,
    adjudicator: Adjudicator,
    began: Instant,
    /// Moment at which the side to move was asked. A move that arrived earlier is a second move, not an answer.
    asked: Instant,
    /// Time limit of a side without a clock.
    patience_ends: Option<Instant>,
    /// Whether the side to move was told to move now.
    hurried: bool,
    /// Whether it was told that the side to move is awaited.
    is_awaited: bool,
    /// Latest thinking information of the side to move.
    thinking: Thinking,
    /// Draw offers that stand, or that go with the next move.
    offers: ByColor<bool>,
    announced: Option<Announcement>,
    /// Waiting time of this thread for a processor when the clock of the side to move was started.
    delayed: Option<Duration>,
    watch: Option<&'a GameWatch<'a>>,
}

/// A result that the side to move has claimed and that its next move must bring about.
struct Announcement {
    claim: String,
    draw: bool,
    by: Instant,
}

/// Setup and event loop.
impl<'a> GameReferee<'a> {
    fn new(
        time: &'a dyn Time,
        setup: &'a GameSetup,
        players: ByColor<&'a mut dyn Player>,
        called_off: &'a AtomicBool,
    ) -> GameReferee<'a> {
        let began = time.now();
        let record = GameRecord::new(setup.game.clone(), setup.seats.clone(), SystemTime::now());
        GameReferee {
            time,
            setup,
            players,
            called_off,
            clock: record.clock(),
            record,
            adjudicator: Adjudicator::default(),
            began,
            asked: began,
            patience_ends: None,
            hurried: false,
            is_awaited: false,
            thinking: Thinking::default(),
            offers: ByColor::default(),
            announced: None,
            delayed: None,
            watch: None,
        }
    }

    fn run(&mut self) -> Ending {
        let mut verdict = self.begin();
        loop {
            if let Break(ending) = verdict {
                return ending;
            }
            verdict = self.listen();
        }
    }

    /// Presents the game to both players and asks the first for a move.
    fn begin(&mut self) -> Flow {
        let white = self.present(Color::White);
        let black = self.present(Color::Black);
        match (white, black) {
            (Err(white), Err(black)) => {
                let detail = format!("neither side can play: White {white}; Black {black}");
                self.record.faults = ByColor { white: Some(white), black: Some(black) };
                return Break(Ending { outcome: None, detail });
            }
            (Err(fault), Ok(())) => return self.fault(Color::White, fault),
            (Ok(()), Err(fault)) => return self.fault(Color::Black, fault),
            (Ok(()), Ok(())) => {}
        }
        self.judge_board()?;
        self.ask(self.time.now())
    }

    fn present(&mut self, color: Color) -> Result<(), PlayerFault> {
        let seats = &self.setup.seats;
        let game = NewGame {
            game: self.record.game.clone(),
            color,
            controls: seats.as_ref().map(|seat| seat.control.clone()),
            opponent: seats.get(!color).name.clone(),
            ratings: ByColor::default(),
            ponder: seats.get(color).ponder,
        };
        self.players.get_mut(color).new_game(&game)
    }

    /// Asks the side to move for its move and starts its clock. `since` is the moment at which that became possible.
    fn ask(&mut self, since: Instant) -> Flow {
        let mover = self.record.game.turn();
        self.thinking = Thinking::default();
        (self.hurried, self.is_awaited) = (false, false);
        let turn = Turn { game: &self.record.game, clock: &self.clock, at: since };
        if let Err(fault) = self.players.get_mut(mover).think(&turn) {
            return self.fault(mover, fault);
        }
        let told = self.time.now();
        self.asked = told;
        self.clock.start_turn(mover, told);
        self.patience_ends = match self.clock.flag_falls() {
            Some(_) => None,
            None => told.checked_add(self.setup.rules.patience),
        };
        self.delayed = self.clock.flag_falls().and_then(|_| self.time.run_delay());
        if let Some(last) = self.record.moves.last_mut() {
            last.overhead = Some(told.saturating_duration_since(since));
        }
        if let Some(watch) = self.watch {
            watch(&self.record, &self.clock);
        }
        Continue(())
    }

    /// Returns the lag that the clock of the side to move has been charged with, in this turn only where each move has its own
    /// time. While nothing has arrived the lag of this turn has cost nothing.
    fn charged_lag(&self, mover: Color, has_arrived: bool) -> Duration {
        let now = if has_arrived { self.lag() } else { None }.unwrap_or_default();
        // The last move is the opponent's.
        let earlier = self.record.moves.iter().rev().skip(1).step_by(2).filter_map(|played| played.lag);
        match self.clock.control(mover) {
            TimeControl::PerMove(_) => now,
            _ => earlier.fold(now, Duration::saturating_add),
        }
    }

    /// Returns the lag since the clock of the side to move was started.
    fn lag(&self) -> Option<Duration> {
        Some(self.time.run_delay()?.saturating_sub(self.delayed?))
    }

    /// Handles one event of each player, or waits until there is one.
    fn listen(&mut self) -> Flow {
        if self.called_off.load(Ordering::Relaxed) {
            return Break(Ending { outcome: None, detail: "called off".to_owned() });
        }
        let mover = self.record.game.turn();
        let from_waiting = self.players.get_mut(!mover).take();
        let from_mover = self.players.get_mut(mover).take();
        self.check_time(from_mover.as_ref())?;
        if from_waiting.is_none() && from_mover.is_none() {
            self.tell_wait();
            self.wait();
        }
        if let Some(arrival) = from_waiting {
            self.check_fallen(&arrival, from_mover.as_ref())?;
            self.hear(!mover, arrival)?;
        }
        if let Some(arrival) = from_mover {
            self.hear(mover, arrival)?;
        }
        Continue(())
    }

    /// Tells once that a side without a clock has been silent for long.
    fn tell_wait(&mut self) {
        let is_long = self.time.now().saturating_duration_since(self.asked) >= LONG_WAIT;
        let is_silent = self.thinking == Thinking::default();
        if self.is_awaited || !is_long || !is_silent || self.clock.flag_falls().is_some() {
            return;
        }
        self.is_awaited = true;
        if let Some(tell) = self.setup.rules.tell {
            let name = &self.setup.seats.get(self.record.game.turn()).name;
            tell(&format!("waiting for {name}, which has reported nothing for a minute"));
        }
    }

    /// Waits for either player until the next deadline.
    fn wait(&mut self) {
        let sources: ArrayVec<_, 2> = self.players.iter().filter_map(|player| player.source()).collect();
        let flag =
            self.clock.flag_falls().map(|flag| flag + self.charged_lag(self.record.game.turn(), false));
        let deadlines = [flag, self.patience_ends, self.announced.as_ref().map(|a| a.by)];
        // A deadline is missed only after its moment.
        let missed = deadlines.into_iter().flatten().min().map(|at| at + Duration::from_nanos(1));
        let now = self.time.now();
        if self.clock.flag_falls().is_none() {
            // On a processor shared with the players, every line of a player would wake the referee and interrupt the
            // player. Where a clock runs the referee is woken immediately all the same.
            self.time.give_way();
        }
        let glance = now + GLANCE;
        let until = missed.map_or(glance, |at| at.min(glance));
        self.time.wait(&sources, until);
        drop(sources);
        self.give_back(now, until);
    }

    /// Gives back a wait that was to last until `until`, if this process did not run for a part of it.
    fn give_back(&mut self, began: Instant, until: Instant) {
        let now = self.time.now();
        let late = now.saturating_duration_since(until);
        if late <= OUTAGE || late.saturating_sub(self.lag().unwrap_or_default()) <= OUTAGE {
            return;
        }
        let lost = now.saturating_duration_since(began);
        self.clock.give_back(lost, now);
        let claim = self.announced.as_mut().map(|announced| &mut announced.by);
        for deadline in self.patience_ends.iter_mut().chain(claim) {
            *deadline += lost;
        }
        if let (Some(tell), Some(_)) = (self.setup.rules.tell, self.clock.flag_falls()) {
            let name = &self.setup.seats.get(self.record.game.turn()).name;
            let seconds = lost.as_secs_f64();
            tell(&format!(
                "this program did not run for {seconds:.1} s; the clock of {name} is not charged for that"
            ));
        }
    }

    /// Ends the game if the flag of the side to move fell before its answer arrived, or if it has been awaited in vain.
    fn check_flag(&mut self, now: Instant, heard: Option<&PlayerEvent>) -> Flow {
        let Some((outcome, overdrawn)) = check_flag(&self.record.game, &self.clock, now) else {
            return Continue(());
        };
        let lag = self.charged_lag(self.record.game.turn(), heard.is_some());
        let is_within_lag = self.clock.flag_falls().is_some_and(|flag| now <= flag + lag);
        let detail = match (heard.is_some_and(is_answer), is_within_lag) {
            // The answer may stand behind the talk.
            (false, true) => return Continue(()),
            (false, false) => NO_MOVE.to_owned(),
            (true, true) => {
                self.record.late = true;
                format!("{overdrawn}, {} of the time used were the referee's lag", game::millis_text(lag))
            }
            (true, false) => overdrawn,
        };
        self.lose_on_time(outcome, detail)
    }

    fn lose_on_time(&mut self, outcome: Outcome, detail: String) -> Flow {
        self.record.lost_turn_lag = self.lag();
        end(outcome, detail)
    }

    /// Ends the game if the flag of the side to move had fallen when the other side did something: a move is awaited then only to
    /// tell by how much it is late, and the other side cannot lose any more.
    fn check_fallen(&mut self, from_waiting: &Arrival, from_mover: Option<&Arrival>) -> Flow {
        let overdrawn = |at| check_flag(&self.record.game, &self.clock, at);
        // What the mover said in time may stand before its move.
        let may_have_moved = |arrival: &Arrival| is_answer(&arrival.event) || overdrawn(arrival.at).is_none();
        if is_talk(&from_waiting.event) || from_mover.is_some_and(may_have_moved) {
            return Continue(());
        }
        match overdrawn(from_waiting.at) {
            Some((outcome, _)) => self.lose_on_time(outcome, NO_MOVE.to_owned()),
            None => Continue(()),
        }
    }

    /// Ends the game if a deadline has been missed: now, or when a message of the mover arrived. A move is in time if it arrived in
    /// time, even if it is handled later.
    fn check_time(&mut self, arrival: Option<&Arrival>) -> Flow {
        let mover = self.record.game.turn();
        let now = arrival.map_or_else(|| self.time.now(), |arrival| arrival.at);
        self.check_flag(now, arrival.map(|arrival| &arrival.event))?;
        if self.patience_ends.is_some_and(|end| now > end) {
            let asked = if self.hurried { "the request to move now" } else { "the request for a move" };
            return self.fault(mover, PlayerFault::Silence(asked));
        }
        match self.announced.take_if(|announced| now > announced.by) {
            Some(Announcement { claim, .. }) => wrong_claim(mover, &claim),
            None => Continue(()),
        }
    }
}

/// Detail of a loss on time without a move: by how much it would have been late is not known.
pub(crate) const NO_MOVE: &str = "no move when the time was over";

/// Whether a message changes nothing in the game.
fn is_talk(event: &PlayerEvent) -> bool {
    use PlayerEvent::{Clock, DrawRefusal, OtherLine, Remark, ServerMessage, Thinking};
    matches!(event, Thinking(_) | OtherLine(..) | Remark(_) | ServerMessage(_) | DrawRefusal | Clock(_))
}

/// Whether a message answers the request for a move, so that its time counts.
fn is_answer(event: &PlayerEvent) -> bool {
    !is_talk(event) && !matches!(event, PlayerEvent::DrawOffer | PlayerEvent::Fault(_))
}

/// Events of the players.
impl GameReferee<'_> {
    fn hear(&mut self, color: Color, arrival: Arrival) -> Flow {
        let to_move = color == self.record.game.turn();
        match arrival.event {
            PlayerEvent::Move(text) if to_move && arrival.at >= self.asked => {
                self.make_move(&text, arrival.at)
            }
            PlayerEvent::Move(text) => {
                lose(color, WinReason::RulesInfraction, format!("move out of turn: {}", game::excerpt(&text)))
            }
            PlayerEvent::Thinking(mut thinking) => {
                if self.setup.seats.get(color).white_view && color.is_black() {
                    thinking.score = thinking.score.map(|score| -score);
                }
                if !to_move {
                    return Continue(());
                }
                self.thinking.update(thinking);
                self.check_limit(color)
            }
            PlayerEvent::DrawOffer => self.offer_draw(color),
            PlayerEvent::Resignation => lose(color, WinReason::Resignation, ""),
            PlayerEvent::Claim { result, reason } => {
                let claim = format!("{result} {{{}}}", game::excerpt(&reason));
                self.claim(color, &result, claim, arrival.at)
            }
            PlayerEvent::OtherLine(..)
            | PlayerEvent::Remark(_)
            | PlayerEvent::ServerMessage(_)
            | PlayerEvent::DrawRefusal
            | PlayerEvent::Clock(_) => Continue(()),
            PlayerEvent::Complaint(text) => lose(
                color,
                WinReason::RulesInfraction,
                format!("refuses a legal order: {}", game::excerpt(&text)),
            ),
            PlayerEvent::Fault(fault) => self.fault(color, fault),
        }
    }

    fn make_move(&mut self, text: &str, at: Instant) -> Flow {
        let mover = self.record.game.turn();
        // The side to move has been asked, so its clock is running.
        let (used, remaining) =
            self.clock.end_turn(at).map_or_else(Default::default, |turn| (turn.used, turn.remaining));
        let lag = self.lag().map(|lag| lag.min(used));
        let game = &mut self.record.game;
        let found = game.parse_move(text).map_err(|error| error.to_string());
        if let Err(why) = found.and_then(|m| game.play(m).map_err(|error| error.to_string())) {
            return lose(mover, WinReason::IllegalMove, why);
        }
        let thinking = std::mem::take(&mut self.thinking);
        let score = thinking.score;
        self.record.moves.push(MoveRecord { used, remaining, thinking, overhead: None, lag });
        self.judge_move(mover, score)?;
        // A move declines the opponent's offer. The mover's own offer goes with the move.
        *self.offers.get_mut(!mover) = false;
        self.ask(at)?;
        if *self.offers.get(mover) {
            self.carry_offer(mover)?;
        }
        let turn = Turn { game: &self.record.game, clock: &self.clock, at: self.asked };
        match self.players.get_mut(mover).wait(&turn) {
            Ok(()) => Continue(()),
            Err(fault) => self.fault(mover, fault),
        }
    }

    /// Tells a player to move that has clearly passed its limit of depth or nodes, once in a turn.
    fn check_limit(&mut self, mover: Color) -> Flow {
        let (depth, nodes) = (self.thinking.depth.unwrap_or(0), self.thinking.nodes.unwrap_or(0));
        let is_beyond = match *self.clock.control(mover) {
            TimeControl::Depth(limit) => depth > limit.get().saturating_add(DEPTH_TOLERANCE),
            TimeControl::Nodes(limit) => {
                nodes > limit.get().saturating_mul(NODES_FACTOR).saturating_add(NODES_TOLERANCE)
            }
            _ => false,
        };
        if self.hurried || !is_beyond {
            return Continue(());
        }
        self.hurried = true;
        *self.record.overruns.get_mut(mover) += 1;
        let soon = self.time.now().checked_add(HURRY_PATIENCE);
        self.patience_ends = soon.into_iter().chain(self.patience_ends).min();
        match self.players.get_mut(mover).move_now() {
            Ok(()) => Continue(()),
            Err(fault) => self.fault(mover, fault),
        }
    }

    /// Ends the game if the last move ends it.
    fn judge_move(&mut self, mover: Color, score: Option<game::Score>) -> Flow {
        self.judge_board()?;
        if let Some(draw) = self.record.game.claim().filter(|_| self.claims_draw(mover)) {
            if self.may_draw() {
                return end(Outcome::Draw(draw), "claimed with the move");
            }
            // The claim was right, but a mediator must let the opponent deliver mate first.
            self.announced = None;
        }
        if let Some(Announcement { claim, .. }) = self.announced.take() {
            return wrong_claim(mover, &claim);
        }
        match self.adjudicator.judge(&self.setup.rules.adjudication, &self.record.game, mover, score) {
            Some((outcome, ground)) => end(outcome, ground),
            None => Continue(()),
        }
    }

    /// Whether an offer or claim made before the move claims a draw by the move (FIDE Laws 9.2.1.1, 9.3.1).
    fn claims_draw(&self, mover: Color) -> bool {
        *self.offers.get(mover) || self.announced.as_ref().is_some_and(|announced| announced.draw)
    }

    fn judge_board(&self) -> Flow {
        match self.setup.rules.judge(&self.record.game) {
            Some(Outcome::Draw(_)) if self.record.game.outcome().is_none() && !self.may_draw() => {
                Continue(())
            }
            Some(outcome) => end(outcome, ""),
            None => Continue(()),
        }
    }

    /// Whether the game may end now by repetition or the fifty-move rule. Under CEGO "the mediator must make sure the playing engine
    /// could not deliver mate in their turn".
    fn may_draw(&self) -> bool {
        let mediates = self.setup.seats.iter().any(|seat| seat.protocol == Some(Protocol::Cego));
        !mediates || !self.record.game.can_mate_at_once()
    }

    /// Handles a draw offer or its acceptance.
    fn offer_draw(&mut self, color: Color) -> Flow {
        if *self.offers.get(!color) {
            return end(Outcome::Draw(DrawReason::Agreement), "");
        }
        if std::mem::replace(self.offers.get_mut(color), true) {
            return Continue(());
        }
        // The side to move will still move, and its offer goes with that move.
        if color == self.record.game.turn() { Continue(()) } else { self.carry_offer(color) }
    }

    /// Passes a draw offer on to the opponent.
    fn carry_offer(&mut self, from: Color) -> Flow {
        match self.players.get_mut(!from).offer_draw() {
            Ok(()) => Continue(()),
            Err(fault) => self.fault(!from, fault),
        }
    }

    /// Handles a player's claim that the game is over.
    fn claim(&mut self, color: Color, result: &str, claim: String, at: Instant) -> Flow {
        let lost = color.fold_wb("0-1", "1-0");
        if result == lost {
            return lose(color, WinReason::Resignation, format!("claims {claim}"));
        }
        if result == "*" {
            return lose(color, WinReason::Abandoned, format!("claims {claim}"));
        }
        let draw = result == "1/2-1/2";
        if draw {
            if *self.offers.get(!color) {
                return end(Outcome::Draw(DrawReason::Agreement), "");
            }
            if let Some(draw) = self.record.game.claim() {
                // The side to move may claim although it could mate; the mediator's rule protects only that side.
                let ends = color == self.record.game.turn() || self.may_draw();
                return if ends { end(Outcome::Draw(draw), "claimed") } else { Continue(()) };
            }
        }
        if color != self.record.game.turn() || self.announced.is_some() {
            return wrong_claim(color, &claim);
        }
        self.announced = at.checked_add(CLAIM_PATIENCE).map(|by| Announcement { claim, draw, by });
        Continue(())
    }
}

/// End of the game.
impl GameReferee<'_> {
    fn fault(&mut self, color: Color, fault: PlayerFault) -> Flow {
        let is_breach = matches!(fault, PlayerFault::Malformed(_));
        let reason = if is_breach { WinReason::RulesInfraction } else { WinReason::Abandoned };
        let detail = fault.to_string();
        *self.record.faults.get_mut(color) = Some(fault);
        lose(color, reason, detail)
    }

    /// Tells the players that can still be reached that the game is over, and completes the record.
    fn close(mut self, ending: Ending) -> GameRecord {
        let lasted = self.time.now().saturating_duration_since(self.began);
        if let Some(outcome) = ending.outcome {
            for (player, fault) in self.players.into_iter().zip(self.record.faults.iter_mut()) {
                if fault.is_none() {
                    *fault = player.end_game(outcome).err();
                }
            }
        }
        let fault = self.adjudicator.faulty.filter(|_| ending.detail.is_empty());
        let detail = fault.map_or(ending.detail, |fault| format!("no endgame tables: {fault}"));
        self.record.end(ending.outcome, detail, lasted);
        self.record
    }
}

fn lose(loser: Color, reason: WinReason, detail: impl Into<String>) -> Flow {
    end(Outcome::Win { winner: !loser, reason }, detail)
}

fn wrong_claim(color: Color, claim: &str) -> Flow {
    lose(color, WinReason::RulesInfraction, format!("wrong claim: {claim}"))
}

fn end(outcome: Outcome, detail: impl Into<String>) -> Flow {
    Break(Ending { outcome: Some(outcome), detail: detail.into() })
}

/// A source of time. Tests use a simulated one.
pub trait Time {
    /// Returns the present moment, which never decreases.
    fn now(&self) -> Instant;

    /// Yields the processor to the players, if they share it.
    fn give_way(&self) {}

    /// Returns the time for which this thread has waited for a processor since its start, if that is known.
    fn run_delay(&self) -> Option<Duration> {
        None
    }

    /// Waits until one of the sources (at most two) can be read or `until` is reached. May return early.
    fn wait(&self, sources: &[Source<'_>], until: Instant);
}

/// The monotonic clock of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct RealTime;

impl Time for RealTime {
    fn now(&self) -> Instant {
        Instant::now()
    }

    fn give_way(&self) {
        std::thread::yield_now();
    }

    fn run_delay(&self) -> Option<Duration> {
        platform::run_delay()
    }

    fn wait(&self, sources: &[Source<'_>], until: Instant) {
        platform::wait(sources, until);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn real_time_waits_no_longer_than_told() {
        let began = RealTime.now();
        RealTime.wait(&[], began + Duration::from_millis(3));
        assert!(began.elapsed() >= Duration::from_millis(3));
        let (bell, mut ringer) = platform::bell().unwrap();
        ringer.ring().unwrap();
        let began = RealTime.now();
        RealTime.wait(&[bell.source()], began + Duration::from_mins(1));
        assert!(began.elapsed() < Duration::from_secs(30));
    }
}
