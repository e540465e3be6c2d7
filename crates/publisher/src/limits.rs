//! What bounds the server as a whole, and keeps one account from holding up the others.

pub(crate) mod disk;
pub(crate) mod open_bytes;
pub(crate) mod pace;
pub(crate) mod priority;
pub(crate) mod turns;
