//! What differs between the settings of two referees, or of one before and now.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// Names what differs between two descriptions of settings. They are JSON objects; of other texts both are shown.
pub(super) fn differences(before: &str, now: &str) -> String {
    let differing = differing(before, now).into_iter();
    let told: Vec<String> = differing.map(|(name, old, new)| format!("{name}: {old}, now {new}")).collect();
    if told.is_empty() { format!("{before}, now {now}") } else { told.join("; ") }
}

/// What differs between two JSON objects: the names, and both values.
pub(super) fn differing(one: &str, other: &str) -> Vec<(String, String, String)> {
    let read = |text: &str| serde_json::from_str(text).map(flat).unwrap_or_default();
    let (one, other): (BTreeMap<_, _>, BTreeMap<_, _>) = (read(one), read(other));
    let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    let shown = |value: Option<&String>| value.map_or("none", String::as_str).to_owned();
    let changed = names.into_iter().filter(|name| one.get(*name) != other.get(*name));
    changed.map(|name| (name.clone(), shown(one.get(name)), shown(other.get(name)))).collect()
}

/// The values of a JSON object in words, with the names of objects inside before those of their values.
fn flat(object: serde_json::Map<String, Value>) -> BTreeMap<String, String> {
    let mut values = BTreeMap::new();
    for (name, value) in object {
        match value {
            Value::Object(inner) => {
                let inner = inner.into_iter().map(|(key, value)| (format!("{name}.{key}"), in_words(&value)));
                values.extend(inner);
            }
            value => drop(values.insert(name, in_words(&value))),
        }
    }
    values
}

/// A value without the signs of JSON: `swiss, rounds 3` for `{"swiss":{"rounds":3}}`.
fn in_words(value: &Value) -> String {
    let told = |(key, value): (&String, &Value)| match value {
        Value::Object(_) => format!("{key}, {}", in_words(value)),
        _ => format!("{key} {}", in_words(value)),
    };
    match value {
        Value::Null => "none".to_owned(),
        Value::Bool(is_so) => if *is_so { "yes" } else { "no" }.to_owned(),
        Value::String(text) => text.clone(),
        Value::Object(inner) => inner.iter().map(told).collect::<Vec<_>>().join(", "),
        Value::Array(inner) => inner.iter().map(in_words).collect::<Vec<_>>().join(", "),
        Value::Number(number) => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_is_told_in_words() {
        let now = r#"{"schedule":{"format":"round-robin","games":2},"ponder":false,"seed":null,"programs":["A","B"]}"#;
        let then = r#"{"schedule":{"format":{"swiss":{"rounds":3}},"games":2},"ponder":true,"seed":7,"programs":["A"]}"#;
        assert_eq!(
            differences(then, now),
            "ponder: yes, now no; programs: A, now A, B; schedule.format: swiss, rounds 3, now round-robin; seed: 7, now none"
        );
    }
}
