//! What the program says, and what of it a front gets.

use std::time::Instant;

use game::excerpt;

use super::{Answer, News, Program};
use crate::{PlayerEvent, Thinking};

impl Program {
    /// Takes the next news, if there are any. A program that writes without end is read until this time.
    pub(in crate::mend) fn take(&mut self, until: Instant) -> Option<News> {
        while self.news.is_empty() {
            let arrival = self.running()?.take()?;
            self.hear(arrival.event);
            if Instant::now() >= until {
                break;
            }
        }
        self.news.pop_front()
    }

    pub(super) fn hear(&mut self, event: PlayerEvent) {
        match event {
            PlayerEvent::Move(text) => self.hear_move(&text),
            PlayerEvent::Thinking(thinking) => self.hear_line(1, thinking),
            PlayerEvent::OtherLine(rank, thinking) => self.hear_line(rank, thinking),
            PlayerEvent::DrawOffer if self.known.is_some() => self.pass_on(News::Draw),
            PlayerEvent::Resignation if self.known.is_some() => {
                self.known = None;
                let instead = self.asked.take().and_then(|asked| asked.instead());
                self.news.push_back(News::Resignation(instead));
            }
            PlayerEvent::Claim { result, reason } if self.known.is_some() => self.hear_claim(&result, reason),
            PlayerEvent::Complaint(text) => {
                let complaint = format!("the program complains: {}", excerpt(&text));
                self.ask_again(&complaint, Program::stand_in);
            }
            PlayerEvent::Remark(text) | PlayerEvent::ServerMessage(text) => {
                self.pass_on(News::Remark(format!("the program {text}")));
            }
            PlayerEvent::Fault(fault) => {
                if self.recover(&fault) {
                    self.begin();
                }
            }
            PlayerEvent::DrawOffer
            | PlayerEvent::Resignation
            | PlayerEvent::Claim { .. }
            | PlayerEvent::DrawRefusal
            | PlayerEvent::Clock(_) => {}
        }
    }

    fn hear_move(&mut self, text: &str) {
        // Moves for which nobody has asked are dropped.
        let Some(asked) = self.asked.as_mut().filter(|asked| !asked.question.is_analysis) else { return };
        let mut game = asked.question.game.clone();
        let Ok(mv) = game.play_text(text) else {
            let illegal = format!("the program makes the illegal move {}", excerpt(text));
            return self.ask_again(&illegal, Program::give_up);
        };
        let follows = asked.line.first() == Some(&mv);
        let expected = asked.line.get(1).copied().filter(|_| follows);
        let claim = asked.claims_draw.take().filter(|_| game.claim().is_some());
        self.asked = None;
        if let Some(known) = &mut self.known {
            (known.game, known.has_moved) = (game, true);
        }
        self.news.push_back(News::Answer(Answer { mv, expected }));
        self.news.extend(claim.map(News::DrawClaim));
    }
    fn hear_claim(&mut self, result: &str, reason: String) {
        let Some(known) = &self.known else { return };
        let on_board = known.game.outcome().map(|outcome| outcome.result());
        let turn = known.game.turn();
        let color = if known.has_moved { !turn } else { turn };
        match result {
            "1/2-1/2" if known.game.claim().is_some() => self.pass_on(News::DrawClaim(reason)),
            "1/2-1/2" if self.asked.is_some() && on_board.is_none() => {
                // The claim may hold after the move.
                if let Some(asked) = &mut self.asked {
                    asked.claims_draw = Some(reason);
                }
            }
            // The front knows the ends on the board.
            result if on_board == Some(result) => {}
            // An older form of `resign`.
            result if result == color.fold_wb("0-1", "1-0") && reason.to_lowercase().contains("resign") => {
                self.hear(PlayerEvent::Resignation);
            }
            result => {
                if let Some(asked) = &mut self.asked {
                    asked.silent_since.get_or_insert(Instant::now());
                    self.pass_on(News::Remark(format!("the program claims the wrong result {result}")));
                }
            }
        }
    }

    fn hear_line(&mut self, rank: u32, thinking: Thinking) {
        let Some(asked) = &mut self.asked else { return };
        asked.silent_since = None;
        let moves = thinking.moves(&asked.question.game);
        let roots = &asked.question.roots;
        let is_about_it = match moves.first() {
            Some(first) => roots.is_empty() || roots.contains(first),
            None => thinking.line.is_empty(),
        };
        let (depth, nodes) = (thinking.depth, thinking.nodes);
        let is_too_deep = asked.question.depth.is_some_and(|most| depth.is_some_and(|depth| depth > most));
        let is_too_much = asked.question.nodes.is_some_and(|most| nodes.is_some_and(|nodes| nodes >= most));
        asked.foresee(depth, nodes);
        if is_about_it && !is_too_deep {
            if rank == 1 {
                asked.best.update(thinking.clone());
                if !moves.is_empty() {
                    asked.line.clone_from(&moves);
                }
            }
            self.pass_on(News::Line(rank, thinking, moves));
        }
        if is_too_deep || is_too_much {
            self.hurry();
        }
    }
}
