//! How a long timeline is split into archives: by month, by day, and finally by hash.
//!
//! Archives depend on the pages themselves, not on their rank, so that adding or removing a page does not move others.

use std::fmt;

use model::{PageId, Timestamp};

use super::timeline::MAX_LIST_ENTRIES;
use crate::text::Day;
use crate::words::{Words, fill};
use search::hash;

/// A part of a long timeline that has its own file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Archive {
    Month {
        year: u16,
        month: u8,
    },
    Day(Day),
    /// Part of a day that is itself too long: the pages whose hash falls into this part.
    Part(Day, usize),
}

/// The number of parts that a day with this many pages is split into; 0 if it is not.
pub(crate) fn parts(len: usize) -> usize {
    if len > MAX_LIST_ENTRIES { len.div_ceil(MAX_LIST_ENTRIES).next_power_of_two() } else { 0 }
}

pub(super) fn part_of(id: PageId, parts: usize) -> usize {
    (hash(id) % parts as u64) as usize
}

impl Archive {
    pub fn month(day: Day) -> Archive {
        Archive::Month { year: day.year, month: day.month }
    }

    /// Parses `2026.05`, `2026.05.14` and `2026.05.14.3`.
    pub fn parse(text: &str) -> Option<Archive> {
        let numbers: Vec<u16> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let (year, month) = (*numbers.first()?, u8::try_from(*numbers.get(1)?).ok()?);
        if year == 0 || !(1..=12).contains(&month) {
            return None;
        }
        let day = |day: u16| (1..=31).contains(&day).then_some(Day { year, month, day: day as u8 });
        let archive = match numbers[2..] {
            [] => Archive::Month { year, month },
            [number] => Archive::Day(day(number)?),
            [number, part] => Archive::Part(day(number)?, part.into()),
            _ => return None,
        };
        // One file, one path: `2026.5` is not valid.
        (archive.to_string() == text).then_some(archive)
    }

    /// `May 2026`, `14 May 2026`
    pub fn title(self, words: &Words) -> String {
        match self {
            Archive::Month { year, month } => words.month_and_year(&Day { year, month, day: 1 }),
            Archive::Day(day) => words.long(&day),
            Archive::Part(day, part) => {
                format!("{}, {}", words.long(&day), fill(words.part, &words.number(part + 1)))
            }
        }
    }

    /// Its first and last moment.
    pub(super) fn span(self) -> (Timestamp, Timestamp) {
        let start = |day: Day| Timestamp::parse_iso(&day.iso()).unwrap_or(Timestamp::MIN);
        const DAY: i64 = 86_400_000_000;
        match self {
            Archive::Day(day) | Archive::Part(day, _) => {
                let first = start(day);
                (first, Timestamp::from_micros(first.micros() + DAY - 1))
            }
            Archive::Month { year, month } => {
                let first = start(Day { year, month, day: 1 });
                let next = Timestamp::from_micros(first.micros() + 31 * DAY).month_start();
                // The last month has no next one.
                let last =
                    if next > first { Timestamp::from_micros(next.micros() - 1) } else { Timestamp::MAX };
                (first, last)
            }
        }
    }
}

impl fmt::Display for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Archive::Month { year, month } => write!(f, "{year:04}.{month:02}"),
            Archive::Day(Day { year, month, day }) => write!(f, "{year:04}.{month:02}.{day:02}"),
            Archive::Part(day, part) => write!(f, "{}.{part}", Archive::Day(*day)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_an_archive_parses_back() {
        for text in ["2026.05", "2026.12.31", "0001.01.01.0", "9999.12.31.512"] {
            assert_eq!(Archive::parse(text).map(|archive| archive.to_string()).as_deref(), Some(text));
        }
        for text in [
            "",
            "2026",
            "2026.5",
            "2026.13",
            "2026.00",
            "2026.05.32",
            "2026.05.1",
            "0000.01",
            "a.b",
            "2026.05.01.0.0",
        ] {
            assert_eq!(Archive::parse(text), None, "{text}");
        }
    }
}
