//! Load that one account can cause within its limits: as many concurrent requests as it likes.

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
    /// Texts with references to resolve, which are as expensive to parse as possible.
    Parsing,
    /// As much text as a request may contain, well compressed.
    Texts,
    /// Images of a hundred megapixels.
    Images,
    /// Builds of thousands of pages, one after the other.
    Builds,
}

/// Concurrent requests.
const AT_ONCE: usize = 8;

impl Noise {
    pub const ALL: [Noise; 4] = [Noise::Parsing, Noise::Texts, Noise::Images, Noise::Builds];

    pub fn name(self) -> &'static str {
        match self {
            Noise::Parsing => "hostile Markdown",
            Noise::Texts => "500 MB of text per request",
            Noise::Images => "100-megapixel images",
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
        // Until the load is at its maximum.
        tokio::time::sleep(Duration::from_secs(3)).await;
        Ok(Running { stop, done, tasks })
    }

    fn request(self) -> Result<Request> {
        match self {
            Noise::Parsing => {
                let text = format!("![](file:a.png)\n\n{}", "a\n: b\n\n".repeat(12_000));
                Request::json([pages(160, &text), pages(160, &text)])
            }
            Noise::Texts => Request::json(["x", "y"].map(|letter| pages(5000, &letter.repeat(100_000)))),
            Noise::Builds => Request::json(["# a\n", "# b\n"].map(|line| {
                let mut body = pages(5000, &line.repeat(2000));
                body["build"] = json!(true);
                body
            })),
            Noise::Images => {
                let boundary = "boundary-in-no-image";
                let mut body = format!(
                    "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"large.png\"\r\n\r\n"
                )
                .into_bytes();
                body.extend(png(10_000, 10_000, 7)?);
                let content_type = format!("multipart/form-data; boundary={boundary}");
                Ok(Request::Image { content_type, body, end: format!("\r\n--{boundary}--\r\n") })
            }
        }
    }
}

fn pages(count: usize, text: &str) -> Value {
    let page = |n| json!({ "title": format!("Page {n}"), "content": text });
    json!({ "pages": (0..count).map(page).collect::<Vec<Value>>() })
}

/// Each differs from the previous one: sending the same again costs next to nothing.
enum Request {
    /// Two alternating bodies, so that every page changes each time.
    Json([Vec<u8>; 2]),
    Image {
        content_type: String,
        body: Vec<u8>,
        end: String,
    },
}

impl Request {
    fn json(bodies: [Value; 2]) -> Result<Request> {
        let pack = |body: Value| {
            let mut packed = GzEncoder::new(Vec::new(), Compression::best());
            serde_json::to_writer(&mut packed, &body)?;
            Ok::<_, anyhow::Error>(packed.finish()?)
        };
        let [one, other] = bodies;
        Ok(Request::Json([pack(one)?, pack(other)?]))
    }

    fn send(&self, recto: &Recto, number: usize) -> reqwest::RequestBuilder {
        let post =
            |path| recto.client.post(format!("{}/api/v1/public{path}", recto.base)).bearer_auth(&recto.token);
        match self {
            Request::Json(bodies) => post("/pages")
                .header("content-type", "application/json")
                .header("content-encoding", "gzip")
                .body(bodies[number % 2].clone()),
            Request::Image { content_type, body, end } => {
                // Data after the end of a PNG is ignored.
                let body = [body, number.to_string().as_bytes(), end.as_bytes()].concat();
                post("/media").header("content-type", content_type).body(body)
            }
        }
    }
}

/// Responses are ignored: only the effect on others matters.
async fn repeat(recto: Arc<Recto>, request: Arc<Request>, stop: Arc<AtomicBool>, done: Arc<AtomicUsize>) {
    while !stop.load(Ordering::Relaxed) {
        let number = done.fetch_add(1, Ordering::Relaxed);
        match request.send(&recto, number).send().await {
            Ok(answer) => drop(answer.bytes().await),
            Err(_) => tokio::time::sleep(Duration::from_millis(10)).await,
        }
    }
}

pub struct Running {
    stop: Arc<AtomicBool>,
    done: Arc<AtomicUsize>,
    tasks: Vec<JoinHandle<()>>,
}

impl Running {
    /// Stops the load; requests in progress are cancelled. Returns how many were sent.
    pub async fn stop(self) -> Result<usize> {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.iter().for_each(JoinHandle::abort);
        Ok(self.done.load(Ordering::Relaxed))
    }
}

/// A small grey PNG. `seed` makes it unique.
pub fn png(width: u32, height: u32, seed: u64) -> Result<Vec<u8>> {
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
