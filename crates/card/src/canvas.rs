//! Pixels, and what is drawn on them.

use std::collections::HashMap;

use ab_glyph_rasterizer::{Point, Rasterizer, point};
use ttf_parser::OutlineBuilder;

use crate::font::Font;

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

/// How many steps there are between a colour and the one below. Few, so that a palette has all of them; more are not seen.
const STEPS: i32 = 32;

pub(crate) struct Canvas {
    width: u32,
    height: u32,
    pixels: Vec<u8>,
}

impl Canvas {
    pub(crate) fn new(width: u32, height: u32, colour: Colour) -> Canvas {
        Canvas { width, height, pixels: colour.repeat((width * height) as usize) }
    }

    pub(crate) fn rectangle(&mut self, left: f32, top: f32, width: f32, height: f32, colour: Colour) {
        self.fill(left, top, width, height, colour, |pen| {
            pen.polygon(&[(0.0, 0.0), (width, 0.0), (width, height), (0.0, height)]);
        });
    }

    /// A square with round corners.
    pub(crate) fn rounded(&mut self, left: f32, top: f32, side: f32, radius: f32, colour: Colour) {
        self.fill(left, top, side, side, colour, |pen| {
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
        let scale = font.scale(size);
        for placed in font.place(text, size).0 {
            let Some(bounds) = font.face.glyph_bounding_box(placed.glyph) else { continue };
            // The glyph's box, with a pixel around it for what the curves exceed.
            let (low, high) = (f32::from(bounds.x_min) * scale - 1.0, f32::from(bounds.x_max) * scale + 1.0);
            let (bottom, top) =
                (f32::from(bounds.y_min) * scale - 1.0, f32::from(bounds.y_max) * scale + 1.0);
            let (x, y) = (left + placed.left + low, baseline - top);
            self.fill(x, y, high - low, top - bottom, colour, |pen| {
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
        colour: Colour,
        draw: impl FnOnce(&mut Pen),
    ) {
        let (x, y) = (left.floor(), top.floor());
        let size = ((left + width - x).ceil() as usize + 1, (top + height - y).ceil() as usize + 1);
        let offset = point(left - x, top - y);
        let mut pen =
            Pen { rasterizer: Rasterizer::new(size.0, size.1), offset, start: offset, last: offset };
        draw(&mut pen);
        pen.rasterizer.for_each_pixel_2d(|column, row, alpha| {
            self.blend(x as i64 + i64::from(column), y as i64 + i64::from(row), colour, alpha);
        });
    }

    /// Pixels outside the canvas are ignored.
    fn blend(&mut self, x: i64, y: i64, colour: Colour, alpha: f32) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if x >= self.width || y >= self.height {
            return;
        }
        let steps = (alpha.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as i32;
        let at = 3 * (y * self.width + x) as usize;
        for (old, new) in self.pixels[at..at + 3].iter_mut().zip(colour) {
            let (from, to) = (i32::from(*old), i32::from(new));
            *old = (from + (to - from) * steps / STEPS) as u8;
        }
    }

    /// With a palette, if there are few colours: a third of the bytes to compress. Areas of one colour need neither filters
    /// nor a long search for repetitions.
    pub(crate) fn into_png(self) -> Vec<u8> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_deflate_compression(png::DeflateCompression::Level(1));
        encoder.set_filter(png::Filter::NoFilter);
        let pixels = match self.indexed() {
            Some((palette, indexes)) => {
                encoder.set_color(png::ColorType::Indexed);
                encoder.set_palette(palette.concat());
                indexes
            }
            None => {
                encoder.set_color(png::ColorType::Rgb);
                self.pixels
            }
        };
        let mut writer = encoder.write_header().expect("writing to memory does not fail");
        writer.write_image_data(&pixels).expect("the pixels have the size of the header");
        writer.finish().expect("writing to memory does not fail");
        file
    }

    /// The colours, and each pixel as the index of one; `None` if there are more than 256.
    fn indexed(&self) -> Option<(Vec<Colour>, Vec<u8>)> {
        let (mut palette, mut indexes) = (Vec::new(), Vec::with_capacity(self.pixels.len() / 3));
        let mut known = HashMap::new();
        let mut last = None;
        for pixel in self.pixels.as_chunks().0 {
            let index = match last {
                Some((colour, index)) if colour == pixel => index,
                _ => *known.entry(*pixel).or_insert_with(|| {
                    palette.push(*pixel);
                    palette.len() - 1
                }),
            };
            last = Some((pixel, index));
            indexes.push(u8::try_from(index).ok()?);
        }
        Some((palette, indexes))
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
    fn polygon(&mut self, corners: &[(f32, f32)]) {
        let [first, rest @ ..] = corners else { return };
        self.move_to(first.0, first.1);
        rest.iter().for_each(|corner| self.line_to(corner.0, corner.1));
        self.close();
    }

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
