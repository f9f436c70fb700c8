//! Progress of a match: a status line and a table on a terminal, JSON events on a pipe.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use arena::schedule::Fixture;
use arena::{GameEntry, Match};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};

use super::options::MatchPlan;
use super::report;

/// Shows the progress of a match.
pub(super) struct MatchProgress<'a> {
    plan: &'a MatchPlan,
    bar: ProgressBar,
    json: bool,
    /// Error of writing events; no further events are written.
    failed: Option<io::Error>,
    interrupted: Arc<AtomicBool>,
}

/// Maximum number of programs shown in the table.
const SHOWN: usize = 12;

impl<'a> MatchProgress<'a> {
    /// Makes the display. It sets `interrupted` when events can no longer be written.
    pub(super) fn new(
        plan: &'a MatchPlan,
        game: &Match,
        json: bool,
        interrupted: Arc<AtomicBool>,
    ) -> MatchProgress<'a> {
        let bar = if !json && io::stderr().is_terminal() {
            let style = "{wide_bar} {pos}/{len} games, {elapsed} of about {duration}\n{msg}";
            ProgressBar::new(game.schedule.games())
                .with_style(
                    ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar()),
                )
                .with_position(game.standings.games)
        } else {
            ProgressBar::hidden()
        };
        // The remaining time must be estimated from the games of this run only.
        bar.reset_eta();
        let mut live = MatchProgress { plan, bar, json, failed: None, interrupted };
        live.write(|| report::json_begin(plan, game));
        live
    }

    pub(super) fn started(&mut self, fixture: &Fixture) {
        let plan = self.plan;
        self.write(|| {
            json!({
                "event": "start", "game": fixture.number + 1, "round": fixture.round,
                "white": plan.name(fixture.white), "black": plan.name(fixture.black), "opening": fixture.opening + 1,
            })
        });
    }

    pub(super) fn finished(&mut self, game: &Match, entry: &GameEntry) {
        let plan = self.plan;
        self.write(|| report::json_game(plan, game, entry));
        if !self.bar.is_hidden() {
            let table = report::table(plan, game);
            let rows: Vec<&str> = table.lines().take(1 + SHOWN).collect();
            self.bar.set_message(format!("{}\n{}", rows.join("\n"), report::sprt_line(game)));
            // Tie-breaks of a knockout are added to the planned games.
            self.bar.set_length(game.schedule.games().max(game.standings.games));
            self.bar.set_position(game.standings.games);
        }
    }

    /// Clears the display.
    ///
    /// # Errors
    /// The events could not be written.
    pub(super) fn finish(self) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.failed.map_or(Ok(()), Err)
    }

    fn write(&mut self, event: impl FnOnce() -> Value) {
        if !self.json || self.failed.is_some() {
            return;
        }
        if let Err(error) = write_event(&event()) {
            self.failed = Some(error);
            self.interrupted.store(true, Ordering::Relaxed);
        }
    }
}

/// Writes an event as a line of JSON and flushes it.
pub(super) fn write_event(event: &Value) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{event}")?;
    output.flush()
}
