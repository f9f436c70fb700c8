//! Herald's part in the conversation, over one connection.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::{Bound, Limits};
use engine::{Decision, Line, NumberSetting, Purpose, Thought};
use game::{DrawReason, Game, Move, Outcome};
use shakmaty::Position as _;

use crate::agreements::Agreements;
use crate::host::{Event, Host};
use messages::epd::{EpdMove, Evaluation};
use messages::input::Input;
use messages::referee::{Analysis, Answer, Habits, Parting, Remark};
use messages::referee::{Conversation, answer_with};
use messages::referee::{Heard, Link};

/// How long it may take until `leaving` is seen.
const GLANCE: Duration = Duration::from_millis(50);

/// Signs on and takes part until the connection ends or `leaving` is set. The lines must come to the host (see
/// [`Host::attach`]); what the referee calls for human help about goes to `alarm`.
///
/// # Errors
/// Nothing more can be written.
pub fn play(
    host: &mut Host,
    client: &mut Conversation,
    output: &mut dyn Write,
    habits: &Habits,
    leaving: &AtomicBool,
    alarm: &mut dyn FnMut(&str),
) -> io::Result<Parting> {
    let agreements = Agreements::default();
    let link = Link::sign_on(client, habits, output, alarm)?;
    let mut session = Session { host, client, link, habits, agreements, guess: None, line: None };
    let parting = session.take_part(leaving);
    session.host.engine.abandon();
    parting
}

struct Session<'a> {
    host: &'a mut Host,
    client: &'a mut Conversation,
    link: Link<'a>,
    habits: &'a Habits,
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
    fn take_part(&mut self, leaving: &AtomicBool) -> io::Result<Parting> {
        loop {
            if leaving.load(Ordering::Relaxed) {
                return self.link.sign_off(self.client);
            }
            match self.host.event_within(GLANCE) {
                Some(Event::Input(input)) => {
                    if let Some(parting) = self.hear(input)? {
                        return Ok(parting);
                    }
                }
                Some(Event::Thought(id, thought)) if self.host.engine.is_current(id) => {
                    self.notice(thought)?;
                }
                None | Some(Event::Thought(..)) => {}
            }
        }
    }

    fn hear(&mut self, input: Input) -> io::Result<Option<Parting>> {
        match self.link.hear(self.client, input)? {
            Heard::Nothing | Heard::News => {}
            Heard::NewGame => {
                self.guess = None;
                self.agreements = Agreements::default();
                self.host.engine.abandon();
                self.host.engine.new_game();
            }
            Heard::Respond => self.respond()?,
            Heard::Conclude(_) => {
                self.guess = None;
                self.host.engine.abandon();
            }
            Heard::Parting(parting) => return Ok(Some(parting)),
        }
        Ok(None)
    }

    /// Begins to think, unless there is nothing to think about.
    fn respond(&mut self) -> io::Result<()> {
        let game = self.client.game().clone();
        self.agreements.draw_offered = self.client.is_draw_offered();
        let guess = self.guess.take();
        match game.outcome() {
            Some(Outcome::Draw(DrawReason::InsufficientMaterial)) => self.reply(Answer::ClaimDraw),
            Some(_) => self.reply(Answer::NoMove),
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
            Thought::Line(line) if line.number == 1 && line.bound == Bound::Exact => self.line = Some(line),
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
        let moves_on = matches!(answer, Answer::Move { .. });
        self.reply(answer)?;
        if moves_on
            && self.habits.ponder
            && let Some(reply) = decision.ponder
        {
            self.ponder(reply, limits);
        }
        Ok(())
    }

    /// What Herald says: its move, or something about the end of the game.
    fn choose(&mut self, game: &Game, decision: &Decision) -> Answer {
        let settings = self.host.engine.settings();
        let value = decision.score.value();
        let Some(best) = decision.best else { return Answer::NoMove };
        if self.agreements.is_time_to_resign(settings) {
            return Answer::Resign;
        }
        if self.agreements.draw_offered && value <= settings.get(NumberSetting::DrawScore) {
            return Answer::AcceptDraw;
        }
        // A draw by the rules is claimed if nothing better is in sight.
        let is_content = value <= (-settings.get(NumberSetting::Contempt)).max(0);
        if is_content && game.claim().is_some() {
            return Answer::ClaimDraw;
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

    fn reply(&mut self, answer: Answer) -> io::Result<()> {
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
    fn holds(&self, client: &Conversation) -> bool {
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
