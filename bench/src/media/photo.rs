//! Synthetic photos, the same on every run. Leaves of all sizes cover each other, small ones more often by the cube of
//! the size, each with its own lighting and texture: the "dead leaves" model, whose images have the edges and the 1/f
//! spectrum of natural ones.

use std::path::Path;

use anyhow::Result;
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use crate::corpus::Dice;

/// Parameters of a photo.
#[derive(Debug, Clone, Copy)]
pub struct Scene {
    pub seed: u64,
    /// Radius of the smallest leaf in pixels.
    pub finest: f32,
    /// Maximum brightness variation of a leaf's grain.
    pub grain: f32,
}

/// Twelve megapixels.
pub const SIZE: (usize, usize) = (4000, 3000);
/// As written by a phone: 8 bits, 4:2:0.
const QUALITY: u8 = 92;
const LARGEST_RADIUS: f32 = 1200.0;
/// How often the ground is covered, on average.
const COVER: f32 = 3.0;
const UNIT: usize = 1 << 20;

pub fn write(scene: Scene, path: &Path) -> Result<()> {
    let mut encoder = Encoder::new_file(path, QUALITY)?;
    encoder.set_sampling_factor(SamplingFactor::R_4_2_0);
    let (width, height) = SIZE;
    Ok(encoder.encode(&take(scene, SIZE), width as u16, height as u16, ColorType::Rgb)?)
}

/// Rows of red, green and blue.
fn take(scene: Scene, (width, height): (usize, usize)) -> Vec<u8> {
    let mut dice = Dice::new(scene.seed);
    let grain = Grain::new(&mut dice);
    let mut canvas = vec![[110.0, 120.0, 130.0]; width * height];
    let mut covered = 0.0;
    while covered < COVER * (width * height) as f32 {
        let leaf = Leaf::fall(&mut dice, &scene, (width, height));
        covered += std::f32::consts::PI * leaf.radius * leaf.radius;
        leaf.paint(&mut canvas, width, &grain);
    }
    expose(&canvas, width, &mut dice)
}

struct Leaf {
    centre: (f32, f32),
    radius: f32,
    colour: [f32; 3],
    /// Its orientation to the light.
    slope: (f32, f32),
    grain: f32,
    /// Its offset in the grain.
    cut: (usize, usize),
}

impl Leaf {
    fn fall(dice: &mut Dice, scene: &Scene, (width, height): (usize, usize)) -> Leaf {
        let mut share = || dice.roll(UNIT) as f32 / UNIT as f32;
        let light = 20.0 + 210.0 * share();
        let mut tint = || light + 70.0 * (share() - 0.5);
        Leaf {
            colour: [tint(), light, tint()],
            radius: (scene.finest / (1.0 - share()).sqrt()).min(LARGEST_RADIUS),
            centre: (share() * width as f32, share() * height as f32),
            slope: (share() - 0.5, share() - 0.5),
            grain: scene.grain * share(),
            cut: (dice.roll(GRAIN), dice.roll(GRAIN)),
        }
    }

    fn paint(&self, canvas: &mut [[f32; 3]], width: usize, grain: &Grain) {
        let span = |middle: f32, half: f32, end: usize| {
            ((middle - half).max(0.0) as usize, ((middle + half).max(0.0) as usize).min(end))
        };
        let (x, y) = self.centre;
        let (top, bottom) = span(y, self.radius, canvas.len() / width);
        for row in top..bottom {
            let dy = row as f32 - y;
            let half = (self.radius * self.radius - dy * dy).max(0.0).sqrt();
            let (left, right) = span(x, half, width);
            for column in left..right {
                let dx = column as f32 - x;
                let lit = 1.0 + (dx * self.slope.0 + dy * self.slope.1) / self.radius;
                let light = lit + self.grain * grain.at(column + self.cut.0, row + self.cut.1);
                canvas[row * width + column] = self.colour.map(|value| value * light);
            }
        }
    }
}

/// A tileable square of fractal noise between -1 and 1.
struct Grain(Vec<f32>);

const GRAIN: usize = 1024;

impl Grain {
    fn new(dice: &mut Dice) -> Grain {
        let mut noise = vec![0.0; GRAIN * GRAIN];
        for octave in 2..=9 {
            let cells = 1 << octave;
            let lattice: Vec<f32> =
                (0..cells * cells).map(|_| dice.roll(UNIT) as f32 / UNIT as f32 * 2.0 - 1.0).collect();
            let amplitude = 0.3 * 0.8f32.powi(octave - 2);
            for (index, value) in noise.iter_mut().enumerate() {
                let scale = |identity: usize| identity as f32 * cells as f32 / GRAIN as f32;
                *value += amplitude * between(&lattice, cells, scale(index % GRAIN), scale(index / GRAIN));
            }
        }
        Grain(noise)
    }

    fn at(&self, x: usize, y: usize) -> f32 {
        self.0[y % GRAIN * GRAIN + x % GRAIN]
    }
}

/// Bilinear interpolation, wrapping around the edges.
fn between(lattice: &[f32], cells: usize, x: f32, y: f32) -> f32 {
    let (left, top) = (x as usize, y as usize);
    let (across, down) = (x - left as f32, y - top as f32);
    let at = |x: usize, y: usize| lattice[y % cells * cells + x % cells];
    let row = |y: usize| at(left, y) * (1.0 - across) + at(left + 1, y) * across;
    row(top) * (1.0 - down) + row(top + 1) * down
}

/// Simulates a lens and a sensor: no edge is sharper than a pixel, and pixels have noise.
fn expose(canvas: &[[f32; 3]], width: usize, dice: &mut Dice) -> Vec<u8> {
    let rows = canvas.len() / width;
    let mut pixels = Vec::with_capacity(canvas.len() * 3);
    for (index, here) in canvas.iter().enumerate() {
        let (x, y) = (index % width, index / width);
        let right = canvas[y * width + (x + 1).min(width - 1)];
        let below = canvas[(y + 1).min(rows - 1) * width + x];
        // Two dice give a triangular distribution from -3 to 3.
        let noise = dice.roll(4) as f32 + dice.roll(4) as f32 - 3.0;
        for channel in 0..3 {
            let blurred = 0.5 * here[channel] + 0.25 * (right[channel] + below[channel]);
            pixels.push((blurred + noise) as u8);
        }
    }
    pixels
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: (usize, usize) = (400, 300);

    #[test]
    fn a_scene_gives_the_same_photograph_every_time_and_another_scene_another_one() {
        let scene = Scene { seed: 1, finest: 3.0, grain: 0.3 };
        assert_eq!(take(scene, SMALL), take(scene, SMALL));
        assert_ne!(take(scene, SMALL), take(Scene { seed: 2, ..scene }, SMALL));
    }

    #[test]
    fn pixels_are_the_more_alike_the_closer_they_are() {
        let pixels = take(Scene { seed: 1, finest: 3.0, grain: 0.3 }, SMALL);
        let difference = |distance: usize| {
            let pairs = pixels.iter().zip(&pixels[distance * 3..]);
            pairs.map(|(one, other)| f64::from(one.abs_diff(*other))).sum::<f64>() / pixels.len() as f64
        };
        let differences = [1, 4, 16, 64].map(difference);
        assert!(differences.is_sorted(), "{differences:?}");
        assert!(differences[0] > 2.0 && differences[3] > 2.0 * differences[0], "{differences:?}");
    }
}
