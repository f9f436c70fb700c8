//! Runs a verb on files: progress, interruption and error messages.
//!
//! Work is interrupted between two results, so that the output consists of complete lines. A temporary file that should replace
//! another is removed.

use std::fs::File;
use std::io::{self, Write as _};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use analysis::expressions::Filter;
use analysis::whole_files::{RecordPass, RecordVerb, first_too_long, refusal};
use analysis::{
    Counts, FileError, InputFile, JobResult, LineEnds, OutputFile, ProcessError, ResumeError, Resumption,
    Unmatched, Verb, WorkerPool,
};
use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use game::counted;
use indicatif::ProgressBar;
use messages::epd::{MoveReading, RecordReader};
use platform::signals;

use super::EscapesArg;
use super::provenance::ProvenanceFile;
use crate::{FAILED, WrongInput, progress_bar, read_threads};

/// Input arguments of verbs with threads.
#[derive(Args)]
pub(super) struct InputArgs {
    #[command(flatten)]
    pub(super) files: FileArgs,
    /// Number of threads; by default, one for each processor
    #[arg(long, value_name = "COUNT", value_parser = read_threads)]
    pub(super) threads: Option<NonZeroUsize>,
}

/// Input arguments.
#[derive(Args)]
pub(super) struct FileArgs {
    /// Files of EPD records; `-`, or none, for standard input
    #[arg(id = "files", value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Work on those records only for which this condition holds: `acd > 20 and not has dm` (docs/EPD-FILTERS.md). Where a file
    /// is rewritten, the other records stay as they are
    #[arg(long = "where", value_name = "CONDITION", value_parser = Filter::parse)]
    pub(super) condition: Option<Filter>,
    /// How strings write quotation marks and semicolons
    #[arg(long, value_enum, default_value = "standard")]
    escapes: EscapesArg,
}

/// Output arguments; standard output by default.
#[derive(Args, Default)]
pub(super) struct OutputArgs {
    /// Write to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace each file when it is finished; a file that was changed in the meantime is left as it is
    #[arg(long, conflicts_with = "output")]
    in_place: bool,
    /// Line ends of the output
    #[arg(long, value_enum, default_value = "keep", value_name = "KIND")]
    line_ends: LineEndsArg,
    /// Whether the verb makes one file of its inputs, so that it has no --in-place.
    #[arg(skip)]
    is_separate: bool,
}

#[derive(Clone, Copy, Default, ValueEnum)]
enum LineEndsArg {
    /// Those of the input, each line's own
    #[default]
    Keep,
    /// LF, as on Linux and macOS
    Lf,
    /// CR LF, as on Windows
    Crlf,
}

impl OutputArgs {
    /// Writes to a file, or to standard output, and never in place.
    pub(super) fn to(path: Option<&Path>) -> OutputArgs {
        OutputArgs { output: path.map(Path::to_owned), is_separate: true, ..OutputArgs::default() }
    }

    /// The output file; `None` for standard output and in place.
    pub(super) fn path(&self) -> Option<&Path> {
        self.output.as_deref()
    }

    /// Line ends of the output. `drops_nul`: whether NUL bytes at the ends of lines are left out.
    pub(super) fn line_ends(&self, drops_nul: bool) -> LineEnds {
        match self.line_ends {
            LineEndsArg::Keep if drops_nul => LineEnds::WithoutNul,
            LineEndsArg::Keep => LineEnds::Keep,
            LineEndsArg::Lf => LineEnds::Lf,
            LineEndsArg::Crlf => LineEnds::CrLf,
        }
    }
}

impl InputArgs {
    /// A lenient reader of the records.
    pub(super) fn reader(&self, moves: MoveReading) -> RecordReader {
        self.files.reader(moves)
    }

    /// A verb that rewrites files, on the records that the condition chooses; others stay as they are.
    pub(super) fn restricted(&self, verb: Verb, reader: RecordReader) -> Verb {
        self.restricted_to(verb, reader, Unmatched::Kept)
    }

    /// A verb on the records that the condition chooses.
    pub(super) fn restricted_to(&self, verb: Verb, reader: RecordReader, unmatched: Unmatched) -> Verb {
        match &self.files.condition {
            Some(filter) => verb.only(filter.clone(), reader, unmatched),
            None => verb,
        }
    }
}

impl FileArgs {
    /// A lenient reader of the records.
    pub(super) fn reader(&self, moves: MoveReading) -> RecordReader {
        self.escapes.reader(moves)
    }

    /// Number of files that are named.
    pub(super) fn count(&self) -> usize {
        self.paths.len()
    }

    /// Refuses files with a line that is too long to be moved or left out. Standard input and pipes can't be read twice.
    pub(super) fn refuse_too_long(&self) -> Result<()> {
        let is_file = |path: &&PathBuf| std::fs::metadata(path).is_ok_and(|about| about.is_file());
        for path in self.paths.iter().filter(is_file) {
            let name = path.display();
            let unreadable = |error: io::Error| WrongInput::of(anyhow!("can't read `{name}`: {error}"));
            let line = File::open(path).and_then(first_too_long).map_err(unreadable)?;
            if let Some(line) = line {
                return Err(WrongInput::of(anyhow!("`{name}`: {}", refusal(line))));
            }
        }
        Ok(())
    }

    fn open(&self, is_in_place: bool) -> Result<Vec<InputFile>> {
        let stdin = [PathBuf::from("-")];
        let paths = if self.paths.is_empty() { &stdin[..] } else { &self.paths };
        if paths.iter().filter(|path| *path == Path::new("-")).count() > 1 {
            return Err(WrongInput::of(anyhow!("standard input (`-`) can be read only once")));
        }
        let is_replaced = |path: &Path| is_in_place && path != Path::new("-");
        let open = |path: &PathBuf| {
            if is_replaced(path) { InputFile::open_in_place(path) } else { InputFile::open_records(path) }
        };
        paths.iter().map(|path| open(path).map_err(advise)).collect()
    }
}

/// A run of a verb on files.
pub(super) struct Work {
    pool: WorkerPool,
    inputs: Vec<InputFile>,
    /// `None` between the inputs of a run in place.
    output: Option<OutputFile>,
    /// Progress of an earlier run.
    resumption: Resumption,
    /// Whether the run can be continued with `--resume` after an interruption.
    is_resumable: bool,
    /// Whether the output ends within a line.
    is_unended: bool,
    /// The line end that the output gets there.
    joining_end: String,
    counts: Counts,
    /// Whether the verb leaves out records that it can't read. Then a file with such records is not replaced.
    leaves_out: bool,
}

impl Work {
    /// Opens all files.
    pub(super) fn new(input: &InputArgs, output: &OutputArgs) -> Result<Work> {
        Work::on(input.files.open(output.in_place)?, input.threads, output)
    }

    /// Gives a verb that moves records the records of all files: see [`Work::run_whole`].
    pub(super) fn whole<V: RecordVerb>(
        input: &FileArgs,
        output: &OutputArgs,
        new_verb: impl Fn() -> V,
    ) -> Result<(Counts, V)> {
        Work::moving(input, None, output)?.run_whole(input, output, new_verb)
    }

    /// Opens all files for a verb that moves records or leaves some out, if no line is too long for that.
    pub(super) fn moving(
        files: &FileArgs,
        threads: Option<NonZeroUsize>,
        output: &OutputArgs,
    ) -> Result<Work> {
        let inputs = files.open(output.in_place)?;
        files.refuse_too_long()?;
        Work::on(inputs, threads, output)
    }

    fn on(inputs: Vec<InputFile>, threads: Option<NonZeroUsize>, output: &OutputArgs) -> Result<Work> {
        // In place each of several files would be treated by itself.
        let may_replace = !output.is_separate && inputs.len() == 1 && inputs[0].length().is_some();
        let advise = if may_replace { advise } else { explain };
        let output = match &output.output {
            _ if output.in_place => None,
            Some(path) => Some(OutputFile::create(path, &inputs).map_err(advise)?),
            None => Some(OutputFile::standard(&inputs).map_err(advise)?),
        };
        Ok(Work::with(threads, inputs, output, Resumption::default()))
    }

    /// Opens all files to continue an earlier run; starts from the beginning if there is no output yet.
    ///
    /// `provenance`: who analyses and how, which must be the same as before, as far as it stands in records; `provenance_file` has all of it.
    pub(super) fn resume(
        input: &InputArgs,
        output: &OutputArgs,
        provenance: Option<&str>,
        provenance_file: Option<&ProvenanceFile>,
    ) -> Result<Work> {
        let wrong = |text: String| WrongInput::of(anyhow!(text));
        let Some(path) = &output.output else {
            return Err(wrong("--resume continues a file; name it with --output".to_owned()));
        };
        let files = &input.files;
        if files.paths.is_empty() || files.paths.iter().any(|path| path == Path::new("-")) {
            return Err(wrong("--resume reads the input twice and needs files".to_owned()));
        }
        let existing = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Work::new(input, output),
            existing => {
                existing.map_err(|error| wrong(format!("can't read `{}`: {error}", path.display())))?
            }
        };
        let resumption =
            Resumption::find(files.open(false)?, existing, provenance).map_err(|error| match error {
                ResumeError::Read(error) => error.into(),
                error @ ResumeError::Different(_) => {
                    wrong(format!("can't resume `{}`: {error}", path.display()))
                }
            })?;
        if let Some(file) = provenance_file.filter(|_| resumption.length > 0) {
            file.check(resumption.is_signed)?;
        }
        let inputs = files.open(false)?;
        let output = OutputFile::go_on(path, resumption.length, &inputs).map_err(advise)?;
        Ok(Work::with(input.threads, inputs, Some(output), resumption))
    }

    fn with(
        threads: Option<NonZeroUsize>,
        inputs: Vec<InputFile>,
        output: Option<OutputFile>,
        resumption: Resumption,
    ) -> Work {
        let threads = threads.or_else(|| std::thread::available_parallelism().ok());
        let threads = threads.unwrap_or(NonZeroUsize::MIN);
        let pool = WorkerPool { threads, interrupt: Arc::default(), grace: Duration::ZERO };
        Work {
            pool,
            inputs,
            output,
            resumption,
            is_resumable: false,
            is_unended: false,
            joining_end: String::new(),
            counts: Counts::default(),
            leaves_out: false,
        }
    }

    /// Uses `interrupt` as the interrupt flag and gives jobs the time `grace` to end. The run can be continued with `--resume` if
    /// its output is resumable.
    pub(super) fn resumable(self, interrupt: Arc<AtomicBool>, grace: Duration) -> Work {
        let is_resumable = self.output.as_ref().is_some_and(OutputFile::is_resumable);
        Work { pool: WorkerPool { interrupt, grace, ..self.pool }, is_resumable, ..self }
    }

    /// Number of lines that an earlier run has finished.
    pub(super) fn lines_done(&self) -> u64 {
        self.resumption.lines.iter().sum()
    }

    /// Applies a verb to all files in order.
    pub(super) fn run(mut self, verb: &Verb) -> Result<Counts> {
        signals::set_flag_then_exit(&self.pool.interrupt, FAILED.into())?;
        let (pool, inputs) = (self.pool.clone(), std::mem::take(&mut self.inputs));
        let is_in_place = self.output.is_none();
        for (number, input) in inputs.into_iter().enumerate() {
            if is_in_place {
                self.output = Some(OutputFile::in_place(&input).map_err(advise)?);
            }
            let skip = self.resumption.lines.get(number).copied().unwrap_or(0);
            let (name, progress) = (input.name.clone(), file_progress(&input));
            let mut is_first = number > 0 && !is_in_place;
            let done = verb.process(&pool, &name, input, skip, |mut result| {
                if is_first && !result.output.is_empty() {
                    is_first = false;
                    self.join(&mut result.output);
                }
                self.take(&result, &progress)
            });
            progress.finish_and_clear();
            done.map_err(|error| self.failed(error, &name))?;
            if is_in_place {
                self.keep_unreadable(&name)?;
                self.finish()?;
            }
        }
        self.finish()?;
        Ok(self.counts)
    }

    /// Gives a verb the records of all files: in place those of each file on its own, else those of all together. Returns the verb
    /// of the last.
    pub(super) fn run_whole<V: RecordVerb>(
        mut self,
        input: &FileArgs,
        output: &OutputArgs,
        new_verb: impl Fn() -> V,
    ) -> Result<(Counts, V)> {
        signals::set_flag_then_exit(&self.pool.interrupt, FAILED.into())?;
        let pass = RecordPass {
            filter: input.condition.clone(),
            line_ends: output.line_ends(false),
            interrupt: Arc::clone(&self.pool.interrupt),
        };
        let (inputs, is_in_place) = (std::mem::take(&mut self.inputs), self.output.is_none());
        // Nothing is written of a pipe of which a line is refused.
        let (mut at_work, mut held) = (new_verb(), Vec::new());
        let last = inputs.len().saturating_sub(1);
        for (number, input) in inputs.into_iter().enumerate() {
            if is_in_place {
                self.output = Some(OutputFile::in_place(&input).map_err(advise)?);
                at_work = new_verb();
                self.is_unended = false;
            }
            let (name, progress) = (input.name.clone(), file_progress(&input));
            let done = pass.feed(&mut at_work, &name, input, |mut result| {
                if V::WRITES_LAST {
                    held.append(&mut result.output);
                }
                self.take_lines(result, &progress)
            });
            let done = match done {
                Ok(()) if is_in_place || number == last => self
                    .write_held(&mut held, &progress)
                    .map_err(ProcessError::Write)
                    .and_then(|()| pass.finish(&mut at_work, |result| self.take_lines(result, &progress))),
                done => done,
            };
            progress.finish_and_clear();
            done.map_err(|error| self.failed_whole(error, &name, at_work.files()))?;
            if is_in_place {
                self.keep_unreadable(&name)?;
                self.finish()?;
            }
        }
        self.finish()?;
        Ok((self.counts, at_work))
    }

    /// For a verb that leaves out what it can't read: in place such a file stays as it is.
    pub(super) fn leaving_out(self) -> Work {
        Work { leaves_out: true, ..self }
    }

    /// Leaves a file as it is, if records would be left out that could not be read.
    fn keep_unreadable(&mut self, name: &str) -> Result<()> {
        if !self.leaves_out || self.counts.failed == 0 {
            return Ok(());
        }
        let failed = counted(self.counts.failed, "record");
        let left = self.output.take().map(OutputFile::abandon).unwrap_or_default();
        Err(anyhow!("{failed} of `{name}` could not be read and would be lost; {left}"))
    }

    /// The error of a verb that looks at whole files and wrote perhaps some of its own.
    fn failed_whole(&mut self, error: ProcessError, name: &str, files: Option<usize>) -> anyhow::Error {
        let is_refused = |error: &io::Error| error.kind() == io::ErrorKind::InvalidData;
        let is_wrong_input = matches!(&error, ProcessError::Read(error) if is_refused(error));
        let error = match files {
            None => self.failed(error, name),
            Some(files) => {
                self.output = None;
                let reason = match error {
                    ProcessError::Read(error) => format!("can't read `{name}`: {error}"),
                    error => error.to_string(),
                };
                let (records, files) =
                    (counted(self.counts.records, "record"), counted(files as u64, "file"));
                anyhow!("{reason} after {records}; the finished part is in {files}")
            }
        };
        if is_wrong_input { WrongInput::of(error) } else { error }
    }

    /// Writes what was held back, if there is anything.
    fn write_held(&mut self, held: &mut Vec<u8>, progress: &ProgressBar) -> io::Result<()> {
        let mut result = JobResult::default();
        result.output.append(held);
        self.take(&result, progress)
    }

    /// Takes a result that begins a line.
    fn take_lines(&mut self, mut result: JobResult, progress: &ProgressBar) -> io::Result<()> {
        if self.is_unended && !result.output.is_empty() {
            result.output.splice(..0, self.joining_end.bytes());
        }
        result.joining_end().clone_into(&mut self.joining_end);
        self.take(&result, progress)
    }

    /// Prepares the beginning of a file to follow another: it needs a line of its own and no byte order mark.
    fn join(&self, output: &mut Vec<u8>) {
        if output.starts_with("\u{feff}".as_bytes()) {
            output.drain(..3);
        }
        if self.is_unended {
            output.splice(..0, *b"\n");
        }
    }

    fn take(&mut self, result: &JobResult, progress: &ProgressBar) -> io::Result<()> {
        if let Some(output) = self.output.as_mut().filter(|_| !result.output.is_empty()) {
            progress.suspend(|| output.write(&result.output))?;
            self.is_unended = !matches!(result.output.last(), Some(b'\n' | b'\r' | 0));
        }
        if !result.messages.is_empty() {
            // A closed standard error does not stop the work.
            progress.suspend(|| drop(io::stderr().write_all(&result.messages)));
        }
        progress.inc(result.length);
        self.counts += result.counts;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.output.take().map_or(Ok(()), OutputFile::finish).map_err(advise)
    }

    /// Composes the error message: the reason, the number of finished records, and the state of the output.
    fn failed(&mut self, error: ProcessError, name: &str) -> anyhow::Error {
        let output = self.output.take();
        let (reason, advice) = match (error, &output) {
            // The reader of the pipe has closed it and needs no more.
            (ProcessError::Write(error), Some(output))
                if output.is_standard() && error.kind() == io::ErrorKind::BrokenPipe =>
            {
                return error.into();
            }
            (ProcessError::Write(error), Some(output)) => (output.error(error).to_string(), ""),
            (ProcessError::Read(error), _) => (format!("can't read `{name}`: {error}"), ""),
            (error @ ProcessError::Interrupted, _) if self.is_resumable => {
                (error.to_string(), "; continue with --resume")
            }
            (error, _) => (error.to_string(), ""),
        };
        let kept = output.map_or_else(String::new, |output| format!("; {}", output.abandon()));
        anyhow!("{reason} after {}{kept}{advice}", counted(self.counts.records, "record"))
    }
}

/// Progress in bytes of a file.
fn file_progress(input: &InputFile) -> ProgressBar {
    let template = match input.length() {
        Some(_) => "{bar:40} {bytes}/{total_bytes}, {eta} left",
        None => "{spinner} {bytes}, {bytes_per_sec}",
    };
    progress_bar(input.length(), template)
}

/// An error of a file, with the right exit status.
pub(crate) fn explain(error: FileError) -> anyhow::Error {
    if error.is_wrong_input() { WrongInput::of(error) } else { error.into() }
}

/// The same for files of records, which can be replaced.
pub(super) fn advise(error: FileError) -> anyhow::Error {
    match error {
        FileError::Same(_) => WrongInput::of(anyhow!("{error}; use --in-place to replace it")),
        error => explain(error),
    }
}
