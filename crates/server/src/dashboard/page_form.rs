//! The fields of a page as a person types them, and the page that they mean.

use api::PageInput;
use model::{ContentType, PageId};
use publisher::{FieldErrors, StoredPage};
use serde_json::value::RawValue;

use super::fields::Fields;

#[derive(Default)]
pub(super) struct PageForm {
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
            params: stored.params.clone(),
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
            params: fields.get("params"),
            version: fields.get("version").parse().unwrap_or_default(),
        }
    }

    /// The page as a client of the API would send it. What the person left as it was is left out where the form cannot
    /// show it exactly.
    pub(super) fn page(&self, stored: Option<&StoredPage>) -> Result<PageInput, FieldErrors> {
        let before = stored.map(PageForm::of).unwrap_or_default();
        let tags = self.tags.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned);
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
            tags: (self.tags != before.tags).then(|| tags.collect()),
            published_at: changed(&self.published_at, &before.published_at).filter(|time| !time.is_empty()),
            params: self.params(&before)?,
            api_endpoint: changed(self.api_endpoint.trim(), &before.api_endpoint),
        })
    }

    fn params(&self, before: &PageForm) -> Result<Option<Box<RawValue>>, FieldErrors> {
        if self.params == before.params {
            return Ok(None);
        }
        let json = if self.params.trim().is_empty() { "{}" } else { self.params.trim() };
        let wrong = |error| FieldErrors::from([("params", format!("params must be JSON: {error}"))]);
        RawValue::from_string(json.to_owned()).map(Some).map_err(wrong)
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
