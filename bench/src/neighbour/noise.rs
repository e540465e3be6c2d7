//! What one account can do to a server, within the limits that hold for it: as many requests at once as it likes.

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;
use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::recto::Recto;

#[derive(Clone, Copy)]
pub enum Noise {
    /// Texts whose references are looked for, and that are as hard to read as can be.
    Parsing,
    /// As much text as a request may hold, packed into little.
    Texts,
    /// Pictures of a hundred megapixels.
    Pictures,
    /// Builds of thousands of pages, one after the other.
    Builds,
}

/// Requests that run at the same time.
const AT_ONCE: usize = 8;

impl Noise {
    pub const ALL: [Noise; 4] = [Noise::Parsing, Noise::Texts, Noise::Pictures, Noise::Builds];

    pub fn name(self) -> &'static str {
        match self {
            Noise::Parsing => "hostile Markdown",
            Noise::Texts => "500 MB of text a request",
            Noise::Pictures => "100-megapixel pictures",
            Noise::Builds => "builds of 5000 pages",
        }
    }

    pub async fn start(self, recto: &Arc<Recto>) -> Result<Running> {
        let (stop, done) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let request = Arc::new(self.request()?);
        let at_once = if let Noise::Builds = self { 1 } else { AT_ONCE };
        let tasks = (0..at_once)
            .map(|_| tokio::spawn(repeat(recto.clone(), request.clone(), stop.clone(), done.clone())))
            .collect();
        // Until it is at its worst.
        tokio::time::sleep(Duration::from_secs(3)).await;
        Ok(Running { stop, done, tasks })
    }

    fn request(self) -> Result<Request> {
        match self {
            Noise::Parsing => {
                let text = format!("![](file:a.png)\n\n{}", "a\n: b\n\n".repeat(12_000));
                let page = |n| json!({ "title": format!("Page {n}"), "content": text });
                Request::json(json!({ "pages": (0..160).map(page).collect::<Vec<Value>>() }))
            }
            Noise::Texts => {
                let text = "x".repeat(100_000);
                let page = |n| json!({ "title": format!("Page {n}"), "content": text });
                Request::json(json!({ "pages": (0..5000).map(page).collect::<Vec<Value>>() }))
            }
            Noise::Builds => {
                let page = |n| json!({ "title": format!("Page {n}"), "content": "# a\n".repeat(2000) });
                Request::json(json!({ "pages": (0..5000).map(page).collect::<Vec<Value>>(), "build": true }))
            }
            Noise::Pictures => {
                let boundary = "no-picture-holds-this";
                let mut body = format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.png\"\r\n\r\n"
                )
                .into_bytes();
                body.extend(picture(10_000, 10_000, 7)?);
                body.extend(format!("\r\n--{boundary}--\r\n").into_bytes());
                let content_type = format!("multipart/form-data; boundary={boundary}");
                Ok(Request { path: "/media", content_type, packed: false, body })
            }
        }
    }
}

struct Request {
    path: &'static str,
    content_type: String,
    packed: bool,
    body: Vec<u8>,
}

impl Request {
    fn json(body: Value) -> Result<Request> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::best());
        serde_json::to_writer(&mut packed, &body)?;
        let content_type = "application/json".to_owned();
        Ok(Request { path: "/pages", content_type, packed: true, body: packed.finish()? })
    }
}

/// Whatever is answered: what counts is what it does to others.
async fn repeat(recto: Arc<Recto>, request: Arc<Request>, stop: Arc<AtomicBool>, done: Arc<AtomicUsize>) {
    while !stop.load(Ordering::Relaxed) {
        let sent = recto.client.post(format!("{}/api/v1/public{}", recto.base, request.path));
        let sent = sent.bearer_auth(&recto.token).header("content-type", &request.content_type);
        let sent = if request.packed { sent.header("content-encoding", "gzip") } else { sent };
        match sent.body(request.body.clone()).send().await {
            Ok(answer) => drop(answer.bytes().await),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
        done.fetch_add(1, Ordering::Relaxed);
    }
}

pub struct Running {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicUsize>,
    tasks: Vec<JoinHandle<()>>,
}

impl Running {
    /// How many requests have ended. What is under way is broken off.
    pub async fn stop(self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.iter().for_each(JoinHandle::abort);
        Ok(self.done.load(Ordering::Relaxed))
    }
}

/// A grey PNG in little space. `seed` makes it like no other.
pub fn picture(width: u32, height: u32, seed: u64) -> Result<Vec<u8>> {
    let mut pixels = ZlibEncoder::new(Vec::new(), Compression::fast());
    let row = vec![0; width as usize + 1];
    let mut first = row.clone();
    first[1..9].copy_from_slice(&seed.to_be_bytes());
    pixels.write_all(&first)?;
    for _ in 1..height {
        pixels.write_all(&row)?;
    }
    let mut png = b"\x89PNG\r\n\x1a\n".to_vec();
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    for (kind, data) in [(b"IHDR", head), (b"IDAT", pixels.finish()?), (b"IEND", vec![])] {
        let mut check = flate2::Crc::new();
        check.update(kind);
        check.update(&data);
        png.extend((data.len() as u32).to_be_bytes());
        png.extend(kind);
        png.extend(data);
        png.extend(check.sum().to_be_bytes());
    }
    Ok(png)
}
