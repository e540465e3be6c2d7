//! The theme's fonts: widths of texts, lines, kerning. The fonts are known, so their tables are read without a shaper.

use std::sync::LazyLock;

use ttf_parser::gpos::{PairAdjustment, PositioningSubtable};
use ttf_parser::{Face, GlyphId, Tag};

pub(crate) static SERIF: LazyLock<Font> = LazyLock::new(|| Font::new(include_bytes!("../fonts/serif.ttf")));
pub(crate) static SANS: LazyLock<Font> = LazyLock::new(|| Font::new(include_bytes!("../fonts/sans.ttf")));

pub(crate) struct Font {
    pub(crate) face: Face<'static>,
}

/// A glyph of a line, with its distance from the beginning in pixels.
pub(crate) struct Placed {
    pub(crate) glyph: GlyphId,
    pub(crate) left: f32,
}

impl Font {
    fn new(bytes: &'static [u8]) -> Font {
        Font { face: Face::parse(bytes, 0).expect("the font is part of the program") }
    }

    /// Whether every character has a glyph; white space always has.
    pub(crate) fn has_all(&self, text: &str) -> bool {
        text.chars().all(|char| char.is_whitespace() || self.face.glyph_index(char).is_some())
    }

    /// Pixels for each unit of the font.
    pub(crate) fn scale(&self, size: f32) -> f32 {
        size / f32::from(self.face.units_per_em())
    }

    pub(crate) fn width(&self, text: &str, size: f32) -> f32 {
        self.place(text, size).1
    }

    /// The glyphs of a line, and its width.
    pub(crate) fn place(&self, text: &str, size: f32) -> (Vec<Placed>, f32) {
        let (scale, mut left, mut placed) = (self.scale(size), 0.0, Vec::<Placed>::new());
        for glyph in text.chars().filter_map(|char| self.face.glyph_index(char)) {
            if let Some(before) = placed.last() {
                left += f32::from(self.kerning(before.glyph, glyph)) * scale;
            }
            placed.push(Placed { glyph, left });
            left += f32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        }
        (placed, left)
    }

    /// The longest beginning that is at most this wide.
    pub(crate) fn beginning<'t>(&self, text: &'t str, size: f32, width: f32) -> &'t str {
        let ends = text.char_indices().map(|(at, char)| at + char.len_utf8());
        let end = ends.take_while(|end| self.width(&text[..*end], size) <= width).last();
        &text[..end.unwrap_or(0)]
    }

    /// The text in lines of this width, broken between words; a word that is wider is broken anywhere.
    pub(crate) fn lines(&self, text: &str, size: f32, width: f32) -> Vec<String> {
        let mut lines: Vec<String> = vec![];
        for mut word in text.split_whitespace() {
            let longer = lines.last().map(|line| format!("{line} {word}"));
            if let (Some(line), Some(longer)) = (lines.last_mut(), longer)
                && self.width(&longer, size) <= width
            {
                *line = longer;
                continue;
            }
            while self.width(word, size) > width {
                let beginning = self.beginning(word, size, width);
                // A line has at least a character, however wide that is.
                let end = beginning.len().max(word.chars().next().map_or(0, char::len_utf8));
                lines.push(word[..end].to_owned());
                word = &word[end..];
            }
            lines.push(word.to_owned());
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// How much nearer (or farther) two glyphs stand: from the first pair table of the feature `kern` that has them.
    fn kerning(&self, left: GlyphId, right: GlyphId) -> i16 {
        let Some(gpos) = self.face.tables().gpos else { return 0 };
        let kern = gpos.features.into_iter().find(|feature| feature.tag == Tag::from_bytes(b"kern"));
        let lookups = kern.into_iter().flat_map(|feature| feature.lookup_indices);
        let lookups = lookups.filter_map(|index| gpos.lookups.get(index));
        let tables = lookups
            .flat_map(|lookup| lookup.subtables.into_iter::<PositioningSubtable>().collect::<Vec<_>>());
        let pairs = tables.filter_map(|table| match table {
            PositioningSubtable::Pair(pair) => distance(&pair, left, right),
            _ => None,
        });
        pairs.into_iter().next().unwrap_or(0)
    }
}

fn distance(pairs: &PairAdjustment<'_>, left: GlyphId, right: GlyphId) -> Option<i16> {
    match pairs {
        PairAdjustment::Format1 { coverage, sets } => {
            let (first, _) = sets.get(coverage.get(left)?)?.get(right)?;
            Some(first.x_advance)
        }
        PairAdjustment::Format2 { coverage, classes, matrix } => {
            coverage.get(left)?;
            let (first, _) = matrix.get((classes.0.get(left), classes.1.get(right)))?;
            Some(first.x_advance)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_broken_between_words() {
        let lines = |text: &str| SERIF.lines(text, 20.0, 100.0);
        assert_eq!(lines("one two three four"), ["one two", "three four"]);
        assert_eq!(lines(" \u{a0}one\n\ttwo "), ["one two"]);
        assert_eq!(lines(""), [""; 0]);
        let long = lines("a Donaudampfschifffahrtsgesellschaft b");
        assert_eq!(long.concat(), "aDonaudampfschifffahrtsgesellschaft b");
        assert!(long.iter().all(|line| SERIF.width(line, 20.0) <= 100.0), "{long:?}");
        assert_eq!(SERIF.lines("abc", 20.0, 1.0), ["a", "b", "c"]);
    }

    #[test]
    fn letters_are_kerned() {
        for font in [&*SERIF, &*SANS] {
            let alone = font.width("T", 100.0) + font.width("o", 100.0);
            assert!(font.width("To", 100.0) < alone - 5.0);
            assert_eq!(font.width("nn", 100.0), 2.0 * font.width("n", 100.0));
        }
    }

    #[test]
    fn european_scripts_have_glyphs() {
        for font in [&*SERIF, &*SANS] {
            for text in ["Ünïcödé “–” €", "Zażółć gęślą jaźń", "Привет, Київ", "Ελλάδα", "a\nb"]
            {
                assert!(font.has_all(text), "{text}");
            }
            for text in ["東京", "한국어", "שלום", "مرحبا", "🙂"] {
                assert!(!font.has_all(text), "{text}");
            }
        }
    }
}
