//! The hashes of stored pages. They are computed from columns that a listing reads anyway, except for texts that were
//! stored before there were text hashes: these are read when hashes are requested.

use std::collections::HashMap;

use model::{HashedPage, PageHash, PageId, Params, SiteId, TextHash};
use store::Tx;
use store::pages::{Page, Summary, Unhashed, unhashed};
use store::texts::{self, TextId};

use crate::Error;

/// Hashes of texts whose rows have none: of content and of params.
#[derive(Default)]
pub(super) struct OldTexts(HashMap<PageId, (Option<TextHash>, Option<TextHash>)>);

impl OldTexts {
    pub(super) fn of_site(tx: &mut Tx, site: SiteId) -> Result<OldTexts, Error> {
        let mut hashes = HashMap::new();
        for Unhashed { page, content, params } in unhashed(tx, site)? {
            hashes.insert(page, (hash(tx, content, content_hash)?, hash(tx, params, params_hash)?));
        }
        Ok(OldTexts(hashes))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn hash_of(&self, page: &Summary) -> serde_json::Result<PageHash> {
        let (content, params) = self.0.get(&page.id).copied().unwrap_or_default();
        let tags: Vec<String> = serde_json::from_str(page.tags)?;
        let hashed = HashedPage {
            content_type: page.content_type,
            section: page.section,
            slug: page.slug,
            title: page.title,
            description: page.description.unwrap_or_default(),
            draft: page.draft,
            published_at: page.published_at,
            api_endpoint: page.api_endpoint.unwrap_or_default(),
            content: page.content_hash.or(content),
            params: page.params_hash.or(params),
        };
        Ok(hashed.hash(tags))
    }
}

fn hash(
    tx: &mut Tx,
    text: Option<TextId>,
    of: fn(&str) -> Option<TextHash>,
) -> Result<Option<TextHash>, Error> {
    let Some(id) = text else { return Ok(None) };
    Ok(texts::body(tx, id)?.as_deref().and_then(of))
}

/// `None` for an empty text, which new rows do not store.
fn content_hash(text: &str) -> Option<TextHash> {
    (!text.is_empty()).then(|| TextHash::of(text))
}

fn params_hash(json: &str) -> Option<TextHash> {
    (json != "{}").then(|| Params::stored(json.to_owned()).hash())
}

/// The hash of a page whose texts were read.
pub(super) fn hash_of(page: &Page, tags: &[String], content: &str, params: &str) -> PageHash {
    let Page { key, title, description, draft, published_at, api_endpoint, .. } = page;
    let hashed = HashedPage {
        content_type: key.content_type.as_str(),
        section: key.section.as_str(),
        slug: key.slug.as_str(),
        title,
        description: description.as_deref().unwrap_or_default(),
        draft: *draft,
        published_at: *published_at,
        api_endpoint: api_endpoint.as_deref().unwrap_or_default(),
        content: content_hash(content),
        params: params_hash(params),
    };
    hashed.hash(tags)
}
