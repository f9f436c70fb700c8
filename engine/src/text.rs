//! Foreign text in our own messages.

/// The longest excerpt, in characters.
const LONGEST: usize = 100;

/// `text` as it may stand in a message of one line: at most 100 characters, none of which moves the cursor.
pub fn excerpt(text: &str) -> String {
    let mut visible = text.trim().chars().map(|c| if c.is_control() { '?' } else { c });
    let mut short: String = visible.by_ref().take(LONGEST).collect();
    if visible.next().is_some() {
        short.pop();
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_is_short_and_on_one_line() {
        assert_eq!(excerpt(" e2e4\n"), "e2e4");
        assert_eq!(excerpt("a\nb\u{1b}c"), "a?b?c");
        assert_eq!(excerpt(&"é".repeat(100)), "é".repeat(100));
        let long = excerpt(&"é".repeat(101));
        assert_eq!((long.chars().count(), long.ends_with('…')), (100, true));
    }
}
