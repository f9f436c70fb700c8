//! Any verb on those records only for which a condition holds.

use std::sync::Arc;

use game::epd::Fault;
use messages::epd::{Content, RecordReader, TextLine};

use crate::expressions::{Filter, with_subject};
use crate::process::{Interrupted, JobResult, LineHandler, Verb};

/// What becomes of the records for which the condition of a verb does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmatched {
    /// They are written unchanged.
    Kept,
    /// They are left out.
    LeftOut,
}

impl Verb {
    /// The verb on those records only for which `filter` holds. Records that can't be read are given to the verb, which reports
    /// them.
    #[must_use]
    pub fn only(self, filter: Filter, reader: RecordReader, unmatched: Unmatched) -> Verb {
        let (reader, filter) = (filter.reader(reader), Arc::new(filter));
        self.wrapped(move |handler| {
            Box::new(Filtered { filter: Arc::clone(&filter), reader, unmatched, handler })
        })
    }
}

struct Filtered {
    filter: Arc<Filter>,
    reader: RecordReader,
    unmatched: Unmatched,
    handler: Box<dyn LineHandler>,
}

impl LineHandler for Filtered {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        let is_record = line.content() == Content::Record;
        let holds = || {
            let place = (&*result.file, line.number);
            with_subject(self.reader, &line.text, place, |subject| self.filter.holds(subject))
        };
        if !is_record || holds() != Some(false) {
            return self.handler.line(line, result);
        }
        if self.unmatched == Unmatched::Kept {
            result.counts.records += 1;
            result.counts.skipped += 1;
            result.keep(line);
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        self.handler.too_long(fault, result);
    }

    fn piece(&mut self, bytes: &[u8], result: &mut JobResult) {
        self.handler.piece(bytes, result);
    }
}
