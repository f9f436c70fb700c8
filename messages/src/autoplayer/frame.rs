//! A line between the two interface programs.

use std::fmt;

/// A line: checksum, number, number of the last message received, and the message.
///
/// `5be66f1a 17 9 {"type":"move",…}`. The checksum is the CRC-32 of everything after the blank that follows it, as in zlib and PNG,
/// in eight hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkFrame {
    /// Number of the message, from 1; 0 for a line that is neither acknowledged nor repeated.
    pub number: u64,
    /// Number of the last message that was received in order; all earlier ones were received, too.
    pub received: u64,
    /// The message; empty in an acknowledgement, [`LinkFrame::AGAIN`] in a request to repeat.
    pub text: String,
}

impl LinkFrame {
    /// Text of a line that asks to repeat all messages after `received`.
    pub const AGAIN: &str = "?";

    /// Reads a line without its end. `None` if it is damaged.
    pub fn read(line: &str) -> Option<LinkFrame> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let (sum, rest) = line.split_at_checked(8)?;
        let rest = rest.strip_prefix(' ')?;
        let is_hex = sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_hex || u32::from_str_radix(sum, 16).ok()? != crc32fast::hash(rest.as_bytes()) {
            return None;
        }
        let mut parts = rest.splitn(3, ' ');
        let mut number = || parts.next()?.parse().ok();
        let (number, received) = (number()?, number()?);
        Some(LinkFrame { number, received, text: parts.next().unwrap_or_default().to_owned() })
    }
}

impl fmt::Display for LinkFrame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkFrame { number, received, text } = self;
        let blank = if text.is_empty() { "" } else { " " };
        let rest = format!("{number} {received}{blank}{text}");
        write!(f, "{:08x} {rest}", crc32fast::hash(rest.as_bytes()))
    }
}
