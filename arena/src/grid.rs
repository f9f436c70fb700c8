//! Tables for reports, as aligned text or HTML.

use std::fmt::Write as _;

use game::escaped;

use crate::standings::Standings;

/// Maximum number of programs in a crosstable; wider ones are unreadable.
const WIDEST_CROSSTABLE: usize = 24;

/// A table of text cells with a header row.
pub struct Grid {
    headings: Vec<String>,
    /// The left-aligned columns; all others are right-aligned.
    left: &'static [usize],
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// Makes a table without rows. `left` contains the indices of the left-aligned columns.
    pub fn new(headings: &[&str], left: &'static [usize]) -> Grid {
        Grid { headings: headings.iter().map(ToString::to_string).collect(), left, rows: Vec::new() }
    }

    /// Makes a crosstable with the score of each program against each other, in the order of a ranking; `None` if there
    /// are too many programs to be readable.
    pub fn crosstable<'a>(
        standings: &Standings,
        ranking: &[usize],
        name: impl Fn(usize) -> &'a str,
    ) -> Option<Grid> {
        if ranking.len() > WIDEST_CROSSTABLE {
            return None;
        }
        let mut grid = Grid::new(&["", "Program"], &[1]);
        grid.headings.extend((1..=ranking.len()).map(|rank| rank.to_string()));
        for (rank, &program) in (1..).zip(ranking) {
            let cells = ranking.iter().map(|&opponent| standings.score_text(program, opponent));
            grid.push([rank.to_string(), name(program).to_owned()].into_iter().chain(cells));
        }
        Some(grid)
    }

    /// Adds a row.
    pub fn push(&mut self, row: impl IntoIterator<Item = String>) {
        self.rows.push(row.into_iter().collect());
    }

    /// Formats the table as text, with columns as wide as their longest cells.
    pub fn text(&self) -> String {
        let lines = || [&self.headings].into_iter().chain(&self.rows);
        let width = |column: usize| {
            let cells = lines().filter_map(|row| row.get(column));
            cells.map(|cell: &String| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.headings.len()).map(width).collect();
        let mut text = String::new();
        for row in lines() {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                let is_left = self.left.contains(&column);
                let _ =
                    if is_left { write!(line, "{cell:<width$}  ") } else { write!(line, "{cell:>width$}  ") };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        text
    }

    /// Formats the table as an HTML element.
    pub fn html(&self) -> String {
        let row = |tag: &str, cells: &[String]| {
            let mut row = "<tr>".to_owned();
            for cell in cells {
                let _ = write!(row, "<{tag}>{}</{tag}>", escaped(cell));
            }
            row + "</tr>\n"
        };
        let rows: String = self.rows.iter().map(|cells| row("td", cells)).collect();
        format!("<table>{}{rows}</table>\n", row("th", &self.headings))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_text_is_escaped() {
        let mut grid = Grid::new(&["", "Program", "Points"], &[1]);
        grid.push(["1", "<Ann>", "10.5"].map(str::to_owned));
        grid.push(["2", "Bartholomew", "9.0"].map(str::to_owned));
        assert_eq!(grid.text(), "   Program      Points\n1  <Ann>          10.5\n2  Bartholomew     9.0\n");
        let html = grid.html();
        assert!(html.starts_with("<table><tr><th></th><th>Program</th>"), "{html}");
        assert!(html.contains("<td>&lt;Ann&gt;</td><td>10.5</td></tr>"), "{html}");
    }
}
