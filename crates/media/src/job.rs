//! What goes to a child process and what comes back, one line of JSON each.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::Kind;

/// One upload to process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Job {
    /// Not [`Kind::Kept`], which there is nothing to do about.
    pub kind: Kind,
    /// Only read, unless it is a video: that is changed in place.
    pub input: PathBuf,
    /// Another file than the input, made or emptied. Not used for a video.
    pub output: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    /// Width and height as shown, where the file tells them.
    pub dimensions: Option<(u32, u32)>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum Failure {
    /// The file's fault; the message is for whoever sent it.
    #[error("{0}")]
    Refused(String),
    /// The kernel refuses what [`Sandbox::Required`] needs.
    #[error("the sandbox cannot be set up: {0}; set uploads.sandbox = \"off\" to work without it")]
    NoSandbox(String),
    /// Ours.
    #[error("{0}")]
    Internal(String),
}

impl Failure {
    pub(crate) fn refused(message: impl Into<String>) -> Failure {
        Failure::Refused(message.into())
    }
}

/// Reading and writing the files fails for our reasons: a full disk, a broken one.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        Failure::Internal(error.to_string())
    }
}

/// Whether a child works behind walls. Its limits of memory, time and file sizes hold in any case.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Sandbox {
    /// What the kernel refuses is an error.
    #[default]
    Required,
    /// For kernels without seccomp or Landlock. A file that takes over its decoder takes over the server.
    Off,
}

/// The walls around a child: seccomp, and Landlock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Walls {
    /// The version of Landlock's interface; from 6 on, signals are walled off by it too.
    pub landlock_abi: i32,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub work: Work,
    pub limits: Limits,
    pub sandbox: Sandbox,
}

/// What a child does in its one life.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Work {
    Process(Job),
    /// Become this program; its output takes the place of an answer.
    Run(Command),
    /// Only set the sandbox up; the answer is a [`Survey`].
    Survey,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Command {
    pub program: PathBuf,
    pub arguments: Vec<String>,
    /// The files that it may read, apart from libraries.
    pub reads: Vec<PathBuf>,
    /// The files that it may write. They exist.
    pub writes: Vec<PathBuf>,
    /// The most that it may write into one.
    pub output_bytes: u64,
}

/// What a child allows itself.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of memory beyond what the process has when it gets its order.
    pub memory: u64,
    pub cpu_seconds: u64,
}

pub(crate) type Survey = Result<Option<Walls>, Failure>;
pub(crate) type Answer = Result<Done, Failure>;

/// The first line of a child: it is ready for its order.
pub(crate) const HELLO: &str = "ready";

/// The exit code of a child that could not become a program; the reason is on its standard error. As shells have it.
pub(crate) const CANNOT_RUN: u8 = 127;
/// The same, because of its sandbox.
pub(crate) const NO_SANDBOX: u8 = 126;
