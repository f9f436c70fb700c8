//! Settings of commands: flags, over the keys of a TOML file with the same names; and the small files that flags name.

use std::fs::File;
use std::io::{self, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::Serialize;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// Maximum size of a file, in bytes.
const LARGEST: u64 = 1 << 20;

/// The keys of the file, if there is one, with those of the flags over them.
pub(crate) fn merged(file: Option<&Path>, flags: &impl Serialize) -> Result<Table> {
    let mut table = file.map_or_else(|| Ok(Table::new()), read_toml)?;
    table.extend(given(flags)?);
    Ok(table)
}

/// The flags that were given.
pub(crate) fn given(flags: &impl Serialize) -> Result<Table> {
    let mut table = Table::try_from(flags).context("the flags")?;
    table.retain(|_, value| match value {
        Value::Boolean(is_set) => *is_set,
        Value::Array(values) => !values.is_empty(),
        _ => true,
    });
    Ok(table)
}

/// A value whose fields are the keys of a table.
pub(crate) fn from_table<T: DeserializeOwned>(table: Table) -> Result<T> {
    table.try_into().map_err(|error: toml::de::Error| {
        // The second line says in which key.
        anyhow!("{}", error.to_string().trim_end().replace('\n', " "))
    })
}

/// A file of settings; an error tells its line.
fn read_toml(path: &Path) -> Result<Table> {
    let text = read(path)?;
    text.parse().map_err(|error: toml::de::Error| {
        let line = error.span().map_or(1, |span| text[..span.start].lines().count().max(1));
        anyhow!("{}, line {line}: {}", path.display(), error.message())
    })
}

/// Takes the tables `[[key]]` out of a file.
pub(crate) fn take_tables(file: &mut Table, key: &str) -> Result<Vec<Table>> {
    let expected = || anyhow!("{key}: expected tables, each of which begins with [[{key}]]");
    let tables = match file.remove(key) {
        None => Vec::new(),
        Some(Value::Array(tables)) => tables,
        Some(_) => bail!(expected()),
    };
    tables.into_iter().map(|table| table.try_into().map_err(|_| expected())).collect()
}

/// The first line of a file, such as a secret.
pub(crate) fn first_line(path: &Path) -> Result<String> {
    Ok(read(path)?.lines().next().unwrap_or_default().trim().to_owned())
}

/// A name to sign on with at a referee; `key` is what it was given by, for the error.
pub(crate) fn client_name(key: &str, name: &str) -> Result<String> {
    let name = name.trim();
    let is_fit = name.chars().all(|c| c.is_ascii_graphic() || c == ' ') && !name.contains('"');
    let told = game::excerpt(name);
    ensure!(
        is_fit && (1..=100).contains(&name.len()),
        "{key} {told}: expected 1 to 100 printing ASCII characters without quotation marks"
    );
    Ok(name.to_owned())
}

fn read(path: &Path) -> Result<String> {
    let cannot = || format!("{} cannot be read", path.display());
    let mut text = String::new();
    let file = File::open(path).with_context(cannot)?;
    let length = file.take(LARGEST + 1).read_to_string(&mut text).with_context(cannot)?;
    ensure!(length as u64 <= LARGEST, "{} is too large: expected at most 1 MiB", path.display());
    Ok(text)
}

/// A log that several writers share. The first failure is reported on standard error; the work goes on.
#[derive(Clone)]
pub(crate) struct LogFile {
    path: PathBuf,
    file: Arc<File>,
    is_told: Arc<AtomicBool>,
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).inspect_err(|error| {
            if !self.is_told.swap(true, Ordering::Relaxed) {
                tell!("herald: the log {} cannot be written: {error}", self.path.display());
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Opens a file, if one is named, to append to it.
pub(crate) fn open_log(path: Option<&Path>) -> Result<Option<LogFile>> {
    let open = |path: &Path| {
        let opened = File::options().append(true).create(true).open(path);
        let opened = opened.with_context(|| format!("{} cannot be opened", path.display()))?;
        Ok(LogFile { path: path.to_owned(), file: Arc::new(opened), is_told: Arc::default() })
    };
    path.map(open).transpose()
}
