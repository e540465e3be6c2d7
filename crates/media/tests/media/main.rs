//! Real files, real tools, real child processes.
#![allow(clippy::unwrap_used)]

mod image;
mod mp4;
mod pdf;
mod sandbox;
mod tools;
mod transcode;
mod webm;
mod workshop;
