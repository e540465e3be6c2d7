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
    /// Every third request is answered with 403, after which a client does not try again.
    Denied = 5,
}

const FAULTS: [Fault; 6] =
    [Fault::None, Fault::EveryThird, Fault::Slow, Fault::WrongByte, Fault::Gone, Fault::Denied];
const DELAY: Duration = Duration::from_millis(700);

/// For HTTP: one request a connection.
pub struct HttpProxy {
    address: SocketAddr,
    state: Arc<State>,
}

#[derive(Default)]
struct State {
    engine: String,
    fault: AtomicU8,
    requests: AtomicUsize,
    writes: AtomicUsize,
    most_writes: AtomicUsize,
}

impl HttpProxy {
    /// `engine`: `http://127.0.0.1:4321`.
    pub fn start(engine: &str) -> HttpProxy {
        let engine = engine.strip_prefix("http://").unwrap().to_owned();
        let state = Arc::new(State { engine, ..State::default() });
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

    /// The most `PUT` requests that were being answered at the same time.
    pub fn most_writes(&self) -> usize {
        self.state.most_writes.load(Ordering::SeqCst)
    }
}

impl State {
    /// A connection that breaks is the client's problem, as it is with a real network.
    fn serve(&self, mut client: TcpStream) -> Option<()> {
        let head = read_head(&mut client)?;
        if !head.starts_with("PUT ") {
            return self.answer(client, &head);
        }
        let writes = self.writes.fetch_add(1, Ordering::SeqCst) + 1;
        self.most_writes.fetch_max(writes, Ordering::SeqCst);
        let answered = self.answer(client, &head);
        self.writes.fetch_sub(1, Ordering::SeqCst);
        answered
    }

    fn answer(&self, mut client: TcpStream, head: &str) -> Option<()> {
        let number = self.requests.fetch_add(1, Ordering::SeqCst);
        let fault = FAULTS[usize::from(self.fault.load(Ordering::SeqCst))];
        match fault {
            Fault::Gone => return None,
            Fault::EveryThird if number % 3 == 2 => return refuse(&mut client, head, "503 Slow Down"),
            Fault::Denied if number % 3 == 2 => return refuse(&mut client, head, "403 Forbidden"),
            Fault::Slow => std::thread::sleep(DELAY),
            _ => {}
        }
        let mut engine = TcpStream::connect(&self.engine).ok()?;
        engine.write_all(close_after(head).as_bytes()).ok()?;
        let body = Read::by_ref(&mut client).take(content_length(head));
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

fn refuse(client: &mut TcpStream, head: &str, status: &str) -> Option<()> {
    let _ = std::io::copy(&mut Read::by_ref(client).take(content_length(head)), &mut std::io::sink());
    let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
    client.write_all(answer.as_bytes()).ok()
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
