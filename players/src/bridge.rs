//! A CECP, UCI or CEGO program as a client of an EPD referee.
//!
//! The state of the referee's protocol is in [`messages::referee::ClientState`], as for Herald's own client; this module makes a
//! [`Player`] answer `respond`. One thread waits for the program and for lines of the referee, which another thread reads and
//! announces with a [`platform::Bell`].

use std::io::{self, Read, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use game::{Color, DrawReason, Game, Outcome, TimeControl};
use messages::epd::{EpdMove, Evaluation};
use messages::input::{Input, LineReader};
use messages::referee::{
    Analysis, ClientConfig, ClientConnection, ClientState, ClientTask, DisconnectReason, Remark, Response,
};
use platform::Bell;

use crate::player::continues;
use crate::{KeptPlayer, Log, NewGame, PlayerEvent, PlayerFault, Spec, Thinking, Turn};

/// How often `leaving` is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Maximum number of moves of a principal variation that is sent to the referee.
const LONGEST_LINE: usize = 64;
/// Maximum number of restarts for the same move.
const MOST_STARTS: u32 = 3;

/// A program as a client of a referee. It outlives connections; a question does not: a move is sent only over the connection
/// and in the position for which the referee asked.
pub struct Bridge {
    program: KeptPlayer,
    client: ClientState,
    /// The game as the program knows it, if it does. While it thinks, this is the position that the referee asked about.
    known: Option<KnownGame>,
    /// Whether the program has to move.
    is_thinking: bool,
    thinking: Thinking,
    /// The program's draw offer or claim before its move.
    remark: Remark,
    /// Number of restarts for the current move.
    starts: u32,
    /// Time that the program isn't told of, for the network.
    overhead: Duration,
}

/// The game as far as it was sent to the program.
struct KnownGame {
    game: Game,
    /// The program has moved: it can only be sent the game with one more move.
    has_moved: bool,
}

/// Lines of the referee, with a source to wait for.
struct RefereeLines {
    inputs: Receiver<Input>,
    bell: Bell,
}

impl Bridge {
    /// Starts the program. `control` applies if the referee sends no time control. Each time that the program has to move, it is
    /// told that it has `overhead` less time than it has.
    ///
    /// # Errors
    /// The program can't be started, or is not ready in time.
    pub fn start(
        spec: Spec,
        log: Option<Arc<dyn Log>>,
        control: TimeControl,
        overhead: Duration,
    ) -> Result<Bridge, PlayerFault> {
        Ok(Bridge {
            program: KeptPlayer::start(spec, log)?,
            client: ClientState::new(control),
            known: None,
            is_thinking: false,
            thinking: Thinking::default(),
            remark: Remark::None,
            starts: 0,
            overhead,
        })
    }

    /// Name that the program reports; empty if it reports none.
    pub fn name(&self) -> &str {
        self.program.name()
    }

    /// Signs on and takes part until the connection ends or `leaving` is set. Calls `alarm` if a person has to help.
    ///
    /// # Errors
    /// Writing to the connection fails, or the reading thread can't be started.
    pub fn take_part(
        &mut self,
        input: impl Read + Send + 'static,
        output: &mut dyn Write,
        config: &ClientConfig,
        leaving: &AtomicBool,
        alarm: &mut dyn FnMut(&str),
    ) -> io::Result<DisconnectReason> {
        self.end_game(None);
        let lines = RefereeLines::read(input)?;
        let link = ClientConnection::sign_on(&mut self.client, config, output, alarm)?;
        let mut table = BridgeSession { bridge: self, link, config };
        loop {
            if leaving.load(Ordering::Relaxed) {
                return table.link.sign_off(&table.bridge.client);
            }
            if let Some(disconnect) = table.link.keep_alive(Instant::now())? {
                return Ok(disconnect);
            }
            table.wait(&lines);
            while let Ok(input) = lines.inputs.try_recv() {
                // The bell rings once for each line.
                lines.bell.hear();
                if let Some(disconnect) = table.hear(input)? {
                    return Ok(disconnect);
                }
            }
            table.listen()?;
        }
    }

    /// Ends the program.
    pub fn close(mut self) {
        self.program.quit();
    }
}

impl RefereeLines {
    fn read(input: impl Read + Send + 'static) -> io::Result<RefereeLines> {
        let (sender, inputs) = mpsc::channel();
        let (bell, mut ring) = platform::bell()?;
        let mut reader = LineReader::new(input);
        std::thread::Builder::new().name("reading".into()).spawn(move || {
            loop {
                let input = reader.read();
                let ended = input == Input::End;
                if sender.send(input).is_err() || ring.ring().is_err() || ended {
                    return;
                }
            }
        })?;
        Ok(RefereeLines { inputs, bell })
    }
}

/// A bridge during one connection.
struct BridgeSession<'a> {
    bridge: &'a mut Bridge,
    link: ClientConnection<'a>,
    config: &'a ClientConfig,
}

impl BridgeSession<'_> {
    /// Waits for the referee or the program.
    fn wait(&self, lines: &RefereeLines) {
        let mut sources = vec![lines.bell.source()];
        // Without a game the program may have ended, as CEGO demands; its closed pipe would always be ready.
        let player = self.bridge.program.player.as_ref().filter(|_| self.bridge.known.is_some());
        sources.extend(player.and_then(|player| player.source()));
        platform::wait(&sources, Instant::now() + POLL_INTERVAL);
    }

    /// Handles a line of the referee.
    fn hear(&mut self, input: Input) -> io::Result<Option<DisconnectReason>> {
        match self.link.hear(&mut self.bridge.client, input)? {
            ClientTask::Nothing => {
                self.drop_outdated()?;
                self.prepare();
            }
            ClientTask::Repeat(_) | ClientTask::Alarm(_) => self.drop_outdated()?,
            ClientTask::NewGame => self.bridge.end_game(None),
            ClientTask::Respond => {
                self.bridge.starts = 0;
                if self.bridge.is_thinking {
                    self.bridge.end_game(None);
                }
                self.respond()?;
            }
            ClientTask::Conclude(result) => self.bridge.end_game(result.as_deref()),
            ClientTask::Disconnect(disconnect) => return Ok(Some(disconnect)),
        }
        Ok(None)
    }

    /// Ends the program's game if it thinks about a position that `execute` has replaced. The program is asked about the
    /// new one if the same side is to move.
    fn drop_outdated(&mut self) -> io::Result<()> {
        let (bridge, game) = (&*self.bridge, self.bridge.client.game());
        let asked = bridge.known.as_ref().map(|known| &known.game).filter(|_| bridge.is_thinking);
        let Some(asked) = asked.filter(|asked| asked.fen() != game.fen()) else { return Ok(()) };
        let is_our_turn = asked.turn() == game.turn();
        self.bridge.end_game(None);
        if is_our_turn { self.respond() } else { Ok(()) }
    }

    fn fault(&mut self, reason: &str) -> io::Result<()> {
        self.link.fault(&self.bridge.client, reason)
    }

    /// Sets up the game as soon as the program's side is known, before its clock runs. Errors are ignored: they occur again when
    /// the program has to move.
    fn prepare(&mut self) {
        let client = &self.bridge.client;
        let is_ours = |side: &str| client.tag(side) == Some(self.config.name.as_str());
        if self.bridge.known.is_none() && (is_ours("White") || is_ours("Black")) {
            let _ = self.bridge.set_up(Color::from_white(is_ours("White")), self.config.ponder);
        }
    }

    /// Asks the program for its move.
    fn respond(&mut self) -> io::Result<()> {
        let game = self.bridge.client.game().clone();
        match game.outcome() {
            Some(Outcome::Draw(DrawReason::InsufficientMaterial)) => return self.reply(Response::ClaimDraw),
            Some(_) => return self.reply(Response::NoMove),
            None => {}
        }
        self.bridge.think(&game, self.config.ponder).or_else(|fault| self.start_again(&fault))
    }

    fn reply(&mut self, answer: Response) -> io::Result<()> {
        let thinking = std::mem::take(&mut self.bridge.thinking);
        let analysis = analysis(self.bridge.client.game(), &thinking);
        self.bridge.is_thinking = false;
        self.bridge.remark = Remark::None;
        let record = self.bridge.client.reply(answer, analysis).map_err(io::Error::other)?;
        self.link.send(&record)
    }

    /// Restarts a program that failed, and asks for its move again if it was thinking.
    fn start_again(&mut self, fault: &PlayerFault) -> io::Result<()> {
        self.link.alarm(&format!("the program {fault}"));
        self.bridge.starts += 1;
        if self.bridge.starts > MOST_STARTS {
            self.bridge.is_thinking = false;
            return self.fault(&format!("the program {fault}, again and again"));
        }
        if let Err(fault) = self.bridge.restart() {
            return self.start_again(&fault);
        }
        if self.bridge.is_thinking { self.respond() } else { Ok(()) }
    }
}

/// Events of the program.
impl BridgeSession<'_> {
    fn listen(&mut self) -> io::Result<()> {
        while let Some(arrival) = self.bridge.program.player.as_mut().and_then(|player| player.take()) {
            let (is_thinking, is_offered) = (self.bridge.is_thinking, self.bridge.client.is_draw_offered());
            match arrival.event {
                PlayerEvent::Complaint(text) => {
                    self.fault(&format!("the program complains: {}", game::excerpt(&text)))?;
                }
                PlayerEvent::DrawRefusal | PlayerEvent::Clock(_) | PlayerEvent::ServerMessage(_) => {}
                PlayerEvent::Remark(text) => self.link.alarm(&format!("the program {text}")),
                PlayerEvent::Fault(fault) => self.start_again(&fault)?,
                PlayerEvent::DrawOffer if is_thinking && is_offered => self.reply(Response::AcceptDraw)?,
                PlayerEvent::DrawOffer => self.bridge.remark = Remark::OfferDraw,
                // Out of turn, or for a question that is outdated.
                _ if !is_thinking => {}
                PlayerEvent::Move(text) => self.make_move(&text)?,
                PlayerEvent::Thinking(thinking) => self.bridge.thinking.update(thinking),
                PlayerEvent::OtherLine(..) => {}
                PlayerEvent::Resignation => self.reply(Response::Resign)?,
                PlayerEvent::Claim { result, .. } => self.claim(&result)?,
            }
        }
        Ok(())
    }

    fn make_move(&mut self, text: &str) -> io::Result<()> {
        let (game, remark) = (self.bridge.client.game(), self.bridge.remark);
        let legal = game.parse_move(text).ok();
        let answer = match legal {
            Some(mv) => messages::referee::answer_with(game, mv, remark),
            // The referee decides whether this is a move.
            None => {
                Response::Move { mv: EpdMove::Text(as_operand(text).into()), remark, rejects_draw: false }
            }
        };
        self.reply(answer)?;
        if legal.is_some()
            && let Err(fault) = self.bridge.wait()
        {
            self.start_again(&fault)?;
        }
        Ok(())
    }

    fn claim(&mut self, result: &str) -> io::Result<()> {
        let game = self.bridge.client.game();
        let lost = game.turn().fold_wb("0-1", "1-0");
        match result {
            "1/2-1/2" if game.claim().is_some() => self.reply(Response::ClaimDraw),
            // The claim may hold after the move; otherwise the referee takes it as an offer.
            "1/2-1/2" => {
                self.bridge.remark = Remark::ClaimDraw;
                Ok(())
            }
            "*" => self.fault("the program does not go on"),
            result if result == lost => self.reply(Response::Resign),
            // The referee finds out about a win by the next move.
            _ => Ok(()),
        }
    }
}

/// The program.
impl Bridge {
    fn end_game(&mut self, result: Option<&str>) {
        let told = result.and_then(Outcome::adjudicated);
        let told = told.unwrap_or(Outcome::Draw(DrawReason::Adjudication));
        let on_board = self.client.game().outcome().filter(|outcome| outcome.result() == told.result());
        if let (Some(player), Some(_)) = (&mut self.program.player, &self.known) {
            // A program that has ended is restarted for the next game.
            let _ = player.end_game(on_board.unwrap_or(told));
        }
        self.known = None;
        self.is_thinking = false;
        self.remark = Remark::None;
        self.thinking = Thinking::default();
    }

    fn restart(&mut self) -> Result<(), PlayerFault> {
        self.program.quit();
        self.known = None;
        self.program.player().map(drop)
    }

    fn set_up(&mut self, color: Color, ponder: bool) -> Result<(), PlayerFault> {
        let game = self.client.game().clone();
        let opponent = self.client.tag(color.fold_wb("Black", "White")).unwrap_or_default().to_owned();
        let new = NewGame { color, opponent, ponder, ..NewGame::new(game, self.client.control()) };
        self.program.player()?.new_game(&new)?;
        self.known = Some(KnownGame { game: new.game, has_moved: false });
        Ok(())
    }

    fn think(&mut self, game: &Game, ponder: bool) -> Result<(), PlayerFault> {
        self.is_thinking = true;
        if !self.known.as_ref().is_some_and(|known| continues(game, &known.game, known.has_moved)) {
            self.set_up(game.turn(), ponder)?;
        }
        let at = Instant::now();
        let (mut clock, offers) = (self.client.clock(at), self.client.is_draw_offered());
        // The time on the way to the referee and back is on the program's clock, but the program doesn't know of it.
        if let Some(remaining) = clock.remaining(game.turn(), at) {
            let kept = self.overhead.min(remaining / 2);
            clock.set_remaining(game.turn(), remaining.saturating_sub(kept), at);
        }
        self.known = Some(KnownGame { game: game.clone(), has_moved: false });
        let player = self.program.player()?;
        player.think(&Turn { game, clock: &clock, at })?;
        if offers {
            player.offer_draw()?;
        }
        self.thinking = Thinking::default();
        Ok(())
    }

    /// Tells the program that its move was sent, and that the opponent's clock runs.
    fn wait(&mut self) -> Result<(), PlayerFault> {
        let game = self.client.game().clone();
        let at = Instant::now();
        let clock = self.client.clock(at);
        self.known = Some(KnownGame { game: game.clone(), has_moved: true });
        self.program.player()?.wait(&Turn { game: &game, clock: &clock, at })
    }
}

/// Converts thinking output for the referee's record.
fn analysis(game: &Game, thinking: &Thinking) -> Analysis {
    let mut line = thinking.moves(game);
    line.truncate(LONGEST_LINE);
    Analysis {
        evaluation: thinking.score.and_then(Evaluation::of),
        depth: thinking.depth.map(u64::from),
        nodes: thinking.nodes,
        line: game.chess().map(|chess| EpdMove::line(chess, &line)).unwrap_or_default(),
    }
}

/// Converts text of a program to an EPD operand.
fn as_operand(text: &str) -> String {
    let fit = |c: &char| c.is_ascii_graphic() && !matches!(c, ';' | '"' | ',');
    let word: String = text.chars().filter(fit).take(20).collect();
    if word.is_empty() { "?".to_owned() } else { word }
}
