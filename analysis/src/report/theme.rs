//! Themes of problems, derived from their names.

/// The name without the number of the problem: of `STS(v1.0) Undermine.001` it is `STS(v1.0) Undermine`, of
/// `E_E_T 001 - B vs B` it is `E_E_T - B vs B`. The number is the last group of digits that is no part of a word or of another
/// number. A name without a number has the empty theme, as each such name would be a theme of its own.
pub(super) fn of(id: &str) -> String {
    let Some((begin, end)) = number(id) else { return String::new() };
    let before = id[..begin].trim_end_matches(|c: char| !c.is_alphanumeric() && c != ')');
    let after = id[end..].trim();
    match (before, after) {
        (before, "") => before.to_owned(),
        ("", after) => after.trim_start_matches(|c: char| !c.is_alphanumeric()).to_owned(),
        (before, after) => format!("{before} {after}"),
    }
}

/// Begin and end of the number.
fn number(id: &str) -> Option<(usize, usize)> {
    let mut end = id.len();
    // Groups of adjacent letters and digits.
    for group in id.rsplit(|c: char| !c.is_alphanumeric()) {
        let begin = end - group.len();
        if !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some((begin, end));
        }
        end = id[..begin].char_indices().next_back().map_or(0, |(at, _)| at);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn the_number_is_taken_out_of_a_name() {
        for (id, theme) in [
            ("WAC.001", "WAC"),
            ("BK.24", "BK"),
            ("STS(v1.0) Undermine.001", "STS(v1.0) Undermine"),
            ("STS(v11.0) Activity of King.100", "STS(v11.0) Activity of King"),
            ("E_E_T 001 - B vs B", "E_E_T - B vs B"),
            ("arasan2024.1", "arasan2024"),
            ("7: pins", "pins"),
            ("12", ""),
            ("Lasker", ""),
            ("", ""),
            ("ééé 3 ü", "ééé ü"),
        ] {
            assert_eq!(of(id), theme, "{id}");
        }
    }
}
