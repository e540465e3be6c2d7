//! Reads one page with its content.

use api::PageDetail;
use model::{PageKey, SiteId};
use serde_json::value::RawValue;
use store::pages::Page;
use store::texts::{self, Text};
use store::{Tx, pages};

use super::hash::hash_of;
use crate::accounts::access::site_of;
use crate::{Caller, Error, Publisher};

impl Publisher {
    /// `key` is `None` when the slug or section is invalid; the site is still looked up first.
    pub async fn page(
        &self,
        caller: &Caller,
        site: Option<SiteId>,
        key: Option<PageKey>,
    ) -> Result<PageDetail, Error> {
        let account = caller.account;
        self.read(move |tx| {
            let site = site_of(tx, account, site)?;
            let key = key.as_ref().ok_or(Error::NoSuchPage)?;
            let found = pages::by_slugs(tx, site.id, std::iter::once(key.slug.as_str()))?;
            let page = found.into_iter().find(|page| page.key == *key).ok_or(Error::NoSuchPage)?;
            let content = body(tx, page.content)?.unwrap_or_default();
            let params = body(tx, page.params)?.unwrap_or_else(|| "{}".to_owned());
            detail(page, content, params).map_err(|error| Error::Internal(format!("a stored page: {error}")))
        })
        .await
    }
}

fn body(tx: &mut Tx, text: Option<Text>) -> Result<Option<String>, Error> {
    let Some(text) = text else { return Ok(None) };
    Ok(texts::body(tx, text.id)?)
}

fn detail(page: Page, content: String, params: String) -> serde_json::Result<PageDetail> {
    let tags: Vec<String> = serde_json::from_str(&page.tags)?;
    let hash = hash_of(&page, &tags, &content, &params).to_string();
    Ok(PageDetail {
        id: page.id.0,
        slug: page.key.slug.as_str().to_owned(),
        url: page.key.path(),
        content_type: page.key.content_type.as_str(),
        section: Some(page.key.section.as_str().to_owned()).filter(|section| !section.is_empty()),
        title: page.title,
        description: page.description,
        content,
        draft: page.draft,
        tags,
        api_endpoint: page.api_endpoint,
        params: RawValue::from_string(params)?,
        published_at: page.published_at.to_string(),
        created_at: page.created_at.to_string(),
        updated_at: page.updated_at.to_string(),
        hash,
    })
}
