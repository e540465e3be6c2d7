//! Content type, content encoding and content length of a body.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::Method;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE};
use serde_json::{Value, json};
use testing::Database;

use crate::answer::Answer;
use crate::app::{Options, spawn_app, spawn_app_with};
use crate::client::Client;

testing::on_each_configuration!(
    json_may_be_announced_in_several_ways,
    a_body_that_is_neither_json_nor_multipart_is_415,
    a_body_that_is_not_json_is_recognised,
    gzip_is_unpacked,
    gzip_of_several_members_is_one_body,
    corrupt_gzip_is_400,
    an_unknown_encoding_is_415,
    a_form_with_a_content_encoding_is_refused,
    a_body_up_to_the_cap_passes_and_one_byte_more_does_not,
    the_cap_holds_for_a_body_of_unknown_length,
    the_cap_is_on_the_decompressed_size,
    a_bomb_is_413,
);

const PAGE: &str = r#"{"pages":[{"slug":"a","title":"A"}]}"#;

async fn send(client: &Client, headers: &[(&str, &str)], body: impl Into<reqwest::Body>) -> Answer {
    let request = client.request(Method::POST, "/pages").body(body);
    client.send(headers.iter().fold(request, |request, (name, value)| request.header(*name, *value))).await
}

async fn send_gzip(client: &Client, body: Vec<u8>) -> Answer {
    send(client, &[("content-type", "application/json"), ("content-encoding", "gzip")], body).await
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).unwrap();
    packed.finish().unwrap()
}

async fn json_may_be_announced_in_several_ways(database: &Database) {
    let app = spawn_app(database).await;
    for content_type in [
        "application/json",
        "application/json; charset=utf-8",
        "application/json;charset=UTF-8",
        "Application/JSON",
        " application/json ",
    ] {
        let answer = send(&app.client, &[(CONTENT_TYPE.as_str(), content_type)], PAGE).await;
        assert_eq!(answer.status, 200, "{content_type:?}: {answer:?}");
    }
}

async fn a_body_that_is_neither_json_nor_multipart_is_415(database: &Database) {
    let app = spawn_app(database).await;
    send(&app.client, &[], PAGE).await.is_failure(415);
    for content_type in [
        "",
        "text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
        "application/xml",
        "application/octet-stream",
        "json",
        "application/jsonx",
        "application/json-seq",
        "*/*",
    ] {
        send(&app.client, &[(CONTENT_TYPE.as_str(), content_type)], PAGE).await.is_failure(415);
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_body_that_is_not_json_is_recognised(database: &Database) {
    let app = spawn_app(database).await;
    let json = [(CONTENT_TYPE.as_str(), "application/json")];
    let form = format!("--b\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n{PAGE}\r\n--b--\r\n");
    let refused = send(&app.client, &json, form).await;
    let expected = "the body looks like multipart/form-data, but Content-Type says application/json";
    assert!(refused.is_failure(400).starts_with(expected), "{refused:?}");
    for (body, words) in [
        (b"title=A&slug=a".to_vec(), "URL-encoded form, but Content-Type says application/json"),
        (gzip(PAGE.as_bytes()), "Content-Encoding: gzip"),
        (format!("[{PAGE}]").into(), "{\"pages\": [...]}"),
        (Value::from(PAGE).to_string().into(), "encoded twice"),
    ] {
        let answer = send(&app.client, &json, body).await;
        assert!(answer.is_failure(400).contains(words), "{answer:?}");
    }
    // In a form, the content type is right.
    let form = "--b\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\ntitle=A\r\n--b--\r\n";
    let answer = send(&app.client, &[(CONTENT_TYPE.as_str(), "multipart/form-data; boundary=b")], form).await;
    assert!(answer.is_failure(400).starts_with("the body must be one JSON object"), "{answer:?}");
    let answer = send(&app.client, &[(CONTENT_TYPE.as_str(), "multipart/form-data; boundary=b")], PAGE).await;
    assert!(answer.is_failure(400).contains("application/json"), "{answer:?}");
}

async fn gzip_is_unpacked(database: &Database) {
    let app = spawn_app(database).await;
    assert_eq!(send_gzip(&app.client, gzip(PAGE.as_bytes())).await.body["pages"][0]["slug"], "a");
    for encoding in ["GZIP", " gzip "] {
        let headers = [(CONTENT_TYPE.as_str(), "application/json"), (CONTENT_ENCODING.as_str(), encoding)];
        assert_eq!(send(&app.client, &headers, gzip(PAGE.as_bytes())).await.status, 200);
    }
    let headers = [(CONTENT_TYPE.as_str(), "application/json"), (CONTENT_ENCODING.as_str(), "identity")];
    assert_eq!(send(&app.client, &headers, PAGE).await.status, 200);
    // Errors inside are reported as usual.
    send_gzip(&app.client, gzip(b"{")).await.is_failure(400);
    send_gzip(&app.client, gzip(b"{}")).await.is_invalid(json!({"0": {"title": "…"}}));
    let pages: Vec<Value> =
        (0..500).map(|n| json!({"slug": format!("p{n}"), "title": "é🦀".repeat(90)})).collect();
    let many = gzip(json!({"pages": pages}).to_string().as_bytes());
    assert_eq!(send_gzip(&app.client, many).await.body["pages"].as_array().unwrap().len(), 500);
}

async fn gzip_of_several_members_is_one_body(database: &Database) {
    let app = spawn_app(database).await;
    for cut in [0, 1, 20, PAGE.len() - 1, PAGE.len()] {
        let (start, end) = PAGE.as_bytes().split_at(cut);
        assert_eq!(send_gzip(&app.client, [gzip(start), gzip(end)].concat()).await.status, 200, "{cut}");
    }
    let twice = [gzip(PAGE.as_bytes()), gzip(PAGE.as_bytes())].concat();
    send_gzip(&app.client, twice).await.is_failure(400);
}

async fn corrupt_gzip_is_400(database: &Database) {
    let app = spawn_app(database).await;
    let whole = gzip(PAGE.as_bytes());
    let changed = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        bytes
    };
    let mut wrong = vec![
        PAGE.as_bytes().to_vec(),
        b"not gzip at all".to_vec(),
        [whole.as_slice(), b"garbage"].concat(),
        changed(0),
        changed(whole.len() / 2),
        changed(whole.len() - 8),
        changed(whole.len() - 1),
    ];
    wrong.extend((1..whole.len()).step_by(7).map(|end| whole[..end].to_vec()));
    for body in wrong {
        send_gzip(&app.client, body).await.is_failure(400);
    }
    send_gzip(&app.client, Vec::new()).await.is_failure(400);
    assert_eq!(app.client.list().await, json!([]));
}

async fn an_unknown_encoding_is_415(database: &Database) {
    let app = spawn_app(database).await;
    for encoding in ["br", "deflate", "zstd", "compress", "gzip, gzip", "gzip, br", "x", "utf-8"] {
        let headers = [(CONTENT_TYPE.as_str(), "application/json"), (CONTENT_ENCODING.as_str(), encoding)];
        send(&app.client, &headers, PAGE).await.is_failure(415);
    }
}

async fn a_form_with_a_content_encoding_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    let form = format!("--b\r\nContent-Disposition: form-data; name=\"payload\"\r\n\r\n{PAGE}\r\n--b--\r\n");
    let post = async |path: &str, encoding: &str, body: Vec<u8>| {
        let request = app.client.request(Method::POST, path);
        let request = request.header(CONTENT_TYPE, "multipart/form-data; boundary=b");
        app.client.send(request.header(CONTENT_ENCODING, encoding).body(body)).await
    };
    for path in ["/pages", "/media"] {
        for (encoding, body) in [("gzip", gzip(form.as_bytes())), ("br", form.clone().into())] {
            assert!(post(path, encoding, body).await.is_failure(415).contains("without a content encoding"));
        }
    }
    assert_eq!(app.client.list().await, json!([]));
    assert_eq!(post("/pages", "identity", form.into()).await.status, 200);
}

const CAP: usize = 100_000;

fn small() -> Options {
    Options { max_body: CAP as u64, ..Options::default() }
}

/// A valid body with this many bytes.
fn of_size(bytes: usize) -> String {
    format!("{PAGE}{}", " ".repeat(bytes - PAGE.len()))
}

async fn a_body_up_to_the_cap_passes_and_one_byte_more_does_not(database: &Database) {
    let app = spawn_app_with(database, small()).await;
    app.client.post_text("/pages", of_size(CAP + 1)).await.is_failure(413);
    assert_eq!(app.client.list().await, json!([]));
    assert_eq!(app.client.post_text("/pages", of_size(CAP)).await.status, 200);
}

async fn the_cap_holds_for_a_body_of_unknown_length(database: &Database) {
    let app = spawn_app_with(database, small()).await;
    for (size, status) in [(CAP + 1, 413), (20 * CAP, 413), (CAP, 200)] {
        let pieces: Vec<Result<Vec<u8>, std::io::Error>> =
            of_size(size).into_bytes().chunks(8192).map(|piece| Ok(piece.to_vec())).collect();
        let body = reqwest::Body::wrap_stream(futures_util::stream::iter(pieces));
        let answer = app.client.post_text("/pages", body).await;
        assert_eq!(answer.status, status, "{size}: {answer:?}");
        if status == 413 {
            answer.is_failure(413);
        }
    }
}

async fn the_cap_is_on_the_decompressed_size(database: &Database) {
    let app = spawn_app_with(database, small()).await;
    send_gzip(&app.client, gzip(of_size(CAP + 1).as_bytes())).await.is_failure(413);
    assert_eq!(send_gzip(&app.client, gzip(of_size(CAP).as_bytes())).await.status, 200);
}

async fn a_bomb_is_413(database: &Database) {
    let app = spawn_app_with(database, small()).await;
    let bomb = gzip(&vec![b' '; 10 << 20]);
    assert!(bomb.len() < CAP);
    send_gzip(&app.client, bomb).await.is_failure(413);
    let member = gzip(&vec![b' '; CAP / 2]);
    send_gzip(&app.client, member.repeat(3)).await.is_failure(413);
    let mut page = r#"{"pages":[{"slug":"a","title":"A","content":""#.as_bytes().to_vec();
    page.resize(5 << 20, b'a');
    send_gzip(&app.client, gzip(&page)).await.is_failure(413);
    assert_eq!(app.client.list().await, json!([]));
}
