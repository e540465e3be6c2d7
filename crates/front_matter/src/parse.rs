//! Parses YAML and TOML within a budget.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_saphyr::{Options, budget, options};

use crate::{Fields, Format, Invalid};

/// `None`: it is no mapping.
pub(crate) fn parse(format: Format, text: &str) -> Result<Option<Fields>, Invalid> {
    match format {
        Format::Yaml => parse_yaml(text),
        Format::Toml => parse_toml(text).map(Some),
    }
}

/// YAML 1.2, except that aliases and nesting have the limits of params.
fn yaml_options() -> Options {
    options! {
        budget: budget! {
            max_depth: 64,
            max_nodes: 20_000,
            max_events: 100_000,
            max_aliases: 100,
            max_anchors: 100,
            max_merge_keys: 100,
            max_documents: 1,
        },
        strict_booleans: true,
    }
}

fn parse_yaml(text: &str) -> Result<Option<Fields>, Invalid> {
    // Comments alone.
    if text.lines().all(|line| line.trim_start().starts_with('#') || line.trim().is_empty()) {
        return Ok(text.trim().is_empty().then(Fields::default));
    }
    let invalid = |error: serde_saphyr::Error| {
        let message = error.without_snippet().to_string();
        let line = error.location().map(|location| location.line() as usize).filter(|line| *line > 0);
        Invalid { line: line.unwrap_or_else(|| line_of(text, ':', &message)), message }
    };
    // Lines are counted from the beginning of the file, also in messages.
    let whole = format!("#\n{text}");
    match serde_saphyr::from_str_with_options::<Fields>(&whole, yaml_options()) {
        Ok(fields) => Ok(Some(fields)),
        Err(error) => match serde_saphyr::from_str_with_options::<Value>(&whole, yaml_options()) {
            Ok(Value::Object(_)) | Err(_) => Err(invalid(error)),
            Ok(_) => Ok(None),
        },
    }
}

/// Any YAML, such as the configuration of another program. Lines are counted from the beginning of the text.
pub fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, Invalid> {
    yaml_within(text, yaml_options())
}

/// The same for documents that may be large, such as the description of an API. Their bounds are not reached by the largest
/// known ones, and keep few bytes from becoming many.
pub fn large_yaml<T: DeserializeOwned>(text: &str) -> Result<T, Invalid> {
    let options = options! {
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
    };
    yaml_within(text, options)
}

fn yaml_within<T: DeserializeOwned>(text: &str, options: Options) -> Result<T, Invalid> {
    serde_saphyr::from_str_with_options(text, options).map_err(|error| Invalid {
        line: error.location().map_or(1, |location| (location.line() as usize).max(1)),
        message: error.without_snippet().to_string(),
    })
}

/// Any TOML; dates are texts, as in YAML.
pub fn toml(text: &str) -> Result<Map<String, Value>, Invalid> {
    let table: toml::Table = toml::from_str(text).map_err(|error| {
        let start = error.span().map_or(0, |span| span.start.min(text.len()));
        Invalid { line: text[..start].matches('\n').count() + 1, message: error.message().to_owned() }
    })?;
    Ok(table.into_iter().map(|(key, value)| (key, json(value))).collect())
}

fn parse_toml(text: &str) -> Result<Fields, Invalid> {
    let map = toml(text).map_err(|invalid| Invalid { line: invalid.line + 1, ..invalid })?;
    Fields::deserialize(Value::Object(map)).map_err(|error| {
        let message = error.to_string();
        Invalid { line: line_of(text, '=', &message), message }
    })
}

/// The line of the key with which a message begins: the last one, if it is given twice.
fn line_of(text: &str, separator: char, message: &str) -> usize {
    let key = message.split([':', ' ']).next().unwrap_or_default();
    let names = |line: &str| line.split_once(separator).is_some_and(|(name, _)| is_named(name.trim(), key));
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().rposition(|line| names(line)).map_or(1, |line| line + 2)
}

/// Whether a key in the file is the field of this name.
pub(crate) fn is_named(key: &str, field: &str) -> bool {
    let plain = |text: &str| text.replace(['_', '"'], "").to_lowercase();
    let (key, field) = (plain(key), plain(field));
    key == field || (key == "type" && field == "contenttype") || (key == "date" && field == "publishedat")
}

/// Dates become texts, as in YAML.
fn json(value: toml::Value) -> Value {
    match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => number.into(),
        toml::Value::Float(number) => number.into(),
        toml::Value::Boolean(flag) => flag.into(),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => items.into_iter().map(json).collect(),
        toml::Value::Table(table) => table.into_iter().map(|(key, value)| (key, json(value))).collect(),
    }
}
