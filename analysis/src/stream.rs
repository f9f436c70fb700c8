//! A file of any size, line by line through a verb.

use std::io::{self, Read};
use std::ops::AddAssign;

use game::epd::{Fault, Rule, Severity};
use messages::epd::{Block, Blocks, LONGEST_READ, Line, lines};
use rayon::prelude::*;

/// What one thread takes at a time, in bytes: many records, and little enough for all threads to have some.
const PART: usize = 16 << 10;

/// What is done to each line of a file.
pub trait Verb: Sync {
    /// Does it, and adds what came of it.
    fn line(&self, line: &Line<'_>, done: &mut Done);

    /// Adds that a line was so long that it was passed over.
    fn passed_over(&self, fault: &Fault, done: &mut Done);
}

/// What came of some lines.
#[derive(Debug, Default)]
pub struct Done {
    /// What is to be written in their place.
    pub output: Vec<u8>,
    /// What is to be told about them, a line each.
    pub messages: Vec<u8>,
    /// How many they were.
    pub tally: Tally,
}

/// Records and faults, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Records, readable or not.
    pub records: u64,
    /// Those among them with errors.
    pub faulty: u64,
    /// Errors.
    pub errors: u64,
    /// Warnings.
    pub warnings: u64,
    /// Notes.
    pub notes: u64,
}

impl Tally {
    /// Counts a record with its faults.
    pub fn count(&mut self, faults: &[Fault]) {
        self.records += 1;
        self.faulty += u64::from(faults.iter().any(|fault| fault.severity == Severity::Error));
        for fault in faults {
            match fault.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
                Severity::Note => self.notes += 1,
            }
        }
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.records += other.records;
        self.faulty += other.faulty;
        self.errors += other.errors;
        self.warnings += other.warnings;
        self.notes += other.notes;
    }
}

/// Why the work could not go on.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The input can't be read any further.
    #[error("{0}")]
    Read(#[source] io::Error),
    /// What was done can't be written.
    #[error("{0}")]
    Write(#[source] io::Error),
    /// There are no threads to work on.
    #[error("{0}")]
    Thread(#[source] io::Error),
    /// The work was called off.
    #[error("called off")]
    CalledOff,
}

/// Applies a verb to all lines of a file. `take` gets what came of them, part by part and in their order.
///
/// # Errors
/// The input can't be read, or `take` has failed. What was taken before is right.
pub fn process(
    input: impl Read,
    verb: &impl Verb,
    mut take: impl FnMut(Done) -> io::Result<()>,
) -> Result<(), ProcessError> {
    for block in Blocks::new(input) {
        match block.map_err(ProcessError::Read)? {
            Block::Lines(lines) => {
                let parts = lines.parts(PART);
                let done: Vec<Done> =
                    parts.into_par_iter().map(|(first, part)| apply(verb, first, part)).collect();
                done.into_iter().try_for_each(&mut take).map_err(ProcessError::Write)?;
            }
            Block::TooLong { line } => {
                let mut done = Done::default();
                verb.passed_over(&too_long(line), &mut done);
                take(done).map_err(ProcessError::Write)?;
            }
        }
    }
    Ok(())
}

fn apply(verb: &impl Verb, first: u64, part: &[u8]) -> Done {
    let mut done = Done { output: Vec::with_capacity(part.len() + part.len() / 8), ..Done::default() };
    lines(first, part).for_each(|line| verb.line(&line, &mut done));
    done
}

pub(crate) fn too_long(line: u64) -> Fault {
    let limit = LONGEST_READ >> 20;
    Fault {
        line,
        column: 1,
        opcode: None,
        rule: Rule::F3,
        severity: Severity::Error,
        message: format!("the line is longer than {limit} MiB; it is passed over"),
    }
}

/// Adds a line about a fault, as compilers do it.
pub(crate) fn tell(name: &str, fault: &Fault, messages: &mut Vec<u8>) {
    let Fault { line, column, severity, message, rule, .. } = fault;
    messages
        .extend_from_slice(format!("{name}:{line}:{column}: {severity}: {message} [{rule}]\n").as_bytes());
}
