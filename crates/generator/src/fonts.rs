//! The theme's fonts. They are the same for every site, so they are part of the program, not of each release.

use std::fmt::Write;
use std::sync::LazyLock;

use model::sha256;

use crate::url::hex;

/// All paths of shared assets begin with this.
const DIRECTORY: &str = "/assets/fonts/";

struct Font {
    name: &'static str,
    family: &'static str,
    style: &'static str,
    characters: &'static str,
    bytes: &'static [u8],
}

/// The character ranges of `theme/fonts/make`.
const LATIN: &str = "U+0-FF,U+131,U+152-153,U+2BB-2BC,U+2C6,U+2DA,U+2DC,U+304,U+308,U+329,U+2000-206F,U+20AC,U+2116,\
                     U+2122,U+2190-2193,U+2212,U+2215,U+2713,U+2766-2767,U+FEFF,U+FFFD";
const EXTENDED: &str = "U+100-130,U+132-151,U+154-2BA,U+2BD-2C5,U+2C7-2CC,U+2CE-2D7,U+2DD-2FF,U+1E00-1EFF,U+20A0-20AB,\
                        U+20AD-20C0,U+2113";

const fn font(
    name: &'static str,
    family: &'static str,
    style: &'static str,
    characters: &'static str,
    bytes: &'static [u8],
) -> Font {
    Font { name, family, style, characters, bytes }
}

macro_rules! font {
    ($name:literal, $family:literal, $style:literal, $characters:expr) => {
        font($name, $family, $style, $characters, include_bytes!(concat!("../theme/fonts/", $name, ".woff2")))
    };
}

const FONTS: [Font; 8] = [
    font!("serif", "Recto Serif", "normal", LATIN),
    font!("serif-extended", "Recto Serif", "normal", EXTENDED),
    font!("serif-italic", "Recto Serif", "italic", LATIN),
    font!("serif-italic-extended", "Recto Serif", "italic", EXTENDED),
    font!("sans", "Recto Sans", "normal", LATIN),
    font!("sans-extended", "Recto Sans", "normal", EXTENDED),
    font!("sans-italic", "Recto Sans", "italic", LATIN),
    font!("sans-italic-extended", "Recto Sans", "italic", EXTENDED),
];

/// Fonts of most systems with the widths and heights of the theme's, so that nothing moves when those have loaded.
/// Computed from the average width of English text.
const FALLBACKS: &str = "\
@font-face{font-family:Recto Serif Fallback;src:local(Times New Roman),local(Liberation Serif);\
size-adjust:114.1%;ascent-override:90.8%;descent-override:29.4%;line-gap-override:0%}\n\
@font-face{font-family:Recto Serif Fallback;font-style:italic;\
src:local(Times New Roman Italic),local(Liberation Serif Italic);\
size-adjust:104.6%;ascent-override:99%;descent-override:32%;line-gap-override:0%}\n\
@font-face{font-family:Recto Sans Fallback;src:local(Arial),local(Liberation Sans);\
size-adjust:94.2%;ascent-override:106.2%;descent-override:34.6%;line-gap-override:0%}\n";

/// With a hash of the content, because browsers keep them for a year.
static PATHS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let path = |font: &Font| {
        let hash = hex(&sha256(font.bytes)[..6]);
        format!("{DIRECTORY}{}.{hash}.woff2", font.name)
    };
    FONTS.iter().map(path).collect()
});

/// The files that sites share, with their paths.
pub fn shared_assets() -> impl Iterator<Item = (&'static str, &'static [u8])> {
    PATHS.iter().map(String::as_str).zip(FONTS.iter().map(|font| font.bytes))
}

/// The file at a path, if sites share it.
pub fn shared_asset(path: &str) -> Option<&'static [u8]> {
    if !path.starts_with(DIRECTORY) {
        return None;
    }
    shared_assets().find(|(shared, _)| *shared == path).map(|(_, bytes)| bytes)
}

/// The rules that make the fonts known.
pub(crate) fn rules() -> String {
    let mut rules = FALLBACKS.to_owned();
    for (font, path) in FONTS.iter().zip(PATHS.iter()) {
        let Font { family, style, characters, .. } = font;
        writeln!(
            rules,
            "@font-face{{font-family:{family};font-style:{style};font-weight:400 700;font-display:swap;\
             src:url({path})format(\"woff2\");unicode-range:{characters}}}"
        )
        .expect("writing to a String cannot fail");
    }
    rules
}

/// The fonts that nearly every page needs at once.
pub(crate) fn first_paths() -> impl Iterator<Item = &'static str> {
    let is_first = |font: &Font| matches!(font.name, "serif" | "sans");
    FONTS.iter().zip(PATHS.iter()).filter(move |(font, _)| is_first(font)).map(|(_, path)| path.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_font_of_the_rules_is_at_its_path() {
        let rules = rules();
        let mut found = 0;
        for part in rules.split("src:url(").skip(1) {
            let (path, _) = part.split_once(')').unwrap();
            assert!(shared_asset(path).unwrap().starts_with(b"wOF2"), "{path}");
            found += 1;
        }
        assert_eq!(found, FONTS.len());
        assert_eq!(shared_assets().count(), FONTS.len());
        assert_eq!(shared_asset("/assets/fonts/serif.woff2"), None);
        assert_eq!(shared_asset("/assets/site.css"), None);
    }

    #[test]
    fn a_first_visit_loads_less_than_80_kb_of_fonts() {
        let bytes: usize = first_paths().map(|path| shared_asset(path).unwrap().len()).sum();
        assert!(bytes < 80_000, "{bytes}");
        assert_eq!(first_paths().count(), 2);
    }
}
