//! SHA-256, by `ring`: on processors without instructions for it, nearly twice as fast as `sha2`. Every byte of a
//! publish is hashed; many texts at once by `tape-sha256`, which takes up to 16 of them together.

/// The SHA-256 of some bytes.
pub fn sha256(bytes: impl AsRef<[u8]>) -> [u8; 32] {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes.as_ref());
    digest.as_ref().try_into().expect("SHA-256 has 32 bytes")
}

/// With fewer, hashing one after the other is faster.
const MANY: usize = 4;

/// The SHA-256 of each of these texts.
pub(crate) fn sha256_each(texts: &[&str]) -> Vec<[u8; 32]> {
    if texts.len() < MANY {
        return texts.iter().map(sha256).collect();
    }
    // Those that are hashed together take as long as the longest of them.
    let mut order: Vec<usize> = (0..texts.len()).collect();
    order.sort_unstable_by_key(|index| texts[*index].len());
    let sorted: Vec<&[u8]> = order.iter().map(|index| texts[*index].as_bytes()).collect();
    let mut of_sorted = vec![[0; 32]; texts.len()];
    tape_sha256::hash_many(&sorted, &mut of_sorted);
    let mut hashes = vec![[0; 32]; texts.len()];
    for (index, hash) in order.into_iter().zip(of_sorted) {
        hashes[index] = hash;
    }
    hashes
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
        fn many_texts_have_the_hashes_of_each(lengths in vec(0_usize..1000, 0..70), letter in "[a-zé]") {
            let texts: Vec<String> =
                lengths.iter().enumerate().map(|(index, length)| format!("{index}{}", letter.repeat(*length))).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let each: Vec<[u8; 32]> = texts.iter().map(sha256).collect();
            prop_assert_eq!(sha256_each(&texts), each);
        }
    }
}
