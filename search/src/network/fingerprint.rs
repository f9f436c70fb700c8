//! Fingerprints of files, to identify them and to detect damage.

/// Returns the 64-bit FNV-1a hash (G. Fowler, L. Noll and K.-P. Vo). It detects accidental damage, not deliberate
/// changes.
pub const fn fingerprint(bytes: &[u8]) -> u64 {
    let mut hash = 0xCBF2_9CE4_8422_2325;
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x0100_0000_01B3);
        at += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_values_come_out() {
        assert_eq!(fingerprint(b""), 0xCBF2_9CE4_8422_2325);
        assert_eq!(fingerprint(b"a"), 0xAF63_DC4C_8601_EC8C);
        assert_eq!(fingerprint(b"foobar"), 0x8594_4171_F739_67E8);
    }
}
