//! Nonblocking pipes, and waiting for several of them.

use std::io::{self, ErrorKind, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

use arrayvec::ArrayVec;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::PipeRead;

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
