//! A dry run: everything that a publish checks and would change, without writing any of it.

use std::collections::HashSet;
use std::mem::take;
use std::sync::Arc;
use std::time::Duration;

use api::{BrokenLink, MediaPlan, MovedPage, Plan, PublishResponse, PublishedPage, WriteStatus};
use markdown::thread_time;
use model::{MediaHash, PageId};
use store::pages::Summary;
use store::sites::Site;
use store::texts::{self, TextId};
use store::usage::{self, Change, Quota};
use store::{files, media, pages, releases};

use super::changes::{Changes, Written};
use super::draft::{Complete, Request};
use super::look_up::Ahead;
use super::publish::published;
use super::texts::Texts;
use crate::limits::priority;
use crate::{Caller, Error, ProcessedFiles, Publisher, TextRef};

/// More than a person reads.
const MOST_BROKEN_LINKS: usize = 1000;

/// Texts that were stored ahead are read in pieces of this size.
const PIECE_BYTES: usize = 4 << 20;
/// The others are handed to the thread that parses them in pieces of about this size.
const PARSED_BYTES: usize = 64 << 10;

impl Complete {
    pub(super) async fn plan(self, caller: &Caller) -> Result<PublishResponse, Error> {
        let Complete { publisher, request, looked_up, mut texts, leftovers, files } = self;
        let request = Arc::new(request);
        let Ahead { site, decision } = Ahead::new(&publisher, caller.account, &request, looked_up).await?;
        texts.wait_for_stashes(0).await?;
        if let Some(refusal) = files.as_ref().and_then(|files| files.refusal()) {
            return Err(refusal);
        }
        let changes = Changes::new(&request, decision, &texts, publisher.clock.now());
        let quota = publisher.settings.quota(&caller.plan);
        let media = publisher.check_quota(&site, &changes, files.as_deref(), quota).await?;
        let present = Paths::of(&changes);
        let links = publisher.links(caller, &changes, &request, &texts, &present).await?;
        let broken_links = publisher.broken(&site, &changes, links, present).await?;
        let moved = changes.moves().filter(|moved| moved.from != moved.to).collect();
        // The texts that were stored ahead are needed until here.
        drop(leftovers);
        let pages: Vec<PublishedPage> = changes.pages.into_iter().map(planned).collect();
        let page = if request.single { pages.first().cloned() } else { None };
        let plan = Some(Plan { moved, media, broken_links });
        Ok(PublishResponse {
            pages,
            deleted: changes.deleted,
            page,
            plan,
            dry_run: Some(true),
            ..Default::default()
        })
    }
}

fn planned(written: Written) -> PublishedPage {
    let unchanged = written.unchanged;
    let page = published(written);
    PublishedPage { status: if unchanged { WriteStatus::Unchanged } else { page.status }, ..page }
}

impl Changes {
    fn moves(&self) -> impl Iterator<Item = MovedPage> {
        self.left.iter().zip(&self.moved).map(|((from, _), index)| {
            let to = self.pages[*index].page.key.path();
            // A homepage is at the root, whatever its slug is.
            let from = if from.starts_with("/homepage/") { "/".to_owned() } else { from.clone() };
            MovedPage { from, to }
        })
    }
}

impl Publisher {
    /// The errors of a publish that would exceed the quota; or the files that it would store.
    async fn check_quota(
        &self,
        site: &Site,
        changes: &Changes,
        files: Option<&ProcessedFiles>,
        quota: Quota,
    ) -> Result<MediaPlan, Error> {
        let sizes: Vec<(MediaHash, u64)> = files.map(ProcessedFiles::sizes).unwrap_or_default();
        let (site, change) = (site.id, changes.usage);
        self.read(move |tx| {
            let hashes: Vec<MediaHash> = sizes.iter().map(|(hash, _)| *hash).collect();
            let kept = media::already_kept(tx, site, &hashes)?;
            let new: Vec<u64> =
                sizes.iter().filter(|(hash, _)| !kept.contains_key(hash)).map(|(_, size)| *size).collect();
            let bytes: u64 = new.iter().sum();
            let used = usage::of_owner(tx, site)?;
            let storage = Change { storage: bytes as i64, ..Change::default() };
            // In the order in which a publish meets them.
            match used.exceeds(storage, &quota).or_else(|| used.exceeds(change, &quota)) {
                Some(exceeded) => Err(exceeded.into()),
                None => Ok(MediaPlan { files: new.len() as u64, bytes }),
            }
        })
        .await
    }

    /// The local links of the request's texts, by the index of their page, except for texts that plainly link only to
    /// pages that are present. Parsing has a bounded CPU time; the texts for which none is left have no links.
    async fn links(
        &self,
        caller: &Caller,
        changes: &Changes,
        request: &Request,
        texts: &Texts,
        present: &Paths,
    ) -> Result<Vec<(usize, Vec<String>)>, Error> {
        let mut time = self.reference_time.base;
        let may_be_broken = |(index, text): &(usize, String)| {
            markdown::plain_local_references(text).is_none_or(|links| {
                let page = changes.pages[*index].page.key.path();
                let target = |link| markdown::local_target(link, &page);
                links.into_iter().filter_map(target).any(|target| !present.0.contains(&target))
            })
        };
        let (mut links, mut later) = (Vec::new(), Vec::new());
        let (mut piece, mut bytes) = (Vec::new(), 0);
        for (index, entry) in request.entries.iter().enumerate() {
            let Some(text) = entry.content else { continue };
            match texts.waiting(text) {
                Some(body) => {
                    bytes += body.len();
                    piece.extend(Some((index, body.to_owned())).filter(may_be_broken));
                    if bytes >= PARSED_BYTES {
                        links.extend(self.links_of(caller, take(&mut piece), &mut time).await?);
                        bytes = 0;
                    }
                }
                None => later.extend(stored_at(changes, texts, index, text).map(|id| (index, id))),
            }
        }
        links.extend(self.links_of(caller, piece, &mut time).await?);
        while !later.is_empty() {
            let ids: Vec<TextId> = later.iter().map(|(_, id)| *id).collect();
            let mut bodies = self.read(move |tx| Ok(texts::some_bodies(tx, &ids, PIECE_BYTES)?)).await?;
            let rest = later.split_off(bodies.len().clamp(1, later.len()));
            let piece = later.into_iter().filter_map(|(index, id)| Some((index, bodies.remove(&id)?)));
            links.extend(self.links_of(caller, piece.filter(may_be_broken).collect(), &mut time).await?);
            later = rest;
        }
        Ok(links)
    }

    /// On another thread, when it is the account's turn.
    async fn links_of(
        &self,
        caller: &Caller,
        texts: Vec<(usize, String)>,
        time: &mut Duration,
    ) -> Result<Vec<(usize, Vec<String>)>, Error> {
        if texts.is_empty() || time.is_zero() {
            return Ok(Vec::new());
        }
        let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
        *time += self.reference_time.per_byte * bytes as u32;
        let turn = self.parsing.take(caller.account).await;
        let found = priority::spawn_low(move || {
            let (_turn, began) = (turn, thread_time());
            let links = |text: &str| {
                let references = markdown::local_references(text).unwrap_or_default();
                references.into_iter().map(|reference| reference.name).collect::<Vec<_>>()
            };
            let found: Vec<_> = texts.into_iter().map(|(index, text)| (index, links(&text))).collect();
            (found, thread_time() - began)
        });
        let (found, spent) = found.await.map_err(|error| Error::Internal(format!("find links: {error}")))?;
        *time = time.saturating_sub(spent);
        Ok(found)
    }

    /// The links that would lead nowhere: to no page, no list, and nothing that the live release shows.
    async fn broken(
        &self,
        site: &Site,
        changes: &Changes,
        links: Vec<(usize, Vec<String>)>,
        mut present: Paths,
    ) -> Result<Vec<BrokenLink>, Error> {
        let site = site.id;
        let mut unknown: Vec<(BrokenLink, String)> = Vec::new();
        for (index, links) in links {
            let page = changes.pages[index].page.key.path();
            for link in links {
                let target =
                    markdown::local_target(&link, &page).filter(|target| !present.0.contains(target));
                unknown.extend(target.map(|target| (BrokenLink { page: page.clone(), link }, target)));
            }
        }
        if unknown.is_empty() {
            return Ok(Vec::new());
        }
        let deleted: HashSet<PageId> = changes.deleted_ids.iter().copied().collect();
        self.read(move |tx| {
            let mut gone = HashSet::new();
            pages::scan(tx, site, |page| {
                let path = stored_path(&page);
                match deleted.contains(&page.id) {
                    true => drop(gone.insert(path)),
                    false => present.add(path),
                }
            })?;
            unknown.retain(|(_, target)| !present.0.contains(target));
            let targets: Vec<String> = unknown.iter().map(|(_, target)| target.clone()).collect();
            let shown = match releases::live(tx, site)? {
                Some(release) => files::at_each(tx, site, release, &targets)?,
                None => Vec::new(),
            };
            let shown: HashSet<String> = shown.into_iter().map(|(path, _)| path).collect();
            unknown.retain(|(_, target)| gone.contains(target) || !shown.contains(target));
            Ok(unknown.drain(..).map(|(link, _)| link).take(MOST_BROKEN_LINKS).collect())
        })
        .await
    }
}

/// The paths of pages, and of the lists that they are on.
#[derive(Default)]
struct Paths(HashSet<String>);

impl Paths {
    /// Of the pages that are written, and the former ones of those that move.
    fn of(changes: &Changes) -> Paths {
        let mut paths = Paths::default();
        paths.add("/".to_owned());
        changes.pages.iter().for_each(|written| paths.add(written.page.key.path()));
        paths.0.extend(changes.left.iter().map(|(former, _)| former.clone()));
        paths
    }

    fn add(&mut self, path: String) {
        let mut list = path.as_str();
        while let Some((above, _)) = list.rsplit_once('/').filter(|(above, _)| !self.0.contains(*above)) {
            self.0.insert(above.to_owned());
            list = above;
        }
        self.0.insert(path);
    }
}

fn stored_path(page: &Summary) -> String {
    let first = match page.content_type {
        "homepage" => return "/".to_owned(),
        "standalone" => "",
        content_type => content_type,
    };
    let segments = [first, page.section, page.slug].into_iter().filter(|segment| !segment.is_empty());
    segments.flat_map(|segment| ["/", segment]).collect()
}

/// The stored text of an entry that is no longer in memory.
fn stored_at(changes: &Changes, texts: &Texts, index: usize, text: TextRef) -> Option<TextId> {
    texts.stashed(text).or(changes.pages.get(index)?.page.content).map(|text| text.id)
}
