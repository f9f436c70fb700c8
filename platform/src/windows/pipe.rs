//! Pipes whose reads and writes do not block, as threads do the work, and bells.

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use super::watch::{Source, wake_all};
use crate::PipeRead;

/// Most bytes that wait in a queue, as in a pipe of Linux.
const ROOM: usize = 1 << 16;

/// Bytes between a thread that reads or writes a pipe and the rest of the program.
#[derive(Debug, Default)]
pub(super) struct Queue {
    state: Mutex<QueueState>,
    /// The state has changed. Only the thread of the pipe waits for it; the others wait for sources.
    changed: Condvar,
}

#[derive(Debug, Default)]
struct QueueState {
    bytes: VecDeque<u8>,
    /// Bytes that have left the queue and are not yet written.
    in_flight: usize,
    /// There will be no more bytes, or nobody will read them.
    is_closed: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.changed.notify_all();
        wake_all();
    }

    pub(super) fn has_data_or_end(&self) -> bool {
        let state = self.lock();
        !state.bytes.is_empty() || state.is_closed
    }

    pub(super) fn has_room_or_end(&self) -> bool {
        let state = self.lock();
        state.bytes.len() < ROOM || state.is_closed
    }

    /// Waits for as long as the condition holds.
    fn wait_while(&self, condition: impl FnMut(&mut QueueState) -> bool) -> MutexGuard<'_, QueueState> {
        self.changed.wait_while(self.lock(), condition).unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes a queue when its thread ends, even by a panic.
struct Closing(Arc<Queue>);

impl Drop for Closing {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Reading end of a pipe; reads never block.
#[derive(Debug)]
pub struct PipeReader(Arc<Queue>);

impl PipeReader {
    pub(crate) fn new(mut pipe: impl Read + Send + 'static) -> io::Result<PipeReader> {
        let queue = Arc::new(Queue::default());
        let closing = Closing(Arc::clone(&queue));
        thread::Builder::new().name("pipe reader".into()).spawn(move || {
            let mut buffer = vec![0; ROOM];
            loop {
                let length = match pipe.read(&mut buffer) {
                    Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                    Ok(0) | Err(_) => return,
                    Ok(length) => length,
                };
                let mut state = closing.0.wait_while(|state| state.bytes.len() >= ROOM && !state.is_closed);
                if state.is_closed {
                    return;
                }
                state.bytes.extend(&buffer[..length]);
                drop(state);
                wake_all();
            }
        })?;
        Ok(PipeReader(queue))
    }

    /// Reads the available data, up to the length of the buffer. An error counts as the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> PipeRead {
        let mut state = self.0.lock();
        match state.bytes.read(buffer) {
            Ok(length) if length > 0 => {
                self.0.changed.notify_all();
                PipeRead::Bytes(length)
            }
            _ if state.is_closed => PipeRead::End,
            _ => PipeRead::Nothing,
        }
    }

    /// Source that is ready when there is data to read, or the end.
    pub fn source(&self) -> Source<'_> {
        Source::data(&self.0)
    }
}

impl Drop for PipeReader {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Writing end of a pipe; writes never block.
#[derive(Debug)]
pub struct PipeWriter(Arc<Queue>);

impl PipeWriter {
    pub(crate) fn new(mut pipe: impl Write + Send + 'static) -> io::Result<PipeWriter> {
        let queue = Arc::new(Queue::default());
        let closing = Closing(Arc::clone(&queue));
        thread::Builder::new().name("pipe writer".into()).spawn(move || {
            loop {
                let mut state = closing.0.wait_while(|state| state.bytes.is_empty() && !state.is_closed);
                let bytes: Vec<u8> = state.bytes.drain(..).collect();
                state.in_flight = bytes.len();
                drop(state);
                wake_all();
                // What was written before the end is still delivered.
                if bytes.is_empty() || pipe.write_all(&bytes).and_then(|()| pipe.flush()).is_err() {
                    return;
                }
                closing.0.lock().in_flight = 0;
            }
        })?;
        Ok(PipeWriter(queue))
    }

    /// Writes as many bytes as there is room for, and returns their number: 0 if the pipe is full.
    ///
    /// # Errors
    /// Every reader has closed the pipe.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        if state.is_closed {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let length = bytes.len().min(ROOM - state.bytes.len().min(ROOM));
        state.bytes.extend(&bytes[..length]);
        self.0.changed.notify_all();
        Ok(length)
    }

    /// Source that is ready when there is room, or every reader has closed the pipe.
    pub fn room(&self) -> Source<'_> {
        Source::room_in(&self.0)
    }

    /// Whether everything written has been handed to the system. Windows doesn't tell whether it has been read.
    pub fn is_empty(&self) -> bool {
        let state = self.0.lock();
        state.bytes.is_empty() && state.in_flight == 0
    }
}

impl Drop for PipeWriter {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// A source by which another thread wakes a waiting one. See [`bell`].
#[derive(Debug)]
pub struct Bell(Arc<BellState>);

/// The other end of a [`Bell`].
#[derive(Clone, Debug)]
pub struct Ringer(Arc<LastRinger>);

/// Dropped with the last ringer of a bell.
#[derive(Debug)]
struct LastRinger(Arc<BellState>);

#[derive(Debug, Default)]
pub(super) struct BellState {
    state: Mutex<Rings>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Rings {
    unheard: usize,
    /// There is no ringer, or no bell, any more.
    is_over: bool,
}

impl BellState {
    fn change(&self, change: impl FnOnce(&mut Rings)) {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
        wake_all();
    }

    pub(super) fn is_ringing(&self) -> bool {
        let rings = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        rings.unheard > 0 || rings.is_over
    }
}

/// Creates a bell and its ringer.
///
/// # Errors
/// Never.
pub fn bell() -> io::Result<(Bell, Ringer)> {
    let state = Arc::new(BellState::default());
    Ok((Bell(Arc::clone(&state)), Ringer(Arc::new(LastRinger(state)))))
}

impl Bell {
    /// Source that is ready while there are more rings than calls of [`Bell::hear`], and for ever once the ringer is dropped.
    pub fn source(&self) -> Source<'_> {
        Source::ring(&self.0)
    }

    /// Consumes one ring; waits for it unless the ringer is dropped.
    pub fn hear(&self) {
        let rings = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = |rings: &mut Rings| rings.unheard == 0 && !rings.is_over;
        let mut rings = self.0.changed.wait_while(rings, waits).unwrap_or_else(PoisonError::into_inner);
        rings.unheard = rings.unheard.saturating_sub(1);
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        self.0.change(|rings| rings.is_over = true);
    }
}

impl Drop for LastRinger {
    fn drop(&mut self) {
        self.0.change(|rings| rings.is_over = true);
    }
}

impl Ringer {
    /// Makes a second ringer of the same bell.
    ///
    /// # Errors
    /// Never.
    pub fn try_clone(&self) -> io::Result<Ringer> {
        Ok(self.clone())
    }

    /// Rings once.
    ///
    /// # Errors
    /// The bell was dropped.
    pub fn ring(&mut self) -> io::Result<()> {
        // While there is a ringer, only the bell's end makes it over.
        let mut is_over = false;
        self.0.0.change(|rings| {
            rings.unheard += 1;
            is_over = rings.is_over;
        });
        if is_over { Err(ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }
}
