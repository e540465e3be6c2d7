//! The fields of a schema as rows of a table, nested ones with their path: `pages[].slug`.

use serde_json::{Map, Value};

use crate::document::Document;
use crate::text::{cell, code};

/// Rows of one table; more are left out.
const MAX_FIELDS: usize = 200;
/// Levels of nested objects and arrays.
const MAX_DEPTH: usize = 4;
/// Values of an `enum` that are listed.
const MAX_VALUES: usize = 30;

/// The tables of a body: one, or one for each alternative.
pub(crate) fn tables<'d>(document: &Document<'d>, schema: &'d Value) -> String {
    let Some(schema) = document.resolve(schema) else { return String::new() };
    let alternatives = alternatives(document, schema);
    if alternatives.len() < 2 {
        return table(document, schema);
    }
    let mut markdown = String::from("One of:\n");
    for alternative in alternatives {
        let Some(resolved) = document.resolve(alternative) else { continue };
        let about = text(resolved, "description").unwrap_or("An alternative.");
        markdown += &format!("\n{}\n\n{}", about.trim(), table(document, resolved));
    }
    markdown
}

fn table<'d>(document: &Document<'d>, schema: &'d Value) -> String {
    let mut rows = Rows { document, rows: Vec::new(), path: Vec::new() };
    rows.add_fields(schema, "", 0);
    let Rows { rows, .. } = rows;
    if rows.is_empty() {
        return String::new();
    }
    format!("| Field | Type | |\n|---|---|---|\n{}\n", rows.join("\n"))
}

/// A row for something with a name: a field, or a parameter.
pub(crate) fn row<'d>(
    document: &Document<'d>,
    name: &str,
    schema: &'d Value,
    about: &str,
    required: bool,
) -> String {
    let kind = kind(document, schema);
    let required = if required { "**required**. " } else { "" };
    let details = details(document, schema);
    let about = cell(&format!("{required}{about} {details}"));
    format!("| {} | {} | {about} |", cell(&code(name)), cell(&kind))
}

struct Rows<'r, 'd> {
    document: &'r Document<'d>,
    rows: Vec<String>,
    /// The schemas that enclose the current one: a circular one ends there.
    path: Vec<*const Value>,
}

impl<'d> Rows<'_, 'd> {
    fn add_fields(&mut self, schema: &'d Value, prefix: &str, depth: usize) {
        let Some(schema) = self.document.resolve(schema) else { return };
        if depth > MAX_DEPTH || self.path.contains(&std::ptr::from_ref(schema)) {
            return;
        }
        self.path.push(schema);
        for part in list(schema, "allOf").chain(alternatives(self.document, schema)) {
            if !std::ptr::eq(part, schema) {
                self.add_fields(part, prefix, depth);
            }
        }
        let required: Vec<&str> = list(schema, "required").filter_map(Value::as_str).collect();
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut properties: Vec<(&String, &Value)> = properties.collect();
        properties.sort_by_key(|(name, _)| !required.contains(&name.as_str()));
        for (name, field) in properties {
            if self.rows.len() == MAX_FIELDS {
                break;
            }
            let whole = format!("{prefix}{name}");
            let about = about(self.document, field);
            self.rows.push(row(self.document, &whole, field, about, required.contains(&name.as_str())));
            self.add_fields(field, &format!("{whole}."), depth + 1);
        }
        if let Some(items) = schema.get("items") {
            let inner = format!("{}[].", prefix.trim_end_matches('.'));
            self.add_fields(items, &inner, depth + 1);
        }
        self.path.pop();
    }
}

/// Its own description, or that of the schema it refers to, or that of its only alternative.
fn about<'d>(document: &Document<'d>, schema: &'d Value) -> &'d str {
    let resolved = document.resolve(schema).unwrap_or(schema);
    let inner = alternatives(document, resolved);
    let inner = inner.first().copied().filter(|_| inner.len() == 1);
    let own = text(schema, "description").or_else(|| text(resolved, "description"));
    own.or_else(|| {
        inner.filter(|inner| !std::ptr::eq(*inner, resolved)).and_then(|inner| text(inner, "description"))
    })
    .unwrap_or_default()
}

/// The members of `oneOf` or `anyOf`, except `null`.
fn alternatives<'d>(document: &Document<'d>, schema: &'d Value) -> Vec<&'d Value> {
    let members = list(schema, "oneOf").chain(list(schema, "anyOf"));
    members.filter(|member| document.resolve(member).is_some_and(|member| !is_null(member))).collect()
}

fn is_null(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("null")
}

/// The name of a type: `string`, `array of integer`, `string (uuid)`.
pub(crate) fn kind<'d>(document: &Document<'d>, schema: &'d Value) -> String {
    kind_within(document, schema, 0)
}

fn kind_within<'d>(document: &Document<'d>, schema: &'d Value, depth: usize) -> String {
    let Some(schema) = document.resolve(schema).filter(|_| depth < MAX_DEPTH) else {
        return "any".to_owned();
    };
    let named: Vec<&str> = match schema.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    let nullable = schema.get("nullable").and_then(Value::as_bool).unwrap_or(false);
    let null = if nullable || named.contains(&"null") { " or null" } else { "" };
    let names: Vec<String> = named
        .iter()
        .filter(|name| **name != "null")
        .map(|name| match (*name, schema.get("items"), text(schema, "format")) {
            ("array", Some(items), _) => format!("array of {}", kind_within(document, items, depth + 1)),
            ("string", _, Some("binary")) => "file".to_owned(),
            ("string", _, Some(format)) => format!("string ({format})"),
            (name, ..) => name.to_owned(),
        })
        .collect();
    if !names.is_empty() {
        return names.join(" or ") + null;
    }
    let members = list(schema, "oneOf").chain(list(schema, "anyOf"));
    let mut kinds: Vec<String> = members
        .filter_map(|member| document.resolve(member))
        .filter(|member| !is_null(member))
        .map(|member| kind_within(document, member, depth + 1))
        .collect();
    kinds.dedup();
    match kinds.is_empty() {
        false => kinds.join(" or "),
        true if schema.get("properties").is_some() || schema.get("allOf").is_some() => "object".to_owned(),
        true if schema.get("enum").is_some() => "string".to_owned(),
        true => "any".to_owned(),
    }
}

/// Limits and values of a schema, as sentences.
fn details<'d>(document: &Document<'d>, schema: &'d Value) -> String {
    let Some(schema) = document.resolve(schema) else { return String::new() };
    let only: Vec<&Value> =
        list(schema, "oneOf").chain(list(schema, "anyOf")).filter(|m| !is_null(m)).collect();
    let schema = match only.as_slice() {
        [one] => document.resolve(one).unwrap_or(schema),
        _ => schema,
    };
    let mut sentences = Vec::new();
    let values: Vec<String> = list(schema, "enum").take(MAX_VALUES).map(shown).collect();
    if !values.is_empty() {
        sentences.push(format!("One of {}.", values.join(", ")));
    }
    let number = |key: &str| schema.get(key).filter(|value| value.is_number());
    let mut range = |low: &str, high: &str, unit: &str| match (number(low), number(high)) {
        (Some(low), Some(high)) => sentences.push(format!("{low} to {high}{unit}.")),
        (Some(low), None) if low != &Value::from(0) => sentences.push(format!("At least {low}{unit}.")),
        (_, Some(high)) => sentences.push(format!("At most {high}{unit}.")),
        _ => {}
    };
    range("minLength", "maxLength", " characters");
    range("minItems", "maxItems", " items");
    range("minimum", "maximum", "");
    if let Some(default) = schema.get("default").filter(|value| !value.is_null()) {
        sentences.push(format!("Default: {}.", shown(default)));
    }
    sentences.join(" ")
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => code(text),
        value => code(&value.to_string()),
    }
}

fn list<'v>(schema: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> + use<'v> {
    schema.get(key).and_then(Value::as_array).into_iter().flatten()
}

fn text<'v>(schema: &'v Value, key: &str) -> Option<&'v str> {
    schema.get(key).and_then(Value::as_str)
}

/// The schema of each media type of a body.
pub(crate) fn contents(body: &Map<String, Value>) -> Vec<(&str, &Value)> {
    let contents = body.get("content").and_then(Value::as_object).into_iter().flatten();
    contents.map(|(media_type, content)| (media_type.as_str(), content)).collect()
}
