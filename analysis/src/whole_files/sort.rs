//! The verb that puts records in order.

use std::cmp::Ordering;
use std::io;

use messages::epd::{RecordReader, TextLine};

use super::RecordVerb;
use crate::expressions::{ExpressionValue, OrderKey, Subject, in_order, widest};
use crate::process::JobResult;
use crate::selection::Unmatched;

/// Number of records that are written at a time.
const PART: usize = 10_000;

/// Puts records in the order of keys. Records with equal keys stay in their order; those that lack a key come last. Comments, blank
/// lines, records that can't be read and records for which the condition does not hold come first, in their order.
///
/// All records are kept in memory until the end, with their keys.
#[derive(Debug)]
pub struct SortRecords {
    keys: Vec<OrderKey>,
    reader: RecordReader,
    rows: Vec<SortedRow>,
    /// Number of rows that have been written; `None` before they are in order.
    written: Option<usize>,
}

#[derive(Debug)]
struct SortedRow {
    values: Box<[Option<ExpressionValue<'static>>]>,
    bytes: Box<[u8]>,
}

impl SortRecords {
    /// Creates the verb. The first key matters most.
    pub fn new(keys: Vec<OrderKey>, reader: RecordReader) -> SortRecords {
        let reader = widest(keys.iter().map(|key| key.formula.reader(reader)), reader);
        SortRecords { keys, reader, rows: Vec::new(), written: None }
    }

    fn compare(&self, one: &SortedRow, other: &SortedRow) -> Ordering {
        let mut orders =
            self.keys.iter().zip(one.values.iter().zip(&other.values)).map(|(key, values)| match values {
                (Some(one), Some(other)) if key.is_descending => in_order(other, one),
                (Some(one), Some(other)) => in_order(one, other),
                (one, other) => one.is_none().cmp(&other.is_none()),
            });
        orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl RecordVerb for SortRecords {
    const OTHER_LINES: Unmatched = Unmatched::Kept;
    const WRITES_LAST: bool = true;

    fn reader(&self) -> RecordReader {
        self.reader
    }

    fn record(
        &mut self,
        line: &TextLine<'_>,
        subject: &Subject<'_>,
        result: &mut JobResult,
    ) -> io::Result<()> {
        let value = |key: &OrderKey| key.formula.value(subject).map(ExpressionValue::into_owned);
        let values = self.keys.iter().map(value).collect();
        self.rows.push(SortedRow { values, bytes: result.whole_line(line).into() });
        Ok(())
    }

    fn finish(&mut self, result: &mut JobResult) -> io::Result<bool> {
        let first = self.written.unwrap_or_else(|| {
            let mut rows = std::mem::take(&mut self.rows);
            rows.sort_by(|one, other| self.compare(one, other));
            self.rows = rows;
            0
        });
        let rows = &mut self.rows[first..];
        let count = rows.len().min(PART);
        for row in &mut rows[..count] {
            result.output.append(&mut std::mem::take(&mut row.bytes).into_vec());
        }
        result.counts.found += count as u64;
        self.written = Some(first + count);
        Ok(first + count < self.rows.len())
    }
}
