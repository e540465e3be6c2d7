//! Encodings.

use std::io::Read;

use testing::Database;

use crate::server_under_test::start;
use crate::visitor::{Answer, Ask};

testing::on_each_configuration!(
    a_client_gets_the_encoding_it_prefers,
    every_encoding_decompresses_to_the_page,
    small_bodies_and_images_are_not_compressed,
    concurrent_requests_share_one_compressed_form,
);

async fn a_client_gets_the_encoding_it_prefers(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "text ".repeat(1000).as_str())]).await;
    let check = async |accept: &str, encoding: Option<&str>| {
        let answer = server.ask(Ask::get("/a").accept(accept)).await;
        assert_eq!((answer.status, answer.header("content-encoding")), (200, encoding), "{accept}");
        assert_eq!(answer.header("vary"), Some("accept, accept-encoding"), "{accept}");
    };
    check("gzip, deflate, br, zstd", Some("br")).await;
    check("gzip, zstd", Some("zstd")).await;
    check("gzip", Some("gzip")).await;
    check("br;q=0.1, gzip;q=0.2", Some("gzip")).await;
    check("br;q=0, *;q=0.5", Some("zstd")).await;
    check("identity;q=0, gzip", Some("gzip")).await;
    check("identity", None).await;
    check("identity;q=0", None).await;
    check("deflate", None).await;
    assert_eq!(server.get("/a").await.header("content-encoding"), None);
}

fn unpacked(answer: &Answer) -> String {
    let (mut text, body) = (String::new(), &answer.body[..]);
    match answer.header("content-encoding").unwrap() {
        "br" => brotli::Decompressor::new(body, 4096).read_to_string(&mut text),
        "zstd" => zstd::stream::read::Decoder::new(body).unwrap().read_to_string(&mut text),
        "gzip" => flate2::read::GzDecoder::new(body).read_to_string(&mut text),
        other => panic!("{other}"),
    }
    .unwrap();
    text
}

async fn every_encoding_decompresses_to_the_page(database: &Database) {
    let server = start(database).await;
    let page: String = (0..5000).map(|number| format!("<p>Paragraph {number}</p>\n")).collect();
    let types = ["/long", "/long.md", "/feed.xml", "/feed.json", "/assets/a.css", "/robots.txt", "/a.svg"];
    server.release(&types.map(|path| (path, page.as_str()))).await;
    for path in types {
        for encoding in ["br", "zstd", "gzip"] {
            let answer = server.ask(Ask::get(path).accept(encoding)).await;
            assert!(answer.body.len() < page.len() / 3, "{path} {encoding}: {}", answer.body.len());
            assert!(unpacked(&answer) == page, "{path} {encoding}");
        }
    }
}

async fn small_bodies_and_images_are_not_compressed(database: &Database) {
    let server = start(database).await;
    server.release(&[("/small", "small ".repeat(100).as_str())]).await;
    let answer = server.ask(Ask::get("/small").accept("br")).await;
    assert_eq!((answer.header("content-encoding"), answer.header("vary")), (None, Some("accept")));
}

async fn concurrent_requests_share_one_compressed_form(database: &Database) {
    let server = start(database).await;
    let page: String = (0..20_000).map(|number| format!("<p>Paragraph {number}</p>\n")).collect();
    server.release(&[("/large", page.as_str())]).await;
    let asks = (0..20).map(|_| {
        let (ask, address) = (Ask::get("/large").accept("br"), server.address);
        tokio::spawn(async move { ask.send(address).await })
    });
    let asks: Vec<_> = asks.collect();
    let mut answers = Vec::new();
    for ask in asks {
        answers.push(ask.await.unwrap());
    }
    assert!(unpacked(&answers[0]) == page);
    assert!(answers.iter().all(|answer| *answer == answers[0]));
}
