//! Draws what a site shows outside its pages: the preview card of a page, and icons. A pure function; the fonts are in
//! the program, so that the same values give the same bytes on every machine.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod canvas;
mod font;

use canvas::{Canvas, Colour};
use font::{SANS, SERIF};

/// The size that sites which show previews ask for.
pub const WIDTH: u32 = 1200;
pub const HEIGHT: u32 = 630;

const PAPER: Colour = [0xfd, 0xfc, 0xf9];
const INK: Colour = [0x1c, 0x1b, 0x1a];
const GREY: Colour = [0x6b, 0x68, 0x63];

/// What the preview card of a page shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Card {
    pub title: String,
    pub section: String,
    pub site: String,
    /// Dark enough for the paper.
    pub accent: [u8; 3],
}

const MARGIN: f32 = 90.0;
const TEXT_WIDTH: f32 = WIDTH as f32 - 2.0 * MARGIN;
/// The height of the band at the bottom.
const BAND: u32 = 18;
/// Where the line with the name of the site stands.
const FOOT: f32 = 528.0;
const FOOT_SIZE: f32 = 38.0;
/// The middle of the title.
const MIDDLE: f32 = 250.0;
/// Sizes of the title, each with the most lines: the first one that fits is used.
const TITLE_SIZES: [(f32, usize); 4] = [(92.0, 2), (76.0, 3), (64.0, 4), (54.0, 5)];

impl Card {
    /// A PNG. A text in a script that the fonts do not have is left out, because boxes say nothing.
    pub fn png(&self) -> Vec<u8> {
        let mut canvas = Canvas::new(WIDTH, HEIGHT, PAPER);
        canvas.band(BAND, self.accent);
        self.draw_title(&mut canvas);
        self.draw_foot(&mut canvas);
        canvas.into_png()
    }

    fn draw_title(&self, canvas: &mut Canvas) {
        // The name of the site, rather than nothing.
        let Some(title) = [&self.title, &self.site].into_iter().find(|text| SERIF.has_all(text)) else {
            return;
        };
        let fits = |(size, most): &(f32, usize)| {
            let lines = SERIF.lines(title, *size, TEXT_WIDTH);
            (lines.len() <= *most).then_some((*size, lines))
        };
        let (size, lines) = TITLE_SIZES.iter().find_map(fits).unwrap_or_else(|| cut(title));
        let leading = size * 1.14;
        let top = MIDDLE - leading * (lines.len() as f32 - 1.0) / 2.0;
        for (number, line) in lines.iter().enumerate() {
            // Half the height of small letters below the middle.
            let baseline = top + leading * number as f32 + size * 0.26;
            canvas.text(&SERIF, line, size, MARGIN, baseline, INK);
        }
    }

    /// The name of the site, and behind it the section.
    fn draw_foot(&self, canvas: &mut Canvas) {
        let mut left = MARGIN;
        let side = 62.0;
        if let Some(initial) = initial(&self.site) {
            let top = FOOT - FOOT_SIZE * 0.33 - side / 2.0;
            canvas.rounded(left, top, side, 10.0, self.accent);
            draw_initial(canvas, &initial, left, top, side);
            left += side + 22.0;
        }
        for (text, colour) in [(&self.site, INK), (&self.section, GREY)] {
            let shown = SANS.beginning(text, FOOT_SIZE, WIDTH as f32 - MARGIN - left);
            if !text.is_empty() && SANS.has_all(text) && shown.len() == text.len() {
                canvas.text(&SANS, shown, FOOT_SIZE, left, FOOT, colour);
                left += SANS.width(shown, FOOT_SIZE) + 28.0;
            }
        }
    }
}

/// As much of a title as the smallest size shows.
fn cut(title: &str) -> (f32, Vec<String>) {
    let (size, most) = TITLE_SIZES[TITLE_SIZES.len() - 1];
    let mut lines = SERIF.lines(title, size, TEXT_WIDTH);
    lines.truncate(most);
    if let Some(last) = lines.last_mut() {
        let width = TEXT_WIDTH - SERIF.width("…", size);
        *last = format!("{}…", SERIF.beginning(last, size, width).trim_end());
    }
    (size, lines)
}

/// A square PNG with the initial of a site on its accent colour; only the colour if the fonts do not have the letter.
pub fn icon(site: &str, accent: [u8; 3], side: u32) -> Vec<u8> {
    let mut canvas = Canvas::new(side, side, accent);
    if let Some(initial) = initial(site) {
        draw_initial(&mut canvas, &initial, 0.0, 0.0, side as f32);
    }
    canvas.into_png()
}

/// The first letter or digit, as a capital.
fn initial(site: &str) -> Option<String> {
    let first = site.chars().find(|char| char.is_alphanumeric())?;
    let capital: String = first.to_uppercase().collect();
    SERIF.has_all(&capital).then_some(capital)
}

fn draw_initial(canvas: &mut Canvas, initial: &str, left: f32, top: f32, side: f32) {
    let size = side * 0.72;
    let indent = (side - SERIF.width(initial, size)) / 2.0;
    // Half the height of a capital below the middle.
    canvas.text(&SERIF, initial, size, left + indent, top + side / 2.0 + size * 0.335, PAPER);
}

/// An .ico file with one image, which is a PNG.
pub fn ico(png: &[u8], side: u8) -> Vec<u8> {
    const HEADER: u32 = 22;
    let mut file = vec![0, 0, 1, 0, 1, 0];
    file.extend([side, side, 0, 0, 1, 0, 32, 0]);
    file.extend((png.len() as u32).to_le_bytes());
    file.extend(HEADER.to_le_bytes());
    file.extend(png);
    file
}
