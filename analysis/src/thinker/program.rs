//! Another program, by CECP or UCI.

use std::num::NonZeroU64;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::Score;
use game::{DrawReason, Game, Move, Outcome};
use players::{Account, Arrival, Event, Fault, NewGame, Player, Spec, Thinking, Turn};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use search::mate::Solver;
use shakmaty::ByColor;

use super::{Effort, Insight, MateSearch, ThinkError, Thinker, Watch, herald};

/// How much later than its time a program may answer.
const MARGIN: Duration = Duration::from_secs(5);
/// How long a program may be silent whose effort isn't measured in time.
const SILENCE: Duration = Duration::from_mins(10);
/// How often a waiting thread looks whether it was called off.
const LOOK: Duration = Duration::from_millis(100);

/// For the proof of a mate that a program tells: a fraction of a second.
const PROOF_NODES: NonZeroU64 = NonZeroU64::new(1_000_000).unwrap();
/// For the same, in MiB.
const PROOF_MEMORY: usize = 16;

/// A program that is started when it is needed, and started anew after a fault.
pub struct Program {
    spec: Spec,
    effort: Effort,
    called_off: Arc<AtomicBool>,
    player: Option<Box<dyn Player>>,
    /// Made for the first mate.
    solver: Option<Solver>,
}

impl Program {
    /// The program, which ends soon after it is called off. Nothing is started yet.
    pub fn new(spec: Spec, effort: Effort, called_off: Arc<AtomicBool>) -> Program {
        Program { spec, effort, called_off, player: None, solver: None }
    }

    /// Waits for the program's answer.
    fn listen(
        &self,
        player: &mut dyn Player,
        game: &Game,
        began: Instant,
        watch: &mut Watch<'_>,
    ) -> Result<Insight, ThinkError> {
        let mut last = Insight::default();
        let mut heard = began;
        loop {
            if self.called_off.load(Ordering::Relaxed) {
                return Err(ThinkError::CalledOff);
            }
            let latest = self.effort.longest().map_or(heard + SILENCE, |longest| began + longest + MARGIN);
            let Some(Arrival { at, event }) = player.take() else {
                wait(player, latest)?;
                continue;
            };
            heard = at;
            let time = at.saturating_duration_since(began);
            match event {
                Event::Thinking(thinking) => {
                    last = insight(game, &thinking, time, last);
                    if !last.line.is_empty() && watch(&last).is_break() {
                        return Ok(last);
                    }
                }
                Event::Move(text) => {
                    let mv = game.parse_move(&text);
                    let mv = mv.map_err(|_| ThinkError::IllegalMove(game::excerpt(&text)))?;
                    return Ok(decided(mv, time, last));
                }
                Event::Fault(fault) => return Err(fault.into()),
                Event::Complaint(words) => return Err(ThinkError::NoMove(game::excerpt(&words))),
                Event::Resignation | Event::Claim { .. } => {
                    // What it would play stands in its last line, if it told one.
                    return match last.best() {
                        Some(mv) => Ok(decided(mv, time, last)),
                        None => Err(ThinkError::NoMove("the game is over".to_owned())),
                    };
                }
                Event::DrawOffer | Event::Remark(_) => {}
            }
        }
    }
}

impl Thinker for Program {
    fn think(&mut self, game: &Game, watch: &mut Watch<'_>) -> Result<Insight, ThinkError> {
        // Who commits a fault is not put back, and ends with the value.
        let mut player = match self.player.take() {
            Some(player) => player,
            None => players::start(&self.spec, None)?,
        };
        let controls = ByColor::new_with(|_| self.effort.control().clone());
        player.new_game(&NewGame {
            game: game.clone(),
            color: game.turn(),
            controls: controls.clone(),
            opponent: String::new(),
            ponder: false,
        })?;
        let accounts =
            controls.map(|control| Account { remaining: control.initial(), control, moves_made: 0 });
        let began = Instant::now();
        player.think(&Turn { game, accounts: &accounts })?;
        let insight = self.listen(&mut *player, game, began, watch)?;
        // Nobody has won: there was no game.
        player.end_game(Outcome::Draw(DrawReason::Adjudication))?;
        self.player = Some(player);
        Ok(insight)
    }

    /// The program is believed nothing: what it tells is proven, the length as well.
    fn find_mate(&mut self, game: &Game, moves: u32) -> Result<MateSearch, ThinkError> {
        let is_found = |insight: &Insight| mates_in(insight).is_some_and(|found| found <= moves);
        let insight = self.think(game, &mut |insight| {
            if is_found(insight) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        let told = mates_in(&insight).filter(|found| *found <= moves);
        let mate = match told {
            None => None,
            Some(told) => {
                let solver = herald::solver(&mut self.solver, PROOF_MEMORY)?;
                herald::prove(solver, game, told, insight.best(), &Effort::nodes(PROOF_NODES)).0
            }
        };
        Ok(MateSearch { mate, nodes: insight.nodes, time: insight.time })
    }
}

/// In how many moves the side to move mates, by what was told.
fn mates_in(insight: &Insight) -> Option<u32> {
    match insight.score? {
        Score::MateIn(moves) => Some(moves),
        Score::MatedIn(_) | Score::Centipawns(_) => None,
    }
}

/// Waits until the program speaks, a little while at most.
fn wait(player: &dyn Player, latest: Instant) -> Result<(), ThinkError> {
    let left = latest.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Err(Fault::Silence("the question for a move").into());
    }
    if let Some(source) = player.source() {
        let timeout = Timespec::try_from(left.min(LOOK)).ok();
        // An interrupted call is a wait that ended early; other errors cannot come from an open descriptor.
        let _ = poll(&mut [PollFd::from_borrowed_fd(source, PollFlags::IN)], timeout.as_ref());
    }
    Ok(())
}

/// What a program told, and what it told before where it now says nothing.
fn insight(game: &Game, thinking: &Thinking, time: Duration, before: Insight) -> Insight {
    let line = read_line(game, &thinking.line);
    Insight {
        line: if line.is_empty() { before.line } else { line },
        score: thinking.score.or(before.score),
        depth: thinking.depth.or(before.depth),
        nodes: thinking.nodes.or(before.nodes),
        time,
    }
}

/// The last word: the move counts, and the line only if it begins with it.
fn decided(mv: Move, time: Duration, last: Insight) -> Insight {
    let line = if last.best() == Some(mv) { last.line } else { vec![mv] };
    Insight { line, time, ..last }
}

/// A line as programs write it, as far as it is legal; numbers of moves in it are passed over.
fn read_line(game: &Game, line: &str) -> Vec<Move> {
    let mut game = game.clone();
    let words = line.split_whitespace().map(|word| word.rsplit_once('.').map_or(word, |(_, text)| text));
    words
        .filter(|word| !word.is_empty())
        .map_while(|word| {
            let mv = game.parse_move(word).ok()?;
            game.play(mv).ok().map(|()| mv)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_all_kinds_of_programs() {
        let game = Game::default();
        let expected = read_line(&game, "e2e4 e7e5 g1f3");
        assert_eq!(expected.len(), 3);
        for line in ["1. e4 e5 2. Nf3", "1.e4 e5 2.Nf3 <HT>", "e4 e7-e5 Nf3 Ke5", "1. ... e4 e5 Nf3"] {
            assert_eq!(read_line(&game, line), expected, "{line}");
        }
        assert_eq!(read_line(&game, "Ke5 e4"), []);
    }

    #[test]
    fn a_move_that_is_not_of_the_last_line_stands_alone() {
        let game = Game::default();
        let last = Insight { line: read_line(&game, "e2e4 e7e5"), ..Insight::default() };
        let time = Duration::from_secs(1);
        let kept = decided(last.line[0], time, last.clone());
        assert_eq!((&kept.line, kept.time), (&last.line, time));
        let other = game.parse_move("d4").expect("a move");
        assert_eq!(decided(other, time, last).line, [other]);
    }
}
