//! The participating programs, from `KEY=VALUE` words or TOML tables.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use arena::{Participant, Seat};
use game::{PlayedVariant, TimeControl, counted};
use players::{PlayerFault, Protocol, Spec};
use toml::{Table, Value};

use super::engines_json;
use super::options::EngineLogs;
use crate::settings;

/// Default time control, usual for tests of strength.
const DEFAULT_CONTROL: &str = "8+0.08";

/// The keys of an engine, as the help lists them, and as they are called here.
const KEYS: &str = "cmd, protocol, name, option.NAME, memory, threads, dir, env.NAME, init, patience, grace, \
                    and in a match tc, st, nodes, depth, margin, ponder, restart, whitepov, conf";
const FIELDS: [&str; 17] = [
    "command",
    "protocol",
    "name",
    "tc",
    "margin",
    "ponder",
    "restart",
    "whitepov",
    "conf",
    "init",
    "options",
    "memory",
    "threads",
    "directory",
    "environment",
    "patience",
    "grace",
];

/// The settings of the programs, as tables with the keys of an engine.
#[derive(Default)]
pub(super) struct EngineTables {
    engines: Vec<Table>,
    each: Table,
    /// Cute Chess' file of engines.
    file: Option<PathBuf>,
}

/// Takes the tables `engine` and `each` out of a file, and moves `protocol` and `tc` from its top level to the latter.
pub(super) fn take(file: &mut Table) -> Result<EngineTables> {
    let mut each = match file.remove("each") {
        None => Table::new(),
        Some(Value::Table(each)) => checked(each).context("each")?,
        Some(_) => bail!("each: expected a table of settings"),
    };
    for key in ["protocol", "tc"] {
        if let Some(value) = file.remove(key) {
            let given = Table::from_iter([(key.to_owned(), value)]);
            each.extend(checked(given).with_context(|| format!("--{key}"))?);
        }
    }
    let engines = settings::take_tables(file, "engine")?.into_iter().map(normalised).collect();
    let file = match file.remove("engines-file") {
        None => None,
        Some(Value::String(path)) => Some(path.into()),
        Some(_) => bail!("engines-file: expected a path"),
    };
    Ok(EngineTables { engines, each, file })
}

impl EngineTables {
    /// Adds the settings of the flags.
    pub(super) fn with_flags(mut self, engines: &[String], each: Option<&str>) -> Result<EngineTables> {
        for words in engines {
            let engine = read_words(words).and_then(checked);
            self.engines.push(engine.with_context(|| format!("--engine \"{words}\""))?);
        }
        if let Some(words) = each {
            let each = read_words(words).and_then(checked);
            merge(&mut self.each, each.with_context(|| format!("--each \"{words}\""))?);
        }
        Ok(self)
    }

    fn count(&self) -> Result<usize> {
        let count = self.engines.len();
        ensure!(count >= 2, "{}: expected at least 2, each with --engine", counted(count as u64, "engine"));
        Ok(count)
    }

    /// Checks the keys of the engines, without starting them, and returns their number. Those that [`engines_json`] has are
    /// not known.
    pub(super) fn check(self) -> Result<usize> {
        let count = self.count()?;
        for (number, table) in (1..).zip(self.engines).filter(|(_, table)| !table.contains_key("conf")) {
            let mut merged = self.each.clone();
            merge(&mut merged, table);
            read(merged).with_context(|| format!("engine {number}"))?;
        }
        Ok(count)
    }

    /// Returns the participants. Each program is started once to check that it works and to learn its name. Where the user has given none,
    /// the name in `stored`, with which the match began, goes before the one that it tells: that may depend on how it starts.
    ///
    /// # Errors
    /// An engine cannot be started, or does not offer what is played.
    pub(super) fn participants(
        self,
        variant: PlayedVariant,
        stored: &[String],
        logs: &mut EngineLogs,
    ) -> Result<Vec<Participant>> {
        self.count()?;
        let mut participants: Vec<Participant> = Vec::new();
        let name = |table: &Table| table.get("name").and_then(Value::as_str).map(str::to_owned);
        let given: Vec<String> = self.engines.iter().filter_map(name).collect();
        for (number, table) in (1..).zip(self.engines) {
            let mut merged = self.each.clone();
            merge(&mut merged, engines_json::resolve(table, self.file.as_deref())?);
            let mut participant = read(merged).with_context(|| format!("engine {number}"))?;
            check_options(&participant.spec).with_context(|| format!("engine {number}"))?;
            let refused = |fault: PlayerFault| {
                anyhow!("engine {number}, {}, {}", participant.spec.command, told_at_start(&fault))
            };
            let player = participant.start().map_err(refused)?;
            player.check_variant(variant).map_err(refused)?;
            player.check_control(&participant.seat.control).map_err(refused)?;
            let before = stored.get(participants.len()).map_or("", String::as_str);
            let file_name = participant.spec.command.file_name();
            let names = [participant.seat.name.as_str(), before, player.name(), file_name];
            let wanted = names.into_iter().find(|name| !name.is_empty()).unwrap_or_default().to_owned();
            let is_copy =
                || before.strip_prefix(player.name()).is_some_and(|number| number.starts_with(" ("));
            if participant.seat.name.is_empty() && wanted != player.name() && wanted == before && !is_copy() {
                let told = super::report::visible(player.name());
                tell!("engine {number} tells the name `{told}`; the match goes on with `{before}`");
            }
            player.quit();
            // A name that a program tells is not that which the user gives to another one.
            let is_told = participant.seat.name.is_empty();
            participant.seat.name.clone_from(&wanted);
            let is_taken = |name: &String| {
                is_told && given.contains(name) || participants.iter().any(|other| other.seat.name == *name)
            };
            let mut copies = 2;
            while is_taken(&participant.seat.name) {
                participant.seat.name = format!("{wanted} ({copies})");
                copies += 1;
            }
            participant.log = logs.of(&participant.seat.name)?;
            participants.push(participant);
        }
        Ok(participants)
    }
}

/// Refuses options that say what is played, which the whole match has to know.
fn check_options(spec: &Spec) -> Result<()> {
    for (option, flag) in [("UCI_Variant", "--variant NAME"), ("UCI_Chess960", "--variant chess960")] {
        if spec.options.keys().any(|name| name.eq_ignore_ascii_case(option)) {
            bail!("option {option}: it is the match that says what is played, with {flag}");
        }
    }
    Ok(())
}

/// Normalises the keys of a program. Those that several programs may share are checked where they are given.
fn checked(table: Table) -> Result<Table> {
    check_control(&table)?;
    let table = normalised(table);
    if let Some(key) = table.keys().find(|key| !FIELDS.contains(&key.as_str())) {
        match key.as_str() {
            "args" | "arg" => bail!("{key}: arguments are part of cmd, as in cmd='PROGRAM ARGUMENTS'"),
            "stderr" => bail!("stderr: --log FILE or --log-folder FOLDER has the standard error"),
            "plies" => bail!("plies: expected depth=N"),
            _ => bail!("unknown key `{key}`: expected {KEYS}"),
        }
    }
    control(&table)?;
    if let Some(protocol) = table.get("protocol") {
        let known = protocol.clone().try_into::<Protocol>();
        known.map_err(|error| anyhow!("{}", error.message()))?;
    }
    Ok(table)
}

fn control(table: &Table) -> Result<TimeControl> {
    Ok(match table.get("tc") {
        None => DEFAULT_CONTROL.parse()?,
        Some(Value::String(text)) => text.parse()?,
        Some(other) => other.to_string().parse()?,
    })
}

/// Reads a participant from its keys.
fn read(table: Table) -> Result<Participant> {
    let mut table = checked(table)?;
    let control = control(&table)?;
    table.remove("tc");
    let millis = take_as(&mut table, "margin", Value::as_integer, "milliseconds")?.unwrap_or(0);
    let ponder = take_as(&mut table, "ponder", Value::as_bool, "true or false")?.unwrap_or(false);
    let white_view = take_as(&mut table, "whitepov", Value::as_bool, "true or false")?.unwrap_or(false);
    let restart = take_as(&mut table, "restart", restarts, "on, auto, true or false")?.unwrap_or(false);
    ensure!(!table.contains_key("conf"), "conf: it names an engine in a match only");
    table.entry("protocol").or_insert_with(|| Value::String("uci".to_owned()));
    ensure!(table.contains_key("command"), "which program? Say cmd=COMMAND");
    let spec: Spec = settings::from_table(table)?;
    let margin =
        Duration::from_millis(u64::try_from(millis).context("margin: expected milliseconds, 0 or more")?);
    let name = spec.name.clone().unwrap_or_default();
    Ok(Participant {
        seat: Seat { name, protocol: Some(spec.protocol), control, margin, ponder, white_view },
        spec,
        log: None,
        restart,
    })
}

/// Returns the fault of a program that has been started, with the key that may help.
pub(crate) fn told_at_start(fault: &PlayerFault) -> String {
    match fault {
        PlayerFault::Silence(_) => format!("{fault}; patience=SECONDS gives it longer"),
        _ => fault.to_string(),
    }
}

/// Parses a program without time control and pondering from `KEY=VALUE` words.
pub(crate) fn program(words: &str) -> Result<Spec> {
    spec(split_words(words)?)
}

fn take_as<T>(
    table: &mut Table,
    key: &str,
    read: fn(&Value) -> Option<T>,
    expected: &str,
) -> Result<Option<T>> {
    let value = table.remove(key);
    value.map(|value| read(&value).with_context(|| format!("{key}: {value} is not {expected}"))).transpose()
}

/// Reads whether each game gets a new process, also in the words of other match runners.
fn restarts(value: &Value) -> Option<bool> {
    match value.as_str() {
        None => value.as_bool(),
        Some("on" | "true") => Some(true),
        Some("auto" | "false") => Some(false),
        Some(_) => None,
    }
}

/// Merges `from` into `into`. Values of `from` take precedence; tables such as engine options are merged key by key.
pub(super) fn merge(into: &mut Table, from: Table) {
    for (key, value) in from {
        match (into.get_mut(&key), value) {
            (Some(Value::Table(inner)), Value::Table(value)) => inner.extend(value),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// The keys that only an engine of `herald match` has, in all spellings.
const OF_MATCHES: [&str; 10] =
    ["tc", "st", "nodes", "depth", "margin", "timemargin", "ponder", "restart", "whitepov", "conf"];

/// Reads a program without time control and pondering from its keys.
pub(crate) fn spec(table: Table) -> Result<Spec> {
    if let Some(key) = OF_MATCHES.into_iter().find(|key| table.contains_key(*key)) {
        bail!("{key}: only an engine of `herald match` has it");
    }
    Ok(read(table)?.spec)
}

/// Reads `KEY=VALUE` words, and normalises the keys.
pub(crate) fn read_words(text: &str) -> Result<Table> {
    let table = split_words(text)?;
    check_control(&table)?;
    Ok(normalised(table))
}

/// Splits `KEY=VALUE` words, quoted as for a shell. A first word without `=` is the command.
fn split_words(text: &str) -> Result<Table> {
    let words = platform::split_words(text).map_err(|_| anyhow!("a quotation mark is not closed"))?;
    let command = words.iter().take_while(|word| !word.contains('=')).count();
    ensure!(
        command < 2,
        "`{}` is not KEY=VALUE; write cmd={}",
        words[1],
        shell_words::quote(&shell_words::join(&words[..command]))
    );
    let mut table = Table::new();
    for (place, word) in words.into_iter().enumerate() {
        let (key, value) = match word.split_once('=') {
            Some((key, value)) => (key.to_owned(), value.to_owned()),
            None if place == 0 => ("cmd".to_owned(), word),
            None => bail!("`{word}` is not KEY=VALUE"),
        };
        let (folder, name) = match folder(&key) {
            Some((folder, Some(name))) => (Some(folder), name.to_owned()),
            _ => (None, key),
        };
        let target = match folder {
            None => &mut table,
            Some(folder) => match table.entry(folder).or_insert_with(|| Value::Table(Table::new())) {
                Value::Table(inner) => inner,
                _ => bail!("`{folder}` cannot be given as a whole here"),
            },
        };
        let value = if folder.is_none() { typed(&name, &value)? } else { Value::String(value) };
        if target.insert(name.clone(), value).is_some() {
            bail!("`{name}` is there twice");
        }
    }
    Ok(table)
}

/// Refuses two limits of a move in one place, of which only one would count.
fn check_control(table: &Table) -> Result<()> {
    let limits: Vec<&str> =
        ["tc", "st", "nodes", "depth"].into_iter().filter(|key| table.contains_key(*key)).collect();
    ensure!(limits.len() < 2, "{}: expected one of them", limits.join(" and "));
    Ok(())
}

/// Parses the value of a key that is not a string.
fn typed(key: &str, value: &str) -> Result<Value> {
    let parsed = match key {
        "margin" | "timemargin" | "memory" | "threads" => value.parse().ok().map(Value::Integer),
        "patience" | "grace" => value.parse().ok().map(Value::Float),
        "ponder" | "whitepov" => value.parse().ok().map(Value::Boolean),
        // Lines are separated as other match runners do it.
        "init" | "initstr" => {
            let lines = value.split("\\n").map(|line| Value::String(line.to_owned()));
            Some(Value::Array(lines.collect()))
        }
        _ => Some(Value::String(value.to_owned())),
    };
    parsed.ok_or_else(|| {
        anyhow!(
            "{key}: `{value}` is not {}",
            if matches!(key, "ponder" | "whitepov") { "true or false" } else { "a number" }
        )
    })
}

/// Returns the table that `option`, `env`, `option.NAME` or `env.NAME` belongs to, and the name in it.
fn folder(key: &str) -> Option<(&'static str, Option<&str>)> {
    let (first, name) = key.split_once('.').map_or((key, None), |(first, name)| (first, Some(name)));
    match first {
        "option" => Some(("options", name)),
        "env" => Some(("environment", name)),
        "options" | "environment" if name.is_none() => {
            Some((if first == "options" { "options" } else { "environment" }, None))
        }
        _ => None,
    }
}

/// Adds settings to a table inside of a table.
fn put(table: &mut Table, folder: &str, more: Table) {
    if let Value::Table(inner) = table.entry(folder).or_insert_with(|| Value::Table(Table::new())) {
        inner.extend(more);
    }
}

/// Replaces abbreviated keys and the keys of other match runners by our own.
fn normalised(table: Table) -> Table {
    let mut result = Table::new();
    for (key, value) in table {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let (key, value) = match key.as_str() {
            "cmd" => ("command", value),
            "proto" | "protocol" => ("protocol", Value::String(protocol(&text))),
            "dir" => ("directory", value),
            "timemargin" => ("margin", value),
            "initstr" => ("init", value),
            "st" => ("tc", Value::String(format!("{text}/move"))),
            "nodes" => ("tc", Value::String(format!("nodes={text}"))),
            "depth" => ("tc", Value::String(format!("depth={text}"))),
            other => match (folder(other), value) {
                (Some((folder, None)), Value::Table(more)) => {
                    put(&mut result, folder, more);
                    continue;
                }
                (Some((folder, Some(name))), value) => {
                    put(&mut result, folder, Table::from_iter([(name.to_owned(), value)]));
                    continue;
                }
                (_, value) => (other, value),
            },
        };
        result.insert(key.to_owned(), value);
    }
    result
}

/// Normalises the name of a protocol: XBoard's has two names.
pub(super) fn protocol(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    if name == "xboard" || name == "winboard" { "cecp".to_owned() } else { name }
}

#[cfg(test)]
mod tests {
    use players::OptionValue;

    use super::*;

    fn from_words(words: &str) -> Result<Participant> {
        read(read_words(words)?)
    }

    #[test]
    fn the_error_names_the_key_that_was_given() {
        for key in ["tc=5", "nodes=5", "depth=5", "st=5", "timemargin=5", "restart=on"] {
            let told = program(&format!("cmd=x {key}")).unwrap_err().to_string();
            let name = key.split_once('=').unwrap().0;
            assert_eq!(told, format!("{name}: only an engine of `herald match` has it"));
        }
    }

    #[test]
    fn words_and_tables_say_the_same() {
        let words = from_words(
            "cmd=\"./a 'b c'\" name=A proto=xboard tc=40/60+0.5 margin=20 ponder=true option.Hash=16 \
             'option.Book File=x y' env.LANG=C dir=/tmp memory=64 patience=2.5",
        )
        .unwrap();
        assert_eq!((words.seat.name.as_str(), words.spec.protocol), ("A", Protocol::Cecp));
        assert_eq!(words.spec.command.arguments(), ["b c"]);
        assert_eq!((words.seat.control.to_string().as_str(), words.seat.ponder), ("40/60+0.5", true));
        assert_eq!(
            (words.seat.margin, words.spec.patience),
            (Duration::from_millis(20), Duration::from_millis(2500))
        );
        assert_eq!(words.spec.options["Book File"], OptionValue::Text("x y".to_owned()));
        let mut file: Table = "tc = '1+0.01'\n[each]\nprotocol = 'uci'\noptions = { Hash = 1, Threads = 2 }\n\
             [[engine]]\ncmd = 'a'\n[[engine]]\ncommand = ['b']\nprotocol = 'cego'\nst = 5\noptions = { Hash = 8 }"
            .parse()
            .unwrap();
        let wanted = take(&mut file).unwrap();
        assert!(file.is_empty());
        let participants: Vec<Participant> = wanted
            .engines
            .into_iter()
            .map(|table| {
                let mut merged = wanted.each.clone();
                merge(&mut merged, table);
                read(merged).unwrap()
            })
            .collect();
        assert_eq!(participants[0].seat.control.to_string(), "1+0.01");
        assert_eq!(
            (participants[1].seat.control.to_string().as_str(), participants[1].spec.protocol),
            ("5/move", Protocol::Cego)
        );
        assert_eq!(participants[1].spec.options["Hash"], OptionValue::Int(8));
        assert_eq!(participants[1].spec.options["Threads"], OptionValue::Int(2));
    }

    /// The spelling of the command line holds in a file, too, with and without quotation marks.
    #[test]
    fn options_in_files() {
        let mut file: Table = "[each]\noption.Hash = 8\n\"option.Move Overhead\" = 10\noption.Ponder = true\n\
             [[engine]]\ncmd = 'a'\noption.Hash = 16\noptions = { Threads = 2 }\nenv.LANG = 'C'\n[[engine]]\ncmd = 'b'"
            .parse()
            .unwrap();
        let wanted = take(&mut file).unwrap();
        let mut merged = wanted.each.clone();
        merge(&mut merged, wanted.engines[0].clone());
        let spec = read(merged).unwrap().spec;
        let numbers = ["Hash", "Threads", "Move Overhead"].map(|name| spec.options[name].clone());
        assert_eq!(numbers, [16, 2, 10].map(OptionValue::Int));
        assert_eq!((spec.options.len(), spec.environment["LANG"].as_str()), (4, "C"));
    }

    #[test]
    fn the_least_that_can_be_said() {
        let participant = from_words("./a").unwrap();
        assert_eq!((participant.spec.command.program(), participant.spec.protocol), ("./a", Protocol::Uci));
        assert_eq!(participant.seat.control.to_string(), DEFAULT_CONTROL);
        for (words, control) in [("a nodes=7", "nodes=7"), ("a depth=3", "depth=3"), ("a st=0.5", "0.5/move")]
        {
            assert_eq!(from_words(words).unwrap().seat.control.to_string(), control);
        }
    }

    #[test]
    fn errors_say_what_was_expected() {
        let error = |words: &str| format!("{:#}", from_words(words).map(|_| ()).unwrap_err());
        assert_eq!(error("name=A"), "which program? Say cmd=COMMAND");
        assert!(error("cmd=a tc=now").starts_with("unreadable time control `now`"));
        assert_eq!(error("cmd=a fast"), "`fast` is not KEY=VALUE");
        let told = "`--xboard` is not KEY=VALUE; write cmd='gnuchess --xboard'";
        assert_eq!(error("gnuchess --xboard protocol=cecp"), told);
        assert_eq!(error("cmd=a cmd=b"), "`cmd` is there twice");
        assert_eq!(error("cmd=a tc=1 nodes=7"), "tc and nodes: expected one of them");
        assert_eq!(error("cmd=a ponder=yes"), "ponder: `yes` is not true or false");
        assert_eq!(error("cmd=a args=-x"), "args: arguments are part of cmd, as in cmd='PROGRAM ARGUMENTS'");
        assert!(error("cmd=a hash=3").starts_with("unknown key `hash`: expected cmd, protocol, "));
        assert!(error("cmd=a protocol=usi").contains("expected one of `cecp`, `uci`, `cego`, `autoplayer`"));
        assert_eq!(error("cmd='a"), "a quotation mark is not closed");
        assert!(error("cmd=a margin=-1").contains("0 or more"));
    }
}
