//! The usage of accounts, and what their quota refuses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use model::{AccountId, ObjectId, PageId, SiteId};
use store::media::{self, Kept, Upload};
use store::pages::{self, Page};
use store::sites::{self, Site};
use store::texts::{self, Text};
use store::trash::{self, Purge};
use store::usage::{self, Change, Exceeded, Limited, Quota, Usage};
use store::{Store, Tx, objects};
use testing::Database;

use crate::media::hash;
use crate::{at, at_once, page, read, site, site_named, write};

testing::on_both_databases!(
    of_changes_at_once_exactly_what_fits_is_accepted,
    of_publishes_at_once_exactly_what_fits_is_stored,
    a_refusal_names_the_exceeded_quota,
    a_change_that_adds_nothing_is_never_refused,
    an_early_check_counts_nothing,
    the_counters_say_what_the_rows_say,
);

const NOTHING: Usage = Usage { storage: 0, pages: 0, text: 0 };
const UNLIMITED: Quota = Quota { storage: u64::MAX, pages: u64::MAX, text: u64::MAX };

async fn of_account(store: &Store, account: AccountId) -> Usage {
    read(store, move |tx| usage::of_account(tx, account)).await
}

async fn recounted(store: &Store, account: AccountId) -> Usage {
    read(store, move |tx| usage::recounted(tx, account)).await
}

async fn charge(store: &Store, site: SiteId, change: Change, quota: Quota) -> Option<Exceeded> {
    write(store, move |tx| {
        sites::lock(tx, site)?;
        usage::charge(tx, site, change, &quota)
    })
    .await
}

/// An account with two sites.
async fn two_sites(store: &Store) -> (AccountId, [SiteId; 2]) {
    let books = site(store, "books").await;
    let second = site_named(books.account, "second");
    let ids = [books.id, second.id];
    write(store, move |tx| sites::insert(tx, &second)).await;
    (books.account, ids)
}

async fn of_changes_at_once_exactly_what_fits_is_accepted(database: &Database) {
    let store = database.store();
    let (account, sites) = two_sites(store).await;
    let changes = [
        (Change { pages: 7, ..Change::default() }, Quota { pages: 300, ..NOTHING }),
        (Change { text: 7, ..Change::default() }, Quota { text: 300, ..NOTHING }),
        (Change { storage: 7, ..Change::default() }, Quota { storage: 300, ..NOTHING }),
        // All three change, and the quota that is exhausted first decides.
        (Change { storage: 1, pages: 2, text: 3 }, Quota { storage: 400, pages: 85, text: 420 }),
    ];
    for ((change, quota), fits) in changes.into_iter().zip([42, 42, 42, 42]) {
        let accepted = at_once(16, |task| {
            let store = store.clone();
            async move {
                let mut accepted = 0;
                for round in 0..5 {
                    let exceeded = charge(&store, sites[(task + round) % 2], change, quota).await;
                    accepted += i64::from(exceeded.is_none());
                }
                accepted
            }
        });
        let accepted: i64 = accepted.await.into_iter().sum();
        assert_eq!(accepted, fits, "{change:?} within {quota:?}");
        let used = |size: i64| (size * accepted) as u64;
        let expected =
            Usage { storage: used(change.storage), pages: used(change.pages), text: used(change.text) };
        assert_eq!(of_account(store, account).await, expected);
        let back = Change {
            storage: -change.storage * accepted,
            pages: -change.pages * accepted,
            text: -change.text * accepted,
        };
        assert_eq!(charge(store, sites[0], back, NOTHING).await, None);
        assert_eq!(of_account(store, account).await, NOTHING);
    }
}

/// Publishes a new page like the use case: if it is refused, nothing changes.
async fn publish(store: &Store, site: SiteId, name: String, content: String, quota: Quota) -> bool {
    let outcome: Result<(), Refused> = store
        .write(move |tx| {
            let version = sites::next_version(tx, site)?.expect("the site is there");
            let range = texts::insert(tx, std::slice::from_ref(&content))?.expect("there is a text");
            let content = Text { id: range.first, bytes: content.len() as i64 };
            let page = Page { content: Some(content), params: None, ..page(&name) };
            let change = Change { pages: 1, text: content.bytes, storage: 0 };
            if usage::charge(tx, site, change, &quota)?.is_some() {
                return Err(Refused);
            }
            Ok(pages::insert(tx, site, version, &[&page])?)
        })
        .await;
    outcome.is_ok()
}

#[derive(Debug)]
struct Refused;

impl From<store::Error> for Refused {
    fn from(error: store::Error) -> Refused {
        panic!("{error}")
    }
}

async fn of_publishes_at_once_exactly_what_fits_is_stored(database: &Database) {
    let store = database.store();
    let (account, sites) = two_sites(store).await;
    let quota = Quota { pages: 20, text: 1000, storage: 0 };
    let bytes = Arc::new(AtomicU64::new(0));
    let stored = at_once(16, |task| {
        let (store, bytes) = (store.clone(), bytes.clone());
        async move {
            let mut stored = 0;
            for round in 0..4 {
                let content = "é".repeat(10 + task + round);
                let size = content.len() as u64;
                let name = format!("blog//page-{task}-{round}");
                if publish(&store, sites[(task + round) % 2], name, content, quota).await {
                    stored += 1;
                    bytes.fetch_add(size, Ordering::Relaxed);
                }
            }
            stored
        }
    });
    let stored: u64 = stored.await.into_iter().sum();
    let expected = Usage { pages: stored, text: bytes.load(Ordering::Relaxed), storage: 0 };
    assert_eq!(of_account(store, account).await, expected, "everything reported as stored is stored");
    assert_eq!(recounted(store, account).await, expected);
    assert_eq!(read(store, texts::count).await as u64, stored, "nothing is left of what was refused");
    assert!(expected.pages <= quota.pages && expected.text <= quota.text, "{expected:?}");
    // The smallest has 20 bytes: there was no space for one more.
    assert!(expected.pages == quota.pages || expected.text + 20 > quota.text, "{expected:?}");
}

async fn a_refusal_names_the_exceeded_quota(database: &Database) {
    let store = database.store();
    let (books, stranger) = (site(store, "books").await, site(store, "stranger").await);
    let quota = Quota { storage: 100, pages: 10, text: 50 };
    let change = |storage, pages, text| Change { storage, pages, text };
    assert_eq!(charge(store, books.id, change(100, 9, 20), quota).await, None);
    let before = database.dump();
    for (change, what, required, remaining) in [
        (change(0, 2, 0), Limited::Pages, 2, 1),
        (change(0, 0, 31), Limited::Text, 31, 30),
        (change(1, 0, 0), Limited::Storage, 1, 0),
        (change(1, 2, 31), Limited::Pages, 2, 1),
        (change(1, -2, 31), Limited::Text, 31, 30),
        (change(1, 1, 30), Limited::Storage, 1, 0),
    ] {
        let expected = Some(Exceeded { what, required, remaining });
        assert_eq!(charge(store, books.id, change, quota).await, expected, "{change:?}");
    }
    // A plan that is smaller than the present usage.
    let small = Quota { pages: 5, ..quota };
    let expected = Some(Exceeded { what: Limited::Pages, required: 1, remaining: 0 });
    assert_eq!(charge(store, books.id, change(0, 1, 0), small).await, expected);
    assert_eq!(database.dump(), before, "nothing is counted");
    assert_eq!(charge(store, stranger.id, change(100, 10, 50), quota).await, None);
}

async fn a_change_that_adds_nothing_is_never_refused(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let change = |storage, pages, text| Change { storage, pages, text };
    charge(store, books.id, change(1000, 1000, 1000), UNLIMITED).await;
    for change in [change(0, 0, 0), change(-1, 0, 0), change(0, -1, 0), change(0, 0, -1), change(-1, -1, -1)]
    {
        assert_eq!(charge(store, books.id, change, NOTHING).await, None, "{change:?}");
    }
    // Adding pages needs page quota, whatever the rest is.
    let pages = Quota { pages: 1000, ..NOTHING };
    assert_eq!(charge(store, books.id, change(0, 1, -5), pages).await, None);
    let expected = Usage { storage: 998, pages: 999, text: 993 };
    assert_eq!(of_account(store, books.account).await, expected);
}

async fn an_early_check_counts_nothing(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    charge(store, books.id, Change { storage: 60, ..Change::default() }, UNLIMITED).await;
    let before = database.dump();
    let quota = Quota { storage: 100, ..NOTHING };
    let exceeds = |storage| {
        let change = Change { storage, ..Change::default() };
        read(store, move |tx| Ok(usage::of_owner(tx, books.id)?.exceeds(change, &quota)))
    };
    assert_eq!(exceeds(40).await, None);
    let expected = Exceeded { what: Limited::Storage, required: 41, remaining: 40 };
    assert_eq!(exceeds(41).await, Some(expected));
    assert_eq!(database.dump(), before);
}

/// Pseudorandom numbers, the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

/// The expected state of an account during a random walk.
struct Walk<'w> {
    store: &'w Store,
    numbers: Numbers,
    sites: Vec<Site>,
    live: Vec<(SiteId, Page)>,
    deleted: Vec<(SiteId, PageId)>,
    media: Vec<(SiteId, u8)>,
}

impl Walk<'_> {
    fn site(&mut self) -> SiteId {
        let index = self.numbers.below(self.sites.len());
        self.sites[index].id
    }

    /// Takes one of a list at random; `None` when it is empty.
    fn take<T>(numbers: &mut Numbers, list: &mut Vec<T>) -> Option<T> {
        if list.is_empty() {
            return None;
        }
        let index = numbers.below(list.len());
        Some(list.swap_remove(index))
    }

    fn text(&mut self) -> String {
        "ü".repeat(self.numbers.below(40))
    }

    async fn step(&mut self) {
        match self.numbers.below(16) {
            0..5 => self.create().await,
            5..7 => self.update().await,
            7..9 => self.delete().await,
            9 => self.restore().await,
            10 => self.purge().await,
            11..13 => self.upload().await,
            13 => self.delete_media().await,
            14 => self.add_site().await,
            _ => self.delete_site().await,
        }
    }

    async fn create(&mut self) {
        let (site, content, params) = (self.site(), self.text(), self.text());
        let page = page(&format!("blog//p{}", self.numbers.below(usize::MAX)));
        let page = write(self.store, move |tx| {
            let page = with_texts(tx, page.clone(), &content, &params)?;
            change(tx, site, &[], &page, |tx, version, page| pages::insert(tx, site, version, &[page]))?;
            Ok(page)
        })
        .await;
        self.live.push((site, page));
    }

    async fn update(&mut self) {
        let Some((site, old)) = Self::take(&mut self.numbers, &mut self.live) else { return };
        let (content, params) = (self.text(), self.text());
        let page = write(self.store, move |tx| {
            let page = with_texts(tx, old.clone(), &content, &params)?;
            let replaced: Vec<Text> = [old.content, old.params].into_iter().flatten().collect();
            change(tx, site, &replaced, &page, |tx, version, page| {
                pages::update(tx, site, version, &[page])
            })?;
            Ok(page)
        })
        .await;
        self.live.push((site, page));
    }

    async fn delete(&mut self) {
        let Some((site, page)) = Self::take(&mut self.numbers, &mut self.live) else { return };
        crate::delete(self.store, site, &[page.id], 5).await;
        self.deleted.push((site, page.id));
    }

    async fn restore(&mut self) {
        let Some((site, id)) = Self::take(&mut self.numbers, &mut self.deleted) else { return };
        let restored = write(self.store, move |tx| {
            let version = sites::next_version(tx, site)?.unwrap();
            assert!(trash::restore(tx, site, version, id, at(6))?);
            assert!(!trash::restore(tx, site, version, id, at(6))?);
            Ok(pages::by_ids(tx, site, std::iter::once(id))?.remove(0))
        });
        self.live.push((site, restored.await));
    }

    async fn purge(&mut self) {
        let Some((site, id)) = Self::take(&mut self.numbers, &mut self.deleted) else { return };
        let what = match self.numbers.below(2) {
            0 => Purge::One(id),
            _ => {
                self.deleted.retain(|(of, _)| *of != site);
                Purge::DeletedBefore(at(100))
            }
        };
        assert!(write(self.store, move |tx| trash::purge(tx, site, what, 1000, at(7))).await > 0);
    }

    async fn upload(&mut self) {
        let (site, number) = (self.site(), self.numbers.below(8) as u8);
        let kept = write(self.store, move |tx| {
            let object = ObjectId::new(at(0));
            objects::begin(tx, object, site, at(10))?;
            let upload = Upload {
                object: Some(object),
                hash: hash(number),
                size: 10 + u64::from(number),
                dimensions: None,
                source: None,
                names: vec!["a.mov".into()],
            };
            media::keep(tx, site, &[upload], &UNLIMITED, at(1))
        });
        assert_eq!(kept.await, Kept::Done);
        if !self.media.contains(&(site, number)) {
            self.media.push((site, number));
        }
    }

    async fn delete_media(&mut self) {
        let Some((site, number)) = Self::take(&mut self.numbers, &mut self.media) else { return };
        let deleted = write(self.store, move |tx| media::delete(tx, site, hash(number), None, at(9)));
        assert_eq!(deleted.await, Some(10 + u64::from(number)));
    }

    async fn add_site(&mut self) {
        let site = site_named(self.sites[0].account, &format!("s{}", self.numbers.below(usize::MAX)));
        self.sites.push(site.clone());
        assert!(write(self.store, move |tx| sites::insert(tx, &site)).await);
    }

    /// In small steps: the counters are right after each of them.
    async fn delete_site(&mut self) {
        if self.sites.len() < 3 || self.numbers.below(3) > 0 {
            return;
        }
        let index = self.numbers.below(self.sites.len());
        let Site { id, account, .. } = self.sites.swap_remove(index);
        self.live.retain(|(site, _)| *site != id);
        self.deleted.retain(|(site, _)| *site != id);
        self.media.retain(|(site, _)| *site != id);
        assert!(write(self.store, move |tx| sites::delete(tx, id, at(8))).await);
        while write(self.store, move |tx| sites::remove_some(tx, id, 2, at(8))).await {
            assert_eq!(of_account(self.store, account).await, recounted(self.store, account).await);
        }
    }
}

/// Writes texts for a page; empty texts are not stored.
fn with_texts(tx: &mut Tx, page: Page, content: &str, params: &str) -> store::Result<Page> {
    let mut stored = |body: &str| -> store::Result<Option<Text>> {
        if body.is_empty() {
            return Ok(None);
        }
        let range = texts::insert(tx, &[body.to_owned()])?.expect("there is a text");
        Ok(Some(Text { id: range.first, bytes: body.len() as i64 }))
    };
    Ok(Page { content: stored(content)?, params: stored(params)?, ..page })
}

/// One publish of a page; what it replaces is released.
fn change(
    tx: &mut Tx,
    site: SiteId,
    replaced: &[Text],
    page: &Page,
    write: impl FnOnce(&mut Tx, i64, &Page) -> store::Result<()>,
) -> store::Result<()> {
    let version = sites::next_version(tx, site)?.unwrap();
    let bytes = |texts: &mut dyn Iterator<Item = Text>| texts.map(|text| text.bytes).sum::<i64>();
    let added = bytes(&mut [page.content, page.params].into_iter().flatten());
    let text = added - bytes(&mut replaced.iter().copied());
    let pages =
        i64::from(replaced.is_empty() && pages::by_ids(tx, site, std::iter::once(page.id))?.is_empty());
    assert_eq!(usage::charge(tx, site, Change { pages, text, storage: 0 }, &UNLIMITED)?, None);
    write(tx, version, page)?;
    texts::release(tx, site, version, replaced.iter().copied(), at(4))
}

async fn the_counters_say_what_the_rows_say(database: &Database) {
    let store = database.store();
    let other = site(store, "another-account").await;
    crate::insert(store, other.id, &[page("blog//a")]).await;
    let theirs = of_account(store, other.account).await;
    for seed in 0..6 {
        let first = site(store, &format!("seed-{seed}")).await;
        let account = first.account;
        let (live, deleted, media) = (vec![], vec![], vec![]);
        let mut walk = Walk { store, numbers: Numbers(seed), sites: vec![first], live, deleted, media };
        for step in 0..60 {
            walk.step().await;
            let counted = of_account(store, account).await;
            assert_eq!(counted, recounted(store, account).await, "seed {seed}, step {step}");
            assert_eq!(counted.pages, walk.live.len() as u64, "seed {seed}, step {step}");
        }
        assert_ne!(of_account(store, account).await, NOTHING);
        for Site { id, .. } in walk.sites {
            crate::delete_site(store, id, 9).await;
        }
        assert_eq!(of_account(store, account).await, NOTHING);
    }
    assert_eq!(of_account(store, other.account).await, theirs);
}
