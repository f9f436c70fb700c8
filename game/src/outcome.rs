//! How a game ended, and why.

use std::fmt;

use shakmaty::Color;

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side won.
    Win {
        /// The side that won.
        winner: Color,
        /// Why.
        reason: WinReason,
    },
    /// Nobody won.
    Draw(DrawReason),
}

/// Why a game was won: by mate, by a fault of the loser, by the rules of a variant, or by an official.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WinReason {
    /// The loser is checkmated.
    Checkmate,
    /// The loser resigned.
    Resignation,
    /// The loser's time ran out.
    TimeForfeit,
    /// The loser made an illegal move.
    IllegalMove,
    /// The loser left, died or fell silent.
    Abandoned,
    /// The loser broke the rules of the match or of its protocol in another way.
    RulesInfraction,
    /// The loser's king was blown up (Atomic).
    KingExploded,
    /// The winner gave its third check (Three-check).
    ThirdCheck,
    /// The winner's king stands on the hill (King of the Hill).
    HillReached,
    /// The winner's king reached the last rank, and the loser's could not at once (Racing Kings).
    RaceWon,
    /// The horde is gone (Horde).
    HordeCaptured,
    /// The winner has nothing left (Antichess).
    NothingLeft,
    /// The winner has no legal move (Antichess).
    Stalemated,
    /// An official decided so.
    Adjudication,
}

/// Why a game was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DrawReason {
    /// The side to move has no legal move and is not in check.
    Stalemate,
    /// The position occurred for the third time, and the draw was claimed.
    Repetition,
    /// Fifty moves by each side without capture or pawn move, and the draw was claimed.
    FiftyMoves,
    /// The position occurred for the fifth time, which ends the game without a claim.
    FivefoldRepetition,
    /// Seventy-five moves by each side without capture or pawn move, which end the game without a claim.
    SeventyFiveMoves,
    /// No sequence of legal moves could lead to checkmate.
    InsufficientMaterial,
    /// Both kings reached the last rank with the same move (Racing Kings).
    RaceDrawn,
    /// The players agreed.
    Agreement,
    /// An official decided so.
    Adjudication,
    /// A side's time ran out, but the opponent could not have mated with what it has.
    TimeoutVsInsufficient,
}

/// All reasons in their order, each with the value of PGN's tag `Termination` (PGN standard, 9.8.1) and a sentence.
const WIN_REASONS: [(WinReason, &str, &str); 14] = [
    (WinReason::Checkmate, "normal", "winner mates"),
    (WinReason::Resignation, "normal", "loser resigns"),
    (WinReason::TimeForfeit, "time forfeit", "loser forfeits on time"),
    (WinReason::IllegalMove, "rules infraction", "loser makes an illegal move"),
    (WinReason::Abandoned, "abandoned", "loser abandons the game"),
    (WinReason::RulesInfraction, "rules infraction", "loser breaks the rules"),
    (WinReason::KingExploded, "normal", "winner blows up the king"),
    (WinReason::ThirdCheck, "normal", "winner gives the third check"),
    (WinReason::HillReached, "normal", "winner reaches the hill"),
    (WinReason::RaceWon, "normal", "winner wins the race"),
    (WinReason::HordeCaptured, "normal", "winner captures the horde"),
    (WinReason::NothingLeft, "normal", "winner has given everything away"),
    (WinReason::Stalemated, "normal", "winner has no move left"),
    (WinReason::Adjudication, "adjudication", "winner wins by adjudication"),
];

/// The same for draws.
const DRAW_REASONS: [(DrawReason, &str, &str); 10] = [
    (DrawReason::Stalemate, "normal", "Stalemate"),
    (DrawReason::Repetition, "normal", "Draw by repetition"),
    (DrawReason::FiftyMoves, "normal", "Draw by the fifty-move rule"),
    (DrawReason::FivefoldRepetition, "normal", "Draw by fivefold repetition"),
    (DrawReason::SeventyFiveMoves, "normal", "Draw by the seventy-five-move rule"),
    (DrawReason::InsufficientMaterial, "normal", "Draw by insufficient material"),
    (DrawReason::RaceDrawn, "normal", "Both kings reach the last rank"),
    (DrawReason::Agreement, "normal", "Draw by agreement"),
    (DrawReason::Adjudication, "adjudication", "Draw by adjudication"),
    (DrawReason::TimeoutVsInsufficient, "time forfeit", "Time out, but insufficient material to mate"),
];

impl Outcome {
    /// Every way in which a game can end.
    pub fn all() -> impl Iterator<Item = Outcome> {
        let wins = Color::ALL
            .into_iter()
            .flat_map(|winner| WIN_REASONS.map(|(reason, ..)| Outcome::Win { winner, reason }));
        wins.chain(DRAW_REASONS.map(|(reason, ..)| Outcome::Draw(reason)))
    }

    /// The result as PGN and CECP write it: `1-0`, `0-1` or `1/2-1/2`.
    pub fn result(&self) -> &'static str {
        match self {
            Outcome::Win { winner: Color::White, .. } => "1-0",
            Outcome::Win { winner: Color::Black, .. } => "0-1",
            Outcome::Draw(_) => "1/2-1/2",
        }
    }

    /// The winner, `None` for a draw.
    pub fn winner(&self) -> Option<Color> {
        match self {
            Outcome::Win { winner, .. } => Some(*winner),
            Outcome::Draw(_) => None,
        }
    }

    /// The value of PGN's tag `Termination` (PGN standard, 9.8.1).
    pub fn termination(&self) -> &'static str {
        match self {
            Outcome::Win { reason, .. } => WIN_REASONS[*reason as usize].1,
            Outcome::Draw(reason) => DRAW_REASONS[*reason as usize].1,
        }
    }
}

/// The reason in a few words, fit for CECP's `1-0 {White mates}` and for a comment in PGN.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Draw(reason) => reason.fmt(f),
            Outcome::Win { winner, reason } => {
                let name = |color: Color| color.fold_wb("White", "Black");
                let sentence = WIN_REASONS[*reason as usize].2;
                let sentence = sentence.replace("winner", name(*winner)).replace("loser", name(!*winner));
                f.write_str(&sentence)
            }
        }
    }
}

/// The reason in a few words, fit for CECP's `1/2-1/2 {Stalemate}` and for a comment in PGN.
impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(DRAW_REASONS[*self as usize].2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_reasons_name_the_right_side() {
        let mate = Outcome::Win { winner: Color::White, reason: WinReason::Checkmate };
        assert_eq!((mate.result(), mate.to_string().as_str()), ("1-0", "White mates"));
        let resigned = Outcome::Win { winner: Color::Black, reason: WinReason::Resignation };
        assert_eq!((resigned.result(), resigned.to_string().as_str()), ("0-1", "White resigns"));
        let stalemate = Outcome::Draw(DrawReason::Stalemate);
        assert_eq!((stalemate.result(), stalemate.to_string().as_str()), ("1/2-1/2", "Stalemate"));
        assert_eq!(stalemate.winner(), None);
    }

    #[test]
    fn every_outcome_is_listed_once() {
        let words: std::collections::BTreeSet<_> =
            Outcome::all().map(|outcome| (outcome.result(), outcome.to_string())).collect();
        assert_eq!(words.len(), Outcome::all().count());
        // The last of each kind, as the compiler numbers them: a new one must be listed too, in its place.
        assert_eq!(WIN_REASONS.len(), WinReason::Adjudication as usize + 1);
        assert_eq!(DRAW_REASONS.len(), DrawReason::TimeoutVsInsufficient as usize + 1);
        assert!((0..).zip(WIN_REASONS).all(|(index, (reason, ..))| reason as usize == index));
        assert!((0..).zip(DRAW_REASONS).all(|(index, (reason, ..))| reason as usize == index));
    }

    #[test]
    fn terminations_are_those_of_the_standard() {
        let lost = |reason| Outcome::Win { winner: Color::White, reason }.termination();
        assert_eq!(lost(WinReason::TimeForfeit), "time forfeit");
        assert_eq!(lost(WinReason::IllegalMove), "rules infraction");
        assert_eq!(lost(WinReason::Abandoned), "abandoned");
        assert_eq!(Outcome::Draw(DrawReason::Adjudication).termination(), "adjudication");
        assert_eq!(Outcome::Draw(DrawReason::Agreement).termination(), "normal");
    }
}
