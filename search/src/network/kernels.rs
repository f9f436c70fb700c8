//! The arithmetic of the network: a portable kernel and kernels for AVX2, AVX-512, NEON and WebAssembly. All give identical results: the
//! numbers are integers, and networks whose output could overflow are rejected. The sums of neurons wrap on overflow;
//! those of Herald's networks can't overflow, as the trainer clips their weights.

#![expect(unsafe_code, reason = "instructions that not every processor has, on blocks of memory")]

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::{
    vaddvq_s32, vdupq_n_s16, vdupq_n_s32, vget_low_s16, vld1q_s16, vmaxq_s16, vminq_s16, vmlal_high_s16,
    vmlal_s16, vqrdmulhq_s16, vshlq_n_s16,
};
#[cfg(target_feature = "simd128")]
use std::arch::wasm32::{
    i16x8_max, i16x8_min, i16x8_q15mulr_sat, i16x8_shl, i16x8_splat, i32x4_add, i32x4_dot_i16x8,
    i32x4_extract_lane, i32x4_splat, v128_load,
};
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m256i, _mm256_add_epi32, _mm256_load_si256, _mm256_madd_epi16, _mm256_max_epi16, _mm256_min_epi16,
    _mm256_mulhrs_epi16, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_slli_epi16, _mm256_storeu_si256,
    _mm512_dpwssd_epi32, _mm512_load_si512, _mm512_max_epi16, _mm512_min_epi16, _mm512_mulhrs_epi16,
    _mm512_reduce_add_epi32, _mm512_set1_epi16, _mm512_setzero_si512, _mm512_slli_epi16,
};

use super::{ACTIVATED_UNIT, HIDDEN_UNIT};

/// Number of values in a block.
pub(super) const LANES: usize = 32;

/// A block of neurons or weights, aligned for the widest registers.
#[repr(align(64))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Block(pub(super) [i16; LANES]);

/// A kernel, identified by its instruction set. Only [`Kernel::available`] creates kernels other than the portable one,
/// so that their instructions are available.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kernel(Instructions);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Portable,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// AVX-512 with VNNI.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Part of every 64-bit ARM processor.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Of WebAssembly, where the compiler was told to use it.
    #[cfg(target_feature = "simd128")]
    Simd128,
}

impl Kernel {
    pub(super) const PORTABLE: Kernel = Kernel(Instructions::Portable);

    /// Returns all kernels that this processor supports, fastest last.
    pub(super) fn available() -> Vec<Kernel> {
        let mut kernels = vec![Kernel::PORTABLE];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                kernels.push(Kernel(Instructions::Avx2));
            }
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512vnni")
            {
                kernels.push(Kernel(Instructions::Avx512));
            }
        }
        #[cfg(target_arch = "aarch64")]
        kernels.push(Kernel(Instructions::Neon));
        #[cfg(target_feature = "simd128")]
        kernels.push(Kernel(Instructions::Simd128));
        kernels
    }

    /// Returns the fastest kernel that this processor supports.
    pub(super) fn best() -> Kernel {
        Kernel::available().pop().unwrap_or(Kernel::PORTABLE)
    }

    /// Sets `to` to `from`, or to its own value if `from` is `None`, plus the rows `added` minus the rows `removed`.
    /// All have the same length.
    #[inline]
    pub(super) fn update<const ADDED: usize, const REMOVED: usize>(
        self,
        from: Option<&[Block]>,
        to: &mut [Block],
        added: [&[Block]; ADDED],
        removed: [&[Block]; REMOVED],
    ) {
        match self.0 {
            Instructions::Portable => update(from, to, added, removed),
            // SAFETY: a kernel with these instructions is only made where the processor has them.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { update_avx2(from, to, added, removed) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { update_avx512(from, to, added, removed) },
            // The compiler uses these instructions everywhere.
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => update(from, to, added, removed),
            #[cfg(target_feature = "simd128")]
            Instructions::Simd128 => update(from, to, added, removed),
        }
    }

    /// Returns, for both sides, the dot product of the squared clipped neurons (`SCReLU`) and their weights. All slices have
    /// the same length.
    ///
    /// The square of a neuron in units of 1/[`super::ACTIVATED_UNIT`] fits 16 bits, and the sum fits 32 bits
    /// ([`super::OUTPUT_WEIGHT_SUM`]).
    #[inline]
    pub(super) fn dots(self, sides: [(&[Block], &[Block]); 2]) -> [i32; 2] {
        match self.0 {
            Instructions::Portable => sides.map(|(values, weights)| dot(values, weights)),
            // SAFETY: a kernel with these instructions is only made where the processor has them.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { dots_avx2(sides) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { dots_avx512(sides) },
            #[cfg(target_arch = "aarch64")]
            Instructions::Neon => sides.map(|(values, weights)| dot_neon(values, weights)),
            #[cfg(target_feature = "simd128")]
            Instructions::Simd128 => sides.map(|(values, weights)| dot_simd128(values, weights)),
        }
    }
}

/// Returns a block of the update at an index. Inlined, so that the compiler vectorises it with the instructions of its
/// caller.
#[inline(always)]
#[expect(clippy::inline_always, reason = "it must become part of functions with other instructions")]
fn changed<const ADDED: usize, const REMOVED: usize>(
    Block(mut values): Block,
    index: usize,
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) -> Block {
    for row in added {
        values.iter_mut().zip(&row[index].0).for_each(|(value, weight)| *value = value.wrapping_add(*weight));
    }
    for row in removed {
        values.iter_mut().zip(&row[index].0).for_each(|(value, weight)| *value = value.wrapping_sub(*weight));
    }
    Block(values)
}

#[inline(always)]
#[expect(clippy::inline_always, reason = "it must become part of functions with other instructions")]
#[expect(clippy::needless_range_loop, reason = "measured: iterators leave checks at each index")]
fn update<const ADDED: usize, const REMOVED: usize>(
    from: Option<&[Block]>,
    to: &mut [Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    let width = to.len(); // the others are cut to it once, not checked at each index
    let (added, removed) = (added.map(|row| &row[..width]), removed.map(|row| &row[..width]));
    if let Some(from) = from {
        let from = &from[..width];
        for index in 0..width {
            to[index] = changed(from[index], index, added, removed);
        }
    } else {
        for index in 0..width {
            to[index] = changed(to[index], index, added, removed);
        }
    }
}

/// Returns the square of a clipped neuron, in units of 1/[`super::ACTIVATED_UNIT`].
fn activated(value: i16) -> i32 {
    let clipped = i32::from(value).clamp(0, HIDDEN_UNIT);
    (clipped * clipped + SQUARES_A_UNIT / 2) / SQUARES_A_UNIT
}

/// Divisor of a squared neuron. The SIMD instruction (`mulhrs`) divides the product of two numbers by 2^15 with
/// rounding, so the factors are multiplied by 8 and 16 beforehand.
const SQUARES_A_UNIT: i32 = HIDDEN_UNIT * HIDDEN_UNIT / ACTIVATED_UNIT;
const _: () = assert!(SQUARES_A_UNIT * 8 * 16 == 1 << 15);

fn dot(values: &[Block], weights: &[Block]) -> i32 {
    let products = values.iter().zip(weights).map(|(values, weights)| {
        let products =
            values.0.iter().zip(&weights.0).map(|(&value, &weight)| activated(value) * i32::from(weight));
        products.fold(0i32, i32::wrapping_add)
    });
    products.fold(0, i32::wrapping_add)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn update_avx2<const ADDED: usize, const REMOVED: usize>(
    from: Option<&[Block]>,
    to: &mut [Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    update(from, to, added, removed);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw")]
fn update_avx512<const ADDED: usize, const REMOVED: usize>(
    from: Option<&[Block]>,
    to: &mut [Block],
    added: [&[Block]; ADDED],
    removed: [&[Block]; REMOVED],
) {
    update(from, to, added, removed);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dots_avx2([(values, weights), (other_values, other_weights)]: [(&[Block], &[Block]); 2]) -> [i32; 2] {
    [dot_avx2(values, weights), dot_avx2(other_values, other_weights)]
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
#[inline]
fn dot_avx2(values: &[Block], weights: &[Block]) -> i32 {
    let (zero, top) = (_mm256_setzero_si256(), _mm256_set1_epi16(HIDDEN_UNIT as i16));
    let mut sums = zero;
    for (values, weights) in values.iter().zip(weights) {
        for half in 0..2 {
            // SAFETY: a block is two registers long and aligned to 64 bytes.
            let (value, weight) = unsafe {
                (
                    _mm256_load_si256(std::ptr::from_ref(values).cast::<__m256i>().add(half)),
                    _mm256_load_si256(std::ptr::from_ref(weights).cast::<__m256i>().add(half)),
                )
            };
            let clipped = _mm256_min_epi16(_mm256_max_epi16(value, zero), top);
            let activated = _mm256_mulhrs_epi16(_mm256_slli_epi16(clipped, 3), _mm256_slli_epi16(clipped, 4));
            sums = _mm256_add_epi32(sums, _mm256_madd_epi16(activated, weight));
        }
    }
    let mut lanes = [0i32; 8];
    // SAFETY: the lanes are as long as the register, and need no alignment.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), sums) };
    lanes.iter().fold(0, |sum, lane| sum.wrapping_add(*lane))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
fn dots_avx512([(values, weights), (other_values, other_weights)]: [(&[Block], &[Block]); 2]) -> [i32; 2] {
    [dot_avx512(values, weights), dot_avx512(other_values, other_weights)]
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512vnni")]
#[inline]
fn dot_avx512(values: &[Block], weights: &[Block]) -> i32 {
    let (zero, top) = (_mm512_setzero_si512(), _mm512_set1_epi16(HIDDEN_UNIT as i16));
    let mut sums = zero;
    for (values, weights) in values.iter().zip(weights) {
        // SAFETY: a block is one register long and aligned to 64 bytes.
        let (value, weight) = unsafe {
            (
                _mm512_load_si512(std::ptr::from_ref(values).cast()),
                _mm512_load_si512(std::ptr::from_ref(weights).cast()),
            )
        };
        let clipped = _mm512_min_epi16(_mm512_max_epi16(value, zero), top);
        let activated = _mm512_mulhrs_epi16(_mm512_slli_epi16(clipped, 3), _mm512_slli_epi16(clipped, 4));
        sums = _mm512_dpwssd_epi32(sums, activated, weight);
    }
    _mm512_reduce_add_epi32(sums)
}

#[cfg(target_arch = "aarch64")]
fn dot_neon(values: &[Block], weights: &[Block]) -> i32 {
    // SAFETY: NEON is part of the processor, and each load reads eight of the values of a block.
    unsafe {
        let (zero, top) = (vdupq_n_s16(0), vdupq_n_s16(HIDDEN_UNIT as i16));
        let (mut low, mut high) = (vdupq_n_s32(0), vdupq_n_s32(0));
        for (values, weights) in values.iter().zip(weights) {
            for (values, weights) in values.0.as_chunks::<8>().0.iter().zip(weights.0.as_chunks::<8>().0) {
                let (value, weight) = (vld1q_s16(values.as_ptr()), vld1q_s16(weights.as_ptr()));
                let clipped = vminq_s16(vmaxq_s16(value, zero), top);
                let activated = vqrdmulhq_s16(vshlq_n_s16::<3>(clipped), vshlq_n_s16::<4>(clipped));
                low = vmlal_s16(low, vget_low_s16(activated), vget_low_s16(weight));
                high = vmlal_high_s16(high, activated, weight);
            }
        }
        vaddvq_s32(low).wrapping_add(vaddvq_s32(high))
    }
}

#[cfg(target_feature = "simd128")]
fn dot_simd128(values: &[Block], weights: &[Block]) -> i32 {
    let (zero, top) = (i16x8_splat(0), i16x8_splat(HIDDEN_UNIT as i16));
    let mut sums = i32x4_splat(0);
    for (values, weights) in values.iter().zip(weights) {
        for (values, weights) in values.0.as_chunks::<8>().0.iter().zip(weights.0.as_chunks::<8>().0) {
            // SAFETY: each load reads eight of the values of a block, at any alignment.
            let (value, weight) =
                unsafe { (v128_load(values.as_ptr().cast()), v128_load(weights.as_ptr().cast())) };
            let clipped = i16x8_min(i16x8_max(value, zero), top);
            let activated = i16x8_q15mulr_sat(i16x8_shl(clipped, 3), i16x8_shl(clipped, 4));
            sums = i32x4_add(sums, i32x4_dot_i16x8(activated, weight));
        }
    }
    let lanes = [
        i32x4_extract_lane::<0>(sums),
        i32x4_extract_lane::<1>(sums),
        i32x4_extract_lane::<2>(sums),
        i32x4_extract_lane::<3>(sums),
    ];
    lanes.iter().fold(0, |sum, lane| sum.wrapping_add(*lane))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::tests::Dice;

    /// Random blocks with magnitudes up to a limit; neurons may exceed the range that they are clipped to.
    fn blocks(dice: &mut Dice, limit: i16) -> Vec<Block> {
        (0..5).map(|_| Block(std::array::from_fn(|_| dice.within(limit)))).collect()
    }

    #[test]
    fn all_kernels_give_the_same_numbers() {
        let mut dice = Dice(7);
        for _ in 0..200 {
            let values = blocks(&mut dice, 800);
            let rows: Vec<_> = (0..4).map(|_| blocks(&mut dice, i16::MAX)).collect();
            let weights = blocks(&mut dice, super::super::OUTPUT_WEIGHT_LIMIT);
            let results: Vec<_> = Kernel::available()
                .into_iter()
                .map(|kernel| {
                    let mut updated = [values.clone(), values.clone(), values.clone()];
                    kernel.update(Some(&values), &mut updated[0], [&rows[0]], [&rows[1]]);
                    kernel.update(Some(&values), &mut updated[1], [&rows[0]], [&rows[1], &rows[2]]);
                    kernel.update(Some(&values), &mut updated[2], [&rows[0], &rows[1]], [&rows[2], &rows[3]]);
                    let mut changed = values.clone();
                    kernel.update(None, &mut changed, [&rows[0]], []);
                    kernel.update(None, &mut changed, [], [&rows[3]]);
                    (updated, changed, kernel.dots([(&values, &weights), (&rows[0], &weights)]))
                })
                .collect();
            assert!(results.windows(2).all(|pair| pair[0] == pair[1]), "{:?}", Kernel::available());
        }
    }

    #[test]
    fn the_dot_product_is_that_of_squared_clipped_values() {
        let mut dice = Dice(8);
        let (values, weights) = (blocks(&mut dice, 800), blocks(&mut dice, 8191));
        // Halves are rounded up.
        let square = |value: i16| (i64::from(value.clamp(0, 512)).pow(2) + 128) / 256;
        let expected: i64 = values
            .iter()
            .flat_map(|block| block.0)
            .zip(weights.iter().flat_map(|block| block.0))
            .map(|(value, weight)| square(value) * i64::from(weight))
            .sum();
        let dots = Kernel::best().dots([(&values, &weights), (&values, &weights)]);
        assert_eq!(dots.map(i64::from), [expected; 2]);
    }
}
