//! The size of heads and of refused bodies, and the number of connections.

use std::io::{Read, Write};

use super::*;

#[tokio::test]
async fn an_early_response_reaches_a_client_that_sends_everything_before_it_reads() {
    let server = start(ListenLimits::default()).await;
    let address = server.address;
    let upload = move || {
        let length = 20 * 1024 * 1024;
        let mut stream = std::net::TcpStream::connect(address)?;
        write!(stream, "POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n")?;
        stream.write_all(&vec![b'a'; length])?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        io::Result::Ok(answer)
    };
    let answer = tokio::task::spawn_blocking(upload).await.expect("no panic").expect("no reset");
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.ends_with("too large"), "{answer}");
}

#[tokio::test]
async fn discarding_a_body_ends_with_its_limit_or_when_the_client_is_silent() {
    let request = b"POST /refuse HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n";
    let limits = ListenLimits {
        linger_bytes: 1_000_000,
        linger_silence: millis(200),
        linger_timeout: Duration::from_secs(3600),
        ..Default::default()
    };
    let server = start(limits).await;
    let mut endless = server.connect().await;
    send(&mut endless, request).await;
    let flood = async { while endless.write_all(&[b'a'; 100_000]).await.is_ok() {} };
    timeout(PATIENCE, flood).await.expect("closed");
    let mut silent = server.connect().await;
    send(&mut silent, request).await;
    receive(&mut silent, "too large").await;
    // Once the server has closed, a byte is answered with a reset, and the next write fails. Each pause is longer than
    // the one before, in case the server is slow.
    let mut pause = millis(300);
    let is_closed = async {
        loop {
            sleep(pause).await;
            pause *= 2;
            let first = silent.write_all(b"a").await;
            sleep(millis(50)).await;
            if first.is_err() || silent.write_all(b"a").await.is_err() {
                break;
            }
        }
    };
    timeout(PATIENCE, is_closed).await.expect("closed");
}

#[tokio::test]
async fn heads_have_a_maximum_size_and_number_of_headers() {
    let limits = ListenLimits { max_header_bytes: 8192, ..Default::default() };
    let server = start(limits).await;
    let check = async |headers: String, expected: &str| {
        let mut stream = server.connect().await;
        let head = format!("GET / HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
        send(&mut stream, head.as_bytes()).await;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("no reset");
        assert!(answer.starts_with(expected), "{answer}");
    };
    check(format!("a: {}\r\n", "b".repeat(8000)), "HTTP/1.1 200 ").await;
    check(format!("a: {}\r\n", "b".repeat(500_000)), "HTTP/1.1 431 ").await;
    check("a: b\r\n".repeat(99), "HTTP/1.1 200 ").await;
    check("a: b\r\n".repeat(100), "HTTP/1.1 431 ").await;
}

#[tokio::test]
async fn a_head_has_at_most_16_kilobytes() {
    let server = start(ListenLimits::default()).await;
    let check = async |length: usize, expected: &str| {
        let mut stream = server.connect().await;
        let frame = "GET / HTTP/1.1\r\nConnection: close\r\na: \r\n\r\n".len();
        let filler = "b".repeat(length - frame);
        send(&mut stream, format!("GET / HTTP/1.1\r\nConnection: close\r\na: {filler}\r\n\r\n").as_bytes())
            .await;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("no reset");
        assert!(answer.starts_with(expected), "{length}: {answer}");
    };
    check(16 * 1024, "HTTP/1.1 200 ").await;
    check(16 * 1024 + 1, "HTTP/1.1 431 ").await;
}

#[tokio::test]
async fn connections_of_one_address_beyond_its_cap_are_refused() {
    let server = start(ListenLimits { max_connections_per_address: 2, ..Default::default() }).await;
    let mut first = server.connect().await;
    let _second = server.connect().await;
    send(&mut first, GET).await;
    receive(&mut first, "hello").await;
    let mut third = server.connect().await;
    let mut answer = String::new();
    third.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 429 ") && answer.contains("\"too many connections\""), "{answer}");
    drop(first);
    let accepted = async {
        loop {
            let mut fourth = server.connect().await;
            send(&mut fourth, GET).await;
            let mut start = [0; "HTTP/1.1 200".len()];
            // Until the server has noticed the end of the first connection, this one is refused.
            if fourth.read_exact(&mut start).await.is_ok() && &start == b"HTTP/1.1 200" {
                break;
            }
            sleep(millis(20)).await;
        }
    };
    timeout(PATIENCE, accepted).await.expect("a connection");
}

#[tokio::test]
async fn connections_of_a_trusted_proxy_are_not_counted_by_address() {
    let trusted_proxies = ["127.0.0.0/8".parse().expect("a network")].into();
    let limits = ListenLimits { max_connections_per_address: 1, trusted_proxies, ..Default::default() };
    let server = start(limits).await;
    let mut connections = [server.connect().await, server.connect().await, server.connect().await];
    for stream in &mut connections {
        send(stream, GET).await;
        receive(stream, "hello").await;
    }
}

#[tokio::test]
async fn connections_beyond_the_cap_wait() {
    let server = start(ListenLimits { max_connections: 2, ..Default::default() }).await;
    let mut first = server.connect().await;
    let _second = server.connect().await;
    send(&mut first, GET).await;
    receive(&mut first, "hello").await;
    let mut third = server.connect().await;
    send(&mut third, GET).await;
    assert!(timeout(millis(200), receive(&mut third, "hello")).await.is_err());
    drop(first);
    timeout(PATIENCE, receive(&mut third, "hello")).await.expect("accepted");
}
