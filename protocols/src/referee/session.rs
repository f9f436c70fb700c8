//! Herald's part in the conversation, over one connection.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::{Decision, Limits, Line, NumberSetting, Purpose, Thought};
use game::{DrawReason, Game, Move, Outcome, ScoreBound};
use shakmaty::Position as _;

use crate::agreements::Agreements;
use crate::host::{Event, Host};
use messages::epd::{EpdMove, Evaluation};
use messages::input::Input;
use messages::referee::{
    Analysis, ClientConfig, ClientConnection, ClientState, DisconnectReason, Received, Remark, Response,
    answer_with,
};

/// How long it may take until `leaving` is seen.
const GLANCE: Duration = Duration::from_millis(50);

/// Signs on and takes part until the connection ends or `leaving` is set. The lines must come to the host (see
/// [`Host::attach`]); what the referee calls for human help about goes to `alarm`.
///
/// # Errors
/// Nothing more can be written.
pub fn play(
    host: &mut Host,
    client: &mut ClientState,
    output: &mut dyn Write,
    config: &ClientConfig,
    leaving: &AtomicBool,
    alarm: &mut dyn FnMut(&str),
) -> io::Result<DisconnectReason> {
    let agreements = Agreements::default();
    let link = ClientConnection::sign_on(client, config, output, alarm)?;
    let mut session = Session { host, client, link, config, agreements, guess: None, line: None };
    let disconnect = session.take_part(leaving);
    session.host.engine.abandon();
    disconnect
}

struct Session<'a> {
    host: &'a mut Host,
    client: &'a mut ClientState,
    link: ClientConnection<'a>,
    config: &'a ClientConfig,
    agreements: Agreements,
    guess: Option<Guess>,
    /// The latest line that Herald thinks best.
    line: Option<Line>,
}

/// A guess at the next move of the opponent, on which Herald ponders.
struct Guess {
    /// The number of plies after it.
    ply: usize,
    reply: Move,
    /// What the clock should show then.
    remaining: Option<Duration>,
}

impl Session<'_> {
    fn take_part(&mut self, leaving: &AtomicBool) -> io::Result<DisconnectReason> {
        loop {
            if leaving.load(Ordering::Relaxed) {
                return self.link.sign_off(self.client);
            }
            match self.host.event_within(GLANCE) {
                Some(Event::Input(input)) => {
                    if let Some(disconnect) = self.hear(input)? {
                        return Ok(disconnect);
                    }
                }
                Some(Event::Thought(id, thought)) if self.host.engine.is_current(id) => {
                    self.notice(thought)?;
                }
                None | Some(Event::Thought(..)) => {}
            }
        }
    }

    fn hear(&mut self, input: Input) -> io::Result<Option<DisconnectReason>> {
        match self.link.hear(self.client, input)? {
            Received::Nothing | Received::Update => {}
            Received::NewGame => {
                self.guess = None;
                self.agreements = Agreements::default();
                self.host.engine.abandon();
                self.host.engine.new_game();
            }
            Received::Respond => self.respond()?,
            Received::Conclude(_) => {
                self.guess = None;
                self.host.engine.abandon();
            }
            Received::Disconnected(disconnect) => return Ok(Some(disconnect)),
        }
        Ok(None)
    }

    /// Begins to think, unless there is nothing to think about.
    fn respond(&mut self) -> io::Result<()> {
        let game = self.client.game().clone();
        self.agreements.draw_offered = self.client.is_draw_offered();
        let guess = self.guess.take();
        match game.outcome() {
            Some(Outcome::Draw(DrawReason::InsufficientMaterial)) => self.reply(Response::ClaimDraw),
            Some(_) => self.reply(Response::NoMove),
            None if guess.is_some_and(|guess| guess.holds(self.client)) => {
                self.host.engine.ponder_hit();
                Ok(())
            }
            None => {
                self.line = None;
                self.think(&game, Purpose::Play, engine::limits(self.client.limits()));
                Ok(())
            }
        }
    }

    fn think(&mut self, game: &Game, purpose: Purpose, limits: Limits) {
        let clock = Arc::new(Instant::now());
        self.host.engine.think(game, engine::Task { purpose, limits, allowed: None, clock });
    }

    fn notice(&mut self, thought: Thought) -> io::Result<()> {
        match thought {
            Thought::Line(line) if line.number == 1 && line.bound == ScoreBound::Exact => {
                self.line = Some(line);
            }
            Thought::Line(_) | Thought::RootMove { .. } | Thought::Warning(_) => {}
            Thought::Done(decision) => {
                self.host.engine.finish();
                // Pondering that came to its end before the opponent moved says nothing yet; it is asked again.
                if self.guess.take().is_none() {
                    self.answer(&decision)?;
                }
            }
        }
        Ok(())
    }

    fn answer(&mut self, decision: &Decision) -> io::Result<()> {
        let game = self.client.game().clone();
        let limits = engine::limits(self.client.limits());
        self.agreements.note(decision.score, self.host.engine.settings());
        let answer = self.choose(&game, decision);
        let moves_on = matches!(answer, Response::Move { .. });
        self.reply(answer)?;
        if moves_on
            && self.config.ponder
            && let Some(reply) = decision.ponder
        {
            self.ponder(reply, limits);
        }
        Ok(())
    }

    /// What Herald says: its move, or something about the end of the game.
    fn choose(&mut self, game: &Game, decision: &Decision) -> Response {
        let settings = self.host.engine.settings();
        let value = decision.score.value();
        let Some(best) = decision.best else { return Response::NoMove };
        if self.agreements.is_time_to_resign(settings) {
            return Response::Resign;
        }
        if self.agreements.draw_offered && value <= settings.get(NumberSetting::DrawScore) {
            return Response::AcceptDraw;
        }
        // A draw by the rules is claimed if nothing better is in sight.
        let is_content = value <= (-settings.get(NumberSetting::Contempt)).max(0);
        if is_content && game.claim().is_some() {
            return Response::ClaimDraw;
        }
        let remark = if is_content && game.claim_after(best).is_some() {
            Remark::ClaimDraw
        } else if self.agreements.is_time_to_offer(game.position().fullmoves().get(), settings) {
            Remark::OfferDraw
        } else {
            Remark::None
        };
        answer_with(game, best, remark)
    }

    fn reply(&mut self, answer: Response) -> io::Result<()> {
        let analysis = self.line.take().map(|line| analysis(self.client.game(), &line)).unwrap_or_default();
        // What the engine chose is legal.
        let record = self.client.reply(answer, analysis).map_err(io::Error::other)?;
        self.link.send(&record)
    }

    fn ponder(&mut self, reply: Move, limits: Limits) {
        let mut game = self.client.game().clone();
        if game.play(reply).is_ok() && game.outcome().is_none() {
            let remaining = self.client.remaining(game.turn());
            self.guess = Some(Guess { ply: game.ply(), reply, remaining });
            self.think(&game, Purpose::Ponder, limits);
        }
    }
}

impl Guess {
    /// Whether it has come true: the move was played, and not much time is missing.
    fn holds(&self, client: &ClientState) -> bool {
        let game = client.game();
        let is_enough = match (client.remaining(game.turn()), self.remaining) {
            (Some(left), Some(expected)) => left >= expected.mul_f64(0.8),
            (left, expected) => left == expected,
        };
        game.ply() == self.ply && game.moves().last() == Some(&self.reply) && is_enough
    }
}

/// What Herald thinks of a position, for the record.
fn analysis(game: &Game, line: &Line) -> Analysis {
    Analysis {
        evaluation: Evaluation::of(line.score),
        depth: Some(line.depth.into()),
        nodes: Some(line.nodes),
        line: game.chess().map(|chess| EpdMove::line(chess, &line.moves)).unwrap_or_default(),
    }
}
