//! Tables for terminal and HTML.

use std::fmt;

/// Text in rows and columns.
#[derive(Debug, Default)]
pub(super) struct TextTable {
    pub(super) title: String,
    /// A heading for each column.
    pub(super) head: Vec<String>,
    /// A cell for each column.
    pub(super) rows: Vec<Vec<String>>,
    /// Whether each column holds numbers, which are right-aligned.
    pub(super) are_numbers: Vec<bool>,
}

impl TextTable {
    /// A table without columns.
    pub(super) fn new(title: impl Into<String>) -> TextTable {
        TextTable { title: title.into(), ..TextTable::default() }
    }

    /// Appends columns of text.
    pub(super) fn texts<'a>(self, names: impl IntoIterator<Item = &'a str>) -> TextTable {
        self.columns(names, false)
    }

    /// Appends columns of numbers.
    pub(super) fn numbers<'a>(self, names: impl IntoIterator<Item = &'a str>) -> TextTable {
        self.columns(names, true)
    }

    fn columns<'a>(mut self, names: impl IntoIterator<Item = &'a str>, are_numbers: bool) -> TextTable {
        self.head.extend(names.into_iter().map(str::to_owned));
        self.are_numbers.resize(self.head.len(), are_numbers);
        self
    }

    /// Head and rows.
    fn lines(&self) -> impl Iterator<Item = &Vec<String>> {
        [&self.head].into_iter().chain(&self.rows)
    }
}

impl fmt::Display for TextTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = |column: usize| self.lines().map(|cells| cells[column].chars().count()).max();
        let widths: Vec<usize> = (0..self.head.len()).filter_map(width).collect();
        writeln!(f, "{}", self.title)?;
        for cells in self.lines() {
            let columns = cells.iter().zip(&widths).zip(&self.are_numbers);
            let line: String = columns
                .map(|((cell, width), is_number)| match is_number {
                    true => format!("  {cell:>width$}"),
                    false => format!("  {cell:<width$}"),
                })
                .collect();
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}
