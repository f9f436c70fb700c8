//! Rules and names of variants: their special outcomes and their names in PGN.

use serde::{Deserialize, Serialize};
use shakmaty::variant::{Variant, VariantPosition};
use shakmaty::{CastlingMode, Color, Outcome as Ending, Position as _};

use crate::{DrawReason, FenError, Game, Outcome, WinReason, excerpt, fen};

/// What is played: a variant of chess, and how castling is done and written. Chess960 is chess in another mode. In serialised form it is
/// its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlayedVariant {
    /// The rules.
    pub variant: Variant,
    /// The mode of castling.
    pub mode: CastlingMode,
}

impl PlayedVariant {
    /// Orthodox chess.
    pub const CHESS: PlayedVariant = PlayedVariant { variant: Variant::Chess, mode: CastlingMode::Standard };
    /// Chess960, also called Fischer random chess.
    pub const CHESS960: PlayedVariant =
        PlayedVariant { variant: Variant::Chess, mode: CastlingMode::Chess960 };

    /// Everything that can be played.
    pub fn all() -> impl Iterator<Item = PlayedVariant> {
        let others = NAMES.into_iter().map(|(variant, ..)| PlayedVariant { variant, ..PlayedVariant::CHESS });
        [PlayedVariant::CHESS, PlayedVariant::CHESS960].into_iter().chain(others)
    }

    /// Finds a variant by its name in PGN, UCI or CECP, ignoring case and punctuation.
    pub fn named(name: &str) -> Option<PlayedVariant> {
        match letters(name).as_str() {
            "standard" | "normal" | "chess" => Some(PlayedVariant::CHESS),
            "chess960" | "fischerandom" | "fischerrandom" | "960" | "frc" => Some(PlayedVariant::CHESS960),
            _ => variant_from_name(name).map(|variant| PlayedVariant { variant, ..PlayedVariant::CHESS }),
        }
    }

    /// What is played in a game.
    pub fn of(game: &Game) -> PlayedVariant {
        PlayedVariant { variant: game.variant(), mode: game.mode() }
    }

    /// The name in UCI, and `chess960`.
    pub fn name(self) -> &'static str {
        if self == PlayedVariant::CHESS960 { "chess960" } else { self.variant.uci() }
    }

    /// The start of a game.
    pub fn start(self) -> Game {
        Game::with_mode(self.variant, self.mode)
    }

    /// Reads a game from a FEN, as [`Game::from_variant_fen`].
    ///
    /// # Errors
    /// The text is not a FEN, or its position is illegal in the variant.
    pub fn read(self, fen: &str) -> Result<Game, FenError> {
        Game::from_variant_fen(self.variant, fen, self.mode)
    }
}

impl Default for PlayedVariant {
    fn default() -> PlayedVariant {
        PlayedVariant::CHESS
    }
}

impl TryFrom<String> for PlayedVariant {
    type Error = String;

    fn try_from(name: String) -> Result<PlayedVariant, String> {
        PlayedVariant::named(&name).ok_or_else(|| format!("variant `{}` is not known", excerpt(&name)))
    }
}

impl From<PlayedVariant> for String {
    fn from(played: PlayedVariant) -> String {
        played.name().to_owned()
    }
}

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
pub(crate) fn variant_from_name(name: &str) -> Option<Variant> {
    let name = Some(letters(name)).filter(|name| !name.is_empty())?;
    NAMES
        .into_iter()
        .find(|(_, pgn, other)| name == letters(pgn) || name == *other)
        .map(|(variant, ..)| variant)
}

/// The letters and digits of a name, in lower case.
fn letters(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
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
        for played in PlayedVariant::all() {
            assert_eq!(PlayedVariant::named(played.name()), Some(played));
            assert_eq!(PlayedVariant::of(&played.start()), played);
        }
        assert_eq!(PlayedVariant::all().count(), 9);
        for (name, played) in
            [("King-of-the-hill", "kingofthehill"), ("giveaway", "antichess"), ("normal", "chess")]
        {
            assert_eq!(PlayedVariant::named(name).unwrap().name(), played);
        }
        assert_eq!((PlayedVariant::named("xiangqi"), PlayedVariant::named("")), (None, None));
    }
}
