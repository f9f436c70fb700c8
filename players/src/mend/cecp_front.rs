//! The side of a GUI that speaks CECP.
//!
//! The state is that of the specification's Appendix B, as Herald's own session has it; everything about the game is decided here, and
//! the program is asked for moves and lines only.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use game::{Clock, Color, Game, Move, Outcome, PlayedVariant, PocketOwner, ScoreBound, TimeControl};
use messages::cecp::{
    Audience, CecpBoard, Command, CommandError, EditLine, EngineMode, Feature, Message, NULL_MOVE,
    Occupation, OptionDefinition, PREPARING_MOVE, PositionRefusal, RootMoves, SessionState, StateChange,
    Status, Switch, ThinkingLine, TimeSession, centiseconds, illegality, move_text, variants,
};
use shakmaty::ByColor;

use super::front_time::{FrontTime, LITTLE, OTHER, OWN, control};
use super::program::{Answer, News};
use super::question::Question;
use super::{Desk, Front, Setting};
use crate::Thinking;

/// Options of UCI programs that have a command of CECP, or that the players set.
const HIDDEN: [&str; 8] = [
    "Hash",
    "Threads",
    "Ponder",
    "SyzygyPath",
    "UCI_Chess960",
    "UCI_Variant",
    "UCI_Opponent",
    "UCI_AnalyseMode",
];

/// A GUI that speaks CECP.
pub(super) struct CecpFront {
    state: SessionState,
    board: CecpBoard,
    time: FrontTime,
    posts: bool,
    /// Lines that wait for the program's move.
    deferred: VecDeque<String>,
    /// The report of an illegal move that the next line may cancel.
    report: Option<Message>,
    /// The reply that the program expects.
    expected: Option<Move>,
    excluded: Vec<Move>,
    draw_offered: bool,
    opponent: String,
    /// Ratings of the program and the opponent.
    ratings: [Option<u32>; 2],
}

impl Default for CecpFront {
    fn default() -> CecpFront {
        let clock =
            Clock::new(control(&[TimeSession { moves: 40, time: Duration::from_mins(5) }], Duration::ZERO));
        let used = Duration::ZERO;
        CecpFront {
            state: SessionState::default(),
            board: CecpBoard::new(Game::default()),
            time: FrontTime { clock, start: 0, depth: None, node_rate: None, since: Instant::now(), used },
            posts: false,
            deferred: VecDeque::new(),
            report: None,
            expected: None,
            excluded: Vec::new(),
            draw_offered: false,
            opponent: String::new(),
            ratings: [None; 2],
        }
    }
}

impl Front for CecpFront {
    fn hear(&mut self, line: &str, desk: &mut Desk) {
        if line.trim().is_empty() {
            return;
        } else if self.board.is_edited() {
            return self.edit_line(line, desk);
        }
        let command: Result<Command, CommandError> = line.parse();
        if self.state.paused && command.as_ref().is_ok_and(Command::ends_pause) {
            self.resume();
        }
        match command {
            Ok(Command::Protover(_)) => announce(desk),
            Ok(Command::Resume) if self.state.paused => self.resume(),
            _ if self.state.paused => desk.output.line(error("paused", line)),
            Ok(command) => self.obey_or_defer(line, command, desk),
            Err(reason) => desk.output.line(error(&reason.to_string(), line)),
        }
    }

    fn tell(&mut self, news: News, desk: &mut Desk) {
        match news {
            News::Answer(answer) => self.play(answer, desk),
            News::Line(_, thinking, line) => self.show(&thinking, &line, desk),
            News::Draw => desk.output.line(Message::OfferDraw),
            News::Resignation(_) => self.resign(desk),
            News::DrawClaim(reason) => {
                self.end(Outcome::Draw(game::DrawReason::Agreement), Some(reason), desk);
            }
            News::Remark(text) => desk.output.line(remark(&text)),
            News::GivenUp(reason, _) => {
                desk.output.line(Message::TellUserError(reason));
                if matches!(self.state.mode, EngineMode::Play(_)) {
                    self.resign(desk);
                }
                self.state.apply(StateChange::Mode(EngineMode::Force));
                self.undefer(desk);
            }
        }
    }

    fn take_up(&mut self, desk: &mut Desk) {
        if self.state.paused || self.board.is_edited() {
            return;
        }
        let Some(game) = self.board.game() else { return };
        let wanted = match self.state.occupation(game) {
            Occupation::Think if game.outcome().is_none() => false,
            Occupation::Analyse if game.outcome().is_none() => true,
            _ => return,
        };
        if desk.program.is_free() {
            let question = self.question(game.clone(), wanted, desk.at);
            if wanted && question.roots.is_empty() && !self.excluded.is_empty() {
                return;
            }
            self.time.since = desk.at;
            desk.program.ask(question);
            if !wanted && std::mem::take(&mut self.draw_offered) {
                desk.program.offer_draw();
            }
        }
    }
}

/// Commands.
impl CecpFront {
    fn is_on_move(&self, desk: &Desk) -> bool {
        desk.program.is_asked() && matches!(self.state.mode, EngineMode::Play(_))
    }

    fn obey_or_defer(&mut self, line: &str, command: Command, desk: &mut Desk) {
        use Command as C;
        if let Some(report) = self.report.take()
            && !matches!(command, C::SetBoard(_) | C::Edit)
        {
            desk.output.line(report);
        }
        if !matches!(command, C::White | C::Black | C::Time { .. } | C::OpponentTime { .. }) {
            let settled = self.board.settle();
            self.take_over(settled, desk);
        }
        if matches!(command, C::Ping(_) | C::UserMove(_) | C::BareMove(_)) {
            self.take_up(desk);
            if self.is_on_move(desk) {
                self.deferred.push_back(line.to_owned());
                return;
            }
        }
        let mode = self.state.mode;
        match self.obey(command, desk) {
            Ok(change) => self.state.apply(change),
            Err(reason) => desk.output.line(error(&reason, line)),
        }
        if self.state.mode != mode {
            self.interrupt(desk);
        }
    }

    /// Handles the lines that have waited for the program's move.
    fn undefer(&mut self, desk: &mut Desk) {
        for line in std::mem::take(&mut self.deferred) {
            if let Ok(command) = line.parse() {
                self.obey_or_defer(&line, command, desk);
            }
        }
    }

    /// Drops what the program is doing.
    fn interrupt(&mut self, desk: &mut Desk) {
        desk.program.end_game(None);
        self.time.used = Duration::ZERO;
        self.undefer_pings(desk);
    }

    /// Answers the pings that have waited for a move that will not come, and drops the moves.
    fn undefer_pings(&mut self, desk: &mut Desk) {
        for line in std::mem::take(&mut self.deferred) {
            if let Ok(Command::Ping(number)) = line.parse() {
                desk.output.line(Message::Pong(number));
            }
        }
    }

    fn obey(&mut self, command: Command, desk: &mut Desk) -> Result<StateChange, String> {
        use Command as C;
        match command {
            C::New => return Ok(self.new_game(Game::default(), StateChange::NewGame, desk)),
            C::Variant(name) => return self.variant(&name, desk),
            C::Force => return Ok(StateChange::Mode(EngineMode::Force)),
            C::Go => return Ok(self.play_side(|turn| turn)),
            C::PlayOther => return Ok(self.play_side(|turn| !turn)),
            C::UserMove(text) | C::BareMove(text) => self.user_move(&text, desk),
            C::Draw => self.draw(desk),
            C::Edit => {
                self.interrupt(desk);
                self.board.edit();
            }
            C::SetBoard(fen) => {
                let changed = self.board.set_up(&fen);
                self.take_over(changed, desk);
            }
            C::White => return Ok(self.put_on_move(Color::White, desk)),
            C::Black => return Ok(self.put_on_move(Color::Black, desk)),
            C::Result { result, .. } => {
                self.draw_offered = false;
                desk.program.end_game(Outcome::adjudicated(&result.to_string()));
                return Ok(StateChange::Mode(EngineMode::Force));
            }
            C::Pause => return Ok(self.pause(desk)),
            C::Resume => return Err("not paused".into()),
            C::Ping(number) => self.ping(number, desk),
            C::MoveNow if self.is_on_move(desk) => desk.program.hurry(),
            C::Undo => self.take_back(1, desk)?,
            C::Remove => self.take_back(2, desk)?,
            C::Analyze => return analyse(desk),
            C::Exit => return Ok(StateChange::EndAnalysis),
            C::Status if self.state.mode == EngineMode::Analyze => self.tell_status(desk),
            C::Exclude(moves) => self.exclude(&moves, true, desk)?,
            C::Include(moves) => self.exclude(&moves, false, desk)?,
            C::Hint => self.hint(desk),
            C::Book => desk.output.line(Message::BookEnd),
            C::Random => return Ok(StateChange::ToggleRandom),
            C::Ponder(on) => {
                if !on {
                    desk.program.stop_pondering();
                }
                return Ok(StateChange::Ponder(on));
            }
            setting => self.obey_setting(setting, desk)?,
        }
        Ok(StateChange::Nothing)
    }

    /// Obeys a command that changes no state of the game. Those that a program could only misunderstand are passed over.
    fn obey_setting(&mut self, command: Command, desk: &mut Desk) -> Result<(), String> {
        use Command as C;
        let ply = self.board.game().map_or(0, Game::ply);
        match command {
            C::Memory(mebibytes) => desk.program.set(Setting::Memory(mebibytes))?,
            C::Cores(threads) => desk.program.set(Setting::Threads(threads))?,
            C::EgtPath { flavor, path } => desk.program.set(Setting::Tables { flavor, path })?,
            C::Option { name, value } => set_option(name, value, desk)?,
            C::Post(on) => self.posts = on,
            C::Level { moves, base, increment } => {
                self.time.begin(control(&[TimeSession { moves, time: base }], increment), ply);
            }
            C::Sessions { first, later } => self.time.begin(control(&[first, later], Duration::ZERO), ply),
            C::TimePerMove(time) => {
                let time = if time.is_zero() { LITTLE } else { time };
                self.time.begin(TimeControl::PerMove(time), ply);
            }
            C::Depth(depth) => self.time.depth = Some(depth).filter(|depth| *depth > 0),
            C::NodeRate(0) => {
                self.time.node_rate = None;
                return Err("processor time is not counted".into());
            }
            C::NodeRate(rate) => self.time.node_rate = Some(rate),
            C::Time { centiseconds } => self.time.set(OWN, centiseconds),
            C::OpponentTime { centiseconds } => self.time.set(OTHER, centiseconds),
            C::Name(name) => self.opponent = name,
            C::Rating { own, opponent } => {
                self.ratings =
                    [own, opponent].map(|rating| u32::try_from(rating).ok().filter(|known| *known > 0));
            }
            C::SetScore { .. } | C::Holding { .. } | C::Partner(_) | C::PartnerTell(_) | C::Answer { .. } => {
                return Err("unknown command".into());
            }
            _ => {}
        }
        Ok(())
    }

    fn ping(&mut self, number: i64, desk: &mut Desk) {
        // A GUI asks after `new`: now the program can get ready without a clock.
        if let EngineMode::Play(_) = self.state.mode
            && let Some(game) = self.board.game().filter(|game| game.ply() == 0)
        {
            let question = self.question(game.clone(), false, desk.at);
            desk.program.prepare(&question);
        }
        desk.output.line(Message::Pong(number));
    }
}

/// The game.
impl CecpFront {
    fn new_game(&mut self, game: Game, change: StateChange, desk: &mut Desk) -> StateChange {
        self.interrupt(desk);
        self.board = CecpBoard::new(game);
        self.time.new_game();
        self.expected = None;
        self.excluded.clear();
        self.draw_offered = false;
        change
    }

    fn variant(&mut self, name: &str, desk: &mut Desk) -> Result<StateChange, String> {
        desk.program.meet().map_err(|fault| format!("the program {fault}"))?;
        let can_play = |game: &Game| desk.program.abilities().variants.contains(&PlayedVariant::of(game));
        let is_offered = |(game, _): &(Game, _)| can_play(game) && game.pocket_owner() == PocketOwner::Captor;
        let (game, setup) = variants::start(name).filter(is_offered).ok_or("unknown variant")?;
        let change = self.new_game(game, StateChange::Side(Color::Black), desk);
        if let Some(setup) = setup {
            desk.output.line(setup);
        }
        Ok(change)
    }

    fn play_side(&self, side: impl FnOnce(Color) -> Color) -> StateChange {
        let turn = self.board.game().map(Game::turn);
        turn.map_or(StateChange::Nothing, |turn| StateChange::Mode(EngineMode::Play(side(turn))))
    }

    fn put_on_move(&mut self, turn: Color, desk: &mut Desk) -> StateChange {
        self.board.put_on_move(turn);
        if self.state.mode == EngineMode::Analyze {
            let settled = self.board.settle();
            self.take_over(settled, desk);
        }
        StateChange::Side(!turn)
    }

    fn user_move(&mut self, text: &str, desk: &mut Desk) {
        let is_playing = matches!(self.state.mode, EngineMode::Play(_));
        if text == NULL_MOVE && !is_playing && self.board.pass() {
            return self.interrupt(desk);
        }
        let parsed = match self.board.game_mut() {
            None => Err("no legal position".to_owned()),
            Some(game) => game.play_text(text).map_err(|error| illegality(&error)),
        };
        if let Err(reason) = parsed {
            let report = Message::IllegalMove { reason: Some(reason), mv: text.to_owned() };
            let is_untouched = self.board.game().is_some_and(|game| game.ply() == 0);
            if is_untouched && self.state.mode == EngineMode::Force && text == PREPARING_MOVE {
                self.report = Some(report);
            } else {
                desk.output.line(report);
            }
            return;
        }
        if is_playing {
            self.time.clock.book_turn(OTHER, desk.at.saturating_duration_since(self.time.since));
        }
        self.excluded.clear();
        self.expected = None;
        if self.state.mode == EngineMode::Analyze {
            self.interrupt(desk);
        }
        match self.ending() {
            // A GUI that does not see the draw would call the claim false; the opponent may agree to an offer.
            Some((outcome @ Outcome::Draw(_), false)) if is_playing => {
                desk.output.line(Message::OfferDraw);
                self.leave(outcome, desk);
            }
            Some((outcome, _)) if is_playing => self.end(outcome, None, desk),
            _ => {}
        }
    }

    /// The end of the game by the rules, and whether a GUI sees it by itself.
    fn ending(&self) -> Option<(Outcome, bool)> {
        let game = self.board.game()?;
        game.outcome().map(|outcome| (outcome, variants::is_plain(game.variant(), outcome)))
    }

    fn end(&mut self, outcome: Outcome, reason: Option<String>, desk: &mut Desk) {
        let comment = reason.unwrap_or_else(|| outcome.to_string());
        if let Ok(result) = outcome.result().parse() {
            desk.output.line(Message::Result { result, comment: Some(comment) });
        }
        self.leave(outcome, desk);
    }

    fn leave(&mut self, outcome: Outcome, desk: &mut Desk) {
        desk.program.end_game(Some(outcome));
        self.state.apply(StateChange::Mode(EngineMode::Force));
    }

    fn resign(&mut self, desk: &mut Desk) {
        desk.output.line(Message::Resign);
        self.state.apply(StateChange::Mode(EngineMode::Force));
        self.undefer(desk);
    }

    /// Plays the program's move.
    fn play(&mut self, answer: Answer, desk: &mut Desk) {
        let Answer { mv, expected } = answer;
        let Some(game) = self.board.game_mut().filter(|game| game.legal_moves().contains(&mv)) else {
            return;
        };
        let text = move_text(mv, game.mode());
        if game.play(mv).is_err() {
            return;
        }
        desk.output.line(Message::Move(text));
        self.expected = expected;
        self.time.moved();
        let clock = self.question_clock();
        desk.program.ponder(&clock);
        // Where the GUI doesn't see the end, the loser tells it.
        if let Some((outcome, true)) = self.ending() {
            self.end(outcome, None, desk);
        }
        self.undefer(desk);
    }

    fn take_back(&mut self, plies: usize, desk: &mut Desk) -> Result<(), String> {
        if !self.board.take_back(plies) {
            return Err("command not legal now".into());
        }
        self.replaced(desk);
        Ok(())
    }

    fn edit_line(&mut self, line: &str, desk: &mut Desk) {
        match line.parse() {
            Ok(edit) => {
                self.board.obey(edit);
                if edit == EditLine::End && self.state.mode == EngineMode::Analyze {
                    let settled = self.board.settle();
                    self.take_over(settled, desk);
                }
            }
            Err(reason) => desk.output.line(error(&format!("{reason} in edit mode"), line)),
        }
    }

    fn take_over(&mut self, changed: Result<bool, PositionRefusal>, desk: &mut Desk) {
        if !matches!(changed, Ok(false)) {
            self.replaced(desk);
            self.time.start = 0;
        }
        if let Err(PositionRefusal { fen, reason }) = changed {
            let text = format!("Illegal position ({reason}): {}", game::excerpt(&fen));
            desk.output.line(Message::TellUserError(text));
        }
    }

    fn replaced(&mut self, desk: &mut Desk) {
        self.interrupt(desk);
        self.draw_offered = false;
        self.expected = None;
        self.excluded.clear();
    }
}

/// Questions and lines.
impl CecpFront {
    fn question(&self, game: Game, is_analysis: bool, heard: Instant) -> Question {
        let color = game.turn();
        let [own, opponent] = self.ratings;
        let mut ratings = ByColor { white: own, black: opponent };
        if color == Color::Black {
            std::mem::swap(&mut ratings.white, &mut ratings.black);
        }
        let roots = if self.excluded.is_empty() {
            Vec::new()
        } else {
            game.legal_moves().into_iter().filter(|mv| !self.excluded.contains(mv)).collect()
        };
        let nodes = self.time.nodes().filter(|_| !is_analysis);
        let clock = if is_analysis || nodes.is_some() {
            Clock::new(TimeControl::Unlimited)
        } else {
            self.time.clock_of(color, game.ply())
        };
        let depth = self.time.depth.filter(|_| !is_analysis);
        let (ponder, opponent) = (self.state.ponder, self.opponent.clone());
        Question { game, clock, heard, is_analysis, depth, nodes, roots, ponder, opponent, ratings }
    }

    /// The clock of the side to move.
    fn question_clock(&self) -> Clock {
        let game = self.board.game();
        // After the program's move the other side is to move.
        self.time.clock_of(game.map_or(Color::White, |game| !game.turn()), game.map_or(0, Game::ply))
    }

    fn show(&mut self, thinking: &Thinking, line: &[Move], desk: &mut Desk) {
        let is_analysing = self.state.mode == EngineMode::Analyze;
        let Some((question, _)) = desk.program.best() else { return };
        if !self.posts && !is_analysing || self.state.paused {
            return;
        }
        let (Some(score), Some(depth)) = (thinking.score, thinking.depth) else { return };
        let used = question.heard.elapsed();
        let text = if line.is_empty() { thinking.line.clone() } else { question.game.san_line(line) };
        desk.output.line(ThinkingLine {
            depth: i32::try_from(depth).unwrap_or(i32::MAX),
            score,
            centiseconds: centiseconds(thinking.time.unwrap_or(used).min(used)),
            nodes: thinking.nodes.unwrap_or_default(),
            selective_depth: thinking.selective_depth,
            kilonodes_per_second: thinking.speed.map(|speed| speed / 1000),
            tablebase_hits: thinking.tablebase_hits,
            text,
            bound: ScoreBound::Exact,
        });
    }

    fn exclude(&mut self, moves: &RootMoves, is_excluded: bool, desk: &mut Desk) -> Result<(), String> {
        if !desk.program.abilities().restricts {
            return Err("unknown command".into());
        }
        let game = self.board.game().ok_or("no legal position")?;
        let named = match moves {
            RootMoves::All => game.legal_moves().into_iter().collect(),
            RootMoves::One(text) => vec![game.parse_move(text).map_err(|error| illegality(&error))?],
        };
        self.excluded.retain(|mv| !named.contains(mv));
        if is_excluded {
            self.excluded.extend(named);
        }
        self.interrupt(desk);
        Ok(())
    }

    fn hint(&mut self, desk: &mut Desk) {
        let Some(game) = self.board.game() else { return };
        if let Some(mv) = self.expected.filter(|&mv| game.legal_moves().contains(&mv)) {
            desk.output.line(Message::Hint(game.coordinate(mv)));
        }
    }

    /// Handles `.`. A GUI stops asking if nothing comes, also where there is nothing to be analysed.
    fn tell_status(&self, desk: &mut Desk) {
        let best = desk.program.best();
        let moves = self.board.game().map_or(0, |game| game.legal_moves().len());
        let status = Status {
            centiseconds: best.map_or(0, |(question, _)| centiseconds(question.heard.elapsed())),
            nodes: best.and_then(|(_, best)| best.nodes).unwrap_or_default(),
            depth: best.and_then(|(_, best)| best.depth).unwrap_or_default(),
            moves_left: 0,
            moves_total: u32::try_from(moves).unwrap_or(u32::MAX),
            current: None,
        };
        desk.output.line(Message::Status(status));
    }

    fn draw(&mut self, desk: &mut Desk) {
        if self.is_on_move(desk) {
            desk.program.offer_draw();
        } else {
            self.draw_offered = true;
        }
    }

    /// Stops the search; it begins anew with what is left of its time.
    fn pause(&mut self, desk: &mut Desk) -> StateChange {
        if desk.program.is_asked() {
            let used = desk.at.saturating_duration_since(self.time.since);
            desk.program.interrupt();
            self.time.used += used;
        }
        desk.program.stop_pondering();
        StateChange::Paused(true)
    }

    fn resume(&mut self) {
        self.state.apply(StateChange::Paused(false));
    }
}

/// Announces the features. They are those of the front, and of the program where it needs it.
fn announce(desk: &mut Desk) {
    desk.output.line(Message::Features(vec![Feature::Switch(Switch::Done, false)]));
    if let Err(fault) = desk.program.meet() {
        return desk.output.line(Message::TellUserError(format!("the program {fault}")));
    }
    let can = desk.program.abilities();
    let switches = Switch::ALL.iter().copied().filter(|switch| *switch != Switch::Done);
    let switches = switches.map(|switch| {
        let on = match switch {
            Switch::Analyze => can.analyses,
            Switch::Draw => can.agrees,
            Switch::Memory => can.memory,
            Switch::Smp => can.threads,
            Switch::Exclude => can.restricts,
            Switch::Nps => can.counts_nodes,
            Switch::San
            | Switch::Sigint
            | Switch::Sigterm
            | Switch::SetScore
            | Switch::Highlight
            | Switch::Ics => false,
            _ => true,
        };
        Feature::Switch(switch, on)
    });
    let texts = vec![
        Feature::MyName(desk.program.name().to_owned()),
        Feature::Variants(can.variants.iter().flat_map(|&played| variants::names_of(played)).collect()),
        Feature::EndgameTables(can.tables.clone()),
    ];
    desk.output.line(Message::Features(switches.collect()));
    desk.output.line(Message::Features(texts));
    for option in offered(&desk.program.abilities().options) {
        desk.output.line(Message::Features(vec![Feature::Option(option)]));
    }
    desk.output.line(Message::Features(vec![Feature::Switch(Switch::Done, true)]));
}

fn set_option(name: String, value: Option<String>, desk: &mut Desk) -> Result<(), String> {
    let known = |option: &OptionDefinition| option.name.eq_ignore_ascii_case(&name);
    if !desk.program.abilities().options.iter().any(known) {
        return Err("unknown option".into());
    }
    desk.program.set(Setting::Option { name, value })
}

/// Handles `analyze`.
fn analyse(desk: &mut Desk) -> Result<StateChange, String> {
    desk.program.meet().map_err(|fault| format!("the program {fault}"))?;
    if desk.program.abilities().analyses {
        Ok(StateChange::Mode(EngineMode::Analyze))
    } else {
        Err("the program doesn't analyse".into())
    }
}

fn error(kind: &str, line: &str) -> Message {
    Message::Error { kind: kind.to_owned(), command: game::excerpt(line) }
}

/// Text for persons: what the program tells somebody is told; the adapter's own remarks are for the log.
fn remark(text: &str) -> Message {
    let told = text.strip_prefix("the program tells ").and_then(|told| {
        Audience::ALL.iter().find_map(|&audience| {
            let text = told.strip_prefix(audience.in_words())?.strip_prefix(": ")?;
            Some(Message::Tell(audience, text.to_owned()))
        })
    });
    told.unwrap_or_else(|| Message::Debug(format!("herald mend: {text}")))
}

/// The options that a GUI of CECP is offered, each name once.
fn offered(options: &[OptionDefinition]) -> Vec<OptionDefinition> {
    let is_offered = |option: &&OptionDefinition| !HIDDEN.contains(&option.name.as_str());
    options.iter().filter(is_offered).cloned().collect()
}
