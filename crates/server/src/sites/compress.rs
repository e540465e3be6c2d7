//! Compresses the files of releases, once per encoding.

use std::io::Write;
use std::sync::Arc;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use tokio::sync::Semaphore;

use crate::encoding::Encoding;

/// Smaller files fit into one packet anyway.
pub(super) const MIN_COMPRESSED_BYTES: usize = 1024;

/// Compressing larger files would delay the other requests of the thread, so it runs on a blocking thread.
const LARGE_BYTES: usize = 64 * 1024;

/// Files are read on the same blocking threads: requests for many large pages must not occupy all of them.
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

    /// `None`: the compressed body would not be smaller.
    pub(super) async fn compress(&self, body: &Bytes, encoding: Encoding) -> Result<Option<Bytes>, Busy> {
        let compressed = match body.len() {
            ..LARGE_BYTES => compress(body, encoding),
            _ => {
                let permit = self.large.clone().try_acquire_owned().map_err(|_| Busy)?;
                let body = body.clone();
                let compressing = tokio::task::spawn_blocking(move || (compress(&body, encoding), permit).0);
                compressing.await.unwrap_or_else(|error| Err(error.into()))
            }
        };
        Ok(match compressed {
            Ok(compressed) if compressed.len() < body.len() => Some(compressed.into()),
            Ok(_) => None,
            Err(error) => {
                tracing::error!(%error, encoding = encoding.name(), "compression failed, file is sent uncompressed");
                None
            }
        })
    }
}

/// The first reader waits for this: higher levels would cost more time than they save.
fn compress(body: &[u8], encoding: Encoding) -> std::io::Result<Vec<u8>> {
    match encoding {
        Encoding::Brotli => {
            let mut compressed = Vec::with_capacity(body.len() / 3);
            let params = brotli::enc::BrotliEncoderParams {
                quality: 5,
                lgwin: window(body.len()),
                size_hint: body.len(),
                ..Default::default()
            };
            brotli::BrotliCompress(&mut &body[..], &mut compressed, &params)?;
            Ok(compressed)
        }
        Encoding::Zstd => zstd::bulk::compress(body, 6),
        Encoding::Gzip => {
            let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 3), Compression::new(6));
            encoder.write_all(body)?;
            encoder.finish()
        }
    }
}

/// No larger than the body needs, because the encoder clears that much memory each time.
fn window(length: usize) -> i32 {
    let bits = usize::BITS - length.leading_zeros();
    i32::try_from(bits).unwrap_or(22).clamp(16, 22)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn decompress(compressed: &[u8], encoding: Encoding) -> Vec<u8> {
        let mut body = Vec::new();
        match encoding {
            Encoding::Brotli => brotli::Decompressor::new(compressed, 4096).read_to_end(&mut body),
            Encoding::Zstd => {
                zstd::stream::read::Decoder::new(compressed).expect("a decoder").read_to_end(&mut body)
            }
            Encoding::Gzip => flate2::read::GzDecoder::new(compressed).read_to_end(&mut body),
        }
        .expect("what was compressed");
        body
    }

    #[tokio::test]
    async fn compressed_bodies_of_every_size_can_be_decompressed() {
        for length in [MIN_COMPRESSED_BYTES, 10_000, LARGE_BYTES - 1, LARGE_BYTES, 3_000_000] {
            let body: Bytes = (0..length).map(|at| b"abcdefgh"[at * at / 7 % 8]).collect();
            for encoding in Encoding::ALL {
                let compressed = Compressor::new()
                    .compress(&body, encoding)
                    .await
                    .expect("a turn")
                    .expect("it becomes smaller");
                assert!(decompress(&compressed, encoding) == body, "{encoding:?} {length}");
            }
        }
    }

    #[tokio::test]
    async fn a_body_that_would_not_become_smaller_is_not_compressed() {
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
    async fn only_some_of_many_concurrent_large_bodies_are_compressed() {
        let (compressor, body) = (Compressor::new(), Bytes::from(vec![b'a'; 3_000_000]));
        let all = (0..20).map(|_| compressor.compress(&body, Encoding::Brotli));
        let made = futures_util::future::join_all(all).await;
        let busy = made.iter().filter(|made| **made == Err(Busy)).count();
        assert_eq!(busy, 18);
        let small = Bytes::from(vec![b'a'; 10_000]);
        assert!(
            compressor.compress(&small, Encoding::Brotli).await.is_ok_and(|compressed| compressed.is_some())
        );
    }
}
