//! Analysis of records, one per job.
//!
//! Each line of the input yields exactly one line of the output, including comments and blank lines. The length of the output
//! therefore shows where an interrupted run has to continue (`resume.rs`). A record whose analysis failed is kept and reported; a
//! failure does not affect the next record.

use std::sync::Arc;

use game::epd::{Fault, Rule};
use messages::epd::{Content, RecordReader, TextLine};

use crate::process::{Interrupted, JobResult, LineHandler, Verb, is_malformed};
use crate::{AnalysisError, AnalysisJob, AnalysisResult, Analyzer};

/// Creates the analyzer of a worker thread; called on that thread.
pub type AnalyzerFactory = Arc<dyn Fn() -> AnalysisResult<Box<dyn Analyzer>> + Send + Sync>;

impl Verb {
    /// A verb that runs `job` on each record. Each worker thread has its own analyzer.
    pub fn analysis(
        reader: RecordReader,
        job: impl AnalysisJob + 'static,
        analyzers: AnalyzerFactory,
    ) -> Verb {
        let job: Arc<dyn AnalysisJob> = Arc::new(job);
        let new_handler = move || {
            Box::new(RecordAnalysis { reader, job: Arc::clone(&job), analyzer: analyzers() }) as Box<_>
        };
        Verb { new_handler: Arc::new(new_handler), job_size: 1 }
    }
}

struct RecordAnalysis {
    reader: RecordReader,
    job: Arc<dyn AnalysisJob>,
    analyzer: AnalysisResult<Box<dyn Analyzer>>,
}

impl LineHandler for RecordAnalysis {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        let written = match line.content() {
            Content::Record => self.record(line, result)?,
            Content::Blank | Content::Comment => None,
        };
        match written {
            Some(record) => result.output.extend_from_slice(format!("{record}\n").as_bytes()),
            None => result.keep(line),
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.counts.failed += 1;
        result.report(fault);
        result.output.push(b'\n');
    }
}

impl RecordAnalysis {
    /// Analyses a record and returns its new text; `None` if the record can't be read or has an error of syntax.
    fn record(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<Option<String>, Interrupted> {
        let reading = self.reader.read(&line.text, line.number);
        result.counts.add_record(&reading.faults);
        result.report_errors(&reading.faults);
        let is_whole = !is_malformed(&reading.faults);
        let Some(mut record) = reading.record.filter(|_| is_whole) else {
            result.counts.failed += 1;
            return Ok(None);
        };
        let outcome = match (record.game(), &mut self.analyzer) {
            (Err(error), _) => Err(error.to_string()),
            (Ok(_), Err(error)) => Err(error.to_string()),
            (Ok(game), Ok(analyzer)) => match self.job.run(&mut record, &game, &mut **analyzer) {
                Err(AnalysisError::Interrupted) => return Err(Interrupted),
                done => done.map_err(|error| error.to_string()),
            },
        };
        match outcome {
            Ok(counts) => result.counts += counts,
            Err(reason) => {
                result.counts.failed += 1;
                let is_reported = reading.faults.iter().any(|fault| fault.rule == Rule::V1);
                if !is_reported {
                    let reason = reason.replace(char::is_control, "?");
                    let message = format!("{}:{}: error: {reason}\n", result.file, line.number);
                    result.messages.extend_from_slice(message.as_bytes());
                }
            }
        }
        Ok(Some(record.to_string()))
    }
}
