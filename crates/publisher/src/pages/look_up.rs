//! Which pages a request means: looked up before the site is locked, those of a large request in pieces while the rest
//! of it arrives. Looking up thousands of pages takes as long as writing them.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use model::{AccountId, PageId, PageKey, SiteId};
use store::Tx;
use store::pages::{self, Page};
use store::sites::{self, Site};
use tokio::task::JoinHandle;

use super::decide::Known;
use super::draft::Request;
use super::texts::Texts;
use crate::accounts::access::site_of;
use crate::{Entry, Error, Identity, Publisher, Target, TextRef, decide};

/// What entries say about the pages they mean.
#[derive(Default)]
struct Names {
    ids: HashSet<PageId>,
    slugs: HashSet<String>,
}

impl Names {
    fn of(entries: &[Entry]) -> Names {
        let mut names = Names::default();
        for entry in entries {
            match &entry.identity {
                Identity::Id { id, slug } => {
                    names.ids.insert(*id);
                    names.slugs.extend(slug.as_ref().map(|slug| slug.as_str().to_owned()));
                }
                Identity::Slug(slug) | Identity::Auto(slug) => {
                    names.slugs.insert(slug.as_str().to_owned());
                }
                Identity::Unusable { .. } => {}
            }
        }
        names
    }

    /// The live pages that have one of these ids, or one of these slugs in any section; and the slugs that were looked
    /// up. Those in `seen` are not looked up again: each may belong to every page of the site.
    fn look_up(
        &self,
        tx: &mut Tx,
        site: SiteId,
        seen: &HashSet<String>,
    ) -> Result<(Vec<Page>, HashSet<String>), Error> {
        let mut found = pages::by_ids(tx, site, self.ids.iter().copied())?;
        // A page that keeps its slug may still move to a section where another page has it.
        let kept = found.iter().map(|page| page.key.slug.as_str());
        let named = kept.chain(self.slugs.iter().map(String::as_str));
        let slugs: HashSet<String> = named.filter(|slug| !seen.contains(*slug)).map(str::to_owned).collect();
        found.extend(pages::by_slugs(tx, site, slugs.iter().map(String::as_str))?);
        Ok((found, slugs))
    }
}

/// The pages of the first entries of a request, while the others arrive.
#[derive(Default)]
pub(crate) struct LookedUp {
    /// As it was before the first look-up.
    site: Option<Site>,
    entries: usize,
    pages: Vec<Page>,
    /// All slugs that were looked up.
    slugs: Arc<HashSet<String>>,
    under_way: Option<JoinHandle<Result<Piece, Error>>>,
    given_up: bool,
}

/// What was looked up at once.
pub(crate) struct Piece {
    site: Site,
    pages: Vec<Page>,
    slugs: HashSet<String>,
    entries: Range<usize>,
    /// How many texts its entries and those before have.
    pub(crate) texts: usize,
    /// A `siteId` after the pages cannot mean another site.
    is_certain: bool,
}

impl Piece {
    /// The texts that the pages of these entries have already. It may miss some.
    pub(crate) fn stored_texts(&self, request: &Request, texts: &Texts) -> Vec<TextRef> {
        let (known, mut stored) = (Known::new(&self.pages), Vec::new());
        if !self.is_certain {
            return stored;
        }
        for entry in &request.entries[self.entries.clone()] {
            // Pages with a slug that was looked up before are not here, or not all of them.
            let is_complete = match &entry.identity {
                Identity::Slug(slug) | Identity::Auto(slug) => self.slugs.contains(slug.as_str()),
                Identity::Id { .. } | Identity::Unusable { .. } => true,
            };
            if let (true, Ok(Some(page))) = (is_complete, known.meant(entry)) {
                let same = |text: &TextRef, hash| texts.hash(*text).is_some_and(|new| Some(new) == hash);
                stored.extend(entry.content.filter(|text| same(text, page.content_hash)));
                stored.extend(entry.params.filter(|text| same(text, page.params_hash)));
            }
        }
        stored
    }
}

impl LookedUp {
    /// Looks up the pages of the entries that have arrived since the last piece, unless one is being looked up.
    pub(crate) fn begin(
        &mut self,
        publisher: &Publisher,
        account: AccountId,
        request: &Request,
        texts: usize,
    ) {
        if self.given_up || self.under_way.is_some() {
            return;
        }
        let entries = self.entries..request.entries.len();
        let (names, site) = (Names::of(&request.entries[entries.clone()]), request.site);
        self.entries = entries.end;
        let (publisher, seen) = (publisher.clone(), self.slugs.clone());
        self.under_way = Some(tokio::spawn(async move {
            publisher
                .read(move |tx| {
                    let is_certain = site.is_some() || sites::count(tx, account)? == 1;
                    let site = site_of(tx, account, site)?;
                    let (pages, slugs) = names.look_up(tx, site.id, &seen)?;
                    Ok(Piece { site, pages, slugs, entries: entries.clone(), texts, is_certain })
                })
                .await
        }));
    }

    pub(crate) fn is_under_way(&self) -> bool {
        self.under_way.as_ref().is_some_and(|look_up| !look_up.is_finished())
    }

    /// Waits for the piece that is being looked up. If that failed, everything is looked up again at the end.
    pub(crate) async fn wait(&mut self) -> Option<Piece> {
        match self.under_way.take()?.await {
            Ok(Ok(piece)) => Some(piece),
            _ => {
                self.give_up();
                None
            }
        }
    }

    /// Adds a piece, unless the site has changed since the one before.
    pub(crate) fn add(&mut self, piece: Piece) {
        if self.site.as_ref().is_some_and(|before| !same(before, &piece.site)) {
            return self.give_up();
        }
        self.site = Some(piece.site);
        self.pages.extend(piece.pages);
        Arc::make_mut(&mut self.slugs).extend(piece.slugs);
    }

    fn give_up(&mut self) {
        *self = LookedUp { given_up: true, ..LookedUp::default() };
    }
}

/// Whether no page has changed in between.
fn same(before: &Site, after: &Site) -> bool {
    before.id == after.id && before.version == after.version
}

/// What a request means.
pub(crate) struct Decision {
    pub(crate) targets: Vec<Target>,
    pub(crate) found: HashMap<PageId, Page>,
}

impl Decision {
    /// `known` was looked up before. Errors are those of the whole request.
    pub(crate) fn new(
        tx: &mut Tx,
        site: &Site,
        request: &Request,
        known: LookedUp,
    ) -> Result<Decision, Error> {
        let known = if known.site.as_ref().is_some_and(|before| same(before, site)) {
            known
        } else {
            LookedUp::default()
        };
        let mut names = Names::of(&request.entries[known.entries..]);
        let deletes: Vec<PageKey> = request.deletes.iter().filter_map(|delete| delete.key.clone()).collect();
        names.slugs.extend(deletes.iter().map(|key| key.slug.as_str().to_owned()));
        let mut found = known.pages;
        found.extend(names.look_up(tx, site.id, &known.slugs)?.0);
        let targets = decide(&request.entries, &deletes, &found)?;
        if !request.unresolved.is_empty() {
            return Err(Error::UnresolvedFiles(request.unresolved.clone()));
        }
        Ok(Decision { targets, found: found.into_iter().map(|page| (page.id, page)).collect() })
    }
}

/// A decision that was made before the site was locked.
pub(crate) struct Ahead {
    pub(crate) site: Site,
    pub(crate) decision: Decision,
}

impl Ahead {
    /// Returns the request's errors; or its site, and which page each entry means.
    pub(crate) async fn new(
        publisher: &Publisher,
        account: AccountId,
        request: &Arc<Request>,
        mut known: LookedUp,
    ) -> Result<Ahead, Error> {
        if let Some(piece) = known.wait().await {
            known.add(piece);
        }
        let request = request.clone();
        let read = move |tx: &mut Tx| {
            let site = site_of(tx, account, request.site)?;
            let decision = Decision::new(tx, &site, &request, std::mem::take(&mut known))?;
            Ok(Ahead { site, decision })
        };
        publisher.read(read).await
    }

    /// Whether the pages have not changed since: then only locking the site has raised its version, by one.
    pub(crate) fn holds(&self, site: &Site, locked: i64) -> bool {
        self.site.id == site.id && self.site.version + 1 == locked
    }
}

#[cfg(test)]
mod tests {
    use model::{AccountName, ContentType, Section, SiteName, Slug, Timestamp};

    use super::super::changes::new_page;
    use super::*;

    /// Otherwise every piece of a request would find every page of a site in which all pages have the same slug.
    #[test]
    fn a_slug_is_looked_up_once() {
        let (database, now) = (testing::Database::sqlite(), Timestamp::from_micros(0));
        let (account, site) = (AccountId::new(now), SiteId::new(now));
        let key = |number| PageKey {
            content_type: ContentType::Docs,
            section: Section::parse(&format!("s{number}")).unwrap(),
            slug: Slug::parse("same").unwrap(),
        };
        let pages: Vec<Page> = (0..50).map(|number| new_page(PageId::new(now), key(number), now)).collect();
        let first = pages[0].id;
        testing::block_on(async {
            let store = database.store();
            let written = store.write(move |tx| {
                store::accounts::insert(tx, account, &AccountName::parse("a").unwrap(), "pro", now)?;
                let name = SiteName::parse("books").unwrap();
                store::sites::insert(tx, &Site { id: site, account, name, version: 0, created_at: now })?;
                store::pages::insert(tx, site, 1, &pages.iter().collect::<Vec<_>>())
            });
            written.await.unwrap();
            let found = store.read(move |tx| {
                let by_slug = Names { slugs: HashSet::from(["same".to_owned()]), ..Names::default() };
                // It keeps the slug that is looked up already.
                let by_id = Names { ids: HashSet::from([first]), ..Names::default() };
                let (pages, seen) = by_slug.look_up(tx, site, &HashSet::new())?;
                let again = [by_slug.look_up(tx, site, &seen)?, by_id.look_up(tx, site, &seen)?];
                Ok::<_, Error>((pages.len(), again.map(|(pages, slugs)| (pages.len(), slugs.len()))))
            });
            assert_eq!(found.await.unwrap(), (50, [(0, 0), (1, 0)]));
        });
    }
}
