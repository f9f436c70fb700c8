//! How far an earlier run has come.
//!
//! A game that was written is read back as a tree that writes the same text, so that the place where the output ends is known by
//! comparing bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use analysis::annotate::{AnnotatedGame, AnnotationJob, AnnotationSettings};
use anyhow::{Context, Result, bail, ensure};
use game::{GameTree, TreeReader};

/// What an earlier run has done.
pub(super) struct EarlierRun {
    /// Number of finished games.
    pub(super) games: u64,
    /// Length of their text, in bytes.
    pub(super) length: u64,
    /// The finished games that were annotated.
    annotated: Vec<DoneGame>,
}

/// A finished game.
struct DoneGame {
    /// Name of its file and its number there.
    file: Arc<str>,
    number: u64,
    /// Its place in the output, from 0.
    place: u64,
}

/// The data of finished games.
pub(super) struct KnownData {
    /// Whether there is a file.
    pub(super) exists: bool,
    /// Length of the data of finished games, in bytes.
    pub(super) length: u64,
}

/// Compares the output with the games.
pub(super) fn progress(
    output: &Path,
    jobs: impl Iterator<Item = io::Result<AnnotationJob>>,
    settings: &AnnotationSettings,
) -> Result<EarlierRun> {
    let name = output.display();
    let open = || File::open(output).with_context(|| format!("can't read `{name}`"));
    let mut bytes = BufReader::new(open()?);
    let mut written = TreeReader::new(BufReader::new(open()?));
    let mut progress = EarlierRun { games: 0, length: 0, annotated: Vec::new() };
    for job in jobs {
        let job = job?;
        let Some(made) = written.next().transpose()? else { return Ok(progress) };
        let text = made.tree.write();
        let next = next_bytes(&mut bytes, text.len())?;
        if next != text.as_bytes() {
            // An incomplete game, or the file of somebody else.
            let is_ours = may_begin(&next, &made.tree, &job.parsed.tree);
            ensure!(is_ours, "line {} of `{name}` is not of these games", made.line);
            return Ok(progress);
        }
        let (file, number) = (&job.file, job.number);
        ensure!(
            is_from(&made.tree, &job.parsed.tree),
            "line {} of `{name}` is not game {number} of `{file}`",
            made.line
        );
        let by = [made.tree.tag("AnalysisEngine"), made.tree.tag("AnalysisLimit")];
        let engines = settings.provenance.engines();
        let ours = [engines.as_str(), settings.provenance.limit.as_str()];
        let before = ["AnalysisEngine", "AnalysisLimit"].map(|tag| job.parsed.tree.tag(tag));
        // A game that had an analysis stays as it is.
        let is_known = before[0].is_some() && (settings.is_dry || !settings.replaces);
        if let ([Some(engine), Some(limit)], false) = (by, is_known) {
            if before != by {
                ensure!([engine, limit] == ours, "line {} of `{name}` is by `{engine}, {limit}`", made.line);
                let (made_with, asked) =
                    (made.tree.tag("AnalysisSettings").unwrap_or_default(), &settings.provenance.settings);
                ensure!(
                    made_with == asked,
                    "line {} of `{name}` is made with the settings `{made_with}`, not `{asked}`",
                    made.line
                );
            }
            progress.annotated.push(DoneGame { file: Arc::clone(file), number, place: progress.games });
        } else {
            let is_dry = made.tree.tags.len() != job.parsed.tree.tags.len();
            ensure!(settings.is_dry || !is_dry, "line {} of `{name}` is of a run with --dry", made.line);
        }
        progress.games += 1;
        progress.length += text.len() as u64;
    }
    if written.next().is_some() {
        bail!("`{name}` has more games than the input");
    }
    Ok(progress)
}

fn next_bytes(bytes: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut next = Vec::with_capacity(length);
    bytes.take(length as u64).read_to_end(&mut next)?;
    Ok(next)
}

/// Whether an annotated game comes from one of the input.
fn is_from(made: &GameTree, given: &GameTree) -> bool {
    let texts =
        |tree: &GameTree| tree.mainline.moves.iter().map(|node| node.text.clone()).collect::<Vec<_>>();
    texts(made) == texts(given) && made.tag("FEN") == given.tag("FEN") && made.result == given.result
}

/// Whether an incomplete text can be the beginning of an annotated game: its first line and all moves but the last are those of the
/// game. The file of somebody else must not be cut.
fn may_begin(text: &[u8], made: &GameTree, given: &GameTree) -> bool {
    let written = given.write();
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_tag = line.first() == Some(&b'[') && written.as_bytes().starts_with(line);
    let begins = is_tag || (given.tags.is_empty() && !made.mainline.moves.is_empty());
    let moves = made.mainline.moves.split_last().map_or(&[][..], |(_, moves)| moves);
    begins && moves.iter().zip(&given.mainline.moves).all(|(made, given)| made.text == given.text)
}

/// Finds out how much of the data belongs to finished games.
pub(super) fn data(path: &Path, progress: &EarlierRun) -> Result<KnownData> {
    if !path.exists() {
        ensure!(
            progress.annotated.is_empty(),
            "`{}` is missing; it has the games that are done",
            path.display()
        );
        return Ok(KnownData { exists: false, length: 0 });
    }
    let mut length = 0;
    let mut lines = BufReader::new(File::open(path)?);
    for _ in &progress.annotated {
        length += lines.skip_until(b'\n')? as u64;
    }
    Ok(KnownData { exists: true, length })
}

/// Calls `see` with the data and the text of each finished game that was annotated.
pub(super) fn each(
    path: &Path,
    output: &Path,
    progress: &EarlierRun,
    mut see: impl FnMut(&AnnotatedGame, &str) -> io::Result<()>,
) -> Result<()> {
    let name = path.display();
    let mut texts = (0..).zip(TreeReader::new(BufReader::new(File::open(output)?)));
    let mut lines = BufReader::new(File::open(path).with_context(|| format!("can't read `{name}`"))?).lines();
    for (place, done) in progress.annotated.iter().enumerate() {
        let line = lines.next().with_context(|| format!("`{name}` has only {place} games"))??;
        let game: AnnotatedGame =
            serde_json::from_str(&line).with_context(|| format!("line {} of `{name}`", place + 1))?;
        let is_same = *game.file == *done.file && game.number == done.number;
        ensure!(is_same, "line {} of `{name}` is another game", place + 1);
        let text = texts.find(|(number, _)| *number == done.place).map(|(_, parsed)| parsed).transpose()?;
        see(&game, &text.map(|parsed| parsed.tree.write()).unwrap_or_default())?;
    }
    Ok(())
}
