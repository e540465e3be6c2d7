//! A small linear congruential generator: good enough for words, and the same everywhere.

pub struct Dice(u64);

impl Dice {
    /// Similar seeds must not start with similar numbers.
    pub fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.next() as usize % sides
    }

    /// Inclusive at both ends.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.roll(most - least + 1)
    }

    /// Small numbers more often than large ones.
    pub fn low(&mut self, sides: usize) -> usize {
        let (one, other) = (self.roll(sides), self.roll(sides));
        one * other / sides
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.roll(100) < chance
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}
