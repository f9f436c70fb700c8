//! Rules and names of variants: their special outcomes and their names in PGN.

use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{Color, Outcome as Ending, Position as _};

use crate::{DrawReason, Outcome, WinReason, fen};

/// Recipient of captured pieces in a variant with drops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PocketOwner {
    /// The captor (Crazyhouse).
    #[default]
    Captor,
    /// The captor's partner on the other board (Bughouse).
    Partner,
}

/// The outcome by the special rules of the variant.
pub(crate) fn outcome(position: &VariantPosition) -> Option<Outcome> {
    let Ending::Known(ending) = position.variant_outcome() else { return None };
    let Some(winner) = ending.winner() else { return Some(Outcome::Draw(DrawReason::RaceDrawn)) };
    Some(Outcome::Win { winner, reason: reason(position, winner)? })
}

fn reason(position: &VariantPosition, winner: Color) -> Option<WinReason> {
    Some(match position.variant() {
        Variant::Chess | Variant::Crazyhouse => return None,
        Variant::Atomic => WinReason::KingExploded,
        Variant::Antichess if position.board().by_color(winner).is_empty() => WinReason::NothingLeft,
        Variant::Antichess => WinReason::Stalemated,
        Variant::KingOfTheHill => WinReason::HillReached,
        Variant::ThreeCheck => WinReason::ThirdCheck,
        Variant::RacingKings => WinReason::RaceWon,
        Variant::Horde => WinReason::HordeCaptured,
    })
}

/// Whether the side to move would have a legal move with a piece to drop.
pub(crate) fn could_drop(position: &VariantPosition) -> bool {
    let mut pockets = position.pockets().copied().unwrap_or_default();
    pockets.get_mut(position.turn()).knight = 1;
    fen::with_pockets(position, pockets, PocketOwner::Partner)
        .is_ok_and(|held| !held.legal_moves().is_empty())
}

/// Number of plies back to which positions can repeat: to the last capture or pawn move, or to the start of the game where
/// captured pieces return to the board.
pub(crate) fn reach_of_repetition(position: &VariantPosition) -> usize {
    match position {
        VariantPosition::Crazyhouse(_) => usize::MAX,
        _ => position.halfmoves() as usize,
    }
}

/// The variants other than chess, with the value of PGN's tag `Variant` in common use and an alias.
const NAMES: [(Variant, &str, &str); 7] = [
    (Variant::Atomic, "Atomic", ""),
    (Variant::Antichess, "Antichess", "giveaway"),
    (Variant::KingOfTheHill, "King of the Hill", "koth"),
    (Variant::ThreeCheck, "Three-check", "3check"),
    (Variant::Crazyhouse, "Crazyhouse", "zh"),
    (Variant::RacingKings, "Racing Kings", ""),
    (Variant::Horde, "Horde", ""),
];

/// The value of PGN's tag `Variant`; `None` for chess.
pub(crate) fn pgn_name(variant: Variant) -> Option<&'static str> {
    NAMES.into_iter().find(|(named, ..)| *named == variant).map(|(_, name, _)| name)
}

/// Finds a variant by its name in PGN, UCI or CECP, ignoring case and punctuation. `None` for unknown names, including those of
/// chess and Chess960.
pub fn variant_from_name(name: &str) -> Option<Variant> {
    let letters = |name: &str| {
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
    };
    let name = Some(letters(name)).filter(|name| !name.is_empty())?;
    NAMES
        .into_iter()
        .find(|(_, pgn, other)| name == letters(pgn) || name == *other)
        .map(|(variant, ..)| variant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back_to_their_variants() {
        for variant in Variant::ALL.into_iter().filter(|&variant| variant != Variant::Chess) {
            assert_eq!(variant_from_name(variant.uci()), Some(variant));
            assert_eq!(variant_from_name(pgn_name(variant).unwrap()), Some(variant));
        }
        assert_eq!(variant_from_name("Chess960"), None);
    }
}
