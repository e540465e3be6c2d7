//! SHA-256. Every byte of a publish is hashed.
//!
//! One text at a time by `ring`. A processor without instructions for SHA-256 hashes many texts faster side by side, in the
//! lanes of its vectors. A crate for that exists (`tape-sha256`); to compile it takes longer than the whole server.

mod lanes;

use std::cmp::Reverse;

use lanes::LANES;

/// The SHA-256 of some bytes.
pub fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes.as_ref());
    digest.as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// The SHA-256 of each of these texts.
pub fn sha256_each(texts: &[&str]) -> Vec<[u8; 32]> {
    let mut hashes = vec![[0; 32]; texts.len()];
    // Texts side by side take as long as the longest of them, so texts of a similar length are hashed together.
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_unstable_by_key(|index| Reverse(texts[*index].len()));
    for group in order.chunks(LANES) {
        match side_by_side(texts, group) {
            Some(of_group) => group.iter().zip(of_group).for_each(|(index, hash)| hashes[*index] = hash),
            None => group.iter().for_each(|index| hashes[*index] = sha256(texts[*index])),
        }
    }
    hashes
}

/// `None`: one at a time is faster.
fn side_by_side(texts: &[&str], group: &[usize]) -> Option<[[u8; 32]; LANES]> {
    let group = <&[usize; LANES]>::try_from(group).ok()?.map(|index| texts[index].as_bytes());
    let longest = group.iter().map(|text| text.len()).max()?;
    // Side by side, a group takes three times as long as its longest text by itself, however short the others are.
    if group.iter().map(|text| text.len()).sum::<usize>() < 3 * longest {
        return None;
    }
    lanes::hash(&group)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::{prop_assert_eq, proptest};

    use super::*;

    /// An example of FIPS 180-2.
    #[test]
    fn the_hash_is_that_of_the_standard() {
        let digits: String = sha256("abc").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digits, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    proptest! {
        #[test]
        fn many_texts_have_the_hashes_of_each(lengths in vec(0_usize..300, 0..40), letter in "[a-zé]") {
            let text = |(index, length): (usize, &usize)| format!("{index}{}", letter.repeat(*length));
            let texts: Vec<String> = lengths.iter().enumerate().map(text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let each: Vec<[u8; 32]> = texts.iter().map(sha256).collect();
            prop_assert_eq!(sha256_each(&texts), each);
        }
    }
}
