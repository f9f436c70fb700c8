//! What an earlier run has written into a game, so that another one can replace it.

use game::{Annotation, GameTree, MoveGrade, MoveLine, comment_commands, without_commands};

use super::judge::TURNS;
use super::record::MoveMerit;
use super::write::EVAL;

/// The names that an earlier analysis has used.
pub(super) struct EarlierAnalysis {
    players: [String; 2],
    programs: Vec<String>,
}

impl EarlierAnalysis {
    /// By the tags of a game; `None` if Herald has not annotated it.
    pub(super) fn of(tree: &GameTree) -> Option<EarlierAnalysis> {
        let programs = tree.tag("Annotator")?.split("; ").map(str::to_owned).collect::<Vec<_>>();
        let is_ours =
            programs.iter().any(|name| name.starts_with("Herald")) && tree.tag("AnalysisEngine").is_some();
        let players = ["White", "Black"].map(|side| tree.tag(side).unwrap_or(side).to_owned());
        is_ours.then_some(EarlierAnalysis { players, programs })
    }

    /// Whether a variation is a better line: moves with nothing but an evaluation at the first one.
    pub(super) fn has_line(&self, line: &MoveLine) -> bool {
        let Some((first, rest)) = line.moves.split_first() else { return false };
        let [Annotation::Comment(text)] = &first.after[..] else { return false };
        let is_of_program = |name: &String| {
            let score = text.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix(": "));
            score.is_some_and(|score| !score.contains(char::is_whitespace))
        };
        let is_evaluation = comment_commands(text).any(|(name, _)| name == EVAL)
            && without_commands(text, |name| name == EVAL).trim().is_empty();
        line.before.is_empty()
            && rest.iter().all(|node| node.after.is_empty())
            && (is_evaluation || self.programs.iter().any(is_of_program))
    }

    /// Whether a text is nothing but sentences of an annotation.
    pub(super) fn has_words(&self, text: &str) -> bool {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        !text.is_empty() && self.are_sentences(&text)
    }

    fn are_sentences(&self, text: &str) -> bool {
        let text = text.trim_start();
        if let Some(opening) = text.strip_prefix("End of theory: ") {
            // Names of openings may have periods.
            return opening.match_indices('.').any(|(at, _)| self.are_sentences(&opening[at + 1..]));
        }
        text.is_empty() || self.after_sentence(text).is_some_and(|rest| self.are_sentences(rest))
    }

    /// The text after the sentence with which it begins.
    fn after_sentence<'a>(&self, text: &'a str) -> Option<&'a str> {
        const FIXED: [&str; 4] = [
            "A draw by the endgame tables; it was won.",
            "Lost by the endgame tables; it was won.",
            "Lost by the endgame tables; it was a draw.",
            "Misses a draw.",
        ];
        const NUMBERED: [(&str, &str); 3] = [
            ("Misses mate in ", "."),
            ("Allows mate in ", "."),
            ("The position is there ", " times; a draw may be claimed."),
        ];
        let grades = [MoveGrade::Inaccuracy, MoveGrade::Mistake, MoveGrade::Blunder];
        let grade = grades.into_iter().find_map(|grade| text.strip_prefix(grade.name())?.strip_prefix('.'));
        let merits = [MoveMerit::HardFind, MoveMerit::OnlyMove].map(MoveMerit::sentence);
        let fixed = FIXED.into_iter().chain(merits).find_map(|sentence| text.strip_prefix(sentence));
        let numbered = NUMBERED.into_iter().find_map(|(before, after)| {
            let rest = text.strip_prefix(before)?.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.strip_prefix(after)
        });
        let better = || text.split_once(' ').and_then(|(_, rest)| rest.strip_prefix("was better."));
        grade.or(fixed).or(numbered).or_else(better).or_else(|| self.after_turning_point(text))
    }

    fn after_turning_point<'a>(&self, text: &'a str) -> Option<&'a str> {
        let names = self.players.iter().map(String::as_str);
        names.chain(["White", "Black"]).find_map(|name| {
            // Comments have single spaces and no braces.
            let name = name.replace('{', "(").replace('}', ")");
            let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
            let rest = text.strip_prefix(name.as_str())?.strip_prefix(' ')?;
            let rest = TURNS.into_iter().find_map(|turn| rest.strip_prefix(turn)?.strip_prefix(": "))?;
            let (_, rest) = rest.split_once(" before, ")?;
            Some(rest.split_once(" after.")?.1)
        })
    }
}
