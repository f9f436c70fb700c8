//! The side of a GUI that speaks UCI.
//!
//! `go infinite` and `searchmoves` are analyses of the program, which the front ends: a program of CECP has no word for them. `go ponder`
//! is kept from it; at `ponderhit` it is asked for a move.

use std::time::{Duration, Instant};

use game::{CastlingMode, Clock, Game, Move, Phase, PlayedVariant, TimeControl};
use messages::OptionKind;
use messages::uci::{Command, Go, Info, InfoScore, Message, StartPosition};
use shakmaty::ByColor;
use shakmaty::uci::UciMove;

use super::program::{Answer, News};
use super::question::Question;
use super::{Desk, Front, Setting};
use crate::Thinking;

/// Options that the players set by themselves.
const OWN: [&str; 3] = ["Ponder", "UCI_Chess960", "UCI_Variant"];

/// The greatest memory and number of threads that are offered for a program of CECP, which tells no limit.
const MOST_MEMORY: i64 = 1 << 20;
const MOST_THREADS: i64 = 1024;

/// A GUI that speaks UCI.
#[derive(Default)]
pub(super) struct UciFront {
    game: Game,
    variant: PlayedVariant,
    /// `UCI_Chess960`: castling as in Chess960, whatever the variant is.
    is_chess960: bool,
    opponent: String,
    search: Option<FrontSearch>,
}

/// A `go` that has no `bestmove` yet.
struct FrontSearch {
    go: Go,
    /// Its answer has to wait for `stop` or `ponderhit`.
    is_held: bool,
    answer: Option<Answer>,
    since: Instant,
}

impl Front for UciFront {
    fn hear(&mut self, line: &str, desk: &mut Desk) {
        let mut unread = Vec::new();
        let command = match Command::read(line, &mut unread) {
            Ok(command) => command,
            Err(_) if line.trim().is_empty() => return,
            Err(error) => return note(desk, &error.to_string()),
        };
        for error in &unread {
            note(desk, &error.to_string());
        }
        match command {
            Command::Uci => greet(desk),
            Command::IsReady => self.get_ready(desk),
            Command::UciNewGame => desk.program.end_game(None),
            Command::SetOption { name, value } => {
                if let Err(reason) = self.set_option(&name, value, desk) {
                    note(desk, &reason);
                }
            }
            Command::Position { start, moves } => self.set_up(&start, &moves, desk),
            Command::Go(go) => self.go(*go, desk),
            Command::Stop => self.stop(desk),
            Command::PonderHit => self.ponder_hit(desk),
            Command::Quit
            | Command::Debug(_)
            | Command::Register(_)
            | Command::Board
            | Command::Evaluation
            | Command::Bench(_)
            | Command::GenFens(_) => {}
        }
    }

    fn tell(&mut self, news: News, desk: &mut Desk) {
        match news {
            News::Answer(answer) => {
                if let Some(search) = &mut self.search {
                    search.answer = Some(answer);
                }
                self.answer(desk);
            }
            News::Line(rank, thinking, line) => self.show(rank, &thinking, &line, desk),
            News::Remark(text) => note(desk, &format!("herald mend: {text}")),
            // UCI has no word for a resignation: the GUI judges the game by itself.
            News::Resignation(instead) => self.end(instead, "the program resigns", desk),
            News::GivenUp(reason, instead) => self.end(instead, &reason, desk),
            News::Draw | News::DrawClaim(_) => {}
        }
    }

    fn take_up(&mut self, _desk: &mut Desk) {}
}

fn note(desk: &mut Desk, text: &str) {
    desk.output.line(Message::note(text));
}

/// Settings and positions.
impl UciFront {
    fn get_ready(&mut self, desk: &mut Desk) {
        if self.search.is_none() && self.game.ply() == 0 {
            let control = Clock::new(TimeControl::Unlimited);
            let question = self.question(control, &Go::default(), desk.at);
            desk.program.prepare(&question);
        }
        desk.output.line(Message::ReadyOk);
    }

    fn set_option(&mut self, name: &str, value: Option<String>, desk: &mut Desk) -> Result<(), String> {
        let text = value.as_deref().unwrap_or_default();
        let number = || text.trim().parse::<u64>().map_err(|_| format!("{name} needs a whole number"));
        let is_on = text.eq_ignore_ascii_case("true");
        match name.to_ascii_lowercase().as_str() {
            "hash" => desk.program.set(Setting::Memory(number()?)),
            "threads" => desk.program.set(Setting::Threads(number()?)),
            "ponder" => Ok(()),
            "uci_chess960" => {
                self.is_chess960 = is_on;
                Ok(())
            }
            "uci_variant" => {
                self.variant = PlayedVariant::named(text).ok_or_else(|| format!("no variant {text}"))?;
                Ok(())
            }
            "uci_opponent" => {
                text.splitn(4, ' ').nth(3).unwrap_or_default().clone_into(&mut self.opponent);
                Ok(())
            }
            _ => {
                let options = &desk.program.abilities().options;
                let known = options.iter().find(|option| option.name.eq_ignore_ascii_case(name));
                let name =
                    known.map(|option| option.name.clone()).ok_or(format!("there is no option {name}"))?;
                desk.program.set(Setting::Option { name, value })
            }
        }
    }

    fn set_up(&mut self, start: &StartPosition, moves: &[UciMove], desk: &mut Desk) {
        let mode = if self.is_chess960 { CastlingMode::Chess960 } else { self.variant.mode };
        let mut game = match start.game(self.variant.variant, mode) {
            Ok(game) => game,
            Err(error) => return note(desk, &format!("illegal position: {error}")),
        };
        let mut plays = |text: &UciMove| text.to_move(game.position()).is_ok_and(|mv| game.play(mv).is_ok());
        if let Some(text) = moves.iter().find(|text| !plays(text)) {
            note(desk, &format!("illegal move {text}; the moves from there on are ignored"));
        }
        self.game = game;
    }
}

/// Searches.
impl UciFront {
    fn go(&mut self, go: Go, desk: &mut Desk) {
        if self.search.is_some() {
            self.stop(desk);
        }
        if let Some(outcome) = self.game.outcome() {
            let lost = outcome.winner().is_some_and(|winner| winner != self.game.turn());
            let score = if lost { game::Score::MatedIn(0) } else { game::Score::DRAW };
            let score = Some(InfoScore { value: score, bound: game::ScoreBound::Exact });
            desk.output.line(Message::Info(Box::new(Info { depth: Some(0), score, ..Info::default() })));
            let is_held = go.infinite || go.ponder;
            self.search = Some(FrontSearch { go, is_held, answer: None, since: desk.at });
            return self.answer(desk);
        }
        if let Err(fault) = desk.program.meet() {
            return note(desk, &format!("the program {fault}"));
        }
        let can_analyse = desk.program.abilities().analyses;
        let is_held = go.infinite || go.ponder;
        let question = self.question(clock(&go), &go, desk.at);
        // To the program, pondering would be an analysis. GNU Chess and Fairy-Max don't play on rightly after one.
        let waits = go.ponder;
        let is_analysis = can_analyse && (is_held || !question.roots.is_empty());
        self.search = Some(FrontSearch { go, is_held, answer: None, since: desk.at });
        if !waits {
            desk.program.ask(Question { is_analysis, ..question });
        }
    }

    fn question(&self, clock: Clock, go: &Go, heard: Instant) -> Question {
        let legal = |text: &UciMove| text.to_move(self.game.position()).ok();
        let is_held = go.infinite || go.ponder;
        let depth = go.depth.or(go.mate.map(|moves| moves.saturating_mul(2).saturating_sub(1).max(1)));
        Question {
            game: self.game.clone(),
            clock,
            heard,
            is_analysis: false,
            depth: depth.filter(|_| !is_held),
            nodes: go.nodes.filter(|_| !is_held),
            roots: go.searchmoves.iter().filter_map(legal).collect(),
            // The GUI decides what is pondered on.
            ponder: false,
            opponent: self.opponent.clone(),
            ratings: ByColor::default(),
        }
    }

    fn stop(&mut self, desk: &mut Desk) {
        let Some(search) = &mut self.search else { return };
        search.is_held = false;
        if self.game.outcome().is_some() {
            return self.answer(desk);
        }
        if search.answer.is_none() && !desk.program.is_asked() {
            // It waits for `ponderhit`, of which the program knows nothing.
            let first = self.game.legal_moves().first().copied();
            search.answer = first.map(|mv| Answer { mv, expected: None });
        }
        if search.answer.is_some() { self.answer(desk) } else { desk.program.hurry() }
    }

    fn ponder_hit(&mut self, desk: &mut Desk) {
        let Some(search) = self.search.as_mut().filter(|search| search.go.ponder) else { return };
        search.go.ponder = false;
        search.is_held = search.go.infinite;
        search.answer = None;
        let go = search.go.clone();
        if self.game.outcome().is_some() {
            return self.answer(desk);
        }
        desk.program.ask(self.question(clock(&go), &go, desk.at));
    }

    /// Makes a move in the place of a program that does not, for this reason.
    fn end(&mut self, instead: Option<Answer>, reason: &str, desk: &mut Desk) {
        note(desk, &format!("herald mend: {reason}"));
        desk.program.end_game(None);
        if let Some(search) = &mut self.search {
            search.answer = instead;
            self.answer(desk);
        }
    }

    /// Writes the answer, unless it has to wait.
    fn answer(&mut self, desk: &mut Desk) {
        let is_over = self.game.outcome().is_some();
        let can_answer = |search: &mut FrontSearch| !search.is_held && (search.answer.is_some() || is_over);
        let Some(search) = self.search.take_if(can_answer) else { return };
        let Some(Answer { mv, expected }) = search.answer else {
            return desk.output.line(Message::BestMove { best: UciMove::Null, ponder: None });
        };
        let mode = self.game.mode();
        let ponder = expected.map(|expected| expected.to_uci(mode));
        desk.output.line(Message::BestMove { best: mv.to_uci(mode), ponder });
    }

    fn show(&mut self, rank: u32, thinking: &Thinking, line: &[Move], desk: &mut Desk) {
        let Some(search) = &self.search else { return };
        let used = u64::try_from(search.since.elapsed().as_millis()).unwrap_or(u64::MAX);
        let told = thinking.time.and_then(|time| u64::try_from(time.as_millis()).ok());
        let mode: CastlingMode = self.game.mode();
        let info = Info {
            depth: thinking.depth,
            seldepth: thinking.selective_depth,
            multipv: (!line.is_empty()).then_some(rank),
            score: thinking.score.map(|value| InfoScore { value, bound: game::ScoreBound::Exact }),
            nodes: thinking.nodes,
            nps: thinking.speed,
            hashfull: thinking.hash_full,
            tbhits: thinking.tablebase_hits,
            time: Some(told.unwrap_or(used)),
            pv: line.iter().map(|mv| mv.to_uci(mode)).collect(),
            ..Info::default()
        };
        desk.output.line(Message::Info(Box::new(info)));
    }
}

/// Answers `uci`: the options are those of the program, and those that the players set.
fn greet(desk: &mut Desk) {
    if let Err(fault) = desk.program.meet() {
        return note(desk, &format!("the program {fault}"));
    }
    let can = desk.program.abilities();
    let mut lines = vec![
        Message::Name(desk.program.name().to_owned()),
        Message::Author(format!("the authors of {}", desk.program.name())),
    ];
    let mut offer = |name: &str, kind: OptionKind| {
        let is_known = can.options.iter().any(|option| option.name.eq_ignore_ascii_case(name));
        let is_own = OWN.contains(&name);
        if !is_known || is_own {
            lines.push(Message::Option { name: name.to_owned(), kind });
        }
    };
    if can.memory {
        offer("Hash", OptionKind::Spin { value: 16, min: 1, max: MOST_MEMORY });
    }
    if can.threads {
        offer("Threads", OptionKind::Spin { value: 1, min: 1, max: MOST_THREADS });
    }
    offer("Ponder", OptionKind::Check(false));
    if can.variants.contains(&PlayedVariant::CHESS960) {
        offer("UCI_Chess960", OptionKind::Check(false));
    }
    let variants: Vec<String> = can.variants.iter().map(|played| played.name().to_owned()).collect();
    let variants: Vec<String> = variants.into_iter().filter(|name| name != "chess960").collect();
    if variants.len() > 1 {
        let value = PlayedVariant::CHESS.name().to_owned();
        offer("UCI_Variant", OptionKind::Combo { value, choices: variants });
    }
    let own = |name: &str| OWN.iter().any(|own| own.eq_ignore_ascii_case(name));
    let options = can.options.iter().filter(|option| !own(&option.name));
    lines.extend(
        options.map(|option| Message::Option { name: option.name.clone(), kind: option.kind.clone() }),
    );
    lines.push(Message::UciOk);
    for line in lines {
        desk.output.line(line);
    }
}

/// The clock of a `go`. Times that are over count as a millisecond.
fn clock(go: &Go) -> Clock {
    let millis = |time: i64| Duration::from_millis(u64::try_from(time).unwrap_or(0).max(1));
    if let Some(time) = go.movetime {
        return Clock::new(TimeControl::PerMove(millis(time)));
    }
    let of = |left: Option<i64>, increment: Option<i64>| {
        let (Some(left), false) = (left, go.infinite) else { return TimeControl::Unlimited };
        let increment = Duration::from_millis(u64::try_from(increment.unwrap_or(0)).unwrap_or(0));
        let phase = Phase { moves: go.movestogo.filter(|moves| *moves > 0), time: millis(left), increment };
        TimeControl::of_phase(phase).unwrap_or(TimeControl::Unlimited)
    };
    Clock::with_controls(ByColor { white: of(go.wtime, go.winc), black: of(go.btime, go.binc) })
}
