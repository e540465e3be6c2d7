//! The fields of a JSON object as a client sent it: each still JSON text, each there once, none unreasonably deep.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// More than any client of a newer version sends; they are all remembered, to find one that stands twice.
const MAX_KEYS: usize = 1000;

/// The text of a JSON string. What makes it fail (a half surrogate pair) is an error of the JSON, not of the field.
pub(crate) fn string(field: &str, json: &str) -> Result<String, String> {
    serde_json::from_str(json).map_err(|error| format!("{field}: {error}"))
}

/// No field but `params` has any depth; this is what an unknown one may have.
pub(crate) const MAX_DEPTH: usize = 128;

/// Whether a JSON value, known to be well-formed, nests deeper than is reasonable. Raw values are not held to the
/// parser's own limit.
pub(crate) fn nests_too_deep(json: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'[' | b'{' if depth == MAX_DEPTH => return true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Enough of a key to find it by.
fn start_of(key: &str) -> String {
    key.chars().take(100).collect()
}

/// The fields of a JSON object, each still JSON text.
pub(crate) struct Fields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> Fields<'a> {
    pub(crate) fn parse(json: &'a str) -> Result<Fields<'a>, String> {
        if !json.trim_start().starts_with('{') {
            return Err("must be an object".to_owned());
        }
        let fields: Fields = serde_json::from_str(json).map_err(|error| error.to_string())?;
        // Params have a depth of their own, and an answer of their own.
        match fields.0.iter().find(|(name, value)| {
            name != "params" && !value.get().starts_with('"') && nests_too_deep(value.get())
        }) {
            Some((name, _)) => Err(format!("{} is nested more than {MAX_DEPTH} deep", start_of(name))),
            None => Ok(fields),
        }
    }

    /// A field's JSON text; null means omitted.
    pub(crate) fn get(&self, field: &str) -> Option<&'a str> {
        let (_, value) = self.0.iter().find(|(name, _)| name == field)?;
        Some(value.get()).filter(|json| *json != "null")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = Fields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields<'de>, M::Error> {
                #[derive(Deserialize)]
                struct Key<'k>(#[serde(borrow)] Cow<'k, str>);
                let mut fields: Vec<(Cow<str>, &RawValue)> = Vec::with_capacity(12);
                let mut seen: HashSet<Cow<str>> = HashSet::new();
                while let Some(Key(key)) = map.next_key()? {
                    if !seen.insert(key.clone()) {
                        return Err(serde::de::Error::custom(format_args!(
                            "duplicate key {:?}",
                            start_of(&key)
                        )));
                    }
                    if seen.len() > MAX_KEYS {
                        return Err(serde::de::Error::custom(format_args!("more than {MAX_KEYS} keys")));
                    }
                    fields.push((key, map.next_value()?));
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}
