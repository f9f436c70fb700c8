//! Outcomes of games and their reasons.

use std::fmt;

use shakmaty::Color;

use crate::texts::enum_with_texts;

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// One side won.
    Win {
        /// The side that won.
        winner: Color,
        /// Reason of the win.
        reason: WinReason,
    },
    /// A draw.
    Draw(DrawReason),
}

enum_with_texts! {
    /// Why a game was won: by mate, by a fault of the loser, by the rules of a variant, or by an official. Each has the value of
    /// PGN's tag `Termination` (PGN standard, 9.8.1) and a sentence.
    WinReason(termination, sentence)
    /// The loser is checkmated.
    Checkmate "normal" "winner mates"
    /// The loser resigned.
    Resignation "normal" "loser resigns"
    /// The loser's time ran out.
    TimeForfeit "time forfeit" "loser forfeits on time"
    /// The loser made an illegal move.
    IllegalMove "rules infraction" "loser makes an illegal move"
    /// The loser disconnected, crashed or stopped responding.
    Abandoned "abandoned" "loser abandons the game"
    /// The loser broke the rules of the match or of its protocol in another way.
    RulesInfraction "rules infraction" "loser breaks the rules"
    /// The loser's king was blown up (Atomic).
    KingExploded "normal" "winner blows up the king"
    /// The winner gave its third check (Three-check).
    ThirdCheck "normal" "winner gives the third check"
    /// The winner's king stands on the hill (King of the Hill).
    HillReached "normal" "winner reaches the hill"
    /// The winner's king reached the last rank, and the loser's could not at once (Racing Kings).
    RaceWon "normal" "winner wins the race"
    /// The horde is gone (Horde).
    HordeCaptured "normal" "winner captures the horde"
    /// The winner has no pieces left (Antichess).
    NothingLeft "normal" "winner has given everything away"
    /// The winner has no legal move (Antichess).
    Stalemated "normal" "winner has no move left"
    /// Adjudicated by an official.
    Adjudication "adjudication" "winner wins by adjudication"
}

enum_with_texts! {
    /// Why a game was drawn. Each has the value of PGN's tag `Termination` (PGN standard, 9.8.1) and a sentence.
    DrawReason(termination, sentence)
    /// The side to move has no legal move and is not in check.
    Stalemate "normal" "Stalemate"
    /// Threefold repetition, claimed by a player.
    Repetition "normal" "Draw by repetition"
    /// Fifty moves by each side without capture or pawn move, and the draw was claimed.
    FiftyMoves "normal" "Draw by the fifty-move rule"
    /// The position occurred for the fifth time, which ends the game without a claim.
    FivefoldRepetition "normal" "Draw by fivefold repetition"
    /// Seventy-five moves by each side without capture or pawn move, which end the game without a claim.
    SeventyFiveMoves "normal" "Draw by the seventy-five-move rule"
    /// No sequence of legal moves could lead to checkmate.
    InsufficientMaterial "normal" "Draw by insufficient material"
    /// Both kings reached the last rank with the same move (Racing Kings).
    RaceDrawn "normal" "Both kings reach the last rank"
    /// The players agreed.
    Agreement "normal" "Draw by agreement"
    /// Adjudicated by an official.
    Adjudication "adjudication" "Draw by adjudication"
    /// A side's time ran out, but the opponent has insufficient material to mate.
    TimeoutVsInsufficient "time forfeit" "Time out, but insufficient material to mate"
}

impl Outcome {
    /// All possible outcomes.
    pub fn all() -> impl Iterator<Item = Outcome> {
        let wins = Color::ALL
            .into_iter()
            .flat_map(|winner| WinReason::ALL.iter().map(move |&reason| Outcome::Win { winner, reason }));
        wins.chain(DrawReason::ALL.iter().copied().map(Outcome::Draw))
    }

    /// The result as PGN and CECP write it: `1-0`, `0-1` or `1/2-1/2`.
    pub fn result(&self) -> &'static str {
        match self {
            Outcome::Win { winner: Color::White, .. } => "1-0",
            Outcome::Win { winner: Color::Black, .. } => "0-1",
            Outcome::Draw(_) => "1/2-1/2",
        }
    }

    /// The outcome by adjudication with this result, such as `1-0`.
    pub fn adjudicated(result: &str) -> Option<Outcome> {
        Outcome::all().find(|outcome| outcome.termination() == "adjudication" && outcome.result() == result)
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
            Outcome::Win { reason, .. } => reason.termination(),
            Outcome::Draw(reason) => reason.termination(),
        }
    }
}

/// The reason as a short sentence, as in CECP's `1-0 {White mates}` and comments in PGN.
impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Draw(reason) => reason.fmt(f),
            Outcome::Win { winner, reason } => {
                let name = |color: Color| color.fold_wb("White", "Black");
                let sentence = reason.sentence();
                let sentence = sentence.replace("winner", name(*winner)).replace("loser", name(!*winner));
                f.write_str(&sentence)
            }
        }
    }
}

/// The reason as a short sentence, as in CECP's `1/2-1/2 {Stalemate}` and comments in PGN.
impl fmt::Display for DrawReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
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
