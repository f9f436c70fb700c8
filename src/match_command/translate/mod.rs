//! Command lines of other match runners, translated to ours.

mod engine;
mod outputs;

use std::fmt::Write as _;
use std::io::{self, Write};
use std::iter;
use std::thread;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Parser;

use super::MatchArgs;
use crate::WrongInput;
use engine::Limit;

/// A match runner whose command lines are understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Runner {
    Fastchess,
    Cutechess,
}

/// Prints our command for one of another runner; what has no counterpart is told on standard error.
pub(super) fn print(runner: Runner, command: &str) -> Result<()> {
    let translation = translate(runner, command).map_err(WrongInput::of)?;
    for remark in &translation.remarks {
        tell!("herald: {remark}");
    }
    translation.check().map_err(WrongInput::of)?;
    Ok(io::stdout().write_all(translation.text().as_bytes())?)
}

/// A command line of ours.
#[derive(Debug, Default)]
struct Translation {
    /// Options with their operands, each on a line of its own.
    options: Vec<Vec<String>>,
    /// What was left out, and why.
    remarks: Vec<String>,
    /// What several options decide together.
    counts: GameCounts,
    /// What limits the moves of all engines.
    each: Option<Limit>,
}

/// Reads a command of ours.
#[derive(Parser)]
struct Ours {
    #[command(flatten)]
    arguments: MatchArgs,
}

/// Numbers of games, and what is done with openings and colours.
#[derive(Debug, Default)]
struct GameCounts {
    rounds: Option<u32>,
    games: Option<u32>,
    repeat: Option<u32>,
    no_swap: bool,
    order: Option<String>,
    seed: Option<String>,
}

impl Translation {
    fn add(&mut self, flag: &str, operand: impl Into<String>) {
        self.options.push(vec![flag.to_owned(), operand.into()]);
    }

    /// Names a part of an option that has no counterpart.
    fn leave_out(&mut self, option: &Foreign<'_>, key: &str, value: &str, why: &str) {
        self.remarks.push(format!("-{} {key}={value}: left out; {why}", option.name));
    }

    /// Checks that a match accepts the command, as far as that is known without its engines and tables.
    fn check(&self) -> Result<()> {
        let words = iter::once("herald match").chain(self.options.iter().flatten().map(String::as_str));
        let ours = Ours::try_parse_from(words).map_err(|error| {
            let text = error.to_string();
            anyhow!("{}", text.lines().next().unwrap_or_default().trim_start_matches("error: ").to_owned())
        })?;
        let (options, engines) = ours.arguments.settings()?;
        options.check(engines.check()?)
    }

    fn text(&self) -> String {
        let mut text = "herald match".to_owned();
        for option in &self.options {
            let words: Vec<_> = option.iter().map(|word| quoted(word)).collect();
            let _ = write!(text, " \\\n    {}", words.join(" "));
        }
        text + "\n"
    }
}

/// An option of another runner with its operands.
struct Foreign<'a> {
    name: &'a str,
    operands: &'a [String],
}

impl Foreign<'_> {
    /// Returns the only operand.
    fn operand(&self) -> Result<&str> {
        match self.operands {
            [operand] => Ok(operand),
            _ => bail!("-{}: expected one operand", self.name),
        }
    }

    /// Returns the operands as keys and values; a key without a value has the value `true`.
    fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.operands.iter().map(|word| word.split_once('=').unwrap_or((word, "true")))
    }

    fn value(&self, key: &str) -> Option<&str> {
        self.pairs().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    fn number(&self) -> Result<u32> {
        let text = self.operand()?;
        text.parse().map_err(|_| anyhow!("-{} {text}: expected a number", self.name))
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit())
}

/// Replaces fastchess' `-quick` by the options for which it is short.
fn expanded(mut words: Vec<String>) -> Result<Vec<String>> {
    let Some(at) = words.iter().position(|word| word.trim_start_matches('-') == "quick" && is_option(word))
    else {
        return Ok(words);
    };
    let end =
        words[at + 1..].iter().position(|word| is_option(word)).map_or(words.len(), |more| at + 1 + more);
    let mut long: Vec<String> = Vec::new();
    for operand in &words[at + 1..end] {
        match operand.split_once('=') {
            Some(("cmd", _)) => long.extend(["-engine".to_owned(), operand.clone()]),
            Some(("book", book)) => {
                long.extend(["-openings".to_owned(), format!("file={book}"), "order=random".to_owned()]);
            }
            _ => bail!("-quick {operand}: expected cmd=PROGRAM twice and book=FILE"),
        }
    }
    let games = usable_cores(2).to_string();
    let rest = "-each tc=10+0.1 -rounds 25000 -repeat -draw movenumber=30 movecount=8 score=8 -concurrency";
    long.extend(rest.split(' ').map(str::to_owned).chain([games]));
    words.splice(at..end, long);
    Ok(words)
}

/// Joins the words of an engine's option whose name has blanks without quotation marks: `option.Move Overhead=10`.
fn joined(words: Vec<String>) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    for word in words {
        let goes_on = word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
        match joined.last_mut() {
            Some(last) if goes_on && last.starts_with("option.") && !last.contains('=') => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => joined.push(word),
        }
    }
    joined
}

/// Number of cores of this machine without so many, at least one.
fn usable_cores(without: usize) -> usize {
    thread::available_parallelism().map_or(1, usize::from).saturating_sub(without).max(1)
}

fn translate(runner: Runner, command: &str) -> Result<Translation> {
    let words = platform::split_words(command).context("a quotation mark is not closed")?;
    let words = joined(if runner == Runner::Fastchess { expanded(words)? } else { words });
    let begin = words
        .iter()
        .position(|word| is_option(word))
        .context("expected options such as -engine cmd=PROGRAM")?;
    ensure!(begin <= 1, "`{}`: expected an option that begins with -", words[1]);
    let mut options = Vec::new();
    let mut rest = &words[begin..];
    while let Some((name, after)) = rest.split_first() {
        let end = after.iter().position(|word| is_option(word)).unwrap_or(after.len());
        options.push(Foreign { name: name.trim_start_matches('-'), operands: &after[..end] });
        rest = &after[end..];
    }
    let each = options.iter().filter(|option| option.name == "each").filter_map(Limit::among).max();
    let mut translation = Translation { each, ..Translation::default() };
    for option in &options {
        translation.take(runner, option)?;
    }
    translation.finish(runner);
    Ok(translation)
}

impl Translation {
    /// Translates an option.
    fn take(&mut self, runner: Runner, option: &Foreign<'_>) -> Result<()> {
        match option.name {
            "engine" => {
                let engine = engine::engine(runner, option, self.each, &mut self.remarks)?;
                self.add("--engine", engine);
            }
            "each" => {
                let each = engine::engine(runner, option, None, &mut self.remarks)?;
                self.add("--each", each);
            }
            "openings" => self.openings(option)?,
            "sprt" => self.sprt(option)?,
            "pgnout" => self.pgn(option),
            "draw" | "resign" => {
                self.add(&format!("--{}", option.name), option.operands.join(" "));
            }
            "variant" => {
                let name = match option.operand()? {
                    "standard" => return Ok(()),
                    "fischerandom" => "chess960",
                    name => name,
                };
                self.add("--variant", name);
            }
            "concurrency" => self.concurrency(option)?,
            "log" => self.log(option)?,
            "epdout" => self.positions(option)?,
            "rounds" => self.counts.rounds = Some(option.number()?),
            "games" => self.counts.games = Some(option.number()?),
            "repeat" if option.operands.is_empty() => self.counts.repeat = Some(2),
            "repeat" => self.counts.repeat = Some(option.number()?),
            "noswap" => self.counts.no_swap = true,
            "srand" => self.counts.seed = Some(option.operand()?.to_owned()),
            _ if self.take_simple(runner, option)? => {}
            _ => self.remarks.push(remark(option)?),
        }
        Ok(())
    }

    /// Translates an option that has the same meaning with another name; `false` if there is none.
    fn take_simple(&mut self, runner: Runner, option: &Foreign<'_>) -> Result<bool> {
        let flag = match option.name {
            "maxmoves" => "--max-moves",
            "tb" => "--tablebases",
            "tbpieces" => "--tablebase-men",
            "event" => "--event",
            "site" => "--site",
            "ratinginterval" => "--table-every",
            "scoreinterval" => "--report-every",
            "wait" => "--wait",
            "seeds" if runner == Runner::Fastchess => "--challengers",
            "tournament" => "--format",
            "tbadjudicate" => "--tablebase-ends",
            "tbignore50" => return Ok(self.add_flag("--tablebase-ignore-50")),
            "use-affinity" => {
                if !option.operands.is_empty() {
                    self.add("--processors", option.operands.join(","));
                }
                return Ok(self.add_flag("--pin"));
            }
            "debug" => {
                self.add("--log", if cfg!(windows) { "CON" } else { "/dev/stderr" });
                return Ok(true);
            }
            _ => return Ok(false),
        };
        let operand = match (option.name, option.operand()?) {
            ("tb", folders) => folders.replace(';', ":"),
            ("tbadjudicate", "WIN_LOSS") => "wins".to_owned(),
            ("tbadjudicate", "DRAW") => "draws".to_owned(),
            ("tbadjudicate", _) => "both".to_owned(),
            ("tournament", "roundrobin") => "round-robin".to_owned(),
            ("tournament", "pyramid") => {
                self.remarks.push(
                    "-tournament pyramid: a round robin has the same games in another order".to_owned(),
                );
                "round-robin".to_owned()
            }
            (_, operand) => operand.to_owned(),
        };
        self.add(flag, operand);
        Ok(true)
    }

    fn add_flag(&mut self, flag: &str) -> bool {
        self.options.push(vec![flag.to_owned()]);
        true
    }

    /// Translates the number of games at a time. 0 and less mean all cores without so many.
    fn concurrency(&mut self, option: &Foreign<'_>) -> Result<()> {
        let text = option.operand()?;
        let number = text.parse::<i32>().map_err(|_| anyhow!("-concurrency {text}: expected a number"))?;
        let size = number.unsigned_abs() as usize;
        let games = if number > 0 { size } else { usable_cores(size) };
        if number <= 0 {
            self.remarks.push(format!("-concurrency {number}: on this machine that is {games}"));
        }
        self.add("--concurrency", games.to_string());
        Ok(())
    }

    fn openings(&mut self, option: &Foreign<'_>) -> Result<()> {
        for (key, value) in option.pairs() {
            match key {
                "file" => self.add("--openings", value),
                "order" => self.counts.order = Some(value.to_owned()),
                "plies" => self.add("--plies", value),
                "start" => self.add("--start", value),
                // The name of the file tells it.
                "format" => {}
                "policy" => self.remarks.push(format!(
                    "-openings policy={value}: all encounters of a round have the same openings here"
                )),
                _ => bail!("-openings {key}: expected file, format, order, plies, start or policy"),
            }
        }
        Ok(())
    }

    fn sprt(&mut self, option: &Foreign<'_>) -> Result<()> {
        let (elo0, elo1) = (option.value("elo0").unwrap_or("0"), option.value("elo1").unwrap_or("0"));
        self.add("--sprt", format!("{elo0},{elo1}"));
        for (key, value) in option.pairs() {
            match key {
                "elo0" | "elo1" => {}
                "alpha" | "beta" => self.add(&format!("--{key}"), value),
                "model" => self.add("--elo-model", value),
                _ => bail!("-sprt {key}: expected elo0, elo1, alpha, beta or model"),
            }
        }
        Ok(())
    }

    /// Adds what several options decide together. The defaults are those of the other runner.
    fn finish(&mut self, runner: Runner) {
        let GameCounts { rounds, games, repeat, no_swap, order, seed } = std::mem::take(&mut self.counts);
        let is_fastchess = runner == Runner::Fastchess;
        let games = games.or(repeat.filter(|_| is_fastchess)).unwrap_or(if is_fastchess { 2 } else { 1 });
        let rounds = rounds.unwrap_or(if is_fastchess { 2 } else { 1 });
        // Cutechess repeats an opening on request only; fastchess has one opening in a round.
        let same_opening = if is_fastchess { games } else { repeat.unwrap_or(1) };
        self.add("--games", games.to_string());
        self.add("--rounds", rounds.to_string());
        if !is_fastchess && self.options.iter().any(|option| option[0] == "--sprt") {
            self.add("--elo-model", "logistic");
            self.remarks.push("-sprt: cutechess counts single games, here pairs count".to_owned());
        }
        if no_swap {
            self.add_flag("--fixed-colours");
        } else if same_opening < 2 {
            self.add_flag("--no-reversal");
        }
        if same_opening > 2 || no_swap && same_opening == 2 {
            self.remarks.push(format!(
                "{same_opening} games with each opening: here there are two, with both colours, or one"
            ));
        }
        if let Some(order) = order {
            self.add("--order", order);
        }
        if let Some(seed) = seed {
            self.add("--seed", seed);
        }
    }
}

/// Quotes a word for the shell where it needs that, in double quotation marks where that is possible.
fn quoted(word: &str) -> String {
    if is_plain(word) {
        return word.to_owned();
    }
    // Interactive shells replace it even inside of double quotation marks.
    if word.contains('!') {
        return shell_words::quote(word).into_owned();
    }
    let escaped = word.chars().flat_map(|c| "\"$`\\".contains(c).then_some('\\').into_iter().chain([c]));
    format!("\"{}\"", escaped.collect::<String>())
}

/// Quotes a part of a word that is quoted as a whole.
fn quoted_by(mark: char, word: &str) -> String {
    match word {
        _ if is_plain(word) => word.to_owned(),
        _ if word.contains(mark) => shell_words::quote(word).into_owned(),
        _ => format!("{mark}{word}{mark}"),
    }
}

/// Whether no shell sees more than itself in a word.
fn is_plain(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| c.is_alphanumeric() || "_-.,:/@%+=".contains(c))
}

/// Returns what is told of an option that has no counterpart.
fn remark(option: &Foreign<'_>) -> Result<String> {
    let why = match option.name {
        "recover" => "an engine that crashes loses the game and is started again anyway; see --max-crashes",
        "config" => {
            "fastchess' file is not read, so write its engines out; --state FILE resumes a match of ours"
        }
        "autosaveinterval" => "--state FILE keeps every game; the same command resumes the match",
        "force-concurrency" => "--concurrency is not limited by the number of cores",
        "randomseed" => "a match that can be resumed needs its seed: --seed N",
        "seeds" => "the order of the engines is their seeding",
        "reverse" => "both colours are played; name the engines in the other order",
        "bookmode" => "books are read from the disk",
        "report" => "the report has pairs and single games",
        "output" => "--json has events for programs",
        "show-latency" => "the report has the overhead and the lag; --pgn-fields latency",
        "startup-ms" | "ucinewgame-ms" | "ping-ms" => "say patience=SECONDS of an engine",
        "compliance" => "herald check uci -- ENGINE",
        "crc32" | "testEnv" | "strict" | "check-mate-pvs" | "event-log" => {
            "nothing of this kind is needed here"
        }
        "version" | "help" | "engines" => "no match is described by it",
        name => bail!("-{name}: this option is not known"),
    };
    let words = iter::once(option.name).chain(option.operands.iter().map(String::as_str));
    Ok(format!("-{}: left out; {why}", words.collect::<Vec<_>>().join(" ")))
}

#[cfg(test)]
mod tests;
