//! While the API is busy, sites are served and signals are handled.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use rustix::process::Signal;
use serde_json::json;

use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;

/// Many more than there are threads.
const CLIENTS: usize = 200;

#[test]
fn a_site_answers_at_once_while_the_api_is_occupied() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let page = json!({ "pages": [{ "slug": "a", "title": "A" }], "build": true });
    server.publish(&account.token, &page).expect(200);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");

    let host = account.deploy_url.trim_start_matches("http://").to_owned();
    let _uploads = occupy(&server, &account);
    // Without turns they would wait for minutes.
    for _ in 0..20 {
        assert_eq!(server.visit(&host, "/blog/a").status, 200);
        assert_eq!(server.get("/healthz").status, 200);
    }
    // The second signal exits at once.
    let start = Instant::now();
    server.signal(Signal::TERM);
    server.signal(Signal::INT);
    server.wait();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
}

/// Makes the API decompress and parse two gigabytes for each of many clients: minutes of work for every thread.
fn occupy(server: &Server, account: &Account) -> Vec<TcpStream> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(&vec![b' '; 16 << 20]).unwrap();
    let body = packed.finish().unwrap().repeat(127);
    let head = format!(
        "POST /api/v1/public/pages HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n",
        account.token,
        body.len()
    );
    let begin = |_| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        // Errors are ignored: the server is busy enough.
        stream.set_nonblocking(true).unwrap();
        let _ = stream.write(&body);
        stream
    };
    (0..CLIENTS).map(begin).collect()
}
