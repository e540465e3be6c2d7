//! Bodies that are too large, too slow, compressed, corrupt or truncated.

use std::convert::Infallible;
use std::io::Write;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use flate2::Compression;
use flate2::write::GzEncoder;
use hyper::body::Frame;
use tokio::time::{Sleep, sleep};

use super::*;

const MB: u64 = 1024 * 1024;

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for (name, value) in pairs {
        headers.append(*name, value.parse().expect("a header"));
    }
    headers
}

fn gzip_headers() -> HeaderMap {
    headers(&[("content-encoding", "gzip")])
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).expect("memory");
    encoder.finish().expect("memory")
}

/// Sends a chunk every `pause`, or all at once.
struct Trickle {
    chunks: std::vec::IntoIter<Bytes>,
    pause: Duration,
    sleep: Pin<Box<Sleep>>,
}

impl Trickle {
    fn body(chunks: Vec<Bytes>, pause: Duration) -> Body {
        Body::new(Trickle { chunks: chunks.into_iter(), pause, sleep: Box::pin(sleep(pause)) })
    }
}

impl hyper::body::Body for Trickle {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if !self.pause.is_zero() {
            ready!(self.sleep.as_mut().poll(context));
            let next = Instant::now() + self.pause;
            self.sleep.as_mut().reset(next);
        }
        Poll::Ready(self.chunks.next().map(|chunk| Ok(Frame::data(chunk))))
    }
}

async fn read(body: Body, headers: &HeaderMap, max: u64) -> Result<Vec<u8>, BodyError> {
    let mut reader = BodyReader::new(body, headers, BodyLimits::new(max))?;
    let mut read = Vec::new();
    while let Some(chunk) = reader.chunk().await? {
        assert!(!chunk.is_empty());
        read.extend_from_slice(&chunk);
    }
    Ok(read)
}

async fn read_chunks(bytes: &[u8], size: usize, max: u64) -> Result<Vec<u8>, BodyError> {
    let chunks = bytes.chunks(size).map(Bytes::copy_from_slice).collect();
    read(Trickle::body(chunks, Duration::ZERO), &gzip_headers(), max).await
}

#[tokio::test]
async fn a_body_without_encoding_is_returned_unchanged() {
    assert_eq!(read(Body::from("hello"), &headers(&[]), 5).await, Ok(b"hello".to_vec()));
    let identity = headers(&[("content-encoding", "identity")]);
    assert_eq!(read(Body::from("hello"), &identity, 5).await, Ok(b"hello".to_vec()));
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    assert_eq!(read(Body::from("hello!"), &headers(&[]), 5).await, Err(too_large(5)));
}

#[tokio::test]
async fn a_length_over_the_limit_is_refused_before_reading() {
    let six = headers(&[("content-length", "6")]);
    let refused = BodyReader::new(Body::empty(), &six, BodyLimits::new(5)).map(|_| ());
    assert_eq!(refused, Err(too_large(5)));
}

#[tokio::test]
async fn gzip_is_decompressed_however_it_is_split() {
    let plain: Vec<u8> = (0..300_000u32).flat_map(|n| (n.wrapping_mul(n) % 251).to_le_bytes()).collect();
    let packed = gzip(&plain);
    for size in [1, 7, 1000, packed.len()] {
        assert!(read_chunks(&packed, size, 2 * MB).await.as_ref() == Ok(&plain), "{size}");
    }
}

#[tokio::test]
async fn several_members_are_one_body() {
    let packed = [gzip(b"one, "), gzip(b""), gzip(b"two")].concat();
    for size in [1, 20, packed.len()] {
        assert_eq!(read_chunks(&packed, size, MB).await, Ok(b"one, two".to_vec()));
    }
}

#[tokio::test]
async fn an_empty_body_is_empty_in_any_encoding() {
    assert_eq!(read_chunks(b"", 1, MB).await, Ok(Vec::new()));
    assert_eq!(read_chunks(&gzip(b""), 1, MB).await, Ok(Vec::new()));
}

#[tokio::test]
async fn the_names_of_encodings() {
    let check = async |pairs: &[(&'static str, &'static str)], expected: Result<&str, &str>| {
        let expected = expected.map(|text| text.as_bytes().to_vec());
        let expected = expected.map_err(|name| BodyError::Encoding(name.into()));
        assert_eq!(read(Body::from(gzip(b"hello")), &headers(pairs), MB).await, expected, "{pairs:?}");
    };
    check(&[("content-encoding", "GZip")], Ok("hello")).await;
    check(&[("content-encoding", "x-gzip")], Ok("hello")).await;
    check(&[("content-encoding", "identity, gzip")], Ok("hello")).await;
    check(&[("content-encoding", "br")], Err("br")).await;
    check(&[("content-encoding", "gzip, br")], Err("br")).await;
    check(&[("content-encoding", "gzip"), ("content-encoding", "gzip")], Err("gzip")).await;
}

#[tokio::test]
async fn broken_gzip_is_refused() {
    let packed = gzip(b"hello hello hello");
    let mut wrong_sum = packed.clone();
    wrong_sum[packed.len() - 5] ^= 1;
    let cases: [&[u8]; 8] = [
        b"hello",
        &packed[..3],
        &packed[..12],
        &packed[..packed.len() - 1],
        &wrong_sum,
        &[&packed, &b"x"[..]].concat(),
        &[&packed, &[0; 100][..]].concat(),
        &[&packed, &packed[..10]].concat(),
    ];
    for case in cases {
        for size in [1, case.len()] {
            assert_eq!(read_chunks(case, size, MB).await, Err(BodyError::Gzip), "{case:?}");
        }
    }
}

/// A gigabyte of zeros in about a megabyte.
fn bomb() -> Vec<u8> {
    gzip(&vec![0; 16 * MB as usize]).repeat(64)
}

#[tokio::test]
async fn a_gzip_bomb_is_decompressed_in_small_pieces() {
    let mut reader = BodyReader::new(bomb().into(), &gzip_headers(), BodyLimits::new(64 * MB)).expect("gzip");
    let mut unpacked = 0;
    let end = loop {
        match reader.chunk().await {
            Ok(Some(chunk)) => {
                assert!(chunk.len() <= 64 * 1024);
                unpacked += chunk.len() as u64;
            }
            end => break end,
        }
    };
    assert_eq!((end, unpacked), (Err(too_large(64 * MB)), 64 * MB));
}

#[tokio::test]
async fn compressed_bytes_that_decompress_to_nothing_have_the_same_limit() {
    let packed = gzip(b"").repeat(1000);
    assert_eq!(read_chunks(&packed, 100, 1000).await, Err(too_large(1000)));
}

#[tokio::test(start_paused = true)]
async fn a_silent_client_is_too_slow() {
    let pause = |seconds| Trickle::body(vec![Bytes::from(vec![b'a'; 100_000])], Duration::from_secs(seconds));
    assert!(read(pause(29), &headers(&[]), MB).await.is_ok());
    let start = Instant::now();
    assert_eq!(read(pause(31), &headers(&[]), MB).await, Err(BodyError::TooSlow));
    assert_eq!(start.elapsed().as_secs(), 30);
}

#[tokio::test(start_paused = true)]
async fn a_trickling_client_is_too_slow_once_its_grace_is_over() {
    let trickle =
        |bytes: usize| Trickle::body(vec![Bytes::from(vec![b'a'; bytes]); 100], Duration::from_secs(1));
    assert!(read(trickle(1024), &headers(&[]), MB).await.is_ok());
    let start = Instant::now();
    assert_eq!(read(trickle(512), &headers(&[]), MB).await, Err(BodyError::TooSlow));
    assert_eq!(start.elapsed().as_secs(), 59);
}

#[tokio::test(start_paused = true)]
async fn the_whole_body_has_a_deadline_that_grows_with_what_arrives() {
    let trickle = |bytes: usize, seconds: usize| {
        Trickle::body(vec![Bytes::from(vec![b'a'; bytes]); seconds], Duration::from_secs(1))
    };
    assert!(read(trickle(64 * 1024, 2000), &headers(&[]), 200 * MB).await.is_ok());
    assert!(read(trickle(16 * 1024, 390), &headers(&[]), 200 * MB).await.is_ok());
    let announced = headers(&[("content-length", "10000000")]);
    let start = Instant::now();
    assert_eq!(read(trickle(2048, 2000), &announced, 200 * MB).await, Err(BodyError::TooSlow));
    assert_eq!(start.elapsed().as_secs(), 309);
}

#[tokio::test(start_paused = true)]
async fn the_time_between_two_calls_is_not_counted() {
    let chunks = vec![Bytes::from_static(b"a"); 5];
    let body = Trickle::body(chunks, Duration::from_secs(1));
    let mut reader = BodyReader::new(body, &headers(&[]), BodyLimits::new(MB)).expect("plain");
    for _ in 0..5 {
        sleep(Duration::from_secs(60)).await;
        assert_eq!(reader.chunk().await, Ok(Some(Bytes::from_static(b"a"))));
    }
}

#[tokio::test]
async fn a_client_that_disconnects_is_an_abort() {
    struct Gone;
    impl hyper::body::Body for Gone {
        type Data = Bytes;
        type Error = std::io::Error;
        fn poll_frame(
            self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
            Poll::Ready(Some(Err(std::io::ErrorKind::ConnectionReset.into())))
        }
    }
    assert_eq!(read(Body::new(Gone), &headers(&[]), MB).await, Err(BodyError::Aborted));
}

#[tokio::test]
async fn a_body_that_has_arrived_completely_yields_to_other_tasks() {
    for (body, headers) in [
        (Trickle::body(vec![Bytes::from(vec![b'a'; 1000]); 10_000], Duration::ZERO), headers(&[])),
        (gzip(&vec![0; 10_000_000]).into(), gzip_headers()),
    ] {
        let reading = tokio::spawn(async move { read(body, &headers, 20 * MB).await.map(|body| body.len()) });
        let mut turns = 0;
        while !reading.is_finished() {
            tokio::task::yield_now().await;
            turns += 1;
        }
        assert_eq!(reading.await.expect("no panic"), Ok(10_000_000));
        assert!(turns >= 70, "{turns} turns in ten megabytes");
    }
}
