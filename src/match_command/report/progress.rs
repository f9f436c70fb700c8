//! What is shown while a match is played: a table on a terminal, lines on a pipe, or events in JSON.

use std::fmt::Write as _;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arena::schedule::{ColourOrder, Fixture};
use arena::{GameEntry, Match, MatchFigure};
use game::{TextTable, clock_face, counted};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::json::{self, json_begin, json_game, json_progress, json_start};
use super::{estimate, overrun_line, shortened, sprt_line, table, table_within, verdict, visible};
use crate::match_command::plan::MatchPlan;

/// The speed of this run of a match.
pub(super) struct Pace {
    began: Instant,
    /// Number of games that were played in earlier runs.
    before: u64,
}

impl Pace {
    fn new(game: &Match) -> Pace {
        Pace { began: Instant::now(), before: game.standings.games }
    }

    fn played(&self, game: &Match) -> u64 {
        game.standings.games.saturating_sub(self.before)
    }

    pub(super) fn games_per_minute(&self, game: &Match) -> f64 {
        self.played(game) as f64 * 60.0 / self.began.elapsed().as_secs_f64().max(1e-3)
    }

    pub(super) fn plies_per_second(&self, game: &Match) -> f64 {
        game.usage.plies as f64 / self.began.elapsed().as_secs_f64().max(1e-3)
    }

    /// Returns the time that the rest of the match takes at this speed, if the test does not end it earlier; `None` before
    /// the first game.
    pub(super) fn left(&self, game: &Match) -> Option<Duration> {
        let (played, open) = (self.played(game), game.schedule.games().saturating_sub(game.standings.games));
        (played > 0).then(|| self.began.elapsed().mul_f64(open as f64 / played as f64))
    }

    fn text(&self, game: &Match) -> String {
        let mut text = format!(
            "{:.1} games/min, {:.0} plies/s",
            self.games_per_minute(game),
            self.plies_per_second(game)
        );
        if let Some(left) = self.left(game) {
            let most = if game.test.is_some() { "at most " } else { "" };
            let _ = write!(text, ", {most}{} left", clock_face(left));
        }
        text
    }
}

/// Shows the progress of a match.
pub(in crate::match_command) struct MatchProgress<'a> {
    plan: &'a MatchPlan,
    bar: ProgressBar,
    json: bool,
    /// Number of games between two lines, and between two tables; 0: never.
    report_every: u64,
    table_every: u64,
    pace: Pace,
    /// Error of writing events or lines; nothing further is written. A match without events goes on.
    failed: Option<io::Error>,
    /// For each program, whether it was told that it does not keep to its limit.
    overruns_told: Vec<bool>,
    interrupted: Arc<AtomicBool>,
}

/// Maximum number of programs shown in the table, and in a line.
const SHOWN: usize = 12;
const SHOWN_IN_A_LINE: usize = 4;

/// Usual width of the columns that matter as much as the names.
const BESIDE_NAMES: usize = 58;

/// Columns of a terminal that does not tell its size.
const USUAL_WIDTH: usize = 80;

/// Number of columns of the table that every terminal shows: rank, name, points, per cent, Elo.
const ALWAYS_SHOWN: usize = 5;

/// Number of games between two lines on a pipe.
const USUAL_INTERVAL: u64 = 10;

impl<'a> MatchProgress<'a> {
    /// Makes the display. It sets `interrupted` when events can no longer be written.
    pub(in crate::match_command) fn new(
        plan: &'a MatchPlan,
        game: &Match,
        json: bool,
        interrupted: Arc<AtomicBool>,
    ) -> MatchProgress<'a> {
        let is_shown = !json && io::stderr().is_terminal();
        let bar = if is_shown { terminal_bar(game) } else { ProgressBar::hidden() };
        let is_silent = json || io::stdout().is_terminal();
        let output = &plan.options.output;
        let mut live = MatchProgress {
            plan,
            bar,
            json,
            report_every: output.report_every.unwrap_or(if is_silent { 0 } else { USUAL_INTERVAL }),
            table_every: output.table_every.unwrap_or(0),
            pace: Pace::new(game),
            failed: None,
            overruns_told: vec![false; plan.schedule.programs],
            interrupted,
        };
        live.event(|| json_begin(plan, game));
        live.draw(game);
        live
    }

    pub(in crate::match_command) fn started(&mut self, fixture: &Fixture) {
        let plan = self.plan;
        self.event(|| json_start(plan, fixture));
    }

    pub(in crate::match_command) fn finished(&mut self, game: &Match, entry: &GameEntry) {
        let plan = self.plan;
        self.event(|| json_game(plan, game, entry));
        if !self.json && !matches!(entry.outcome.0.termination(), "normal" | "adjudication") {
            self.print(&fault_line(plan, entry));
        }
        for program in [entry.fixture.white, entry.fixture.black] {
            let overruns = game.usage.overruns[program];
            if overruns > 0 && !std::mem::replace(&mut self.overruns_told[program], true) && !self.json {
                self.print(&format!("{}\n", overrun_line(plan.name(program), overruns)));
            }
        }
        let is_due = |every: u64| every > 0 && game.standings.games.is_multiple_of(every);
        if is_due(self.report_every) {
            if self.json {
                let progress = json_progress(plan, game, &self.pace);
                self.event(|| progress);
            } else {
                self.print(&self.line(game));
            }
        }
        if is_due(self.table_every) && !self.json {
            self.print(&format!("{}{}", table(plan, game), sprt_line(game)));
        }
        self.draw(game);
    }

    /// Returns what a page tells about the match.
    pub(in crate::match_command) fn lines(&self, game: &Match) -> Vec<String> {
        let faults = super::faults(self.plan, game);
        let told = format!("{}\n{}{}", self.line(game).trim_end(), sprt_line(game), faults.trim_start());
        // The page shows the last line first.
        told.lines().rev().map(str::to_owned).collect()
    }

    /// Returns the figures of a match of two: the difference with its error, and the ratio of the test with its bounds.
    pub(in crate::match_command) fn figures(&self, game: &Match) -> Vec<MatchFigure> {
        let first = &game.standings.programs[0];
        if self.plan.schedule.programs != 2 || first.games.games() == 0 {
            return Vec::new();
        }
        let elo = MatchFigure {
            label: format!("Elo of {}", self.plan.name(0)),
            value: estimate(first.sample().map(|sample| sample.elo())),
            note: format!("95 %, from {}", first.sampled()),
        };
        let ratio = game.test.as_ref().map(|test| {
            let bounds = test.sprt().bounds();
            MatchFigure {
                label: format!("LLR of {}", test.sprt()),
                value: format!("{:.2}", test.llr()),
                note: format!("{:.2} to {:.2}, {}", bounds.lower, bounds.upper, verdict(game)),
            }
        });
        [elo].into_iter().chain(ratio).collect()
    }

    /// Returns a line about the match.
    fn line(&self, game: &Match) -> String {
        let standings = &game.standings;
        let mut line = format!("Games {} of {}: ", standings.games, game.schedule.games());
        if self.plan.schedule.programs == 2 {
            let first = &standings.programs[0];
            let (tally, sample) = (&first.games, first.sample());
            let percent = 50.0 * tally.halves() as f64 / tally.games().max(1) as f64;
            let _ = write!(
                line,
                "{} +{} -{} ={} ({percent:.1} %), Elo {} from {}",
                self.plan.name(0),
                tally.wins,
                tally.losses,
                tally.draws,
                estimate(sample.map(|sample| sample.elo())),
                first.sampled()
            );
        } else {
            let best = standings.ranking().into_iter().take(SHOWN_IN_A_LINE);
            let scores = best.map(|program| {
                let games = &standings.programs[program].games;
                format!("{} {:.1}/{}", self.plan.name(program), games.halves() as f64 / 2.0, games.games())
            });
            line.push_str(&scores.collect::<Vec<_>>().join(", "));
        }
        if let Some(ratio) = ratio(game) {
            let _ = write!(line, ", {ratio}");
        }
        let _ = writeln!(line, "; {}; {}", self.pace.text(game), all_faults(game));
        line
    }

    /// Draws the table on the terminal.
    fn draw(&self, game: &Match) {
        if self.bar.is_hidden() {
            return;
        }
        let width = platform::terminal::size_of_error_output().map_or(USUAL_WIDTH, |(columns, _)| columns);
        let table =
            table_within(width, BESIDE_NAMES, ALWAYS_SHOWN, |longest| live_table(self.plan, game, longest));
        let rows: Vec<&str> = table.lines().take(1 + SHOWN).collect();
        let pace = self.pace.text(game);
        self.bar.set_length(game.schedule.games());
        self.bar.set_position(game.standings.games);
        self.bar.set_message(format!("{}\n{}{pace}", rows.join("\n"), ratio_line(game)));
    }

    /// Clears the display. The error is that of the events or lines that could not be written.
    pub(in crate::match_command) fn finish(self) -> Option<io::Error> {
        self.bar.finish_and_clear();
        self.failed
    }

    fn event(&mut self, event: impl FnOnce() -> Value) {
        if self.json && self.failed.is_none() {
            let written = json::write_event(&event());
            self.note(written);
        }
    }

    fn print(&mut self, text: &str) {
        if self.failed.is_some() {
            return;
        }
        let text = visible(text);
        let written = self.bar.suspend(|| {
            let mut output = io::stdout().lock();
            output.write_all(text.as_bytes()).and_then(|()| output.flush())
        });
        self.note(written);
    }

    /// Ends the match when the program that reads its events has gone. Without events the games are what is wanted.
    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failed = Some(error);
            if self.json {
                self.interrupted.store(true, Ordering::Relaxed);
            }
        }
    }
}

fn terminal_bar(game: &Match) -> ProgressBar {
    let style = "{wide_bar} {pos}/{len} games, {elapsed} of about {duration}\n{msg}";
    let style = ProgressStyle::with_template(style).unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(game.schedule.games()).with_style(style).with_position(game.standings.games);
    // The remaining time must be estimated from the games of this run only.
    bar.reset_eta();
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

/// Returns a line about a game that ended by a fault.
fn fault_line(plan: &MatchPlan, entry: &GameEntry) -> String {
    let GameEntry { fixture, outcome, detail, .. } = entry;
    let (white, black) = (plan.name(fixture.white), plan.name(fixture.black));
    let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
    let (number, result) = (fixture.number + 1, outcome.0.result());
    format!("Game {number} ({white} - {black}): {result} {{{}{detail}}}\n", outcome.0)
}

/// Returns the table of a terminal: score, Elo, and how the program has lost games by its own fault. A narrow terminal has
/// fewer columns, the most important ones.
fn live_table(plan: &MatchPlan, game: &Match, longest_name: usize) -> TextTable {
    // The score is that of all games, Elo and superiority are those of complete pairs.
    let elo = if plan.schedule.colours == ColourOrder::Pairs { "Elo, pairs" } else { "Elo, games" };
    let numbers = ["Points", "%", elo, "Time", "Crash", "Other", "LOS %", "Draw %"];
    let mut table = TextTable::default().numbers([""]).texts(["Program"]).numbers(numbers);
    for (rank, program) in (1..).zip(game.standings.ranking()) {
        let standing = &game.standings.programs[program];
        let (games, sample) = (&standing.games, standing.sample());
        let points = games.halves() as f64 / 2.0;
        let percent =
            |ratio: Option<f64>| ratio.map_or("-".to_owned(), |ratio| format!("{:.1}", 100.0 * ratio));
        let count = |fault: &str| standing.faults.get(fault).copied().unwrap_or(0);
        table.push([
            rank.to_string(),
            shortened(plan.name(program), longest_name),
            format!("{points:.1}/{}", games.games()),
            percent((games.games() > 0).then(|| points / games.games() as f64)),
            estimate(sample.map(|sample| sample.elo())),
            count("time forfeits").to_string(),
            count("crashes").to_string(),
            (count("illegal moves") + count("infractions")).to_string(),
            percent(sample.and_then(|sample| sample.likelihood_of_superiority())),
            percent(games.draw_ratio()),
        ]);
    }
    table
}

/// Returns the ratio of the test with its bounds.
fn ratio(game: &Match) -> Option<String> {
    let test = game.test.as_ref()?;
    let bounds = test.sprt().bounds();
    Some(format!("LLR {:.2} ({:.2} to {:.2})", test.llr(), bounds.lower, bounds.upper))
}

/// Returns a line about the test that fits on a terminal.
fn ratio_line(game: &Match) -> String {
    let (Some(ratio), Some(test)) = (ratio(game), &game.test) else { return String::new() };
    format!("{ratio} after {}, {}\n", counted(test.games(), "game"), verdict(game))
}

/// Returns the faults of all programs together.
fn all_faults(game: &Match) -> String {
    let count = |fault: &str| -> u64 {
        game.standings.programs.iter().filter_map(|standing| standing.faults.get(fault)).sum()
    };
    let late: u64 = game.late_losses.iter().sum();
    let late = if late > 0 { format!(" ({late} by lag)") } else { String::new() };
    format!("time losses {}{late}, crashes {}", count("time forfeits"), count("crashes"))
}
