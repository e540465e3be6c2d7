//! A number of bytes, in human-readable form. Units are powers of two: 1 KB is 1024 bytes.

use std::fmt;

use crate::Checked;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ByteSize(pub u64);

const UNITS: [(&str, u64); 5] =
    [("B", 1), ("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("TB", 1 << 40)];

impl ByteSize {
    /// Parses `10 GB`, `1.5gb`, `512` (bytes); fractions of a byte are dropped.
    pub fn parse(text: &str) -> Checked<ByteSize> {
        read(text).ok_or_else(|| {
            "must be a size such as 512 B, 10 MB or 1.5 GB (units: B, KB, MB, GB, TB)".to_owned()
        })
    }
}

fn read(text: &str) -> Option<ByteSize> {
    let text = text.trim();
    let number_end = text.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(number_end);
    let unit = unit_bytes(unit.trim_start())?;

    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let whole: u64 = whole.parse().ok()?;
    // At most 18 decimals, so that the product below stays far inside 128 bits.
    if decimals.len() > 18 {
        return None;
    }
    let scale = 10_u128.pow(decimals.len() as u32);
    let decimals: u64 = decimals.parse().ok()?;
    let part = u128::from(decimals) * u128::from(unit) / scale;
    let bytes = u128::from(whole) * u128::from(unit) + part;
    u64::try_from(bytes).ok().map(ByteSize)
}

fn unit_bytes(name: &str) -> Option<u64> {
    if name.is_empty() {
        return Some(1);
    }
    UNITS.iter().find(|(unit, _)| unit.eq_ignore_ascii_case(name)).map(|&(_, bytes)| bytes)
}

/// The largest unit that fits, with at most one decimal, rounded to nearest.
impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tenths_in = |unit: u64| (u128::from(self.0) * 10 + u128::from(unit / 2)) / u128::from(unit);
        let (name, unit) =
            UNITS.into_iter().find(|&(_, unit)| tenths_in(unit) < 10_240).unwrap_or(UNITS[UNITS.len() - 1]);
        let tenths = tenths_in(unit);
        match tenths % 10 {
            0 => write!(f, "{} {name}", tenths / 10),
            decimal => write!(f, "{}.{decimal} {name}", tenths / 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_size_is_a_number_and_a_unit() {
        let check = |text: &str, bytes| assert_eq!(ByteSize::parse(text), Ok(ByteSize(bytes)), "{text}");
        check("0", 0);
        check("512", 512);
        check("512 B", 512);
        check("1KB", 1024);
        check("10 MB", 10 << 20);
        check("10mb", 10 << 20);
        check(" 10  Gb ", 10 << 30);
        check("1.5 GB", 3 << 29);
        check("0.1 KB", 102);
        check("2 TB", 2 << 40);
        check("18446744073709551615", u64::MAX);
    }

    #[test]
    fn anything_else_is_not_a_size() {
        let message = "must be a size such as 512 B, 10 MB or 1.5 GB (units: B, KB, MB, GB, TB)";
        let texts = [
            "", "GB", "-1", "+1", "1e3", "1,5 GB", ".5 GB", "1. GB", "1.2.3", "10 GiB", "10 G", "1 0", "ten",
        ];
        let too_large = ["18446744073709551616", "16777216 TB", "99999999999999999999999999 B"];
        for text in texts.iter().chain(&too_large) {
            assert_eq!(ByteSize::parse(text), Err(message.into()), "{text}");
        }
    }

    #[test]
    fn a_size_is_shown_in_its_largest_unit() {
        let check = |bytes, expected| assert_eq!(ByteSize(bytes).to_string(), expected);
        check(0, "0 B");
        check(512, "512 B");
        check(1023, "1023 B");
        check(1024, "1 KB");
        check(10 << 20, "10 MB");
        check((10 << 20) + 1, "10 MB");
        check(3 << 29, "1.5 GB");
        check((1 << 30) - 1, "1 GB");
        check(100 << 30, "100 GB");
        check(u64::MAX, "16777216 TB");
    }

    proptest! {
        #[test]
        fn a_displayed_size_parses_back(bytes in 0..u64::MAX / 2) {
            let shown = ByteSize(bytes).to_string();
            prop_assert_eq!(ByteSize::parse(&shown).map(|size| size.to_string()), Ok(shown));
        }

        #[test]
        fn no_text_makes_it_panic(text in any::<String>(), size in "[0-9.]{0,30} ?[kKmMgGtTbB]{0,2}") {
            let _ = ByteSize::parse(&text);
            let _ = ByteSize::parse(&size);
        }
    }
}
