//! The WebP encoders. Ours and sharp report the time without starting a process; libwebp's tools are timed from
//! outside, which adds a few milliseconds.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::json;

use super::{ROUNDS, run, ssim};
use crate::report::progress;
use crate::timing::{median, time};

pub enum Encoder {
    Recto,
    Sharp(Sharp),
    Cwebp,
    Gif2Webp,
}

pub struct Encoded {
    pub ms: f64,
    pub file: PathBuf,
    pub bytes: f64,
}

impl Encoded {
    pub fn ssim(&self, source: &Path) -> Result<f64> {
        ssim::ssim(source, &self.file)
    }
}

/// Alternating, so that other load on the machine affects all of them; the median of the rounds.
pub fn compare<const N: usize>(from: &Path, mut encoders: [&mut Encoder; N]) -> Result<[Encoded; N]> {
    let mut times = [(); N].map(|()| Vec::new());
    let names = encoders.each_ref().map(|encoder| encoder.name());
    for _ in 0..ROUNDS {
        for (encoder, times) in encoders.iter_mut().zip(&mut times) {
            times.push(encoder.encode(from, &output(from, encoder.name()))?);
        }
    }
    progress(&format!("{}: {names:?} {times:.0?} ms", from.display()));
    let mut encoded = Vec::new();
    for (name, times) in names.into_iter().zip(times) {
        let file = output(from, name);
        let bytes = file.metadata()?.len() as f64;
        encoded.push(Encoded { ms: median(times), file, bytes });
    }
    encoded.try_into().ok().context("one for each encoder")
}

fn output(from: &Path, name: &str) -> PathBuf {
    from.with_extension(format!("{name}.webp"))
}

impl Encoder {
    fn name(&self) -> &'static str {
        match self {
            Encoder::Recto => "recto",
            Encoder::Sharp(_) => "sharp",
            Encoder::Cwebp => "cwebp",
            Encoder::Gif2Webp => "gif2webp",
        }
    }

    /// Returns the duration in milliseconds.
    fn encode(&mut self, from: &Path, to: &Path) -> Result<f64> {
        match self {
            Encoder::Recto => recto(from, to),
            Encoder::Sharp(sharp) => sharp.encode(from, to),
            Encoder::Cwebp => tool("cwebp", &["-m", "4", "-q", "80"], from, to),
            // Its default is lossless, unlike all the others here.
            Encoder::Gif2Webp => tool("gif2webp", &["-lossy", "-m", "4", "-q", "80"], from, to),
        }
    }
}

/// Our encoder alone, in a separate process, as in the server.
pub fn recto(from: &Path, to: &Path) -> Result<f64> {
    let program = std::env::var_os("RECTO_WEBP").context("RECTO_WEBP: run bench/run")?;
    let done = run(Command::new(program).arg(from).arg(to))?;
    let text = String::from_utf8_lossy(&done.stdout);
    // `4000x3000 5310112 -> 2103456 bytes, 312 ms`
    let ms = text.trim().strip_suffix(" ms").and_then(|text| text.rsplit(' ').next()?.parse().ok());
    ms.with_context(|| format!("{}: {text}", from.display()))
}

fn tool(program: &str, options: &[&str], from: &Path, to: &Path) -> Result<f64> {
    time(|| run(Command::new(program).arg("-quiet").args(options).arg(from).arg("-o").arg(to)))
}

/// A Node process that keeps running: neither its start nor loading libraries is measured.
pub struct Sharp {
    process: Child,
    input: ChildStdin,
    answers: BufReader<ChildStdout>,
}

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sharp/main.mjs");

impl Sharp {
    /// `sample` is an image for warming up.
    pub fn start(sample: &Path) -> Result<Sharp> {
        std::env::var_os("SHARP_TOOLS").context("SHARP_TOOLS: run bench/run")?;
        let mut command = Command::new("node");
        let mut process = command.arg(SCRIPT).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = process.stdin.take().context("stdin")?;
        let answers = BufReader::new(process.stdout.take().context("stdout")?);
        let mut sharp = Sharp { process, input, answers };
        sharp.encode(sample, &output(sample, "warm-up"))?;
        Ok(sharp)
    }

    fn encode(&mut self, from: &Path, to: &Path) -> Result<f64> {
        writeln!(self.input, "{}", json!({ "from": from, "to": to }))?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        line.trim().parse().context("sharp ended")
    }
}

impl Drop for Sharp {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
