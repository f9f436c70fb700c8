//! What the director is shown.

use std::fmt::Write as _;
use std::time::Instant;

use game::Color;
use shakmaty::Position as _;

use crate::referee::EventState;
use crate::referee::live_game::LiveGame;

/// Reports for the director.
impl EventState {
    /// Returns the table, the programs present and the games in play.
    pub(super) fn status(&self, at: Instant) -> String {
        let mut text = crate::referee::report::standings_table(self).to_string();
        let absent: Vec<&str> = (0..self.settings.programs.len())
            .filter(|&program| !self.is_present(program))
            .map(|program| self.name(program))
            .collect();
        let withdrawn: Vec<&str> = (0..self.settings.programs.len())
            .filter(|&program| self.programs[program].is_withdrawn)
            .map(|program| self.name(program))
            .collect();
        for (what, names) in [("not here", absent), ("withdrawn", withdrawn)] {
            if !names.is_empty() {
                let _ = writeln!(text, "{what}: {}", names.join(", "));
            }
        }
        for live in self.live_games.values() {
            let _ = writeln!(text, "{}", self.line_about(live, at));
        }
        if let Some(round) = self.coming_round() {
            let _ = writeln!(text, "round {round} waits for `next`");
        }
        text.trim_end().to_owned()
    }

    fn line_about(&self, live: &LiveGame, at: Instant) -> String {
        let clock = |color: Color| {
            let left = live.clock.remaining(color, at);
            let clock = left.map_or_else(|| "-".to_owned(), |left| format!("{:.1}", left.as_secs_f64()));
            let name = self.name(live.program(color));
            let is_running = live.clock.is_running() && live.to_move() == color;
            let gone = if self.is_present(live.program(color)) { "" } else { " (gone)" };
            format!("{name}{gone} {clock}{}", if is_running { "*" } else { "" })
        };
        let last = live.record.game.position().fullmoves();
        let paused = if live.paused { ", held" } else { "" };
        format!(
            "game {}, round {}: {} - {}, move {last}{paused}",
            live.fixture.number + 1,
            live.fixture.round,
            clock(Color::White),
            clock(Color::Black)
        )
    }

    pub(super) fn pairings(&self) -> String {
        let mut text = String::new();
        for fixture in self.queue.iter().take(50) {
            let (white, black) = (self.name(fixture.white), self.name(fixture.black));
            let _ = writeln!(text, "game {}, round {}: {white} - {black}", fixture.number + 1, fixture.round);
        }
        if text.is_empty() { "no games are waiting".to_owned() } else { text.trim_end().to_owned() }
    }
}
