//! Damaged real bodies: each is refused or read, with the same result for every split into chunks.

use std::cell::Cell;

use testing::damage::{damage, damaged};

use super::*;

const BOUNDARY: &str = "----WebKitFormBoundarymfKxXp3NJcoLlZdL";

/// The body for these parts: the rest of each head, and the content.
fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (head, content) in parts {
        body.extend(format!("--{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n").bytes());
        body.extend([content, &b"\r\n"[..]].concat());
    }
    body.extend(format!("--{BOUNDARY}--\r\n").bytes());
    body
}

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\
    \0\0\0\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\xab\xce6\x89\0\0\0\0IEND\xaeB`\x82";

fn browser() -> Vec<u8> {
    form(&[
        ("name=\"note\"", "two\r\nlines – and more".as_bytes()),
        ("name=\"file\"; filename=\"Füße %22x%22.png\"\r\nContent-Type: image/png", PNG),
        ("name=\"other\"; filename=\"\"\r\nContent-Type: application/octet-stream", b""),
    ])
}

fn program() -> Vec<u8> {
    let pages = r#"{"pages": [{"title": "A", "content": "![](file:a.png)\r\n--"}]}"#;
    let nearly = [b"\r\n--", &BOUNDARY.as_bytes()[..30]].concat();
    form(&[
        ("name=payload", pages.as_bytes()),
        (
            "name=\"files\"; filename=\"a.png\"; filename*=UTF-8''%e2%82%AC.png\r\nContent-Type: image/png",
            PNG,
        ),
        ("name=\"files\"; filename=\"b.bin\"", &nearly.repeat(5)),
    ])
}

/// Splits the body into chunks of these sizes, repeatedly.
fn read_cut(body: &[u8], sizes: &[usize]) -> Result<Parts, MultipartError> {
    let (mut rest, mut chunks) = (Bytes::copy_from_slice(body), Vec::new());
    for size in sizes.iter().cycle() {
        if rest.is_empty() {
            break;
        }
        chunks.push(rest.split_to((*size).min(rest.len())));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(async { read_parts(multipart(chunks, BOUNDARY, FEW)).await })
}

/// Each content is in the body between the end of a head and a delimiter, in order.
fn stand_in(parts: &Parts, body: &[u8]) -> bool {
    let (delimiter, mut rest) = (format!("\r\n--{BOUNDARY}"), body);
    parts.iter().all(|(_, content)| {
        let framed = [b"\r\n\r\n", &content[..], delimiter.as_bytes()].concat();
        let found = memchr::memmem::find(rest, &framed);
        // The line break of an empty head may end the delimiter's line.
        rest = &rest[found.map_or(rest.len(), |at| at + 4 + content.len())..];
        found.is_some() && memchr::memmem::find(content, delimiter.as_bytes()).is_none()
    })
}

#[test]
fn a_damaged_body_is_refused_or_read_the_same_however_it_is_cut() {
    let (read, refused) = (Cell::new(0), Cell::new(0));
    for files in [[browser(), program()], [program(), browser()]] {
        let files = [&files[0][..], &files[1][..]];
        assert!(read_cut(files[0], &[usize::MAX]).is_ok_and(|parts| parts.len() == 3));
        let sizes = prop::collection::vec(1usize..100, 1..20);
        proptest!(ProptestConfig::with_cases(1500), |(damage in damage(), sizes in sizes)| {
            let body = damaged(&files, &damage);
            let whole = read_cut(&body, &[usize::MAX]);
            prop_assert_eq!(&read_cut(&body, &sizes), &whole);
            match whole {
                Ok(parts) => {
                    prop_assert!(parts.len() <= FEW.fields + FEW.files && stand_in(&parts, &body), "{:?}", parts);
                    read.set(read.get() + 1);
                }
                Err(_) => refused.set(refused.get() + 1),
            }
        });
    }
    assert!(read.get() > 50 && refused.get() > 50, "{} read, {} refused", read.get(), refused.get());
}
