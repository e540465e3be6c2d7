//! Publish: one transaction that creates, updates and deletes pages, all of them or none; then the build.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use api::{BuildOutcome, MediaItem, PublishResponse, PublishedPage, WriteStatus};
use model::{PageId, PageKey, Timestamp, Trigger};
use store::pages::{self, Page};
use store::sites::{self, Site};
use store::texts::{self, Text, TextRange};
use store::usage::{self, Change};
use store::{Store, Tx, former};

use crate::access::site_of;
use crate::builds::{BuildRefusal, queue_build};
use crate::draft::{Complete, Request};
use crate::pace::{Large, Timer};
use crate::texts::Texts;
use crate::uploads::Stored;
use crate::{Caller, Draft, Entry, Error, Identity, LongText, Publisher, Target, TextRef, decide};

/// Entries of a request whose transaction others notice.
const LARGE: usize = 100;

impl Draft {
    pub async fn publish(self, caller: &Caller) -> Result<PublishResponse, Error> {
        let Complete { publisher, request, texts, leftovers, files } = self.finish().await?;
        let request = Arc::new(request);
        let mut ahead = None;
        let stored = match &files {
            None => None,
            Some(files) => {
                // Whatever else is wrong is reported before what is wrong with a file.
                let checked = check(&publisher.store, caller, request.clone()).await?;
                let site = &ahead.insert(checked).site;
                if let Some(refusal) = files.refusal() {
                    return Err(refusal);
                }
                let quota = publisher.settings.quota(&caller.plan);
                Some(files.store(&publisher, site.id, quota).await?)
            }
        };
        let outcome = publisher.commit(caller, request.clone(), texts, stored, ahead).await?;
        if outcome.changed {
            leftovers.were_adopted();
        }
        if files.is_some() {
            publisher.transcodes_queued.notify_one();
        }
        let build = outcome.build.map(|queued| match queued {
            Ok(()) => {
                publisher.queued.notify_one();
                let deploy_url = publisher.settings.deploy_url(&outcome.site.name);
                BuildOutcome::Queued { status: "queued", deploy_url }
            }
            Err(refusal) => BuildOutcome::Refused(refusal.into()),
        });
        let page = if request.single { outcome.pages.first().cloned() } else { None };
        let media = files.map(|files| files.items()).filter(|items: &Vec<MediaItem>| !items.is_empty());
        Ok(PublishResponse { pages: outcome.pages, deleted: outcome.deleted, media, build, page })
    }

    /// What is wrong, as far as it can be told without the files.
    pub async fn check(self, caller: &Caller) -> Result<(), Error> {
        let Complete { publisher, request, .. } = self.finish().await?;
        check(&publisher.store, caller, Arc::new(request)).await.map(drop)
    }
}

/// What is wrong with a request; or the site that it means, and what it means there.
async fn check(store: &Store, caller: &Caller, request: Arc<Request>) -> Result<Ahead, Error> {
    let account = caller.account;
    let read = move |tx: &mut Tx| {
        let site = site_of(tx, account, request.site)?;
        let decision = look_up_and_decide(tx, &site, &request)?;
        Ok(Ahead { site, decision })
    };
    store.read(read).await
}

struct Outcome {
    site: Site,
    pages: Vec<PublishedPage>,
    deleted: Option<Vec<String>>,
    /// Whether any page changed. Otherwise the texts of the request are not needed.
    changed: bool,
    /// What became of the build, if one was asked for.
    build: Option<Result<(), BuildRefusal>>,
}

impl Publisher {
    async fn commit(
        &self,
        caller: &Caller,
        request: Arc<Request>,
        texts: Texts,
        stored: Option<Stored>,
        mut ahead: Option<Ahead>,
    ) -> Result<Outcome, Error> {
        let (account, clock, plan) = (caller.account, self.clock.clone(), caller.plan.clone());
        let settings = self.settings.clone();
        let hopeless =
            !request.unresolved.is_empty() || request.entries.iter().any(|entry| !entry.errors.is_empty());
        let changes_nothing = request.entries.is_empty() && request.deletes.is_empty() && stored.is_none();
        if hopeless || changes_nothing && !request.build {
            // Nothing will be written: the answer is the rest of what is wrong, or the site.
            let site = check(&self.store, caller, request).await?.site;
            return Ok(Outcome { site, pages: Vec::new(), deleted: None, changed: false, build: None });
        }
        let is_large = request.entries.len() + request.deletes.len() > LARGE;
        if is_large {
            if ahead.is_none() {
                ahead = Some(check(&self.store, caller, request.clone()).await?);
            }
            self.pace.pause(account.0).await;
        }
        let timer = Timer::default();
        let running = timer.clone();
        let outcome = self
            .store
            .write(move |tx| {
                running.start();
                let site = site_of(tx, account, request.site)?;
                if changes_nothing {
                    let build = Some(queue_build(
                        tx,
                        &settings,
                        (account, &plan),
                        site.id,
                        Trigger::Publish,
                        clock.now(),
                    )?);
                    return Ok(Outcome { site, pages: Vec::new(), deleted: None, changed: false, build });
                }
                let version = sites::next_version(tx, site.id)?.ok_or(Error::NoSuchSite)?;
                let decision = match ahead.take().filter(|ahead| ahead.holds(&site, version)) {
                    Some(ahead) => ahead.decision,
                    None => look_up_and_decide(tx, &site, &request)?,
                };
                if let Some(stored) = &stored {
                    stored.keep(tx)?;
                }
                // Only now: the site's lock is held, so times follow the order of commits.
                let now = clock.now();
                let mut changes = Changes::new(&request, decision, &texts, now);
                let changed = !changes.are_none();
                if changed {
                    if !texts::adopt(tx, &texts.stashes())? {
                        return Err(Error::Away("the request took so long that its texts were swept".into()));
                    }
                    changes.place_texts(&texts, texts::insert(tx, &texts.waiting)?);
                    if let Some(exceeded) = usage::charge(tx, site.id, changes.usage, &settings.quota(&plan))?
                    {
                        return Err(exceeded.into());
                    }
                    changes.write(tx, &site, version, now)?;
                }
                // In the same transaction: should the server stop right after it, the build is queued all the same.
                let build = match request.build {
                    true => {
                        Some(queue_build(tx, &settings, (account, &plan), site.id, Trigger::Publish, now)?)
                    }
                    false => None,
                };
                Ok::<_, Error>(Outcome {
                    site,
                    pages: changes.answer(),
                    deleted: changes.deleted,
                    changed,
                    build,
                })
            })
            .await;
        match is_large {
            true => self.pace.wrote(account.0, Large::Whole, timer.elapsed()),
            false => self.pace.note(account.0),
        }
        outcome
    }
}

struct Decision {
    targets: Vec<Target>,
    found: HashMap<PageId, Page>,
}

/// A decision that was made before the site was locked: to look thousands of pages up takes as long as to write them.
struct Ahead {
    site: Site,
    decision: Decision,
}

impl Ahead {
    /// Whether nothing has changed but that the site is locked now, which raises its version by one.
    fn holds(&self, site: &Site, locked: i64) -> bool {
        self.site.id == site.id && self.site.version + 1 == locked
    }
}

fn look_up_and_decide(tx: &mut Tx, site: &Site, request: &Request) -> Result<Decision, Error> {
    let entries = &request.entries;
    let ids = entries.iter().filter_map(|entry| match entry.identity {
        Identity::Id { id, .. } => Some(id),
        _ => None,
    });
    let ids: HashSet<PageId> = ids.collect();
    let mut found = pages::by_ids(tx, site.id, ids.into_iter())?;

    let mut slugs: HashSet<&str> =
        request.deletes.iter().filter_map(|d| Some(d.key.as_ref()?.slug.as_str())).collect();
    slugs.extend(entries.iter().filter_map(|entry| match &entry.identity {
        Identity::Slug(slug) | Identity::Auto(slug) | Identity::Id { slug: Some(slug), .. } => {
            Some(slug.as_str())
        }
        _ => None,
    }));
    // A page that keeps its slug may still move to a section where another page has it.
    let kept: Vec<String> = found.iter().map(|page| page.key.slug.as_str().to_owned()).collect();
    slugs.extend(kept.iter().map(String::as_str));
    found.extend(pages::by_slugs(tx, site.id, slugs.into_iter())?);

    let deletes: Vec<PageKey> = request.deletes.iter().filter_map(|delete| delete.key.clone()).collect();
    let targets = decide(entries, &deletes, &found)?;
    if !request.unresolved.is_empty() {
        return Err(Error::UnresolvedFiles(request.unresolved.clone()));
    }
    Ok(Decision { targets, found: found.into_iter().map(|page| (page.id, page)).collect() })
}

/// The rows of a publish.
struct Changes {
    /// In the request's order.
    pages: Vec<Written>,
    /// Which of the request's texts belong to which of them.
    texts: Vec<(usize, LongText, TextRef)>,
    /// Texts of the request that are stored already.
    known: Vec<TextRef>,
    /// Which of them change their key.
    moved: Vec<usize>,
    /// The URLs that they leave.
    left: Vec<(String, PageId)>,
    deleted_ids: Vec<PageId>,
    deleted: Option<Vec<String>>,
    /// Texts that no page refers to any more.
    released: Vec<Text>,
    /// What the account uses more, or less.
    usage: Change,
}

struct Written {
    status: WriteStatus,
    page: Page,
    /// A client that sends everything again changes nothing by that.
    unchanged: bool,
}

impl Changes {
    fn new(request: &Request, decision: Decision, texts: &Texts, now: Timestamp) -> Changes {
        let Decision { targets, mut found } = decision;
        let (deleted_ids, deleted) = deletions(request, &found);
        let mut changes = Changes {
            pages: Vec::with_capacity(targets.len()),
            texts: vec![],
            known: vec![],
            moved: vec![],
            left: vec![],
            deleted_ids,
            deleted,
            released: vec![],
            usage: Change::default(),
        };
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

    /// A new text takes the place of the old one, which is left to the sweep. The same text once more does not.
    fn apply_text(&mut self, which: LongText, text: Option<TextRef>, page: &mut Page, texts: &Texts) {
        let Some(text) = text else { return };
        let (slot, hash) = match which {
            LongText::Content => (&mut page.content, &mut page.content_hash),
            LongText::Params => (&mut page.params, &mut page.params_hash),
        };
        let new_hash = texts.hash(text);
        if slot.is_some() && new_hash.is_some() && *hash == new_hash {
            self.known.push(text);
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

    fn are_none(&self) -> bool {
        self.deleted_ids.is_empty() && self.pages.iter().all(|written| written.unchanged)
    }

    /// The texts of the request are stored, those that waited in `last`.
    fn place_texts(&mut self, texts: &Texts, last: Option<TextRange>) {
        for (index, which, text) in &self.texts {
            let page = &mut self.pages[*index].page;
            let slot = if let LongText::Content = which { &mut page.content } else { &mut page.params };
            *slot = texts.row(*text, last);
        }
        self.released.extend(self.known.iter().filter_map(|text| texts.row(*text, last)));
    }

    fn write(&self, tx: &mut Tx, site: &Site, version: i64, now: Timestamp) -> Result<(), Error> {
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

    fn answer(&self) -> Vec<PublishedPage> {
        self.pages.iter().map(|written| published(written.status, &written.page)).collect()
    }
}

/// Ids for the new pages, ascending in the request's order: pages of one moment are listed as they were sent, and
/// the table grows at its end.
fn new_ids(targets: &[Target], now: Timestamp) -> Vec<PageId> {
    let created = targets.iter().filter(|target| matches!(target, Target::Create { .. })).count();
    let mut ids: Vec<PageId> = (0..created).map(|_| PageId::new(now)).collect();
    ids.sort_unstable();
    ids
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

fn new_page(id: PageId, key: PageKey, now: Timestamp) -> Page {
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

/// Only what was supplied changes.
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

fn published(status: WriteStatus, page: &Page) -> PublishedPage {
    PublishedPage {
        id: page.id.0,
        slug: page.key.slug.as_str().to_owned(),
        title: page.title.clone(),
        content_type: page.key.content_type.as_str(),
        section: Some(page.key.section.as_str().to_owned()).filter(|section| !section.is_empty()),
        draft: page.draft,
        status,
        created_at: page.created_at.to_string(),
        updated_at: page.updated_at.to_string(),
    }
}
