//! What a build starts from: one moment of the site, and what changed since the newest release.

use generator::{Page, PageParams, Settings};
use model::{ApiEndpoint, PageId, SiteId, Timestamp};
use store::releases::{self, Release};
use store::texts::{self, TextId};
use store::{Tx, files, former, hosts, pages, sites};

use crate::{Error, Publisher};

pub(super) struct Snapshot {
    pub title: String,
    pub origin: String,
    pub settings: Settings,
    /// The newest release; `None` before the first build.
    pub base: Option<Release>,
    /// The pages that the base shows. `None`: the build starts from nothing, or the index is at hand.
    pub before: Option<Before>,
    pub from_nothing: bool,
    /// Pages that changed; `None` for those that are not to be seen (any more).
    pub pages: Vec<(PageId, Option<Page>)>,
    pub former: Vec<(String, PageId)>,
    pub index: Option<generator::Site>,
    pub next: Next,
}

pub(super) struct Before {
    pub pages: Vec<Page>,
    pub former: Vec<(String, PageId)>,
}

/// What the release will stand for.
#[derive(Debug, Clone)]
pub(super) struct Next {
    pub version: i64,
    pub as_of: Timestamp,
    pub made_with: String,
}

impl Publisher {
    /// `None`: the site is gone.
    pub(super) async fn snapshot(&self, site: SiteId) -> Result<Option<Snapshot>, Error> {
        self.undo_unfinished(site).await?;
        let (clock, indexes, settings) = (self.clock.clone(), self.indexes.clone(), self.settings.clone());
        self.store
            .read(move |tx| {
                let Some(row) = sites::get(tx, site)? else { return Ok(None) };
                let owner = owners_settings(tx, site)?;
                let origin = match hosts::list(tx, site)?.first() {
                    Some(host) => format!("{}://{host}", settings.domain_scheme),
                    None => settings.deploy_url(&row.name),
                };
                let made_with = made_with(&origin, row.name.as_str(), &owner);
                let base = releases::newest(tx, site)?;
                let now = clock.now();
                let reusable = base.as_ref().filter(|base| base.made_with == made_with);
                let (after, since) = reusable.map_or((-1, Timestamp::MIN), |base| (base.version, base.as_of));
                let changed = pages::changed(tx, site, (after, row.version), (since, now))?;
                let index = reusable.and_then(|base| indexes.take(site, base.number));
                let before = match (reusable, &index) {
                    (Some(base), None) => Some(Before {
                        pages: files::pages(tx, site, read_meta)?,
                        former: former::between(tx, site, -1, base.version)?,
                    }),
                    _ => None,
                };
                Ok(Some(Snapshot {
                    title: row.name.as_str().to_owned(),
                    origin,
                    settings: owner,
                    from_nothing: reusable.is_none(),
                    before,
                    index,
                    pages: visible(tx, changed, now)?,
                    former: former::between(tx, site, after, row.version)?,
                    next: Next { version: row.version, as_of: now, made_with },
                    base,
                }))
            })
            .await
    }

    /// Takes back what a build wrote down whose worker died.
    async fn undo_unfinished(&self, site: SiteId) -> Result<(), Error> {
        let staged = self.store.peek(move |tx| Ok::<_, Error>(files::staged(tx, site)?)).await?;
        if staged.is_none() {
            return Ok(());
        }
        self.store
            .write(move |tx| {
                let newest = releases::newest(tx, site)?.map_or(0, |release| release.number);
                Ok(files::undo(tx, site, newest)?)
            })
            .await
    }
}

pub(crate) fn owners_settings(tx: &mut Tx, site: SiteId) -> Result<Settings, Error> {
    let text = sites::settings(tx, site)?.unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| Error::Internal(format!("stored settings: {error}")))
}

fn read_meta(meta: &str) -> Result<Page, store::Error> {
    serde_json::from_str(meta).map_err(|error| store::Error::Internal(format!("a remembered page: {error}")))
}

/// When this differs, every page may look different.
fn made_with(origin: &str, title: &str, settings: &Settings) -> String {
    let settings = serde_json::to_string(settings).unwrap_or_default();
    let inputs = [generator::VERSION, origin, title, &settings].join("\0");
    blake3::hash(inputs.as_bytes()).to_hex().to_string()
}

/// Drafts, deleted pages and those dated in the future are not seen.
fn visible(
    tx: &mut Tx,
    changed: pages::Changed,
    now: Timestamp,
) -> Result<Vec<(PageId, Option<Page>)>, Error> {
    let shown =
        |page: &pages::Page| !page.draft && page.published_at <= now && !changed.deleted.contains(&page.id);
    let params: Vec<TextId> =
        changed.pages.iter().filter(|page| shown(page)).filter_map(|page| page.params).collect();
    let params = texts::bodies(tx, &params)?;
    let read = |page: &pages::Page| -> Result<Page, Error> {
        let tags = serde_json::from_str(&page.tags)
            .map_err(|error| Error::Internal(format!("stored tags: {error}")))?;
        let endpoint = page.api_endpoint.as_deref().map(ApiEndpoint::parse).transpose();
        let params_text = page.params.and_then(|id| params.get(&id)).map(String::as_str);
        Ok(Page {
            id: page.id,
            key: page.key.clone(),
            title: page.title.clone(),
            description: page.description.clone(),
            tags,
            published_at: page.published_at,
            updated_at: page.updated_at,
            api_endpoint: endpoint.map_err(Error::Internal)?.flatten(),
            params: PageParams::read(params_text),
            content: page.content.map(|id| id.0),
            summary: String::new(),
        })
    };
    let pages = changed.pages.iter();
    pages.map(|page| Ok((page.id, shown(page).then(|| read(page)).transpose()?))).collect()
}
