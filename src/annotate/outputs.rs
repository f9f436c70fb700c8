//! What is written: games, and on request data, suites, tables and pages.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use analysis::annotate::{
    AnnotatedGame, AnnotationResult, AnnotationSettings, AnnotationTables, page_of, suites,
};
use analysis::{InputFile, OutputFile, refuse_overwriting};
use anyhow::{Context, Result, anyhow};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use clap::Args;
use game::{GameTree, TreeReader};
use platform::NamedFile;

use super::games::Games;
use super::resume::{self, KnownData};
use crate::WrongInput;
use crate::book::write_whole;
use crate::epd::explain;

/// Outputs besides the games.
#[derive(Args, Clone)]
pub(super) struct OutputPaths {
    /// Write the annotations as data, one JSON object a line for each annotated game
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write a page for each annotated game, which opens from a disk; of several games, the second is in FILE-2.html and so on
    #[arg(long, value_name = "FILE.html")]
    html: Option<PathBuf>,
    /// Put this engine into the pages, so that they analyse by themselves: `herald.wasm` of a release
    #[arg(long, value_name = "FILE.wasm", requires = "html")]
    page_engine: Option<PathBuf>,
    /// Write a record for each position that was analysed
    #[arg(long, value_name = "FILE")]
    epd: Option<PathBuf>,
    /// Write the positions in which a player went wrong and one move was right, for `herald epd target`
    #[arg(long, value_name = "FILE")]
    puzzles: Option<PathBuf>,
    /// Write the positions in which a player missed a mate, for `herald epd mate`
    #[arg(long, value_name = "FILE")]
    mates: Option<PathBuf>,
    /// Write tables by player, opening, colour, phase and time: as CSV or JSON if the name ends so, otherwise as text
    #[arg(long, value_name = "FILE")]
    tables: Option<PathBuf>,
}

impl OutputPaths {
    pub(super) fn needs_puzzles(&self) -> bool {
        self.puzzles.is_some() || self.mates.is_some()
    }

    pub(super) fn all(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.json, &self.html, &self.epd, &self.puzzles, &self.mates, &self.tables].into_iter().flatten()
    }

    /// Whether an output needs the games of an earlier run.
    fn needs_data(&self) -> bool {
        [&self.html, &self.epd, &self.puzzles, &self.mates, &self.tables].into_iter().any(Option::is_some)
    }
}

/// Makes the records of a game for a suite.
type SuiteRecords = fn(&AnnotatedGame) -> Vec<String>;

/// A suite of records that is made of annotated games.
struct Suite {
    file: OutputFile,
    records: SuiteRecords,
}

/// All outputs of a run. The games come last, so that what is not in them is not done.
pub(super) struct Outputs {
    pub(super) games: OutputFile,
    json: Option<OutputFile>,
    suites: Vec<Suite>,
    tables: Option<(PathBuf, AnnotationTables)>,
    html: Option<PathBuf>,
    /// The engine of the pages, in base64.
    page_engine: Option<String>,
    pages: u64,
    /// Number of games that an earlier run has finished.
    pub(super) done: u64,
}

impl Outputs {
    /// Creates all files.
    pub(super) fn create(
        output: Option<&Path>,
        paths: &OutputPaths,
        inputs: &[InputFile],
    ) -> Result<Outputs> {
        refuse_twice(output, paths)?;
        let games = match output {
            Some(path) => OutputFile::create(path, inputs),
            None => OutputFile::standard(inputs),
        };
        let json = paths
            .json
            .as_deref()
            .map(|path| OutputFile::create(path, inputs))
            .transpose()
            .map_err(explain)?;
        Outputs::with(games.map_err(explain)?, json, paths, inputs)
    }

    fn with(
        games: OutputFile,
        json: Option<OutputFile>,
        paths: &OutputPaths,
        inputs: &[InputFile],
    ) -> Result<Outputs> {
        let kinds: [(&Option<PathBuf>, SuiteRecords); 3] = [
            (&paths.epd, suites::positions),
            (&paths.puzzles, suites::puzzles),
            (&paths.mates, suites::mates),
        ];
        let mut suites = Vec::new();
        for (path, records) in kinds {
            if let Some(path) = path {
                suites.push(Suite { file: OutputFile::create(path, inputs).map_err(explain)?, records });
            }
        }
        for path in [&paths.tables, &paths.html].into_iter().flatten() {
            refuse_overwriting(path, inputs).map_err(explain)?;
        }
        let tables = paths.tables.clone().map(|path| (path, AnnotationTables::default()));
        let page_engine = paths.page_engine.as_deref().map(read_engine).transpose()?;
        Ok(Outputs { games, json, suites, tables, html: paths.html.clone(), page_engine, pages: 0, done: 0 })
    }

    /// Opens all files to continue an earlier run; starts from the beginning if there is no output yet.
    pub(super) fn resume(
        output: Option<&Path>,
        paths: &OutputPaths,
        games: &Games,
        settings: &AnnotationSettings,
    ) -> Result<Outputs> {
        let wrong = |text: &str| WrongInput::of(anyhow!("{text}"));
        refuse_twice(output, paths)?;
        let output = output.ok_or_else(|| wrong("--resume continues a file; name it with --output"))?;
        if !games.are_files() {
            return Err(wrong("--resume reads the input twice and needs files"));
        }
        if paths.needs_data() && paths.json.is_none() {
            return Err(wrong("--resume needs --json for the other outputs: it has the games that are done"));
        }
        let inputs = games.open()?;
        if !output.exists() {
            return Outputs::create(Some(output), paths, &inputs);
        }
        let progress = resume::progress(output, Games::jobs(games.open()?), settings);
        let progress = progress.map_err(|error| WrongInput::of(error.context("can't resume")))?;
        // Nothing is changed before all is known to be right.
        let known = paths.json.as_deref().map(|path| resume::data(path, &progress)).transpose();
        let known = known.map_err(WrongInput::of)?;
        if let (Some(path), Some(KnownData { exists: true, .. })) = (&paths.json, &known) {
            resume::each(path, output, &progress, |_, _| Ok(())).map_err(WrongInput::of)?;
        }
        for path in paths.all().map(PathBuf::as_path).chain([output]) {
            refuse_overwriting(path, &inputs).map_err(explain)?;
        }
        let file = OutputFile::go_on(output, progress.length, &inputs).map_err(explain)?;
        let json = match (&paths.json, &known) {
            (Some(path), Some(known)) if known.exists => Some(OutputFile::go_on(path, known.length, &inputs)),
            (Some(path), _) => Some(OutputFile::create(path, &inputs)),
            (None, _) => None,
        };
        let mut outputs = Outputs::with(file, json.transpose().map_err(explain)?, paths, &inputs)?;
        outputs.done = progress.games;
        if let (Some(path), true) = (&paths.json, paths.needs_data()) {
            resume::each(path, output, &progress, |game, text| outputs.add(game, text))?;
        }
        Ok(outputs)
    }

    /// Writes a game.
    pub(super) fn write(&mut self, result: &AnnotationResult) -> io::Result<()> {
        if let Some(game) = &result.game {
            if let Some(json) = &mut self.json {
                let text = serde_json::to_string(game).map_err(io::Error::other)? + "\n";
                json.write(text.as_bytes()).map_err(|error| named(json, error))?;
            }
            self.add(game, &result.text)?;
        }
        self.games.write(result.text.as_bytes()).map_err(|error| named(&self.games, error))
    }

    /// Adds a game to the outputs that are made of its data.
    fn add(&mut self, game: &AnnotatedGame, text: &str) -> io::Result<()> {
        for suite in &mut self.suites {
            for record in (suite.records)(game) {
                suite.file.write((record + "\n").as_bytes()).map_err(|error| named(&suite.file, error))?;
            }
        }
        if let Some((_, tables)) = &mut self.tables {
            tables.add(game);
        }
        if let Some(path) = &self.html {
            self.pages += 1;
            let tree = TreeReader::new(text.as_bytes()).next().transpose()?.map(|parsed| parsed.tree);
            let page = page_of(game, &tree.unwrap_or_else(GameTree::default));
            let page = pages::game_page(&page, self.page_engine.as_deref());
            let path = numbered(path, self.pages);
            if self.pages > 1 && !is_page(&path) {
                let error = format!("`{}` is no page of games; it is not overwritten", path.display());
                return Err(io::Error::other(error));
            }
            write_whole(&path, page.as_bytes())
                .map_err(|error| io::Error::other(format!("can't write `{}`: {error}", path.display())))?;
        }
        Ok(())
    }

    /// Completes all files.
    pub(super) fn finish(self) -> Result<()> {
        for file in self.suites.into_iter().map(|suite| suite.file).chain(self.json).chain([self.games]) {
            file.finish().map_err(explain)?;
        }
        if let Some((path, tables)) = self.tables {
            let text = match path.extension().and_then(|end| end.to_str()) {
                Some("csv") => tables.csv(),
                Some("json") => serde_json::to_string_pretty(&tables.rows())? + "\n",
                _ => tables.text(),
            };
            fs::write(&path, text).with_context(|| format!("can't write `{}`", path.display()))?;
        }
        Ok(())
    }
}

fn named(file: &OutputFile, error: io::Error) -> io::Error {
    // A closed pipe is known by its kind.
    if error.kind() == io::ErrorKind::BrokenPipe {
        error
    } else {
        io::Error::new(error.kind(), file.error(error).to_string())
    }
}

/// The name of a page: the first has the name that was given.
fn numbered(path: &Path, number: u64) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let end = path.extension().map_or_else(String::new, |end| format!(".{}", end.to_string_lossy()));
    path.with_file_name(format!("{stem}-{number}{end}"))
}

/// Reads WebAssembly, as base64.
fn read_engine(path: &Path) -> Result<String> {
    let wrong = |problem: String| WrongInput::of(anyhow!("`{}` {problem}", path.display()));
    let module = fs::read(path).map_err(|error| wrong(format!("can't be read: {error}")))?;
    if !module.starts_with(b"\0asm") {
        return Err(wrong("is not WebAssembly".to_owned()));
    }
    Ok(BASE64_STANDARD.encode(module))
}

/// Refuses a file that is named for two outputs, however it is spelt, and pages in the place of something else.
fn refuse_twice(output: Option<&Path>, paths: &OutputPaths) -> Result<()> {
    let mut known = Vec::new();
    for path in output.into_iter().chain(paths.all().map(PathBuf::as_path)) {
        let Some(file) = NamedFile::at(path) else { continue };
        if known.contains(&file) {
            return Err(WrongInput::of(anyhow!("`{}` is named for two outputs", path.display())));
        }
        known.push(file);
    }
    let Some(html) = &paths.html else { return Ok(()) };
    for page in (2..).map(|number| numbered(html, number)) {
        let is_output = NamedFile::at(&page).is_some_and(|file| known.contains(&file));
        if !is_output && !page.exists() {
            break;
        }
        if is_output || !is_page(&page) {
            let page = page.display();
            return Err(WrongInput::of(anyhow!(
                "`{page}` is no page of games, but --html would write there"
            )));
        }
    }
    Ok(())
}

/// Whether a file begins as our pages do, is empty, as an interrupted run may have left it, or does not exist.
fn is_page(path: &Path) -> bool {
    const BEGINNING: &[u8] = b"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    let Ok(mut file) = File::open(path) else { return !path.exists() };
    let mut beginning = Vec::with_capacity(BEGINNING.len());
    let read = file.by_ref().take(BEGINNING.len() as u64).read_to_end(&mut beginning);
    read.is_ok() && (beginning.is_empty() || beginning == BEGINNING)
}
