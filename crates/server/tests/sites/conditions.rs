//! Entity tags, conditional requests and ranges.

use testing::Database;

use crate::server_under_test::{Server, start};
use crate::visitor::Ask;

testing::on_each_configuration!(
    every_form_has_its_own_strong_tag,
    a_known_body_is_not_sent_again,
    a_new_release_of_the_same_page_is_still_known,
    ranges_are_of_the_plain_form,
    a_range_of_another_version_is_the_whole_file,
);

async fn with_page(database: &Database) -> Server {
    let server = start(database).await;
    server.release(&[("/a", "0123456789".repeat(200).as_str())]).await;
    server
}

async fn tag(server: &Server, encoding: &str) -> String {
    let answer = server.ask(Ask::get("/a").accept(encoding)).await;
    answer.header("etag").unwrap().to_owned()
}

async fn every_form_has_its_own_strong_tag(database: &Database) {
    let server = with_page(database).await;
    let plain = tag(&server, "identity").await;
    assert!(plain.starts_with('"') && plain.len() == 34, "{plain}");
    for encoding in ["br", "zstd", "gzip"] {
        let expected = format!("{}-{encoding}\"", plain.trim_end_matches('"'));
        assert_eq!(tag(&server, encoding).await, expected);
    }
    server.release(&[("/a", "another text")]).await;
    assert_ne!(tag(&server, "identity").await, plain);
}

async fn a_known_body_is_not_sent_again(database: &Database) {
    let server = with_page(database).await;
    for encoding in ["identity", "br"] {
        let whole = server.ask(Ask::get("/a").accept(encoding)).await;
        let tag = whole.header("etag").unwrap();
        for known in [tag, &format!("W/{tag}"), "*", &format!("\"x\", {tag}")] {
            for ask in [Ask::get("/a"), Ask::head("/a")] {
                let answer = server.ask(ask.accept(encoding).header("if-none-match", known)).await;
                assert_eq!((answer.status, answer.body.len()), (304, 0), "{known}");
                let mut expected = whole.headers.clone();
                expected.remove("content-length");
                assert_eq!(answer.headers, expected, "{known}");
            }
        }
        for other in ["\"x\"", "", "x"] {
            let answer = server.ask(Ask::get("/a").accept(encoding).header("if-none-match", other)).await;
            assert_eq!(answer, whole, "{other}");
        }
    }
    let br = tag(&server, "br").await;
    let answer = server.ask(Ask::get("/a").accept("gzip").header("if-none-match", &br)).await;
    assert_eq!((answer.status, answer.header("content-encoding")), (200, Some("gzip")));
}

async fn a_new_release_of_the_same_page_is_still_known(database: &Database) {
    let server = with_page(database).await;
    let first = server.ask(Ask::get("/a").accept("br")).await;
    let text = server.get("/a").await.text().to_owned();
    server.release(&[("/a", text.as_str()), ("/b", "b")]).await;
    let ask = Ask::get("/a").accept("br").header("if-none-match", first.header("etag").unwrap());
    let answer = server.ask(ask).await;
    assert_eq!((answer.status, answer.release()), (304, 2));
    let again = server.ask(Ask::get("/a").accept("br")).await;
    assert_eq!((again.release(), again.body), (2, first.body));
}

async fn ranges_are_of_the_plain_form(database: &Database) {
    let server = with_page(database).await;
    let ask = async |range: &str| server.ask(Ask::get("/a").accept("br").header("range", range)).await;
    let check = async |range: &str, content_range: &str, body: &str| {
        let answer = ask(range).await;
        assert_eq!(answer.status_and_body(), (206, body), "{range}");
        assert_eq!(answer.header("content-range"), Some(content_range), "{range}");
        assert_eq!(answer.header("content-length"), Some(body.len().to_string().as_str()), "{range}");
        assert_eq!(answer.header("content-encoding"), None);
        assert_eq!(answer.header("etag"), Some(tag(&server, "identity").await.as_str()));
    };
    check("bytes=0-0", "bytes 0-0/2000", "0").await;
    check("bytes=5-14", "bytes 5-14/2000", "5678901234").await;
    check("bytes=1995-", "bytes 1995-1999/2000", "56789").await;
    check("bytes=-3", "bytes 1997-1999/2000", "789").await;
    check("bytes=1999-99999", "bytes 1999-1999/2000", "9").await;
    let outside = ask("bytes=2000-").await;
    assert_eq!((outside.status, outside.header("content-range")), (416, Some("bytes */2000")));
    assert_eq!((outside.body.len(), outside.release()), (0, 1));
    for range in ["bytes=0-1,5-6", "bytes=x", "lines=1-2"] {
        let answer = ask(range).await;
        assert_eq!((answer.status, answer.header("content-encoding")), (200, Some("br")), "{range}");
    }
    let head = server.ask(Ask::head("/a").header("range", "bytes=0-0")).await;
    assert_eq!((head.status, head.header("content-length")), (200, Some("2000")));
    assert_eq!(head.header("accept-ranges"), Some("bytes"));
}

async fn a_range_of_another_version_is_the_whole_file(database: &Database) {
    let server = with_page(database).await;
    let tag = tag(&server, "identity").await;
    let ask = Ask::get("/a").header("range", "bytes=0-1");
    let same = server.ask(ask.clone().header("if-range", &tag)).await;
    assert_eq!(same.status_and_body(), (206, "01"));
    for other in ["\"other\"", &format!("W/{tag}"), "Wed, 21 Oct 2015 07:28:00 GMT"] {
        let answer = server.ask(ask.clone().header("if-range", other)).await;
        assert_eq!((answer.status, answer.body.len()), (200, 2000), "{other}");
    }
}
