//! Lists the releases of a site and what changed with each, and rolls back to one.

use generator::Page;
use model::PageId;
use store::files::{self, PageChange};
use store::releases::{self, Move, Release};
use store::sites::{self, Site};
use uuid::Uuid;

use super::hub;
use crate::builds::owners_settings;
use crate::{Action, Error, Publisher};

/// A release, and whether visitors get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseInfo {
    pub release: Release,
    pub live: bool,
}

/// How a release differs from the one before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseChanges {
    pub added: i64,
    pub changed: i64,
    pub removed: i64,
    /// A part of these pages, in the order of their ids.
    pub pages: Vec<ChangedPage>,
    /// Where the next part begins.
    pub next: Option<PageId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedPage {
    pub id: PageId,
    pub what: PageEvent,
    pub title: String,
    pub url: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageEvent {
    Added,
    Changed,
    Removed,
}

impl PageEvent {
    pub fn as_str(self) -> &'static str {
        match self {
            PageEvent::Added => "added",
            PageEvent::Changed => "changed",
            PageEvent::Removed => "removed",
        }
    }
}

impl Publisher {
    /// At most `most` pages behind `after`. `None`: the release, or the one before it, is not kept any more.
    pub async fn release_changes(
        &self,
        site: &Site,
        release: i64,
        after: Option<PageId>,
        most: usize,
    ) -> Result<Option<ReleaseChanges>, Error> {
        let (id, older) = (site.id, release - 1);
        self.read(move |tx| {
            let kept = releases::list(tx, id)?;
            let is_kept = |number| kept.iter().any(|release| release.number == number);
            if !is_kept(release) || older > 0 && !is_kept(older) {
                return Ok(None);
            }
            let counts = files::count_changes(tx, id, (older, release))?;
            let after = after.unwrap_or(PageId(Uuid::nil()));
            let rows = files::page_changes(tx, id, (older, release), after, most as i64 + 1)?;
            let more = rows.len() > most;
            let pages = rows.into_iter().take(most).map(changed_page).collect::<Result<Vec<_>, _>>()?;
            Ok(Some(ReleaseChanges {
                added: counts.pages - counts.before,
                changed: counts.before + counts.after - counts.pages,
                removed: counts.pages - counts.after,
                next: pages.last().filter(|_| more).map(|page| page.id),
                pages,
            }))
        })
        .await
    }

    /// At most `most` redirects that visitors get at former addresses of pages, behind the path `after`: what leads
    /// there, and where it leads.
    pub async fn redirects(
        &self,
        site: &Site,
        after: &str,
        most: usize,
    ) -> Result<Vec<(String, String)>, Error> {
        let (id, after) = (site.id, after.to_owned());
        self.read(move |tx| match releases::live(tx, id)? {
            Some(live) => Ok(files::redirects(tx, id, live, &after, most as i64)?),
            None => Ok(Vec::new()),
        })
        .await
    }

    /// Newest first.
    pub async fn release_list(&self, site: &Site) -> Result<Vec<ReleaseInfo>, Error> {
        let id = site.id;
        self.read(move |tx| {
            let live = releases::live(tx, id)?;
            let all = releases::list(tx, id)?.into_iter();
            Ok(all.map(|release| ReleaseInfo { live: live == Some(release.number), release }).collect())
        })
        .await
    }

    /// Makes an older release live (`None`: the one before the live one), until the next requested build.
    pub async fn rollback(&self, site: &Site, to: Option<i64>) -> Result<i64, Error> {
        let (id, name, log) = (site.id, site.name.clone(), self.log(site.account, Some(site.id)));
        let rolled_back = self.write(move |tx, now| {
            // Under the site's lock the upkeep cannot delete the chosen release.
            sites::lock(tx, id)?;
            let live = releases::live(tx, id)?.ok_or_else(|| Error::refused("the site was never built"))?;
            let kept = releases::list(tx, id)?;
            let wanted = kept.iter().find(|release| match to {
                Some(number) => release.number == number,
                None => release.number < live,
            });
            let Some(wanted) = wanted else {
                return Err(Error::refused(format!(
                    "there is no such release any more; `recto site releases {}` shows what is kept",
                    name.as_str()
                )));
            };
            let hub = owners_settings(tx, id)?.hub;
            hub::go_live(tx, id, wanted.number, Move::Rollback, hub.as_deref(), now)?;
            let subject = format!("{} to release {}", name.as_str(), wanted.number);
            log.note(tx, now, Action::RolledBack, subject)?;
            Ok(wanted.number)
        });
        rolled_back.await
    }
}

fn changed_page(change: PageChange) -> Result<ChangedPage, Error> {
    let what = match (&change.before, &change.after) {
        (None, _) => PageEvent::Added,
        (_, None) => PageEvent::Removed,
        _ => PageEvent::Changed,
    };
    let meta = change.after.or(change.before).unwrap_or_default();
    let page: Page = serde_json::from_str(&meta)
        .map_err(|error| Error::Internal(format!("a remembered page: {error}")))?;
    Ok(ChangedPage { id: change.page, what, url: generator::url(&page.key), title: page.title })
}
