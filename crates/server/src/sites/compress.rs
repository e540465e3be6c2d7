//! Makes bodies smaller, once each.

use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;

use super::encoding::Encoding;

/// Below this, what is saved fits into the same packet anyway.
pub(super) const LEAST: usize = 1024;

/// From here on compressing takes so long that the other requests of the thread would notice.
const LARGE: usize = 64 * 1024;

/// `None`: it would not become smaller.
pub(super) async fn compress(body: &Bytes, encoding: Encoding) -> Option<Bytes> {
    let packed = match body.len() {
        ..LARGE => pack(body, encoding),
        _ => {
            let body = body.clone();
            let packing = tokio::task::spawn_blocking(move || pack(&body, encoding));
            packing.await.unwrap_or_else(|error| Err(error.into()))
        }
    };
    match packed {
        Ok(packed) if packed.len() < body.len() => Some(packed.into()),
        Ok(_) => None,
        Err(error) => {
            tracing::error!(%error, encoding = encoding.name(), "a body cannot be compressed");
            None
        }
    }
}

/// The levels are those from which on a further percent costs more than it saves: the first reader waits for it.
fn pack(body: &[u8], encoding: Encoding) -> std::io::Result<Vec<u8>> {
    match encoding {
        Encoding::Brotli => {
            let mut packed = Vec::with_capacity(body.len() / 3);
            let params = brotli::enc::BrotliEncoderParams {
                quality: 5,
                lgwin: window(body.len()),
                size_hint: body.len(),
                ..Default::default()
            };
            brotli::BrotliCompress(&mut &body[..], &mut packed, &params)?;
            Ok(packed)
        }
        Encoding::Zstd => zstd::bulk::compress(body, 6),
        Encoding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 3), Compression::new(6));
            encoder.write_all(body)?;
            encoder.finish()
        }
    }
}

/// No larger than the body needs: the memory for it is cleared each time.
fn window(length: usize) -> i32 {
    let bits = usize::BITS - length.leading_zeros();
    i32::try_from(bits).unwrap_or(22).clamp(16, 22)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn unpack(packed: &[u8], encoding: Encoding) -> Vec<u8> {
        let mut body = Vec::new();
        match encoding {
            Encoding::Brotli => brotli::Decompressor::new(packed, 4096).read_to_end(&mut body),
            Encoding::Zstd => {
                zstd::stream::read::Decoder::new(packed).expect("a decoder").read_to_end(&mut body)
            }
            Encoding::Gzip => flate2::read::GzDecoder::new(packed).read_to_end(&mut body),
        }
        .expect("what was packed");
        body
    }

    #[tokio::test]
    async fn what_is_packed_can_be_unpacked_whatever_its_size() {
        for length in [LEAST, 10_000, LARGE - 1, LARGE, 3_000_000] {
            let body: Bytes = (0..length).map(|at| b"abcdefgh"[at * at / 7 % 8]).collect();
            for encoding in Encoding::ALL {
                let packed = compress(&body, encoding).await.expect("it becomes smaller");
                assert!(unpack(&packed, encoding) == body, "{encoding:?} {length}");
            }
        }
    }

    #[tokio::test]
    async fn what_would_not_become_smaller_is_left_alone() {
        let mut state = 1u64;
        let mut noise = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 56) as u8
        };
        let body: Bytes = (0..5000).map(|_| noise()).collect();
        for encoding in Encoding::ALL {
            assert_eq!(compress(&body, encoding).await, None, "{encoding:?}");
        }
    }
}
