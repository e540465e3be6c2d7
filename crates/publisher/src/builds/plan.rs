//! Decides which paths are generated again.

use std::collections::{BTreeMap, HashMap, HashSet};

use api::BuildWarning;
use generator::{Changes, Need, Site};
use model::{PageId, SiteId};
use search::LeafName;

use super::before::BaseFiles;
use super::leaves::{Leaves, NewLeaf};
use super::render::LARGE_BUILD_PAGES;
use super::snapshot::Snapshot;
use super::warnings;
use crate::limits::priority;
use crate::{Error, Publisher};

pub(super) struct Plan {
    pub site: Site,
    /// Every file is generated, and all other files of the newest release are removed.
    pub from_scratch: bool,
    /// Pages whose text is needed, in the order of their leaves.
    pub pages: Vec<PagePlan>,
    pub leaves: Leaves,
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

/// A page whose text is needed.
pub(super) struct PagePlan {
    pub page: PageId,
    /// The paths that need it.
    pub paths: Vec<String>,
    /// The leaf of the search index that needs it.
    pub leaf: Option<LeafName>,
}

impl Publisher {
    pub(super) async fn plan(&self, site: SiteId, snapshot: Snapshot) -> Result<Plan, Error> {
        let is_long = snapshot.pages.len() > LARGE_BUILD_PAGES;
        let planned = priority::spawn_by_length(is_long, move || plan(snapshot)).await;
        let mut plan = planned.map_err(|error| Error::Internal(format!("planning a build: {error}")))??;
        plan.before = match plan.from_scratch {
            true => self.before_all(site).await?,
            false => self.before_at(site, plan.paths()).await?,
        };
        plan.leaves.find_old(&plan.before, &plan.gone);
        Ok(plan)
    }
}

impl Plan {
    fn paths(&self) -> Vec<String> {
        let pages = self.pages.iter().flat_map(|page| &page.paths);
        let paths = pages.chain(&self.others).chain(&self.gone).cloned();
        paths.chain(self.leaves.paths()).collect()
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
    let base = base.filter(|_| !from_scratch);
    let leaves_of = base.as_ref().map(|base| base.number);
    let base = base.and_then(|base| base.warnings);
    let made_again: HashSet<&str> = match base {
        Some(_) => dirty.iter().map(String::as_str).collect(),
        None => HashSet::new(),
    };
    let warnings = warnings::still_true(base.as_deref(), &made_again)?;
    let mut by_page: HashMap<PageId, Vec<String>> = HashMap::new();
    let (mut others, mut gone, mut leaves) = (Vec::new(), Vec::new(), BTreeMap::new());
    for path in dirty {
        match site.need(&path) {
            Need::Page(id) => by_page.entry(id).or_default().push(path),
            Need::Leaf(leaf) => {
                leaves.entry(leaf).or_insert_with(|| NewLeaf::new(site.leaf_pages(leaf)));
            }
            Need::Index => others.push(path),
            Need::Nothing => gone.push(path),
        }
    }
    let (pages, before) = (in_leaves(&site, by_page, &mut leaves), BaseFiles::default());
    let leaves = Leaves::new(leaves, leaves_of);
    Ok(Plan { site, from_scratch, pages, leaves, others, gone, before, changed, warnings })
}

/// Assigns the pages to the leaves that need them, in whose order they are rendered.
fn in_leaves(
    site: &Site,
    mut by_page: HashMap<PageId, Vec<String>>,
    leaves: &mut BTreeMap<LeafName, NewLeaf>,
) -> Vec<PagePlan> {
    let mut pages = Vec::with_capacity(by_page.len());
    for (name, leaf) in leaves {
        for page in leaf.ids.clone() {
            // The HTML, which gives the page's text to the leaf.
            let is_rendered =
                |paths: &Vec<String>| site.path_of(page).is_some_and(|path| paths.contains(&path));
            if by_page.get(&page).is_some_and(is_rendered)
                && let Some(paths) = by_page.remove(&page)
            {
                leaf.expect_page();
                pages.push(PagePlan { page, paths, leaf: Some(*name) });
            }
        }
    }
    pages.extend(by_page.into_iter().map(|(page, paths)| PagePlan { page, paths, leaf: None }));
    pages
}
