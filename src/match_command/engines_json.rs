//! Engines from Cute Chess' `engines.json`.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use serde_json::Value as Json;
use toml::{Table, Value};

/// Takes `conf=NAME` out of an engine's keys and adds the engine of that name in the file. Keys that are given already take
/// precedence.
pub(super) fn resolve(engine: Table, file: Option<&Path>) -> Result<Table> {
    let mut engine = engine;
    let Some(name) = engine.remove("conf") else { return Ok(engine) };
    let Value::String(name) = name else { bail!("conf: {name} is not the name of an engine") };
    let path = match file {
        Some(path) => path.to_owned(),
        None => usual_path().context("conf: where is engines.json? Say --engines-file FILE")?,
    };
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut found = configured(&text, &name).map_err(|error| anyhow!("{}: {error:#}", path.display()))?;
    super::participants::merge(&mut found, engine);
    Ok(found)
}

/// The file of Cute Chess on this system.
fn usual_path() -> Option<PathBuf> {
    if cfg!(windows) {
        return Some(dirs::config_dir()?.join("cutechess").join("engines.json"));
    }
    let configuration = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from);
    let configuration =
        configuration.or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".config")))?;
    Some(configuration.join("cutechess").join("engines.json"))
}

/// Returns the engine of that name with our keys.
fn configured(text: &str, name: &str) -> Result<Table> {
    let engines: Vec<serde_json::Map<String, Json>> =
        serde_json::from_str(text).map_err(|error| anyhow!("expected an array of engines: {error}"))?;
    let is_meant =
        |engine: &&serde_json::Map<String, Json>| engine.get("name").and_then(Json::as_str) == Some(name);
    let Some(engine) = engines.iter().find(is_meant) else {
        let names: Vec<&str> = engines.iter().filter_map(|engine| engine.get("name")?.as_str()).collect();
        bail!("there is no engine {name}; there are {}", names.join(", "));
    };
    let mut keys = Table::new();
    for (key, value) in engine {
        if let Some((key, value)) = translated(key, value).with_context(|| format!("{name}, {key}"))? {
            keys.insert(key.to_owned(), value);
        }
    }
    Ok(keys)
}

/// Translates a setting; `None` for one that a match does not need.
fn translated(key: &str, value: &Json) -> Result<Option<(&'static str, Value)>> {
    let text = || value.as_str().map(str::to_owned).context("expected a text");
    let switch = || value.as_bool().context("expected true or false").map(Value::Boolean);
    Ok(Some(match key {
        "name" => ("name", Value::String(text()?)),
        "command" => ("command", Value::String(text()?)),
        "workingDirectory" if value.as_str() == Some("") => return Ok(None),
        "workingDirectory" => ("directory", Value::String(text()?)),
        "protocol" => ("protocol", Value::String(super::participants::protocol(&text()?))),
        "whitepov" => ("whitepov", switch()?),
        "ponder" => ("ponder", switch()?),
        "restart" => ("restart", Value::Boolean(value.as_str() == Some("on"))),
        "initStrings" => {
            let lines = value.as_array().context("expected an array of lines")?;
            let line = |line: &Json| line.as_str().map(|line| Value::String(line.to_owned()));
            ("init", Value::Array(lines.iter().filter_map(line).collect()))
        }
        "options" => ("options", Value::Table(options(value)?)),
        // Its own lists of variants and claims; its standard error is in our log.
        _ => return Ok(None),
    }))
}

/// Returns the options that were set, without those at their defaults.
fn options(value: &Json) -> Result<Table> {
    let mut options = Table::new();
    for option in value.as_array().context("expected an array")? {
        let Some(name) = option["name"].as_str() else { continue };
        let value = &option["value"];
        if *value == option["default"] {
            continue;
        }
        let value = match value {
            Json::Bool(on) => Value::Boolean(*on),
            Json::Number(number) => {
                Value::Integer(number.as_i64().with_context(|| format!("{name}: {number}"))?)
            }
            Json::String(text) => Value::String(text.clone()),
            _ => continue,
        };
        options.insert(name.to_owned(), value);
    }
    Ok(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"[
        { "name": "Sloppy", "command": "sloppy", "protocol": "xboard", "workingDirectory": "" },
        { "name": "Deep", "command": "./deep -x", "workingDirectory": "/opt/deep", "protocol": "uci", "whitepov": true,
          "initStrings": ["isready", "debug on"], "restart": "on", "variants": ["standard"],
          "options": [ { "name": "Hash", "type": "spin", "default": 16, "value": 64 },
                       { "name": "Ponder", "type": "check", "default": false, "value": false } ] }
    ]"#;

    #[test]
    fn engines_by_their_names() {
        let deep = configured(FILE, "Deep").unwrap();
        let expected: Table =
            "command = './deep -x'\ndirectory = '/opt/deep'\ninit = ['isready', 'debug on']\nname = 'Deep'\n\
                               protocol = 'uci'\nrestart = true\nwhitepov = true\noptions = { Hash = 64 }"
                .parse()
                .unwrap();
        assert_eq!(deep, expected);
        assert_eq!(configured(FILE, "Sloppy").unwrap()["protocol"].as_str(), Some("cecp"));
    }

    #[test]
    fn errors_name_the_engine() {
        let error = |text: &str| format!("{:#}", configured(text, "A").unwrap_err());
        assert_eq!(error(FILE), "there is no engine A; there are Sloppy, Deep");
        assert!(error("{").starts_with("expected an array of engines"));
        assert_eq!(error(r#"[{"name": "A", "command": 3}]"#), "A, command: expected a text");
    }
}
