//! Parses timestamps as sent by clients: an ISO 8601 date or date-time.

use jiff::civil;
use jiff::fmt::temporal::Pieces;

use crate::{Checked, Timestamp};

impl Timestamp {
    /// Parses an ISO 8601 date or date-time; without a zone it is UTC, a date alone is its midnight.
    pub fn parse_iso(text: &str) -> Checked<Timestamp> {
        read(text).ok_or_else(|| {
            "must be an ISO 8601 date or date-time such as 2026-01-02T03:04:05Z, in the years 0001 to 9999"
                .to_owned()
        })
    }
}

fn read(text: &str) -> Option<Timestamp> {
    // jiff also parses RFC 9557's suffixes (`[Europe/Rome]`), which are not ISO 8601.
    if text.contains('[') {
        return None;
    }
    // In pieces, because jiff's own timestamps end a day early, to allow for any offset.
    let pieces = Pieces::parse(text).ok()?;
    let local = pieces.date().to_datetime(pieces.time().unwrap_or_else(civil::Time::midnight));
    let offset = pieces.to_numeric_offset().map_or(0, |offset| i64::from(offset.seconds()));

    let since_1970 = local.duration_since(civil::date(1970, 1, 1).at(0, 0, 0, 0));
    let micros = since_1970.as_nanos().div_euclid(1000) - i128::from(offset) * 1_000_000;
    let micros = i64::try_from(micros).ok()?;
    let time = Timestamp::from_micros(micros);
    (time.micros() == micros).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_and_date_times_are_read() {
        let check = |text: &str, expected: &str| {
            assert_eq!(
                Timestamp::parse_iso(text).map(|time| time.to_string()),
                Ok(expected.into()),
                "{text}"
            );
        };
        check("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z");
        check("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z");
        check("2026-01-02T03:04:05", "2026-01-02T03:04:05.000Z");
        check("2026-01-02T03:04", "2026-01-02T03:04:00.000Z");
        check("2026-01-02", "2026-01-02T00:00:00.000Z");
        check("20260102T030405Z", "2026-01-02T03:04:05.000Z");
        check("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000Z");
        check("2026-01-02 03:04:05Z", "2026-01-02T03:04:05.000Z");
        check("2026-01-02T03:04:05,5Z", "2026-01-02T03:04:05.500Z");
        check("2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123Z");
        check("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z");
        check("2026-01-02T03:04:05-0530", "2026-01-02T08:34:05.000Z");
        check("2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05.000Z");
        check("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00.000Z");
        check("1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z");
        check("0001-01-01", "0001-01-01T00:00:00.000Z");
        check("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z");
    }

    #[test]
    fn anything_but_an_iso_8601_time_in_years_1_to_9999_is_refused() {
        let check = |text: &str| assert!(Timestamp::parse_iso(text).is_err(), "{text}");
        check("");
        check("yesterday");
        check("1767323045");
        check("2026");
        check("2026-01");
        check("2026-02-30");
        check("2026-13-01");
        check("2026-01-02T25:00:00Z");
        check("2026-01-02T03:04:05Z ");
        check("2026-01-02Z");
        check("2026-01-02T03:04:05[Europe/Rome]");
        check("2026-01-02T03:04:05Z[u-ca=gregory]");
        check("02/01/2026");
        check("Fri, 02 Jan 2026 03:04:05 GMT");
        check("0000-12-31");
        check("-000001-01-01");
        check("0001-01-01T00:00:00+01:00");
        check("9999-12-31T23:59:59-01:00");
    }

    #[test]
    fn the_message_shows_a_valid_example() {
        let message = Timestamp::parse_iso("tomorrow").unwrap_err();
        assert_eq!(
            message,
            "must be an ISO 8601 date or date-time such as 2026-01-02T03:04:05Z, in the years 0001 to 9999"
        );
    }

    proptest! {
        #[test]
        fn no_text_makes_it_panic(text in ".*") {
            let _ = Timestamp::parse_iso(&text);
        }
    }
}
