//! One upload to the bytes we keep: what a file is, what it is called, and a copy of it without metadata.
//!
//! Whoever serves requests never opens an upload. [`Workshop::process`] gives it to a child process that has one file
//! to read, one to write, and nothing else ([`worker`]); [`Ffmpeg`] runs in such a process too. Synchronous throughout.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod image;
mod job;
mod kind;
mod name;
mod pdf;
mod sandbox;
mod transcode;
pub mod video;
pub mod worker;
mod workshop;

pub use job::{Done, Failure, Job, Limits, Sandbox, Walls};
pub use kind::{Container, Kind, content_type, disposition};
pub use name::stored_name;
pub use sandbox::{harden_server, sandbox_walls};
pub use transcode::{Ffmpeg, TranscodeError, TranscodeLimits, Video};
pub use workshop::{Program, Workshop, WorkshopSettings};
