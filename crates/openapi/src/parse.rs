//! Reads a document in JSON or YAML, which is a superset of JSON but much slower to read.

use serde_json::Value;

use crate::Invalid;

/// The document in a text.
pub fn parse(text: &str) -> Result<Value, Invalid> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{')
        && let Ok(document) = serde_json::from_str(text)
    {
        return Ok(document);
    }
    front_matter::large_yaml(text)
        .map_err(|front_matter::Invalid { line, message }| Invalid::Syntax { line, message })
}
