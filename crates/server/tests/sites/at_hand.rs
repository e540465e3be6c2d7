//! Responses that are in memory take a shorter way through the server. Clients cannot see which way a response took.

use std::net::SocketAddr;

use testing::Database;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::release_writer::Content;
use crate::server_under_test::{Server, start};
use crate::visitor::{Answer, Ask};

testing::on_each_configuration!(
    both_ways_give_the_same_response,
    every_change_holds_at_the_next_request,
    a_connection_goes_on_with_any_request,
    requests_may_come_in_pieces_and_together,
    a_health_check_by_address_is_never_a_page,
);

fn taken_so_far() -> f64 {
    let families = prometheus::gather();
    let family = families.iter().find(|family| family.name() == "recto_site_requests_at_hand_total");
    family.map_or(0.0, |family| family.get_metric()[0].get_counter().get_value())
}

async fn connect(address: SocketAddr) -> TcpStream {
    TcpStream::connect(address).await.unwrap()
}

async fn with_pages(database: &Database) -> Server {
    let server = start(database).await;
    let long = "<p>long</p>".repeat(1000);
    let markdown = "# Long\n".repeat(200);
    let head = "<link rel=\"alternate\" type=\"text/markdown\" href=\"/a.md\">";
    server
        .release(&[
            ("/", Content::from("home")),
            ("/a", Content::from(format!("{head}{long}").as_str())),
            ("/a.md", Content::from(markdown.as_str())),
            ("/empty", Content::from("")),
            ("/with a space", Content::from("space")),
            ("/assets/site.css", Content::from(long.as_str())),
            ("/assets/fonts/a.woff2", Content::from("font")),
            ("/feed.xml", Content::from(long.as_str())),
            ("/search", Content::from("search")),
            ("/404.html", Content::from("missing")),
            ("/moved", Content::Redirect("/a".to_owned())),
        ])
        .await;
    server
}

async fn both_ways_give_the_same_response(database: &Database) {
    let server = with_pages(database).await;
    let paths = [
        "/",
        "/a",
        "/a.md",
        "/empty",
        "/with%20a%20space",
        "/assets/site.css",
        "/assets/fonts/a.woff2",
        "/feed.xml",
        "/search",
        "/search?q=home",
        "/404.html",
        "/moved",
        "/nothing",
        "/a/",
        "//a",
        "/a?query",
        "/a?",
        "/.md",
        "/%zz",
        "/favicon.ico",
        "/robots.txt",
        "/mcp",
        "/media/00112233445566778899aabbccddeeff/a.webp",
        "/healthz",
        "http://acme.localhost:8081/a",
    ];
    let headers: [&[(&str, &str)]; 18] = [
        &[],
        &[("accept-encoding", "gzip, deflate, br, zstd")],
        &[("accept-encoding", "gzip;q=0.8, zstd;q=0.1")],
        &[("accept-encoding", "gzip"), ("Accept-Encoding", "br;q=0.5")],
        &[("accept-encoding", "identity;q=0.5, *;q=0")],
        &[("accept-encoding", "br, g\u{fc}nther")],
        &[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")],
        &[("accept", "text/markdown"), ("accept-encoding", "gzip")],
        &[("accept", "text/html;q=0.5, TEXT/Markdown")],
        &[("accept", "text/html"), ("accept", "text/markdown")],
        &[("range", "bytes=1-2")],
        &[("if-none-match", "*")],
        &[("if-modified-since", "Sat, 01 Jan 2050 00:00:00 GMT")],
        &[("Connection", "Keep-Alive"), ("cookie", "a=b"), ("x-forwarded-for", "10.0.0.1")],
        &[("transfer-encoding", "chunked"), ("content-length", "0")],
        &[("host", "other.localhost")],
        &[("bad name", "x")],
        &[("content-length", "0")],
    ];
    let before = taken_so_far();
    for path in paths {
        for headers in headers {
            let ask = headers.iter().fold(Ask::get(path), |ask, (name, value)| ask.header(name, value));
            let long_way = server.ask(ask.clone()).await;
            let mut stream = connect(server.address).await;
            for number in 0..2 {
                let answer = ask.send_on(&mut stream).await;
                assert_eq!(answer, long_way, "{path} {headers:?} {number}");
                // After it the connection is closed.
                if answer.status == 400 || headers.iter().any(|(name, _)| *name == "transfer-encoding") {
                    break;
                }
            }
        }
    }
    // Of the paths with a file, without headers that decide more.
    assert!(taken_so_far() - before >= 8.0 * 8.0 * 2.0, "{}", taken_so_far() - before);
}

async fn every_change_holds_at_the_next_request(database: &Database) {
    let server = start(database).await;
    let mut last = connect(server.address).await;
    for number in 1..20 {
        let text = format!("release {number}");
        server.release(&[("/a", text.as_str())]).await;
        for _ in 0..3 {
            let answer = Ask::get("/a").send_on(&mut last).await;
            assert_eq!((answer.status_and_body(), answer.release()), ((200, text.as_str()), number));
        }
    }
    let mut connections = vec![];
    for _ in 0..5 {
        let mut stream = connect(server.address).await;
        assert_eq!(Ask::get("/a").send_on(&mut stream).await.status_and_body(), (200, "release 19"));
        connections.push(stream);
    }
    let mut next = async || Ask::get("/a").send_on(&mut connections.pop().unwrap()).await;
    server.publisher.rollback(&server.acme, None).await.unwrap();
    assert_eq!(next().await.status_and_body(), (200, "release 18"));
    server.publisher.protect(&server.acme, "open sesame").await.unwrap();
    assert_eq!(next().await.status, 401);
    server.publisher.unprotect(&server.acme).await.unwrap();
    assert_eq!(next().await.status_and_body(), (200, "release 18"));
    server.release(&[("/b", "b")]).await;
    assert_eq!(next().await.status, 404);
    server.publisher.account_suspend(server.account).await.unwrap();
    let suspended = next().await;
    assert!(suspended.status != 200 && suspended.status != 404, "{suspended:?}");
}

async fn a_connection_goes_on_with_any_request(database: &Database) {
    let server = with_pages(database).await;
    server.get("/a").await;
    let (page, missing) = (Ask::get("/a"), Ask::get("/nothing"));
    let expected = server.ask(page.clone()).await;
    let mut stream = connect(server.address).await;
    for ask in [&page, &page, &missing, &page, &page.clone().header("if-none-match", "*"), &page] {
        let answer = ask.send_on(&mut stream).await;
        match answer.status {
            200 => assert_eq!(answer, expected),
            status => assert!(status == 404 || status == 304, "{answer:?}"),
        }
    }
    let post = Ask::new("POST", "/a").body("name=value").send_on(&mut stream).await;
    assert_eq!(post.status, 405);

    // A long head is read by hyper, one that is too long is refused.
    let mut stream = connect(server.address).await;
    assert_eq!(page.send_on(&mut stream).await, expected);
    assert_eq!(page.clone().header("x-long", &"x".repeat(8000)).send_on(&mut stream).await, expected);
    let mut stream = connect(server.address).await;
    assert_eq!(page.send_on(&mut stream).await, expected);
    let refused = page.clone().header("x-long", &"x".repeat(20_000)).send(server.address).await;
    assert_eq!(refused.status, 431);

    // No request at all, and half of one.
    for part in ["", "GET /a HTTP/1.1\r\nhost: acme"] {
        let mut stream = connect(server.address).await;
        assert_eq!(page.send_on(&mut stream).await, expected);
        stream.write_all(part.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).await.unwrap();
        assert!(rest.is_empty(), "{}", String::from_utf8_lossy(&rest));
    }
}

async fn requests_may_come_in_pieces_and_together(database: &Database) {
    let server = with_pages(database).await;
    let (page, other) = (Ask::get("/a").accept("br"), Ask::get("/nothing"));
    let expected = [server.ask(page.clone()).await, server.ask(other.clone()).await];
    let mut stream = connect(server.address).await;
    for byte in page.bytes().bytes() {
        stream.write_all(&[byte]).await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(Answer::receive(&mut stream).await, expected[0]);

    // Some clients end lines with a line feed only.
    stream.write_all(page.bytes().replace('\r', "").as_bytes()).await.unwrap();
    assert_eq!(Answer::receive(&mut stream).await, expected[0]);

    let many = [&page, &page, &page, &other, &page, &other].map(Ask::bytes).concat();
    for cut in [0, 1, many.len() / 2, many.len() - 1] {
        let mut stream = connect(server.address).await;
        stream.write_all(&many.as_bytes()[..cut]).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        stream.write_all(&many.as_bytes()[cut..]).await.unwrap();
        for number in [0, 0, 0, 1, 0, 1] {
            assert_eq!(Answer::receive(&mut stream).await, expected[number], "{cut}");
        }
    }
}

async fn a_health_check_by_address_is_never_a_page(database: &Database) {
    let server = start(database).await;
    server.release(&[("/", "home"), ("/healthz", "a page")]).await;
    // An earlier version let a site have an address.
    server.publisher.domain_add(&server.acme, "www.example.com").await.unwrap();
    database.execute("INSERT INTO domains SELECT '10.0.0.1', site_id, created_at FROM domains");
    assert_eq!(server.get("/healthz").await.status_and_body(), (200, "a page"));
    let by_address = |path| Ask::get(path).host("10.0.0.1");
    assert_eq!(server.ask(by_address("/")).await.status_and_body(), (200, "home"));
    let mut stream = connect(server.address).await;
    let check = by_address("/healthz").send_on(&mut stream).await;
    assert_eq!(check.status_and_body(), (200, "{\"status\":\"ok\"}"));
}
