//! What is wrong with a file, and where.

use std::fmt;

/// Shown as `docs/guide.md:12: message`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The path in the folder.
    pub file: String,
    /// From 1; `None` for the file as a whole.
    pub line: Option<usize>,
    pub message: String,
}

impl Problem {
    pub(crate) fn of(file: &str, message: impl Into<String>) -> Problem {
        Problem { file: file.to_owned(), line: None, message: message.into() }
    }

    pub(crate) fn at(file: &str, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: file.to_owned(), line: Some(line), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file, self.message),
            None => write!(f, "{}: {}", self.file, self.message),
        }
    }
}
