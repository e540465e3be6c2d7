//! MOV to MP4 with the `ffmpeg` program: copied where browsers play what is inside, encoded anew where not.
//!
//! It runs inside a limited child, as decoders do, but must open files and start threads; so it has fewer walls, and
//! gets as little as possible: one file to read, one to write, one demuxer, no protocol but the file, no metadata.

mod limits;
mod probe;

use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub use limits::{TranscodeLimits, Video};
use probe::Streams;

use crate::job::{CANNOT_RUN, Command, Limits, NO_SANDBOX, Order, Work};
use crate::workshop::{Child, Heard, Program};

/// The programs, found.
#[derive(Debug, Clone)]
pub struct Ffmpeg {
    /// What limits itself and then becomes one of them.
    worker: Program,
    ffmpeg: PathBuf,
    ffprobe: PathBuf,
    highest: TranscodeLimits,
}

#[derive(Debug, thiserror::Error)]
pub enum TranscodeError {
    /// The video's fault, as far as anybody can tell; the message is for the person who uploaded it.
    #[error("{0}")]
    Cannot(String),
    /// `progress` said so.
    #[error("the transcode was interrupted")]
    Interrupted,
    /// The kernel refuses what [`crate::Sandbox::Required`] needs.
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
                highest: TranscodeLimits::HIGHEST,
            })
        })
    }

    /// With limits that are lower than those which follow from a video.
    pub fn limited_to(self, highest: TranscodeLimits) -> Ffmpeg {
        Ffmpeg { highest, ..self }
    }

    /// `progress` is told the share that is done, from 0 to 1, and answers whether to go on. An output that was not
    /// finished is the caller's to delete. Blocks; the thread that calls must live until the end.
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
        // The sandbox lets it write a file that exists.
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
            match child.hear(deadline.min(Instant::now() + PULSE))? {
                Heard::Line(line) => done = streams.share(&line).unwrap_or(done),
                Heard::Nothing if Instant::now() >= deadline => return Err(too_long(&limits)),
                Heard::Nothing => {}
                Heard::End => return ended(child, &limits),
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
            match child.hear(deadline)? {
                Heard::Line(line) if json.len() < probe::LONGEST => json.push_str(&line),
                Heard::Line(_) => {
                    return Err(TranscodeError::Cannot("the video has too many streams".into()));
                }
                Heard::Nothing => return Err(too_long(&limits)),
                Heard::End => break,
            }
        }
        ended(child, &limits)?;
        Streams::parse(&json).map_err(TranscodeError::Cannot)
    }

    fn start(&self, command: Command, limits: &TranscodeLimits) -> Result<Child, TranscodeError> {
        let TranscodeLimits { memory, cpu_seconds, .. } = *limits;
        let mut child = Child::start(&self.worker)?;
        let limits = Limits { memory, cpu_seconds };
        child.tell(&Order { work: Work::Run(command), limits, sandbox: self.worker.sandbox })?;
        Ok(child)
    }
}

/// A path as an argument: never read as an option or a protocol.
fn argument(path: &Path) -> Result<String, TranscodeError> {
    let text = path.to_str().ok_or_else(|| TranscodeError::Internal("a path is no text".into()))?;
    Ok(format!("file:{text}"))
}

fn ended(mut child: Child, limits: &TranscodeLimits) -> Result<(), TranscodeError> {
    let status = child.end()?;
    let complaint = child.complaint();
    let complaint = complaint.lines().last().unwrap_or("it said nothing");
    match (status.code(), status.signal()) {
        (Some(0), _) => Ok(()),
        // ffmpeg's for "somebody asked me to stop".
        (Some(255), _) => Err(TranscodeError::Interrupted),
        (Some(code), _) if code == i32::from(NO_SANDBOX) => {
            Err(TranscodeError::NoSandbox(complaint.to_owned()))
        }
        (Some(code), _) if code == i32::from(CANNOT_RUN) => {
            Err(TranscodeError::Internal(format!("cannot start ffmpeg: {complaint}")))
        }
        (Some(_), _) if complaint.contains("No space left") => {
            Err(TranscodeError::Internal(complaint.to_owned()))
        }
        (_, Some(libc::SIGXFSZ)) => Err(too_large(limits)),
        (code, signal) => {
            tracing::warn!(code, signal, complaint, "ffmpeg failed");
            Err(TranscodeError::Cannot(match signal {
                // Killed by its limits.
                Some(_) => format!("the video takes too much computing or memory to convert; {ADVICE}"),
                None => format!("the video is damaged or of an unsupported form; {ADVICE}"),
            }))
        }
    }
}

/// What the person who uploaded a MOV can do about it.
const ADVICE: &str = "please upload it as an MP4 (H.264 and AAC), or make it shorter or smaller";

fn too_long(limits: &TranscodeLimits) -> TranscodeError {
    let minutes = limits.wall_seconds.div_ceil(60);
    TranscodeError::Cannot(format!("the video takes more than {minutes} minutes to convert; {ADVICE}"))
}

fn too_large(limits: &TranscodeLimits) -> TranscodeError {
    let megabytes = limits.output_bytes >> 20;
    TranscodeError::Cannot(format!(
        "the MP4 would have more than {megabytes} MB, which is more than twice the video; {ADVICE}"
    ))
}
