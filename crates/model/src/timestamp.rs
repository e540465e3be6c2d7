//! A point in time with microsecond precision, and its text form.

use std::fmt;
use std::time::Duration;

use serde::{Serialize, Serializer};

const MICROS_PER_DAY: i64 = 86_400_000_000;

/// Microseconds since 1970 (UTC), within the years 0001 to 9999, which have four digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// `0001-01-01T00:00:00.000Z`
    pub const MIN: Timestamp = Timestamp(-719_162 * MICROS_PER_DAY);
    /// `9999-12-31T23:59:59.999Z`, its last microsecond.
    pub const MAX: Timestamp = Timestamp(2_932_897 * MICROS_PER_DAY - 1);

    /// A time outside the four-digit years becomes the nearest one inside.
    pub fn from_micros(micros: i64) -> Timestamp {
        Timestamp(micros.clamp(Self::MIN.0, Self::MAX.0))
    }

    pub fn micros(self) -> i64 {
        self.0
    }

    /// The start of its calendar month, UTC.
    pub fn month_start(self) -> Timestamp {
        let day = self.0.div_euclid(MICROS_PER_DAY);
        let (_, _, day_of_month) = calendar(day);
        Timestamp((day + 1 - i64::from(day_of_month)) * MICROS_PER_DAY)
    }

    pub fn plus(self, time: Duration) -> Timestamp {
        Self::from_micros(self.0.saturating_add(micros_of(time)))
    }

    pub fn minus(self, time: Duration) -> Timestamp {
        Self::from_micros(self.0.saturating_sub(micros_of(time)))
    }

    /// The time elapsed since `earlier`; zero if that is later.
    pub fn since(self, earlier: Timestamp) -> Duration {
        Duration::from_micros(u64::try_from(self.0 - earlier.0).unwrap_or(0))
    }

    /// The same as `Display`, without an allocation. A listing writes thousands of these.
    pub fn text(self) -> TimestampText {
        let (year, month, day) = calendar(self.0.div_euclid(MICROS_PER_DAY));
        let millis = (self.0.rem_euclid(MICROS_PER_DAY) / 1000) as u32;
        let mut text = *b"0000-00-00T00:00:00.000Z";
        put(&mut text[0..4], year);
        put(&mut text[5..7], month);
        put(&mut text[8..10], day);
        put(&mut text[11..13], millis / 3_600_000);
        put(&mut text[14..16], millis / 60_000 % 60);
        put(&mut text[17..19], millis / 1000 % 60);
        put(&mut text[20..23], millis % 1000);
        TimestampText(text)
    }
}

/// The text form of a timestamp, on the stack.
#[derive(Clone, Copy, Debug)]
pub struct TimestampText([u8; 24]);

impl TimestampText {
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).expect("only digits and punctuation are put there")
    }
}

/// `2026-01-02T03:04:05.678Z`: always three decimals, always UTC; truncated to milliseconds.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text().as_str())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.text().as_str())
    }
}

fn micros_of(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).unwrap_or(i64::MAX)
}

/// Writes `number` into `digits`, padded with zeros on the left.
fn put(digits: &mut [u8], mut number: u32) {
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

/// Year, month and day of a day counted from 1970-01-01.
///
/// Howard Hinnant's `civil_from_days`: years begin in March, so that the leap day is the last day of a year, and are
/// counted from the year 0, so that every supported day is positive.
/// <https://howardhinnant.github.io/date_algorithms.html#civil_from_days>
fn calendar(day: i64) -> (u32, u32, u32) {
    let day = (day + 719_468) as u32;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = era * 400 + year_of_era + u32::from(month <= 2);
    (year, month, day_of_month)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_iso(text).unwrap()
    }

    #[test]
    fn three_decimals_rounded_down() {
        let check = |micros, expected| assert_eq!(Timestamp::from_micros(micros).to_string(), expected);
        check(0, "1970-01-01T00:00:00.000Z");
        check(999, "1970-01-01T00:00:00.000Z");
        check(-1, "1969-12-31T23:59:59.999Z");
        check(-1000, "1969-12-31T23:59:59.999Z");
        check(-1001, "1969-12-31T23:59:59.998Z");
        check(1_767_323_045_678_901, "2026-01-02T03:04:05.678Z");
        check(951_782_400_000_000, "2000-02-29T00:00:00.000Z");
        check(-2_203_891_200_000_001, "1900-02-28T23:59:59.999Z");
        check(-2_203_891_200_000_000, "1900-03-01T00:00:00.000Z");
    }

    #[test]
    fn moments_outside_the_four_digit_years_become_the_nearest_inside() {
        let check = |time: Timestamp, expected| assert_eq!(time.to_string(), expected);
        check(Timestamp::from_micros(i64::MIN), "0001-01-01T00:00:00.000Z");
        check(Timestamp::from_micros(i64::MAX), "9999-12-31T23:59:59.999Z");
        check(Timestamp::MIN.minus(Duration::MAX), "0001-01-01T00:00:00.000Z");
        check(Timestamp::MAX.plus(Duration::MAX), "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn a_month_starts_on_its_first_midnight() {
        let check = |time: &str, expected: &str| assert_eq!(at(time).month_start(), at(expected), "{time}");
        check("2026-01-02T03:04:05.678Z", "2026-01-01");
        check("2026-01-01", "2026-01-01");
        check("2024-02-29T23:59:59.999999Z", "2024-02-01");
        check("1969-12-31T23:59:59Z", "1969-12-01");
        check("0001-01-31", "0001-01-01");
    }

    #[test]
    fn the_time_since_something_later_is_zero() {
        let (early, late) = (at("2026-01-01"), at("2026-01-02"));
        assert_eq!(late.since(early), Duration::from_secs(86_400));
        assert_eq!(early.since(late), Duration::ZERO);
        assert_eq!(Timestamp::MIN.since(Timestamp::MAX), Duration::ZERO);
        assert_eq!(early.plus(Duration::from_secs(86_400)), late);
        assert_eq!(late.minus(Duration::from_secs(86_400)), early);
    }

    #[test]
    fn json_and_bytes_equal_the_displayed_text() {
        let time = at("2026-01-02T03:04:05.678Z");
        assert_eq!(serde_json::to_string(&time).unwrap(), "\"2026-01-02T03:04:05.678Z\"");
    }

    proptest! {
        #[test]
        fn a_displayed_time_parses_back_to_the_millisecond(
            micros in Timestamp::MIN.micros()..=Timestamp::MAX.micros()
        ) {
            let time = Timestamp::from_micros(micros);
            let read = at(&time.to_string());
            prop_assert_eq!(read.micros(), micros.div_euclid(1000) * 1000);
            prop_assert_eq!(read.to_string(), time.to_string());
        }
    }
}
