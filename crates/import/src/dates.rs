//! Dates as other programs write them.

use jiff::civil::Date;
use model::Timestamp;

/// A date, with the time if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct When {
    pub date: Date,
    /// ISO 8601, as the API reads it.
    pub iso: String,
    /// Hour, minute, second, for permalinks.
    pub time: [String; 3],
}

/// Reads `2026-01-02`, `2026-01-02 03:04`, `2026-01-02 03:04:05 +0100`, `2026-01-02T03:04:05.678Z`, …
pub(crate) fn parse(text: &str) -> Option<When> {
    let text = text.trim();
    let date: Date = text.get(..10)?.parse().ok()?;
    let rest = text[10..].trim_start_matches(['T', 't', ' ']);
    let time_end = rest.find(|char: char| !(char.is_ascii_digit() || char == ':' || char == '.'));
    let (clock, zone) = rest.split_at(time_end.unwrap_or(rest.len()));
    let mut parts = clock.split(':');
    let mut part = || format!("{:0>2}", parts.next().unwrap_or_default());
    let (hour, minute, second) = (part(), part(), part());
    let iso = match clock {
        "" => date.to_string(),
        _ => format!("{date}T{hour}:{minute}:{second}{}", zone_of(zone.trim())?),
    };
    Timestamp::parse_iso(&iso).ok()?;
    let second = second.split('.').next().unwrap_or_default().to_owned();
    Some(When { date, iso, time: [hour, minute, second] })
}

fn zone_of(zone: &str) -> Option<String> {
    let sign = zone.chars().next().filter(|sign| matches!(sign, '+' | '-'));
    match (sign, zone.len()) {
        (None, _) if matches!(zone, "" | "Z" | "z" | "UTC" | "GMT") => Some("Z".to_owned()),
        (Some(_), 6) => Some(zone.to_owned()),
        (Some(_), 5) if zone.is_ascii() => Some(format!("{}:{}", &zone[..3], &zone[3..])),
        (Some(_), 3) => Some(format!("{zone}:00")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_become_iso_8601() {
        let check = |text: &str, expected: &str| {
            assert_eq!(parse(text).map(|when| when.iso).as_deref(), Some(expected))
        };
        check("2026-01-02", "2026-01-02");
        check("2026-01-02 03:04", "2026-01-02T03:04:00Z");
        check("2026-01-02 03:04:05 +0100", "2026-01-02T03:04:05+01:00");
        check("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z");
        check("2026-01-02 3:04:05 -05:00", "2026-01-02T03:04:05-05:00");
        for text in ["", "2026", "02.01.2026", "2026-02-30", "2026-01-02 99:00", "2026-01-02 03:04 CEST"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
