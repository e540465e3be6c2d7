//! Pixels, and what is drawn on them.

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use ttf_parser::OutlineBuilder;

use crate::font::Font;

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

/// How many steps there are between a colour and the one below. Few, so that a palette has all of them; more are not seen.
const STEPS: usize = 32;

/// Pixels are indexes of a palette: a third of the memory to draw on, and what the file needs.
pub(crate) struct Canvas {
    width: usize,
    pixels: Vec<u8>,
    palette: Palette,
}

impl Canvas {
    pub(crate) fn new(width: u32, height: u32, colour: Colour) -> Canvas {
        let (width, height) = (width as usize, height as usize);
        Canvas { width, pixels: vec![0; width * height], palette: Palette { colours: vec![colour] } }
    }

    /// A band at the bottom.
    pub(crate) fn band(&mut self, height: u32, colour: Colour) {
        let index = self.palette.index_of(colour);
        let top = self.pixels.len() - height as usize * self.width;
        self.pixels[top..].fill(index);
    }

    /// A square with round corners.
    pub(crate) fn rounded(&mut self, left: f32, top: f32, side: f32, radius: f32, colour: Colour) {
        self.fill(left, top, side, side, &mut Ink::new(colour), |pen| {
            let far = side - radius;
            pen.move_to(radius, 0.0);
            pen.line_to(far, 0.0);
            pen.quad_to(side, 0.0, side, radius);
            pen.line_to(side, far);
            pen.quad_to(side, side, far, side);
            pen.line_to(radius, side);
            pen.quad_to(0.0, side, 0.0, far);
            pen.line_to(0.0, radius);
            pen.quad_to(0.0, 0.0, radius, 0.0);
            pen.close();
        });
    }

    pub(crate) fn text(
        &mut self,
        font: &Font,
        text: &str,
        size: f32,
        left: f32,
        baseline: f32,
        colour: Colour,
    ) {
        let (scale, mut ink) = (font.scale(size), Ink::new(colour));
        for placed in font.place(text, size).0 {
            let Some(bounds) = font.face.glyph_bounding_box(placed.glyph) else { continue };
            // The glyph's box, with a pixel around it for what the curves exceed.
            let (low, high) = (f32::from(bounds.x_min) * scale - 1.0, f32::from(bounds.x_max) * scale + 1.0);
            let (bottom, top) =
                (f32::from(bounds.y_min) * scale - 1.0, f32::from(bounds.y_max) * scale + 1.0);
            let (x, y) = (left + placed.left + low, baseline - top);
            self.fill(x, y, high - low, top - bottom, &mut ink, |pen| {
                let mut glyph = Glyph { pen, scale, left: low, top };
                font.face.outline_glyph(placed.glyph, &mut glyph);
            });
        }
    }

    /// Fills what `draw` outlines inside a box.
    fn fill(
        &mut self,
        left: f32,
        top: f32,
        width: f32,
        height: f32,
        ink: &mut Ink,
        draw: impl FnOnce(&mut Pen),
    ) {
        let (x, y) = (left.floor(), top.floor());
        let size = ((left + width - x).ceil() as usize + 1, (top + height - y).ceil() as usize + 1);
        let offset = point(left - x, top - y);
        let mut pen =
            Pen { rasterizer: Rasterizer::new(size.0, size.1), offset, start: offset, last: offset };
        draw(&mut pen);
        pen.rasterizer.for_each_pixel(|index, alpha| {
            let steps = (alpha * STEPS as f32 + 0.5) as usize;
            if steps == 0 {
                return;
            }
            let (x, y) = (x as i64 + (index % size.0) as i64, y as i64 + (index / size.0) as i64);
            // Pixels outside the canvas are ignored.
            if (0..self.width as i64).contains(&x)
                && let Ok(y) = usize::try_from(y)
                && let Some(pixel) = self.pixels.get_mut(y * self.width + x as usize)
            {
                *pixel = ink.over(*pixel, steps.min(STEPS), &mut self.palette);
            }
        });
    }

    /// Most rows are like the ones above, which the filter turns into zeros, and this compression is made for those.
    pub(crate) fn into_png(self) -> Vec<u8> {
        let mut file = Vec::new();
        let height = self.pixels.len() / self.width;
        let mut encoder = png::Encoder::new(&mut file, self.width as u32, height as u32);
        encoder.set_deflate_compression(png::DeflateCompression::FdeflateUltraFast);
        encoder.set_filter(png::Filter::Up);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(self.palette.colours.concat());
        let mut writer = encoder.write_header().expect("writing to memory does not fail");
        writer.write_image_data(&self.pixels).expect("the pixels have the size of the header");
        writer.finish().expect("writing to memory does not fail");
        file
    }
}

/// The colours of a canvas.
struct Palette {
    colours: Vec<Colour>,
}

impl Palette {
    /// A new colour is added; when there are 256 already, the most similar one is used.
    fn index_of(&mut self, colour: Colour) -> u8 {
        let distance = |known: &Colour| {
            known.iter().zip(colour).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum::<u32>()
        };
        let nearest = (0..self.colours.len()).min_by_key(|index| distance(&self.colours[*index]));
        match nearest.filter(|index| self.colours.len() == 256 || self.colours[*index] == colour) {
            Some(index) => index as u8,
            None => {
                self.colours.push(colour);
                (self.colours.len() - 1) as u8
            }
        }
    }
}

/// A colour, and what it gives on each colour of a palette, in steps.
struct Ink {
    colour: Colour,
    mixtures: Vec<[Option<u8>; STEPS + 1]>,
}

impl Ink {
    fn new(colour: Colour) -> Ink {
        Ink { colour, mixtures: vec![] }
    }

    /// The index of the colour where this one covers another to this degree.
    fn over(&mut self, under: u8, steps: usize, palette: &mut Palette) -> u8 {
        let under = usize::from(under);
        if self.mixtures.len() <= under {
            self.mixtures.resize(under + 1, [None; STEPS + 1]);
        }
        *self.mixtures[under][steps].get_or_insert_with(|| {
            let (below, above) = (palette.colours[under], self.colour);
            palette.index_of(std::array::from_fn(|part| {
                let (from, to) = (i32::from(below[part]), i32::from(above[part]));
                (from + (to - from) * steps as i32 / STEPS as i32) as u8
            }))
        })
    }
}

/// Draws outlines in pixels, from the top left of a box.
struct Pen {
    rasterizer: Rasterizer,
    offset: Point,
    start: Point,
    last: Point,
}

impl Pen {
    fn at(&self, x: f32, y: f32) -> Point {
        self.offset + point(x, y)
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.start = self.at(x, y);
        self.last = self.start;
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let to = self.at(x, y);
        self.rasterizer.draw_line(self.last, to);
        self.last = to;
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let (control, to) = (self.at(x1, y1), self.at(x, y));
        self.rasterizer.draw_quad(self.last, control, to);
        self.last = to;
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let (first, second, to) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.rasterizer.draw_cubic(self.last, first, second, to);
        self.last = to;
    }

    fn close(&mut self) {
        self.rasterizer.draw_line(self.last, self.start);
        self.last = self.start;
    }
}

/// An outline in the units of a font, whose y axis points upwards.
struct Glyph<'p> {
    pen: &'p mut Pen,
    scale: f32,
    /// The box, in pixels from the beginning of the glyph and its baseline.
    left: f32,
    top: f32,
}

impl Glyph<'_> {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (x * self.scale - self.left, self.top - y * self.scale)
    }
}

impl OutlineBuilder for Glyph<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.pen.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.pen.curve_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.pen.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_palette_gives_the_most_similar_colour() {
        let mut palette = Palette { colours: vec![[0, 0, 0]] };
        for grey in 0..=255 {
            assert_eq!(palette.index_of([grey, grey, grey]), grey);
        }
        assert_eq!(palette.index_of([7, 8, 9]), 8);
        assert_eq!(palette.index_of([255, 254, 255]), 255);
        assert_eq!(palette.colours.len(), 256);
    }
}
