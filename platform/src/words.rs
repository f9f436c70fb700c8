//! Command lines as people write them.

use shell_words::ParseError;

/// Splits a command line into words, with the quotation marks of a POSIX shell, but without its variables and patterns. A backslash
/// quotes the next character, except on Windows, where it stands in paths and means itself.
///
/// # Errors
/// A quotation mark is not closed, or the last character is a quoting backslash.
pub fn split_words(line: &str) -> Result<Vec<String>, ParseError> {
    if cfg!(windows) { split_with_paths(line) } else { shell_words::split(line) }
}

/// Splits where a backslash means itself.
fn split_with_paths(line: &str) -> Result<Vec<String>, ParseError> {
    /// Stands for a backslash meanwhile. It is no character (Unicode 23.7), so that no path has it.
    const BACKSLASH: &str = "\u{ffff}";
    let words = shell_words::split(&line.replace('\\', BACKSLASH))?;
    Ok(words.into_iter().map(|word| word.replace(BACKSLASH, "\\")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backslashes_stay_where_they_are_part_of_paths() {
        let words = split_with_paths(r#"cmd='"C:\My Engines\a.exe" -x' "\\host\b c" d\ 'e"#);
        assert!(words.is_err());
        let words = split_with_paths(r#"cmd='"C:\My Engines\a.exe" -x' "\\host\b c" d\ e"#).unwrap();
        assert_eq!(words, [r#"cmd="C:\My Engines\a.exe" -x"#, r"\\host\b c", r"d\", "e"]);
        let own = shell_words::quote(r"C:\My Engines\a.exe").into_owned();
        assert_eq!(split_with_paths(&own).unwrap(), [r"C:\My Engines\a.exe"]);
    }
}
