//! The variants that Herald and mended programs play, under the names that GUIs use.
//!
//! In a variant the loser announces the result: XBoard judges claims by the rules it knows, treats a win claimed under
//! other rules as a false claim, and forfeits the game.

use game::{CastlingMode, Game, Outcome, PlayedVariant, PocketOwner, Variant, WinReason};

use super::Message;

/// A variant's name in `feature variants` and in `variant`.
struct Named {
    name: &'static str,
    variant: Variant,
    mode: CastlingMode,
    pocket_owner: PocketOwner,
    /// For names unknown to `XBoard`, the variant whose board and rules it should use. `normal` must not be used:
    /// `XBoard` 4.9.1 would treat the game as ordinary chess and not send the variant to the second engine of a match.
    parent: Option<&'static str>,
}

const fn known(name: &'static str, variant: Variant) -> Named {
    Named { name, variant, mode: CastlingMode::Standard, pocket_owner: PocketOwner::Captor, parent: None }
}

const fn engine_defined(name: &'static str, variant: Variant, parent: &'static str) -> Named {
    Named { parent: Some(parent), ..known(name, variant) }
}

/// The variants by name.
///
/// - `giveaway`: the rules that python-chess calls Antichess; Herald does not castle in it, though some programs do.
/// - Suicide is missing, because its rules of stalemate differ: the stalemated side does not always win.
/// - Horde: `XBoard` must not test legality, because it rejects every move of the side without a king.
const ALL: [Named; 11] = [
    known("normal", Variant::Chess),
    Named { mode: CastlingMode::Chess960, ..known("fischerandom", Variant::Chess) },
    known("crazyhouse", Variant::Crazyhouse),
    Named { pocket_owner: PocketOwner::Partner, ..known("bughouse", Variant::Crazyhouse) },
    known("3check", Variant::ThreeCheck),
    known("atomic", Variant::Atomic),
    known("giveaway", Variant::Antichess),
    engine_defined("antichess", Variant::Antichess, "giveaway"),
    engine_defined("kingofthehill", Variant::KingOfTheHill, "fairy"),
    engine_defined("horde", Variant::Horde, "fairy"),
    engine_defined("racingkings", Variant::RacingKings, "fairy"),
];

/// Returns all names for `feature variants`.
pub fn names() -> Vec<String> {
    ALL.iter().map(|named| named.name.to_owned()).collect()
}

/// Returns the names for `feature variants` of what a program plays that knows nothing of partners.
pub fn names_of(played: PlayedVariant) -> impl Iterator<Item = String> {
    let is_it = move |named: &&Named| {
        (named.variant, named.mode) == (played.variant, played.mode)
            && named.pocket_owner == PocketOwner::Captor
    };
    ALL.iter().filter(is_it).map(|named| named.name.to_owned())
}

/// Returns whether there is a variant of this name.
pub fn is_known(name: &str) -> bool {
    ALL.iter().any(|named| named.name == name)
}

/// Returns the initial game of a variant and the `setup` message that the GUI needs for it; `None` if there is none of this name.
pub fn start(name: &str) -> Option<(Game, Option<Message>)> {
    let named = ALL.iter().find(|named| named.name == name)?;
    let game = Game::with_mode(named.variant, named.mode).with_pocket_owner(named.pocket_owner);
    let setup = named.parent.map(|parent| Message::Setup {
        pieces: Some("PNBRQKpnbrqk".to_owned()),
        board: Some(format!("8x8+0_{parent}")),
        fen: game.fen(),
    });
    Some((game, setup))
}

/// Returns whether a GUI recognises this outcome in this variant without help.
pub fn is_plain(variant: Variant, outcome: Outcome) -> bool {
    use game::DrawReason::{InsufficientMaterial, RaceDrawn, Stalemate};
    let is_known = match variant {
        Variant::Chess | Variant::Crazyhouse | Variant::ThreeCheck | Variant::Atomic => true,
        Variant::Antichess | Variant::KingOfTheHill | Variant::Horde | Variant::RacingKings => false,
    };
    match outcome {
        Outcome::Win { reason, .. } => is_known && reason == WinReason::Checkmate,
        Outcome::Draw(Stalemate) => is_known,
        // The GUI's rules of insufficient material are right in chess only.
        Outcome::Draw(InsufficientMaterial) => variant == Variant::Chess,
        Outcome::Draw(RaceDrawn) => false,
        Outcome::Draw(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_starts_its_game() {
        for named in &ALL {
            let (game, setup) = start(named.name).unwrap();
            assert_eq!(
                (game.variant(), game.mode(), game.pocket_owner()),
                (named.variant, named.mode, named.pocket_owner),
                "{}",
                named.name
            );
            assert_eq!(setup.is_some(), named.parent.is_some());
            assert!(game.is_start_position(), "{}", named.name);
        }
        let setup = start("racingkings").unwrap().1.unwrap();
        assert_eq!(
            setup.to_string(),
            "setup (PNBRQKpnbrqk) 8x8+0_fairy 8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1"
        );
        assert!(start("suicide").is_none() && start("Normal").is_none());
    }
}
