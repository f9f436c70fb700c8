//! Command lines of other match runners, translated to ours.

use std::fmt::Write as _;
use std::io::{self, Write};

use anyhow::{Context, Result, anyhow, bail, ensure};

use crate::WrongInput;

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
        eprintln!("herald: {remark}");
    }
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
    /// Whether the moves of all engines are limited by something else than a clock.
    each_is_limited: bool,
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

    /// Whether an engine's moves are limited by something else than a clock.
    fn limits_moves(&self) -> bool {
        self.pairs().any(|(key, _)| matches!(key, "nodes" | "depth" | "plies" | "st"))
    }

    fn number(&self) -> Result<u32> {
        let text = self.operand()?;
        text.parse().map_err(|_| anyhow!("-{} {text}: expected a number", self.name))
    }
}

fn translate(runner: Runner, command: &str) -> Result<Translation> {
    let words = shell_words::split(command).context("a quotation mark is not closed")?;
    let is_option = |word: &String| {
        word.len() > 1 && word.starts_with('-') && !word[1..].starts_with(|c: char| c.is_ascii_digit())
    };
    let begin = words.iter().position(is_option).context("expected options such as -engine cmd=PROGRAM")?;
    ensure!(begin <= 1, "`{}`: expected an option that begins with -", words[1]);
    let mut options = Vec::new();
    let mut rest = &words[begin..];
    while let Some((name, after)) = rest.split_first() {
        let end = after.iter().position(is_option).unwrap_or(after.len());
        options.push(Foreign { name: name.trim_start_matches('-'), operands: &after[..end] });
        rest = &after[end..];
    }
    let each_is_limited = options.iter().any(|option| option.name == "each" && option.limits_moves());
    let mut translation = Translation { each_is_limited, ..Translation::default() };
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
                let engine = engine(runner, option, self.each_is_limited, &mut self.remarks)?;
                self.add("--engine", engine);
            }
            "each" => {
                let each = engine(runner, option, self.each_is_limited, &mut self.remarks)?;
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
            "concurrency" => "--concurrency",
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
            "epdout" | "log" => {
                let file = option.value("file").or(option.operands.first().map(String::as_str));
                let file = file.with_context(|| format!("-{}: expected a file", option.name))?;
                self.add(if option.name == "log" { "--log" } else { "--epd" }, file);
                return Ok(true);
            }
            "debug" => {
                self.add("--log", "/dev/stderr");
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

    /// Translates the file of games and the data of moves that it has.
    fn pgn(&mut self, option: &Foreign<'_>) {
        let is_path = |(key, value): &(&str, &str)| *value == "true" && !matches!(*key, "min" | "fi");
        let path = option.value("file").map(str::to_owned);
        let path = path.or_else(|| option.pairs().find(is_path).map(|(key, _)| key.to_owned()));
        self.options.extend(path.map(|path| vec!["--pgn".to_owned(), path]));
        if option.value("min") == Some("true") {
            self.add("--pgn-fields", "none");
            return;
        }
        let mut fields = vec!["score", "depth", "time"];
        let wanted = |name: &str| option.value(name) == Some("true");
        let more = ["seldepth", "nodes", "nps", "hashfull", "tbhits", "pv", "latency"];
        fields.extend(more.into_iter().filter(|name| wanted(name)));
        if wanted("timeleft") {
            fields.push("clock");
        }
        if fields.len() > 3 {
            self.add("--pgn-fields", fields.join(","));
        }
        if option.value("notation").is_some_and(|notation| notation != "san") {
            self.remarks.push("-pgnout notation: PGN has its moves in SAN".to_owned());
        }
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

/// Translates the keys of an engine. A limit of all engines' moves holds beside its own clock, too.
fn engine(
    runner: Runner,
    option: &Foreign<'_>,
    each_is_limited: bool,
    remarks: &mut Vec<String>,
) -> Result<String> {
    let arguments = |key: &str| {
        let words = option.pairs().filter(|(name, _)| *name == key).map(|(_, value)| value.to_owned());
        words.collect::<Vec<_>>()
    };
    let mut words = Vec::new();
    let is_limited = each_is_limited || option.limits_moves();
    for (key, value) in option.pairs() {
        let word = match key {
            "cmd" => {
                let mut command = vec![value.to_owned()];
                for more in arguments("args") {
                    command
                        .extend(shell_words::split(&more).context("args: a quotation mark is not closed")?);
                }
                command.extend(arguments("arg"));
                format!("cmd={}", shell_words::join(command))
            }
            "args" | "arg" => continue,
            "proto" => format!("protocol={}", super::participants::protocol(value)),
            "tc" if is_limited => {
                if usual_control(value) != "-" {
                    remarks.push(format!(
                        "tc={value}: left out; beside another limit of the moves there is no clock here"
                    ));
                }
                continue;
            }
            "tc" => format!("tc={}", usual_control(value)),
            "timemargin" => format!("margin={value}"),
            "plies" if runner == Runner::Fastchess => format!("depth={value}"),
            "initstr" => format!("init={value}"),
            // A program that is never started anew is the default, unless it asks for that.
            "restart" if value == "off" => continue,
            _ if is_same(key) => format!("{key}={value}"),
            "stderr" => {
                remarks.push("stderr=FILE: --log and --log-folder have the standard error".to_owned());
                continue;
            }
            "trust" => {
                remarks.push("trust: claims are held against the board here".to_owned());
                continue;
            }
            "book" | "bookdepth" => {
                remarks.push(format!(
                    "{key}={value}: openings for both sides are --openings FILE.bin --plies N"
                ));
                continue;
            }
            _ => bail!("-{} {key}: this key of an engine is not known", option.name),
        };
        words.push(word);
    }
    let pair = |word: &String| match word.split_once('=') {
        Some((key, value)) => format!("{key}={}", shell_words::quote(value)),
        None => shell_words::quote(word).into_owned(),
    };
    Ok(words.iter().map(pair).collect::<Vec<_>>().join(" "))
}

/// Quotes a word for the shell, in double quotation marks where that is possible.
fn quoted(word: &str) -> String {
    let plain = shell_words::quote(word);
    if plain == word || word.contains(['"', '$', '`', '!', '\\']) {
        plain.into_owned()
    } else {
        format!("\"{word}\"")
    }
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

/// Returns what is told of an option that has no counterpart.
fn remark(option: &Foreign<'_>) -> Result<String> {
    let why = match option.name {
        "recover" => "an engine that crashes loses the game and is started again anyway; see --max-crashes",
        "config" | "autosaveinterval" => "--state FILE keeps every game; the same command resumes the match",
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
        "version" | "help" | "engines" | "quick" => "no match is described by it",
        name => bail!("-{name}: this option is not known"),
    };
    Ok(format!("-{}: left out; {why}", option.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(runner: Runner, command: &str) -> Vec<String> {
        let translation = translate(runner, command).unwrap();
        translation.options.iter().map(|option| option.join(" ")).collect()
    }

    #[test]
    fn a_test_of_fastchess() {
        let command = "fastchess -engine cmd=./new name=\"my new\" args=\"-x 'a b'\" -engine cmd=old proto=uci st=5 \
                       -each tc=40/1:30+0.5 option.Hash=16 timemargin=20 -openings file=UHO.epd format=epd order=random plies=8 \
                       -sprt elo0=0 elo1=5 alpha=0.05 beta=0.1 model=logistic -rounds 20000 -repeat -concurrency 2 \
                       -pgnout file=a.pgn nodes=true nps=true timeleft=true -srand 7 -tb /a;/b -tbpieces 5 -tbignore50 -recover \
                       -use-affinity 0-1";
        let expected = [
            "--engine cmd='./new -x '\\''a b'\\''' name='my new'",
            "--engine cmd=old protocol=uci st=5",
            "--each tc=40/90+0.5 option.Hash=16 margin=20",
            "--openings UHO.epd",
            "--plies 8",
            "--sprt 0,5",
            "--alpha 0.05",
            "--beta 0.1",
            "--elo-model logistic",
            "--concurrency 2",
            "--pgn a.pgn",
            "--pgn-fields score,depth,time,nodes,nps,clock",
            "--tablebases /a:/b",
            "--tablebase-men 5",
            "--tablebase-ignore-50",
            "--processors 0-1",
            "--pin",
            "--games 2",
            "--rounds 20000",
            "--order random",
            "--seed 7",
        ];
        let found = lines(Runner::Fastchess, &command.replace("-tb /a;/b", "-tb '/a;/b'"));
        assert_eq!(found, expected);
        let remarks = translate(Runner::Fastchess, command.split(" -tb ").next().unwrap()).unwrap().remarks;
        assert!(remarks.is_empty(), "{remarks:?}");
    }

    #[test]
    fn a_tournament_of_cutechess() {
        let command = "cutechess-cli -engine conf=Deep -engine cmd=x proto=xboard restart=on ponder -each tc=inf depth=5 \
                       -tournament gauntlet -variant atomic -games 2 -rounds 3 -repeat -pgnout b.pgn min -epdout c.epd";
        let expected = [
            "--engine conf=Deep",
            "--engine cmd=x protocol=cecp restart=on ponder=true",
            "--each depth=5",
            "--format gauntlet",
            "--variant atomic",
            "--pgn b.pgn",
            "--pgn-fields none",
            "--epd c.epd",
            "--games 2",
            "--rounds 3",
        ];
        assert_eq!(lines(Runner::Cutechess, command), expected);
        let clock = "-engine cmd=a tc=5+1 -engine cmd=b tc=inf -each nodes=5";
        assert_eq!(
            lines(Runner::Cutechess, clock)[..3],
            ["--engine cmd=a", "--engine cmd=b", "--each nodes=5"]
        );
        let remarks = translate(Runner::Cutechess, clock).unwrap().remarks;
        assert!(remarks.len() == 1 && remarks[0].starts_with("tc=5+1: left out"), "{remarks:?}");
        let once = lines(Runner::Cutechess, "-engine cmd=a -engine cmd=b -rounds 10");
        assert_eq!(once[2..], ["--games 1", "--rounds 10", "--no-reversal"]);
        let sprt = lines(Runner::Cutechess, "-engine cmd=a -engine cmd=b -sprt elo0=0 elo1=5 -repeat");
        assert_eq!(sprt[2..], ["--sprt 0,5", "--games 1", "--rounds 1", "--elo-model logistic"]);
    }

    #[test]
    fn the_shell_reads_what_is_printed() {
        let translation =
            translate(Runner::Fastchess, "-engine cmd='a b' name=\"it's\" -engine cmd=c").unwrap();
        let words = shell_words::split(&translation.text().replace("\\\n", " ")).unwrap();
        assert_eq!(words[..3], ["herald", "match", "--engine"]);
        assert_eq!(shell_words::split(&words[3]).unwrap(), ["cmd='a b'", "name=it's"]);
        let plain =
            translate(Runner::Fastchess, "-engine cmd=./a name='b c' tc=1+0.1 -rounds 3").unwrap().text();
        assert!(plain.contains("--engine \"cmd=./a name='b c' tc=1+0.1\" \\\n"), "{plain}");
    }

    #[test]
    fn what_is_not_known_is_named() {
        let error = |command: &str| format!("{:#}", translate(Runner::Fastchess, command).unwrap_err());
        assert_eq!(error("-engine cmd=a -fast"), "-fast: this option is not known");
        assert!(error("-engine speed=3").contains("speed: this key"));
        assert!(error("-rounds many").contains("expected a number"));
        assert!(error("nonsense").contains("expected options"));
        let remarks = translate(Runner::Fastchess, "-recover -randomseed").unwrap().remarks;
        assert!(remarks[0].starts_with("-recover: left out; an engine that crashes"), "{remarks:?}");
    }
}
