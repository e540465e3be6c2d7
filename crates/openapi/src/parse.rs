//! Reads a document in JSON or YAML, which is a superset of JSON but much slower to read.

use serde_json::Value;
use serde_saphyr::{Options, budget, options};

use crate::Invalid;

/// The document in a text.
pub fn parse(text: &str) -> Result<Value, Invalid> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{')
        && let Ok(document) = serde_json::from_str(text)
    {
        return Ok(document);
    }
    serde_saphyr::from_str_with_options(text, yaml_options()).map_err(|error| {
        let line = error.location().map_or(1, |location| location.line() as usize);
        Invalid::Syntax { line, message: error.without_snippet().to_string() }
    })
}

/// Bounds that the largest known documents do not reach, so that a few bytes cannot become many.
fn yaml_options() -> Options {
    options! {
        budget: budget! {
            max_depth: 128,
            max_nodes: 4_000_000,
            max_events: 16_000_000,
            max_aliases: 10_000,
            max_anchors: 10_000,
            max_merge_keys: 10_000,
            max_documents: 1,
        },
        strict_booleans: true,
    }
}
