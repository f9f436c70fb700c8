//! Prefetching: the processor loads a cache line while it still works on something else.

/// Loads the cache line of a value that will be needed soon.
#[inline]
pub(crate) fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: Prefetching has no effect that a program can see, and SSE is part of x86-64.
    #[expect(unsafe_code)]
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: Prefetching has no effect that a program can see.
    #[expect(unsafe_code)]
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) std::ptr::from_ref(value), options(nostack, readonly, preserves_flags));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = value;
}
