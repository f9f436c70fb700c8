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

impl WinReason {
    const ALL: [WinReason; 14] = [
        WinReason::Checkmate,
        WinReason::Resignation,
        WinReason::TimeForfeit,
        WinReason::IllegalMove,
        WinReason::Abandoned,
        WinReason::RulesInfraction,
        WinReason::KingExploded,
        WinReason::ThirdCheck,
        WinReason::HillReached,
        WinReason::RaceWon,
        WinReason::HordeCaptured,
        WinReason::NothingLeft,
        WinReason::Stalemated,
        WinReason::Adjudication,
    ];
}

impl DrawReason {
    const ALL: [DrawReason; 10] = [
        DrawReason::Stalemate,
        DrawReason::Repetition,
        DrawReason::FiftyMoves,
        DrawReason::FivefoldRepetition,
        DrawReason::SeventyFiveMoves,
        DrawReason::InsufficientMaterial,
        DrawReason::RaceDrawn,
        DrawReason::Agreement,
        DrawReason::Adjudication,
        DrawReason::TimeoutVsInsufficient,
    ];
}

impl Outcome {
    /// Every way in which a game can end.
    pub fn all() -> impl Iterator<Item = Outcome> {
        let wins = [Color::White, Color::Black]
            .into_iter()
            .flat_map(|winner| WinReason::ALL.map(|reason| Outcome::Win { winner, reason }));
        wins.chain(DrawReason::ALL.map(Outcome::Draw))
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
            Outcome::Win { reason, .. } => match reason {
                WinReason::Checkmate
                | WinReason::Resignation
                | WinReason::KingExploded
                | WinReason::ThirdCheck
                | WinReason::HillReached
                | WinReason::RaceWon
                | WinReason::HordeCaptured
                | WinReason::NothingLeft
                | WinReason::Stalemated => "normal",
                WinReason::TimeForfeit => "time forfeit",
                WinReason::IllegalMove | WinReason::RulesInfraction => "rules infraction",
                WinReason::Abandoned => "abandoned",
                WinReason::Adjudication => "adjudication",
            },
            Outcome::Draw(DrawReason::Adjudication) => "adjudication",
            Outcome::Draw(DrawReason::TimeoutVsInsufficient) => "time forfeit",
            Outcome::Draw(_) => "normal",
        }
    }
}

/// The reason in a few words, fit for CECP's `1-0 {White mates}` and for a comment in PGN.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (winner, reason) = match self {
            Outcome::Draw(reason) => return reason.fmt(f),
            Outcome::Win { winner, reason } => (*winner, reason),
        };
        let (winner, loser) = (name(winner), name(!winner));
        match reason {
            WinReason::Checkmate => write!(f, "{winner} mates"),
            WinReason::Resignation => write!(f, "{loser} resigns"),
            WinReason::TimeForfeit => write!(f, "{loser} forfeits on time"),
            WinReason::IllegalMove => write!(f, "{loser} makes an illegal move"),
            WinReason::Abandoned => write!(f, "{loser} abandons the game"),
            WinReason::RulesInfraction => write!(f, "{loser} breaks the rules"),
            WinReason::KingExploded => write!(f, "{winner} blows up the king"),
            WinReason::ThirdCheck => write!(f, "{winner} gives the third check"),
            WinReason::HillReached => write!(f, "{winner} reaches the hill"),
            WinReason::RaceWon => write!(f, "{winner} wins the race"),
            WinReason::HordeCaptured => write!(f, "{winner} captures the horde"),
            WinReason::NothingLeft => write!(f, "{winner} has given everything away"),
            WinReason::Stalemated => write!(f, "{winner} has no move left"),
            WinReason::Adjudication => write!(f, "{winner} wins by adjudication"),
        }
    }
}

/// The reason in a few words, fit for CECP's `1/2-1/2 {Stalemate}` and for a comment in PGN.
impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DrawReason::Stalemate => "Stalemate",
            DrawReason::Repetition => "Draw by repetition",
            DrawReason::FiftyMoves => "Draw by the fifty-move rule",
            DrawReason::FivefoldRepetition => "Draw by fivefold repetition",
            DrawReason::SeventyFiveMoves => "Draw by the seventy-five-move rule",
            DrawReason::InsufficientMaterial => "Draw by insufficient material",
            DrawReason::RaceDrawn => "Both kings reach the last rank",
            DrawReason::Agreement => "Draw by agreement",
            DrawReason::Adjudication => "Draw by adjudication",
            DrawReason::TimeoutVsInsufficient => "Time out, but insufficient material to mate",
        })
    }
}

fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
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
        // The last of each kind, as the compiler numbers them: a new one must be listed too.
        assert_eq!(WinReason::ALL.len(), WinReason::Adjudication as usize + 1);
        assert_eq!(DrawReason::ALL.len(), DrawReason::TimeoutVsInsufficient as usize + 1);
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
