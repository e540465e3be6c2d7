//! The snapshot of a build: the state of the site at one moment, and the changes since the newest release.

use generator::{Page, PageParams, Settings};
use model::{ApiEndpoint, PageId, SiteId, Timestamp};
use store::building::{Claim, Seen};
use store::files::Cursor;
use store::pages::Changed;
use store::releases::{self, Release};
use store::{Tx, files, former, hosts, pages, sites, texts};

use super::lease::{Stop, hold};
use crate::steps::in_steps;
use crate::{Error, Publisher};

/// Pages that are read at a time.
const PART: i64 = 500;
/// Rows of one transaction.
const UNDO_ROWS: i64 = 4000;

pub(super) struct Snapshot {
    pub title: String,
    pub origin: String,
    pub settings: Settings,
    /// The newest release; `None` before the first build.
    pub base: Option<Release>,
    /// The pages that the base shows. `None`: the build starts from scratch, or the index is cached.
    pub before: Option<BasePages>,
    pub from_scratch: bool,
    /// Pages that changed; `None` for those that are not shown.
    pub pages: Vec<(PageId, Option<Page>)>,
    pub former: Vec<(String, PageId)>,
    pub index: Option<generator::Site>,
    pub next: Next,
    /// For the lease: the texts that must be kept for the build.
    pub seen: Seen,
}

pub(super) struct BasePages {
    pub pages: Vec<Page>,
    pub former: Vec<(String, PageId)>,
}

/// The state that the release will show.
#[derive(Debug, Clone)]
pub(super) struct Next {
    /// The number of the newest release.
    pub base: Option<i64>,
    pub version: i64,
    pub as_of: Timestamp,
    pub made_with: String,
}

impl Next {
    /// The number of the new release, if there will be one.
    pub fn number(&self) -> i64 {
        self.base.map_or(1, |base| base + 1)
    }
}

impl Publisher {
    /// `None`: the site is deleted.
    pub(super) async fn snapshot(&self, claim: &Claim) -> Result<Option<Snapshot>, Stop> {
        let site = claim.site;
        self.undo_unfinished(claim).await?;
        let (clock, indexes, settings) = (self.clock.clone(), self.indexes.clone(), self.settings.clone());
        let snapshot = self.read(move |tx| {
            let Some(row) = sites::get(tx, site)? else { return Ok(None) };
            let mut owner = owners_settings(tx, site)?;
            if !settings.custom_head {
                owner.head = None;
            }
            let origin = settings.main_url(&row.name, &hosts::list(tx, site)?);
            let made_with = made_with(&origin, row.name.as_str(), &owner);
            let base = releases::newest(tx, site)?;
            let now = clock.now();
            let reusable = base.as_ref().filter(|base| base.made_with == made_with);
            let (after, since) = reusable.map_or((-1, Timestamp::MIN), |base| (base.version, base.as_of));
            let index = reusable.and_then(|base| indexes.take(site, base.number));
            let before = match (reusable, &index) {
                (Some(base), None) => Some(BasePages {
                    pages: files::pages(tx, site, read_meta)?,
                    former: former::between(tx, site, -1, base.version)?,
                }),
                _ => None,
            };
            let number = base.as_ref().map(|base| base.number);
            let seen = Seen { version: row.version, texts_below: texts::below(tx)? };
            Ok(Some(Snapshot {
                title: row.name.as_str().to_owned(),
                origin,
                settings: owner,
                from_scratch: reusable.is_none(),
                before,
                index,
                pages: changed(tx, site, (after, row.version), (since, now))?,
                former: former::between(tx, site, after, row.version)?,
                next: Next { base: number, version: row.version, as_of: now, made_with },
                base,
                seen,
            }))
        });
        Ok(snapshot.await?)
    }

    /// Undoes the rows of a build whose worker died.
    async fn undo_unfinished(&self, claim: &Claim) -> Result<(), Stop> {
        let claim = *claim;
        let staged = self.peek(move |tx| Ok(files::staged(tx, claim.site)?)).await?;
        if staged.is_none() {
            return Ok(());
        }
        let undo = move |tx: &mut Tx, from: &Cursor| {
            hold(tx, &claim)?;
            let newest = releases::newest(tx, claim.site)?.map_or(0, |release| release.number);
            Ok(files::undo(tx, claim.site, newest, from, UNDO_ROWS)?)
        };
        in_steps(&self.store, Cursor::default(), undo).await
    }
}

pub(crate) fn owners_settings(tx: &mut Tx, site: SiteId) -> Result<Settings, Error> {
    let text = sites::settings(tx, site)?.unwrap_or_default();
    serde_json::from_str(&text).map_err(|error| Error::Internal(format!("stored settings: {error}")))
}

fn read_meta(meta: &str) -> Result<Page, store::Error> {
    serde_json::from_str(meta).map_err(|error| store::Error::Internal(format!("a remembered page: {error}")))
}

/// When this changes, every page has to be generated again.
fn made_with(origin: &str, title: &str, settings: &Settings) -> String {
    let settings = serde_json::to_string(settings).unwrap_or_default();
    let inputs = [generator::VERSION, origin, title, &settings].join("\0");
    blake3::hash(inputs.as_bytes()).to_hex().to_string()
}

/// Pages that changed, as the site will show them. Drafts, deleted pages and those dated in the future are not shown.
/// They are read in parts, because params may be long.
fn changed(
    tx: &mut Tx,
    site: SiteId,
    versions: (i64, i64),
    times: (Timestamp, Timestamp),
) -> Result<Vec<(PageId, Option<Page>)>, Error> {
    let mut pages = Vec::new();
    let mut part = pages::changed(tx, site, versions, None, PART)?;
    while let Some(last) = part.last().map(Changed::place) {
        read_part(tx, &part, times.1, &mut pages)?;
        part = pages::changed(tx, site, versions, Some(last), PART)?;
    }
    let due = pages::due(tx, site, times, versions.0)?;
    for part in due.chunks(PART as usize) {
        read_part(tx, part, times.1, &mut pages)?;
    }
    Ok(pages)
}

fn read_part(
    tx: &mut Tx,
    part: &[Changed],
    now: Timestamp,
    pages: &mut Vec<(PageId, Option<Page>)>,
) -> Result<(), Error> {
    let shown = |Changed { page, deleted, .. }: &Changed| {
        // The clock of the server that wrote it may be ahead, and only pages that it dated in the future become due later.
        let latest = now.max(page.updated_at);
        !deleted && !page.draft && page.published_at <= latest
    };
    for changed in part {
        let page = match shown(changed) {
            true => Some(read(tx, &changed.page)?),
            false => None,
        };
        pages.push((changed.page.id, page));
    }
    Ok(())
}

fn read(tx: &mut Tx, page: &pages::Page) -> Result<Page, Error> {
    let tags =
        serde_json::from_str(&page.tags).map_err(|error| Error::Internal(format!("stored tags: {error}")))?;
    let endpoint = page.api_endpoint.as_deref().map(ApiEndpoint::parse).transpose();
    let params = page.params.map(|params| texts::body(tx, params.id)).transpose()?.flatten();
    Ok(Page {
        id: page.id,
        key: page.key.clone(),
        section_spelling: page.section_spelling.clone(),
        title: page.title.clone(),
        description: page.description.clone(),
        tags,
        published_at: page.published_at,
        updated_at: page.updated_at,
        api_endpoint: endpoint.map_err(Error::Internal)?.flatten(),
        params: PageParams::read(params.as_deref()),
        content: page.content.map(|text| text.id.0),
        summary: String::new(),
        feed_bytes: 0,
    })
}
