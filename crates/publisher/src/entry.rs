//! One entry of `pages`: from JSON text to checked fields, every error collected.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use model::limits::TAGS_PER_PAGE;
use model::{
    ApiEndpoint, Content, ContentType, Description, PageId, Params, Section, Slug, Tags, Timestamp, Title,
};
use serde::Deserialize;
use serde::de::{MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::FieldErrors;

/// A checked entry. `None` means omitted: the stored value stays.
#[derive(Debug, Clone)]
pub struct Entry {
    pub identity: Identity,
    pub content_type: Option<ContentType>,
    pub section: Option<Section>,
    pub title: Option<Title>,
    pub description: Option<Description>,
    pub draft: Option<bool>,
    pub tags: Option<Tags>,
    pub published_at: Option<Timestamp>,
    /// `Some(None)` clears the mark.
    pub api_endpoint: Option<Option<ApiEndpoint>>,
    pub content: Option<TextRef>,
    pub params: Option<TextRef>,
    pub errors: FieldErrors,
}

/// How an entry says which page it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Identity {
    /// `slug` is then the new slug, if one is given.
    Id {
        id: PageId,
        slug: Option<Slug>,
    },
    Slug(Slug),
    /// The slug was made from the title.
    Auto(Slug),
    /// A field that identifies the page is itself bad, so it is not looked up. An id that is fine all the same
    /// still says that this page is part of the batch.
    Unusable {
        id: Option<PageId>,
    },
}

/// A long text, which travels apart from its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRef {
    Empty,
    /// The text with this number among all texts of the request.
    Number(usize),
}

/// Checks the JSON text of one entry. The long texts are handed to `keep`, which numbers them.
/// `Err`: this is no object, or no JSON.
pub fn check_entry(json: &str, keep: impl FnMut(String) -> usize) -> Result<Entry, String> {
    let fields = Fields::parse(json)?;
    Checker { fields, errors: FieldErrors::new(), keep }.check()
}

/// Every field of a page that `Checker` reads.
pub(crate) const PAGE_FIELDS: [&str; 12] = [
    "id",
    "slug",
    "title",
    "content",
    "contentType",
    "section",
    "description",
    "draft",
    "tags",
    "publishedAt",
    "params",
    "apiEndpoint",
];

/// More than any client of a newer version sends; they are all remembered, to find one that stands twice.
const MAX_KEYS: usize = 1000;

struct Checker<'a, K> {
    fields: Fields<'a>,
    errors: FieldErrors,
    keep: K,
}

impl<K: FnMut(String) -> usize> Checker<'_, K> {
    fn check(mut self) -> Result<Entry, String> {
        let id =
            self.text("id", |text| PageId::parse(&text).ok_or_else(|| "id must be a UUID".to_owned()))?;
        let slug = self.text("slug", |text| match text.is_empty() {
            true => Ok(None),
            false => Slug::parse(&text).map(Some),
        })?;
        let content_type = self.text("contentType", |text| ContentType::parse(&text))?;
        let section = self.text("section", |text| Section::parse(&text))?;
        let title = self.text("title", Title::parse)?;
        let description = self.text("description", Description::parse)?;
        let published_at = self.text("publishedAt", |text| {
            Timestamp::parse_iso(&text).map_err(|message| format!("publishedAt {message}"))
        })?;
        let api_endpoint = self.text("apiEndpoint", |text| ApiEndpoint::parse(&text))?;
        let draft = self.draft()?;
        let tags = self.tags()?;
        let identity = self.identity(id, slug.flatten(), title.as_ref());
        let content = self.text("content", Content::parse)?.map(Content::into_string);
        let params = self.params();
        Ok(Entry {
            content: content.map(|text| self.keep_text(text, "")),
            params: params.map(|params| self.keep_text(params.into_json(), "{}")),
            errors: self.errors,
            identity,
            content_type,
            section,
            title,
            description,
            draft,
            tags,
            published_at,
            api_endpoint,
        })
    }

    fn identity(&mut self, id: Option<PageId>, slug: Option<Slug>, title: Option<&Title>) -> Identity {
        if id.is_some() && title.is_some_and(Title::is_blank) {
            self.errors.insert("title", "title must not be blank".into());
        }
        let named = id.is_some() || slug.is_some() || self.any_bad(&["id", "slug"]);
        let made = if named { None } else { self.slug_from(title) };
        if self.any_bad(&["id", "slug", "contentType", "section"]) {
            return Identity::Unusable { id };
        }
        match (id, slug, made) {
            (Some(id), slug, _) => Identity::Id { id, slug },
            (None, Some(slug), _) => Identity::Slug(slug),
            (None, None, Some(slug)) => Identity::Auto(slug),
            (None, None, None) => Identity::Unusable { id: None },
        }
    }

    fn any_bad(&self, fields: &[&str]) -> bool {
        fields.iter().any(|field| self.errors.contains_key(field))
    }

    /// The slug that the title gives; a title that is missing or gives none is noted.
    fn slug_from(&mut self, title: Option<&Title>) -> Option<Slug> {
        let slug = title.and_then(|title| Slug::from_title(title.as_str()));
        if slug.is_none() && !self.any_bad(&["title"]) {
            let message = match title.is_none_or(Title::is_blank) {
                true => crate::decide::TITLE_REQUIRED,
                false => "title has no letters or digits to make a slug from; give a slug",
            };
            self.errors.insert("title", message.into());
        }
        slug
    }

    /// A text field. A value of another type, or one that `parse` refuses, is noted under the field's name.
    fn text<T>(
        &mut self,
        field: &'static str,
        parse: impl FnOnce(String) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(json) = self.fields.get(field) else { return Ok(None) };
        let value = match json.starts_with('"') {
            true => parse(string(field, json)?),
            false => Err(format!("{field} must be a string")),
        };
        Ok(self.note(field, value))
    }

    fn draft(&mut self) -> Result<Option<bool>, String> {
        let Some(json) = self.fields.get("draft") else { return Ok(None) };
        let value = match json {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("draft must be true or false".to_owned()),
        };
        Ok(self.note("draft", value))
    }

    fn tags(&mut self) -> Result<Option<Tags>, String> {
        let Some(json) = self.fields.get("tags") else { return Ok(None) };
        let not_strings = || "tags must be an array of strings".to_owned();
        let value = match serde_json::from_str::<Vec<&RawValue>>(json) {
            // Judged before they are unpacked: there may be a million.
            Ok(items) if items.len() > TAGS_PER_PAGE => {
                Err(format!("a page may have at most {TAGS_PER_PAGE} tags, got {}", items.len()))
            }
            Ok(items) if items.iter().all(|item| item.get().starts_with('"')) => {
                Tags::parse(items.iter().map(|item| string("tags", item.get())).collect::<Result<_, _>>()?)
            }
            _ => Err(not_strings()),
        };
        Ok(self.note("tags", value))
    }

    fn params(&mut self) -> Option<Params> {
        let json = self.fields.get("params")?;
        let value = Params::parse(json);
        self.note("params", value)
    }

    fn note<T>(&mut self, field: &'static str, value: Result<T, String>) -> Option<T> {
        value.map_err(|message| self.errors.insert(field, message)).ok()
    }

    fn keep_text(&mut self, text: String, empty: &str) -> TextRef {
        if text == empty { TextRef::Empty } else { TextRef::Number((self.keep)(text)) }
    }
}

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
