use std::collections::{HashMap, HashSet};

use model::{Dimensions, ObjectId, SiteId};
use store::building::Worker;
use store::copies::{self, Copy};
use store::media::{self, Kept, Upload};
use store::{Store, objects, sites, transcodes};
use testing::Database;
use uuid::Uuid;

use crate::copies::add_image;
use crate::media::{add, hash, quota, upload, used};
use crate::objects::{begin, id};
use crate::{at, at_once, delete_site, read, site, site_named, write};

testing::on_both_databases!(
    uploads_at_once_never_pass_the_quota,
    uploads_and_deletions_at_once_are_counted_exactly,
    of_workers_at_once_each_transcode_has_one,
    a_site_deleted_while_files_are_uploaded_leaves_nothing_behind,
    a_sweep_never_takes_what_is_kept,
    a_medium_deleted_while_its_twin_is_finished_leaves_no_twin,
    an_image_deleted_while_its_copies_are_finished_leaves_no_copies,
);

const TASKS: usize = 16;

/// Like a request: writes the missing bytes, and again when that is required.
async fn send(store: &Store, site: SiteId, number: u8, size: u64, most: u64) -> Kept {
    let limit = quota(most);
    loop {
        let object = ObjectId::new(at(0));
        write(store, move |tx| objects::begin(tx, object, site, at(10))).await;
        let upload = Upload { object: Some(object), ..upload(0, number, size, &[&format!("{number}.png")]) };
        let kept =
            write(store, move |tx| media::keep(tx, site, std::slice::from_ref(&upload), &limit, at(1))).await;
        match kept {
            Kept::Gone(_) => continue,
            kept => return kept,
        }
    }
}

/// The storage of the account's sites, added up.
async fn kept_bytes(store: &Store, sites: &[SiteId]) -> u64 {
    let mut bytes = 0;
    for &site in sites {
        let media = read(store, move |tx| media::list(tx, site, None, 1000)).await;
        bytes += media.iter().map(|medium| medium.size).sum::<u64>();
    }
    bytes
}

/// Two sites of one account.
async fn two_sites(store: &Store) -> (sites::Site, [SiteId; 2]) {
    let books = site(store, "books").await;
    let second = site_named(books.account, "second");
    let ids = [books.id, second.id];
    write(store, move |tx| sites::insert(tx, &second)).await;
    (books, ids)
}

async fn uploads_at_once_never_pass_the_quota(database: &Database) {
    let store = database.store();
    let (books, ids) = two_sites(store).await;
    let most = 1000;
    // Each file is sent by two tasks at once, to one of the two sites; nine of the sixteen fit.
    let outcomes = at_once(2 * TASKS, |task| {
        let (store, file) = (store.clone(), task / 2);
        async move { (file, send(&store, ids[file % 2], file as u8, 100 + file as u64, most).await) }
    });
    let mut verdicts: HashMap<usize, Vec<Kept>> = HashMap::new();
    for (file, kept) in outcomes.await {
        verdicts.entry(file).or_default().push(kept);
    }
    let used = used(store, &books).await;
    assert_eq!(used, kept_bytes(store, &ids).await);
    assert!(used <= most, "{used}");
    let done: u64 = verdicts
        .iter()
        .filter(|(_, kept)| kept.contains(&Kept::Done))
        .map(|(file, _)| 100 + *file as u64)
        .sum();
    assert_eq!(done, used, "all uploads reported as kept are kept, and no others");
    for (file, kept) in verdicts {
        let required = 100 + file as u64;
        let fits = |kept: &Kept| match kept {
            Kept::OverQuota(exceeded) => exceeded.required == required && exceeded.remaining < required,
            kept => *kept == Kept::Done,
        };
        assert!(kept.iter().all(fits), "file {file}: {kept:?}");
    }
}

async fn uploads_and_deletions_at_once_are_counted_exactly(database: &Database) {
    let store = database.store();
    let (books, ids) = two_sites(store).await;
    at_once(TASKS, |task| {
        let store = store.clone();
        async move {
            for round in 0..12 {
                let number = ((task + round) % 5) as u8;
                let site = ids[round % 2];
                match (task + round) % 3 {
                    0 => drop(
                        write(&store, move |tx| media::delete(tx, site, hash(number), None, at(5))).await,
                    ),
                    _ => drop(send(&store, site, number, 10 + u64::from(number), 40).await),
                }
            }
        }
    })
    .await;
    let used = used(store, &books).await;
    assert_eq!(used, kept_bytes(store, &ids).await);
    assert!(used <= 40, "{used}");
}

async fn of_workers_at_once_each_transcode_has_one(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    for number in 1..=40u8 {
        add(store, books, number.into(), number, 1, &["a.mov"]).await;
    }
    let claims = at_once(8, |task| {
        let (store, worker) = (store.clone(), Worker(Uuid::from_u128(task as u128)));
        async move {
            let mut claimed = Vec::new();
            while let Some(claim) = write(&store, move |tx| transcodes::claim(tx, worker, at(2))).await {
                claimed.push(claim.hash);
            }
            claimed
        }
    });
    let claims: Vec<_> = claims.await.into_iter().flatten().collect();
    assert_eq!((claims.len(), claims.iter().collect::<HashSet<_>>().len()), (40, 40));
}

async fn a_site_deleted_while_files_are_uploaded_leaves_nothing_behind(database: &Database) {
    let store = database.store();
    for round in 0..5 {
        let books = site(store, &format!("site-{round}")).await;
        let site = books.id;
        at_once(8, |task| {
            let store = store.clone();
            async move {
                match task {
                    4 => delete_site(&store, site, 1).await,
                    _ => drop(send(&store, site, task as u8, 10, 1000).await),
                }
            }
        })
        .await;
        assert_eq!(used(store, &books).await, 0, "round {round}");
        assert_eq!(kept_bytes(store, &[site]).await, 0, "round {round}");
    }
}

async fn a_sweep_never_takes_what_is_kept(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    for number in 1..=20u8 {
        begin(store, books, number.into()).await;
        let outcomes = at_once(2, |task| {
            let (store, upload) = (store.clone(), upload(number.into(), number, 1, &["a.png"]));
            async move {
                match task {
                    // The lease has expired: the first one takes it.
                    0 => write(&store, |tx| objects::doomed(tx, at(11), 100))
                        .await
                        .contains(&id(number.into())),
                    _ => {
                        let keep = move |tx: &mut store::Tx| {
                            media::keep(tx, books, std::slice::from_ref(&upload), &quota(1000), at(11))
                        };
                        write(&store, keep).await == Kept::Done
                    }
                }
            }
        });
        let outcomes = outcomes.await;
        assert_ne!(outcomes[0], outcomes[1], "object {number}");
    }
}

async fn a_medium_deleted_while_its_twin_is_finished_leaves_no_twin(database: &Database) {
    let store = database.store();
    let (books, worker) = (site(store, "books").await.id, Worker(Uuid::nil()));
    for round in 0..20u128 {
        let (source, twin) = (1 + 2 * round, 2 + 2 * round);
        add(store, books, source, 1, 1, &["a.mov"]).await;
        let claim = write(store, move |tx| transcodes::claim(tx, worker, at(1))).await.unwrap();
        begin(store, books, twin).await;
        at_once(2, |task| {
            let (store, claim) = (store.clone(), claim.clone());
            async move {
                match task {
                    0 => drop(write(&store, move |tx| media::delete(tx, books, hash(1), None, at(5))).await),
                    _ => drop(
                        write(&store, move |tx| transcodes::finish(tx, &claim, id(twin), 9, at(5))).await,
                    ),
                }
            }
        })
        .await;
        let doomed = write(store, |tx| objects::doomed(tx, at(6), 100)).await;
        assert_eq!(doomed.into_iter().collect::<HashSet<_>>(), HashSet::from([id(source), id(twin)]));
        for number in [source, twin] {
            write(store, move |tx| objects::forget(tx, id(number))).await;
        }
    }
}

async fn an_image_deleted_while_its_copies_are_finished_leaves_no_copies(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let dimensions = Dimensions { width: 1000, height: 500 };
    for round in 0..20u128 {
        let (source, smaller) = (1 + 2 * round, 2 + 2 * round);
        add_image(store, books, source, 1, dimensions).await;
        let claim = write(store, move |tx| copies::claim(tx, at(1))).await.unwrap();
        begin(store, books, smaller).await;
        let copy = Copy { object: id(smaller), size: 9, hash: hash(2), dimensions };
        at_once(2, |task| {
            let (store, claim) = (store.clone(), claim.clone());
            async move {
                match task {
                    0 => drop(write(&store, move |tx| media::delete(tx, books, hash(1), None, at(5))).await),
                    _ => drop(write(&store, move |tx| copies::finish(tx, &claim, &[copy], at(5))).await),
                }
            }
        })
        .await;
        let doomed = write(store, |tx| objects::doomed(tx, at(6), 100)).await;
        assert_eq!(doomed.into_iter().collect::<HashSet<_>>(), HashSet::from([id(source), id(smaller)]));
        for number in [source, smaller] {
            write(store, move |tx| objects::forget(tx, id(number))).await;
        }
    }
}
