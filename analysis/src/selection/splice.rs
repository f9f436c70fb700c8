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
/// `None` if the record has no four fields, or a change concerns the counters of a FEN.
pub(crate) fn spliced(text: &str, escapes: Escapes, changes: &Changes) -> Option<String> {
    let mut lexer = Lexer::new(text, 1, escapes);
    lexer.fields()?;
    let counters = lexer.counters();
    let is_counter = |opcode: &str, at: usize| counters[at].is_some() && changes.contains_key(opcode);
    if is_counter("hmvc", 0) || is_counter("fmvn", 1) {
        return None;
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
    let mut out = text[..fields_end].trim_end().to_owned();
    let mut done: Vec<&str> = Vec::new();
    let mut copied = out.len();
    for place in &places {
        while let Some((_, new)) = added.next_if(|(opcode, _)| opcode.as_str() < place.opcode) {
            out.push(' ');
            out.push_str(new);
        }
        let Some(new) = changes.get(place.opcode) else {
            out.push_str(&text[copied..place.end]);
            copied = place.end;
            continue;
        };
        // A second operation with the same opcode has had its change.
        if let (Some(new), false) = (new, done.contains(&place.opcode)) {
            out.push_str(&text[copied..place.begin]);
            out.push_str(new);
        }
        done.push(place.opcode);
        copied = place.end;
    }
    let rest = &text[copied..];
    let kept = rest.trim_end();
    out.push_str(kept);
    for (_, new) in added {
        if !places.is_empty() && !out.ends_with(';') {
            out.push(';');
        }
        out.push(' ');
        out.push_str(new);
    }
    out.push_str(&rest[kept.len()..]);
    Some(out)
}
