//! The files of games and of positions, which a match writes for others.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use game::{counted, pgn_gap};

use super::append_file::AppendFile;
use super::{MatchFiles, StoreError};

/// The files that a match writes for others.
#[derive(Debug)]
pub(super) struct MatchOutputs {
    pgn: Option<MatchOutput>,
    epd: Option<MatchOutput>,
}

/// A file of games or of positions.
#[derive(Debug)]
pub(super) struct MatchOutput {
    file: AppendFile,
    kind: MatchOutputKind,
    /// What comes before the next record, so that it does not join one that was there.
    pub(super) gap: &'static str,
}

/// Whether a text begins with a tag of PGN: `[Name "`.
fn begins_with_tag(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"[") else { return false };
    let rest = rest.trim_ascii_start();
    let length = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    rest.first().is_some_and(u8::is_ascii_alphabetic) && rest[length..].trim_ascii_start().starts_with(b"\"")
}

/// Number of bytes of a file in which its kind is looked for.
const BEGINNING: u64 = 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MatchOutputKind {
    Games,
    Positions,
}

impl MatchOutputs {
    pub(super) fn open(files: MatchFiles<'_>) -> Result<MatchOutputs, StoreError> {
        let open = |path: Option<&Path>, kind| path.map(|path| MatchOutput::open(path, kind)).transpose();
        let pgn = open(files.pgn, MatchOutputKind::Games)?;
        let epd = open(files.epd, MatchOutputKind::Positions)?;
        Ok(MatchOutputs { pgn, epd })
    }

    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut MatchOutput> {
        self.pgn.iter_mut().chain(&mut self.epd)
    }

    /// Returns the lengths of both files, 0 for one that is absent.
    pub(super) fn ends(&self) -> [u64; 2] {
        [&self.pgn, &self.epd].map(|output| output.as_ref().map_or(0, |output| output.file.length))
    }

    /// Returns the lengths of both files after another game, 0 for one that is absent.
    pub(super) fn ends_after(&self, pgn: &str, epd: &str) -> [u64; 2] {
        [(&self.pgn, pgn), (&self.epd, epd)].map(|(output, text)| {
            output.as_ref().map_or(0, |output| output.file.length + (output.gap.len() + text.len()) as u64)
        })
    }

    pub(super) fn append(&mut self, pgn: &str, epd: &str) -> Result<(), StoreError> {
        for (output, text) in [(&mut self.pgn, pgn), (&mut self.epd, epd)] {
            if let Some(MatchOutput { file, gap, .. }) = output {
                file.append(format!("{gap}{text}").as_bytes())?;
            }
        }
        Ok(())
    }

    /// Checks that the files are what a new match may append to.
    pub(super) fn check_kinds(&mut self) -> Result<(), StoreError> {
        self.all().try_for_each(|output| output.check_kind())
    }

    /// Checks that the files have these lengths at least and at most.
    pub(super) fn check_lengths(&self, least: [u64; 2], most: [u64; 2]) -> Result<(), StoreError> {
        let outputs = [&self.pgn, &self.epd].into_iter().zip(least.into_iter().zip(most));
        outputs
            .filter_map(|(output, limits)| Some((output.as_ref()?, limits)))
            .try_for_each(|(output, (least, most))| output.check_length(least, most))
    }

    pub(super) fn cut(&mut self, ends: [u64; 2]) {
        for (output, end) in [&mut self.pgn, &mut self.epd].into_iter().zip(ends) {
            if let Some(output) = output {
                output.file.cut(end);
            }
        }
    }
}

impl MatchOutput {
    fn open(path: &Path, kind: MatchOutputKind) -> Result<MatchOutput, StoreError> {
        Ok(MatchOutput { file: AppendFile::open(path)?, kind, gap: "" })
    }

    /// Checks that what the file begins with is of its kind.
    fn check_kind(&self) -> Result<(), StoreError> {
        let AppendFile { path, file, length, .. } = &self.file;
        // A device has no length.
        if *length == 0 {
            return Ok(());
        }
        let failed = |error| StoreError::Io { path: path.clone(), action: "read", error };
        let mut start = file;
        let mut bytes = Vec::new();
        start.rewind().and_then(|()| start.take(BEGINNING).read_to_end(&mut bytes)).map_err(failed)?;
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes).trim_ascii_start();
        let is_own = match self.kind {
            MatchOutputKind::Games => begins_with_tag(bytes),
            // Placement and side to move, perhaps behind comments.
            MatchOutputKind::Positions => {
                let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
                let first =
                    lines.find(|line| !line.is_empty() && !line.starts_with(b"#")).unwrap_or_default();
                let mut fields = first.split(u8::is_ascii_whitespace);
                let is_placement = fields.next().is_some_and(|placement| placement.contains(&b'/'));
                is_placement && matches!(fields.next(), Some(b"w" | b"b"))
            }
        };
        if bytes.is_empty() || is_own {
            return Ok(());
        }
        let kind = if self.kind == MatchOutputKind::Games { "games in PGN" } else { "positions in EPD" };
        Err(StoreError::OtherKind { path: path.clone(), kind })
    }

    pub(super) fn find_gap(&mut self) -> Result<(), StoreError> {
        let AppendFile { path, file, length, .. } = &self.file;
        let failed = |error| StoreError::Io { path: path.clone(), action: "read", error };
        self.gap = match self.kind {
            _ if *length == 0 => "",
            MatchOutputKind::Games => pgn_gap(&mut &*file).map_err(failed)?,
            MatchOutputKind::Positions => {
                let mut last = [0];
                let mut file = file;
                file.seek(SeekFrom::End(-1)).and_then(|_| file.read_exact(&mut last)).map_err(failed)?;
                if last == *b"\n" { "" } else { "\n" }
            }
        };
        Ok(())
    }

    fn check_length(&self, least: u64, most: u64) -> Result<(), StoreError> {
        let AppendFile { path, length, .. } = &self.file;
        let reason = if *length < least {
            format!("it has {} of {least}", counted(*length, "byte"))
        } else if *length > most {
            format!("it has {} more", counted(*length - most, "byte"))
        } else {
            return Ok(());
        };
        Err(StoreError::ChangedOutput { path: path.clone(), reason })
    }
}
