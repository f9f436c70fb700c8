//! Nonblocking pipes, and waiting for several of them.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// Maximum number of sources for one wait.
const MOST_SOURCES: usize = 4;

/// A file that can be waited for, until there is data to read or room to write.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    file: BorrowedFd<'a>,
    event: PollFlags,
}

impl<'a> Source<'a> {
    /// Source that is ready when there is data to read from a connection, or its end.
    pub fn incoming(connection: &'a TcpStream) -> Source<'a> {
        Source::readable(connection)
    }

    /// Source that is ready when a connection can be accepted.
    pub fn connecting(listener: &'a TcpListener) -> Source<'a> {
        Source::readable(listener)
    }

    /// Source that is ready when there is room to write to a connection, or it is closed.
    pub fn room(connection: &'a TcpStream) -> Source<'a> {
        Source { file: connection.as_fd(), event: PollFlags::OUT }
    }

    pub(crate) fn readable(file: &'a impl AsFd) -> Source<'a> {
        Source { file: file.as_fd(), event: PollFlags::IN }
    }
}

/// Waits until one of the sources, at most four, is ready or has been closed, or until `until`. Returns whether one is ready. A
/// signal may end the wait early.
pub fn wait(sources: &[Source<'_>], until: Instant) -> bool {
    let mut watched: ArrayVec<PollFd<'_>, MOST_SOURCES> =
        sources.iter().map(|source| PollFd::from_borrowed_fd(source.file, source.event)).collect();
    // A time too long for the system is treated as no limit.
    let timeout = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
    // For open files, the only error is an interruption by a signal.
    poll(&mut watched, timeout.as_ref()).is_ok_and(|ready| ready > 0)
}

/// Result of a nonblocking read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PipeRead {
    /// Number of bytes read, at least one.
    Bytes(usize),
    /// No data for now.
    Nothing,
    /// End of the data: every writer has closed the pipe.
    End,
}

/// Reading end of a pipe; reads never block.
#[derive(Debug)]
pub struct PipeReader(io::PipeReader);

impl PipeReader {
    pub(crate) fn new(pipe: impl Into<OwnedFd>) -> io::Result<PipeReader> {
        let pipe = pipe.into();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(PipeReader(pipe.into()))
    }

    /// Reads the available data, up to the length of the buffer. An error counts as the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> PipeRead {
        match self.0.read(buffer) {
            Ok(0) => PipeRead::End,
            Ok(read) => PipeRead::Bytes(read),
            Err(error) if is_temporary(&error) => PipeRead::Nothing,
            Err(_) => PipeRead::End,
        }
    }

    /// Source that is ready when there is data to read, or the end.
    pub fn source(&self) -> Source<'_> {
        Source::readable(&self.0)
    }
}

/// Writing end of a pipe; writes never block.
#[derive(Debug)]
pub struct PipeWriter(io::PipeWriter);

impl PipeWriter {
    pub(crate) fn new(pipe: impl Into<OwnedFd>) -> io::Result<PipeWriter> {
        let pipe = pipe.into();
        rustix::io::ioctl_fionbio(&pipe, true)?;
        Ok(PipeWriter(pipe.into()))
    }

    /// Writes as many bytes as there is room for, and returns their number: 0 if the pipe is full.
    ///
    /// # Errors
    /// Every reader has closed the pipe.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).or_else(|error| if is_temporary(&error) { Ok(0) } else { Err(error) })
    }

    /// Source that is ready when there is room, or every reader has closed the pipe.
    pub fn room(&self) -> Source<'_> {
        Source { file: self.0.as_fd(), event: PollFlags::OUT }
    }

    /// Whether everything written has been read; true if the system call fails.
    pub fn is_empty(&self) -> bool {
        rustix::io::ioctl_fionread(&self.0).map_or(true, |unread| unread == 0)
    }
}

fn is_temporary(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// A source by which another thread wakes a waiting one. See [`bell`].
#[derive(Debug)]
pub struct Bell(io::PipeReader);

/// The other end of a [`Bell`].
#[derive(Debug)]
pub struct Ringer(io::PipeWriter);

/// Creates a bell and its ringer.
///
/// # Errors
/// The system has no more descriptors.
pub fn bell() -> io::Result<(Bell, Ringer)> {
    let (bell, ringer) = io::pipe()?;
    Ok((Bell(bell), Ringer(ringer)))
}

impl Bell {
    /// Source that is ready while there are more rings than calls of [`Bell::hear`], and for ever once the ringer is dropped.
    pub fn source(&self) -> Source<'_> {
        Source::readable(&self.0)
    }

    /// Consumes one ring; waits for it unless the ringer is dropped.
    pub fn hear(&self) {
        let _ = (&self.0).read_exact(&mut [0]);
    }
}

impl Ringer {
    /// Makes a second ringer of the same bell.
    ///
    /// # Errors
    /// The system has no more descriptors.
    pub fn try_clone(&self) -> io::Result<Ringer> {
        Ok(Ringer(self.0.try_clone()?))
    }

    /// Rings once. Blocks after some thousands of rings that were not heard.
    ///
    /// # Errors
    /// The bell was dropped.
    pub fn ring(&mut self) -> io::Result<()> {
        self.0.write_all(b".")
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    #[test]
    fn a_wait_ends_at_its_time_or_when_a_source_is_ready() {
        let (bell, mut ringer) = bell().unwrap();
        let began = Instant::now();
        assert!(!wait(&[bell.source()], began + Duration::from_millis(3)));
        assert!(began.elapsed() >= Duration::from_millis(3));
        let (other, _ringer) = super::bell().unwrap();
        let ringing = thread::spawn(move || {
            ringer.ring().unwrap();
            ringer
        });
        assert!(wait(&[other.source(), bell.source()], began + LONG));
        bell.hear();
        assert!(!wait(&[bell.source()], Instant::now()));
        drop(ringing.join().unwrap());
        assert!(wait(&[bell.source()], began + LONG) && began.elapsed() < LONG);
    }

    #[test]
    fn reads_and_writes_do_not_block() {
        let (reader, writer) = io::pipe().unwrap();
        let (mut reader, mut writer) = (PipeReader::new(reader).unwrap(), PipeWriter::new(writer).unwrap());
        let mut buffer = vec![0; 1 << 20];
        assert_eq!(reader.read(&mut buffer), PipeRead::Nothing);
        let written = writer.write(&buffer).unwrap();
        assert!(written > 0 && written < buffer.len() && !writer.is_empty());
        assert_eq!(writer.write(&buffer).unwrap(), 0);
        assert!(!wait(&[writer.room()], Instant::now()));
        let mut read = 0;
        while let PipeRead::Bytes(bytes) = reader.read(&mut buffer) {
            read += bytes;
        }
        assert!(read == written && writer.is_empty() && wait(&[writer.room()], Instant::now()));
        drop(writer);
        // A program that another thread is starting may still have it open.
        let ended = (0..1000).any(|_| {
            wait(&[reader.source()], Instant::now() + Duration::from_millis(5));
            reader.read(&mut buffer) == PipeRead::End
        });
        assert!(ended);
    }
}
