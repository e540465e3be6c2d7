//! How a long list by time is cut: by month, by day, and at last by hash.
//!
//! Cuts go by what a page is, not by its rank, so that a page that comes or goes moves no other.

use std::fmt;

use model::{PageId, Timestamp};

use super::hash::hash;
use super::timeline::WHOLE;
use crate::text::Day;

/// A part of a timeline that has a file of its own when the whole is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Month {
        year: u16,
        month: u8,
    },
    Day(Day),
    /// Of a day that itself is too long: those pages whose hash falls to this part.
    Part(Day, usize),
}

/// Into how many parts a day of so many pages is cut; 0 when it is not.
pub(crate) fn parts(len: usize) -> usize {
    if len > WHOLE { len.div_ceil(WHOLE).next_power_of_two() } else { 0 }
}

pub(super) fn part_of(id: PageId, parts: usize) -> usize {
    (hash(id) % parts as u64) as usize
}

impl Cut {
    pub fn month(day: Day) -> Cut {
        Cut::Month { year: day.year, month: day.month }
    }

    /// Reads `2026.05`, `2026.05.14` and `2026.05.14.3`.
    pub fn parse(text: &str) -> Option<Cut> {
        let numbers: Vec<u16> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
        let (year, month) = (*numbers.first()?, u8::try_from(*numbers.get(1)?).ok()?);
        if year == 0 || !(1..=12).contains(&month) {
            return None;
        }
        let day = |day: u16| (1..=31).contains(&day).then_some(Day { year, month, day: day as u8 });
        let cut = match numbers[2..] {
            [] => Cut::Month { year, month },
            [number] => Cut::Day(day(number)?),
            [number, part] => Cut::Part(day(number)?, part.into()),
            _ => return None,
        };
        // One file, one path: `2026.5` is none.
        (cut.to_string() == text).then_some(cut)
    }

    /// `May 2026`, `14 May 2026`
    pub fn title(self) -> String {
        match self {
            Cut::Month { year, month } => format!("{} {year}", Day { year, month, day: 1 }.month_name()),
            Cut::Day(day) => day.long(),
            Cut::Part(day, part) => format!("{}, part {}", day.long(), part + 1),
        }
    }

    /// Its first and last moment.
    pub(super) fn span(self) -> (Timestamp, Timestamp) {
        let start = |day: Day| Timestamp::parse_iso(&day.iso()).unwrap_or(Timestamp::MIN);
        const DAY: i64 = 86_400_000_000;
        match self {
            Cut::Day(day) | Cut::Part(day, _) => {
                let first = start(day);
                (first, Timestamp::from_micros(first.micros() + DAY - 1))
            }
            Cut::Month { year, month } => {
                let first = start(Day { year, month, day: 1 });
                let next = Timestamp::from_micros(first.micros() + 31 * DAY).month_start();
                // After the last month there is no next one.
                let last =
                    if next > first { Timestamp::from_micros(next.micros() - 1) } else { Timestamp::MAX };
                (first, last)
            }
        }
    }
}

impl fmt::Display for Cut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cut::Month { year, month } => write!(f, "{year:04}.{month:02}"),
            Cut::Day(Day { year, month, day }) => write!(f, "{year:04}.{month:02}.{day:02}"),
            Cut::Part(day, part) => write!(f, "{}.{part}", Cut::Day(*day)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_cut_reads_back() {
        for text in ["2026.05", "2026.12.31", "0001.01.01.0", "9999.12.31.512"] {
            assert_eq!(Cut::parse(text).map(|cut| cut.to_string()).as_deref(), Some(text));
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
            assert_eq!(Cut::parse(text), None, "{text}");
        }
    }
}
