//! A running server, and requests to it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use reqwest::Method;
use reqwest::blocking::{Body, Client, Response};
use reqwest::header::HeaderMap;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::process::{Ended, Process, wait_until};

pub struct Server {
    process: Process,
    pub base: String,
    client: Client,
    /// Does not follow redirects.
    visitor: Client,
}

pub struct Answer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: String,
    complete: bool,
}

impl Server {
    /// Waits until the server is ready.
    pub fn start(command: Command) -> Server {
        let mut process = Process::start(command);
        let base = wait_for_address(&mut process);
        let client = || Client::builder().no_proxy().timeout(Duration::from_secs(900));
        let visitor = client().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let server = Server { process, base, client: client().build().unwrap(), visitor };
        wait_until("the server is ready", || server.get("/readyz").status == 200);
        server
    }

    /// Its output so far.
    pub fn stdout(&self) -> String {
        self.process.stdout()
    }

    /// Its log so far.
    pub fn stderr(&self) -> String {
        self.process.stderr()
    }

    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }

    pub fn wait(self) -> Ended {
        self.process.wait()
    }

    /// Stops it gracefully and returns its log.
    pub fn stop(self) -> String {
        self.signal(Signal::TERM);
        let ended = self.wait();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.stderr
    }

    pub fn get(&self, path: &str) -> Answer {
        let answer = self.client.get(format!("{}{path}", self.base)).send().unwrap();
        Answer::read(answer)
    }

    /// A call of the public API.
    pub fn call(&self, method: Method, path: &str, token: &str, body: Option<&Value>) -> Answer {
        let mut request = self.client.request(method, self.api(path)).bearer_auth(token);
        if let Some(body) = body {
            request = request.json(body);
        }
        Answer::read(request.send().unwrap())
    }

    /// A visitor's request for a page of a site.
    pub fn visit(&self, host: &str, path: &str) -> Answer {
        Answer::read(self.visitor(Method::GET, host, path).send().unwrap())
    }

    /// A visitor's request, to be completed by the caller.
    pub fn visitor(&self, method: Method, host: &str, path: &str) -> reqwest::blocking::RequestBuilder {
        self.visitor.request(method, format!("http://{}{path}", self.sites())).header("host", host)
    }

    /// Where sites are served: `127.0.0.1:4321`.
    pub fn sites(&self) -> String {
        let stdout = self.stdout();
        let (_, sites) =
            stdout.rsplit_once("sites on http://").unwrap_or_else(|| panic!("no address of sites: {stdout}"));
        sites.split_whitespace().next().unwrap().to_owned()
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The number of open sockets, including listening ones.
    pub fn connections(&self) -> usize {
        let files = std::fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap();
        let is_socket = |path: std::io::Result<std::path::PathBuf>| {
            path.is_ok_and(|path| path.to_string_lossy().starts_with("socket:"))
        };
        files.filter(|file| is_socket(std::fs::read_link(file.as_ref().unwrap().path()))).count()
    }

    /// Waits until the newest build of the account's first site has ended, and returns it.
    pub fn wait_for_build(&self, token: &str) -> Value {
        let mut build = Value::Null;
        wait_until("the build is over", || {
            build = self.call(Method::GET, "/builds/latest", token, None).expect(200);
            !build["completedAt"].is_null()
        });
        build
    }

    pub fn publish(&self, token: &str, body: &Value) -> Answer {
        self.call(Method::POST, "/pages", token, Some(body))
    }

    /// Publishes a body from a reader; an error is one of the connection.
    pub fn upload(&self, token: &str, body: impl Read + Send + 'static) -> reqwest::Result<Answer> {
        self.post("/pages", token, "application/json", Body::new(body))
    }

    /// Sends a body of any type; an error is one of the connection.
    pub fn post(
        &self,
        path: &str,
        token: &str,
        content_type: &str,
        body: impl Into<Body>,
    ) -> reqwest::Result<Answer> {
        let request = self.client.post(self.api(path)).bearer_auth(token);
        request.header("content-type", content_type).body(body).send().map(Answer::read)
    }

    /// Sends the head of a `POST /pages`; the caller sends the body.
    pub fn begin_upload(&self, token: &str, length: usize) -> TcpStream {
        self.begin_post("/pages", token, "application/json", length)
    }

    /// Sends the head of a request; the caller sends the body.
    pub fn begin_post(&self, path: &str, token: &str, content_type: &str, length: usize) -> TcpStream {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(300))).unwrap();
        let head = format!(
            "POST /api/v1/public{path} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {token}\r\n\
             content-type: {content_type}\r\ncontent-length: {length}\r\nexpect: 100-continue\r\n\r\n",
            self.address()
        );
        stream.write_all(head.as_bytes()).unwrap();
        // The request is accepted when the server asks for the body.
        let mut go_on = [0; "HTTP/1.1 100 Continue\r\n\r\n".len()];
        stream.read_exact(&mut go_on).unwrap();
        assert!(go_on.starts_with(b"HTTP/1.1 100"), "{}", String::from_utf8_lossy(&go_on));
        stream
    }

    pub fn address(&self) -> &str {
        self.base.strip_prefix("http://").unwrap()
    }

    pub fn list(&self, token: &str) -> Answer {
        self.call(Method::GET, "/pages", token, None)
    }

    pub fn build(&self, token: &str) -> Answer {
        self.call(Method::POST, "/builds", token, None)
    }

    fn api(&self, path: &str) -> String {
        format!("{}/api/v1/public{path}", self.base)
    }

    /// Ids and names of its child processes, recursively.
    pub fn children(&self) -> Vec<(u32, String)> {
        let mut found = vec![(self.process.id(), String::new())];
        let mut next = 0;
        while next < found.len() {
            let id = found[next].0;
            next += 1;
            for task in std::fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten().flatten() {
                let ids = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
                found.extend(ids.split_whitespace().map(|id| {
                    let name = std::fs::read_to_string(format!("/proc/{id}/comm")).unwrap_or_default();
                    (id.parse().unwrap(), name.trim().to_owned())
                }));
            }
        }
        found.split_off(1)
    }

    /// A line of `/proc/<pid>/status`, in bytes.
    pub fn memory(&self, key: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with(key)).unwrap();
        let kilobytes: u64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
        kilobytes << 10
    }
}

impl Answer {
    pub fn read(response: Response) -> Answer {
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.text();
        Answer { status, headers, complete: body.is_ok(), body: body.unwrap_or_default() }
    }

    /// Whether the body was received completely.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body)
            .unwrap_or_else(|_| panic!("{} {:?} is not JSON", self.status, self.body))
    }

    /// The JSON of a response that must have this status.
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.body);
        self.json()
    }

    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).unwrap_or_else(|| panic!("no {name}")).to_str().unwrap()
    }

    /// The slugs of a listing, sorted.
    pub fn slugs(&self) -> Vec<String> {
        let pages = self.expect(200)["pages"].as_array().unwrap().clone();
        let mut slugs: Vec<String> = pages.iter().map(|page| page["slug"].as_str().unwrap().into()).collect();
        slugs.sort();
        slugs
    }
}

fn wait_for_address(process: &mut Process) -> String {
    let mut base = None;
    wait_until("the server prints its address", || {
        base = address_in(&process.stdout()).or_else(|| address_in(&process.stderr()));
        assert!(process.is_running(), "the server ended: {}", process.stderr());
        base.is_some()
    });
    base.unwrap()
}

/// `http://127.0.0.1:4321`, from any line.
fn address_in(text: &str) -> Option<String> {
    let start = "http://127.0.0.1:";
    let rest = &text[text.find(start)? + start.len()..];
    let digits = rest.find(|character: char| !character.is_ascii_digit())?;
    Some(format!("{start}{}", &rest[..digits]))
}

/// Below those that the system gives to outgoing connections: none of them takes a port before its listener does.
const FIRST_PORT: u32 = 12_000;
const PORTS: u32 = 20_000;

/// A free port, for listeners that do not print theirs.
pub fn free_port() -> u16 {
    static TAKEN: AtomicU32 = AtomicU32::new(0);
    loop {
        // Processes that run at the same time begin at different ports.
        let number = std::process::id().wrapping_mul(97).wrapping_add(TAKEN.fetch_add(1, Ordering::Relaxed));
        let port = (FIRST_PORT + number % PORTS) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// The smallest body that publishes a page.
pub fn page(slug: &str) -> Value {
    json!({ "pages": [{ "slug": slug, "title": format!("Title of {slug}") }] })
}
