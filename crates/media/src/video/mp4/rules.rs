//! Which boxes stay, and which tracks.
//!
//! Boxes are kept by name: makers of cameras invent new places for a position or a serial number, and nobody invents a
//! new place for the size of a frame. Only inside sample descriptions, where every codec has boxes of its own, it is the
//! other way round.

use super::atom::Type;

pub(super) fn keeps(parent: &Type, kind: &Type) -> bool {
    KEPT.iter().any(|(name, kinds)| *name == parent && kinds.contains(&kind))
}

pub(super) fn keeps_uuid(uuid: &[u8; 16]) -> bool {
    KEPT_UUIDS.contains(uuid)
}

/// Whether a track is for those who watch.
pub(super) fn is_shown(handler: &Type, codec: &Type) -> bool {
    SHOWN.contains(&handler) && !TELEMETRY.contains(&codec)
}

/// Parents, and the boxes in them that stay as they are.
const KEPT: [(&Type, &[&Type]); 11] = [
    (b"file", &[b"ftyp", b"styp", b"pdin", b"sidx", b"ssix", b"mfra"]),
    (b"moov", &[b"iods", b"pssh"]),
    (b"mvex", &[b"mehd", b"trex", b"leva"]),
    (b"trak", &[b"tref", b"tapt", b"load", b"trgr", b"senc"]),
    (b"edts", &[b"elst"]),
    (b"mdia", &[b"elng"]),
    (b"minf", &[b"vmhd", b"smhd", b"nmhd", b"sthd", b"hmhd"]),
    (b"gmhd", &[b"gmin", b"text"]),
    (
        b"stbl",
        &[
            b"stts", b"ctts", b"cslg", b"stss", b"stps", b"stsc", b"stsz", b"stz2", b"stco", b"co64",
            b"stsh", b"sdtp", b"padb", b"stdp", b"sbgp", b"sgpd", b"subs", b"saiz", b"saio", b"senc",
        ],
    ),
    (b"moof", &[b"mfhd", b"pssh"]),
    (b"traf", &[b"tfhd", b"tfdt", b"trun", b"sdtp", b"sbgp", b"sgpd", b"subs", b"saiz", b"saio", b"senc"]),
];

/// `uuid` boxes without which an encrypted film cannot be decrypted (PIFF): key system, track, samples.
const KEPT_UUIDS: [[u8; 16]; 3] = [
    0xd08a4f18_10f3_4a82_b6c8_32d8aba183d3_u128.to_be_bytes(),
    0x8974dbce_7be7_4c51_84f9_7148f9882554_u128.to_be_bytes(),
    0xa2394f52_5a9b_4f14_a244_6c427c648df4_u128.to_be_bytes(),
];

/// Tracks that are shown or heard, or that say how. All others tell where, how and with what a film was made.
const SHOWN: [&Type; 9] = [b"vide", b"soun", b"text", b"sbtl", b"subt", b"clcp", b"tmcd", b"hint", b"auxv"];

/// Telemetry in the guise of something else.
const TELEMETRY: [&Type; 7] = [b"mebx", b"gpmd", b"camm", b"fdsc", b"rtmd", b"mett", b"metx"];
