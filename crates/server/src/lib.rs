//! HTTP.

pub mod body;
pub mod client;
pub mod json_stream;
pub mod limits;
