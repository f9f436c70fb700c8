//! What the GUI says.

use std::io;
use std::ops::ControlFlow;

use game::Game;
use shakmaty::Color;

use super::Session;
use crate::agreements::Agreements;
use crate::cecp::variants;
use messages::cecp::Command;
use messages::cecp::Message;

impl Session<'_> {
    pub(super) fn read(&mut self, line: &str) -> io::Result<ControlFlow<()>> {
        if line.trim().is_empty() {
            return Ok(ControlFlow::Continue(()));
        }
        let command = self.read_answer(line).map_or_else(|| line.parse(), Ok);
        if command == Ok(Command::Quit) {
            return Ok(ControlFlow::Break(()));
        }
        if self.board.is_edited() {
            return self.edit(line).map(ControlFlow::Continue);
        }
        if self.state.paused && command != Ok(Command::Resume) {
            return self.output.error("paused", line).map(ControlFlow::Continue);
        }
        if let Some(report) = self.held_report.take()
            && !matches!(command, Ok(Command::SetBoard(_) | Command::Edit))
        {
            self.output.send(&report)?;
        }
        match command {
            Ok(command) if self.is_on_move() && needs_own_move(&command) => {
                self.waiting.push_back(line.to_owned());
            }
            Ok(command) => self.obey(&command, line)?,
            Err(error) => self.output.error(&error.to_string(), line)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Obeys a command, and then moves on to the state that it leads to.
    fn obey(&mut self, command: &Command, line: &str) -> io::Result<()> {
        use Command as C;
        match command {
            C::Variant(name) if !variants::is_played(name) => {
                return self.output.error("unknown variant", line);
            }
            C::Resume if !self.state.paused => return self.output.error("not paused", line),
            _ => {}
        }
        if !leaves_turn_open(command) {
            self.settle()?;
        }
        self.answer(command, line)?;
        let turn = self.board.game().map(Game::turn);
        self.state.obey(command, turn);
        self.host.engine.use_noise(self.state.random);
        Ok(())
    }

    /// The commands that may be answered, if only with an error.
    fn answer(&mut self, command: &Command, line: &str) -> io::Result<()> {
        use Command as C;
        match command {
            C::Protover(_) => self.announce(),
            C::Rejected(feature) => self.feature_rejected(feature),
            C::UserMove(mv) | C::BareMove(mv) => self.make_move(mv),
            C::SetBoard(fen) => self.set_up(fen),
            C::Undo => self.take_back(1, line),
            C::Remove => self.take_back(2, line),
            C::Ping(n) => {
                self.host.engine.settle();
                self.output.send(&Message::Pong(*n))
            }
            C::Status => self.tell_status(),
            C::Hint => self.hint(),
            C::Book => self.tell_book(),
            C::Exclude(moves) => self.exclude(moves, line),
            C::Include(moves) => self.include(moves, line),
            C::SetScore { centipawns, .. } => self.set_score(*centipawns, line),
            C::Memory(mebibytes) => self.set_memory(*mebibytes, line),
            C::Cores(cores) => self.set_cores(*cores, line),
            C::EgtPath { flavor, path } => self.set_tablebases(flavor, path, line),
            C::Option { name, value } => self.set_option(name, value.as_deref(), line),
            C::New => {
                self.start_game("normal")?;
                self.ask_about_reset()
            }
            C::Variant(name) => self.start_game(name),
            C::Lift(place) => self.lift(*place),
            C::Hover(square) => self.hover(*square),
            C::Answer { text, .. } => self.hear_answer(text),
            C::Holding { white, black, .. }
                if self.board.has_hands() || white.is_empty() && black.is_empty() =>
            {
                self.hold(white, black, line)
            }
            C::Holding { .. } => self.output.error("no pieces in hand in this variant", line),
            silent => {
                self.obey_silently(silent);
                Ok(())
            }
        }
    }

    /// The commands that have no answer. What they do to the state says [`crate::cecp::state::State::obey`].
    fn obey_silently(&mut self, command: &Command) {
        use Command as C;
        let ply = self.board.game().map_or(0, Game::ply);
        match command {
            C::Accepted(feature) => self.feature_accepted(feature),
            C::White => self.board.put_on_move(Color::White),
            C::Black => self.board.put_on_move(Color::Black),
            C::Edit => self.begin_edit(),
            C::Draw => self.agreements.draw_offered = true,
            C::Result { .. } => self.agreements = Agreements::default(),
            C::MoveNow if self.is_on_move() => self.host.engine.move_now(),
            C::Pause => self.pause(),
            C::Resume => self.resume(),
            C::Exit => self.host.engine.forget_told_values(),
            C::Put(_) => self.lifted = None,
            C::Level { moves, base, increment } => self.clock.set_level(*moves, *base, *increment, ply),
            C::Sessions { first, later } => self.clock.set_sessions(*first, *later, ply),
            C::TimePerMove(time) => self.clock.set_time_per_move(*time, ply),
            C::Depth(depth) => self.clock.set_depth(*depth),
            C::NodeRate(rate) => self.clock.set_node_rate(*rate),
            C::Time { centiseconds } => self.clock.synchronise(*centiseconds),
            C::Post => self.output.posts = true,
            C::NoPost => self.output.posts = false,
            C::Partner(partner) => self.partnership.partner.clone_from(partner),
            C::PartnerTell(text) => self.partnership.hear(text),
            C::Name(name) => self.opponent.name = Some(name.clone()),
            C::Computer => self.opponent.is_program = true,
            C::Ics(host) => self.opponent.is_on_server = host != "-",
            // A change of state and nothing else, or without effect on play: what the opponent's clock shows, ratings.
            _ => {}
        }
    }
}

/// Whether a command can only be obeyed once the engine has made its move.
fn needs_own_move(command: &Command) -> bool {
    matches!(command, Command::Ping(_) | Command::UserMove(_) | Command::BareMove(_))
}

/// Whether `white` or `black` may follow and take back what another `white` or `black` has done.
fn leaves_turn_open(command: &Command) -> bool {
    use Command as C;
    matches!(command, C::White | C::Black | C::Time { .. } | C::OpponentTime { .. })
}
