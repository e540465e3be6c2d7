//! Decides which paths are generated again.

use std::collections::{HashMap, HashSet};

use api::BuildWarning;
use generator::{Changes, Need, Site};
use model::{PageId, SiteId};

use super::before::BaseFiles;
use super::snapshot::Snapshot;
use super::warnings;
use crate::{Error, Publisher};

pub(super) struct Plan {
    pub site: Site,
    /// Every file is generated, and all other files of the newest release are removed.
    pub from_scratch: bool,
    /// Pages whose text is needed, with the paths that need it.
    pub pages: Vec<(PageId, Vec<String>)>,
    /// Paths that are generated from the index alone, after the pages.
    pub others: Vec<String>,
    /// Paths that no longer have a file.
    pub gone: Vec<String>,
    /// The files of the newest release at these paths.
    pub before: BaseFiles,
    pub changed: Vec<PageId>,
    /// Warnings about pages that are not generated again.
    pub warnings: Vec<BuildWarning>,
}

impl Publisher {
    pub(super) async fn plan(&self, site: SiteId, snapshot: Snapshot) -> Result<Plan, Error> {
        let planned = tokio::task::spawn_blocking(move || plan(snapshot)).await;
        let mut plan = planned.map_err(|error| Error::Internal(format!("planning a build: {error}")))??;
        plan.before = match plan.from_scratch {
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
    let Snapshot { title, origin, settings, base, before, index, from_scratch, pages, former, .. } = snapshot;
    let changed: Vec<PageId> = pages.iter().map(|(id, _)| *id).collect();
    let mut site = match (index, before) {
        (Some(index), _) => index,
        (None, Some(before)) => Site::load(&origin, settings, &title, before.pages, before.former),
        (None, None) => Site::new(&origin, settings, &title),
    };
    let dirty = site.apply(Changes { pages, former });
    let dirty = if from_scratch { site.all_paths() } else { dirty };
    let base = base.and_then(|base| base.warnings).filter(|_| !from_scratch);
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
            Need::Index => others.push(path),
            Need::Nothing => gone.push(path),
        }
    }
    let (pages, before) = (by_page.into_iter().collect(), BaseFiles::default());
    Ok(Plan { site, from_scratch, pages, others, gone, before, changed, warnings })
}
