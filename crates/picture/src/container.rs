//! The chunks of a WebP file: removes metadata without changing the image data.
//!
//! <https://developers.google.com/speed/webp/docs/riff_container>

use crate::Error;

type Name = [u8; 4];

/// Flags in the first byte of the VP8X chunk.
const ANIMATION: u8 = 1 << 1;
const ALPHA: u8 = 1 << 4;

/// The chunks that make up one image.
const STILL: &[&Name] = &[b"ALPH", b"VP8 ", b"VP8L"];

/// The header before a frame's chunks: position, size, duration, and how it is drawn.
const FRAME_HEADER: usize = 16;

/// Pixels of all frames of an animation, each at its stored size.
pub(crate) fn stored_pixels(file: &[u8]) -> Result<u64, Error> {
    let frames = file_chunks(file)?.into_iter().filter(|(name, _)| *name == b"ANMF");
    Ok(frames.map(|(_, frame)| frame_pixels(frame)).sum())
}

/// Position (two numbers), then width and height minus one, 24 bits each.
fn frame_pixels(frame: &[u8]) -> u64 {
    let side =
        |at: usize| frame.get(at..at + 3).map_or(0, |b| u64::from(u32::from_le_bytes([b[0], b[1], b[2], 0])));
    (side(6) + 1) * (side(9) + 1)
}

pub(crate) fn strip(file: &[u8]) -> Result<Vec<u8>, Error> {
    let chunks = file_chunks(file)?;
    let flags = chunks.iter().find(|(name, _)| *name == b"VP8X").and_then(|(_, header)| header.first());
    let kept: &[&Name] = match flags {
        Some(flags) if flags & ANIMATION != 0 => &[b"ANIM", b"ANMF"],
        _ => STILL,
    };
    let mut stripped = b"WEBP".to_vec();
    for (name, content) in chunks {
        match name {
            b"VP8X" => put(&mut stripped, name, &strip_flags(content)?),
            b"ANMF" if kept.contains(&name) => put(&mut stripped, name, &strip_frame(content)?),
            _ if kept.contains(&name) => put(&mut stripped, name, content),
            _ => {}
        }
    }
    let mut file = Vec::with_capacity(stripped.len() + 8);
    put(&mut file, b"RIFF", &stripped);
    Ok(file)
}

/// Clears the flags for profile, EXIF and XMP.
fn strip_flags(header: &[u8]) -> Result<Vec<u8>, Error> {
    let mut header = header.to_vec();
    *header.first_mut().ok_or_else(truncated)? &= ANIMATION | ALPHA;
    Ok(header)
}

fn strip_frame(frame: &[u8]) -> Result<Vec<u8>, Error> {
    let (header, content) = frame.split_at_checked(FRAME_HEADER).ok_or_else(truncated)?;
    let mut stripped = header.to_vec();
    for (name, content) in chunks(content)? {
        if STILL.contains(&name) {
            put(&mut stripped, name, content);
        }
    }
    Ok(stripped)
}

fn file_chunks(file: &[u8]) -> Result<Vec<(&Name, &[u8])>, Error> {
    let (_, content) = first_chunk(file)?;
    chunks(content.strip_prefix(b"WEBP").ok_or_else(truncated)?)
}

fn chunks(mut rest: &[u8]) -> Result<Vec<(&Name, &[u8])>, Error> {
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        let (name, content) = first_chunk(rest)?;
        chunks.push((name, content));
        // Chunks begin at even offsets.
        rest = rest.get(8 + content.len().next_multiple_of(2)..).unwrap_or_default();
    }
    Ok(chunks)
}

fn first_chunk(bytes: &[u8]) -> Result<(&Name, &[u8]), Error> {
    let (name, rest) = bytes.split_first_chunk().ok_or_else(truncated)?;
    let (length, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
    let content = rest.get(..u32::from_le_bytes(*length) as usize).ok_or_else(truncated)?;
    Ok((name, content))
}

fn put(file: &mut Vec<u8>, name: &Name, content: &[u8]) {
    file.extend(name);
    // Not longer than the input, whose lengths were 32-bit numbers.
    file.extend((content.len() as u32).to_le_bytes());
    file.extend(content);
    if content.len() % 2 == 1 {
        file.push(0);
    }
}

fn truncated() -> Error {
    Error::Broken("it is truncated")
}
