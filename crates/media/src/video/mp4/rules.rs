//! Which boxes and tracks are kept.
//!
//! Boxes are kept by an allowlist: camera makers invent new boxes for positions and serial numbers, but not for the
//! size of a frame. Only inside sample descriptions, where every codec has its own boxes, it is a denylist.

use super::atom::Type;

pub(super) fn keeps(parent: &Type, kind: &Type) -> bool {
    KEPT.iter().any(|(name, kinds)| *name == parent && kinds.contains(&kind))
}

pub(super) fn keeps_uuid(uuid: &[u8; 16]) -> bool {
    KEPT_UUIDS.contains(uuid)
}

/// Whether a track is for viewers.
pub(super) fn is_shown(handler: &Type, codec: &Type) -> bool {
    SHOWN.contains(&handler) && !TELEMETRY.contains(&codec)
}

/// Parents, and the boxes in them that are kept unchanged.
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

/// `uuid` boxes needed to decrypt an encrypted video (PIFF): key system, track, samples.
const KEPT_UUIDS: [[u8; 16]; 3] = [
    0xd08a4f18_10f3_4a82_b6c8_32d8aba183d3_u128.to_be_bytes(),
    0x8974dbce_7be7_4c51_84f9_7148f9882554_u128.to_be_bytes(),
    0xa2394f52_5a9b_4f14_a244_6c427c648df4_u128.to_be_bytes(),
];

/// Handlers of tracks that are shown or played, or control that. All others describe where, how and with what a video
/// was recorded.
const SHOWN: [&Type; 9] = [b"vide", b"soun", b"text", b"sbtl", b"subt", b"clcp", b"tmcd", b"hint", b"auxv"];

/// Codecs of telemetry in tracks with other handlers.
const TELEMETRY: [&Type; 7] = [b"mebx", b"gpmd", b"camm", b"fdsc", b"rtmd", b"mett", b"metx"];
