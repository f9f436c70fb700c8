//! Records as games that begin in their positions.

use game::epd::{Fault, Severity};
use game::{Annotation, FenError, GameTree, MoveLine, MoveNode};
use messages::epd::{Content, EpdMove, MoveReading, Record, RecordReader, TextLine};

use crate::expressions::{Filter, Subject};
use crate::process::{Interrupted, JobResult, LineHandler, is_malformed};

/// Writes each record as a game. Blank lines and comments are left out. Records that can't be read or whose position is illegal are
/// reported and left out.
#[derive(Clone, Debug)]
pub struct GamesOfRecords {
    /// Name of the event.
    pub event: String,
    /// How records are parsed.
    pub reader: RecordReader,
    /// Condition of the records that become games; `None` for all.
    pub filter: Option<Filter>,
}

impl LineHandler for GamesOfRecords {
    fn line(&mut self, line: &TextLine<'_>, result: &mut JobResult) -> Result<(), Interrupted> {
        if line.content() != Content::Record {
            return Ok(());
        }
        result.counts.records += 1;
        let reader = RecordReader { moves: MoveReading::Repair, ..self.reader };
        let reading = reader.read(&line.text, line.number);
        if let (Some(record), Some(filter)) = (&reading.record, &self.filter) {
            let subject = Subject::new(record, &reading.faults, &result.file, line.number);
            if !filter.holds(&subject) {
                result.counts.skipped += 1;
                return Ok(());
            }
        }
        // A record whose operations are in doubt is no game.
        let record = reading.record.as_ref().filter(|_| !is_malformed(&reading.faults));
        let game = record.map(|record| record_as_game(record, &self.event, line.number));
        if let Some(Ok(game)) = game {
            result.counts.found += 1;
            result.counts.missed += u64::from(game.unplayed > 0);
            result.counts.notes += game.replaced;
            result.output.extend_from_slice(game.text.as_bytes());
            return Ok(());
        }
        result.counts.failed += 1;
        let has_error = reading.faults.iter().any(|fault| fault.severity == Severity::Error);
        match game {
            Some(Err(error)) if !has_error => {
                let message = format!("{}:{}: error: {error}\n", result.file, line.number);
                result.messages.extend_from_slice(message.as_bytes());
            }
            _ => result.report_errors(&reading.faults),
        }
        Ok(())
    }

    fn too_long(&mut self, fault: &Fault, result: &mut JobResult) {
        result.counts.failed += 1;
        let message = "the line is too long to be read and is left out".to_owned();
        result.report(&Fault { message, ..fault.clone() });
    }

    fn piece(&mut self, _: &[u8], _: &mut JobResult) {}
}

/// A game that was made of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordGame {
    /// The game with its end and an empty line.
    pub text: String,
    /// Number of moves of the record that can't be played. They stand in the comment.
    pub unplayed: usize,
    /// Number of characters that PGN can't write in a comment or tag: braces became parentheses, control characters spaces, and of
    /// several spaces one is left.
    pub replaced: u64,
}

/// Makes a game of a record: its position as the start, with the counters of `hmvc` and `fmvn`; the moves of `pv`, else of `sv`, `sm`,
/// or the first of `bm`, as moves; other moves of `bm` as variations; all operations as a comment before the first move. `number`: of
/// the record in its file, for the tag `Round`.
///
/// # Errors
/// The position is illegal.
pub fn record_as_game(record: &Record<'_>, event: &str, number: u64) -> Result<RecordGame, FenError> {
    let game = record.game()?;
    let name = record.id().map_or("?", |id| id.as_ref());
    let mut tags = vec![("Event", event), ("Site", "?"), ("Date", "????.??.??")];
    let (round, fen) = (number.to_string(), game.fen());
    tags.extend([("Round", round.as_str()), ("White", name), ("Black", "?"), ("Result", "*")]);
    if !game.has_standard_start() {
        tags.extend([("SetUp", "1"), ("FEN", fen.as_str())]);
    }
    if game.mode() == game::CastlingMode::Chess960 {
        tags.push(("Variant", "Chess960"));
    }
    if let Some(Some(code)) = record.eco() {
        tags.push(("ECO", code));
    }
    let (mainline, unplayed, replaced) = mainline(record);
    let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
    let tree = GameTree { tags: tags.into_iter().map(own).collect(), mainline, ..GameTree::default() };
    Ok(RecordGame { text: tree.write(), unplayed, replaced })
}

/// The moves of a record, the number of those that can't be played, and that of the characters that its comment can't have.
fn mainline(record: &Record<'_>) -> (MoveLine, usize, u64) {
    let mut unplayed = 0;
    let mut legal = |moves: &[EpdMove<'_>]| {
        let count = moves.iter().take_while(|mv| mv.legal().is_some()).count();
        unplayed += moves.len() - count;
        moves[..count].iter().map(|mv| MoveNode::new(mv.text())).collect::<Vec<_>>()
    };
    let lines = ["pv", "sv", "sm"].map(|opcode| record.moves(opcode));
    let best: Vec<MoveNode> =
        record.moves("bm").iter().flat_map(|mv| legal(std::slice::from_ref(mv))).collect();
    let line =
        lines.into_iter().find(|line| !line.is_empty()).map(&mut legal).filter(|line| !line.is_empty());
    let mut moves = line.unwrap_or_else(|| best.iter().take(1).cloned().collect());
    if let Some(first) = moves.first_mut() {
        let others = best.into_iter().filter(|mv| mv.text != first.text).collect::<Vec<_>>();
        let variation = |mv| Annotation::Variation(MoveLine { before: Vec::new(), moves: vec![mv] });
        first.after = others.into_iter().map(variation).collect();
    }
    let position = Record::new(record.position.clone()).to_string();
    let operations = record.to_string()[position.len()..].trim_start().to_owned();
    let replaced = operations.chars().filter(|c| matches!(c, '{' | '}') || c.is_control()).count() as u64
        + operations.matches("  ").count() as u64;
    let before = Annotation::comment(&operations).into_iter().collect();
    (MoveLine { before, moves }, unplayed, replaced)
}
