//! What was found about a program, as text for its author, as JSON, and as a badge.

use std::fmt::Write as _;
use std::time::SystemTime;

use game::{TextTable, counted};
use players::Protocol;
use players::check::{Level, RuleReport, RuleVerdict};
use serde::Serialize;

use super::dialogue::DialogueLine;

/// What was found about a rule.
#[derive(Serialize)]
pub(super) struct Finding {
    #[serde(flatten)]
    pub(super) report: RuleReport,
    /// When the check began.
    #[serde(skip)]
    pub(super) began: SystemTime,
    /// Time that the check took, in seconds.
    pub(super) seconds: f64,
    /// What was said, if that is to be shown, and a shell script that says it again.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(super) dialogue: Option<ShownDialogue>,
}

impl Finding {
    /// Whether the rule is broken, and that decides about the exit code: one that the specification demands, or any one if the check
    /// is strict.
    pub(super) fn decides(&self, is_strict: bool) -> bool {
        let is_broken = matches!(self.report.verdict, RuleVerdict::Fail { .. });
        is_broken && (is_strict || self.report.level == Level::Must)
    }
}

/// A dialogue and the script that repeats it.
#[derive(Serialize)]
pub(super) struct ShownDialogue {
    pub(super) dialogue: Vec<DialogueLine>,
    pub(super) script: String,
}

/// Number of rules by verdict.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct RuleCounts {
    pub(super) passed: usize,
    pub(super) failed: usize,
    pub(super) not_seen: usize,
    pub(super) not_supported: usize,
}

impl RuleCounts {
    pub(super) fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> RuleCounts {
        let mut counts = RuleCounts::default();
        for finding in findings {
            *match finding.report.verdict {
                RuleVerdict::Pass => &mut counts.passed,
                RuleVerdict::Fail { .. } => &mut counts.failed,
                RuleVerdict::NotSeen { .. } => &mut counts.not_seen,
                RuleVerdict::NotSupported { .. } => &mut counts.not_supported,
            } += 1;
        }
        counts
    }
}

/// All that was found about a program.
pub(super) struct CheckReport {
    /// Name and version of the program as it tells them; its file name if it doesn't.
    pub(super) program: String,
    /// Its command line.
    pub(super) command: String,
    protocol: Protocol,
    /// Date of the check, in UTC: `2026-11-25`.
    pub(super) date: String,
    /// Version of Herald.
    pub(super) herald: &'static str,
    pub(super) findings: Vec<Finding>,
}

/// The last line of the report in JSON.
#[derive(Serialize)]
#[serde(rename_all = "kebab-case")]
struct CheckSummary<'a> {
    program: &'a str,
    command: &'a str,
    protocol: Protocol,
    date: &'a str,
    herald: &'a str,
    #[serde(flatten)]
    counts: RuleCounts,
    sections: Vec<SectionSummary<'a>>,
}

#[derive(Serialize)]
struct SectionSummary<'a> {
    section: &'a str,
    #[serde(flatten)]
    counts: RuleCounts,
}

/// A badge for a page, in the form that shields.io reads from an address.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Badge<'a> {
    schema_version: u8,
    label: &'a str,
    message: String,
    color: &'a str,
}

impl CheckReport {
    pub(super) fn new(
        program: String,
        command: String,
        protocol: Protocol,
        date: String,
        findings: Vec<Finding>,
    ) -> CheckReport {
        CheckReport { program, command, protocol, date, herald: env!("CARGO_PKG_VERSION"), findings }
    }

    /// The usual name of the protocol.
    pub(super) fn protocol(&self) -> &'static str {
        usual_name(self.protocol)
    }

    /// The sections of the specification, in the order of their first rule, each with its findings.
    pub(super) fn sections(&self) -> Vec<(&'static str, Vec<&Finding>)> {
        let mut sections: Vec<(&'static str, Vec<&Finding>)> = Vec::new();
        for finding in &self.findings {
            let section = finding.report.section;
            match sections.iter_mut().find(|(known, _)| *known == section) {
                Some((_, findings)) => findings.push(finding),
                None => sections.push((section, vec![finding])),
            }
        }
        sections
    }

    /// Number of broken rules; only of those that the specification demands, unless all count.
    pub(super) fn broken(&self, all: bool) -> usize {
        self.findings.iter().filter(|finding| finding.decides(all)).count()
    }

    /// The report as text: faults, the gravest first; what could not be checked, and why; a table of the sections; the dialogues that
    /// are to be shown, each with its script.
    pub(super) fn text(&self) -> String {
        let counts = RuleCounts::of(&self.findings);
        let rules = counted(self.findings.len() as u64, "rule");
        let mut text =
            format!("{} under {}: {} of {rules} kept\n", self.program, self.protocol(), counts.passed);
        self.write_faults(&mut text);
        self.write_unchecked(&mut text, "not seen", |verdict| match verdict {
            RuleVerdict::NotSeen { reason } => Some(format!("Its effect was not seen: {reason}.")),
            _ => None,
        });
        self.write_unchecked(&mut text, "not supported", |verdict| match verdict {
            RuleVerdict::NotSupported { reason } => Some(format!("The program does not offer {reason}.")),
            _ => None,
        });
        self.write_table(&mut text);
        self.write_dialogues(&mut text);
        text
    }

    fn write_faults(&self, to: &mut String) {
        let mut faults: Vec<_> = self.findings.iter().filter_map(Fault::of).collect();
        faults.sort_by_key(|fault| fault.finding.report.level);
        if !faults.is_empty() {
            let _ = writeln!(to, "\n{}", counted(faults.len() as u64, "fault"));
        }
        for Fault { finding, expected, seen } in faults {
            let RuleReport { rule, duty, section, level, .. } = finding.report;
            let _ =
                writeln!(to, "  {:7}{rule:width$} {duty} ({section})", level.name(), width = self.width());
            let indent = " ".repeat(10 + self.width());
            let _ = writeln!(to, "{indent}expected {expected}\n{indent}seen {seen}");
        }
    }

    fn write_dialogues(&self, to: &mut String) {
        for finding in &self.findings {
            if let Some(ShownDialogue { dialogue, script }) = &finding.dialogue {
                let shown = super::dialogue::shown(dialogue);
                let _ = write!(to, "\n{}\n\n{shown}\n{script}", line(&finding.report));
            }
        }
    }

    fn write_unchecked(&self, to: &mut String, title: &str, why: impl Fn(&RuleVerdict) -> Option<String>) {
        let unchecked: Vec<_> = self
            .findings
            .iter()
            .filter_map(|finding| Some((finding.report.rule, why(&finding.report.verdict)?)))
            .collect();
        if !unchecked.is_empty() {
            let _ = writeln!(to, "\n{} {title}", unchecked.len());
        }
        for (rule, why) in unchecked {
            let _ = writeln!(to, "  {rule:width$} {why}", width = self.width());
        }
    }

    fn write_table(&self, to: &mut String) {
        // Their first spaces keep the columns further apart.
        let numbers = [" passed", " failed", " not seen", " not supported"];
        let mut table = TextTable::default().texts(["section"]).numbers(numbers);
        let all = ("together", self.findings.iter().collect());
        for (section, findings) in self.sections().into_iter().chain([all]) {
            let RuleCounts { passed, failed, not_seen, not_supported } = RuleCounts::of(findings);
            let counts = [passed, failed, not_seen, not_supported].map(|count| count.to_string());
            table.push([section.to_owned()].into_iter().chain(counts));
        }
        let _ = write!(to, "\n{table}");
    }

    /// Width of the longest label.
    fn width(&self) -> usize {
        self.findings.iter().map(|finding| finding.report.rule.len()).max().unwrap_or_default()
    }

    /// The summary as a line of JSON.
    pub(super) fn summary(&self) -> impl Serialize {
        let sections = self
            .sections()
            .into_iter()
            .map(|(section, findings)| SectionSummary { section, counts: RuleCounts::of(findings) });
        CheckSummary {
            program: &self.program,
            command: &self.command,
            protocol: self.protocol,
            date: &self.date,
            herald: self.herald,
            counts: RuleCounts::of(&self.findings),
            sections: sections.collect(),
        }
    }

    /// The badge: the rules that are kept, of all; red if the program breaks one that the specification demands.
    pub(super) fn badge(&self) -> impl Serialize {
        let color = match (self.broken(false), self.broken(true)) {
            (0, 0) => "brightgreen",
            (0, _) => "yellow",
            _ => "red",
        };
        let passed = RuleCounts::of(&self.findings).passed;
        let message = format!("{passed}/{}", self.findings.len());
        Badge { schema_version: 1, label: self.protocol(), message, color }
    }
}

/// The usual name of a protocol.
pub(super) const fn usual_name(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Cecp => "CECP",
        Protocol::Uci => "UCI",
        Protocol::Cego => "CEGO",
        Protocol::Autoplayer => "autoplayer",
    }
}

struct Fault<'a> {
    finding: &'a Finding,
    expected: &'a str,
    seen: &'a str,
}

impl Fault<'_> {
    fn of(finding: &Finding) -> Option<Fault<'_>> {
        match &finding.report.verdict {
            RuleVerdict::Fail { expected, seen } => Some(Fault { finding, expected, seen }),
            _ => None,
        }
    }
}

/// A finding in one line.
pub(super) fn line(RuleReport { rule, duty, verdict, level, .. }: &RuleReport) -> String {
    match verdict {
        RuleVerdict::Pass => format!("pass           {rule:20} {duty}"),
        RuleVerdict::Fail { expected, seen } => {
            let level = level.name();
            format!("FAIL           {rule:20} {duty} ({level}); expected {expected}, seen {seen}")
        }
        RuleVerdict::NotSupported { reason } => {
            format!("not supported  {rule:20} {duty}; without {reason}")
        }
        RuleVerdict::NotSeen { reason } => format!("not seen       {rule:20} {duty}; {reason}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, section: &'static str, level: Level, verdict: RuleVerdict) -> Finding {
        let report = RuleReport { rule, duty: "does it", section, level, verdict };
        Finding { report, began: SystemTime::UNIX_EPOCH, seconds: 1.5, dialogue: None }
    }

    fn report(findings: Vec<Finding>) -> CheckReport {
        let text = str::to_owned;
        CheckReport::new(text("Old One 2"), text("old"), Protocol::Cecp, text("2026-11-25"), findings)
    }

    fn fail() -> RuleVerdict {
        RuleVerdict::Fail { expected: "a move".into(), seen: "nothing".into() }
    }

    #[test]
    fn the_gravest_faults_come_first_and_sections_are_counted() {
        let report = report(vec![
            finding("hint", "Help", Level::Usual, fail()),
            finding("ping", "Start", Level::Must, RuleVerdict::Pass),
            finding("memory", "Help", Level::Should, RuleVerdict::NotSeen { reason: "it was quiet".into() }),
            finding("go", "Start", Level::Must, fail()),
            finding("undo", "Start", Level::Must, RuleVerdict::NotSupported { reason: "undo=1".into() }),
        ]);
        let expected = "Old One 2 under CECP: 1 of 5 rules kept\n\n\
            2 faults\n  must   go     does it (Start)\n                expected a move\n                seen nothing\n  \
            usual  hint   does it (Help)\n                expected a move\n                seen nothing\n\n\
            1 not seen\n  memory Its effect was not seen: it was quiet.\n\n\
            1 not supported\n  undo   The program does not offer undo=1.\n\n\
            section    passed   failed   not seen   not supported\n\
            Help            0        1          1               0\n\
            Start           1        1          0               1\n\
            together        1        2          1               1\n";
        assert_eq!(report.text(), expected);
        assert_eq!((report.broken(false), report.broken(true)), (1, 2));
        let badge = serde_json::to_value(report.badge()).unwrap();
        let expected = serde_json::json!(
            {"schemaVersion": 1, "label": "CECP", "message": "1/5", "color": "red"}
        );
        assert_eq!(badge, expected);
    }

    #[test]
    fn a_badge_is_red_only_for_what_is_demanded() {
        let color = |level| {
            let badge = report(vec![finding("hint", "Help", level, fail())]);
            serde_json::to_value(badge.badge()).unwrap()["color"].clone()
        };
        assert_eq!([Level::Must, Level::Usual].map(color), ["red", "yellow"]);
        assert_eq!(serde_json::to_value(report(Vec::new()).badge()).unwrap()["color"], "brightgreen");
    }
}
