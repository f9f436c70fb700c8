//! The variants that Herald plays, under the names that GUIs use.
//!
//! In a variant the loser announces the result: XBoard judges claims by the rules it knows, and takes the word of a winner by others
//! for a false claim, which loses.

use game::{CastlingMode, Game, Outcome, PocketOwner, Variant, WinReason};

use messages::cecp::Message;

/// A name in `feature variants` and in `variant`.
struct Named {
    name: &'static str,
    variant: Variant,
    mode: CastlingMode,
    pocket_owner: PocketOwner,
    /// For names that `XBoard` does not know: the variant whose board and rules it is to use. Not `normal`, or `XBoard` (4.9.1)
    /// takes the game for one of chess and does not tell the second engine of a match what is played.
    parent: Option<&'static str>,
}

const fn known(name: &'static str, variant: Variant) -> Named {
    Named { name, variant, mode: CastlingMode::Standard, pocket_owner: PocketOwner::Captor, parent: None }
}

const fn engine_defined(name: &'static str, variant: Variant, parent: &'static str) -> Named {
    Named { parent: Some(parent), ..known(name, variant) }
}

/// `giveaway` is what python-chess calls Antichess, too; Herald does not castle in it, as some do. Suicide is missing: there
/// the stalemated side does not win as a matter of course. In Horde `XBoard` must not test legality: it takes every move of
/// the side without a king for an illegal one.
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

/// What Herald plays, for `feature variants`.
pub(super) fn names() -> Vec<String> {
    ALL.iter().map(|named| named.name.to_owned()).collect()
}

/// Whether Herald plays the variant of this name.
pub(super) fn is_played(name: &str) -> bool {
    ALL.iter().any(|named| named.name == name)
}

/// The start of a game of this variant, and the `setup` message that the GUI needs for it; `None` if Herald does not play it.
pub(super) fn start(name: &str) -> Option<(Game, Option<Message>)> {
    let named = ALL.iter().find(|named| named.name == name)?;
    let game = Game::with_mode(named.variant, named.mode).with_pocket_owner(named.pocket_owner);
    let setup = named.parent.map(|parent| Message::Setup {
        pieces: Some("PNBRQKpnbrqk".to_owned()),
        board: Some(format!("8x8+0_{parent}")),
        fen: game.fen(),
    });
    Some((game, setup))
}

/// Whether a GUI can see by itself that a game of the variant has ended so.
pub(super) fn is_plain(variant: Variant, outcome: Outcome) -> bool {
    use game::DrawReason::{InsufficientMaterial, RaceDrawn, Stalemate};
    let is_known = match variant {
        Variant::Chess | Variant::Crazyhouse | Variant::ThreeCheck | Variant::Atomic => true,
        Variant::Antichess | Variant::KingOfTheHill | Variant::Horde | Variant::RacingKings => false,
    };
    match outcome {
        Outcome::Win { reason, .. } => is_known && reason == WinReason::Checkmate,
        Outcome::Draw(Stalemate) => is_known,
        // Counts of material that are right in chess only.
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
