//! A page in the index, without its text.

use model::{ApiEndpoint, ContentType, PageId, PageKey, Section, Slug, Timestamp};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

use crate::{PageParams, Settings, inline, text};

/// A visible page: not a draft, not deleted, not dated in the future.
///
/// Stored as JSON between builds, so field names are short and absent values are omitted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    pub id: PageId,
    #[serde(with = "key_as_text")]
    pub key: PageKey,
    /// Its section as typed, if that has capitals.
    #[serde(rename = "k", default, skip_serializing_if = "Option::is_none")]
    pub section_spelling: Option<String>,
    #[serde(rename = "t")]
    pub title: String,
    #[serde(rename = "d", default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    #[serde(rename = "p", with = "micros")]
    pub published_at: Timestamp,
    #[serde(rename = "u", with = "micros")]
    pub updated_at: Timestamp,
    #[serde(rename = "e", default, with = "endpoint_as_text", skip_serializing_if = "Option::is_none")]
    pub api_endpoint: Option<ApiEndpoint>,
    #[serde(default, skip_serializing_if = "PageParams::is_default")]
    pub params: PageParams,
    /// Identifies the stored text; opaque to the generator.
    #[serde(rename = "c", default, skip_serializing_if = "Option::is_none")]
    pub content: Option<i64>,
    /// The beginning of its text; known once the page has been generated.
    #[serde(rename = "s", default, skip_serializing_if = "String::is_empty")]
    pub summary: String,
    /// The size of its HTML in a feed, in bytes; known at the same time.
    #[serde(rename = "b", default, skip_serializing_if = "is_zero")]
    pub feed_bytes: usize,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl Page {
    /// Shown below the title in lists, and used as `<meta name="description">`.
    pub(crate) fn blurb(&self) -> &str {
        self.description.as_deref().unwrap_or(&self.summary)
    }

    /// The title for navigation.
    pub(crate) fn short_title(&self) -> &str {
        self.params.link_title.as_deref().unwrap_or(&self.title)
    }

    /// Whether everything that *other* files use of this page, and its position in lists, is the same; the blurb aside.
    pub(crate) fn same_listing(&self, other: &Page) -> bool {
        self.key == other.key
            && self.section_spelling == other.section_spelling
            && self.title == other.title
            && self.tags == other.tags
            && self.published_at == other.published_at
            && self.api_endpoint == other.api_endpoint
            && self.params == other.params
    }

    /// Whether search engines should index this URL: not if the page was first published elsewhere.
    pub(crate) fn is_for_search(&self) -> bool {
        !self.params.noindex && self.params.canonical.is_none()
    }

    /// Cleans up the title: one line, no characters that HTML or XML forbid, never empty, and with the punctuation of
    /// the page's language. A page that is cleaned up again stays the same.
    pub(crate) fn tidied(mut self, settings: &Settings) -> Page {
        text::tidy(&mut self.title);
        if self.title.is_empty() {
            self.title = self.key.slug.as_str().to_owned();
        }
        self.description = self.description.take().and_then(text::tidied);
        self.tags = self.tags.drain(..).filter_map(text::tidied).collect();
        text::tidy(&mut self.summary);
        if let Some(quotes) = settings.style(self.params.lang.as_deref()).quotes {
            let texts = [Some(&mut self.title), self.description.as_mut(), self.params.link_title.as_mut()];
            texts.into_iter().flatten().for_each(|text| inline::punctuate(text, quotes));
        }
        self
    }
}

mod key_as_text {
    use super::*;

    pub fn serialize<S: Serializer>(key: &PageKey, serializer: S) -> Result<S::Ok, S::Error> {
        let PageKey { content_type, section, slug } = key;
        serializer.collect_str(&format_args!(
            "{}/{}/{}",
            content_type.as_str(),
            section.as_str(),
            slug.as_str()
        ))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PageKey, D::Error> {
        let text = std::borrow::Cow::<str>::deserialize(deserializer)?;
        let mut parts = text.splitn(3, '/').map(str::to_owned);
        let mut part = || parts.next().unwrap_or_default();
        Ok(PageKey {
            content_type: ContentType::parse(&part()).map_err(D::Error::custom)?,
            section: Section::parse(&part()).map_err(D::Error::custom)?,
            slug: Slug::parse(&part()).map_err(D::Error::custom)?,
        })
    }
}

mod micros {
    use super::*;

    pub fn serialize<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_i64(time.micros())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        i64::deserialize(deserializer).map(Timestamp::from_micros)
    }
}

mod endpoint_as_text {
    use super::*;

    pub fn serialize<S: Serializer>(endpoint: &Option<ApiEndpoint>, s: S) -> Result<S::Ok, S::Error> {
        endpoint.as_ref().map(ApiEndpoint::as_str).serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ApiEndpoint>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?.unwrap_or_default();
        ApiEndpoint::parse(&text).map_err(D::Error::custom)
    }
}
