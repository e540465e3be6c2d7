//! Real files, real tools, real child processes.
#![allow(clippy::unwrap_used)]

mod damage;
mod image;
mod mp4;
mod pdf;
mod pool;
mod sandbox;
mod tools;
mod transcode;
mod webm;
