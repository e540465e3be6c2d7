//! Which paths are to be made anew.

use std::collections::HashMap;

use generator::{Changes, Need, Site};
use model::{PageId, SiteId};
use store::files::{self, Hash};

use super::snapshot::Snapshot;
use crate::{Error, Publisher};

pub(super) struct Plan {
    pub site: Site,
    /// Everything is made, and what the newest release has besides is removed.
    pub from_nothing: bool,
    /// Pages whose text is needed, with the paths that need it.
    pub pages: Vec<(PageId, Vec<String>)>,
    /// Paths that are made from the index alone, once the pages are made.
    pub others: Vec<String>,
    /// Paths at which nothing is any more.
    pub gone: Vec<String>,
    /// What the newest release has at the paths in question.
    pub before: HashMap<String, Hash>,
    pub changed: Vec<PageId>,
}

impl Publisher {
    pub(super) async fn plan(&self, site: SiteId, snapshot: Snapshot) -> Result<Plan, Error> {
        let planned = tokio::task::spawn_blocking(move || plan(snapshot)).await;
        let (mut plan, dirty) =
            planned.map_err(|error| Error::Internal(format!("planning a build: {error}")))?;
        let from_nothing = plan.from_nothing;
        let hashes = self.store.read(move |tx| match from_nothing {
            true => Ok::<_, Error>(files::all_hashes(tx, site)?),
            false => Ok(files::hashes(tx, site, &dirty)?),
        });
        plan.before = hashes.await?.into_iter().collect();
        Ok(plan)
    }
}

fn plan(snapshot: Snapshot) -> (Plan, Vec<String>) {
    let Snapshot { title, origin, settings, before, index, from_nothing, pages, former, .. } = snapshot;
    let changed: Vec<PageId> = pages.iter().map(|(id, _)| *id).collect();
    let mut site = match (index, before) {
        (Some(index), _) => index,
        (None, Some(before)) => Site::load(&origin, settings, &title, before.pages, before.former),
        (None, None) => Site::new(&origin, settings, &title),
    };
    let dirty = site.apply(Changes { pages, former });
    let dirty = if from_nothing { site.all_paths() } else { dirty };
    let mut by_page: HashMap<PageId, Vec<String>> = HashMap::new();
    let (mut others, mut gone) = (Vec::new(), Vec::new());
    for path in &dirty {
        match site.need(path) {
            Need::Page(id) => by_page.entry(id).or_default().push(path.clone()),
            Need::Itself => others.push(path.clone()),
            Need::Nothing => gone.push(path.clone()),
        }
    }
    let pages = by_page.into_iter().collect();
    let plan = Plan { site, from_nothing, pages, others, gone, before: HashMap::new(), changed };
    (plan, dirty)
}
