//! The events of a match as lines of JSON.

use std::io::{self, Write};
use std::time::Duration;

use arena::schedule::Fixture;
use arena::statistics::{Estimate, Interval};
use arena::{GameEntry, Match, MatchEnd};
use serde_json::{Value, json};

use super::progress::Pace;
use crate::match_command::plan::MatchPlan;

fn micros(time: Option<Duration>) -> Option<f64> {
    time.map(|time| time.as_secs_f64() * 1e6)
}

/// Returns the event for the end of a match.
pub(in crate::match_command) fn json_end(plan: &MatchPlan, game: &Match, end: MatchEnd) -> Value {
    let usage = &game.usage;
    let end = match end {
        MatchEnd::Complete => "complete",
        MatchEnd::Decided(_) => "decided",
        MatchEnd::Interrupted => "interrupted",
    };
    let resources: Vec<Value> = usage
        .resources
        .iter()
        .map(|used| json!({ "cpu_seconds": used.cpu.as_secs_f64(), "peak_memory": used.peak_memory }))
        .collect();
    json!({
        "event": "end", "end": end, "winner": game.schedule.champion().map(|winner| plan.name(winner)),
        "tie_break_games": game.schedule.tie_break_games(), "decided_by_seed": game.schedule.decided_by_seed(),
        "standings": json_standings(plan, game), "crosstable": json_crosstable(plan, game), "sprt": json_sprt(game),
        "openings": game.openings.count(), "openings_drawn": game.openings_drawn,
        "overhead_micros": micros(usage.overheads.median()), "lag_micros": micros(usage.lags.median()),
        "longest_lag_micros": micros(usage.lags.median().map(|_| usage.lags.longest)), "resources": resources,
    })
}

/// Returns the event for the beginning of a match.
pub(super) fn json_begin(plan: &MatchPlan, game: &Match) -> Value {
    let programs: Vec<Value> = plan
        .config
        .participants
        .iter()
        .map(
            |e| json!({ "name": e.seat.name, "tc": e.seat.control.to_string(), "protocol": e.spec.protocol }),
        )
        .collect();
    json!({
        "event": "begin", "format": plan.options.tournament.format(), "variant": plan.played.name(),
        "programs": programs, "games": game.schedule.games(), "played": game.standings.games,
    })
}

/// Returns the event for a game that begins.
pub(super) fn json_start(plan: &MatchPlan, fixture: &Fixture) -> Value {
    json!({
        "event": "start", "game": fixture.number + 1, "round": fixture.round,
        "white": plan.name(fixture.white), "black": plan.name(fixture.black), "opening": fixture.opening + 1,
    })
}

/// Returns the event for the state of the match.
pub(super) fn json_progress(plan: &MatchPlan, game: &Match, pace: &Pace) -> Value {
    json!({
        "event": "progress", "played": game.standings.games, "games": game.schedule.games(),
        "games_per_minute": pace.games_per_minute(game), "plies_per_second": pace.plies_per_second(game),
        "seconds_left": pace.left(game).map(|left| left.as_secs()), "standings": json_standings(plan, game),
        "sprt": json_sprt(game),
    })
}

/// Returns the event for a finished game.
pub(super) fn json_game(plan: &MatchPlan, game: &Match, entry: &GameEntry) -> Value {
    let fixture = &entry.fixture;
    json!({
        "event": "game", "game": fixture.number + 1, "round": fixture.round,
        "white": plan.name(fixture.white), "black": plan.name(fixture.black), "opening": fixture.opening + 1,
        "result": entry.outcome.0.result(), "reason": entry.outcome.0.to_string(), "detail": entry.detail,
        "plies": entry.plies, "seconds": entry.seconds, "late": entry.late, "sprt": json_sprt(game),
    })
}

fn json_standings(plan: &MatchPlan, game: &Match) -> Vec<Value> {
    let ranking = game.standings.ranking().into_iter();
    let line = |program: usize| {
        let standing = &game.standings.programs[program];
        let sample = standing.sample();
        // JSON cannot represent infinity; it is written as null.
        let estimate = |estimate: Estimate| json!({ "value": estimate.value, "error": estimate.error });
        json!({
            "name": plan.name(program), "wins": standing.games.wins, "draws": standing.games.draws,
            "losses": standing.games.losses, "points": standing.games.halves() as f64 / 2.0,
            "bye_points": game.standings.granted[program] as f64 / 2.0,
            "pairs": standing.pairs.0, "elo": sample.map(|sample| estimate(sample.elo())),
            "normalised_elo": sample.and_then(|sample| sample.normalised_elo()).map(estimate),
            "los": sample.and_then(|sample| sample.likelihood_of_superiority()),
            "faults": standing.faults, "late_losses": game.late_losses[program],
            "depth_overruns": game.usage.overruns[program],
        })
    };
    ranking.map(line).collect()
}

/// Returns wins, draws and losses of each program against each other, in the order of the participants.
fn json_crosstable(plan: &MatchPlan, game: &Match) -> Vec<Vec<[u64; 3]>> {
    let programs = 0..plan.schedule.programs;
    let cell = |program, opponent| {
        let tally = game.standings.between(program, opponent);
        [tally.wins, tally.draws, tally.losses]
    };
    programs
        .clone()
        .map(|program| programs.clone().map(|opponent| cell(program, opponent)).collect())
        .collect()
}

fn json_sprt(game: &Match) -> Option<Value> {
    let test = game.test.as_ref()?;
    let decision = game.decision().map(|accepted| format!("{accepted:?}"));
    let bounds = test.sprt().bounds();
    // JSON cannot represent infinity; it is written as null.
    let interval =
        |Interval { lower, value, upper }| json!({ "value": value, "lower": lower, "upper": upper });
    let estimate = test.estimate();
    Some(json!({
        "llr": test.llr(), "lower": bounds.lower, "upper": bounds.upper, "accepted": decision, "games": test.games(),
        "elo": estimate.map(|estimate| interval(estimate.elo)),
        "normalised_elo": estimate.map(|estimate| interval(estimate.normalised_elo)),
    }))
}

/// Writes an event as a line of JSON and flushes it.
pub(in crate::match_command) fn write_event(event: &Value) -> io::Result<()> {
    let mut output = io::stdout().lock();
    writeln!(output, "{event}")?;
    output.flush()
}
