//! Tests of the generator's public interface: pages in, files out.

#![allow(clippy::unwrap_used)]

mod language;
mod links;
mod lists;
mod machines;
mod oracle;
mod search_index;
mod source;
mod urls;
mod versions;
mod world;
