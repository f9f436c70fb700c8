//! The keys of an engine of other match runners, translated to ours.

use std::fmt::Write as _;

use anyhow::{Context, Result, bail};

use super::super::participants;
use super::{Foreign, Runner, is_plain, quoted_by};

/// What limits the moves of an engine. Where several do that, the last one of these holds here, without the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Limit {
    Clock,
    MoveTime,
    Depth,
    Nodes,
}

impl Limit {
    /// Returns the limit that a key sets, if it sets one.
    fn of(key: &str, value: &str) -> Option<Limit> {
        match key {
            "tc" if usual_control(value) != "-" => Some(Limit::Clock),
            "st" => Some(Limit::MoveTime),
            "depth" | "plies" => Some(Limit::Depth),
            "nodes" => Some(Limit::Nodes),
            _ => None,
        }
    }

    /// Returns the limit that holds of those in an option.
    pub(super) fn among(option: &Foreign<'_>) -> Option<Limit> {
        option.pairs().filter_map(|(key, value)| Limit::of(key, value)).max()
    }
}

/// Translates the keys of an engine, or of all. `each` is the limit of all engines' moves, beside that of this one.
pub(super) fn engine(
    runner: Runner,
    option: &Foreign<'_>,
    each: Option<Limit>,
    remarks: &mut Vec<String>,
) -> Result<String> {
    let own = Limit::among(option);
    let holds = own.max(each);
    if each.is_some() && own > each {
        let name = option.value("name").or(option.value("cmd")).unwrap_or("an engine");
        remarks.push(format!("-each: its limit of the moves does not hold for {name}, which has its own"));
    }
    let mut words = Vec::new();
    for (key, value) in option.pairs() {
        let limit = Limit::of(key, value);
        if limit.is_some() && limit < holds {
            remarks.push(format!(
                "-{} {key}={value}: left out; beside another limit of the moves there is none here",
                option.name
            ));
            continue;
        }
        // No clock, beside another limit.
        if key == "tc" && limit.is_none() && holds.is_some() {
            continue;
        }
        match translated(runner, option, key, value)? {
            EngineKey::Ours(word) => words.push(word),
            EngineKey::Included => {}
            EngineKey::LeftOut(why) => {
                remarks.push(format!("-{} {key}={value}: left out; {why}", option.name));
            }
        }
    }
    let pair = |word: &String| match word.split_once('=') {
        Some((key, value)) if is_plain(key) => format!("{key}={}", quoted_by('\'', value)),
        _ => quoted_by('\'', word),
    };
    Ok(words.iter().map(pair).collect::<Vec<_>>().join(" "))
}

/// What becomes of a key of an engine.
enum EngineKey {
    /// `KEY=VALUE`, not yet quoted.
    Ours(String),
    /// It is part of another word, or what happens without it.
    Included,
    /// It has no counterpart; why.
    LeftOut(&'static str),
}

fn translated(runner: Runner, option: &Foreign<'_>, key: &str, value: &str) -> Result<EngineKey> {
    let ours = |key: &str, value: &str| Ok(EngineKey::Ours(format!("{key}={value}")));
    match key {
        "cmd" => ours("cmd", &command(option, value)?),
        "args" | "arg" => Ok(EngineKey::Included),
        "proto" => ours("protocol", &participants::protocol(value)),
        "tc" => ours("tc", &usual_control(value)),
        "timemargin" => ours("margin", value),
        "plies" if runner == Runner::Fastchess => ours("depth", value),
        "initstr" => ours("init", value),
        // A program that is never started anew is the default, unless it asks for that.
        "restart" if value == "off" => Ok(EngineKey::Included),
        _ if is_same(key) => ours(key, value),
        "stderr" => Ok(EngineKey::LeftOut("--log and --log-folder have the standard error")),
        "trust" => Ok(EngineKey::LeftOut("claims are held against the board here")),
        "book" | "bookdepth" => {
            Ok(EngineKey::LeftOut("openings for both sides are --openings FILE.bin --plies N"))
        }
        _ => bail!("-{} {key}: this key of an engine is not known", option.name),
    }
}

/// Returns the program with its arguments.
fn command(option: &Foreign<'_>, program: &str) -> Result<String> {
    let arguments = |wanted: &'static str| {
        option.pairs().filter(move |(key, _)| *key == wanted).map(|(_, value)| value.to_owned())
    };
    let mut command = vec![program.to_owned()];
    for more in arguments("args") {
        command.extend(platform::split_words(&more).context("args: a quotation mark is not closed")?);
    }
    command.extend(arguments("arg"));
    Ok(command.iter().map(|word| quoted_by('"', word)).collect::<Vec<_>>().join(" "))
}

/// Whether a key of an engine has the same name and meaning here.
fn is_same(key: &str) -> bool {
    let same = ["name", "dir", "st", "nodes", "depth", "restart", "conf", "ponder", "whitepov"];
    same.contains(&key) || key.starts_with("option.")
}

/// Translates a time control: `inf`, or minutes and seconds as in `40/1:30+1`.
fn usual_control(text: &str) -> String {
    if matches!(text, "inf" | "infinite") {
        return "-".to_owned();
    }
    let (moves, times) = text.split_once('/').map_or(("", text), |(moves, times)| (moves, times));
    // No number of moves.
    let (moves, text) = if moves == "0" { ("", times) } else { (moves, text) };
    let (time, increment) = times.split_once('+').map_or((times, ""), |(time, more)| (time, more));
    let Some((minutes, seconds)) = time.split_once(':') else { return text.to_owned() };
    let (Ok(minutes), Ok(seconds)) = (minutes.parse::<u32>(), seconds.parse::<f64>()) else {
        return text.to_owned();
    };
    let mut control = if moves.is_empty() { String::new() } else { format!("{moves}/") };
    let _ = write!(control, "{}", f64::from(minutes) * 60.0 + seconds);
    if !increment.is_empty() {
        let _ = write!(control, "+{increment}");
    }
    control
}
