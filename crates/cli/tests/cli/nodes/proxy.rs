//! A proxy between a server and one of its engines, which fails on request.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;

/// What happens to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Fault {
    None = 0,
    /// Every third request is answered with 503, the others by the engine.
    EveryThird = 1,
    /// Each answer comes late.
    Slow = 2,
    /// The last byte of each answer is another one.
    WrongByte = 3,
    /// No connection is served.
    Gone = 4,
}

const FAULTS: [Fault; 5] = [Fault::None, Fault::EveryThird, Fault::Slow, Fault::WrongByte, Fault::Gone];
const DELAY: Duration = Duration::from_millis(700);

/// For HTTP: one request a connection.
pub struct HttpProxy {
    address: SocketAddr,
    state: Arc<State>,
}

struct State {
    engine: String,
    fault: AtomicU8,
    requests: AtomicUsize,
}

impl HttpProxy {
    /// `engine`: `http://127.0.0.1:4321`.
    pub fn start(engine: &str) -> HttpProxy {
        let engine = engine.strip_prefix("http://").unwrap().to_owned();
        let state = Arc::new(State { engine, fault: AtomicU8::new(0), requests: AtomicUsize::new(0) });
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = HttpProxy { address: listener.local_addr().unwrap(), state: state.clone() };
        // It ends with the tests.
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let state = state.clone();
                std::thread::spawn(move || state.serve(client));
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn set(&self, fault: Fault) {
        self.state.fault.store(fault as u8, Ordering::SeqCst);
    }

    pub fn requests(&self) -> usize {
        self.state.requests.load(Ordering::SeqCst)
    }
}

impl State {
    /// A connection that breaks is the client's problem, as it is with a real network.
    fn serve(&self, mut client: TcpStream) -> Option<()> {
        let head = read_head(&mut client)?;
        let number = self.requests.fetch_add(1, Ordering::SeqCst);
        let fault = FAULTS[usize::from(self.fault.load(Ordering::SeqCst))];
        match fault {
            Fault::Gone => return None,
            Fault::EveryThird if number % 3 == 2 => {
                drain(&mut client, content_length(&head));
                let answer = b"HTTP/1.1 503 Slow Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                return client.write_all(answer).ok();
            }
            Fault::Slow => std::thread::sleep(DELAY),
            _ => {}
        }
        let mut engine = TcpStream::connect(&self.engine).ok()?;
        engine.write_all(close_after(&head).as_bytes()).ok()?;
        let body = Read::by_ref(&mut client).take(content_length(&head));
        std::io::copy(&mut { body }, &mut engine).ok()?;
        let mut answer = Vec::new();
        engine.read_to_end(&mut answer).ok()?;
        if fault == Fault::WrongByte && head.starts_with("GET ") {
            *answer.last_mut()? ^= 1;
        }
        client.write_all(&answer).ok()
    }
}

fn read_head(client: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        client.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    String::from_utf8(head).ok()
}

fn drain(client: &mut TcpStream, length: u64) {
    let _ = std::io::copy(&mut client.take(length), &mut std::io::sink());
}

fn content_length(head: &str) -> u64 {
    let value = |line: &str| line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok();
    head.lines().find_map(value).unwrap_or(0)
}

/// The same request, which asks for the connection to be closed. That header is never signed.
fn close_after(head: &str) -> String {
    let lines = head.trim_end().lines().filter(|line| !line.to_ascii_lowercase().starts_with("connection:"));
    let lines: Vec<&str> = lines.collect();
    format!("{}\r\nconnection: close\r\n\r\n", lines.join("\r\n"))
}
