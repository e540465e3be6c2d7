//! Malicious bodies take bounded memory and linear time.

use std::iter;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::*;

const HEAD: &[u8] = b"--boundary\r\nContent-Disposition: form-data; name=a\r\n\r\n";
const END: &[u8] = b"\r\n--boundary--\r\n";

/// Detects a hang; not a measurement: tests are not optimised and run in parallel.
const HANG: Duration = Duration::from_secs(60);

async fn check(chunks: impl Iterator<Item = &'static [u8]> + Send + 'static, expected: MultipartError) {
    let start = Instant::now();
    let mut multipart = multipart(chunks.map(Bytes::from_static), "boundary", FEW);
    let end = loop {
        match multipart.next_part().await {
            Ok(Some(_)) => {}
            Ok(None) => panic!("the body was read"),
            Err(error) => break error,
        }
    };
    assert_eq!(end, expected);
    assert!(start.elapsed() < HANG);
}

fn part(fault: PartFault) -> MultipartError {
    MultipartError::Part { number: 1, name: None, fault }
}

#[tokio::test]
async fn an_endless_head_is_refused() {
    let start: &[u8] = b"--boundary\r\n";
    let forever = |line: &'static str| iter::once(start).chain(iter::repeat(line.as_bytes()));
    check(forever("x"), part(PartFault::HeadTooLong)).await;
    check(forever("a: b\r\n"), part(PartFault::HeadTooLong)).await;
    check(forever("\r"), part(PartFault::HeadTooLong)).await;
    let lines = iter::repeat_n(&b"a: b\r\n"[..], 33).chain([&b"\r\n"[..]]);
    check(iter::once(start).chain(lines), part(PartFault::TooManyLines)).await;
}

#[tokio::test]
async fn endless_bytes_around_the_parts_are_refused() {
    let endless = || iter::repeat(&b"\r\n--bounda"[..]);
    check(endless(), MultipartError::NoBoundary).await;
    check(iter::once(&b"--boundary--"[..]).chain(endless()), MultipartError::Epilogue).await;
    check(iter::once(&b"--boundary"[..]).chain(iter::repeat(&b" "[..])), part(PartFault::BoundaryLine)).await;
}

#[tokio::test]
async fn endless_parts_are_refused() {
    let field = b"--boundary\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n";
    check(iter::repeat(&field[..]), MultipartError::TooManyFields { most: 100 }).await;
    let file = b"--boundary\r\nContent-Disposition: form-data; name=a; filename=\"\"\r\n\r\n\r\n";
    check(iter::repeat(&file[..]), MultipartError::TooManyFiles { most: 100 }).await;
}

#[tokio::test]
async fn a_body_without_end_is_read_in_linear_time() {
    // 50 MB of almost boundaries, in chunks that end in the middle of one.
    let flood = b"\r\n--bounda".repeat(6_000).leak();
    let chunks = iter::once(HEAD).chain(iter::repeat_n(&flood[..flood.len() - 4], 875));
    check(chunks, MultipartError::Truncated).await;
    check(iter::once(HEAD).chain(iter::repeat_n(&b"\r\n--bounda"[..], 50_000)), MultipartError::Truncated)
        .await;
}

/// A chunk that is counted while it is in memory.
struct Counted {
    bytes: Vec<u8>,
    alive: Arc<AtomicUsize>,
}

impl Counted {
    fn chunk(bytes: Vec<u8>, alive: &Arc<AtomicUsize>) -> Bytes {
        alive.fetch_add(bytes.len(), Ordering::Relaxed);
        Bytes::from_owner(Counted { bytes, alive: alive.clone() })
    }
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

#[tokio::test]
async fn a_body_of_256_mb_is_held_a_chunk_at_a_time() {
    const CHUNK: usize = 64 * 1024;
    const CHUNKS: usize = 4096;
    let alive = Arc::new(AtomicUsize::new(0));
    let count = alive.clone();
    // Every other chunk ends with the beginning of a boundary, which must not be returned yet.
    let content = move |index: usize| {
        let mut bytes = vec![b'x'; CHUNK];
        if index % 2 == 1 {
            bytes[CHUNK - 10..].copy_from_slice(b"\r\n--bounda");
        }
        Counted::chunk(bytes, &count)
    };
    let head = iter::once(Bytes::from_static(HEAD));
    let chunks = head.chain((0..CHUNKS).map(content)).chain([Bytes::from_static(END)]);
    let mut multipart = multipart(chunks, "boundary", FEW);
    multipart.next_part().await.expect("a part");
    let (mut length, mut peak) = (0, 0);
    while let Some(chunk) = multipart.chunk().await.expect("content") {
        length += chunk.len();
        peak = peak.max(alive.load(Ordering::Relaxed) + multipart.held.len());
    }
    assert_eq!(length, CHUNK * CHUNKS);
    assert!(peak <= 2 * (CHUNK + END.len()), "{peak}");
    assert_eq!(multipart.next_part().await, Ok(None));
    assert_eq!(alive.load(Ordering::Relaxed), 0);
}
