//! Converts MOV to MP4 with the `ffmpeg` program: streams that browsers can play are copied, others are re-encoded.
//!
//! It runs in a limited child process, as decoders do, but must open files and start threads, so its sandbox is weaker;
//! it gets as little as possible: one file to read, one to write, one demuxer, only the file protocol, no metadata.

mod limits;
mod probe;

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use limits::{TranscodeLimits, Video};
use probe::Streams;

use crate::job::{Command, EXIT_CANNOT_RUN, EXIT_NO_SANDBOX, Limits, Order, Work};
use crate::pool::{Child, ChildOutput, Program};

/// The paths of the programs.
#[derive(Debug, Clone)]
pub struct Ffmpeg {
    /// Limits itself and then executes one of them.
    worker: Program,
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
    highest: TranscodeLimits,
}

#[derive(Debug, thiserror::Error)]
pub enum TranscodeError {
    /// Presumably the video's fault; the message is for the uploader.
    #[error("{0}")]
    Unconvertible(String),
    /// Requested by `progress`.
    #[error("the transcode was interrupted")]
    Interrupted,
    /// The kernel does not support what [`crate::Sandbox::Required`] needs.
    #[error("{0}")]
    NoSandbox(String),
    #[error("{0}")]
    Internal(String),
}

impl From<std::io::Error> for TranscodeError {
    fn from(error: std::io::Error) -> TranscodeError {
        TranscodeError::Internal(format!("run ffmpeg: {error}"))
    }
}

/// Maximum interval between calls of `progress`.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

impl Ffmpeg {
    /// The first `ffmpeg` in these directories that has an `ffprobe` next to it.
    pub fn find(worker: Program, directories: impl IntoIterator<Item = PathBuf>) -> Option<Ffmpeg> {
        directories.into_iter().find_map(|directory| {
            let directory = std::path::absolute(directory).ok()?;
            let (ffmpeg, ffprobe) = (directory.join("ffmpeg"), directory.join("ffprobe"));
            (ffmpeg.is_file() && ffprobe.is_file()).then(|| Ffmpeg {
                worker: worker.clone(),
                ffmpeg,
                ffprobe,
                highest: TranscodeLimits::HIGHEST,
            })
        })
    }

    /// Sets limits that apply in addition to those derived from a video.
    pub fn limited_to(self, highest: TranscodeLimits) -> Ffmpeg {
        Ffmpeg { highest, ..self }
    }

    /// `progress` is called with the completed share, from 0 to 1, and returns whether to continue. The caller must
    /// delete an unfinished output. Blocks; the calling thread must live until the end.
    pub fn to_mp4(
        &self,
        input: &Path,
        output: &Path,
        progress: &mut dyn FnMut(f32) -> bool,
    ) -> Result<(), TranscodeError> {
        let (input, output) = (std::path::absolute(input)?, std::path::absolute(output)?);
        let streams = self.probe(&input)?;
        let video = streams.video(std::fs::metadata(&input)?.len());
        let limits = TranscodeLimits::of(&video).at_most(&self.highest);
        // The sandbox only allows writing a file that exists.
        File::create(&output)?;
        let command = Command {
            program: self.ffmpeg.clone(),
            arguments: streams.arguments(argument(&input)?, argument(&output)?, limits.threads),
            reads: vec![input],
            writes: vec![output],
            output_bytes: limits.output_bytes,
        };
        let deadline = Instant::now() + Duration::from_secs(limits.wall_seconds);
        let mut child = self.start(command, &limits)?;
        let mut done = 0.0;
        loop {
            match child.read_output(deadline.min(Instant::now() + PROGRESS_INTERVAL))? {
                ChildOutput::Line(line) => done = streams.share(&line).unwrap_or(done),
                ChildOutput::Nothing if Instant::now() >= deadline => return Err(too_long(&limits)),
                ChildOutput::Nothing => {}
                ChildOutput::End => return ended(child, &limits),
            }
            if !progress(done) {
                return Err(TranscodeError::Interrupted);
            }
        }
    }

    fn probe(&self, input: &Path) -> Result<Streams, TranscodeError> {
        let command = Command {
            program: self.ffprobe.clone(),
            arguments: probe::arguments(argument(input)?),
            reads: vec![input.to_owned()],
            writes: Vec::new(),
            output_bytes: 0,
        };
        let limits = probe::LIMITS.at_most(&self.highest);
        let deadline = Instant::now() + Duration::from_secs(limits.wall_seconds);
        let mut child = self.start(command, &limits)?;
        let mut json = String::new();
        loop {
            match child.read_output(deadline)? {
                ChildOutput::Line(line) if json.len() < probe::MAX_PROBE_BYTES => json.push_str(&line),
                ChildOutput::Line(_) => {
                    return Err(TranscodeError::Unconvertible("the video has too many streams".into()));
                }
                ChildOutput::Nothing => return Err(too_long(&limits)),
                ChildOutput::End => break,
            }
        }
        ended(child, &limits)?;
        Streams::parse(&json).map_err(TranscodeError::Unconvertible)
    }

    fn start(&self, command: Command, limits: &TranscodeLimits) -> Result<Child, TranscodeError> {
        let TranscodeLimits { memory, cpu_seconds, .. } = *limits;
        let mut child = Child::start(&self.worker)?;
        let limits = Limits { memory, cpu_seconds };
        child.send_order(&Order { work: Work::Run(command), limits, sandbox: self.worker.sandbox })?;
        Ok(child)
    }
}

/// A path as an argument: never interpreted as an option or a protocol.
fn argument(path: &Path) -> Result<String, TranscodeError> {
    let text = path.to_str().ok_or_else(|| TranscodeError::Internal("a path is not valid UTF-8".into()))?;
    Ok(format!("file:{text}"))
}

fn ended(mut child: Child, limits: &TranscodeLimits) -> Result<(), TranscodeError> {
    let status = child.end()?;
    let stderr = child.stderr();
    let stderr = stderr.lines().last().unwrap_or("no error output");
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        // ffmpeg's exit code when it is asked to stop.
        (Some(255), _) => Err(TranscodeError::Interrupted),
        (Some(code), _) if code == i32::from(EXIT_NO_SANDBOX) => {
            Err(TranscodeError::NoSandbox(stderr.to_owned()))
        }
        (Some(code), _) if code == i32::from(EXIT_CANNOT_RUN) => {
            Err(TranscodeError::Internal(format!("cannot start ffmpeg: {stderr}")))
        }
        (Some(_), _) if stderr.contains("No space left") => Err(TranscodeError::Internal(stderr.to_owned())),
        (_, Some(libc::SIGXFSZ)) => Err(too_large(limits)),
        (code, signal) => {
            tracing::warn!(code, signal, stderr, "ffmpeg failed");
            Err(TranscodeError::Unconvertible(match signal {
                // Killed by its limits.
                Some(_) => format!("the video takes too much CPU time or memory to convert; {ADVICE}"),
                None => format!("the video is damaged or not supported; {ADVICE}"),
            }))
        }
    }
}

/// What the uploader can do about it.
const ADVICE: &str = "please upload it as an MP4 (H.264 and AAC), or make it shorter or smaller";

fn too_long(limits: &TranscodeLimits) -> TranscodeError {
    let minutes = limits.wall_seconds.div_ceil(60);
    TranscodeError::Unconvertible(format!("the video takes more than {minutes} minutes to convert; {ADVICE}"))
}

fn too_large(limits: &TranscodeLimits) -> TranscodeError {
    let megabytes = limits.output_bytes >> 20;
    TranscodeError::Unconvertible(format!(
        "the MP4 would have more than {megabytes} MB, which is more than twice the video; {ADVICE}"
    ))
}
