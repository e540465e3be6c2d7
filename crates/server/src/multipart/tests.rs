//! Bodies of real clients, split into chunks in all ways.

mod damage;
mod faults;
mod hostile;

use std::convert::Infallible;

use axum::body::Body;
use axum::http::HeaderMap;
use futures_util::stream;
use proptest::prelude::*;

use super::*;
use crate::body::BodyLimits;

const FEW: MultipartLimits = MultipartLimits { fields: 100, files: 100 };

/// A body that arrives in these chunks.
fn reader<C>(chunks: C) -> BodyReader
where
    C: IntoIterator<Item = Bytes, IntoIter: Send + 'static>,
{
    let body = Body::from_stream(stream::iter(chunks.into_iter().map(Ok::<_, Infallible>)));
    BodyReader::new(body, &HeaderMap::new(), BodyLimits::new(u64::MAX)).expect("no encoding")
}

fn multipart<C>(chunks: C, boundary: &str, limits: MultipartLimits) -> Multipart
where
    C: IntoIterator<Item = Bytes, IntoIter: Send + 'static>,
{
    let content_type = format!("multipart/form-data; boundary={boundary}");
    Multipart::new(reader(chunks), &content_type, limits).expect("a boundary")
}

fn cut(body: &[u8], size: usize) -> Vec<Bytes> {
    body.chunks(size).map(Bytes::copy_from_slice).collect()
}

type Parts = Vec<(Part, Vec<u8>)>;

async fn read_parts(mut multipart: Multipart) -> Result<Parts, MultipartError> {
    let mut parts = Vec::new();
    while let Some(part) = multipart.next_part().await? {
        let mut content = Vec::new();
        while let Some(chunk) = multipart.chunk().await? {
            assert!(!chunk.is_empty());
            content.extend_from_slice(&chunk);
        }
        parts.push((part, content));
    }
    Ok(parts)
}

async fn read(body: &[u8], boundary: &str) -> Result<Parts, MultipartError> {
    read_parts(multipart(cut(body, usize::MAX), boundary, FEW)).await
}

fn field(name: &str, content: &[u8]) -> (Part, Vec<u8>) {
    (Part { name: name.into(), file_name: None, content_type: None }, content.to_vec())
}

fn file(name: &str, file_name: &str, content_type: &str, content: &[u8]) -> (Part, Vec<u8>) {
    let (file_name, content_type) = (Some(file_name.into()), Some(content_type.into()));
    (Part { name: name.into(), file_name, content_type }, content.to_vec())
}

const CURL: &[u8] = b"--------------------------d74496d66958873e\r\n\
    Content-Disposition: form-data; name=\"payload\"\r\n\
    \r\n\
    {\"pages\": []}\r\n\
    --------------------------d74496d66958873e\r\n\
    Content-Disposition: form-data; name=\"files\"; filename=\"a.png\"\r\n\
    Content-Type: image/png\r\n\
    \r\n\
    \x89PNG\r\n\x1a\n\r\n\r\n\
    --------------------------d74496d66958873e--\r\n";
const CURL_BOUNDARY: &str = "------------------------d74496d66958873e";

fn curl_parts() -> Parts {
    vec![field("payload", b"{\"pages\": []}"), file("files", "a.png", "image/png", b"\x89PNG\r\n\x1a\n\r\n")]
}

#[tokio::test]
async fn requests_of_curl_are_read() {
    assert_eq!(read(CURL, CURL_BOUNDARY).await, Ok(curl_parts()));
}

#[tokio::test]
async fn requests_of_browsers_are_read() {
    let body = "------WebKitFormBoundarymfKxXp3NJcoLlZdL\r\n\
        Content-Disposition: form-data; name=\"note\"\r\n\r\n\r\n\
        ------WebKitFormBoundarymfKxXp3NJcoLlZdL\r\n\
        Content-Disposition: form-data; name=\"file\"; filename=\"Füße %22x%22.png\"\r\n\
        Content-Type: image/png\r\n\r\nabc\r\n\
        ------WebKitFormBoundarymfKxXp3NJcoLlZdL\r\n\
        Content-Disposition: form-data; name=\"other\"; filename=\"\"\r\n\
        Content-Type: application/octet-stream\r\n\r\n\r\n\
        ------WebKitFormBoundarymfKxXp3NJcoLlZdL--\r\n";
    let expected = vec![
        field("note", b""),
        file("file", "Füße \"x\".png", "image/png", b"abc"),
        file("other", "", "application/octet-stream", b""),
    ];
    assert_eq!(read(body.as_bytes(), "----WebKitFormBoundarymfKxXp3NJcoLlZdL").await, Ok(expected));
}

#[tokio::test]
async fn file_names_are_what_the_client_meant() {
    let check = async |parameters: &str, expected: Option<&str>| {
        let body = format!("--b\r\ncontent-disposition:FORM-DATA;{parameters}\r\n\r\n\r\n--b--");
        let parts = read(body.as_bytes(), "b").await.expect(parameters);
        assert_eq!(parts[0].0.file_name.as_deref(), expected, "{parameters}");
    };
    check(r#"name=a"#, None).await;
    check(r#"name="a"; filename=b.png ; x=y"#, Some("b.png")).await;
    check(r#" FileName = "b.png" ; Name = "a""#, Some("b.png")).await;
    check(r#"name="a"; filename="b; c=\"d\" \\.png""#, Some("b; c=\"d\" \\.png")).await;
    check(r#"name="a"; filename="C:\a\b.jpg""#, Some(r"C:\a\b.jpg")).await;
    check(r#"name="a"; filename="a/../b.jpg""#, Some("a/../b.jpg")).await;
    check(r#"name="a"; filename="100%25 %0D%0a%41.png""#, Some("100%25 \r\n%41.png")).await;
    check(r#"name="a"; filename="?.png"; filename*=UTF-8''%e2%82%AC%20rates.png"#, Some("€ rates.png")).await;
    check(r#"name="a"; filename*=utf-8'en'it's.png; filename="x.png""#, Some("it's.png")).await;
}

#[tokio::test]
async fn the_boundary_comes_from_the_content_type() {
    let check = |content_type: &str, expected: Result<&str, MultipartError>| {
        let made = Multipart::new(reader([]), content_type, FEW);
        let expected = expected.map(|boundary| format!("\r\n--{boundary}").into_bytes());
        assert_eq!(made.map(|made| made.delimiter.needle().to_vec()), expected, "{content_type}");
    };
    let longest = "x".repeat(70);
    check("multipart/form-data; boundary=abc", Ok("abc"));
    check("Multipart/Form-Data;charset=utf-8; BOUNDARY=\"a b:c\" ; x=y", Ok("a b:c"));
    check("multipart/form-data; boundary=----a/b=c?(d)", Ok("----a/b=c?(d)"));
    check(&format!("multipart/form-data; boundary={longest}"), Ok(&longest));
    check(&format!("multipart/form-data; boundary={longest}x"), Err(MultipartError::Boundary));
    check("multipart/form-data", Err(MultipartError::Boundary));
    check("multipart/form-data; boundary=", Err(MultipartError::Boundary));
    check("multipart/form-data; boundary=\"a \"", Err(MultipartError::Boundary));
    check("multipart/form-data; boundary=\"a", Err(MultipartError::Boundary));
    check("multipart/form-data; boundary=a*b", Err(MultipartError::Boundary));
    check("multipart/form-data; boundary=\"a\r\nb\"", Err(MultipartError::Boundary));
    check("multipart/mixed; boundary=abc", Err(MultipartError::NotFormData));
    check("application/json", Err(MultipartError::NotFormData));
}

#[tokio::test]
async fn bytes_around_the_parts_are_ignored() {
    let part = "Content-Disposition: form-data; name=a\r\n\r\n1";
    for (before, after) in [("", ""), ("\r\n", "\r\n"), ("hello\r\n--x\r\n", "  \r\nbye\r\n--b\r\n")] {
        let body = format!("{before}--b \t\r\n{part}\r\n--b--{after}");
        assert_eq!(read(body.as_bytes(), "b").await, Ok(vec![field("a", b"1")]), "{body}");
    }
    assert_eq!(read(b"--b--", "b").await, Ok(vec![]));
}

#[tokio::test]
async fn the_rest_of_a_part_is_skipped() {
    let mut multipart = multipart(cut(CURL, 7), CURL_BOUNDARY, FEW);
    for (part, _) in curl_parts() {
        assert_eq!(multipart.next_part().await, Ok(Some(part)));
    }
    assert_eq!(multipart.next_part().await, Ok(None));
    assert_eq!(multipart.next_part().await, Ok(None));
    assert_eq!(multipart.chunk().await, Ok(None));
}

#[tokio::test]
async fn a_body_may_be_cut_anywhere() {
    for at in 0..=CURL.len() {
        let (before, after) = CURL.split_at(at);
        let chunks = [before, after].map(Bytes::from_static);
        assert_eq!(read_parts(multipart(chunks, CURL_BOUNDARY, FEW)).await, Ok(curl_parts()), "{at}");
    }
    for size in [1, 2, 3, 5, 41, 42, 43] {
        let multipart = multipart(cut(CURL, size), CURL_BOUNDARY, FEW);
        assert_eq!(read_parts(multipart).await, Ok(curl_parts()), "{size}");
    }
}

#[tokio::test]
async fn a_body_that_ends_early_is_refused_wherever_it_ends() {
    // The last line break is optional.
    for end in 0..CURL.len() - 2 {
        for size in [1, usize::MAX] {
            let multipart = multipart(cut(&CURL[..end], size), CURL_BOUNDARY, FEW);
            assert_eq!(read_parts(multipart).await, Err(MultipartError::Truncated), "{end}");
        }
    }
}

#[tokio::test]
async fn content_is_passed_on_without_a_copy() {
    let head = Bytes::from_static(b"--b\r\nContent-Disposition: form-data; name=a\r\n\r\n");
    let body = Bytes::from_static(b"content\r\n--b--");
    let mut multipart = multipart([head, body.clone()], "b", FEW);
    multipart.next_part().await.expect("a part");
    let chunk = multipart.chunk().await.expect("content").expect("content");
    assert_eq!((chunk.as_ptr(), chunk.len()), (body.as_ptr(), "content".len()));
}

/// Bytes, some of which are almost boundaries.
fn contents() -> impl Strategy<Value = Vec<u8>> {
    let pieces = ["\r\n--boundar", "\r\n--", "\r\n", "\r", "\n", "--boundary", "-", "\r\r\n-", "y"];
    let piece = prop_oneof![
        prop::sample::select(pieces.map(|piece| piece.as_bytes().to_vec()).to_vec()),
        prop::collection::vec(any::<u8>(), 0..20),
    ];
    let content = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
    content.prop_filter("no boundary", |content| {
        memchr::memmem::find(&[b"\r\n", &content[..]].concat(), b"\r\n--boundary").is_none()
    })
}

proptest! {
    #[test]
    fn every_content_arrives_as_it_was_sent(
        contents in prop::collection::vec(contents(), 0..5),
        sizes in prop::collection::vec(1usize..60, 1..20),
    ) {
        let mut body = Vec::new();
        for (index, content) in contents.iter().enumerate() {
            let head = format!("--boundary\r\nContent-Disposition: form-data; name={index}\r\n\r\n");
            body.extend([head.as_bytes(), content, b"\r\n"].concat());
        }
        body.extend(b"--boundary--\r\n");
        let mut rest = Bytes::from(body);
        let mut chunks = Vec::new();
        for size in sizes.into_iter().cycle() {
            if rest.is_empty() { break }
            chunks.push(rest.split_to(size.min(rest.len())));
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let read = runtime.block_on(async { read_parts(multipart(chunks, "boundary", FEW)).await });
        let expected = contents.iter().enumerate().map(|(index, content)| field(&index.to_string(), content));
        prop_assert_eq!(read, Ok(expected.collect()));
    }
}
