//! Which account's build or transcode is next.

use model::{SiteId, Trigger};
use store::building::{self, Claim, Worker};
use store::sites::{self, Site};
use store::{Store, transcodes};
use testing::Database;
use uuid::Uuid;

use crate::building::{ONE, SUCCESS, claim, end, waiting};
use crate::builds::queue;
use crate::media::{add, hash};
use crate::{at, read, site, site_named, write};

testing::on_both_databases!(
    in_one_account_the_longest_waiting_build_is_first,
    the_build_of_a_new_account_is_next_although_another_account_has_fifty_queued,
    accounts_take_turns,
    a_retried_build_waits_behind_what_came_before_it_was_due_again,
    a_turn_taken_by_a_wrong_clock_does_not_count,
    the_transcode_of_a_new_account_is_next_although_another_account_has_many_queued,
    accounts_take_turns_at_transcodes,
    a_transcode_turn_taken_by_a_wrong_clock_does_not_count,
    the_transcodes_of_a_deleted_site_have_no_turn,
);

/// Another site of the account.
async fn sibling(store: &Store, of: &Site, name: &str) -> Site {
    let site = site_named(of.account, name);
    let row = site.clone();
    assert!(write(store, move |tx| sites::insert(tx, &row)).await);
    site
}

/// An account with this many sites, each with a build that was queued at second 1.
async fn busy(store: &Store, name: &str, count: usize) -> Vec<Site> {
    let mut all = vec![site(store, name).await];
    for number in 1..count {
        all.push(sibling(store, &all[0], &format!("{name}-{number}")).await);
    }
    for site in &all {
        queue(store, site, Trigger::Api, 1).await;
    }
    all
}

/// Claims the next build like a worker.
async fn next(store: &Store, worker: u128, second: i64) -> Option<Claim> {
    let worker = Worker(Uuid::from_u128(worker));
    write(store, move |tx| {
        building::recover(tx, at(second))?;
        for site in building::waiting(tx, at(second))? {
            if let Some(claim) = building::claim(tx, site, worker, at(second))? {
                return Ok(Some(claim));
            }
        }
        Ok(None)
    })
    .await
}

async fn in_one_account_the_longest_waiting_build_is_first(database: &Database) {
    let store = database.store();
    let a = site(store, "a").await;
    let (b, c) = (sibling(store, &a, "b").await, sibling(store, &a, "c").await);
    for (site, second) in [(&b, 4), (&a, 2), (&c, 3), (&b, 1), (&a, 9)] {
        queue(store, site, Trigger::Api, second).await;
    }
    assert_eq!(waiting(store, 9).await, [b.id, a.id, c.id]);
    let first = claim(store, &b, ONE, 10).await.unwrap();
    queue(store, &b, Trigger::Api, 11).await;
    assert_eq!(waiting(store, 11).await, [a.id, c.id], "it is being built");
    end(store, &first, SUCCESS, 12).await;
    assert_eq!(waiting(store, 12).await, [a.id, c.id, b.id]);
}

async fn the_build_of_a_new_account_is_next_although_another_account_has_fifty_queued(database: &Database) {
    let store = database.store();
    busy(store, "busy", 50).await;
    for second in 5..8 {
        let claim = next(store, second as u128, second).await.unwrap();
        end(store, &claim, SUCCESS, second).await;
    }
    let newcomer = site(store, "newcomer").await;
    queue(store, &newcomer, Trigger::Api, 8).await;
    assert_eq!(next(store, 1, 9).await.unwrap().site, newcomer.id);
    assert_ne!(next(store, 2, 10).await.unwrap().site, newcomer.id);
    let late = site(store, "late").await;
    queue(store, &late, Trigger::Api, 11).await;
    assert_eq!(next(store, 3, 11).await.unwrap().site, late.id, "the others wait since second 1");
}

async fn accounts_take_turns(database: &Database) {
    let store = database.store();
    let accounts = [busy(store, "a", 5).await, busy(store, "b", 2).await, busy(store, "c", 3).await];
    let account_of = |id: SiteId| accounts.iter().position(|sites| sites.iter().any(|site| site.id == id));
    let mut order = Vec::new();
    for second in 10..20 {
        let claim = next(store, second as u128, second).await.unwrap();
        order.push(account_of(claim.site).unwrap());
        end(store, &claim, SUCCESS, second).await;
    }
    let mut first: Vec<usize> = order[..3].to_vec();
    first.sort_unstable();
    assert_eq!(first, [0, 1, 2], "each account has a turn before one has its second");
    assert_eq!(order[3..5], order[..2], "in the same order again");
    assert_eq!(order.iter().filter(|account| **account == 1).count(), 2);
    assert_eq!(order[8..], [0, 0], "who is left is alone");
    assert_eq!(next(store, 99, 30).await, None);
}

async fn a_retried_build_waits_behind_what_came_before_it_was_due_again(database: &Database) {
    let store = database.store();
    let a = site(store, "a").await;
    let (b, c) = (sibling(store, &a, "b").await, sibling(store, &a, "c").await);
    queue(store, &a, Trigger::Api, 1).await;
    let failed = claim(store, &a, ONE, 10).await.unwrap();
    write(store, move |tx| building::retry(tx, &failed, "no", at(10))).await;
    // It is due again at 11.
    queue(store, &b, Trigger::Api, 10).await;
    assert_eq!(waiting(store, 10).await, [b.id]);
    queue(store, &c, Trigger::Api, 12).await;
    assert_eq!(waiting(store, 12).await, [b.id, a.id, c.id]);
}

async fn a_turn_taken_by_a_wrong_clock_does_not_count(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await, site(store, "b").await);
    queue(store, &a, Trigger::Api, 1).await;
    // A year ahead.
    let wrong = claim(store, &a, ONE, 31_536_000).await.unwrap();
    end(store, &wrong, SUCCESS, 31_536_001).await;
    queue(store, &b, Trigger::Api, 1).await;
    let turn = claim(store, &b, ONE, 5).await.unwrap();
    end(store, &turn, SUCCESS, 6).await;
    for site in [&b, &a] {
        queue(store, site, Trigger::Api, 7).await;
    }
    assert_eq!(waiting(store, 8).await, [a.id, b.id]);
    // A clock that is a little ahead is another server's.
    let turn = claim(store, &a, ONE, 10).await.unwrap();
    end(store, &turn, SUCCESS, 10).await;
    queue(store, &a, Trigger::Api, 7).await;
    assert_eq!(waiting(store, 9).await, [b.id, a.id]);
}

/// The next transcode, which is done at once.
async fn next_transcode(store: &Store, second: i64) -> Option<(SiteId, u8)> {
    let worker = Worker(Uuid::from_u128(second as u128));
    let claim = write(store, move |tx| transcodes::claim(tx, worker, at(second))).await?;
    let found = (claim.site, claim.hash.0[0]);
    assert_eq!(claim.hash, hash(found.1));
    Some(found)
}

async fn the_transcode_of_a_new_account_is_next_although_another_account_has_many_queued(
    database: &Database,
) {
    let store = database.store();
    let (busy, newcomer) = (site(store, "busy").await, site(store, "newcomer").await);
    let second = sibling(store, &busy, "busy-2").await;
    for number in 1..=50u8 {
        let site = if number % 2 == 0 { &busy } else { &second };
        add(store, site.id, number.into(), number, 1, &["a.mov"]).await;
    }
    for second in [5, 6] {
        assert_ne!(next_transcode(store, second).await.unwrap().0, newcomer.id);
    }
    add(store, newcomer.id, 100, 100, 1, &["a.mov"]).await;
    assert_eq!(next_transcode(store, 7).await, Some((newcomer.id, 100)));
    assert_ne!(next_transcode(store, 8).await.unwrap().0, newcomer.id);
}

async fn accounts_take_turns_at_transcodes(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await, site(store, "b").await);
    for number in 1..=3u8 {
        add(store, a.id, number.into(), number, 1, &["a.mov"]).await;
        add(store, b.id, 10 + u128::from(number), number, 1, &["a.mov"]).await;
    }
    let mut order = Vec::new();
    for second in 5..11 {
        order.push(next_transcode(store, second).await.unwrap().0);
    }
    assert_ne!(order[0], order[1]);
    assert_eq!((&order[2..4], &order[4..]), (&order[..2], &order[..2]));
    assert_eq!(next_transcode(store, 12).await, None);
}

async fn a_transcode_turn_taken_by_a_wrong_clock_does_not_count(database: &Database) {
    let store = database.store();
    let (a, b) = (site(store, "a").await, site(store, "b").await);
    add(store, a.id, 1, 1, 1, &["a.mov"]).await;
    assert_eq!(next_transcode(store, 31_536_000).await, Some((a.id, 1)));
    add(store, b.id, 2, 2, 1, &["a.mov"]).await;
    assert_eq!(next_transcode(store, 5).await, Some((b.id, 2)));
    assert_eq!(next_transcode(store, 6).await, Some((a.id, 1)), "its lease lies too far ahead as well");
    let wrong = "UPDATE accounts SET transcode_turn = 31536000000000 WHERE name = 'a'";
    write(store, move |tx| tx.execute(wrong, &[])).await;
    for (site, number) in [(b.id, 3), (a.id, 4)] {
        add(store, site, number.into(), number, 1, &["a.mov"]).await;
    }
    assert_eq!(next_transcode(store, 7).await, Some((a.id, 4)));
}

async fn the_transcodes_of_a_deleted_site_have_no_turn(database: &Database) {
    let store = database.store();
    let (gone, stays) = (site(store, "gone").await, site(store, "stays").await);
    add(store, gone.id, 1, 1, 1, &["a.mov"]).await;
    add(store, stays.id, 2, 2, 1, &["a.mov"]).await;
    let id = gone.id;
    write(store, move |tx| sites::delete(tx, id, at(2))).await;
    assert_eq!(next_transcode(store, 5).await, Some((stays.id, 2)));
    assert_eq!(next_transcode(store, 6).await, None);
    assert_eq!(read(store, sites::deleted).await, Some(gone.id));
}
