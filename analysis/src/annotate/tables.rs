//! Tables over many games: by player, opening, colour and phase.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use game::{Color, MoveGrade, TextTable};
use serde::Serialize;

use super::chance::accuracy;
use super::record::{AnnotatedGame, AnnotatedMove, GamePhase};
use crate::report::{Mean, Z};

/// Sums over annotated games. Moves of one game, of both sides, depend on each other, so that intervals are those of games.
#[derive(Clone, Debug, Default)]
pub struct AnnotationTables {
    /// Number of games.
    games: u64,
    groups: BTreeMap<(GroupKind, String), GroupSums>,
    /// Squares of the noise of the games, and their number.
    noise: (f64, u64),
}

/// What the rows of a table have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
enum GroupKind {
    Player,
    Opening,
    Colour,
    Phase,
    TimeTrouble,
}

impl GroupKind {
    const ALL: [GroupKind; 5] =
        [GroupKind::Player, GroupKind::Opening, GroupKind::Colour, GroupKind::Phase, GroupKind::TimeTrouble];

    fn name(self) -> &'static str {
        match self {
            GroupKind::Player => "Player",
            GroupKind::Opening => "Opening",
            GroupKind::Colour => "Colour",
            GroupKind::Phase => "Phase",
            GroupKind::TimeTrouble => "Time",
        }
    }
}

/// Sums over the games of a group.
#[derive(Clone, Debug, Default)]
struct GroupSums {
    /// Moves, accuracy and loss of each game, with its number.
    games: Vec<(u64, GameSums)>,
    grades: [u64; 3],
}

#[derive(Clone, Copy, Debug, Default)]
struct GameSums {
    moves: f64,
    accuracy: f64,
    loss: f64,
}

/// A row of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TableRow {
    /// What the table is by: player, opening, colour, phase, or time.
    by: GroupKind,
    /// Its value.
    pub(super) name: String,
    /// Number of games.
    games: usize,
    /// Number of judged moves.
    pub(super) moves: u64,
    /// Accuracy in percent, with the half width of its 95 % confidence interval; `None` for the interval of one game.
    accuracy: f64,
    accuracy_error: Option<f64>,
    /// Average loss in centipawns.
    average_loss: f64,
    average_loss_error: Option<f64>,
    /// Inaccuracies, mistakes and blunders.
    inaccuracies: u64,
    mistakes: u64,
    blunders: u64,
}

impl AnnotationTables {
    /// Adds a game.
    pub fn add(&mut self, game: &AnnotatedGame) {
        self.games += 1;
        if let Some(noise) = game.noise {
            self.noise = (self.noise.0 + noise * noise, self.noise.1 + 1);
        }
        for color in Color::ALL {
            let first = game.mover(0);
            let own: Vec<&AnnotatedMove> = game
                .moves
                .iter()
                .skip(usize::from(first != color))
                .step_by(2)
                .filter(|mv| mv.loss.is_some())
                .collect();
            if own.is_empty() {
                continue;
            }
            let opening = game.opening.as_ref();
            let opening = opening
                .map_or_else(|| "?".to_owned(), |known| format!("{} {}", known.eco, family(&known.name)));
            self.add_to(GroupKind::Player, &game.side(color).name, &own);
            self.add_to(GroupKind::Opening, &opening, &own);
            self.add_to(GroupKind::Colour, color.fold_wb("White", "Black"), &own);
            for phase in GamePhase::ALL {
                let moves: Vec<_> = own.iter().copied().filter(|mv| mv.phase == phase).collect();
                self.add_to(GroupKind::Phase, phase.name(), &moves);
            }
            if own.iter().any(|mv| mv.clock.is_some()) {
                for (is_short, name) in [(false, "enough"), (true, "time trouble")] {
                    let moves: Vec<_> =
                        own.iter().copied().filter(|mv| mv.in_time_trouble == is_short).collect();
                    self.add_to(GroupKind::TimeTrouble, name, &moves);
                }
            }
        }
    }

    fn add_to(&mut self, by: GroupKind, name: &str, moves: &[&AnnotatedMove]) {
        if moves.is_empty() {
            return;
        }
        let group = self.groups.entry((by, name.to_owned())).or_default();
        // Both sides of a game may belong to a group.
        if group.games.last().is_none_or(|(number, _)| *number != self.games) {
            group.games.push((self.games, GameSums::default()));
        }
        let Some((_, sums)) = group.games.last_mut() else { return };
        for mv in moves {
            let Some(loss) = mv.loss else { continue };
            sums.moves += 1.0;
            sums.accuracy += accuracy(loss.points);
            sums.loss += f64::from(loss.centipawns);
            match mv.grade {
                Some(MoveGrade::Inaccuracy) => group.grades[0] += 1,
                Some(MoveGrade::Mistake) => group.grades[1] += 1,
                Some(MoveGrade::Blunder) => group.grades[2] += 1,
                None => {}
            }
        }
    }

    /// All rows, those of a table together; the most games come first.
    pub fn rows(&self) -> Vec<TableRow> {
        let mut rows: Vec<TableRow> =
            self.groups.iter().map(|((by, name), group)| group.row(*by, name)).collect();
        rows.sort_by_key(|row| (row.by, std::cmp::Reverse(row.games)));
        rows
    }

    /// How unsure a winning chance is, in points of percent: how much it changes by a best move, over all games.
    pub fn noise(&self) -> Option<f64> {
        (self.noise.1 > 0).then(|| (self.noise.0 / self.noise.1 as f64).sqrt())
    }

    /// The tables as text.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for by in GroupKind::ALL {
            let mut table = TextTable::new(by.name())
                .texts([by.name()])
                .numbers(["Games", "Moves", "Accuracy", "±", "Loss", "±", "?!", "?", "??"]);
            for row in self.rows().into_iter().filter(|row| row.by == by) {
                let error =
                    |error: Option<f64>| error.map_or_else(|| "-".to_owned(), |error| format!("{error:.1}"));
                table.push([
                    row.name,
                    row.games.to_string(),
                    row.moves.to_string(),
                    format!("{:.1}", row.accuracy),
                    error(row.accuracy_error),
                    format!("{:.1}", row.average_loss),
                    error(row.average_loss_error),
                    row.inaccuracies.to_string(),
                    row.mistakes.to_string(),
                    row.blunders.to_string(),
                ]);
            }
            if !table.is_empty() {
                // Writing to a string doesn't fail.
                let _ = writeln!(text, "{table}");
            }
        }
        if let Some(noise) = self.noise() {
            let _ = writeln!(
                text,
                "A winning chance changes by {noise:.1} points with the best move (root mean square)."
            );
        }
        text
    }

    /// The tables as CSV, with a head.
    pub fn csv(&self) -> String {
        let mut text = "by,name,games,moves,accuracy,accuracy_error,average_loss,average_loss_error,inaccuracies,mistakes,blunders\n"
            .to_owned();
        for row in self.rows() {
            let error = |error: Option<f64>| error.map_or_else(String::new, |error| format!("{error:.3}"));
            let name = row.name.replace('"', "\"\"");
            let _ = writeln!(
                text,
                "{},\"{name}\",{},{},{:.3},{},{:.3},{},{},{},{}",
                row.by.name(),
                row.games,
                row.moves,
                row.accuracy,
                error(row.accuracy_error),
                row.average_loss,
                error(row.average_loss_error),
                row.inaccuracies,
                row.mistakes,
                row.blunders
            );
        }
        text
    }
}

/// The name of an opening without its variation.
fn family(name: &str) -> &str {
    name.split(':').next().unwrap_or(name)
}

impl GroupSums {
    fn sums(&self) -> impl Iterator<Item = &GameSums> {
        self.games.iter().map(|(_, sums)| sums)
    }

    fn row(&self, by: GroupKind, name: &str) -> TableRow {
        let moves: f64 = self.sums().map(|game| game.moves).sum();
        let accuracy = self.ratio(|game| game.accuracy);
        let loss = self.ratio(|game| game.loss);
        let error = |mean: Mean| (self.games.len() > 1).then_some(mean.error);
        TableRow {
            by,
            name: name.to_owned(),
            games: self.games.len(),
            moves: moves as u64,
            accuracy: accuracy.mean,
            accuracy_error: error(accuracy),
            average_loss: loss.mean,
            average_loss_error: error(loss),
            inaccuracies: self.grades[0],
            mistakes: self.grades[1],
            blunders: self.grades[2],
        }
    }

    /// A mean over moves, with the error of the ratio estimator over games (Cochran, Sampling Techniques, 2.11).
    fn ratio(&self, value: impl Fn(&GameSums) -> f64) -> Mean {
        let games = self.games.len() as f64;
        let moves: f64 = self.sums().map(|game| game.moves).sum();
        let mean = self.sums().map(&value).sum::<f64>() / moves;
        let squares: f64 = self.sums().map(|game| (value(game) - mean * game.moves).powi(2)).sum();
        let error = Z * (squares * games / (games - 1.0).max(1.0)).sqrt() / moves;
        Mean { mean, error }
    }
}
