//! Example values: those of the document, or made from a schema.

use serde_json::{Map, Value, json};

use crate::document::Document;

const MAX_DEPTH: usize = 6;
/// Values in one example, so that a schema of many branches ends.
const MAX_VALUES: usize = 200;

/// The example of a media type or a parameter: its own, its first named one, or one made from its schema.
pub(crate) fn of_content<'d>(document: &Document<'d>, content: &'d Value) -> Option<Value> {
    let named = || {
        let first = content.get("examples")?.as_object()?.values().next()?;
        document.resolve(first)?.get("value")
    };
    if let Some(example) = content.get("example").or_else(named) {
        return Some(example.clone());
    }
    of_schema(document, content.get("schema")?)
}

pub(crate) fn of_schema<'d>(document: &Document<'d>, schema: &'d Value) -> Option<Value> {
    Maker { document, left: MAX_VALUES }.make(schema, 0)
}

struct Maker<'m, 'd> {
    document: &'m Document<'d>,
    left: usize,
}

impl<'d> Maker<'_, 'd> {
    fn make(&mut self, schema: &'d Value, depth: usize) -> Option<Value> {
        let schema = self.document.resolve(schema)?;
        if depth > MAX_DEPTH || self.left == 0 {
            return None;
        }
        self.left -= 1;
        if let Some(given) = given(schema) {
            return Some(given.clone());
        }
        if let Some(parts) = schema.get("allOf").and_then(Value::as_array) {
            let mut whole = Map::new();
            for part in parts {
                if let Some(Value::Object(part)) = self.make(part, depth + 1) {
                    whole.extend(part);
                }
            }
            return Some(Value::Object(whole));
        }
        let alternatives = schema.get("oneOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
        if let Some(first) = alternatives.and_then(|alternatives| alternatives.first()) {
            return self.make(first, depth + 1);
        }
        Some(match kind(schema) {
            "object" => self.object(schema, depth),
            "array" => {
                let item = schema.get("items").and_then(|items| self.make(items, depth + 1));
                Value::Array(item.into_iter().collect())
            }
            "integer" | "number" => schema.get("minimum").cloned().unwrap_or(json!(1)),
            "boolean" => json!(true),
            "null" => Value::Null,
            _ => json!(text(schema.get("format").and_then(Value::as_str).unwrap_or_default())),
        })
    }

    /// The required fields, and those with an example; all, if there are none of these.
    fn object(&mut self, schema: &'d Value, depth: usize) -> Value {
        let required = schema.get("required").and_then(Value::as_array);
        let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|known| known == name));
        let properties = schema.get("properties").and_then(Value::as_object);
        let all: Vec<(&String, &Value)> = properties.into_iter().flatten().collect();
        let mut chosen: Vec<_> = all.clone();
        chosen.retain(|(name, field)| is_required(name) || given(field).is_some());
        let chosen = if chosen.is_empty() { all } else { chosen };
        let mut object = Map::new();
        for (name, field) in chosen {
            if let Some(value) = self.make(field, depth + 1) {
                object.insert(name.clone(), value);
            }
        }
        Value::Object(object)
    }
}

/// What the document itself says.
fn given(schema: &Value) -> Option<&Value> {
    let first = |key: &str| schema.get(key).and_then(Value::as_array).and_then(|values| values.first());
    schema
        .get("example")
        .or_else(|| first("examples"))
        .or_else(|| schema.get("const"))
        .or_else(|| schema.get("default").filter(|value| !value.is_null()))
        .or_else(|| first("enum"))
}

/// The first type of a schema that is not `null`.
fn kind(schema: &Value) -> &str {
    match schema.get("type") {
        Some(Value::String(name)) => name,
        Some(Value::Array(names)) => {
            names.iter().filter_map(Value::as_str).find(|name| *name != "null").unwrap_or("null")
        }
        _ if schema.get("properties").is_some() => "object",
        _ => "string",
    }
}

fn text(format: &str) -> &'static str {
    match format {
        "uuid" => "01980000-0000-7000-8000-000000000000",
        "date-time" => "2026-01-02T03:04:05Z",
        "date" => "2026-01-02",
        "uri" | "url" => "https://example.com",
        "email" => "ada@example.com",
        _ => "text",
    }
}
