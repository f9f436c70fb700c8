//! Changes of operations in the text of a record. All other bytes stay as they are.

use std::collections::BTreeMap;

use game::epd::{Escapes, Lexer};

/// Operations to be set or removed, by opcode. The texts are whole operations with their semicolons.
pub(crate) type Changes = BTreeMap<String, Option<String>>;

/// An operation in the text of a record, as byte offsets.
struct OperationPlace<'a> {
    opcode: &'a str,
    begin: usize,
    /// Behind the semicolon.
    end: usize,
}

/// The text of a record with some operations changed. A new operation stands where ASCII order has it, if the others are in order.
/// If a change concerns a counter of a FEN, both counters become operations. `None` if the record has no four fields, or counters
/// that are no numbers.
pub(crate) fn spliced(text: &str, escapes: Escapes, changes: &Changes) -> Option<String> {
    let mut lexer = Lexer::new(text, 1, escapes);
    lexer.fields()?;
    let fields_end = lexer.position();
    let counters = ["hmvc", "fmvn"].into_iter().zip(lexer.counters());
    let counters: Vec<_> = counters.filter_map(|(opcode, word)| Some((opcode, word?))).collect();
    if counters.iter().any(|(opcode, _)| changes.contains_key(*opcode)) {
        let mut changes = changes.clone();
        for (opcode, word) in counters {
            let number = word.text.parse::<u32>().ok()?.max(u32::from(opcode == "fmvn"));
            changes.entry(opcode.to_owned()).or_insert_with(|| Some(format!("{opcode} {number};")));
        }
        let text = format!("{}{}", text[..fields_end].trim_end(), &text[lexer.position()..]);
        return spliced(&text, escapes, &changes);
    }
    let fields_end = lexer.position();
    let mut places = Vec::new();
    while let Some(opcode) = lexer.opcode() {
        while lexer.operand().is_some() {}
        places.push(OperationPlace { opcode: opcode.text, begin: opcode.at, end: lexer.position() });
    }
    let has = |opcode: &String| places.iter().any(|place| place.opcode == opcode);
    let mut added = changes
        .iter()
        .filter(|(opcode, _)| !has(opcode))
        .filter_map(|(opcode, new)| Some((opcode, new.as_ref()?)))
        .peekable();
    let fields = text[..fields_end].trim_end();
    let mut out = SplicedText { text: fields.to_owned(), is_cut: false };
    let mut done: Vec<&str> = Vec::new();
    let mut copied = fields.len();
    for place in &places {
        while let Some((_, new)) = added.next_if(|(opcode, _)| opcode.as_str() < place.opcode) {
            out.insert(new);
        }
        let Some(new) = changes.get(place.opcode) else {
            out.push(&text[copied..place.end]);
            copied = place.end;
            continue;
        };
        // A second operation with the same opcode has had its change.
        match new {
            Some(new) if !done.contains(&place.opcode) => {
                out.push(&text[copied..place.begin]);
                out.push(new);
            }
            _ => out.is_cut = true,
        }
        done.push(place.opcode);
        copied = place.end;
    }
    let rest = &text[copied..];
    let kept = rest.trim_end();
    out.push(kept);
    for (_, new) in added {
        if out.text.len() > fields.len() && !out.text.ends_with(';') {
            out.text.push(';');
        }
        out.insert(new);
    }
    Some(out.text + &rest[kept.len()..])
}

/// A text that is put together.
struct SplicedText {
    text: String,
    /// Whether what would follow here was left out, or something was put here.
    is_cut: bool,
}

impl SplicedText {
    /// Adds text of the record, apart from what did not stand before it there.
    fn push(&mut self, text: &str) {
        let is_blank = |c: char| c.is_ascii_whitespace() || c == '\u{b}';
        if self.is_cut && !text.is_empty() && !text.starts_with(is_blank) && !self.text.ends_with(is_blank) {
            self.text.push(' ');
        }
        self.is_cut &= text.is_empty();
        self.text.push_str(text);
    }

    /// Adds an operation that is new.
    fn insert(&mut self, operation: &str) {
        self.text.push(' ');
        self.text.push_str(operation);
        self.is_cut = true;
    }
}
