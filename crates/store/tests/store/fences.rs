//! What a worker may do after another one has taken its site.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use model::Trigger;
use store::building::{self, Claim, End};
use store::{Error, Store, Tx, files, sites};
use testing::Database;

use crate::building::{ONE, SUCCESS, TWO, claim, end, recover};
use crate::builds::queue;
use crate::files::file;
use crate::{at, read, site, write};

testing::on_both_databases!(
    a_claim_holds_until_another_worker_has_the_site,
    a_worker_that_lost_its_site_changes_nothing,
    a_site_that_was_given_free_is_no_longer_held,
    a_deleted_site_is_no_longer_held,
    what_a_build_writes_while_it_holds_its_claim_is_there_before_the_next_begins,
);

async fn hold(store: &Store, claim: &Claim) -> bool {
    let claim = *claim;
    write(store, move |tx| building::hold(tx, &claim)).await
}

async fn a_claim_holds_until_another_worker_has_the_site(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await, site(store, "other").await);
    for site in [&books, &other] {
        queue(store, site, Trigger::Api, 1).await;
    }
    let first = claim(store, &books, ONE, 5).await.unwrap();
    let theirs = claim(store, &other, TWO, 5).await.unwrap();
    let before = database.dump();
    assert!(
        hold(store, &first).await,
        "also when the lease is over, as long as no other worker took the site"
    );
    assert!(!hold(store, &Claim { worker: TWO, ..first }).await);
    assert!(!hold(store, &Claim { site: other.id, ..first }).await);
    assert_eq!(database.dump(), before);
    assert!(write(store, move |tx| building::extend(tx, &theirs, None, at(16))).await);
    assert_eq!(recover(store, 16).await, 1);
    assert!(!hold(store, &first).await);
    let second = claim(store, &books, TWO, 17).await.unwrap();
    assert!(!hold(store, &first).await);
    assert!(hold(store, &second).await && hold(store, &theirs).await);
}

async fn changes_nothing(database: &Database, old: Claim, second: i64) {
    let store = database.store();
    let before = database.dump();
    assert!(!hold(store, &old).await);
    assert!(!end(store, &old, SUCCESS, second).await);
    assert!(!end(store, &old, End::Failed("late"), second).await);
    assert!(!write(store, move |tx| building::extend(tx, &old, None, at(second))).await);
    let seen = Some(building::Seen { version: 9, texts_below: 9 });
    assert!(!write(store, move |tx| building::extend(tx, &old, seen, at(second))).await);
    assert!(!write(store, move |tx| building::retry(tx, &old, "late", at(second))).await);
    write(store, move |tx| building::give_back(tx, &old)).await;
    assert_eq!(database.dump(), before);
}

async fn a_worker_that_lost_its_site_changes_nothing(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let old = claim(store, &books, ONE, 5).await.unwrap();
    recover(store, 16).await;
    changes_nothing(database, old, 16).await;
    let new = claim(store, &books, TWO, 17).await.unwrap();
    changes_nothing(database, old, 18).await;
    assert!(end(store, &new, SUCCESS, 18).await);
    assert!(!end(store, &new, SUCCESS, 19).await, "once is enough");
    changes_nothing(database, old, 19).await;
    changes_nothing(database, new, 19).await;
}

async fn a_site_that_was_given_free_is_no_longer_held(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let gives_back = claim(store, &books, ONE, 5).await.unwrap();
    write(store, move |tx| building::give_back(tx, &gives_back)).await;
    changes_nothing(database, gives_back, 6).await;
    let fails = claim(store, &books, TWO, 6).await.unwrap();
    assert!(write(store, move |tx| building::retry(tx, &fails, "no", at(7))).await);
    changes_nothing(database, fails, 8).await;
}

async fn a_deleted_site_is_no_longer_held(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let claim = claim(store, &books, ONE, 5).await.unwrap();
    let id = books.id;
    write(store, move |tx| sites::delete(tx, id, at(6))).await;
    while write(store, move |tx| sites::remove_some(tx, id, 10, at(6))).await {}
    changes_nothing(database, claim, 7).await;
}

/// Runs a transaction in its own task, which reports when it has reached `pause`, and continues when signalled.
fn paused<T: Send + 'static>(
    store: &Store,
    mut before: impl FnMut(&mut Tx) -> Result<(), Error> + Send + 'static,
    mut after: impl FnMut(&mut Tx) -> Result<T, Error> + Send + 'static,
) -> (impl Future<Output = (T, usize)>, tokio::sync::oneshot::Receiver<()>, mpsc::Sender<()>) {
    let (paused, is_paused) = tokio::sync::oneshot::channel();
    let (go_on, signal) = mpsc::channel::<()>();
    let (store, mut paused, mut runs) = (store.clone(), Some(paused), 0);
    let task = tokio::spawn(async move {
        write(&store, move |tx| {
            runs += 1;
            before(tx)?;
            if let Some(paused) = paused.take() {
                let _ = paused.send(());
                let _ = signal.recv();
            }
            Ok((after(tx)?, runs))
        })
        .await
    });
    (async move { task.await.unwrap() }, is_paused, go_on)
}

async fn what_a_build_writes_while_it_holds_its_claim_is_there_before_the_next_begins(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await;
    queue(store, &books, Trigger::Api, 1).await;
    let (id, slow) = (books.id, claim(store, &books, ONE, 5).await.unwrap());
    let (writing, holds, go_on) = paused(
        store,
        move |tx| building::hold(tx, &slow).map(|holds| assert!(holds)),
        move |tx| files::insert(tx, id, 1, &[file("/a", 1)]),
    );
    holds.await.unwrap();
    // Its lease expired long ago, and another worker tries to take the site again and again.
    let taking = tokio::spawn({
        let (store, site) = (store.clone(), (books.id, books.account));
        async move {
            loop {
                let taken = write(&store, move |tx| {
                    building::recover(tx, at(100))?;
                    let claim = building::claim(tx, site, TWO, at(200))?;
                    Ok(claim.map(|_| files::at(tx, id, 1, "/a")).transpose()?.flatten())
                });
                if let Some(found) = taken.await {
                    return found;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!taking.is_finished(), "no worker takes the site while its worker writes");
    go_on.send(()).unwrap();
    writing.await;
    assert_eq!(taking.await.unwrap(), file("/a", 1).stored);
    assert!(!hold(store, &slow).await);
}

#[test]
fn a_worker_that_stops_in_the_middle_of_a_write_holds_up_no_other_site_on_postgres() {
    let Some(database) = Database::postgres() else { return };
    testing::block_on(async {
        let store = database.store();
        let (stopped, dead) = (site(store, "stopped").await, site(store, "dead").await);
        for site in [&stopped, &dead] {
            queue(store, site, Trigger::Api, 1).await;
        }
        let held = claim(store, &stopped, ONE, 5).await.unwrap();
        claim(store, &dead, TWO, 5).await.unwrap();
        let (writing, holds, go_on) =
            paused(store, move |tx| building::hold(tx, &held).map(|holds| assert!(holds)), move |_| Ok(()));
        holds.await.unwrap();
        let started = Instant::now();
        assert_eq!(recover(store, 100).await, 1, "the other one");
        assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
        assert!(claim(store, &dead, ONE, 200).await.is_some());
        go_on.send(()).unwrap();
        writing.await;
        assert_eq!(recover(store, 201).await, 1, "now it is over");
        assert!(!hold(store, &held).await);
    });
}

#[test]
fn a_deletion_and_a_build_of_the_site_never_wait_for_each_other_on_postgres() {
    let Some(database) = Database::postgres() else { return };
    testing::block_on(async {
        let store = database.store();
        let books = site(store, "books").await;
        queue(store, &books, Trigger::Api, 1).await;
        let (id, claim) = (books.id, claim(store, &books, ONE, 5).await.unwrap());
        write(store, move |tx| sites::delete(tx, id, at(6))).await;
        let (writing, holds, go_on) = paused(
            store,
            move |tx| building::hold(tx, &claim).map(|holds| assert!(holds)),
            move |tx| {
                files::insert(tx, id, 1, &[file("/a", 1)])?;
                files::stage(tx, id, Some(1))
            },
        );
        holds.await.unwrap();
        let mut runs = 0;
        let step = move |tx: &mut Tx| {
            runs += 1;
            sites::remove_some(tx, id, 10, at(7)).map(|left| (left, runs))
        };
        let removing = tokio::spawn({
            let store = store.clone();
            async move { write(&store, step).await }
        });
        tokio::time::sleep(Duration::from_millis(300)).await;
        assert!(!removing.is_finished(), "it waits for the build's write");
        go_on.send(()).unwrap();
        let ((), written) = writing.await;
        assert_eq!((written, removing.await.unwrap()), (1, (true, 1)), "neither had to be run again");
        while write(store, move |tx| sites::remove_some(tx, id, 10, at(8))).await {}
        assert_eq!(read(store, sites::deleted).await, None);
        assert_eq!(read(store, move |tx| files::at(tx, id, 1, "/a")).await, None);
    });
}
