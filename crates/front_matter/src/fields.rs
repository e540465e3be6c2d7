//! The keys of front matter, by the names that the API gives them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The fields of a page as front matter gives them, unchecked. `None` means that the key is missing or null.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Fields {
    pub title: Option<String>,
    pub slug: Option<String>,
    pub content_type: Option<String>,
    pub section: Option<String>,
    pub description: Option<String>,
    pub tags: Option<Vec<String>>,
    pub draft: Option<bool>,
    pub published_at: Option<String>,
    pub api_endpoint: Option<String>,
    /// Not a field of a page: the API refuses it, and that must not be lost.
    pub password: Option<String>,
    /// `params`, and every key that is no field of a page.
    pub params: Map<String, Value>,
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("keys and values")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Fields, M::Error> {
        let (mut fields, mut params) = (Fields::default(), None::<Map<String, Value>>);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "title" => set(&mut fields.title, "title", &mut map)?,
                "slug" => set(&mut fields.slug, "slug", &mut map)?,
                "contentType" | "content_type" | "type" => {
                    set(&mut fields.content_type, "contentType", &mut map)?;
                }
                "section" => set(&mut fields.section, "section", &mut map)?,
                "description" => set(&mut fields.description, "description", &mut map)?,
                "tags" => set(&mut fields.tags, "tags", &mut map)?,
                "draft" => set(&mut fields.draft, "draft", &mut map)?,
                "publishedAt" | "published_at" | "date" => {
                    set(&mut fields.published_at, "publishedAt", &mut map)?;
                }
                "apiEndpoint" | "api_endpoint" => set(&mut fields.api_endpoint, "apiEndpoint", &mut map)?,
                "password" => set(&mut fields.password, "password", &mut map)?,
                "params" => set(&mut params, "params", &mut map)?,
                _ => drop(fields.params.insert(key, map.next_value()?)),
            }
        }
        for (key, value) in params.unwrap_or_default() {
            if fields.params.contains_key(&key) {
                return Err(M::Error::custom(format_args!("{key} is given twice, here and in params")));
            }
            fields.params.insert(key, value);
        }
        Ok(fields)
    }
}

/// A field may have several names, but only one value.
fn set<'de, T: Deserialize<'de>, M: MapAccess<'de>>(
    field: &mut Option<T>,
    name: &str,
    map: &mut M,
) -> Result<(), M::Error> {
    let value: Option<T> = map.next_value().map_err(|error| match error.to_string() {
        // It says where it is, and a new error would not.
        text if text.contains(" at line ") => error,
        text => M::Error::custom(format_args!("{name}: {text}")),
    })?;
    if field.is_some() {
        return Err(M::Error::custom(format_args!("{name} is given twice")));
    }
    *field = value;
    Ok(())
}
