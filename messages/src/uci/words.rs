//! A line as UCI reads it: words between any amounts of white space, and sometimes all the rest.

/// Reads a line word by word.
#[derive(Clone, Debug)]
pub(super) struct Words<'a> {
    rest: &'a str,
}

impl<'a> Words<'a> {
    /// The words of `line`.
    pub(super) fn new(line: &'a str) -> Words<'a> {
        Words { rest: line.trim() }
    }

    /// The next word, left where it is.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.clone().next()
    }

    /// Everything that has not been read, without the white space around it.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    /// The words up to `end`, which is read too, or up to the end of the line, with single spaces between them.
    pub(super) fn until(&mut self, end: &str) -> String {
        let words: Vec<&str> = self.take_while(|word| *word != end).collect();
        words.join(" ")
    }

    /// Reads as long as the next word can be read as a `T`.
    pub(super) fn all<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Vec<T> {
        let mut found = Vec::new();
        while let Some(value) = self.peek().and_then(&read) {
            self.next();
            found.push(value);
        }
        found
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        (!word.is_empty()).then_some(word)
    }
}

/// A whole number; one that is too large for the type becomes the largest, one that is too small the smallest.
pub(super) fn number(word: &str) -> Option<i64> {
    let digits = word.strip_prefix(['-', '+']).unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let limit = if word.starts_with('-') { i64::MIN } else { i64::MAX };
    Some(word.parse().unwrap_or(limit))
}

/// A whole number that is not negative: [`number`], with 0 for all below.
pub(super) fn count(word: &str) -> Option<u64> {
    number(word).map(|value| u64::try_from(value).unwrap_or(0))
}

/// A [`count`], at most the largest `u32`.
pub(super) fn small_count(word: &str) -> Option<u32> {
    count(word).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
}
