//! Limits on what a client may do within a time: requests, password attempts, large uploads.
//!
//! A process always counts for itself (`memory`). With a Redis that several processes share (`shared`), the counts of
//! Redis decide, which are those of all processes. While Redis is unavailable, the process's own counts decide.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod attempts;
mod backend;
mod key;
mod limiter;
mod memory;
mod shared;
mod uploads;

#[cfg(test)]
mod tests;

pub use attempts::PasswordAttempts;
pub use backend::Backend;
pub use key::Key;
pub use limiter::{Count, Counted, Limiter, Window};
pub use shared::{InvalidUrl, Shared, SharedSettings, TimeSource};
pub use uploads::{LargeUploads, TooManyUploads, UploadSlot};
