//! Aligned columns for people.

use std::fmt::Write;
use std::io::IsTerminal;

use super::output::safe;

/// Rows of cells, aligned when printed. Cells are made safe for the terminal.
#[derive(Debug, Default)]
pub(super) struct Table {
    rows: Vec<Vec<Cell>>,
}

#[derive(Debug)]
pub(super) struct Cell {
    text: String,
    right: bool,
    style: Option<Style>,
}

/// What a cell wants to say with colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Bad,
    Fair,
    Good,
    Faint,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Bad => "31",
            Self::Fair => "33",
            Self::Good => "32",
            Self::Faint => "2",
        }
    }
}

impl Cell {
    pub(super) fn styled(mut self, style: Option<Style>) -> Self {
        self.style = style;
        self
    }
}

/// A cell of text.
pub(super) fn left(text: impl AsRef<str>) -> Cell {
    Cell { text: safe(text.as_ref()), right: false, style: None }
}

/// A cell of a number.
pub(super) fn right(text: impl AsRef<str>) -> Cell {
    Cell { text: safe(text.as_ref()), right: true, style: None }
}

impl Table {
    /// A table with a faint row of titles; one that starts with `>` is right-aligned.
    pub(super) fn titled(titles: &[&str]) -> Self {
        let cell = |title: &&str| match title.strip_prefix('>') {
            Some(title) => right(title).styled(Some(Style::Faint)),
            None => left(title).styled(Some(Style::Faint)),
        };
        Self { rows: vec![titles.iter().map(cell).collect()] }
    }

    pub(super) fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.rows.push(cells.into_iter().collect());
    }

    /// The table with two spaces between columns; colours when `colours`.
    pub(super) fn print(&self, colours: bool) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| self.rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max();
        let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::from("  ");
            for (cell, width) in row.iter().zip(&widths) {
                let padding = " ".repeat(width - cell.width());
                let shown = painted(&cell.text, cell.style.filter(|_| colours));
                let _ = if cell.right {
                    write!(line, "{padding}{shown}  ")
                } else {
                    write!(line, "{shown}{padding}  ")
                };
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }
}

impl Cell {
    fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// Text in a colour.
pub(super) fn painted(text: &str, style: Option<Style>) -> String {
    match style {
        Some(style) => format!("\x1b[{}m{text}\x1b[0m", style.code()),
        None => text.to_owned(),
    }
}

/// Whether standard output is a terminal that wants colours (<https://no-color.org>).
pub(super) fn colours() -> bool {
    let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    wanted && std::env::var_os("TERM").is_some_and(|term| term != "dumb") && std::io::stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_cells_harmless() {
        let mut table = Table::titled(&["font", ">glyphs"]);
        table.row([left("a\x1b[2Jb"), right("1,000")]);
        table.row([left("Käse").styled(Some(Style::Bad)), right("7")]);
        assert_eq!(table.print(false), "  font    glyphs\n  a\u{fffd}[2Jb   1,000\n  Käse         7\n");
        assert!(table.print(true).contains("\x1b[31mKäse\x1b[0m  "));
    }
}
