//! Zeroed memory for large tables, on large pages where the system has them.

use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use bytemuck::Pod;

#[cfg(target_family = "wasm")]
pub(crate) use allocated::{Memory, zeroed};
#[cfg(not(target_family = "wasm"))]
pub(crate) use mapped::{Memory, zeroed};

/// Size of a large page of x86 and ARM processors.
const LARGE_PAGE: usize = 2 << 20;

/// A large value whose bytes are zero at first, in as many large pages as it takes.
pub(crate) struct Zeroed<T> {
    memory: Memory,
    /// Where the value begins.
    start: usize,
    kind: PhantomData<T>,
}

impl<T: Pod> Zeroed<T> {
    /// Reserves the memory.
    ///
    /// # Panics
    /// If there is not enough memory.
    pub(crate) fn new() -> Zeroed<T> {
        let size = size_of::<T>().next_multiple_of(LARGE_PAGE);
        let memory = zeroed(size + LARGE_PAGE).expect("memory for the tables of a thread");
        let start = memory.as_ptr().align_offset(LARGE_PAGE);
        Zeroed { memory, start, kind: PhantomData }
    }
}

impl<T: Pod> Deref for Zeroed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        bytemuck::from_bytes(&self.memory[self.start..][..size_of::<T>()])
    }
}

impl<T: Pod> DerefMut for Zeroed<T> {
    fn deref_mut(&mut self) -> &mut T {
        bytemuck::from_bytes_mut(&mut self.memory[self.start..][..size_of::<T>()])
    }
}

#[cfg(not(target_family = "wasm"))]
mod mapped {
    use std::io;

    /// Memory of the operating system, aligned to its pages, which come as they are touched.
    pub(crate) type Memory = memmap2::MmapMut;

    /// Reserves so many bytes.
    pub(crate) fn zeroed(bytes: usize) -> io::Result<Memory> {
        let memory = Memory::map_anon(bytes)?;
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage); // only a hint: fewer misses in the page tables
        Ok(memory)
    }
}

/// WebAssembly has no pages to be mapped.
#[cfg(target_family = "wasm")]
mod allocated {
    use std::io::{self, ErrorKind};
    use std::ops::{Deref, DerefMut};

    /// A line of the processor's cache.
    #[repr(C, align(64))]
    #[derive(Clone)]
    struct Line([u8; 64]);

    /// Memory that is aligned to [`Line`].
    pub(crate) struct Memory(Vec<Line>);

    /// Reserves so many bytes, rounded up to a line.
    pub(crate) fn zeroed(bytes: usize) -> io::Result<Memory> {
        let mut lines = Vec::new();
        let count = bytes.div_ceil(size_of::<Line>());
        lines.try_reserve_exact(count).map_err(|_| ErrorKind::OutOfMemory)?;
        lines.resize(count, Line([0; _]));
        Ok(Memory(lines))
    }

    impl Deref for Memory {
        type Target = [u8];

        fn deref(&self) -> &[u8] {
            // SAFETY: the lines are arrays of bytes without padding.
            #[expect(unsafe_code)]
            unsafe {
                std::slice::from_raw_parts(self.0.as_ptr().cast(), size_of_val(self.0.as_slice()))
            }
        }
    }

    impl DerefMut for Memory {
        fn deref_mut(&mut self) -> &mut [u8] {
            // SAFETY: likewise, and nobody else refers to them.
            #[expect(unsafe_code)]
            unsafe {
                std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), size_of_val(self.0.as_slice()))
            }
        }
    }
}
