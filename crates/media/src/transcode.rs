//! MOV to MP4 with the `ffmpeg` program: copied where browsers play what is inside, encoded anew where not.
//!
//! It runs inside a limited child, as decoders do, but must open files and start threads; so it has fewer walls, and
//! is told as little as possible: one demuxer, no protocol but the file, no metadata.

mod probe;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use probe::Streams;

use crate::job::{CANNOT_RUN, Command, Limits, Order};
use crate::workshop::{Child, Heard, Program};

/// The programs, found.
#[derive(Debug, Clone)]
pub struct Ffmpeg {
    /// What limits itself and then becomes one of them.
    worker: Program,
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
}

#[derive(Debug, Clone, Copy)]
pub struct TranscodeLimits {
    /// Bytes of address space; an encoder of 4K video takes about 2 GB.
    pub memory: u64,
    pub cpu_seconds: u64,
    pub wall_seconds: u64,
    pub threads: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum TranscodeError {
    /// The video's fault, as far as anybody can tell.
    #[error("{0}")]
    Cannot(String),
    /// `progress` said so.
    #[error("the transcode was interrupted")]
    Interrupted,
    #[error("{0}")]
    Internal(String),
}

impl From<std::io::Error> for TranscodeError {
    fn from(error: std::io::Error) -> TranscodeError {
        TranscodeError::Internal(format!("run ffmpeg: {error}"))
    }
}

/// How often `progress` is asked, at least.
const PULSE: Duration = Duration::from_millis(500);

impl Ffmpeg {
    /// The first `ffmpeg` in these directories that has an `ffprobe` beside it.
    pub fn find(worker: Program, directories: impl IntoIterator<Item = PathBuf>) -> Option<Ffmpeg> {
        directories.into_iter().find_map(|directory| {
            let directory = std::path::absolute(directory).ok()?;
            let (ffmpeg, ffprobe) = (directory.join("ffmpeg"), directory.join("ffprobe"));
            (ffmpeg.is_file() && ffprobe.is_file()).then(|| Ffmpeg {
                worker: worker.clone(),
                ffmpeg,
                ffprobe,
            })
        })
    }

    /// `progress` is told the share that is done, from 0 to 1, and answers whether to go on. An output that was not
    /// finished is the caller's to delete. Blocks; the thread that calls must live until the end.
    pub fn to_mp4(
        &self,
        input: &Path,
        output: &Path,
        limits: &TranscodeLimits,
        progress: &mut dyn FnMut(f32) -> bool,
    ) -> Result<(), TranscodeError> {
        let deadline = Instant::now() + Duration::from_secs(limits.wall_seconds);
        let streams = self.probe(input, limits, deadline)?;
        let arguments = streams.arguments(text(input)?, text(output)?, limits.threads);
        let mut child = self.start(&self.ffmpeg, arguments, limits)?;
        let mut done = 0.0;
        loop {
            match child.hear(deadline.min(Instant::now() + PULSE))? {
                Heard::Line(line) => done = streams.share(&line).unwrap_or(done),
                Heard::Nothing if Instant::now() >= deadline => return Err(too_long()),
                Heard::Nothing => {}
                Heard::End => return ended(child),
            }
            if !progress(done) {
                return Err(TranscodeError::Interrupted);
            }
        }
    }

    fn probe(
        &self,
        input: &Path,
        limits: &TranscodeLimits,
        deadline: Instant,
    ) -> Result<Streams, TranscodeError> {
        let arguments = probe::arguments(text(input)?);
        let mut child = self.start(&self.ffprobe, arguments, limits)?;
        let mut json = String::new();
        loop {
            match child.hear(deadline)? {
                Heard::Line(line) if json.len() < probe::LONGEST => json.push_str(&line),
                Heard::Line(_) => {
                    return Err(TranscodeError::Cannot("the video has too many streams".into()));
                }
                Heard::Nothing => return Err(too_long()),
                Heard::End => break,
            }
        }
        ended(child)?;
        Streams::parse(&json).map_err(TranscodeError::Cannot)
    }

    fn start(
        &self,
        program: &Path,
        arguments: Vec<String>,
        limits: &TranscodeLimits,
    ) -> Result<Child, TranscodeError> {
        let TranscodeLimits { memory, cpu_seconds, .. } = *limits;
        let command = Command { program: program.to_owned(), arguments };
        let mut child = Child::start(&self.worker)?;
        child.tell(&Order::Run(command, Limits { memory, cpu_seconds }))?;
        Ok(child)
    }
}

/// A path as an argument: never read as an option or a protocol.
fn text(path: &Path) -> Result<String, TranscodeError> {
    let path = std::path::absolute(path)?;
    let text = path.to_str().ok_or_else(|| TranscodeError::Internal("a path is no text".into()))?;
    Ok(format!("file:{text}"))
}

fn ended(mut child: Child) -> Result<(), TranscodeError> {
    let status = child.end()?;
    let complaint = child.complaint();
    let complaint = complaint.lines().last().unwrap_or("it said nothing");
    match status.code() {
        Some(0) => Ok(()),
        // ffmpeg's for "somebody asked me to stop".
        Some(255) => Err(TranscodeError::Interrupted),
        Some(code) if code == i32::from(CANNOT_RUN) => {
            Err(TranscodeError::Internal(format!("cannot start ffmpeg: {complaint}")))
        }
        Some(_) if complaint.contains("No space left") => Err(TranscodeError::Internal(complaint.to_owned())),
        Some(_) => Err(TranscodeError::Cannot(format!("ffmpeg cannot convert the video: {complaint}"))),
        // Killed by its limits.
        None => Err(TranscodeError::Cannot("the video takes too much computing or memory to convert".into())),
    }
}

fn too_long() -> TranscodeError {
    TranscodeError::Cannot("the video takes too long to convert".into())
}
