//! Tables as text and as HTML.

use std::fmt::{self, Write as _};

use crate::text::escaped;

/// Text in columns, with a row of headings.
#[derive(Debug, Default)]
pub struct TextTable {
    /// The line above the table as text, whose rows are then indented; empty for none.
    pub title: String,
    headings: Vec<String>,
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

#[derive(Debug)]
struct Column {
    /// Numbers are right-aligned.
    is_number: bool,
    /// Number of characters of the longest cell.
    width: usize,
}

impl TextTable {
    /// A table without columns.
    pub fn new(title: impl Into<String>) -> TextTable {
        TextTable { title: title.into(), ..TextTable::default() }
    }

    /// The table with further columns of text.
    #[must_use]
    pub fn texts(self, headings: impl IntoIterator<Item = impl Into<String>>) -> TextTable {
        self.with(headings, false)
    }

    /// The table with further columns of numbers.
    #[must_use]
    pub fn numbers(self, headings: impl IntoIterator<Item = impl Into<String>>) -> TextTable {
        self.with(headings, true)
    }

    fn with(mut self, headings: impl IntoIterator<Item = impl Into<String>>, is_number: bool) -> TextTable {
        for heading in headings {
            let heading: String = heading.into();
            self.columns.push(Column { is_number, width: heading.chars().count() });
            self.headings.push(heading);
        }
        self
    }

    /// Adds a row, a cell for each column.
    pub fn push(&mut self, cells: impl IntoIterator<Item = String>) {
        let cells: Vec<String> = cells.into_iter().collect();
        self.widen(&cells);
        self.rows.push(cells);
    }

    /// Makes the columns as wide as the cells of a row that is not kept.
    pub fn widen(&mut self, cells: &[String]) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.width = column.width.max(cell.chars().count());
        }
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Drops columns from the right until the rows are at most so wide, not counting their indent; the first `kept` columns stay.
    #[must_use]
    pub fn within(mut self, width: usize, kept: usize) -> TextTable {
        let row_width =
            |count: usize| self.columns[..count].iter().map(|column| 2 + column.width).sum::<usize>();
        let fits = |count: &usize| row_width(*count) <= width.saturating_add(2);
        let count = (kept.max(1)..=self.columns.len()).rev().find(fits).unwrap_or(kept);
        self.columns.truncate(count);
        self
    }

    /// Formats a row as text. Control characters are replaced by `?`: names may come from anywhere, and a terminal obeys them.
    pub fn line(&self, cells: &[String]) -> String {
        let mut line = if self.title.is_empty() { "" } else { "  " }.to_owned();
        for (cell, Column { is_number, width }) in cells.iter().zip(&self.columns) {
            let cell = cell.replace(char::is_control, "?");
            let _ =
                if *is_number { write!(line, "{cell:>width$}  ") } else { write!(line, "{cell:<width$}  ") };
        }
        line.trim_end().to_owned()
    }

    /// Formats the headings and the other rows as HTML. The tags of numbers have an attribute, such as ` class="number"`.
    pub fn html_rows(&self, attribute: &str) -> [String; 2] {
        let row = |tag: &str, cells: &[String]| {
            let cell = |(cell, column): (&String, &Column)| {
                let attribute = if column.is_number { attribute } else { "" };
                format!("<{tag}{attribute}>{}</{tag}>", escaped(cell))
            };
            let cells: String = cells.iter().zip(&self.columns).map(cell).collect();
            format!("<tr>{cells}</tr>\n")
        };
        [row("th", &self.headings), self.rows.iter().map(|cells| row("td", cells)).collect()]
    }

    /// Formats the table as an HTML element, without its title.
    pub fn html(&self) -> String {
        format!("<table>{}</table>\n", self.html_rows("").concat())
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let title = (!self.title.is_empty()).then(|| self.title.clone());
        let rows = [&self.headings].into_iter().chain(&self.rows).map(|cells| self.line(cells));
        title.into_iter().chain(rows).try_for_each(|line| writeln!(f, "{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_text_is_escaped() {
        let ranking = || TextTable::default().numbers([""]).texts(["Program"]).numbers(["Points"]);
        let mut table = ranking();
        table.push(["1", "<Ann>", "10.5"].map(str::to_owned));
        table.push(["2", "Bartholomew", "9.0"].map(str::to_owned));
        let expected = "   Program      Points\n1  <Ann>          10.5\n2  Bartholomew     9.0\n";
        assert_eq!(table.to_string(), expected);
        let narrow = |width| {
            let mut table = ranking();
            table.push(["1", "Bartholomew", "9.0"].map(str::to_owned));
            table.within(width, 2).to_string()
        };
        assert_eq!(narrow(22), "   Program      Points\n1  Bartholomew     9.0\n");
        assert_eq!(narrow(21), "   Program\n1  Bartholomew\n");
        assert_eq!(narrow(3), narrow(21));
        let html = table.html();
        assert!(html.starts_with("<table><tr><th></th><th>Program</th>"), "{html}");
        assert!(html.contains("<td>&lt;Ann&gt;</td><td>10.5</td></tr>"), "{html}");
    }
}
