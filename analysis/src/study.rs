//! A file of records through a verb for which somebody has to think.

use std::borrow::Cow;
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::ops::AddAssign;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use game::epd::{Rule, Severity};
use game::{FenError, Game};
use messages::epd::{Block, Blocks, Content, Line, Record, RecordReader};

use crate::stream::{Done, ProcessError, tell, too_long};
use crate::thinker::{ThinkError, Thinker};

/// How many records a thread may be ahead of the one that is written next.
const AHEAD: usize = 16;

/// What is done about a record, with somebody who thinks.
pub trait Study: Sync {
    /// Does it, and writes what came of it into the record.
    ///
    /// # Errors
    /// The thinker has no answer. The record is then as it was.
    fn study(
        &self,
        record: &mut Record<'_>,
        game: &Game,
        thinker: &mut dyn Thinker,
    ) -> Result<Studied, ThinkError>;
}

/// What came of a record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Studied {
    /// How it went.
    pub verdict: Verdict,
    /// Nodes searched, as far as they were told.
    pub nodes: u64,
    /// The time that it took.
    pub time: Duration,
}

/// How a record went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verdict {
    /// What was looked for was found.
    Found,
    /// It was not.
    Missed,
    /// Nothing had to be looked for.
    #[default]
    PassedOver,
}

/// What came of all records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Records in which what was looked for was found.
    pub found: u64,
    /// Those in which it was not.
    pub missed: u64,
    /// Those in which nothing had to be looked for.
    pub passed_over: u64,
    /// Those that can't be read, are illegal, or for which the thinker had no answer. They are as they were.
    pub failed: u64,
    /// Nodes searched, as far as they were told.
    pub nodes: u64,
    /// The time of all thinkers together.
    pub time: Duration,
}

impl Summary {
    fn count(&mut self, studied: Studied) {
        match studied.verdict {
            Verdict::Found => self.found += 1,
            Verdict::Missed => self.missed += 1,
            Verdict::PassedOver => self.passed_over += 1,
        }
        self.nodes += studied.nodes;
        self.time += studied.time;
    }
}

impl AddAssign for Summary {
    fn add_assign(&mut self, other: Summary) {
        self.found += other.found;
        self.missed += other.missed;
        self.passed_over += other.passed_over;
        self.failed += other.failed;
        self.nodes += other.nodes;
        self.time += other.time;
    }
}

/// What came of a line.
#[derive(Debug, Default)]
pub struct Examined {
    /// What is to be written in its place: one line.
    pub done: Done,
    /// How the record went.
    pub summary: Summary,
    /// Its length in the file, in bytes.
    pub length: u64,
}

/// All that is needed to take files through a verb.
pub struct Desk<'a> {
    /// How records are read.
    pub reader: RecordReader,
    /// What is done about each.
    pub study: &'a dyn Study,
    /// Makes a thinker; called once on each thread.
    pub recruit: &'a (dyn Fn() -> Result<Box<dyn Thinker>, ThinkError> + Sync),
    /// How many records are thought about at a time.
    pub threads: NonZeroUsize,
}

impl Desk<'_> {
    /// Takes all lines of a file but the first `skip` through the verb. Each line becomes one: comments, blank lines and
    /// what can't be understood stay as they are. `take` gets them one by one in the order of the file, as soon as they
    /// are there; of those that are skipped it gets the length alone.
    ///
    /// # Errors
    /// The input can't be read, no threads can be started, the work was called off, or `take` has failed. What was taken
    /// before is right.
    pub fn work(
        &self,
        name: &str,
        input: impl Read + Send,
        skip: u64,
        mut take: impl FnMut(Examined) -> io::Result<()>,
    ) -> Result<(), ProcessError> {
        // The order of the lines is that of their replies, whoever is ready first.
        let (order, replies) = mpsc::sync_channel(AHEAD * self.threads.get());
        let (jobs, to_do) = mpsc::channel();
        let to_do = &Mutex::new(to_do);
        thread::scope(move |scope| {
            for _ in 0..self.threads.get() {
                let worker = thread::Builder::new().stack_size(search::STACK_SIZE);
                let work = move || self.work_off(name, to_do);
                worker.spawn_scoped(scope, work).map_err(ProcessError::Thread)?;
            }
            let feed = move || {
                // Nobody wants more.
                let _ = feed(input, skip, &jobs, &order);
            };
            thread::Builder::new().spawn_scoped(scope, feed).map_err(ProcessError::Thread)?;
            for reply in replies {
                let reply = reply.map_err(ProcessError::Read)?;
                // A thread that was called off doesn't reply.
                let examined = reply.recv().map_err(|_| ProcessError::CalledOff)?;
                take(examined).map_err(ProcessError::Write)?;
            }
            Ok(())
        })
    }

    /// What each thread does.
    fn work_off(&self, name: &str, to_do: &Mutex<Receiver<Job>>) {
        let mut thinker = (self.recruit)();
        loop {
            // A thread that panicked has left nothing behind that could be wrong.
            let job = to_do.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(job) = job else { return };
            let Some(examined) = self.examine(name, &job, &mut thinker) else { return };
            // Who no longer listens has been told why.
            let _ = job.reply.send(examined);
        }
    }

    /// Examines a line; `None` if the thinker was called off.
    fn examine(
        &self,
        name: &str,
        job: &Job,
        thinker: &mut Result<Box<dyn Thinker>, ThinkError>,
    ) -> Option<Examined> {
        let mut examined = Examined { length: job.length, ..Examined::default() };
        let Some(text) = &job.text else {
            let fault = too_long(job.number);
            examined.done.tally.count(std::slice::from_ref(&fault));
            tell(name, &fault, &mut examined.done.messages);
            examined.summary.failed += 1;
            examined.done.output.push(b'\n');
            return Some(examined);
        };
        let line = Line { number: job.number, text: Cow::Borrowed(text), end: "\n" };
        let written = match line.content() {
            Content::Record => self.examine_record(name, &line, thinker, &mut examined)?,
            Content::Blank | Content::Comment => None,
        };
        let kept = text.trim_start_matches('\u{feff}');
        examined.done.output.extend_from_slice(written.as_deref().unwrap_or(kept).as_bytes());
        examined.done.output.push(b'\n');
        Some(examined)
    }

    /// The record as it is to be written; the inner `None` if it can't be read.
    #[expect(clippy::option_option, reason = "no record, and no time to examine it")]
    fn examine_record(
        &self,
        name: &str,
        line: &Line<'_>,
        thinker: &mut Result<Box<dyn Thinker>, ThinkError>,
        examined: &mut Examined,
    ) -> Option<Option<String>> {
        let Examined { done, summary, .. } = examined;
        let reading = self.reader.read(&line.text, line.number);
        done.tally.count(&reading.faults);
        for fault in reading.faults.iter().filter(|fault| fault.severity == Severity::Error) {
            tell(name, fault, &mut done.messages);
        }
        let Some(mut record) = reading.record else {
            summary.failed += 1;
            return Some(None);
        };
        let studied = match (record.game(), thinker) {
            (Err(error), _) => Err(Unfit::Illegal(error)),
            (Ok(_), Err(error)) => Err(Unfit::Nobody(error.to_string())),
            (Ok(game), Ok(thinker)) => {
                self.study.study(&mut record, &game, &mut **thinker).map_err(Unfit::NoAnswer)
            }
        };
        match studied {
            Ok(studied) => summary.count(studied),
            Err(Unfit::NoAnswer(ThinkError::CalledOff)) => return None,
            Err(unfit) => {
                summary.failed += 1;
                let is_told = reading.faults.iter().any(|fault| fault.rule == Rule::V1);
                if !is_told {
                    let words = unfit.to_string().replace(char::is_control, "?");
                    let message = format!("{name}:{}: error: {words}\n", line.number);
                    done.messages.extend_from_slice(message.as_bytes());
                }
            }
        }
        Some(Some(record.to_string()))
    }
}

/// Why nothing came of a record.
#[derive(Debug, thiserror::Error)]
enum Unfit {
    #[error("{0}")]
    Illegal(FenError),
    #[error("{0}")]
    Nobody(String),
    #[error("{0}")]
    NoAnswer(ThinkError),
}

/// A line to be examined.
struct Job {
    number: u64,
    /// `None` if it was too long to be read.
    text: Option<String>,
    length: u64,
    reply: Sender<Examined>,
}

/// Hands out the lines of a file, until they are all handed out or nobody wants more; then it is an error.
fn feed(
    input: impl Read,
    skip: u64,
    jobs: &Sender<Job>,
    order: &SyncSender<io::Result<Receiver<Examined>>>,
) -> Result<(), ()> {
    let hand_out = |number, text: Option<String>, length| {
        let (reply, replied) = mpsc::channel();
        order.send(Ok(replied)).map_err(drop)?;
        if number <= skip {
            // It counts for the progress alone.
            return reply.send(Examined { length, ..Examined::default() }).map_err(drop);
        }
        jobs.send(Job { number, text, length, reply }).map_err(drop)
    };
    for block in Blocks::new(input) {
        match block {
            Ok(Block::Lines(lines)) => lines.iter().try_for_each(|line| {
                let length = line.text.len() + line.end.len();
                hand_out(line.number, Some(line.text.into_owned()), length as u64)
            })?,
            Ok(Block::TooLong { line }) => hand_out(line, None, 0)?,
            Err(error) => order.send(Err(error)).map_err(drop)?,
        }
    }
    Ok(())
}
