//! The fields of a JSON object from a client: each as JSON text, without duplicates, none nested too deeply.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use memchr::memchr;
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

/// More than any client of a newer version sends. All keys are remembered, to find duplicates.
const MAX_KEYS: usize = 1000;

/// The fields of a page and some more: of these, comparing is faster than hashing.
const FEW_KEYS: usize = 16;

/// The text of a well-formed JSON string. A failure (half a surrogate pair) is an error of the JSON, not of the field.
pub(crate) fn string(field: &str, json: &str) -> Result<String, String> {
    match decoded(json) {
        Some(text) => Ok(text),
        None => serde_json::from_str(json).map_err(|error| format!("{field}: {error}")),
    }
}

/// Decodes the escapes that most Markdown has, in a third of the time of the parser, which would check once more that the
/// string is well-formed. `None`: it has another escape.
fn decoded(json: &str) -> Option<String> {
    let mut rest = json.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = String::with_capacity(rest.len());
    while let Some(at) = memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        text.push(match rest.as_bytes().get(at + 1)? {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            _ => return None,
        });
        rest = &rest[at + 2..];
    }
    text.push_str(rest);
    Some(text)
}

/// No field except `params` is nested; this is the limit for unknown fields.
pub(crate) const MAX_DEPTH: usize = 128;

/// Whether a well-formed JSON value is nested too deeply. The parser does not apply its own limit to raw values.
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

/// The beginning of a key, for messages.
fn start_of(key: &str) -> String {
    key.chars().take(100).collect()
}

/// The fields of a JSON object, each still JSON text.
pub struct JsonFields<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'a> JsonFields<'a> {
    pub fn parse(json: &'a str) -> Result<JsonFields<'a>, String> {
        if !json.trim_start().starts_with('{') {
            return Err("must be an object".to_owned());
        }
        let fields: JsonFields = serde_json::from_str(json).map_err(|error| error.to_string())?;
        // Params have their own limit, and their own error.
        match fields.0.iter().find(|(name, value)| {
            name != "params" && !value.get().starts_with('"') && nests_too_deep(value.get())
        }) {
            Some((name, _)) => Err(format!("{} is nested more than {MAX_DEPTH} deep", start_of(name))),
            None => Ok(fields),
        }
    }

    /// Every field with its JSON text, in the order in which they were sent.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &'a str)> {
        self.0.iter().map(|(name, value)| (&**name, value.get()))
    }

    /// A field's JSON text; null means omitted.
    pub fn get(&self, field: &str) -> Option<&'a str> {
        let (_, value) = self.0.iter().find(|(name, _)| name == field)?;
        Some(value.get()).filter(|json| *json != "null")
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for JsonFields<'a> {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = JsonFields<'de>;
            fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<JsonFields<'de>, M::Error> {
                #[derive(Deserialize)]
                struct Key<'k>(#[serde(borrow)] Cow<'k, str>);
                let mut fields: Vec<(Cow<str>, &RawValue)> = Vec::with_capacity(12);
                let mut further: HashSet<Cow<str>> = HashSet::new();
                while let Some(Key(key)) = map.next_key()? {
                    let few = &fields[..fields.len().min(FEW_KEYS)];
                    let is_known = few.iter().any(|(name, _)| *name == key);
                    if is_known || fields.len() >= FEW_KEYS && !further.insert(key.clone()) {
                        return Err(serde::de::Error::custom(format_args!(
                            "duplicate key {:?}",
                            start_of(&key)
                        )));
                    }
                    if fields.len() == MAX_KEYS {
                        return Err(serde::de::Error::custom(format_args!("more than {MAX_KEYS} keys")));
                    }
                    fields.push((key, map.next_value()?));
                }
                Ok(JsonFields(fields))
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn a_string_has_the_text_that_the_parser_finds() {
        let check = |json: &str, is_quick: bool| {
            assert_eq!(string("a", json).ok(), serde_json::from_str(json).ok(), "{json}");
            assert_eq!(decoded(json).is_some(), is_quick, "{json}");
        };
        check(r#""""#, true);
        check(r#""a""#, true);
        check(r#""\n\\n\"\/\t\r""#, true);
        check(r#""é🦀\né""#, true);
        check(r#""\b\f""#, false);
        check(r#""\u00e9\ud83e\udd80 \u0000""#, false);
        check(r#""\ud83e""#, false);
    }

    #[test]
    fn half_a_surrogate_pair_is_an_error_of_the_json() {
        let error = string("title", r#""a\ud83e""#).unwrap_err();
        assert!(error.starts_with("title: "), "{error}");
    }

    proptest! {
        #[test]
        fn every_text_survives(text in "\\PC*|[\\\\\"/\n\r\t\u{8}\u{c}\u{0}a-cé🦀]{0,40}") {
            let json = serde_json::to_string(&text).unwrap();
            prop_assert_eq!(string("a", &json).unwrap(), text);
        }
    }
}
