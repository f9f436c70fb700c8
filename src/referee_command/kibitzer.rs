//! The director's own program, which analyses the game that the page follows.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use analysis::{Analyzer as _, PositionAnalysis, ProgramAnalyzer};
use anyhow::Result;
use arena::referee::server::{KibitzedPosition, KibitzerSeat, Service};
use game::{TimeControl, WhiteScore};
use pages::PageLine;
use players::Spec;

use super::console;

/// Maximum time for a position; nobody needs to know more.
const LONGEST: Duration = Duration::from_mins(2);
/// Interval between two reports on a position.
const BETWEEN_REPORTS: Duration = Duration::from_millis(400);
/// Delay before a program that has failed is started again; doubled each time, up to the second.
const PAUSES: [Duration; 2] = [Duration::from_secs(1), Duration::from_mins(2)];
/// Interval at which the thread looks whether the event is over.
const LOOK: Duration = Duration::from_secs(1);

/// The thread of the third program.
pub(super) struct Kibitzer {
    leaving: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

impl Kibitzer {
    /// Starts to analyse beside at most so many games in play. The program itself is started with the first position.
    pub(super) fn start(service: &mut Service, spec: Spec, most: usize) -> Result<Kibitzer> {
        let name = spec.name.clone().unwrap_or_else(|| spec.command.file_name().to_owned());
        let seat = service.seat_kibitzer(name, most);
        let leaving = Arc::new(AtomicBool::new(false));
        let leaves = Arc::clone(&leaving);
        let thread = thread::Builder::new().name("kibitzer".into()).spawn(move || {
            platform::lower_priority();
            analyze_all(&seat, &spec, &leaves);
        })?;
        Ok(Kibitzer { leaving, thread })
    }

    /// Ends the program.
    pub(super) fn end(self) {
        self.leaving.store(true, Ordering::Relaxed);
        // The panic handler has already printed the message.
        let _ = self.thread.join();
    }
}

/// Analyses one position after the other until the event is over. A program that fails is started again after a while.
fn analyze_all(seat: &KibitzerSeat, spec: &Spec, leaving: &Arc<AtomicBool>) {
    let new = || ProgramAnalyzer::new(spec.clone(), TimeControl::PerMove(LONGEST), Arc::clone(leaving));
    let (mut analyzer, mut pause) = (new(), PAUSES[0]);
    let mut last: Option<KibitzedPosition> = None;
    while !leaving.load(Ordering::Relaxed) {
        let Ok(next) = seat.next(last.as_ref(), LOOK) else { return };
        let Some(position) = next else { continue };
        last = Some(position.clone());
        if position.game.legal_moves().is_empty() {
            continue;
        }
        match analyze(&mut analyzer, seat, &position) {
            Ok(()) => pause = PAUSES[0],
            Err(_) if leaving.load(Ordering::Relaxed) => return,
            Err(error) => {
                console::say(&format!("the kibitzer {}: {error}; it is started again", spec.command));
                analyzer = new();
                let until = Instant::now() + pause;
                while Instant::now() < until && !leaving.load(Ordering::Relaxed) {
                    thread::sleep(Duration::from_millis(100));
                }
                pause = (2 * pause).min(PAUSES[1]);
            }
        }
    }
}

fn analyze(
    analyzer: &mut ProgramAnalyzer,
    seat: &KibitzerSeat,
    position: &KibitzedPosition,
) -> analysis::AnalysisResult<()> {
    let began = Instant::now();
    // Of very short moves only the end is told.
    let mut due = began + BETWEEN_REPORTS / 4;
    let mut told = 0;
    let mut newest = None;
    let answer = analyzer.analyze(&position.game, &mut |analysis| {
        let is_current = seat.is_current(position);
        if Instant::now() >= due || !is_current {
            due = Instant::now() + BETWEEN_REPORTS;
            told += 1;
            seat.tell(position, opinion(position, analysis));
        }
        newest = Some(analysis.clone());
        is_current
    });
    if let (true, Ok(analysis)) = (told == 0 || seat.is_current(position), &answer) {
        // The answer may lack what the last report had.
        let analysis = if analysis.score.is_some() { analysis } else { newest.as_ref().unwrap_or(analysis) };
        seat.tell(position, opinion(position, analysis));
    }
    answer.map(drop)
}

/// Number of moves of a line that are kept.
const LONGEST_LINE: usize = 12;

/// Describes an analysis for the page.
fn opinion(position: &KibitzedPosition, analysis: &PositionAnalysis) -> PageLine {
    let moves = &analysis.line[..analysis.line.len().min(LONGEST_LINE)];
    PageLine {
        score: analysis.score.and_then(|score| WhiteScore::of(score, position.game.turn())),
        depth: analysis.depth,
        nodes: analysis.nodes,
        ..PageLine::play(&position.game, moves)
    }
}
