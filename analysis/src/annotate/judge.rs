//! The judgement of moves from the analyses before and after them.

use game::{Color, Game, JudgingRules, Move, MoveGrade, Score, SyzygyValue, WhiteScore};
use shakmaty::Role;

use super::chance::{LOST, Prospect, bounded, prospect, table_chance};
use super::examine::Examined;
use super::record::{MoveLoss, MoveMerit};

/// What a player does at a turning point: from a win to an even game, from a win to a loss, or from an even game to a loss.
pub(super) const TURNS: [&str; 3] = ["lets the win slip", "turns a win into a loss", "loses the balance"];

/// What is found out about a move.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MoveVerdict {
    pub(super) loss: Option<MoveLoss>,
    pub(super) grade: Option<MoveGrade>,
    pub(super) merit: Option<MoveMerit>,
    /// Sentences about the move, besides its grade or merit.
    pub(super) words: Vec<String>,
    /// What the game comes to by the move, if that changes.
    pub(super) turning_point: Option<String>,
    /// By how much the winning chance changed with the best move.
    pub(super) drift: Option<f64>,
}

/// A move with the analyses before and after it.
pub(super) struct MoveToJudge<'a> {
    /// The game before the move.
    pub(super) game: &'a Game,
    pub(super) mv: Move,
    pub(super) before: &'a Examined,
    pub(super) after: &'a Examined,
    /// Name of the player.
    pub(super) player: &'a str,
}

impl MoveToJudge<'_> {
    /// Judges the move; `None` if a score is missing.
    pub(super) fn judge(&self, rules: &JudgingRules) -> Option<MoveVerdict> {
        let (best, next) = (self.before.analysis.score?, -self.after.analysis.score?);
        let chance_before = chance(rules, best, self.before.table);
        let chance_after = chance(rules, next, self.after.table.map(opposite));
        let is_best = self.before.best() == Some(self.mv);
        let is_table_known = self.before.table.is_some() && self.after.table.is_some();
        // The best move loses nothing, however the search after it differs; the tables are certain.
        let has_loss = !is_best || is_table_known;
        let points = if has_loss { (chance_before - chance_after).max(0.0) } else { 0.0 };
        let centipawns = if is_best { 0 } else { (bounded(best) - bounded(next)).max(0) };
        let is_choice = self.before.choices > 1;
        let grade = rules.grade(points).filter(|_| is_choice);
        let mut verdict = MoveVerdict {
            loss: Some(MoveLoss { points, centipawns }),
            grade,
            merit: if is_best && grade.is_none() { self.merit(rules, chance_before) } else { None },
            drift: is_best.then_some(chance_after - chance_before),
            ..MoveVerdict::default()
        };
        verdict.words = self.words(&verdict, best, next);
        verdict.turning_point = self.turning_point(&verdict, chance_before, chance_after);
        Some(verdict)
    }

    /// An only move: the second best of several would have been a blunder, and it neither mates nor just takes back what was taken.
    /// A sacrifice is a hard find.
    fn merit(&self, rules: &JudgingRules, chance_before: f64) -> Option<MoveMerit> {
        let second = self.before.analysis.others.first()?;
        let gap = chance_before - rules.chance(second.score);
        let last = self.game.moves().last();
        let takes_back =
            self.mv.is_capture() && last.is_some_and(|last| last.is_capture() && last.to() == self.mv.to());
        let is_mate = self.after.choices == 0;
        if gap < rules.blunder || chance_before < LOST || self.before.choices < 3 || takes_back || is_mate {
            return None;
        }
        let position = search::Position::from(self.game.chess()?);
        let is_hard = is_sacrifice(&position, engine::to_search(self.mv));
        Some(if is_hard { MoveMerit::HardFind } else { MoveMerit::OnlyMove })
    }

    fn words(&self, verdict: &MoveVerdict, best: Score, next: Score) -> Vec<String> {
        let mut words = Vec::new();
        let best_move = self.before.best().filter(|best| *best != self.mv).map(|mv| self.game.san(mv));
        match (best, next) {
            // Another move may keep the mate although the search after it has not seen it.
            (Score::MateIn(moves), Score::Centipawns(_) | Score::MatedIn(_))
                if best_move.is_some() && verdict.grade.is_some() =>
            {
                words.push(format!("Misses mate in {moves}."));
            }
            (Score::MateIn(_) | Score::Centipawns(_), Score::MatedIn(moves)) if verdict.grade.is_some() => {
                words.push(format!("Allows mate in {moves}."));
            }
            _ => {}
        }
        match (self.before.table, self.after.table.map(opposite)) {
            (Some(SyzygyValue::Win), Some(SyzygyValue::Draw)) => {
                words.push("A draw by the endgame tables; it was won.".to_owned());
            }
            (Some(SyzygyValue::Win), Some(SyzygyValue::Loss)) => {
                words.push("Lost by the endgame tables; it was won.".to_owned());
            }
            (Some(SyzygyValue::Draw), Some(SyzygyValue::Loss)) => {
                words.push("Lost by the endgame tables; it was a draw.".to_owned());
            }
            _ if self.before.is_forced_draw && verdict.grade.is_some() && best_move.is_some() => {
                words.push("Misses a draw.".to_owned());
            }
            _ => {}
        }
        if let Some(best) = best_move.filter(|_| verdict.grade.is_some()) {
            words.insert(0, format!("{best} was better."));
        }
        words
    }

    /// A sentence on what the game comes to, if a mistake or a blunder changes that.
    fn turning_point(&self, verdict: &MoveVerdict, before: f64, after: f64) -> Option<String> {
        if verdict.grade < Some(MoveGrade::Mistake) {
            return None;
        }
        let mover = self.game.turn();
        let for_white = |chance: f64| mover.fold_wb(chance, 100.0 - chance);
        let was = prospect(for_white(before));
        let is = prospect(for_white(after));
        let own = mover.fold_wb(Prospect::WhiteWins, Prospect::BlackWins);
        let what = match (was, is) {
            _ if was == is => return None,
            (was, Prospect::Even) if was == own => TURNS[0],
            (was, _) if was == own => TURNS[1],
            _ => TURNS[2],
        };
        let turn = mover;
        let text = |examined: &Examined, turn: Color| {
            let score = examined.analysis.score.and_then(|score| WhiteScore::of(score, turn));
            score.map_or_else(|| "mate".to_owned(), |score| score.to_string())
        };
        let (was, is) = (text(self.before, turn), text(self.after, !turn));
        Some(format!("{} {what}: {was} before, {is} after.", self.player))
    }
}

/// Whether a move gives up a pawn or more by static exchange on its square. The opponent's first capture must be legal: one that leaves
/// the king in check takes nothing.
fn is_sacrifice(position: &search::Position, mv: search::Move) -> bool {
    if position.is_castling(mv) {
        return false;
    }
    let value = search::exchange_value;
    let promoted = mv.promotion().map_or(0, |role| value(role) - value(Role::Pawn));
    let gain = position.captured(mv).map_or(0, value) + promoted;
    let after = position.make(mv);
    let replies = after.legal_moves();
    let mut captures = replies.iter().filter(|reply| reply.to() == mv.to());
    captures.any(|&reply| after.see_at_least(reply, gain + value(Role::Pawn)))
}

fn chance(rules: &JudgingRules, score: Score, table: Option<SyzygyValue>) -> f64 {
    table.map_or_else(|| rules.chance(score), table_chance)
}

fn opposite(value: SyzygyValue) -> SyzygyValue {
    match value {
        SyzygyValue::Win => SyzygyValue::Loss,
        SyzygyValue::Draw => SyzygyValue::Draw,
        SyzygyValue::Loss => SyzygyValue::Win,
    }
}
