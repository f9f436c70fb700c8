//! The GUI's commands: one match with one handler per command.

use std::ops::ControlFlow;
use std::time::Duration;

use game::Game;
use messages::cecp::{Command, Message, TimeSession, variants};
use shakmaty::Color;

use super::CecpSession;
use crate::cecp::output::echo;
use messages::cecp::{EngineMode, StateChange};

impl CecpSession<'_> {
    /// Handles a line and its effect on the state. Breaks at `quit`.
    pub(super) fn read(&mut self, line: &str) -> ControlFlow<()> {
        let command = self.parse(line);
        self.send_held_report(command.as_ref().ok());
        if command == Ok(Command::Quit) {
            return ControlFlow::Break(());
        }
        if self.state.paused && command.as_ref().is_ok_and(Command::ends_pause) {
            let change = self.resume();
            self.apply(change);
        }
        match self.obey_line(line, command) {
            Ok(change) => self.apply(change),
            Err(refusal) => self.refuse(&refusal, line),
        }
        ControlFlow::Continue(())
    }

    /// Reports a line that can't be obeyed.
    fn refuse(&mut self, reason: &str, line: &str) {
        let answer = self.dialect.refusal(reason, echo(line));
        let ends_game = matches!(answer, Message::Result { .. });
        self.output.send(&answer);
        if ends_game {
            self.abandon();
            self.apply(StateChange::Mode(EngineMode::Force));
        }
    }

    /// Obeys a line now, or defers it until the engine has made its own move.
    fn obey_line(&mut self, line: &str, command: Result<Command, String>) -> Result<StateChange, String> {
        use Command as C;
        if line.trim().is_empty() {
            return Ok(StateChange::Nothing);
        } else if self.board.is_edited() {
            return self.edit_line(line);
        }
        let command = command?;
        // A second `white` or `black` may undo the first.
        if !matches!(command, C::White | C::Black | C::Time { .. } | C::OpponentTime { .. }) {
            self.settle();
        }
        // These commands wait until the engine has made its own move.
        if matches!(command, C::Ping(_) | C::UserMove(_) | C::BareMove(_)) {
            self.take_up();
            if self.is_on_move() {
                self.deferred.lines.push_back(line.to_owned());
                return Ok(StateChange::Nothing);
            }
        }
        self.obey(command)
    }

    /// Parses a line as a command. Fails if it is not a command or not allowed in this state.
    fn parse(&self, line: &str) -> Result<Command, String> {
        let command = self.persons.read_answer(line).map_or_else(|| line.parse(), Ok);
        match command {
            Ok(Command::Quit) => Ok(Command::Quit),
            Ok(Command::Resume) if !self.state.paused => Err("not paused".into()),
            Ok(Command::Resume) => Ok(Command::Resume),
            Ok(Command::Variant(name)) if !variants::is_known(&name) => {
                Err(if self.state.paused { "paused" } else { "unknown variant" }.into())
            }
            Ok(command) if self.state.paused && command.ends_pause() => Ok(command),
            _ if self.state.paused => Err("paused".into()),
            command => command.map_err(|error| error.to_string()),
        }
    }

    /// Obeys a command; the arms are in the order of the specification. Returns the change of state, or why the
    /// command can't be obeyed; then nothing has changed.
    fn obey(&mut self, command: Command) -> Result<StateChange, String> {
        use Command as C;
        match command {
            C::Protover(version) => self.announce(version),
            C::Accepted(feature) => self.output.debugs |= feature == "debug",
            C::Rejected(feature) => self.feature_rejected(&feature),
            C::New => return Ok(self.new_game()),
            C::Variant(name) => return Ok(self.variant(&name)),
            C::Force => return Ok(StateChange::Mode(EngineMode::Force)),
            C::Go => return Ok(self.play_side(|turn| turn)),
            C::PlayOther => return Ok(self.play_side(|turn| !turn)),
            C::UserMove(mv) | C::BareMove(mv) => return Ok(self.user_move(&mv)),
            C::Draw => self.agreements.draw_offered = true,
            C::Edit => self.begin_edit(),
            C::SetBoard(fen) => return Ok(self.set_board(&fen)),
            C::White => return Ok(self.put_on_move(Color::White)),
            C::Black => return Ok(self.put_on_move(Color::Black)),
            C::Result { .. } => return Ok(self.result()),
            C::Pause => return Ok(self.pause()),
            C::Resume => return Ok(self.resume()),
            C::Ping(n) => self.ping(n),
            C::MoveNow => self.move_now(),
            C::Undo => self.take_back(1)?,
            C::Remove => self.take_back(2)?,
            C::Analyze => return Ok(StateChange::Mode(EngineMode::Analyze)),
            C::Exit => return Ok(self.exit()),
            C::Status => self.tell_status(),
            C::Exclude(moves) => self.exclude(&moves)?,
            C::Include(moves) => self.include(&moves)?,
            C::Hint => self.hint(),
            C::Random => return Ok(StateChange::ToggleRandom),
            C::Memory(mebibytes) => self.set_memory(mebibytes)?,
            C::Cores(cores) => self.set_cores(cores)?,
            C::EgtPath { flavor, path } => self.set_tablebases(&flavor, &path)?,
            C::Ponder(on) => return Ok(StateChange::Ponder(on)),
            C::Post(on) => self.output.posts = on,
            C::Option { name, value } => self.set_option(&name, value.as_deref())?,
            C::Level { moves, base, increment } => self.level(moves, base, increment),
            C::Sessions { first, later } => self.clock.set_level(&[first, later], Duration::ZERO, self.ply()),
            C::TimePerMove(time) => self.clock.set_time_per_move(time, self.ply()),
            C::Depth(depth) => self.clock.set_depth(depth),
            C::NodeRate(rate) => self.clock.set_node_rate(rate),
            C::Time { centiseconds } => self.synchronise(centiseconds),
            C::Book => self.tell_book(),
            C::Name(name) => self.persons.opponent.name = Some(name),
            C::Ics(host) => self.persons.opponent.is_on_server = host != "-",
            C::Computer => self.persons.opponent.is_program = true,
            C::SetScore { centipawns, .. } => self.set_score(centipawns)?,
            C::Partner(name) => self.persons.partnership.partner = name,
            C::PartnerTell(text) => self.persons.partnership.hear(&text),
            C::Holding { white, black, .. } => self.holding(&white, &black)?,
            C::Lift(place) => self.lift(place),
            C::Put(_) => self.position.lifted = None,
            C::Hover(square) => self.hover(square),
            C::Answer { text, .. } => self.answer(&text),
            C::Rating { own, opponent } => self.rate(own, opponent),
            // The opponent's clock doesn't influence Herald's play; `quit` is handled by the caller.
            C::Xboard | C::Decline | C::Quit | C::OpponentTime { .. } => {}
        }
        Ok(StateChange::Nothing)
    }

    /// Sends a deferred report unless the command makes it superfluous.
    fn send_held_report(&mut self, command: Option<&Command>) {
        if let Some(report) = self.deferred.report.take()
            && !matches!(command, Some(Command::SetBoard(_) | Command::Edit))
        {
            self.output.send(&report);
        }
    }

    /// Handles `go` and `playother`; without a legal position nothing changes.
    fn play_side(&self, side: impl FnOnce(Color) -> Color) -> StateChange {
        let turn = self.board.game().map(Game::turn);
        turn.map_or(StateChange::Nothing, |turn| StateChange::Mode(EngineMode::Play(side(turn))))
    }

    fn put_on_move(&mut self, turn: Color) -> StateChange {
        self.board.put_on_move(turn);
        // Nothing more will come before the analysis of the position.
        if self.state.mode == EngineMode::Analyze {
            self.settle();
        }
        StateChange::Side(!turn)
    }

    fn result(&mut self) -> StateChange {
        self.agreements.forget_moves();
        StateChange::Mode(EngineMode::Force)
    }

    /// Suspends the search at its next look at the clock, and the clock with it.
    fn pause(&self) -> StateChange {
        if let Some(search) = &self.search {
            search.clock.suspend();
            self.host.engine.suspend();
        }
        StateChange::Paused(true)
    }

    /// Resumes the search and the clock, and handles the reports that came meanwhile.
    fn resume(&mut self) -> StateChange {
        if let Some(search) = &self.search {
            search.clock.resume();
            self.host.engine.resume();
        }
        self.host.unread(self.deferred.thoughts.drain(..));
        StateChange::Paused(false)
    }

    fn ping(&mut self, n: i64) {
        self.host.engine.settle();
        self.output.send(&Message::Pong(n));
    }

    fn move_now(&self) {
        if self.is_on_move() {
            self.host.engine.move_now();
        }
    }

    fn exit(&mut self) -> StateChange {
        self.host.engine.forget_told_values();
        StateChange::EndAnalysis
    }

    /// Handles `rating`; an unknown rating is 0.
    fn rate(&mut self, own: i64, opponent: i64) {
        let is_known = own > 0 && opponent > 0;
        self.agreements.rating_lead = if is_known { own.saturating_sub(opponent) } else { 0 };
    }

    fn synchronise(&mut self, centiseconds: i64) {
        let turn = self.board.game().map(Game::turn);
        let is_for_next_move = turn.is_some_and(|turn| self.state.mode == EngineMode::Play(!turn));
        self.clock.synchronise(centiseconds, is_for_next_move);
    }

    fn level(&mut self, moves: u32, time: Duration, increment: Duration) {
        self.clock.set_level(&[TimeSession { moves, time }], increment, self.ply());
    }

    pub(super) fn ply(&self) -> usize {
        self.board.game().map_or(0, Game::ply)
    }
}
