//! Tables, for a terminal and for a page.

use std::fmt;

/// Text in rows and columns.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) title: String,
    /// A heading for each column.
    pub(super) head: Vec<String>,
    /// A cell for each column.
    pub(super) rows: Vec<Vec<String>>,
    /// Whether a column holds numbers, which stand at its right.
    pub(super) are_numbers: Vec<bool>,
}

impl Table {
    /// A table without columns.
    pub(super) fn new(title: impl Into<String>) -> Table {
        Table { title: title.into(), ..Table::default() }
    }

    /// The table with columns of text behind those that it has.
    pub(super) fn texts<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Table {
        self.columns(names, false)
    }

    /// The same with columns of numbers.
    pub(super) fn numbers<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Table {
        self.columns(names, true)
    }

    fn columns<'a>(mut self, names: impl IntoIterator<Item = &'a str>, are_numbers: bool) -> Table {
        self.head.extend(names.into_iter().map(str::to_owned));
        self.are_numbers.resize(self.head.len(), are_numbers);
        self
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().chain([&self.head]).filter_map(|row| row.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        (0..self.head.len()).map(width).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        writeln!(f, "{}", self.title)?;
        for row in [&self.head].into_iter().chain(&self.rows) {
            let mut line = String::new();
            for ((cell, width), is_number) in row.iter().zip(&widths).zip(&self.are_numbers) {
                line.push_str("  ");
                let cell = if *is_number { format!("{cell:>width$}") } else { format!("{cell:<width$}") };
                line.push_str(&cell);
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
