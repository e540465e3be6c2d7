//! What differs between a folder and a site.

use std::collections::{BTreeSet, HashMap, HashSet};

use anyhow::{Context, Result};
use client::Listed;
use folder::{Folder, Page};
use model::{ContentType, PageKey, Section, Slug, Timestamp};

use super::cache::{Cache, Known};
use super::note;

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
    /// How many pages could be deleted.
    pub prunable: usize,
    /// The addresses of files that are on the site.
    pub known: Known,
}

pub(super) struct Change<'f> {
    pub page: &'f Page,
    /// The id, for a page that is moved.
    pub id: Option<String>,
    /// The hash on the site.
    pub before: Option<String>,
    pub published_at: Option<Timestamp>,
}

impl<'f> Plan<'f> {
    /// `prune`: pages of the folder's content types, and of these, that it does not have are deleted.
    pub fn new(
        folder: &'f Folder,
        listed: &[Listed],
        cache: &Cache,
        prune: Option<&[ContentType]>,
    ) -> Result<Plan<'f>> {
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
            prunable: 0,
            known,
        };
        let mut new = Vec::new();
        for page in &folder.pages {
            match on_site.get(&page.key) {
                None => new.push(page),
                Some(stored) => plan.compare(page, stored)?,
            }
        }
        if let Some(also) = prune {
            let mut orphans = plan.orphans(folder, &on_site, also);
            new.retain(|page| !plan.is_moved(page, &mut orphans));
            plan.deletes = orphans.into_iter().map(|(key, _)| key).collect();
            plan.deletes.sort();
        }
        plan.created =
            new.into_iter().map(|page| Change { page, id: None, before: None, published_at: None }).collect();
        Ok(plan)
    }

    fn compare(&mut self, page: &'f Page, stored: &Listed) -> Result<()> {
        let published_at = match page.published_at {
            Some(time) => time,
            None => Timestamp::parse_iso(&stored.published_at).map_err(anyhow::Error::msg)?,
        };
        let content = self.known.content(page);
        let is_same = content
            .is_some_and(|content| page.hash(&page.key, published_at, &content).to_string() == stored.hash);
        match is_same {
            true => self.unchanged.push(page),
            false => self.changed.push(Change {
                page,
                id: None,
                before: Some(stored.hash.clone()),
                published_at: Some(published_at),
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
        let Some(content) = self.known.content(page) else { return false };
        let found = orphans.iter().position(|(key, orphan)| {
            let stored_at = Timestamp::parse_iso(&orphan.published_at).ok();
            let published_at = page.published_at.or(stored_at);
            orphan.title == page.title
                && published_at.is_some_and(|at| page.hash(key, at, &content).to_string() == orphan.hash)
        });
        let Some(index) = found else { return false };
        let (_, orphan) = orphans.remove(index);
        let published_at = page.published_at.or(Timestamp::parse_iso(&orphan.published_at).ok());
        self.moved.push(Change { page, id: Some(orphan.id.clone()), before: None, published_at });
        true
    }

    /// Everything to be sent, in the order of the files.
    pub fn changed_pages(&self) -> Vec<&Change<'f>> {
        let mut all: Vec<&Change> = self.created.iter().chain(&self.changed).chain(&self.moved).collect();
        all.sort_by(|a, b| a.page.file.cmp(&b.page.file));
        all
    }

    pub fn is_empty(&self) -> bool {
        self.created.is_empty() && self.changed.is_empty() && self.moved.is_empty() && self.deletes.is_empty()
    }

    /// Whether the site will change: a page that shows files with unknown addresses may be the same as before.
    pub fn is_certain(&self) -> bool {
        let is_known = |change: &Change| self.known.content(change.page).is_some();
        !self.created.is_empty()
            || !self.moved.is_empty()
            || !self.deletes.is_empty()
            || self.changed.iter().any(is_known)
    }

    pub fn deletes_many(&self) -> bool {
        self.deletes.len() as f64 > self.prunable as f64 * MANY
    }

    /// On standard error, at most a screen.
    pub fn show(&self) {
        let changes = |changes: &[Change]| changes.iter().map(|change| change.page.key.path()).collect();
        let deletes = self.deletes.iter().map(PageKey::path).collect();
        let groups: [(&str, Vec<String>); 4] = [
            ("create", changes(&self.created)),
            ("change", changes(&self.changed)),
            ("move to", changes(&self.moved)),
            ("delete", deletes),
        ];
        const SHOWN: usize = 8;
        for (what, paths) in groups.iter().filter(|(_, paths)| !paths.is_empty()) {
            note(format_args!("{what} {}:", paths.len()));
            paths.iter().take(SHOWN).for_each(|path| note(format_args!("  {path}")));
            if paths.len() > SHOWN {
                note(format_args!("  … and {} more", paths.len() - SHOWN));
            }
        }
        note(format_args!("unchanged: {}", self.unchanged.len()));
    }
}

fn key_of(page: &Listed) -> Option<PageKey> {
    Some(PageKey {
        content_type: ContentType::parse(&page.content_type).ok()?,
        section: Section::parse(&page.section).ok()?,
        slug: Slug::parse(&page.slug).ok()?,
    })
}
