//! Eight texts side by side: a word of each is a lane of a vector. The compiler makes vector instructions of the loops over
//! lanes. The names are those of FIPS 180-4.

#![cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]

use std::array::from_fn;

pub(crate) const LANES: usize = 8;
const BLOCK: usize = 64;

/// The same word of each text.
type Words = [u32; LANES];

/// The hash of each of these texts. `None`: this processor is faster with one at a time, or cannot do it.
#[cfg(target_arch = "x86_64")]
pub(crate) fn hash(texts: &[&[u8]; LANES]) -> Option<[[u8; 32]; LANES]> {
    if std::is_x86_feature_detected!("sha") || !std::is_x86_feature_detected!("avx2") {
        return None;
    }
    // SAFETY: the processor has AVX2.
    Some(unsafe { hash_with_avx2(texts) })
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn hash(_: &[&[u8]; LANES]) -> Option<[[u8; 32]; LANES]> {
    None
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn hash_with_avx2(texts: &[&[u8]; LANES]) -> [[u8; 32]; LANES] {
    side_by_side(texts)
}

/// Inlined, as all that follows, so that it may use the instructions of its caller.
#[inline(always)]
fn side_by_side(texts: &[&[u8]; LANES]) -> [[u8; 32]; LANES] {
    let padded: [Padded; LANES] = from_fn(|lane| Padded::new(texts[lane]));
    let longest = padded.iter().map(|text| text.blocks).max().unwrap_or_default();
    let mut state = INITIAL.map(|word| [word; LANES]);
    let mut hashes = [[0; 32]; LANES];
    for number in 0..longest {
        compress(&mut state, &from_fn(|lane| padded[lane].block(number)));
        for (lane, _) in padded.iter().enumerate().filter(|(_, text)| text.blocks == number + 1) {
            for (bytes, words) in hashes[lane].chunks_exact_mut(4).zip(&state) {
                bytes.copy_from_slice(&words[lane].to_be_bytes());
            }
        }
    }
    hashes
}

/// A text in blocks; the last one or two have its padding.
struct Padded<'t> {
    whole: &'t [[u8; BLOCK]],
    last: [[u8; BLOCK]; 2],
    blocks: usize,
}

impl Padded<'_> {
    #[inline(always)]
    fn new(text: &[u8]) -> Padded<'_> {
        let (whole, rest) = text.as_chunks();
        let mut last = [[0; BLOCK]; 2];
        last[0][..rest.len()].copy_from_slice(rest);
        last[0][rest.len()] = 0x80;
        let padding = if rest.len() < BLOCK - 8 { 1 } else { 2 };
        last[padding - 1][BLOCK - 8..].copy_from_slice(&(text.len() as u64 * 8).to_be_bytes());
        Padded { whole, last, blocks: whole.len() + padding }
    }

    /// After the end, any block: the hash of the text has been read by then.
    #[inline(always)]
    fn block(&self, number: usize) -> &[u8; BLOCK] {
        self.whole.get(number).unwrap_or_else(|| &self.last[(number - self.whole.len()).min(1)])
    }
}

#[inline(always)]
fn compress(state: &mut [Words; 8], blocks: &[&[u8; BLOCK]; LANES]) {
    let mut schedule: [Words; 16] =
        from_fn(|word| from_fn(|lane| u32::from_be_bytes(blocks[lane].as_chunks().0[word])));
    let mut v = *state;
    for (sixteen, constants) in CONSTANTS.as_chunks::<16>().0.iter().enumerate() {
        if sixteen > 0 {
            extend(&mut schedule);
        }
        for half in [0, 8] {
            let of =
                |round: usize| map(schedule[half + round], |word| word.wrapping_add(constants[half + round]));
            round::<0>(&mut v, of(0));
            round::<1>(&mut v, of(1));
            round::<2>(&mut v, of(2));
            round::<3>(&mut v, of(3));
            round::<4>(&mut v, of(4));
            round::<5>(&mut v, of(5));
            round::<6>(&mut v, of(6));
            round::<7>(&mut v, of(7));
        }
    }
    for (words, added) in state.iter_mut().zip(v) {
        *words = add(*words, added);
    }
}

/// Each round moves the variables by one. Instead, they stay, and after `MOVED` rounds are found elsewhere.
#[inline(always)]
fn round<const MOVED: usize>(v: &mut [Words; 8], word: Words) {
    let at = |variable: usize| (variable + 8 - MOVED) % 8;
    let [a, b, c, d, e, f, g, h] = from_fn(|variable| v[at(variable)]);
    let large_1 = map(e, |e| e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25));
    let choice = zip(g, zip(e, zip(f, g, |f, g| f ^ g), |e, fg| e & fg), |g, efg| g ^ efg);
    let large_0 = map(a, |a| a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22));
    let either = zip(c, zip(a, b, |a, b| a | b), |c, ab| c & ab);
    let majority = zip(either, zip(a, b, |a, b| a & b), |either, both| either | both);
    let first = add(add(h, large_1), add(choice, word));
    v[at(3)] = add(d, first);
    v[at(7)] = add(first, add(large_0, majority));
}

#[inline(always)]
fn extend(schedule: &mut [Words; 16]) {
    for word in 0..16 {
        let before = |distance: usize| schedule[(word + 16 - distance) % 16];
        let small_0 = map(before(15), |x| x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3);
        let small_1 = map(before(2), |x| x.rotate_right(17) ^ x.rotate_right(19) ^ x >> 10);
        schedule[word] = add(add(before(16), small_0), add(before(7), small_1));
    }
}

// The compiler makes vector instructions of such a loop, and not of `from_fn`.
#[inline(always)]
fn zip(mut one: Words, other: Words, join: impl Fn(u32, u32) -> u32) -> Words {
    for (one, other) in one.iter_mut().zip(other) {
        *one = join(*one, other);
    }
    one
}

#[inline(always)]
fn map(words: Words, change: impl Fn(u32) -> u32) -> Words {
    zip(words, words, |word, _| change(word))
}

#[inline(always)]
fn add(one: Words, other: Words) -> Words {
    zip(one, other, u32::wrapping_add)
}

/// From the square roots of the first primes.
const INITIAL: [u32; 8] =
    [0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19];

/// From the cube roots of the first primes.
#[rustfmt::skip]
const CONSTANTS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::{array, prop_assert_eq, proptest};

    use super::*;
    use crate::sha256;

    proptest! {
        /// Also on a processor that is faster with one at a time, or has no vectors.
        #[test]
        fn texts_side_by_side_have_the_hashes_of_each(texts in array::uniform8(vec(0_u8.., 0..200))) {
            let texts = texts.each_ref().map(Vec::as_slice);
            prop_assert_eq!(side_by_side(&texts), texts.map(sha256));
            #[cfg(target_arch = "x86_64")]
            if std::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has AVX2.
                prop_assert_eq!(unsafe { hash_with_avx2(&texts) }, texts.map(sha256));
            }
        }
    }
}
