//! Makes bodies smaller, once each.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::Semaphore;

use crate::encoding::Encoding;

/// Below this, what is saved fits into the same packet anyway.
pub(super) const LEAST: usize = 1024;

/// From here on compressing takes so long that the other requests of the thread would notice.
const LARGE: usize = 64 * 1024;

/// Each takes milliseconds of a thread on which files are read as well, and who asks for one large page after the other
/// must not keep all of them.
const LARGE_AT_ONCE: usize = 2;

#[derive(Clone)]
pub(super) struct Compressor {
    large: Arc<Semaphore>,
}

/// Too many large bodies are being compressed.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Busy;

impl Compressor {
    pub(super) fn new() -> Compressor {
        Compressor { large: Arc::new(Semaphore::new(LARGE_AT_ONCE)) }
    }

    /// `None`: it would not become smaller.
    pub(super) async fn compress(&self, body: &Bytes, encoding: Encoding) -> Result<Option<Bytes>, Busy> {
        let packed = match body.len() {
            ..LARGE => pack(body, encoding),
            _ => {
                let turn = self.large.clone().try_acquire_owned().map_err(|_| Busy)?;
                let body = body.clone();
                let packing = tokio::task::spawn_blocking(move || (pack(&body, encoding), turn).0);
                packing.await.unwrap_or_else(|error| Err(error.into()))
            }
        };
        Ok(match packed {
            Ok(packed) if packed.len() < body.len() => Some(packed.into()),
            Ok(_) => None,
            Err(error) => {
                tracing::error!(%error, encoding = encoding.name(), "a body cannot be compressed");
                None
            }
        })
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
                let packed = Compressor::new()
                    .compress(&body, encoding)
                    .await
                    .expect("a turn")
                    .expect("it becomes smaller");
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
            assert_eq!(Compressor::new().compress(&body, encoding).await, Ok(None), "{encoding:?}");
        }
    }

    #[tokio::test]
    async fn of_many_large_bodies_at_once_only_some_are_compressed() {
        let (compressor, body) = (Compressor::new(), Bytes::from(vec![b'a'; 3_000_000]));
        let all = (0..20).map(|_| compressor.compress(&body, Encoding::Brotli));
        let made = futures_util::future::join_all(all).await;
        let busy = made.iter().filter(|made| **made == Err(Busy)).count();
        assert_eq!(busy, 18);
        let small = Bytes::from(vec![b'a'; 10_000]);
        assert!(compressor.compress(&small, Encoding::Brotli).await.is_ok_and(|packed| packed.is_some()));
    }
}
