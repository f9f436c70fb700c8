//! Analysis of the position on the board, and annotations of a whole game.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use engine::{Decision, Limits, SearchLine};
use game::{Game, JudgingRules, Move, Score, Variant, WhiteScore};
use pages::{PageLine, PageStep};

use super::messages::{BrowserMessage, BrowserThinking, MOST_LINES};
use super::session::{BrowserSession, BrowserTask};

/// Nodes for each position of a game that is annotated.
const NODES: u64 = 200_000;
/// Shortest time between two messages with lines.
const PAUSE: Duration = Duration::from_millis(120);
/// Longest line that is shown, in plies, and that annotations add.
const LONGEST_LINE: usize = 24;
const LONGEST_VARIATION: usize = 8;

/// The analysis of the position on the board.
pub(super) struct BoardAnalysis {
    pub(super) is_on: bool,
    /// Number of lines.
    pub(super) count: u8,
    /// The node that is thought about.
    node: usize,
    /// The lines found, the best one first.
    lines: Vec<SearchLine>,
    /// Since when there are lines that the page doesn't have.
    fresh: Option<Instant>,
}

impl Default for BoardAnalysis {
    fn default() -> BoardAnalysis {
        BoardAnalysis { is_on: false, count: 1, node: 0, lines: Vec::new(), fresh: None }
    }
}

impl BoardAnalysis {
    /// Begins to collect lines about a node.
    pub(super) fn begin(&mut self, node: usize) {
        (self.node, self.fresh) = (node, None);
        self.lines.clear();
    }

    pub(super) fn note(&mut self, task: BrowserTask, line: SearchLine) {
        let place = line.number.saturating_sub(1).min(self.lines.len());
        self.lines.truncate(usize::from(MOST_LINES));
        match self.lines.get_mut(place) {
            Some(known) => *known = line,
            None => self.lines.push(line),
        }
        if task == BrowserTask::Analysis {
            self.fresh.get_or_insert_with(Instant::now);
        }
    }

    /// When the page is to be told.
    pub(super) fn due(&self) -> Option<Instant> {
        self.fresh.map(|since| since + PAUSE)
    }
}

/// The annotation of a game: its mainline from the last move to the first, with the hash table kept.
pub(super) struct AnnotationRun {
    /// Nodes to be evaluated, the next one last.
    todo: Vec<usize>,
    total: usize,
    /// Winning chance of the side to move in percent, by node.
    chances: HashMap<usize, f64>,
    /// Whether the analysis is to go on afterwards.
    resumes: bool,
}

impl AnnotationRun {
    /// Positions evaluated and all positions.
    pub(super) fn progress(&self) -> (usize, usize) {
        (self.total - self.todo.len(), self.total)
    }
}

/// Analysis.
impl BrowserSession {
    pub(super) fn analyse(&mut self, on: bool) -> Result<(), String> {
        self.needs_analysis()?;
        self.end_annotating();
        self.analysis.is_on = on;
        self.board_changed();
        Ok(())
    }

    pub(super) fn set_lines(&mut self, count: u8) -> Result<(), String> {
        if !(1..=MOST_LINES).contains(&count) {
            return Err(format!("an analysis has 1 to {MOST_LINES} lines, not {count}"));
        }
        self.analysis.count = count;
        self.board_changed();
        Ok(())
    }

    /// Thinks about what is on the board now, if the analysis is on. Annotating goes on.
    pub(super) fn board_changed(&mut self) {
        if self.play.is_some() || self.annotating.is_some() {
            return;
        }
        self.forget_task();
        self.analysis.begin(self.at);
        if self.analysis.is_on && self.game.outcome().is_none() {
            self.use_full_strength();
            self.think(BrowserTask::Analysis, Limits::default());
        }
        self.tell_thinking(true);
    }

    /// Ends all thinking that is only for somebody who looks.
    pub(super) fn rest(&mut self) {
        self.end_annotating();
        self.analysis.is_on = false;
        if self.play.is_none() {
            self.forget_task();
        }
    }

    /// Tells the page the lines, if it is time, or `now`.
    pub(super) fn tell_thinking(&mut self, now: bool) {
        if self.play.is_some() || !(now || self.analysis.due().is_some_and(|at| at <= self.now)) {
            return;
        }
        self.analysis.fresh = None;
        let thinking = if self.annotating.is_some() { None } else { self.analysis.lines.first() };
        let first = thinking.map(|first| (first.depth, first.nodes, first.nodes_per_second()));
        let (depth, nodes, speed) = first.unwrap_or_default();
        let lines = if first.is_some() {
            self.analysis.lines.iter().map(|line| shown(&self.game, line)).collect()
        } else {
            Vec::new()
        };
        let node = self.analysis.node;
        self.tell(BrowserMessage::Thinking(BrowserThinking { node, depth, nodes, speed, lines }));
    }
}

fn shown(game: &Game, line: &SearchLine) -> PageLine {
    let (score, mut game) = (WhiteScore::of(line.score, game.turn()), game.clone());
    let moves = line.moves.iter().take(LONGEST_LINE);
    PageLine {
        score,
        moves: moves.map_while(|mv| PageStep::play(&mut game, *mv)).collect(),
        ..PageLine::default()
    }
}

/// Annotations.
impl BrowserSession {
    pub(super) fn annotate(&mut self, on: bool) -> Result<(), String> {
        self.needs_analysis()?;
        if !on {
            self.end_annotating();
            self.board_changed();
            return Ok(());
        }
        let mut todo = vec![0];
        todo.extend(self.tree.mainline());
        if todo.len() < 2 {
            return Err("there are no moves to annotate".to_owned());
        }
        let resumes = self.analysis.is_on;
        self.forget_task();
        self.engine.clear();
        self.use_full_strength();
        self.annotating = Some(AnnotationRun { total: todo.len(), todo, chances: HashMap::new(), resumes });
        self.analysis.is_on = false;
        self.evaluate_next();
        self.tell_thinking(true);
        Ok(())
    }

    pub(super) fn end_annotating(&mut self) {
        if let Some(run) = self.annotating.take() {
            self.forget_task();
            self.analysis.is_on = run.resumes;
        }
    }

    fn evaluate_next(&mut self) {
        let Some(run) = &mut self.annotating else { return };
        let Some(&node) = run.todo.last() else {
            self.end_annotating();
            self.board_changed();
            self.tell_game();
            return self.tell_state();
        };
        let game = self.tree.game(node);
        if let Some(outcome) = game.outcome() {
            let chance = match outcome.winner() {
                None => JudgingRules::default().chance(Score::DRAW),
                Some(winner) if winner == game.turn() => 100.0,
                Some(_) => 0.0,
            };
            return self.note_chance(node, chance, &[]);
        }
        self.think_about(
            &game,
            BrowserTask::Evaluation(node),
            Limits { nodes: Some(NODES), ..Limits::default() },
        );
    }

    pub(super) fn evaluated(&mut self, node: usize, decision: &Decision) {
        let line = self.analysis.lines.first();
        let depth = line.map_or(0, |line| line.depth);
        let best: Vec<Move> =
            line.map_or_else(|| decision.best.into_iter().collect(), |line| line.moves.clone());
        let turn = self.tree.game(node).turn();
        self.tree.set_score(node, WhiteScore::of(decision.score, turn), depth);
        self.note_chance(node, JudgingRules::default().chance(decision.score), &best);
    }

    /// Keeps the winning chance of a node, judges the move behind it, and goes on with the next node.
    fn note_chance(&mut self, node: usize, chance: f64, best: &[Move]) {
        let Some(run) = &mut self.annotating else { return };
        run.todo.pop();
        run.chances.insert(node, chance);
        let next = self.tree.shown(node).next.first().copied();
        let after = next.and_then(|next| run.chances.get(&next).map(|after| (next, *after)));
        let mut is_judged = false;
        if let Some((next, after)) = after {
            let grade = JudgingRules::default().grade(chance - (100.0 - after));
            let game = self.tree.game(node);
            let is_best =
                best.first().is_some_and(|mv| game.san(*mv) == self.tree.shown(next).shown.step.san);
            // What a score is worth is known of chess only.
            let is_chess = game.variant() == Variant::Chess;
            if let Some(grade) = grade.filter(|_| is_chess && !is_best) {
                self.tree.judge(next, grade.glyph(), &best[..best.len().min(LONGEST_VARIATION)]);
                is_judged = true;
            }
        }
        if is_judged {
            self.tell_game();
        } else {
            self.tell_node(node);
        }
        self.tell_state();
        self.evaluate_next();
    }
}
