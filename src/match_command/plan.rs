//! The plan of a match, made of its options.

use std::path::Path;

use anyhow::Result;
use arena::schedule::{ScheduleSettings, TournamentFormat};
use arena::statistics::Sprt;
use arena::{
    Concurrency, Match, MatchConfig, MatchFiles, MatchOpenings, MatchStore, PageHeading, Participant, Rules,
    Seat,
};
use game::PlayedVariant;
use players::Spec;
use serde_json::{Map, Value, json};

use super::options::{MatchOptions, OpeningOptions};
use super::participants::EngineTables;
use super::report;

/// A match with all its settings.
pub(super) struct MatchPlan {
    pub(super) config: MatchConfig,
    pub(super) schedule: ScheduleSettings,
    pub(super) sprt: Option<Sprt>,
    pub(super) concurrency: Concurrency,
    pub(super) played: PlayedVariant,
    pub(super) options: MatchOptions,
}

impl MatchPlan {
    pub(super) fn new(options: MatchOptions, engines: EngineTables) -> Result<MatchPlan> {
        let concurrency = options.running.concurrency()?;
        let rules = Rules { tell: Some(report::tell_note), ..options.adjudication.rules()? };
        let sprt = options.test.sprt(options.tournament.colours())?;
        let fields = options.output.fields()?;
        let played = options.openings.played()?;
        options.openings.check()?;
        let mut logs = options.output.logs()?;
        let names = options.running.state.as_deref().map(stored_names).unwrap_or_default();
        let participants = engines.participants(played, &names, &mut logs)?;
        let schedule = options.tournament.schedule(participants.len(), options.test.sprt.is_some())?;
        let tags = options.tournament.tags();
        let config = MatchConfig { participants, rules, tags, fields, watcher: None };
        Ok(MatchPlan { config, schedule, sprt, concurrency, played, options })
    }

    pub(super) fn name(&self, program: usize) -> &str {
        &self.config.participants[program].seat.name
    }

    /// Whether the match is saved, so that it can go on later.
    pub(super) fn is_saved(&self) -> bool {
        self.options.running.state.is_some()
    }

    /// Returns the files of the match.
    pub(super) fn files(&self) -> MatchFiles<'_> {
        let output = &self.options.output;
        MatchFiles {
            state: self.options.running.state.as_deref(),
            pgn: output.pgn.as_deref(),
            epd: output.epd.as_deref(),
        }
    }

    /// Returns the settings that must be the same in a resumed match. A setting that is absent is null. Of names, that counts under which
    /// a program plays, whether the user gave it or not.
    pub(super) fn identity(&self, openings: &MatchOpenings) -> Value {
        let options = &self.options;
        let engine = |participant: &Participant| {
            let patience = Spec::new(participant.spec.command.clone(), participant.spec.protocol).patience;
            let (seat, spec) = (&participant.seat, participant.spec.clone());
            json!({
                "name": seat.name, "spec": Spec { name: None, patience, ..spec },
                "tc": seat.control.to_string(), "margin": seat.margin.as_millis() as u64, "ponder": seat.ponder,
                "whitepov": seat.white_view.then_some(true), "restart": participant.restart.then_some(true),
            })
        };
        let settings = [
            ("engines", self.config.participants.iter().map(engine).collect()),
            ("schedule", json!(self.schedule)),
            ("chess960", json!(self.played == PlayedVariant::CHESS960)),
            ("variant", json!(OpeningOptions::identity_of_variant(self.played))),
            ("openings", options.openings.identity(openings)),
            ("sprt", options.test.identity()),
            ("pgn", json!(options.output.pgn)),
            ("epd", json!(options.output.epd)),
        ];
        let mut settings: Map<String, Value> =
            settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        options.adjudication.identify(&mut settings);
        Value::Object(settings)
    }

    /// Returns the places of the settings that may be larger in a resumed match. Later games of a Swiss tournament or a knockout
    /// depend on how many there are.
    pub(super) fn growing(&self) -> &'static [&'static str] {
        match self.schedule.format {
            TournamentFormat::RoundRobin | TournamentFormat::Gauntlet { .. } => &["/schedule/games"],
            TournamentFormat::Swiss { .. } | TournamentFormat::Knockout => &[],
        }
    }

    /// Returns the program that has crashed so often that the match stops, if there is one.
    pub(super) fn crashed_too_often(&self, game: &Match) -> Option<usize> {
        let most = self.options.running.max_crashes?;
        let crashes = |program: usize| game.standings.programs[program].faults.get("crashes").copied();
        (0..self.schedule.programs).find(|&program| crashes(program).unwrap_or(0) >= most)
    }

    /// Returns what the live page tells about the match.
    pub(super) fn page_heading(&self) -> PageHeading {
        let seats: Vec<&Seat> =
            self.config.participants.iter().map(|participant| &participant.seat).collect();
        let mut controls: Vec<String> = seats.iter().map(|seat| seat.control.to_string()).collect();
        controls.dedup();
        PageHeading {
            event: self.options.tournament.event().to_owned(),
            site: self.options.tournament.site().to_owned(),
            control: controls.join(", "),
            names: seats.into_iter().map(|seat| seat.name.clone()).collect(),
            adjudication: self.config.rules.adjudication.clone(),
        }
    }
}

/// Returns the names of the programs of the match that a state file contains.
fn stored_names(state: &Path) -> Vec<String> {
    let settings = MatchStore::settings(state).unwrap_or_default();
    let engines = settings.get("engines").and_then(Value::as_array);
    let name = |engine: &Value| engine["name"].as_str().unwrap_or_default().to_owned();
    engines.into_iter().flatten().map(name).collect()
}
