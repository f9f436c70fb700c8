//! Reads any bytes as EPD records. Nothing panics, and a written record is read again as the same record.

#![no_main]

use libfuzzer_sys::fuzz_target;
use messages::epd::{Escapes, MoveReading, RecordReader, Strictness, lines};

fuzz_target!(|bytes: &[u8]| {
    for moves in [MoveReading::Syntax, MoveReading::Legal, MoveReading::Repair] {
        let mates = moves == MoveReading::Repair;
        read_and_write(RecordReader { moves, mates, ..RecordReader::default() }, bytes);
    }
    // Decoded escapes are not restored on writing, so these records are only read.
    for escapes in [Escapes::Backslash, Escapes::ChessDb] {
        for line in lines(1, bytes) {
            let reader = RecordReader { escapes, strictness: Strictness::Strict, ..RecordReader::default() };
            reader.read(&line.text, line.number);
        }
    }
});

fn read_and_write(reader: RecordReader, bytes: &[u8]) {
    for line in lines(1, bytes) {
        let reading = reader.read(&line.text, line.number);
        let characters = line.text.chars().count();
        assert!(reading.faults.iter().all(|fault| fault.line == line.number && fault.column <= characters + 1));
        assert!(reading.faults.iter().all(|fault| !fault.message.contains(char::is_control)));
        let Some(record) = reading.record else { continue };
        let normal = record.to_string();
        let again = reader.read(&normal, line.number).record.expect("what was written can be read");
        assert_eq!(record, again, "{normal}");
        assert_eq!(normal, again.to_string());
        let _ = record.game();
    }
}
