//! Processes uploads: determines the kind and the stored name of a file, and removes its metadata.
//!
//! The server process never parses an upload. [`WorkerPool::process`] passes it to a child process that can read one
//! file, write one file, and nothing else ([`worker`]); [`Ffmpeg`] runs in such a process, too. Everything is
//! synchronous.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod image;
mod job;
mod kind;
mod name;
mod pdf;
mod pool;
mod sandbox;
mod transcode;
pub mod video;
pub mod worker;

pub use job::{Done, Failure, Icon, Job, Limits, Sandbox, SandboxFeatures, SmallerCopy};
pub use kind::{Container, MediaKind, content_type, disposition};
pub use name::stored_name;
pub use pool::{Program, WorkerPool, WorkerPoolSettings};
pub use sandbox::{check_sandbox, harden_server};
pub use transcode::{Ffmpeg, TranscodeError, TranscodeLimits, Video};
