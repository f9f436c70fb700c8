//! A file of any size, line by line through a verb.

use std::io::{self, Read};
use std::ops::AddAssign;
use std::sync::Arc;
use std::time::Duration;

use game::epd::{Fault, Rule, Severity};
use messages::epd::{Blocks, FileBlock, LONGEST_READ, TextLine};

use crate::pool::{ProcessError, WorkerPool};

/// What becomes of each line of a file. Each worker thread has a handler of its own.
pub trait LineHandler {
    /// Adds what becomes of a line to the result.
    ///
    /// # Errors
    /// The work was interrupted.
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted>;

    /// Adds a line that is too long to be read, and is counted as a record with this fault.
    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.tell(fault);
    }
}

/// The work was interrupted before a line was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupted;

/// What is done to files, and how their lines are shared out to the worker threads.
#[derive(Clone)]
pub struct Verb {
    /// Called on each worker thread.
    pub(crate) new_handler: Arc<dyn Fn() -> Box<dyn LineHandler> + Send + Sync>,
    /// A job is as many whole lines as have at least so many bytes.
    pub(crate) job_size: usize,
}

/// What became of the lines of a job.
#[derive(Debug, Default)]
pub struct JobResult {
    /// What is to be written in their place.
    pub output: Vec<u8>,
    /// Messages about them, a line each.
    pub messages: Vec<u8>,
    /// The records among them.
    pub counts: Counts,
    /// Their length in the input, in bytes.
    pub length: u64,
    /// The name of the file, for messages.
    pub(crate) file: Arc<str>,
}

/// Records, their faults, and what an analysis came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records, readable or not.
    pub records: u64,
    /// Records with errors.
    pub faulty: u64,
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
    /// Records in which an analyzer found what it was to find.
    pub found: u64,
    /// Records in which it did not.
    pub missed: u64,
    /// Records in which it had nothing to find.
    pub skipped: u64,
    /// Records that can't be read, are illegal, or for which there was no analysis. They stay as they are.
    pub failed: u64,
    /// Nodes that analyzers searched, as far as they told them.
    pub nodes: u64,
    /// The time that all analyzers used together.
    pub time: Duration,
    /// Lines that are missing in the output because they are too long to be read.
    pub lost: u64,
}

impl Verb {
    /// A verb that takes microseconds for a line.
    pub fn quick(handler: impl LineHandler + Clone + Send + Sync + 'static) -> Verb {
        Verb { new_handler: Arc::new(move || Box::new(handler.clone())), job_size: 64 << 10 }
    }

    /// Takes all lines of a file but the first `skip` through the verb. `take` gets the results in the order of the lines, each
    /// as soon as it is there; of lines that are skipped it gets only the length.
    ///
    /// # Errors
    /// The input can't be read, threads can't be started, the work was interrupted, or `take` failed. What was taken before is
    /// right.
    pub fn process(
        &self,
        pool: &WorkerPool,
        name: &str,
        input: impl Read + Send + 'static,
        skip: u64,
        take: impl FnMut(JobResult) -> io::Result<()>,
    ) -> Result<(), ProcessError> {
        let (file, new_handler): (Arc<str>, _) = (name.into(), Arc::clone(&self.new_handler));
        let new_worker = move || {
            let (file, mut handler) = (Arc::clone(&file), new_handler());
            move |job: FileBlock| {
                let mut result = JobResult { file: Arc::clone(&file), ..JobResult::default() };
                match job {
                    FileBlock::Lines(lines) => {
                        let length = lines.bytes.len();
                        result.length = length as u64;
                        result.output.reserve(length + length / 8);
                        let mut lines = lines.iter().filter(|line| line.number > skip);
                        lines.try_for_each(|line| handler.line(&line, &mut result)).ok()?;
                    }
                    FileBlock::TooLong { line } if line > skip => {
                        let fault = too_long(line);
                        result.counts.add_record(std::slice::from_ref(&fault));
                        result.counts.lost += 1;
                        handler.too_long(&fault, &mut result);
                    }
                    FileBlock::TooLong { .. } => {}
                }
                Some(result)
            }
        };
        pool.run(Blocks::of_size(input, self.job_size), new_worker, take)
    }
}

/// Whether a record is not in the form of EPD: what is read of it may be other than what was meant, or only a part of that.
pub(crate) fn is_malformed(faults: &[Fault]) -> bool {
    let is_form =
        |rule| matches!(rule, Rule::F1 | Rule::F2 | Rule::F9 | Rule::F10 | Rule::F11 | Rule::F12 | Rule::O1);
    faults.iter().any(|fault| fault.severity == Severity::Error && is_form(fault.rule))
}

fn too_long(line: u64) -> Fault {
    let limit = LONGEST_READ >> 20;
    let message = format!("the line is longer than {limit} MiB; it is passed over");
    Fault { line, column: 1, opcode: None, rule: Rule::F3, severity: Severity::Error, message }
}

impl JobResult {
    /// Writes a line as it is, with LF at its end and without a byte order mark, with which only a file begins. Carriage returns
    /// at the end of the text would become part of the line end.
    pub(crate) fn keep(&mut self, line: &TextLine<'_>) {
        let text = line.text.trim_start_matches('\u{feff}').trim_end_matches('\r');
        line.copy(text, &mut self.output);
        self.output.push(b'\n');
    }

    /// Adds a message about a fault.
    pub(crate) fn tell(&mut self, fault: &Fault) {
        let message = self.located(fault);
        self.messages.extend_from_slice(message.as_bytes());
    }

    /// Adds a message for each error.
    pub(crate) fn tell_errors(&mut self, faults: &[Fault]) {
        faults.iter().filter(|fault| fault.severity == Severity::Error).for_each(|fault| self.tell(fault));
    }

    /// A line about a fault in the form of compilers: `file:line:column: severity: message [rule]`.
    pub(crate) fn located(&self, fault: &Fault) -> String {
        format!("{}:{fault}\n", self.file)
    }
}

impl Counts {
    /// Counts a record with its faults.
    pub(crate) fn add_record(&mut self, faults: &[Fault]) {
        let count = |severity| faults.iter().filter(|fault| fault.severity == severity).count() as u64;
        self.records += 1;
        self.errors += count(Severity::Error);
        self.warnings += count(Severity::Warning);
        self.notes += count(Severity::Note);
        self.faulty += u64::from(count(Severity::Error) > 0);
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Counts) {
        self.records += other.records;
        self.faulty += other.faulty;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
        self.found += other.found;
        self.missed += other.missed;
        self.skipped += other.skipped;
        self.failed += other.failed;
        self.nodes += other.nodes;
        self.time += other.time;
        self.lost += other.lost;
    }
}
