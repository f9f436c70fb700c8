//! Who made a run, with which settings, under which limit, and when, as the operation `Analyzer` tells.

use serde::Serialize;

use crate::jobs::split_date;

/// Settings of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RunSettings {
    /// Program, settings and limit as they were written.
    pub analyzer: String,
    /// The limit for each problem, such as `nodes=20000`, if it is told.
    pub limit: Option<String>,
    /// First and last date.
    pub dates: Option<(String, String)>,
    /// Number of problems that were tried with these settings.
    pub problems: u64,
}

/// The settings of a run, most of which have one.
#[derive(Clone, Debug, Default)]
pub(super) struct SettingsCounter {
    settings: Vec<RunSettings>,
}

impl SettingsCounter {
    /// A file that was put together from many runs needs no longer list.
    const MOST: usize = 10;

    pub(super) fn count(&mut self, text: &str) {
        let (analyzer, date) = split_date(text);
        if let Some(known) = self.settings.iter_mut().find(|known| known.analyzer == analyzer) {
            known.problems += 1;
            if let Some(date) = date {
                let (first, last) = known.dates.get_or_insert_with(|| (date.to_owned(), date.to_owned()));
                if date < first.as_str() {
                    date.clone_into(first);
                } else if date > last.as_str() {
                    date.clone_into(last);
                }
            }
        } else if self.settings.len() < SettingsCounter::MOST {
            self.settings.push(RunSettings {
                analyzer: analyzer.replace(char::is_control, "?"),
                limit: limit(analyzer).map(str::to_owned),
                dates: date.map(|date| (date.to_owned(), date.to_owned())),
                problems: 1,
            });
        }
    }

    /// The settings, the most frequent first.
    pub(super) fn finish(mut self) -> Vec<RunSettings> {
        self.settings.sort_by_key(|settings| std::cmp::Reverse(settings.problems));
        self.settings
    }
}

impl RunSettings {
    /// Program, settings and limit with the dates.
    pub fn text(&self) -> String {
        match &self.dates {
            Some((first, last)) if first == last => format!("{}, {first}", self.analyzer),
            Some((first, last)) => format!("{}, {first} to {last}", self.analyzer),
            None => self.analyzer.clone(),
        }
    }
}

/// The limit, which stands last.
fn limit(analyzer: &str) -> Option<&str> {
    let is_limit = |part: &&str| ["nodes=", "depth=", "time="].iter().any(|kind| part.starts_with(kind));
    analyzer.split(", ").filter(is_limit).last()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_told_with_their_limit_and_dates() {
        let mut counter = SettingsCounter::default();
        for text in [
            "a 1.0, Hash=16, nodes=100, 2026-11-24",
            "a 1.0, Hash=16, nodes=100, 2026-11-23",
            "a 1.0, Hash=16, nodes=100, 2026-11-25",
            "a 1.0, time=0.5 s",
            "b",
        ] {
            counter.count(text);
        }
        let settings = counter.finish();
        let texts: Vec<String> = settings.iter().map(RunSettings::text).collect();
        assert_eq!(texts, ["a 1.0, Hash=16, nodes=100, 2026-11-23 to 2026-11-25", "a 1.0, time=0.5 s", "b"]);
        let limits: Vec<_> = settings.iter().map(|settings| settings.limit.as_deref()).collect();
        assert_eq!(limits, [Some("nodes=100"), Some("time=0.5 s"), None]);
        assert_eq!(settings[0].problems, 3);
    }
}
