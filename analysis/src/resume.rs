//! Resumption of an interrupted run.

use std::io::{self, BufRead, BufReader, Read};

use messages::epd::{Blocks, Content, MoveReading, Record, RecordReader, TextLine};

use crate::{InputFile, JobResult};

/// Progress of an earlier run. Each input line yields one output line in the order of the files, so the output of an interrupted
/// run is a prefix of the whole output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resumption {
    /// Number of finished lines of each file.
    pub lines: Vec<u64>,
    /// Length of the complete lines in the output, in bytes. An incomplete line may follow.
    pub length: u64,
}

/// Why a run can't be resumed.
#[derive(Debug, thiserror::Error)]
pub enum ResumeError {
    /// One of the files can't be read.
    #[error("{0}")]
    Read(#[from] io::Error),
    /// The output does not belong to these inputs.
    #[error("line {output} of the output does not come from line {line} of `{input}`")]
    Different {
        /// Line number in the output.
        output: u64,
        /// Line number in the input.
        line: u64,
        /// Name of the input.
        input: String,
    },
    /// The output is longer than the input.
    #[error("the output has more lines than the input")]
    TooLong,
}

impl Resumption {
    /// Compares the existing output with the inputs, line by line: positions and names of records, and the text of all other
    /// lines. Differences of limit or program can't be detected.
    ///
    /// # Errors
    /// A file can't be read, or the output does not come from these inputs.
    pub fn find(inputs: Vec<InputFile>, output: impl Read) -> Result<Resumption, ResumeError> {
        let (mut output, mut count) = (BufReader::new(output), 0);
        let mut resumption = Resumption::default();
        for input in inputs {
            let name = input.name.clone();
            let mut done = 0;
            'input: for block in Blocks::new(input) {
                for line in block?.lines() {
                    let Some(text) = whole_line(&mut output)? else { break 'input };
                    count += 1;
                    if !comes_from(&text, &line) {
                        return Err(ResumeError::Different { output: count, line: line.number, input: name });
                    }
                    resumption.length += text.len() as u64 + 1;
                    done = line.number;
                }
            }
            resumption.lines.push(done);
        }
        if whole_line(&mut output)?.is_some() {
            return Err(ResumeError::TooLong);
        }
        Ok(resumption)
    }
}

/// The next complete line without its line end; `None` if there is none.
fn whole_line(output: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    output.read_until(b'\n', &mut line)?;
    Ok((line.pop() == Some(b'\n')).then_some(line))
}

/// Whether `text` can be the output for `line`.
fn comes_from(text: &[u8], line: &TextLine<'_>) -> bool {
    let mut kept = JobResult::default();
    kept.keep(line);
    if kept.output.strip_suffix(b"\n") == Some(text) {
        return true;
    }
    let text = String::from_utf8_lossy(text);
    let reader = RecordReader { moves: MoveReading::Syntax, ..RecordReader::default() };
    let (made, given) = (reader.read(&text, 1).record, reader.read(&line.text, 1).record);
    let is_same =
        |(made, given): (Record<'_>, Record<'_>)| made.position == given.position && made.id() == given.id();
    line.content() == Content::Record && made.zip(given).is_some_and(is_same)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

    fn find(folder: &TempDir, names: &[&str], output: &str) -> Result<Resumption, ResumeError> {
        let inputs = names.iter().map(|name| InputFile::open(&folder.path().join(name)).expect("a file"));
        Resumption::find(inputs.collect(), output.as_bytes())
    }

    #[test]
    fn whole_lines_that_come_from_the_input_are_done() {
        let folder = TempDir::new().expect("a folder");
        let record = |id: &str| format!("{START} id \"{id}\";\n");
        let first = format!("\u{feff}# suite\r\n\n{}{}", record("1"), record("2"));
        fs::write(folder.path().join("a"), &first).expect("a file");
        fs::write(folder.path().join("b"), format!("{START}  id 3")).expect("a file");
        let names = ["a", "b"];
        let lines = |output: &str| find(&folder, &names, output).expect("fits").lines;
        assert_eq!(lines(""), [0, 0]);
        assert_eq!(lines("# suite\n\n"), [2, 0]);
        let made = format!("# suite\n\n{START} acn 5; id \"1\"; pm e4;\n");
        assert_eq!(lines(&made), [3, 0]);
        let half = format!("{made}{START} id \"2\"");
        assert_eq!(lines(&half), [3, 0]);
        assert_eq!(find(&folder, &names, &half).expect("fits").length, made.len() as u64);
        let all = format!("{made}{}{START} id \"3\";\n", record("2"));
        assert_eq!(lines(&all), [4, 1]);
        let longer = find(&folder, &names, &format!("{all}\n"));
        assert!(matches!(longer, Err(ResumeError::TooLong)));
        let other = find(&folder, &names, &format!("{made}{}", record("x"))).expect_err("another record");
        assert_eq!(
            other.to_string(),
            "line 4 of the output does not come from line 4 of `a`"
                .replace("`a`", &format!("`{}`", folder.path().join("a").display()))
        );
    }
}
