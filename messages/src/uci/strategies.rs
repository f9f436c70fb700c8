//! Strategies of the property tests for parts of messages.

use proptest::collection::vec;
use proptest::prelude::*;
use shakmaty::uci::UciMove;
use shakmaty::{Role, Square};

/// Generates one or more words separated by single spaces, none of which is in `reserved`.
pub(super) fn words(reserved: &'static [&'static str]) -> impl Strategy<Value = String> {
    let word = "[a-zA-Z0-9/_-]{1,8}".prop_filter("reserved", |word| !reserved.contains(&word.as_str()));
    vec(word, 1..5).prop_map(|words| words.join(" "))
}

/// Generates the rest of a line: any text without white space at its ends, which may be empty.
pub(super) fn text() -> impl Strategy<Value = String> {
    "\\PC{0,30}".prop_map(|text| text.trim().to_owned())
}

/// Generates a move in the notation of UCI.
pub(super) fn a_move() -> impl Strategy<Value = UciMove> {
    let role = prop::sample::select(vec![Role::Knight, Role::Bishop, Role::Rook, Role::Queen]);
    let square = || (0..64_u32).prop_map(Square::new);
    prop_oneof![
        1 => Just(UciMove::Null),
        1 => (role.clone(), square()).prop_map(|(role, to)| UciMove::Put { role, to }),
        9 => (square(), square(), prop::option::of(role))
            .prop_map(|(from, to, promotion)| UciMove::Normal { from, to, promotion }),
    ]
}

/// Generates a list of moves in the notation of UCI.
pub(super) fn moves() -> impl Strategy<Value = Vec<UciMove>> {
    vec(a_move(), 0..6)
}
