//! HTTP.

pub mod json_stream;
