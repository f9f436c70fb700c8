//! Invented thinking: what a program shows that sleeps.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use crate::{Mode, Mover, say};

/// Time of a move, whatever the clock says.
pub(super) const MILLIS: u64 = 450;

/// Time between two invented lines.
const LINE: Duration = Duration::from_millis(40);

/// State of a program that pretends to think.
#[derive(Default)]
pub(super) struct Pretence {
    /// It shows what it doesn't think.
    is_shown: bool,
    analyses: bool,
    /// When it was paused.
    paused: Option<Instant>,
    /// Depth of the last line.
    depth: u32,
    /// When the search began that isn't one.
    began: Option<Instant>,
    /// The score that it was told, and the plies of the game then.
    told: Option<(i32, usize)>,
    /// The move that it may choose.
    included: Option<String>,
    /// Memory that is never touched.
    memory: Vec<u8>,
}

impl Mover {
    /// Returns the next line, or `None` at the time of a move. Shows invented lines meanwhile.
    pub(super) fn next(&mut self, lines: &Receiver<String>) -> Result<Option<String>, ()> {
        loop {
            let is_paused = self.pretence.paused.is_some();
            if !is_paused && self.due.is_some_and(|due| Instant::now() >= due) {
                return Ok(None);
            }
            match lines.recv_timeout(LINE) {
                Ok(line) => return Ok(Some(line)),
                Err(RecvTimeoutError::Disconnected) => return Err(()),
                Err(RecvTimeoutError::Timeout) if is_paused => {}
                Err(RecvTimeoutError::Timeout) if self.pretence.analyses || self.due.is_some() => self.show(),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    }

    /// Pretends to obey a command. Returns whether that is all.
    pub(super) fn pretend(&mut self, word: &str, rest: &str) -> bool {
        let plies = self.game.ply();
        let pretence = &mut self.pretence;
        match word {
            "post" | "nopost" => pretence.is_shown = word == "post",
            "analyze" => (pretence.analyses, self.mode) = (true, Mode::Force),
            "exit" => pretence.analyses = false,
            "pause" => pretence.paused = Some(Instant::now()),
            "resume" => {
                if let (Some(due), Some(paused)) = (&mut self.due, pretence.paused.take()) {
                    *due += paused.elapsed();
                }
            }
            "setscore" => pretence.told = rest.parse().ok().map(|score| (score, plies)),
            "include" => pretence.included = Some(rest.to_owned()),
            "memory" => {
                pretence.memory = Vec::with_capacity(rest.parse::<usize>().unwrap_or_default() << 20);
            }
            "." => {
                let began = pretence.began.map_or(Duration::ZERO, |began| began.elapsed());
                say(format!("stat01: {} 1000 {} 3 20 e2e4", began.as_millis() / 10, pretence.depth));
            }
            "?" => self.due = self.due.map(|_| Instant::now()),
            _ => {
                // A command may begin or end a search.
                (pretence.depth, pretence.began, pretence.paused) = (0, Some(Instant::now()), None);
                return false;
            }
        }
        true
    }

    fn show(&mut self) {
        let plies = self.game.ply();
        let moves = self.game.legal_moves();
        let Some(&first) = moves.first() else { return };
        let first = self.game.coordinate(first);
        let pretence = &mut self.pretence;
        let began = *pretence.began.get_or_insert_with(Instant::now);
        pretence.depth += 1;
        let score = pretence
            .told
            .map_or(20, |(score, then)| if (plies + then).is_multiple_of(2) { score } else { -score });
        let best = pretence.included.as_deref().unwrap_or(&first);
        if pretence.is_shown || pretence.analyses {
            let (depth, time) = (pretence.depth, began.elapsed().as_millis() / 10);
            say(format!("{depth} {score} {time} {} {best}", 100 * depth));
        }
    }
}
