//! Checks one entry of `pages`: from JSON text to checked fields, with all errors.

use model::limits::TAGS_PER_PAGE;
use model::{
    ApiEndpoint, Content, ContentType, Description, PageId, Params, Section, Slug, Tags, Timestamp, Title,
};
use serde_json::value::RawValue;

use super::fields::{JsonFields, string};
use crate::FieldErrors;

/// A checked entry. `None` means omitted: the stored value stays.
#[derive(Debug, Clone)]
pub struct Entry {
    pub identity: Identity,
    pub content_type: Option<ContentType>,
    pub section: Option<Section>,
    /// The section as it was sent, if it has capitals.
    pub section_spelling: Option<String>,
    pub title: Option<Title>,
    pub description: Option<Description>,
    pub draft: Option<bool>,
    pub tags: Option<Tags>,
    pub published_at: Option<Timestamp>,
    /// `Some(None)` removes it.
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
    /// The slug was derived from the title.
    Auto(Slug),
    /// A field that identifies the page is invalid, so the page is not looked up. A valid id still says that this page
    /// is part of the batch.
    Unusable {
        id: Option<PageId>,
    },
}

/// A long text, which is kept separately from its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRef {
    Empty,
    /// The text with this number among all texts of the request.
    Number(usize),
}

/// Which of an entry's long texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LongText {
    Content,
    Params,
}

/// Checks the JSON text of one entry. The long texts are handed to `keep`, which numbers them.
/// `Err`: it is not a JSON object.
pub fn check_entry(json: &str, keep: impl FnMut(LongText, String) -> usize) -> Result<Entry, String> {
    let fields = JsonFields::parse(json)?;
    Checker { fields, errors: FieldErrors::new(), keep }.check()
}

/// Every field of a page: those of `api::PageInput`, and `password`, which is refused.
pub(crate) const PAGE_FIELDS: [&str; 13] = [
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
    "password",
];

struct Checker<'a, K> {
    fields: JsonFields<'a>,
    errors: FieldErrors,
    keep: K,
}

impl<K: FnMut(LongText, String) -> usize> Checker<'_, K> {
    fn check(mut self) -> Result<Entry, String> {
        let id =
            self.text("id", |text| PageId::parse(&text).ok_or_else(|| "id must be a UUID".to_owned()))?;
        let slug = self.text("slug", |text| match text.is_empty() {
            true => Ok(None),
            false => Slug::parse(&text).map(Some),
        })?;
        let content_type = self.text("contentType", |text| ContentType::parse(&text))?;
        let section = self.text("section", |text| Section::parse_typed(&text))?;
        let (section, section_spelling) = section.unzip();
        let title = self.text("title", Title::parse)?;
        let description = self.text("description", Description::parse)?;
        let published_at = self.text("publishedAt", |text| {
            Timestamp::parse_iso(&text).map_err(|message| format!("publishedAt {message}"))
        })?;
        let api_endpoint = self.text("apiEndpoint", |text| ApiEndpoint::parse(&text))?;
        let draft = self.draft()?;
        let tags = self.tags()?;
        self.refuse_password();
        let identity = self.identity(id, slug.flatten(), title.as_ref());
        let content = self.text("content", Content::parse)?.map(Content::into_string);
        let params = self.params();
        Ok(Entry {
            content: content.map(|text| self.keep_text(LongText::Content, text, "")),
            params: params.map(|params| self.keep_text(LongText::Params, params.into_json(), "{}")),
            errors: self.errors,
            identity,
            content_type,
            section,
            section_spelling: section_spelling.flatten(),
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

    fn get(&self, field: &'static str) -> Option<&str> {
        debug_assert!(PAGE_FIELDS.contains(&field), "{field} is missing in PAGE_FIELDS");
        self.fields.get(field)
    }

    fn any_bad(&self, fields: &[&str]) -> bool {
        fields.iter().any(|field| self.errors.contains_key(field))
    }

    /// The slug derived from the title; without a usable title an error is recorded.
    fn slug_from(&mut self, title: Option<&Title>) -> Option<Slug> {
        let slug = title.and_then(|title| Slug::from_title(title.as_str()));
        if slug.is_none() && !self.any_bad(&["title"]) {
            let message = match title.is_none_or(Title::is_blank) {
                true => super::decide::TITLE_REQUIRED,
                false => "title has no letters or digits to make a slug from; give a slug",
            };
            self.errors.insert("title", message.into());
        }
        slug
    }

    /// A text field. A value of another type, or one that `parse` refuses, is recorded as an error of the field.
    fn text<T>(
        &mut self,
        field: &'static str,
        parse: impl FnOnce(String) -> Result<T, String>,
    ) -> Result<Option<T>, String> {
        let Some(json) = self.get(field) else { return Ok(None) };
        let value = match json.starts_with('"') {
            true => parse(string(field, json)?),
            false => Err(format!("{field} must be a string")),
        };
        Ok(self.note(field, value))
    }

    fn draft(&mut self) -> Result<Option<bool>, String> {
        let Some(json) = self.get("draft") else { return Ok(None) };
        let value = match json {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("draft must be true or false".to_owned()),
        };
        Ok(self.note("draft", value))
    }

    fn tags(&mut self) -> Result<Option<Tags>, String> {
        let Some(json) = self.get("tags") else { return Ok(None) };
        let not_strings = || "tags must be an array of strings".to_owned();
        let value = match serde_json::from_str::<Vec<&RawValue>>(json) {
            // Checked before they are decoded: there may be a million.
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

    /// Publishing a page openly that was meant to be protected is worse than refusing it.
    fn refuse_password(&mut self) {
        if self.get("password").is_some_and(|json| json != "\"\"") {
            let message = "a page cannot have a password: only a whole site can (recto site password)";
            self.errors.insert("password", message.into());
        }
    }

    fn params(&mut self) -> Option<Params> {
        let json = self.get("params")?;
        let value = Params::parse(json);
        self.note("params", value)
    }

    fn note<T>(&mut self, field: &'static str, value: Result<T, String>) -> Option<T> {
        value.map_err(|message| self.errors.insert(field, message)).ok()
    }

    fn keep_text(&mut self, which: LongText, text: String, empty: &str) -> TextRef {
        if text == empty { TextRef::Empty } else { TextRef::Number((self.keep)(which, text)) }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use api::PageInput;
    use serde_json::{Map, Value, json};

    use super::*;

    fn errors(page: &Value) -> BTreeSet<String> {
        let entry = check_entry(&page.to_string(), |_, _| 0).unwrap();
        entry.errors.keys().map(|field| (*field).to_owned()).collect()
    }

    #[test]
    fn the_api_describes_every_field_that_is_read() {
        let text = |text: &str| Some(text.to_owned());
        // Every field is named here: a new one does not compile until it is added.
        let full = PageInput {
            id: Some("01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap()),
            slug: text("slug"),
            title: text("Title"),
            content: text("content"),
            content_type: Some(api::ContentType::Docs),
            section: text("section"),
            description: text("description"),
            draft: Some(true),
            tags: Some(vec!["tag".into()]),
            published_at: text("2026-01-02"),
            params: Some(RawValue::from_string("{}".into()).unwrap()),
            api_endpoint: text("GET /"),
        };
        let full = serde_json::to_value(&full).unwrap();
        assert_eq!(errors(&full), BTreeSet::new());
        let mut described: BTreeSet<&str> = full.as_object().unwrap().keys().map(String::as_str).collect();
        described.insert("password");
        assert_eq!(described, BTreeSet::from(PAGE_FIELDS));
        // Every one of them is checked: none may be an array of arrays.
        let wrong: Map<String, Value> =
            PAGE_FIELDS.iter().map(|field| ((*field).to_owned(), json!([[]]))).collect();
        let expected = PAGE_FIELDS.iter().map(|field| (*field).to_owned()).collect();
        assert_eq!(errors(&Value::Object(wrong)), expected);
    }
}
