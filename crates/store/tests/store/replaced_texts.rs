//! Replaced texts are swept at once, unless a running build of their site may need them.

use model::{SiteId, Trigger};
use store::Store;
use store::building::{self, Claim, Seen};
use store::sites::{self, Site};
use store::texts::{self, Text, TextId};
use testing::Database;

use crate::building::{ONE, SUCCESS, TWO, claim, end, recover};
use crate::builds::queue;
use crate::{at, read, site, write};

testing::on_both_databases!(
    a_text_that_was_replaced_goes_at_once,
    what_a_running_build_has_seen_stays_for_it,
    what_was_replaced_before_the_snapshot_of_a_build_goes_at_once,
    what_was_written_after_the_snapshot_of_a_build_goes_at_once,
    until_a_build_has_its_snapshot_everything_of_its_site_stays,
    texts_kept_for_a_build_are_swept_when_it_ends,
    a_build_that_is_repeated_keeps_what_its_own_snapshot_needs,
    texts_of_purged_pages_stay_for_a_build_that_saw_them,
    a_stash_of_a_day_stays_for_a_day,
    a_lease_that_lies_further_ahead_than_one_can_be_is_over,
    many_replaced_texts_are_swept_in_bounded_steps,
    no_text_that_can_be_seen_has_an_id_from_below_on,
);

/// Writes a text of three bytes.
async fn add(store: &Store) -> Text {
    let range = write(store, |tx| texts::insert(tx, &["abc"])).await.unwrap();
    Text { id: range.first, bytes: 3 }
}

/// A publish that replaces a text; returns its version.
async fn replace(store: &Store, site: SiteId, text: Text) -> i64 {
    write(store, move |tx| {
        let version = sites::next_version(tx, site)?.unwrap();
        texts::release(tx, site, version, std::iter::once(text), at(10))?;
        Ok(version)
    })
    .await
}

async fn is_there(store: &Store, text: Text) -> bool {
    read(store, move |tx| texts::body(tx, text.id)).await.is_some()
}

/// Sweeps at second 10, at which everything is replaced here.
async fn sweep(store: &Store) -> u64 {
    write(store, |tx| texts::sweep(tx, at(10), 1000)).await
}

async fn start(store: &Store, site: &Site) -> Claim {
    queue(store, site, Trigger::Api, 5).await;
    claim(store, site, ONE, 5).await.unwrap()
}

/// The build takes its snapshot, and stores with its next heartbeat what it has seen.
async fn take_snapshot(store: &Store, claim: &Claim) -> Seen {
    let claim = *claim;
    let seen = read(store, move |tx| {
        let version = sites::get(tx, claim.site)?.unwrap().version;
        Ok(Seen { version, texts_below: texts::below(tx)? })
    })
    .await;
    assert!(write(store, move |tx| building::extend(tx, &claim, Some(seen), at(6))).await);
    seen
}

async fn a_text_that_was_replaced_goes_at_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let (old, kept) = (add(store).await, add(store).await);
    replace(store, books, old).await;
    assert_eq!(sweep(store).await, 1);
    assert_eq!((is_there(store, old).await, is_there(store, kept).await), (false, true));
    assert_eq!(sweep(store).await, 0);
}

async fn what_a_running_build_has_seen_stays_for_it(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    let (old, theirs) = (add(store).await, add(store).await);
    let build = start(store, &books).await;
    take_snapshot(store, &build).await;
    replace(store, books.id, old).await;
    replace(store, other.id, theirs).await;
    assert_eq!(sweep(store).await, 1);
    assert_eq!((is_there(store, old).await, is_there(store, theirs).await), (true, false));
}

async fn what_was_replaced_before_the_snapshot_of_a_build_goes_at_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let old = add(store).await;
    let version = replace(store, books.id, old).await;
    let build = start(store, &books).await;
    assert_eq!(take_snapshot(store, &build).await.version, version);
    assert_eq!(sweep(store).await, 1);
}

async fn what_was_written_after_the_snapshot_of_a_build_goes_at_once(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let seen = add(store).await;
    let build = start(store, &books).await;
    take_snapshot(store, &build).await;
    replace(store, books.id, seen).await;
    // However often a page is written while a build runs, only texts that the build has seen take space.
    for _ in 0..3 {
        let unseen = add(store).await;
        replace(store, books.id, unseen).await;
        assert_eq!(sweep(store).await, 1);
        assert_eq!((is_there(store, seen).await, is_there(store, unseen).await), (true, false));
    }
}

async fn until_a_build_has_its_snapshot_everything_of_its_site_stays(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let build = start(store, &books).await;
    for known in [false, true] {
        let text = add(store).await;
        replace(store, books.id, text).await;
        assert_eq!(sweep(store).await, 0);
        if known {
            take_snapshot(store, &build).await;
        } else {
            assert!(write(store, move |tx| building::extend(tx, &build, None, at(6))).await);
        }
    }
    assert_eq!(sweep(store).await, 2, "its snapshot is newer");
}

async fn texts_kept_for_a_build_are_swept_when_it_ends(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let mut ends = 0;
    while ends < 4 {
        let text = add(store).await;
        let build = start(store, &books).await;
        take_snapshot(store, &build).await;
        replace(store, books.id, text).await;
        assert_eq!(sweep(store).await, 0);
        match ends {
            0 => assert!(end(store, &build, SUCCESS, 7).await),
            1 => write(store, move |tx| building::give_back(tx, &build)).await,
            2 => assert!(write(store, move |tx| building::retry(tx, &build, "no", at(5))).await),
            _ => assert_eq!(recover(store, 17).await, 1),
        }
        assert_eq!(sweep(store).await, 1, "end {ends}");
        ends += 1;
    }
}

async fn a_build_that_is_repeated_keeps_what_its_own_snapshot_needs(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    let (first, second) = (add(store).await, add(store).await);
    let build = start(store, &books).await;
    take_snapshot(store, &build).await;
    replace(store, books.id, first).await;
    recover(store, 17).await;
    let again = claim(store, &books, TWO, 20).await.unwrap();
    assert_eq!(sweep(store).await, 0, "it is unknown what the new one needs");
    take_snapshot(store, &again).await;
    replace(store, books.id, second).await;
    assert_eq!(sweep(store).await, 1);
    assert_eq!((is_there(store, first).await, is_there(store, second).await), (false, true));
}

async fn texts_of_purged_pages_stay_for_a_build_that_saw_them(database: &Database) {
    use store::trash::{self, Purge};
    let store = database.store();
    let books = site(store, "books").await;
    for seen in [true, false] {
        let content = Some(add(store).await);
        let page = store::pages::Page { content, params: None, ..crate::page("blog//a") };
        crate::insert(store, books.id, std::slice::from_ref(&page)).await;
        let build = start(store, &books).await;
        if seen {
            take_snapshot(store, &build).await;
        }
        crate::delete(store, books.id, &[page.id], 7).await;
        if !seen {
            take_snapshot(store, &build).await;
        }
        let purge = move |tx: &mut store::Tx| trash::purge(tx, books.id, Purge::One(page.id), 1, at(10));
        assert_eq!(write(store, purge).await, 1);
        assert_eq!(sweep(store).await, u64::from(!seen));
        assert!(end(store, &build, SUCCESS, 11).await);
        assert_eq!(sweep(store).await, u64::from(seen));
    }
}

const DAY: i64 = 24 * 3600;

async fn stash(store: &Store, second: i64) {
    write(store, move |tx| texts::stash(tx, &["abc".into()], at(second))).await.unwrap();
}

async fn a_stash_of_a_day_stays_for_a_day(database: &Database) {
    let store = database.store();
    stash(store, 10 + DAY).await;
    let sweep = |second| write(store, move |tx| texts::sweep(tx, at(second), 1000));
    for second in [10, 10 + DAY / 2, 9 + DAY] {
        assert_eq!(sweep(second).await, 0);
    }
    assert_eq!(sweep(10 + DAY).await, 1);
}

async fn a_lease_that_lies_further_ahead_than_one_can_be_is_over(database: &Database) {
    let store = database.store();
    for (lease, swept) in [(10 + 2 * DAY, 0), (11 + 2 * DAY, 1), (100_000_000, 1)] {
        stash(store, lease).await;
        assert_eq!(sweep(store).await, swept, "a lease until {lease}");
    }
}

async fn many_replaced_texts_are_swept_in_bounded_steps(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let large = "x".repeat(300_000);
    let bodies: Vec<String> =
        (0..400).map(|number| if number < 10 { large.clone() } else { "ab".into() }).collect();
    let sizes: Vec<i64> = bodies.iter().map(|body| body.len() as i64).collect();
    let range = write(store, move |tx| texts::insert(tx, &bodies)).await.unwrap();
    write(store, move |tx| {
        let all = sizes.iter().zip(range.first.0..).map(|(bytes, id)| Text { id: TextId(id), bytes: *bytes });
        texts::release(tx, books, 1, all, at(10))
    })
    .await;
    let (mut steps, mut left) = (0, 400);
    while left > 0 {
        let swept = write(store, |tx| texts::sweep(tx, at(10), 1)).await;
        assert!((1..=64).contains(&swept), "{swept} texts in one step");
        assert!(steps >= 3 || swept == 3, "at most a megabyte: {swept} large texts in one step");
        left -= swept;
        steps += 1;
    }
    // Texts that are not adjacent are a range each, and the number of ranges is limited, too.
    let bodies = vec!["ab".to_owned(); 800];
    let range = write(store, move |tx| texts::insert(tx, &bodies)).await.unwrap();
    write(store, move |tx| {
        let every_other = (range.first.0..=range.last.0).step_by(2);
        texts::release(tx, books, 1, every_other.map(|id| Text { id: TextId(id), bytes: 2 }), at(10))
    })
    .await;
    for expected in [256, 144, 0] {
        assert_eq!(write(store, |tx| texts::sweep(tx, at(10), i64::MAX)).await, expected);
    }
}

async fn no_text_that_can_be_seen_has_an_id_from_below_on(database: &Database) {
    let store = database.store();
    let below = || read(store, texts::below);
    add(store).await;
    let mut last = below().await;
    for _ in 0..3 {
        let range = write(store, |tx| texts::insert(tx, &["a", "b"])).await.unwrap();
        assert!(range.first.0 >= last, "{range:?} was written later");
        last = below().await;
        assert!(range.last.0 < last, "{range:?} can be seen");
    }
}
