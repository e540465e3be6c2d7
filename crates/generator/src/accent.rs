//! The accent colour of a site, adjusted to be readable on light and dark backgrounds.

/// Red, green, blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Colour(u8, u8, u8);

/// The accent on light and on dark backgrounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Accent {
    pub light: Colour,
    pub dark: Colour,
}

// The `--paper` of the theme's style sheet with slightly less contrast: accents are also used on tinted backgrounds.
const LIGHT_BACKGROUND: Colour = Colour(0xf5, 0xf3, 0xec);
const DARK_BACKGROUND: Colour = Colour(0x26, 0x26, 0x2b);

/// WCAG 2.2, 1.4.3 "Contrast (Minimum)", level AA.
const MIN_CONTRAST: f64 = 4.5;

impl Default for Accent {
    /// The theme's default: the red of old initials.
    fn default() -> Accent {
        Accent { light: Colour(0xa3, 0x30, 0x1a), dark: Colour(0xff, 0x92, 0x74) }
    }
}

/// One colour for both backgrounds, or one for each; darkened or lightened until it is readable.
pub(crate) fn parse(text: &str) -> Result<Accent, String> {
    let wrong = || format!("accent must be a colour such as #a3301a, or two of them, not \"{text}\"");
    let colours: Vec<_> = text.split_whitespace().map(hex).collect::<Option<_>>().ok_or_else(wrong)?;
    let (light, dark) = match colours[..] {
        [both] => (both, both),
        [light, dark] => (light, dark),
        _ => return Err(wrong()),
    };
    Ok(Accent {
        light: readable(light, LIGHT_BACKGROUND, Colour(0, 0, 0)),
        dark: readable(dark, DARK_BACKGROUND, Colour(255, 255, 255)),
    })
}

/// `#rgb` or `#rrggbb`
fn hex(text: &str) -> Option<Colour> {
    let digits = text.strip_prefix('#')?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let part = |range| u8::from_str_radix(&digits[range], 16).ok();
    match digits.len() {
        6 => Some(Colour(part(0..2)?, part(2..4)?, part(4..6)?)),
        3 => Some(Colour(part(0..1)? * 17, part(1..2)? * 17, part(2..3)? * 17)),
        _ => None,
    }
}

/// The colour nearest to `colour` on the way to `end` that is readable on `background`.
fn readable(colour: Colour, background: Colour, end: Colour) -> Colour {
    let breadcrumb = |n| mix(colour, end, f64::from(n) / 50.0);
    (0..50).map(breadcrumb).find(|&colour| contrast(colour, background) >= MIN_CONTRAST).unwrap_or(end)
}

fn mix(a: Colour, b: Colour, part: f64) -> Colour {
    let channel = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
    Colour(channel(a.0, b.0), channel(a.1, b.1), channel(a.2, b.2))
}

/// WCAG 2.2, "contrast ratio".
fn contrast(a: Colour, b: Colour) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// WCAG 2.2, "relative luminance".
fn luminance(Colour(red, green, blue): Colour) -> f64 {
    let linear = |channel: u8| {
        let part = f64::from(channel) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

impl Colour {
    pub fn channels(self) -> [u8; 3] {
        [self.0, self.1, self.2]
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_readable_colour_stays_unchanged() {
        let accent = parse("#0a5c8a #8fd0ff").unwrap();
        assert_eq!((accent.light.to_string(), accent.dark.to_string()), ("#0a5c8a".into(), "#8fd0ff".into()));
    }

    #[test]
    fn any_colour_becomes_readable_on_both_backgrounds() {
        for text in ["#000", "#fff", "#ff0", "#ffcc00", "#808080", "#00f", "#a3301a", "#00ff00 #000080"] {
            let accent = parse(text).unwrap();
            assert!(contrast(accent.light, LIGHT_BACKGROUND) >= MIN_CONTRAST, "{text} {accent:?}");
            assert!(contrast(accent.dark, DARK_BACKGROUND) >= MIN_CONTRAST, "{text} {accent:?}");
        }
    }

    #[test]
    fn the_default_is_readable() {
        let Accent { light, dark } = Accent::default();
        assert!(
            contrast(light, LIGHT_BACKGROUND) >= MIN_CONTRAST
                && contrast(dark, DARK_BACKGROUND) >= MIN_CONTRAST
        );
    }

    #[test]
    fn anything_else_is_not_an_accent() {
        for text in ["", "red", "a3301a", "#a3301", "#ggg", "#é00", "#000 #000 #000", "#000; }"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
