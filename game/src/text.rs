//! Text in messages and HTML pages.

use std::time::Duration;

/// Maximum length of an excerpt in characters.
const LONGEST: usize = 100;

/// Whether a character would move the cursor of a terminal, or reverse the text behind it.
fn is_hidden(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Shortens `text` for a one-line message: at most 100 characters, control characters and those that change the direction of text
/// replaced by `?`.
pub fn excerpt(text: &str) -> String {
    let mut visible = text.trim().chars().map(|c| if is_hidden(c) { '?' } else { c });
    let mut short: String = visible.by_ref().take(LONGEST).collect();
    if visible.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}

/// A number with its noun, to which an `s` is added for the plural: `1 game`, `2 games`.
pub fn counted(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// A measured time for a message, rounded up to whole milliseconds: `1.5s`, `12ms`.
pub fn millis_text(time: Duration) -> String {
    let millis = time.as_nanos().div_ceil(1_000_000);
    let rounded = Duration::from_millis(millis.try_into().unwrap_or(u64::MAX));
    if rounded.is_zero() { "0s".to_owned() } else { format!("{rounded:?}") }
}

/// A time as `h:mm:ss`. It is truncated, not rounded.
pub fn clock_face(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

/// Escapes `text` for HTML content and attributes. Control characters are replaced by `?`.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push('?'),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_on_one_line() {
        assert_eq!(excerpt(" e2e4\n"), "e2e4");
        assert_eq!(excerpt("a\nb\u{1b}c"), "a?b?c");
        assert_eq!(excerpt("a\u{202e}b\u{2066}c"), "a?b?c");
        assert_eq!(excerpt(&"é".repeat(100)), "é".repeat(100));
        let long = excerpt(&"é".repeat(101));
        assert_eq!((long.chars().count(), long.ends_with('…')), (100, true));
    }

    #[test]
    fn a_measured_time_has_no_more_than_milliseconds() {
        let told = [0, 1, 1_000_000, 60_500_000_001].map(|nanos| millis_text(Duration::from_nanos(nanos)));
        assert_eq!(told, ["0s", "1ms", "1ms", "60.501s"]);
        assert_eq!(millis_text(Duration::MAX), millis_text(Duration::from_millis(u64::MAX)));
    }

    #[test]
    fn nothing_is_markup_in_escaped_text() {
        assert_eq!(escaped("Ködel & Co 1.e4"), "Ködel &amp; Co 1.e4");
        assert_eq!(escaped("<a b=\"c\" d='e'>"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;");
        assert_eq!(escaped("a\nb\u{0}c\u{9b}d"), "a?b?c?d");
    }
}
