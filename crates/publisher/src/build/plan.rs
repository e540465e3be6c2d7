//! Which paths are to be made again.

use std::collections::{HashMap, HashSet};

use api::BuildWarning;
use generator::{Changes, Need, Site};
use model::{PageId, SiteId};

use super::before::Before;
use super::snapshot::Snapshot;
use super::warnings;
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
    pub before: Before,
    pub changed: Vec<PageId>,
    /// Of pages that are not made again.
    pub warnings: Vec<BuildWarning>,
}

impl Publisher {
    pub(super) async fn plan(&self, site: SiteId, snapshot: Snapshot) -> Result<Plan, Error> {
        let planned = tokio::task::spawn_blocking(move || plan(snapshot)).await;
        let mut plan = planned.map_err(|error| Error::Internal(format!("planning a build: {error}")))??;
        plan.before = match plan.from_nothing {
            true => self.before_all(site).await?,
            false => self.before_at(site, plan.paths()).await?,
        };
        Ok(plan)
    }
}

impl Plan {
    fn paths(&self) -> Vec<String> {
        let pages = self.pages.iter().flat_map(|(_, paths)| paths);
        pages.chain(&self.others).chain(&self.gone).cloned().collect()
    }
}

fn plan(snapshot: Snapshot) -> Result<Plan, Error> {
    let Snapshot { title, origin, settings, base, before, index, from_nothing, pages, former, .. } = snapshot;
    let changed: Vec<PageId> = pages.iter().map(|(id, _)| *id).collect();
    let mut site = match (index, before) {
        (Some(index), _) => index,
        (None, Some(before)) => Site::load(&origin, settings, &title, before.pages, before.former),
        (None, None) => Site::new(&origin, settings, &title),
    };
    let dirty = site.apply(Changes { pages, former });
    let dirty = if from_nothing { site.all_paths() } else { dirty };
    let base = base.and_then(|base| base.warnings).filter(|_| !from_nothing);
    let made_again: HashSet<&str> = match base {
        Some(_) => dirty.iter().map(String::as_str).collect(),
        None => HashSet::new(),
    };
    let warnings = warnings::still_true(base.as_deref(), &made_again)?;
    let mut by_page: HashMap<PageId, Vec<String>> = HashMap::new();
    let (mut others, mut gone) = (Vec::new(), Vec::new());
    for path in dirty {
        match site.need(&path) {
            Need::Page(id) => by_page.entry(id).or_default().push(path),
            Need::Itself => others.push(path),
            Need::Nothing => gone.push(path),
        }
    }
    let (pages, before) = (by_page.into_iter().collect(), Before::default());
    Ok(Plan { site, from_nothing, pages, others, gone, before, changed, warnings })
}
