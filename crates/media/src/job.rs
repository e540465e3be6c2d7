//! The protocol with a child process: one line of JSON in each direction.

use std::num::NonZeroU32;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::MediaKind;

/// One upload to process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// Not [`MediaKind::Kept`], which needs no processing.
    pub kind: MediaKind,
    /// Only read, except a video, which is changed in place.
    pub input: PathBuf,
    /// A different file than the input, created or truncated. Not used for a video.
    pub output: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Width and height as shown, if the file contains them.
    pub dimensions: Option<(u32, u32)>,
}

/// One of the smaller copies of an image, which are in the output one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallerCopy {
    pub width: u32,
    pub height: u32,
    pub bytes: u64,
}

/// An icon of a site, a square PNG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Icon {
    /// In tabs and bookmarks.
    Favicon,
    /// On the home screen of a phone, which shows what is transparent as black.
    Touch,
}

impl Icon {
    pub const fn side(self) -> u8 {
        match self {
            Icon::Favicon => 32,
            Icon::Touch => 180,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Failure {
    /// The file's fault; the message is for the uploader.
    #[error("{0}")]
    Refused(String),
    /// The kernel does not support what [`Sandbox::Required`] needs.
    #[error("the sandbox cannot be set up: {0}; set uploads.sandbox = \"off\" to work without it")]
    NoSandbox(String),
    /// Not the file's fault.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    pub(crate) fn refused(message: impl Into<String>) -> Failure {
        Failure::Refused(message.into())
    }
}

/// Reading and writing the files fails because of the server: a full or broken disk.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Internal(error.to_string())
    }
}

/// Whether a child is sandboxed. Its limits of memory, time and file sizes apply in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sandbox {
    /// It is an error if the kernel does not support it.
    #[default]
    Required,
    /// For kernels without seccomp or Landlock. A file that takes over its decoder then takes over the server.
    Off,
}

/// The sandbox of a child: seccomp, and Landlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxFeatures {
    /// The ABI version of Landlock; from 6 on, it also blocks signals.
    pub landlock_abi: i32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub work: Work,
    pub limits: Limits,
    pub sandbox: Sandbox,
}

/// What a child does; each child does only one.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Work {
    Process(Job),
    /// Makes copies with these widths of a stored image; the answer is a list of [`SmallerCopy`].
    Shrink(Job, Vec<NonZeroU32>),
    /// Makes an icon of a stored image.
    Icon(Job, Icon),
    /// Executes this program; its output replaces the answer.
    Run(Command),
    /// Only enters the sandbox; the answer is a [`SandboxCheck`].
    SandboxCheck,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Command {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// The files that it may read, in addition to libraries.
    pub reads: Vec<PathBuf>,
    /// The files that it may write. They must exist.
    pub writes: Vec<PathBuf>,
    /// Maximum size of each written file.
    pub output_bytes: u64,
}

/// The resource limits of a child.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of memory in addition to what the process uses when it gets its order.
    pub memory: u64,
    pub cpu_seconds: u64,
}

pub(crate) type SandboxCheck = Result<Option<SandboxFeatures>, Failure>;
pub(crate) type Answer<T> = Result<T, Failure>;

/// The first line of a child: it is ready for its order.
pub(crate) const READY: &str = "ready";

/// The exit code of a child that could not execute its program; the reason is on its standard error. As in shells.
pub(crate) const EXIT_CANNOT_RUN: u8 = 127;
/// The same, because of its sandbox.
pub(crate) const EXIT_NO_SANDBOX: u8 = 126;
