//! What differs between a folder and a site.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::{Context, Result};
use client::Listed;
use folder::{Folder, Page};
use model::{ContentType, PageKey, Section, Slug, Timestamp};

use super::cache::{Cache, Known};
use super::{OnSite, Wanted, settings};

/// Deleting a larger part of the pages needs a confirmation.
const MANY: f64 = 0.2;

pub(super) struct Plan<'f> {
    pub created: Vec<Change<'f>>,
    /// Pages that differ, or that show files whose addresses are not known.
    pub changed: Vec<Change<'f>>,
    /// Pages that have another URL, and are otherwise the same.
    pub moved: Vec<Change<'f>>,
    pub unchanged: Vec<&'f Page>,
    pub deletes: Vec<PageKey>,
    /// Settings of the site that differ: their new values.
    pub settings: BTreeMap<String, String>,
    /// How many pages could be deleted.
    pub prunable: usize,
    /// The addresses of files that are on the site.
    pub known: Known,
}

pub(super) struct Change<'f> {
    pub page: &'f Page,
    /// The id, for a page that is moved.
    pub id: Option<String>,
    /// Where it was.
    pub from: Option<PageKey>,
    /// The hash on the site.
    pub before: Option<String>,
    pub published_at: Option<Timestamp>,
    /// The date of the folder is the one on the site, as far as the API shows it: it knows more decimals.
    pub keeps_date: bool,
}

impl<'f> Plan<'f> {
    /// `prune`: pages of the folder's content types, and of these, that it does not have are deleted.
    pub fn new(
        wanted: &'f Wanted,
        on_site: &OnSite,
        cache: &Cache,
        prune: Option<&[ContentType]>,
    ) -> Result<Plan<'f>> {
        let folder = &wanted.folder;
        let settings = settings::changed(wanted, &on_site.settings);
        let listed = &on_site.pages;
        let mut on_site: HashMap<PageKey, &Listed> = HashMap::with_capacity(listed.len());
        for page in listed {
            on_site.insert(key_of(page).context("the server listed a page that no page can be")?, page);
        }
        let known = Known::new(folder, cache)?;
        let mut plan = Plan {
            created: Vec::new(),
            changed: Vec::new(),
            moved: Vec::new(),
            unchanged: Vec::new(),
            deletes: Vec::new(),
            settings,
            prunable: 0,
            known,
        };
        let mut new = Vec::new();
        for page in &folder.pages {
            match on_site.get(&page.key) {
                None => new.push(&**page),
                Some(stored) => plan.compare(page, stored)?,
            }
        }
        if let Some(also) = prune {
            let mut orphans = plan.orphans(folder, &on_site, also);
            new.retain(|page| !plan.is_moved(page, &mut orphans));
            plan.deletes = orphans.into_iter().map(|(key, _)| key).collect();
            plan.deletes.sort();
        }
        let created =
            |page| Change { page, id: None, from: None, before: None, published_at: None, keeps_date: false };
        plan.created = new.into_iter().map(created).collect();
        Ok(plan)
    }

    fn compare(&mut self, page: &'f Page, stored: &Listed) -> Result<()> {
        let stored_at = Timestamp::parse_iso(&stored.published_at).map_err(anyhow::Error::msg)?;
        let published_at = page.published_at.unwrap_or(stored_at);
        let hash = self.known.hash(page, &page.key, published_at);
        match hash.as_ref() == Some(&stored.hash) {
            true => self.unchanged.push(page),
            false => self.changed.push(Change {
                page,
                id: None,
                from: None,
                before: Some(stored.hash.clone()),
                published_at: Some(published_at),
                keeps_date: published_at == stored_at,
            }),
        }
        Ok(())
    }

    /// Pages of the site that the folder does not have, of the content types that it has.
    fn orphans<'l>(
        &mut self,
        folder: &Folder,
        on_site: &HashMap<PageKey, &'l Listed>,
        also: &[ContentType],
    ) -> Vec<(PageKey, &'l Listed)> {
        let of_folder = folder.pages.iter().map(|page| page.key.content_type);
        let types: BTreeSet<ContentType> = of_folder.chain(also.iter().copied()).collect();
        let kept: HashSet<&PageKey> = folder.pages.iter().map(|page| &page.key).collect();
        let same_type = on_site.iter().filter(|(key, _)| types.contains(&key.content_type));
        self.prunable = same_type.clone().count();
        let mut orphans: Vec<_> = same_type.filter(|(key, _)| !kept.contains(key)).collect();
        orphans.sort_by_key(|(key, _)| (*key).clone());
        orphans.into_iter().map(|(key, page)| (key.clone(), *page)).collect()
    }

    /// Whether a new page is one that would be deleted, under another URL: then that one moves.
    fn is_moved(&mut self, page: &'f Page, orphans: &mut Vec<(PageKey, &Listed)>) -> bool {
        let found = orphans.iter().position(|(key, orphan)| {
            let stored_at = Timestamp::parse_iso(&orphan.published_at).ok();
            let published_at = page.published_at.or(stored_at);
            orphan.title == page.title
                && published_at.and_then(|at| self.known.hash(page, key, at)).as_ref() == Some(&orphan.hash)
        });
        let Some(index) = found else { return false };
        let (from, orphan) = orphans.remove(index);
        let stored_at = Timestamp::parse_iso(&orphan.published_at).ok();
        self.moved.push(Change {
            page,
            id: Some(orphan.id.clone()),
            from: Some(from),
            before: None,
            published_at: page.published_at.or(stored_at),
            keeps_date: page.published_at == stored_at,
        });
        true
    }

    /// Everything to be sent, in the order of the files.
    pub fn changed_pages(&self) -> Vec<&Change<'f>> {
        let mut all: Vec<&Change> = self.created.iter().chain(&self.changed).chain(&self.moved).collect();
        all.sort_by(|a, b| a.page.file.cmp(&b.page.file));
        all
    }

    pub fn is_empty(&self) -> bool {
        let pages = [&self.created, &self.changed, &self.moved];
        pages.iter().all(|changes| changes.is_empty()) && self.deletes.is_empty() && self.settings.is_empty()
    }

    /// Whether the site will change: a page that shows files with unknown addresses may be the same as before.
    pub fn is_certain(&self) -> bool {
        let is_known = |change: &Change| self.known.has_all(change.page);
        !self.created.is_empty()
            || !self.moved.is_empty()
            || !self.deletes.is_empty()
            || self.changed.iter().any(is_known)
    }

    pub fn deletes_many(&self) -> bool {
        self.deletes.len() as f64 > self.prunable as f64 * MANY
    }
}

fn key_of(page: &Listed) -> Option<PageKey> {
    Some(PageKey {
        content_type: ContentType::parse(&page.content_type).ok()?,
        section: Section::parse(&page.section).ok()?,
        slug: Slug::parse(&page.slug).ok()?,
    })
}
