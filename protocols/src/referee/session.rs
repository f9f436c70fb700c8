//! Herald as a client of a referee, over one connection.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use engine::{Decision, Purpose, SearchLine, Thought};
use game::{DrawReason, Game, MoveLimits, MoveTime, Outcome, ScoreBound};

use crate::agreements::{Agreements, is_content_with_a_draw};
use crate::host::{Event, Host};
use crate::pondering::PonderMove;
use messages::epd::{EpdMove, Evaluation};
use messages::input::Input;
use messages::referee::{
    Analysis, ClientConfig, ClientConnection, ClientState, ClientTask, DisconnectReason, Remark, Response,
    answer_with,
};

/// Interval at which `leaving` is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Signs on and takes part until the connection ends or `leaving` is set. The lines of the connection must be attached
/// to the host (see [`Host::attach`]). `alarm` receives the reasons for which the referee calls for human help.
///
/// # Errors
/// If the output can't be written.
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
    let mut session =
        RefereeSession { host, client, link, config, agreements, ponder_move: None, asked: None, line: None };
    let disconnect = session.take_part(leaving);
    session.host.engine.abandon();
    disconnect
}

struct RefereeSession<'a> {
    host: &'a mut Host,
    client: &'a mut ClientState,
    link: ClientConnection<'a>,
    config: &'a ClientConfig,
    agreements: Agreements,
    ponder_move: Option<PonderMove>,
    /// The position that the search is about.
    asked: Option<Game>,
    /// The latest best line of the search.
    line: Option<SearchLine>,
}

impl RefereeSession<'_> {
    fn take_part(&mut self, leaving: &AtomicBool) -> io::Result<DisconnectReason> {
        loop {
            if leaving.load(Ordering::Relaxed) {
                return self.link.sign_off(self.client);
            }
            if let Some(disconnect) = self.link.keep_alive(Instant::now())? {
                return Ok(disconnect);
            }
            match self.host.event_within(POLL_INTERVAL) {
                Some(Event::Input(input)) => {
                    if let Some(disconnect) = self.hear(input)? {
                        return Ok(disconnect);
                    }
                }
                Some(Event::Thought(_, thought)) => self.notice(thought)?,
                None => {}
            }
        }
    }

    fn hear(&mut self, input: Input) -> io::Result<Option<DisconnectReason>> {
        match self.link.hear(self.client, input)? {
            ClientTask::Nothing | ClientTask::Repeat(_) | ClientTask::Alarm(_) => self.drop_outdated()?,
            ClientTask::NewGame => {
                (self.ponder_move, self.asked) = (None, None);
                self.agreements = Agreements::default();
                self.host.engine.abandon();
                self.host.engine.new_game();
            }
            ClientTask::Respond => self.respond()?,
            ClientTask::Conclude(_) => {
                (self.ponder_move, self.asked) = (None, None);
                self.host.engine.abandon();
            }
            ClientTask::Disconnect(disconnect) => return Ok(Some(disconnect)),
        }
        Ok(None)
    }

    /// Drops the search if `execute` has replaced its position. The new position is searched if the same side is to
    /// move.
    fn drop_outdated(&mut self) -> io::Result<()> {
        let game = self.client.game();
        match self.asked.take_if(|asked| asked.fen() != game.fen()) {
            Some(asked) if asked.turn() == game.turn() => self.respond(),
            Some(_) => {
                self.host.engine.abandon();
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Starts to think, unless the game is over.
    fn respond(&mut self) -> io::Result<()> {
        let game = self.client.game();
        self.agreements.draw_offered = self.client.is_draw_offered();
        let expected = self.ponder_move.take();
        match game.outcome() {
            Some(outcome) => {
                self.host.engine.abandon();
                let is_dead = outcome == Outcome::Draw(DrawReason::InsufficientMaterial);
                return self.reply(if is_dead { Response::ClaimDraw } else { Response::NoMove });
            }
            None if expected.is_some_and(|e| e.is_hit(game, self.client.remaining(game.turn()))) => {
                self.host.engine.ponder_hit();
            }
            None => {
                self.line = None;
                self.host.think(game, Purpose::Play, engine::limits(self.client.limits()));
            }
        }
        self.asked = Some(game.clone());
        Ok(())
    }

    fn notice(&mut self, thought: Thought) -> io::Result<()> {
        match thought {
            Thought::Line(line) if line.number == 1 && line.bound == ScoreBound::Exact => {
                self.line = Some(line);
            }
            Thought::Warning(text) => self.link.alarm(&text),
            Thought::Line(_) | Thought::RootMove { .. } => {}
            Thought::Done(decision) => {
                self.host.engine.finish();
                // Pondering that finishes before the opponent has moved gives no answer; the position is searched
                // again.
                if self.ponder_move.take().is_none() {
                    self.answer(&decision)?;
                }
            }
        }
        Ok(())
    }

    fn answer(&mut self, decision: &Decision) -> io::Result<()> {
        let game = self.client.game().clone();
        let limits = self.client.limits();
        self.agreements.note(decision, None, self.host.engine.settings());
        let answer = self.choose(&game, decision);
        let moves_on = matches!(answer, Response::Move { .. });
        self.reply(answer)?;
        if moves_on
            && self.config.ponder
            && let Some(reply) = decision.ponder
        {
            let limits = engine::limits(ponder_limits(self.client, limits));
            let game = self.client.game();
            let remaining = self.client.remaining(!game.turn());
            self.ponder_move = PonderMove::start(self.host, game, reply, limits, remaining);
        }
        Ok(())
    }

    /// Returns Herald's response: a move, or the end of the game.
    fn choose(&mut self, game: &Game, decision: &Decision) -> Response {
        let settings = self.host.engine.settings();
        let Some(best) = decision.best else { return Response::NoMove };
        if self.agreements.is_time_to_resign(settings) {
            return Response::Resign;
        }
        if self.agreements.draw_offered && self.agreements.takes_a_draw(game, settings) {
            return Response::AcceptDraw;
        }
        // A draw by the rules is claimed if no better result is expected.
        let is_content = is_content_with_a_draw(decision.score, settings);
        if is_content && game.claim().is_some() {
            return Response::ClaimDraw;
        }
        let remark = if is_content && game.claim_after(best).is_some() {
            Remark::ClaimDraw
        } else if self.agreements.is_time_to_offer(game, settings) {
            Remark::OfferDraw
        } else {
            Remark::None
        };
        answer_with(game, best, remark)
    }

    fn reply(&mut self, answer: Response) -> io::Result<()> {
        let analysis = self.line.take().map(|line| analysis(self.client.game(), &line)).unwrap_or_default();
        self.asked = None;
        // The engine's choice is legal.
        let record = self.client.reply(answer, analysis).map_err(io::Error::other)?;
        self.link.send(&record)
    }
}

/// Converts a line of the search to the analysis of a record.
fn analysis(game: &Game, line: &SearchLine) -> Analysis {
    Analysis {
        evaluation: Evaluation::of(line.score),
        depth: Some(line.depth.into()),
        nodes: Some(line.nodes),
        line: game.chess().map(|chess| EpdMove::line(chess, &line.moves)).unwrap_or_default(),
    }
}

/// Returns the limits of the move after the reply on which Herald ponders. `limits` are those of Herald's last move,
/// which has already been made.
fn ponder_limits(client: &ClientState, limits: MoveLimits) -> MoveLimits {
    // The clock does not run, so the moment is arbitrary.
    let now = Instant::now();
    let next = client.clock(now).move_limits(!client.game().turn(), now).time;
    let (MoveTime::Clock { increment, .. }, MoveTime::Clock { remaining, moves_to_go, .. }) =
        (limits.time, next)
    else {
        return limits;
    };
    MoveLimits { time: MoveTime::Clock { remaining, increment, moves_to_go }, ..limits }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pondering_counts_on_the_clock_after_the_own_move() {
        let mut client = ClientState::new("2/60".parse().expect("a time control"));
        let mut limits_after = |request: &str, own: &str| {
            let fields = game::epd::fields(client.game());
            client.hear(&format!("{fields} refcom respond; {request}")).expect("a request");
            let (game, limits) = (client.game().clone(), client.limits());
            let answer = answer_with(&game, game.parse_move(own).expect(own), Remark::None);
            client.reply(answer, Analysis::default()).expect("legal");
            match ponder_limits(&client, limits).time {
                MoveTime::Clock { remaining, moves_to_go, .. } => (remaining.as_secs(), moves_to_go),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(limits_after("", "e4"), (60, Some(1)));
        assert_eq!(limits_after("sm e5; fmvn 1;", "d4"), (120, Some(2)));
    }
}
