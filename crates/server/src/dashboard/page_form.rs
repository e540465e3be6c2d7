//! The fields of a page as a person types them, and the page that they mean.

use std::collections::BTreeMap;

use api::PageInput;
use model::{ApiEndpoint, ContentType, PageId, PageKey, Section, Slug, Timestamp};
use publisher::{FieldErrors, PreviewPage, StoredPage};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::fields::Fields;
use super::params_form;

/// Kept as JSON while it is not saved.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct PageForm {
    pub(super) title: String,
    pub(super) slug: String,
    pub(super) content_type: String,
    pub(super) section: String,
    pub(super) description: String,
    /// Separated by commas.
    pub(super) tags: String,
    pub(super) content: String,
    pub(super) draft: bool,
    pub(super) published_at: String,
    pub(super) api_endpoint: String,
    /// The params that have their own fields, by name.
    pub(super) known: BTreeMap<String, String>,
    /// The others, as JSON.
    pub(super) params: String,
    /// The version that the person has read; 0 for a new page.
    pub(super) version: i64,
}

impl PageForm {
    pub(super) fn empty() -> PageForm {
        PageForm { content_type: ContentType::Blog.as_str().to_owned(), ..PageForm::default() }
    }

    pub(super) fn of(stored: &StoredPage) -> PageForm {
        let page = &stored.page;
        let tags: Vec<String> = serde_json::from_str(&page.tags).unwrap_or_default();
        let section = page.section_spelling.clone();
        let (known, params) = params_form::split(&stored.params);
        PageForm {
            title: page.title.clone(),
            slug: page.key.slug.as_str().to_owned(),
            content_type: page.key.content_type.as_str().to_owned(),
            section: section.unwrap_or_else(|| page.key.section.as_str().to_owned()),
            description: page.description.clone().unwrap_or_default(),
            tags: tags.join(", "),
            content: stored.content.clone(),
            draft: page.draft,
            published_at: page.published_at.to_string(),
            api_endpoint: page.api_endpoint.clone().unwrap_or_default(),
            known,
            params,
            version: stored.version,
        }
    }

    pub(super) fn submitted(fields: &Fields) -> PageForm {
        PageForm {
            title: fields.get("title"),
            slug: fields.get("slug"),
            content_type: fields.get("contentType"),
            section: fields.get("section"),
            description: fields.get("description"),
            tags: fields.get("tags"),
            content: fields.get("content"),
            draft: fields.has("draft"),
            published_at: fields.get("publishedAt").trim().to_owned(),
            api_endpoint: fields.get("apiEndpoint"),
            known: params_form::submitted(fields),
            params: fields.get("params"),
            version: fields.get("version").parse().unwrap_or_default(),
        }
    }

    /// The page as a client of the API would send it. What the person left as it was is left out where the form cannot
    /// show it exactly.
    pub(super) fn page(&self, stored: Option<&StoredPage>) -> Result<PageInput, FieldErrors> {
        let before = stored.map(PageForm::of).unwrap_or_default();
        let changed = |now: &str, before: &str| (now != before).then(|| now.to_owned());
        Ok(PageInput {
            id: stored.map(|stored| PageId::clone(&stored.page.id).0),
            // Without a slug the page keeps its own, or gets one from the title.
            slug: Some(self.slug.trim().to_owned()).filter(|slug| !slug.is_empty()),
            title: Some(self.title.clone()),
            content: Some(self.content.clone()),
            content_type: Some(content_type(&self.content_type)?),
            section: Some(self.section.trim().to_owned()),
            description: Some(self.description.clone()),
            draft: Some(self.draft),
            tags: (self.tags != before.tags).then(|| self.tags().collect()),
            published_at: changed(&self.published_at, &before.published_at).filter(|time| !time.is_empty()),
            params: self.params(&before)?,
            api_endpoint: changed(self.api_endpoint.trim(), &before.api_endpoint),
        })
    }

    fn params(&self, before: &PageForm) -> Result<Option<Box<RawValue>>, FieldErrors> {
        match (&self.known, &self.params) == (&before.known, &before.params) {
            true => Ok(None),
            false => params_form::merge(&self.known, &self.params).map(Some),
        }
    }

    /// The page as far as it is right by now: what is wrong is left out.
    pub(super) fn preview(&self) -> PreviewPage {
        let optional = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let (section, section_spelling) =
            Section::parse_typed(self.section.trim()).unwrap_or((Section::none(), None));
        let slug = Slug::parse(self.slug.trim()).ok().or_else(|| Slug::from_title(&self.title));
        let mut key = PageKey {
            content_type: ContentType::parse(&self.content_type).unwrap_or(ContentType::Blog),
            section,
            slug: slug.unwrap_or_else(|| Slug::from_title("preview").expect("a word is a slug")),
        };
        if key.reserved().is_some() {
            key.content_type = ContentType::Blog;
        }
        let params = params_form::merge(&self.known, &self.params);
        PreviewPage {
            key,
            section_spelling,
            title: optional(&self.title).unwrap_or_else(|| "Untitled".to_owned()),
            description: optional(&self.description),
            tags: self.tags().collect(),
            published_at: Timestamp::parse_iso(&self.published_at).ok(),
            api_endpoint: ApiEndpoint::parse(self.api_endpoint.trim()).ok().flatten(),
            params: params.map(|json| json.get().to_owned()).unwrap_or_default(),
            content: self.content.clone(),
        }
    }

    fn tags(&self) -> impl Iterator<Item = String> {
        self.tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned)
    }
}

fn content_type(name: &str) -> Result<api::ContentType, FieldErrors> {
    match ContentType::parse(name) {
        Ok(ContentType::Blog) => Ok(api::ContentType::Blog),
        Ok(ContentType::Docs) => Ok(api::ContentType::Docs),
        Ok(ContentType::Homepage) => Ok(api::ContentType::Homepage),
        Ok(ContentType::Standalone) => Ok(api::ContentType::Standalone),
        Err(message) => Err(FieldErrors::from([("contentType", message)])),
    }
}
