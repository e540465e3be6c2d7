//! A stable order of pages that is independent of their content.

use model::PageId;

/// Distributes ids evenly, although ids created together begin alike (splitmix64).
pub(crate) fn hash(id: PageId) -> u64 {
    let (high, low) = id.0.as_u64_pair();
    let mut z = (high.rotate_left(32) ^ low).wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
