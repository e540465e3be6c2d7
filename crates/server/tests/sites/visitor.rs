//! A raw client: other clients normalise URLs, decompress bodies and follow redirects.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A request, by default to Acme's site.
#[derive(Debug, Clone)]
pub struct Ask {
    method: String,
    target: String,
    host: Option<String>,
    headers: Vec<(String, String)>,
    body: String,
}

impl Ask {
    pub fn new(method: &str, target: &str) -> Ask {
        Ask {
            method: method.into(),
            target: target.into(),
            host: Some("acme.localhost:8081".into()),
            headers: Vec::new(),
            body: String::new(),
        }
    }

    pub fn get(target: &str) -> Ask {
        Ask::new("GET", target)
    }

    pub fn head(target: &str) -> Ask {
        Ask::new("HEAD", target)
    }

    /// The form of a protected site.
    pub fn password(target: &str, password: &str) -> Ask {
        let form = Ask::new("POST", target).header("content-type", "application/x-www-form-urlencoded");
        form.body(&format!("password={password}"))
    }

    pub fn host(self, host: &str) -> Ask {
        Ask { host: Some(host.into()), ..self }
    }

    pub fn without_host(self) -> Ask {
        Ask { host: None, ..self }
    }

    pub fn header(mut self, name: &str, value: &str) -> Ask {
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn accept(self, encodings: &str) -> Ask {
        self.header("accept-encoding", encodings)
    }

    pub fn body(self, body: &str) -> Ask {
        Ask { body: body.into(), ..self }
    }

    pub async fn send(&self, address: SocketAddr) -> Answer {
        let mut stream = TcpStream::connect(address).await.unwrap();
        let closing = self.clone().header("connection", "close");
        stream.write_all(closing.bytes().as_bytes()).await.unwrap();
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).await.unwrap();
        Answer::read(&bytes)
    }

    /// As browsers do: the connection stays open. Not for HEAD.
    pub async fn send_on(&self, stream: &mut TcpStream) -> Answer {
        stream.write_all(self.bytes().as_bytes()).await.unwrap();
        Answer::receive(stream).await
    }

    pub fn bytes(&self) -> String {
        let mut text = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        let host = self.host.iter().map(|host| ("host", host.as_str()));
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in host.chain(headers) {
            text += &format!("{name}: {value}\r\n");
        }
        if !self.body.is_empty() {
            text += &format!("content-length: {}\r\n", self.body.len());
        }
        text + "\r\n" + &self.body
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    pub status: u16,
    /// In lower case, without headers of the connection itself.
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Answer {
    fn read(bytes: &[u8]) -> Answer {
        let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").expect("the end of the head");
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let mut headers = BTreeMap::new();
        for line in lines {
            let (name, value) = line.split_once(": ").unwrap();
            let former = headers.insert(name.to_lowercase(), value.to_owned());
            assert_eq!(former, None, "{name} is there twice: {head}");
        }
        assert!(headers.remove("date").is_some(), "{head}");
        headers.remove("connection");
        Answer { status, headers, body: bytes[end + 4..].to_vec() }
    }

    /// The next one of a connection.
    pub async fn receive(stream: &mut TcpStream) -> Answer {
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"\r\n\r\n") {
            bytes.push(stream.read_u8().await.unwrap());
        }
        let mut answer = Answer::read(&bytes);
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        answer.body = vec![0; length];
        stream.read_exact(&mut answer.body).await.unwrap();
        answer
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(String::as_str)
    }

    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub fn release(&self) -> i64 {
        self.header("x-recto-release").expect("every answer of a site has it").parse().unwrap()
    }

    /// Status and body.
    pub fn status_and_body(&self) -> (u16, &str) {
        (self.status, self.text())
    }

    pub fn location(&self) -> (u16, &str) {
        (self.status, self.header("location").unwrap_or_default())
    }
}
