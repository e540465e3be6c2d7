//! What a publish changes: the rows of its pages and texts, made of the request and of the pages that it means.

use std::collections::{HashMap, HashSet};

use api::WriteStatus;
use model::{PageId, PageKey, Timestamp};
use store::pages::{self, Page};
use store::sites::Site;
use store::texts::{self, Text, TextRange};
use store::usage::Change;
use store::{Tx, former};

use super::draft::Request;
use super::look_up::Decision;
use super::texts::Texts;
use crate::{Entry, Error, LongText, Target, TextRef};

/// The rows of a publish.
#[derive(Default)]
pub(super) struct Changes {
    /// In the request's order.
    pub(super) pages: Vec<Written>,
    /// Which of the request's texts belong to which page.
    texts: Vec<(usize, LongText, TextRef)>,
    /// Indexes of the pages whose key changes.
    pub(super) moved: Vec<usize>,
    /// Their former URLs.
    pub(super) left: Vec<(String, PageId)>,
    pub(super) deleted_ids: Vec<PageId>,
    pub(super) deleted: Option<Vec<String>>,
    /// Texts to which no page refers any more.
    released: Vec<Text>,
    /// How the account's usage changes.
    pub(super) usage: Change,
}

pub(super) struct Written {
    pub(super) status: WriteStatus,
    pub(super) page: Page,
    /// The client sent exactly what is stored.
    pub(super) unchanged: bool,
}

impl Changes {
    pub(super) fn new(request: &Request, decision: Decision, texts: &Texts, now: Timestamp) -> Changes {
        let Decision { targets, mut found } = decision;
        let (deleted_ids, deleted) = deletions(request, &found);
        let mut changes =
            Changes { pages: Vec::with_capacity(targets.len()), deleted_ids, deleted, ..Changes::default() };
        changes.usage.pages = -(changes.deleted_ids.len() as i64);
        let mut ids = new_ids(&targets, now).into_iter();
        for (entry, target) in request.entries.iter().zip(targets) {
            let (before, mut page) = match target {
                Target::Create { key } => {
                    let Some(id) = ids.next() else { continue };
                    changes.usage.pages += 1;
                    (None, new_page(id, key, now))
                }
                Target::Update { id, old_key, key } => {
                    let Some(page) = found.remove(&id) else { continue };
                    if old_key != key {
                        changes.moved.push(changes.pages.len());
                        changes.left.push((generator::url(&old_key), id));
                    }
                    (Some(page.clone()), Page { key, ..page })
                }
            };
            apply(&mut page, entry);
            changes.apply_text(LongText::Content, entry.content, &mut page, texts);
            changes.apply_text(LongText::Params, entry.params, &mut page, texts);
            let unchanged = before.as_ref() == Some(&page);
            if !unchanged {
                page.updated_at = now;
            }
            let status = if before.is_some() { WriteStatus::Updated } else { WriteStatus::Created };
            changes.pages.push(Written { status, page, unchanged });
        }
        changes
    }

    /// Replaces the text, and leaves the old one to the sweep. The same text again changes nothing.
    fn apply_text(&mut self, which: LongText, text: Option<TextRef>, page: &mut Page, texts: &Texts) {
        let Some(text) = text else { return };
        let (slot, hash) = match which {
            LongText::Content => (&mut page.content, &mut page.content_hash),
            LongText::Params => (&mut page.params, &mut page.params_hash),
        };
        let new_hash = texts.hash(text);
        if slot.is_some() && new_hash.is_some() && *hash == new_hash {
            self.released.extend(texts.stashed(text));
            return;
        }
        let old = slot.take();
        *hash = new_hash;
        self.usage.text += texts.bytes(text) - old.map_or(0, |old| old.bytes);
        self.released.extend(old);
        if new_hash.is_some() {
            self.texts.push((self.pages.len(), which, text));
        }
    }

    pub(super) fn are_none(&self) -> bool {
        self.deleted_ids.is_empty() && self.pages.iter().all(|written| written.unchanged)
    }

    /// For the audit log.
    pub(super) fn summary(&self) -> String {
        let count = |wanted| {
            let changed = self.pages.iter().filter(|written| !written.unchanged);
            changed.filter(|written| written.status == wanted).count()
        };
        let (created, updated) = (count(WriteStatus::Created), count(WriteStatus::Updated));
        format!("{created} created, {updated} updated, {} deleted", self.deleted_ids.len())
    }

    /// Stores the texts that wait, as far as pages need them, and sets the rows of all new texts.
    pub(super) fn store_texts(&mut self, tx: &mut Tx, texts: &Texts) -> Result<(), Error> {
        let bodies: Vec<&str> = self.texts.iter().filter_map(|(_, _, text)| texts.waiting(*text)).collect();
        let mut ids = texts::insert(tx, &bodies)?.into_iter().flat_map(TextRange::ids);
        for (index, which, text) in &self.texts {
            let stored = match texts.waiting(*text) {
                Some(_) => ids.next().map(|id| Text { id, bytes: texts.bytes(*text) }),
                None => texts.stashed(*text),
            };
            // It was not stored, because its page had it.
            let stored = stored
                .ok_or(Error::Overtaken("a page was changed while the same text as before arrived for it"))?;
            let page = &mut self.pages[*index].page;
            let slot = if let LongText::Content = which { &mut page.content } else { &mut page.params };
            *slot = Some(stored);
        }
        Ok(())
    }

    pub(super) fn write(&self, tx: &mut Tx, site: &Site, version: i64, now: Timestamp) -> Result<(), Error> {
        let of = |wanted| -> Vec<&Page> {
            let changed = self.pages.iter().filter(|written| !written.unchanged);
            changed.filter(|written| written.status == wanted).map(|written| &written.page).collect()
        };
        let moved: Vec<(PageId, &PageKey)> = self
            .moved
            .iter()
            .map(|index| &self.pages[*index].page)
            .map(|page| (page.id, &page.key))
            .collect();
        pages::delete(tx, site.id, version, &self.deleted_ids, now)?;
        pages::rekey(tx, site.id, &moved)?;
        pages::insert(tx, site.id, version, &of(WriteStatus::Created))?;
        pages::update(tx, site.id, version, &of(WriteStatus::Updated))?;
        former::add(tx, site.id, version, &self.left)?;
        texts::release(tx, site.id, version, self.released.iter().copied(), now)?;
        Ok(())
    }
}

/// Ids for the new pages, ascending in the request's order: pages of one request are listed in its order, and rows are
/// appended at the end of the table.
fn new_ids(targets: &[Target], now: Timestamp) -> Vec<PageId> {
    PageId::several(now, targets.iter().filter(|target| matches!(target, Target::Create { .. })).count())
}

/// Which pages `deleteSlugs` really deletes, and their slugs in request order, each once.
fn deletions(request: &Request, found: &HashMap<PageId, Page>) -> (Vec<PageId>, Option<Vec<String>>) {
    if request.deletes.is_empty() {
        return (Vec::new(), None);
    }
    let by_key: HashMap<&PageKey, PageId> = found.values().map(|page| (&page.key, page.id)).collect();
    let (mut ids, mut slugs) = (Vec::new(), Vec::new());
    let (mut seen_ids, mut seen_slugs) = (HashSet::new(), HashSet::new());
    for delete in &request.deletes {
        let Some(id) = delete.key.as_ref().and_then(|key| by_key.get(key)) else { continue };
        if seen_ids.insert(*id) {
            ids.push(*id);
        }
        if seen_slugs.insert(&delete.slug) {
            slugs.push(delete.slug.clone());
        }
    }
    (ids, Some(slugs))
}

pub(super) fn new_page(id: PageId, key: PageKey, now: Timestamp) -> Page {
    Page {
        id,
        key,
        title: String::new(),
        description: None,
        draft: false,
        tags: "[]".into(),
        api_endpoint: None,
        content: None,
        params: None,
        content_hash: None,
        params_hash: None,
        section_spelling: None,
        published_at: now,
        created_at: now,
        updated_at: now,
    }
}

/// Changes only the fields that the entry contains.
fn apply(page: &mut Page, entry: &Entry) {
    if entry.section.is_some() {
        page.section_spelling = entry.section_spelling.clone();
    }
    if let Some(title) = &entry.title {
        page.title = title.as_str().to_owned();
    }
    if let Some(description) = &entry.description {
        page.description = Some(description.as_str().to_owned()).filter(|text| !text.is_empty());
    }
    if let Some(draft) = entry.draft {
        page.draft = draft;
    }
    if let Some(tags) = &entry.tags {
        page.tags = tags.to_json();
    }
    if let Some(published_at) = entry.published_at {
        page.published_at = published_at;
    }
    if let Some(endpoint) = &entry.api_endpoint {
        page.api_endpoint = endpoint.as_ref().map(|endpoint| endpoint.as_str().to_owned());
    }
}
