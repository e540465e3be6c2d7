//! Damages real files, for property tests of their parsers.

use proptest::prelude::*;
use proptest::sample::Index;

/// A change to a file; several are applied one after the other.
#[derive(Debug, Clone, Copy)]
pub struct Damage {
    operation: Operation,
    /// Whether it affects the first kilobytes, where most formats have their structure.
    in_front: bool,
    at: Index,
    other: Index,
    length: usize,
    number: u64,
}

#[derive(Debug, Clone, Copy)]
enum Operation {
    FlipBit,
    /// A number of up to eight bytes.
    SetNumber,
    /// A number of four bytes that is followed by a name of four letters, which is the length of an MP4's box.
    SetBoxLength,
    Delete,
    /// Inserts a copy of some bytes elsewhere.
    Duplicate,
    Truncate,
    /// Continues with the bytes of another file.
    Splice,
}

const FRONT: usize = 4096;
/// Maximum number of bytes that are deleted or duplicated at once.
const LONGEST: usize = 600;

pub fn damage() -> impl Strategy<Value = Vec<Damage>> {
    let operation = prop_oneof![
        6 => Just(Operation::FlipBit),
        4 => Just(Operation::SetNumber),
        6 => Just(Operation::SetBoxLength),
        4 => Just(Operation::Delete),
        4 => Just(Operation::Duplicate),
        1 => Just(Operation::Truncate),
        2 => Just(Operation::Splice),
    ];
    let number = prop_oneof![
        0..=16u64,
        0..=1u64 << 16,
        any::<u64>(),
        // The largest of each width, and their neighbours.
        (0..64u32, 0..3u64).prop_map(|(bits, more)| (1u64 << bits).wrapping_add(more).wrapping_sub(1)),
    ];
    let length = prop_oneof![1..=8usize, 1..=LONGEST];
    let places = (any::<bool>(), any::<Index>(), any::<Index>());
    let one =
        (operation, places, length, number).prop_map(|(operation, (in_front, at, other), length, number)| {
            Damage { operation, in_front, at, other, length, number }
        });
    prop::collection::vec(one, 1..6)
}

/// Damages the first of these files; it may be spliced with the others.
pub fn damaged(files: &[&[u8]], damage: &[Damage]) -> Vec<u8> {
    let mut bytes = files[0].to_vec();
    for one in damage {
        one.apply(&mut bytes, files);
    }
    bytes
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>, files: &[&[u8]]) {
        if bytes.is_empty() {
            return;
        }
        let at = self.at.index(if self.in_front { bytes.len().min(FRONT) } else { bytes.len() });
        let end = bytes.len().min(at + self.length);
        match self.operation {
            Operation::FlipBit => bytes[at] ^= 1 << (self.number % 8),
            Operation::SetNumber => self.set_number(bytes, at..end.min(at + 8)),
            Operation::SetBoxLength => {
                let is_name = |name: &[u8]| name.iter().all(u8::is_ascii_alphanumeric);
                if let Some(found) = bytes[at..].windows(8).position(|window| is_name(&window[4..])) {
                    self.set_number(bytes, at + found..at + found + 4);
                }
            }
            Operation::Delete => drop(bytes.drain(at..end)),
            Operation::Duplicate => {
                let (copy, to) = (bytes[at..end].to_vec(), self.other.index(bytes.len()));
                bytes.splice(to..to, copy);
            }
            Operation::Truncate => bytes.truncate(at),
            Operation::Splice => {
                let other = files[self.number as usize % files.len()];
                bytes.truncate(at);
                bytes.extend_from_slice(&other[self.other.index(other.len())..]);
            }
        }
    }

    /// Half of the time a number near the existing one.
    fn set_number(&self, bytes: &mut [u8], range: std::ops::Range<usize>) {
        let width = range.len();
        let old = bytes[range.clone()].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        let new = if self.other.index(2) == 0 {
            self.number
        } else {
            old.wrapping_add(self.number % 33).wrapping_sub(16)
        };
        bytes[range].copy_from_slice(&new.to_be_bytes()[8 - width..]);
    }
}
