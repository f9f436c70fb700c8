//! The verdicts as `JUnit` XML, which systems for continuous integration read.

use std::fmt::Write as _;

use game::escaped;
use players::check::RuleVerdict;

use super::report::{CheckReport, Finding, RuleCounts};
use crate::analyzer_args::date_and_time;

/// Formats the findings: a suite for each section, a case for each rule. Rules that are not supported or not seen are skipped, and so
/// are broken ones that don't decide about the exit code: those that the specification doesn't demand, unless the check is strict.
pub(super) fn junit(report: &CheckReport, is_strict: bool) -> String {
    let protocol = report.protocol();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}>\n",
        text(&format!("{}, {protocol}, by Herald {}", report.program, report.herald)),
        totals(&report.findings, is_strict),
    );
    for (section, findings) in report.sections() {
        let name = text(&format!("{protocol}: {section}"));
        let began = findings.iter().map(|finding| finding.began).min().map(date_and_time).unwrap_or_default();
        let totals = totals(findings.iter().copied(), is_strict);
        let _ = writeln!(xml, "  <testsuite name=\"{name}\" {totals} timestamp=\"{began}\">");
        for finding in findings {
            case(&mut xml, &name, finding, is_strict);
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// The attributes that count.
fn totals<'a>(findings: impl IntoIterator<Item = &'a Finding>, is_strict: bool) -> String {
    let findings: Vec<&Finding> = findings.into_iter().collect();
    let counts = RuleCounts::of(findings.iter().copied());
    let failures = findings.iter().filter(|finding| finding.decides(is_strict)).count();
    let seconds: f64 = findings.iter().map(|finding| finding.seconds).sum();
    format!(
        "tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{seconds:.3}\"",
        findings.len(),
        failures,
        findings.len() - counts.passed - failures,
    )
}

fn case(xml: &mut String, suite: &str, finding: &Finding, is_strict: bool) {
    let rule = &finding.report;
    let _ = write!(
        xml,
        "    <testcase classname=\"{suite}\" name=\"{}: {}\" time=\"{:.3}\"",
        text(rule.rule),
        text(rule.duty),
        finding.seconds
    );
    let _ = match &rule.verdict {
        RuleVerdict::Pass => writeln!(xml, "/>"),
        RuleVerdict::Fail { expected, seen } => {
            let message = text(&format!("expected {expected}, seen {seen}"));
            let level = rule.level.name();
            if !finding.decides(is_strict) {
                let _ =
                    writeln!(xml, "><skipped message=\"broken, but only {level}: {message}\"/></testcase>");
                return;
            }
            writeln!(xml, "><failure type=\"{level}\" message=\"{message}\">{message}</failure></testcase>")
        }
        RuleVerdict::NotSupported { reason } => {
            writeln!(xml, "><skipped message=\"not supported: {}\"/></testcase>", text(reason))
        }
        RuleVerdict::NotSeen { reason } => {
            writeln!(xml, "><skipped message=\"not seen: {}\"/></testcase>", text(reason))
        }
    };
}

/// Escapes a text. XML has no way to write control characters and the two non-characters of the basic plane.
fn text(text: &str) -> String {
    escaped(text).replace(['\u{fffe}', '\u{ffff}'], "?")
}
