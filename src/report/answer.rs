//! What a report says, before anybody prints it.

use std::borrow::Cow;

use serde_json::{Map, Value as Json};

/// Rows of named values, best first.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Which report this is.
    pub report: &'static str,
    /// Names and kinds of the columns.
    pub columns: Vec<Column>,
    /// One value a column.
    pub rows: Vec<Vec<Value>>,
    /// What a reader should know, in a sentence each.
    pub notes: Vec<String>,
}

/// A column of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name, in JSON and CSV.
    pub name: Cow<'static, str>,
    /// What its values are.
    pub kind: Kind,
}

/// What a column's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text, maybe from a file.
    Text,
    /// A count.
    Count,
    /// A share, 0.0 to 1.0.
    Share,
    /// A difference of counts.
    Change,
    /// A difference of shares, in percentage points.
    Points,
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not there.
    None,
    /// Text.
    Text(String),
    /// A whole number.
    Count(i64),
    /// Any other number.
    Number(f64),
}

impl Answer {
    /// An answer without rows.
    pub fn new(report: &'static str, columns: &[(&'static str, Kind)]) -> Self {
        let columns = columns.iter().map(|&(name, kind)| Column { name: name.into(), kind }).collect();
        Self { report, columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// The rows as JSON objects.
    pub fn json(&self) -> Json {
        let object = |row: &Vec<Value>| {
            let fields =
                self.columns.iter().zip(row).map(|(column, value)| (column.name.to_string(), value.json()));
            Json::Object(fields.collect::<Map<_, _>>())
        };
        self.rows.iter().map(object).collect()
    }

    /// The same with these columns only, those of them that it has.
    #[must_use]
    pub fn only(&self, names: &[&str]) -> Self {
        let kept: Vec<usize> = names
            .iter()
            .filter_map(|name| self.columns.iter().position(|column| column.name == *name))
            .collect();
        Self {
            report: self.report,
            columns: kept.iter().map(|&index| self.columns[index].clone()).collect(),
            rows: self
                .rows
                .iter()
                .map(|row| kept.iter().map(|&index| row[index].clone()).collect())
                .collect(),
            notes: self.notes.clone(),
        }
    }

    /// Keeps the first `limit` rows and notes how many are left out; 0 keeps all.
    #[must_use]
    pub fn limited(mut self, limit: usize) -> Self {
        if limit > 0 && self.rows.len() > limit {
            self.notes.push(format!("{} more rows; --limit 0 shows all", self.rows.len() - limit));
            self.rows.truncate(limit);
        }
        self
    }
}

impl Value {
    /// Text, where there is one.
    pub fn text(text: Option<impl Into<String>>) -> Self {
        text.map_or(Self::None, |text| Self::Text(text.into()))
    }

    /// A count.
    pub fn count(n: u64) -> Self {
        Self::Count(i64::try_from(n).unwrap_or(i64::MAX))
    }

    /// A number, with six decimals: more would be noise.
    pub fn number(number: f64) -> Self {
        Self::Number((number * 1e6).round() / 1e6)
    }

    /// As JSON.
    pub fn json(&self) -> Json {
        match self {
            Self::None => Json::Null,
            Self::Text(text) => Json::from(text.as_str()),
            Self::Count(n) => Json::from(*n),
            Self::Number(number) => Json::from(*number),
        }
    }
}
