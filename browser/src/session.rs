//! One engine that speaks UCI with a page.

use std::time::Duration;

use engine::bench;
use game::{CastlingMode, Game, Score, WhiteScore};
use messages::OptionKind;
use messages::uci::{Command, Go, Info, InfoScore, Message, StartPosition};
use pages::PageLine;
use search::{Control, Limits, Observer, Report, SearchClock, Searcher, Table};
use shakmaty::uci::UciMove;

/// Usual and largest size of the hash table in MiB. WebAssembly has 4 GiB in all.
const HASH: (i64, i64) = (16, 1024);
/// Most lines at once.
const MOST_LINES: i64 = 100;

/// What an engine has of its page.
pub trait Page: Sync {
    /// Takes a line, without its end.
    fn say(&self, line: &str);

    /// Returns the time since some moment.
    fn now(&self) -> Duration;
}

/// The engine and its game.
pub struct Session {
    game: Game,
    mode: CastlingMode,
    lines: usize,
    /// Whether lines are told as a page shows them.
    has_page_lines: bool,
    searcher: Searcher,
    table: Option<Table>,
    mebibytes: usize,
}

impl Default for Session {
    fn default() -> Session {
        let mode = CastlingMode::Standard;
        let game = Game::with_mode(game::Variant::Chess, mode);
        Session {
            game,
            mode,
            lines: 1,
            has_page_lines: false,
            searcher: Searcher::default(),
            table: None,
            mebibytes: HASH.0 as usize,
        }
    }
}

impl Session {
    /// Obeys a line. All answers have been said when this returns.
    pub fn obey<P: Page>(&mut self, line: &str, page: &P) {
        if line.trim().is_empty() {
            return;
        }
        let done = line.parse().map_err(|error: messages::uci::LineError| error.to_string());
        if let Err(problem) = done.and_then(|command| self.carry_out(&command, page)) {
            page.say(&Message::note(problem).to_string());
        }
    }

    fn carry_out<P: Page>(&mut self, command: &Command, page: &P) -> Result<(), String> {
        match command {
            Command::Uci => introduce(page),
            Command::IsReady => page.say(&Message::ReadyOk.to_string()),
            Command::UciNewGame => self.clear(),
            Command::SetOption { name, value } => self.set_option(name, value.as_deref().unwrap_or(""))?,
            Command::Position { start, moves } => self.set_position(start, moves)?,
            Command::Go(go) => self.go(go, page)?,
            Command::Bench(depth) => self.bench(*depth, page)?,
            // Nothing is heard while Herald thinks.
            Command::Stop | Command::PonderHit | Command::Quit | Command::Debug(_) | Command::Register(_) => {
            }
            Command::Board | Command::Evaluation | Command::GenFens(_) => {
                return Err("a page has no use for that".into());
            }
        }
        Ok(())
    }

    fn clear(&mut self) {
        self.searcher.clear();
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), String> {
        let number = |most: i64| match value.parse::<i64>() {
            Ok(number) if (1..=most).contains(&number) => Ok(number as usize),
            _ => Err(format!("{name} needs a number from 1 to {most}, not \"{value}\"")),
        };
        let flag =
            || value.parse::<bool>().map_err(|_| format!("{name} needs true or false, not \"{value}\""));
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                self.mebibytes = number(HASH.1)?;
                self.table = None;
            }
            "multipv" => self.lines = number(MOST_LINES)?,
            "pagelines" => self.has_page_lines = flag()?,
            "uci_chess960" => self.mode = CastlingMode::from_chess960(flag()?),
            _ => return Err(format!("unknown option: {name}")),
        }
        Ok(())
    }

    fn set_position(&mut self, start: &StartPosition, moves: &[UciMove]) -> Result<(), String> {
        let refused = |problem: &dyn std::error::Error| format!("position not set up: {problem}");
        let mut game = start.game(game::Variant::Chess, self.mode).map_err(|error| refused(&error))?;
        game.play_line(moves.iter().map(ToString::to_string)).map_err(|error| refused(&error))?;
        self.game = game;
        Ok(())
    }

    fn go<P: Page>(&mut self, go: &Go, page: &P) -> Result<(), String> {
        let mut root = engine::root(&self.game).ok_or("only chess is played here")?;
        let allowed = go.searchmoves.iter().filter_map(|m| self.game.parse_move(&m.to_string()).ok());
        let allowed: Vec<search::Move> = allowed.map(engine::to_search).collect();
        root.allowed = (!allowed.is_empty()).then_some(allowed);
        let limits = engine::limits(go.limits(self.game.turn()));
        // A mate may not be found.
        if go.perft.is_some() || limits == Limits::default() {
            return Err(
                "a page can't stop a search without a limit: say go depth, nodes, movetime or wtime".into()
            );
        }
        let limits = Limits { lines: self.lines, mate: go.mate, ..limits };
        let table = match &mut self.table {
            Some(table) => table,
            none => none.insert(Table::new(self.mebibytes).map_err(|error| error.to_string())?),
        };
        let clock = PageClock { began: page.now(), page };
        let mut told = Told { game: &self.game, has_page_lines: self.has_page_lines, page };
        let answer = self.searcher.think(table, &root, &limits, &Control::new(), &clock, &mut told);
        let line: Vec<search::Move> = answer.best.into_iter().chain(answer.ponder).collect();
        let mut line = written(&self.game, &line).into_iter();
        let best = line.next().unwrap_or(UciMove::Null);
        page.say(&Message::BestMove { best, ponder: line.next() }.to_string());
        Ok(())
    }

    fn bench<P: Page>(&mut self, depth: Option<u32>, page: &P) -> Result<(), String> {
        let limits = Limits { depth: Some(depth.unwrap_or(bench::DEPTH)), ..Limits::default() };
        let mut table = Table::new(bench::TABLE_MEBIBYTES).map_err(|error| error.to_string())?;
        let (began, mut nodes) = (page.now(), 0);
        for game in bench::positions(game::Variant::Chess).map_err(|error| error.to_string())? {
            let root = engine::root(&game).ok_or("only chess is played here")?;
            table.clear();
            self.searcher.clear();
            let clock = PageClock { began: page.now(), page };
            nodes += self.searcher.think(&mut table, &root, &limits, &Control::new(), &clock, &mut ()).nodes;
        }
        let time = page.now().saturating_sub(began);
        page.say(&format!("{nodes} nodes {:.0} nps", nodes as f64 / time.as_secs_f64().max(1e-3)));
        Ok(())
    }
}

fn introduce<P: Page>(page: &P) {
    let spin = |value, max| OptionKind::Spin { value, min: 1, max };
    let options = [
        ("Hash", spin(HASH.0, HASH.1)),
        ("MultiPV", spin(1, MOST_LINES)),
        ("UCI_Chess960", OptionKind::Check(false)),
        ("PageLines", OptionKind::Check(false)),
    ];
    page.say(concat!("id name Herald ", env!("CARGO_PKG_VERSION")));
    page.say("id author the Herald authors");
    for (name, kind) in options {
        page.say(&Message::Option { name: name.into(), kind }.to_string());
    }
    page.say(&Message::UciOk.to_string());
}

fn written(game: &Game, line: &[search::Move]) -> Vec<UciMove> {
    engine::line_from_search(game, line).into_iter().map(|m| m.to_uci(game.mode())).collect()
}

/// The page's time since a moment.
struct PageClock<'a, P> {
    began: Duration,
    page: &'a P,
}

impl<P: Page> SearchClock for PageClock<'_, P> {
    fn elapsed(&self, _nodes: u64) -> Duration {
        self.page.now().saturating_sub(self.began)
    }
}

impl<P: Page> Told<'_, P> {
    /// Tells a line as JSON: a page of HTML plays no moves.
    fn show(&self, report: &Report, score: Score) {
        let line = PageLine {
            score: WhiteScore::of(score, self.game.turn()),
            depth: Some(report.depth),
            nodes: Some(report.nodes),
            ..PageLine::play(self.game, &engine::line_from_search(self.game, report.principal_variation))
        };
        // The type has no maps with keys that are not strings, so that nothing can fail.
        self.page.say(&serde_json::to_string(&line).unwrap_or_default());
    }
}

/// Tells the page what the search finds.
struct Told<'a, P> {
    game: &'a Game,
    has_page_lines: bool,
    page: &'a P,
}

impl<P: Page> Observer for Told<'_, P> {
    fn report(&mut self, report: &Report) {
        let value = engine::score(report.score);
        if self.has_page_lines {
            return self.show(report, value);
        }
        let info = Info {
            depth: Some(report.depth),
            seldepth: Some(report.selective_depth),
            multipv: Some(report.line as u32),
            score: Some(InfoScore { value, bound: engine::bound(report.bound) }),
            nodes: Some(report.nodes),
            nps: Some((report.nodes as f64 / report.elapsed.as_secs_f64().max(1e-3)) as u64),
            hashfull: Some(report.hash_full),
            time: Some(report.elapsed.as_millis() as u64),
            pv: written(self.game, report.principal_variation),
            ..Info::default()
        };
        self.page.say(&Message::Info(Box::new(info)).to_string());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Instant;

    use super::*;

    struct Heard(Mutex<Vec<String>>, Instant);

    impl Page for Heard {
        fn say(&self, line: &str) {
            self.0.lock().unwrap().push(line.to_owned());
        }

        fn now(&self) -> Duration {
            self.1.elapsed()
        }
    }

    fn hear(lines: &[&str]) -> Vec<String> {
        let page = Heard(Mutex::default(), Instant::now());
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(search::STACK_SIZE);
            let page = &page;
            let run = move || {
                let mut session = Session::default();
                for line in lines {
                    session.obey(line, page);
                }
            };
            thread.spawn_scoped(scope, run).unwrap().join().unwrap();
        });
        page.0.into_inner().unwrap()
    }

    #[test]
    fn a_page_is_answered_in_uci() {
        let said =
            hear(&["uci", "isready", "position startpos moves e2e4 e7e5 f1c4 b8c6 d1h5 g8f6", "go depth 5"]);
        assert!(said[0].starts_with("id name Herald "), "{said:?}");
        assert!(said.iter().any(|line| line == "uciok") && said.iter().any(|line| line == "readyok"));
        assert!(said.iter().any(|line| line.contains("score mate 1")), "{said:?}");
        assert_eq!(said.last().unwrap(), "bestmove h5f7");
    }

    #[test]
    fn a_page_of_html_gets_lines_with_positions() {
        let said = hear(&[
            "setoption name PageLines value true",
            "position startpos moves f2f3 e7e5 g2g4",
            "go depth 3",
        ]);
        let line: PageLine = serde_json::from_str(&said[0]).unwrap();
        assert_eq!((line.moves[0].san.as_str(), line.moves[0].squares.as_str()), ("Qh4#", "d8h4"));
        assert_eq!(line.score, WhiteScore::of(Score::MateIn(1), shakmaty::Color::Black));
    }

    #[test]
    fn castling_is_written_as_the_mode_says() {
        let fen = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        let only = "go depth 2 searchmoves";
        assert_eq!(hear(&[fen, &format!("{only} e1g1")]).last().unwrap().split(' ').nth(1), Some("e1g1"));
        let said = hear(&["setoption name UCI_Chess960 value true", fen, &format!("{only} e1h1")]);
        assert_eq!(said.last().unwrap().split(' ').nth(1), Some("e1h1"));
    }

    #[test]
    fn what_can_not_be_done_is_said() {
        for line in [
            "go",
            "go infinite",
            "go mate 1",
            "go perft 3",
            "gibberish",
            "position fen x",
            "setoption name Hash value 0",
            "eval",
            "position startpos moves e2e5",
        ] {
            let said = hear(&[line]);
            assert!(said.len() == 1 && said[0].starts_with("info string "), "{line}: {said:?}");
        }
        assert!(hear(&["", "stop", "quit", " \r"]).is_empty());
        let mated = hear(&["position fen R5k1/5ppp/8/8/8/8/5PPP/6K1 b - - 1 1", "go depth 3"]);
        assert_eq!(mated.last().unwrap(), "bestmove 0000");
    }
}
