use store::sites::{self, Cooldown};
use store::texts;
use testing::Database;

use crate::{account, at, at_once, read, site, site_named, write};

testing::on_both_databases!(
    builds_at_once_never_pass_the_quota,
    of_cooldowns_at_once_one_starts,
    of_set_ups_at_once_one_is_the_first,
    of_sites_at_once_one_gets_the_name,
    of_renames_at_once_one_gets_the_name,
    a_site_deleted_while_pages_are_published_leaves_none_behind,
    versions_taken_at_once_are_all_different,
    a_sweep_never_takes_what_was_adopted,
    of_sweeps_at_once_each_text_goes_once,
);

const TASKS: usize = 32;

async fn builds_at_once_never_pass_the_quota(database: &Database) {
    let store = database.store();
    let id = account(store, "a").await;
    let counted = at_once(TASKS, |_| {
        let store = store.clone();
        async move { write(&store, move |tx| store::accounts::count_build(tx, id, 10, at(0))).await }
    });
    assert_eq!(counted.await.into_iter().filter(|counted| *counted).count(), 10);
    let account = read(store, move |tx| store::accounts::get(tx, id)).await.unwrap();
    assert_eq!(account.builds_used(at(0)), 10);
}

async fn of_cooldowns_at_once_one_starts(database: &Database) {
    let store = database.store();
    let id = site(store, "books").await.id;
    let tries = at_once(TASKS, |task| {
        let (store, now) = (store.clone(), at(100 + task as i64 % 3));
        async move { write(&store, move |tx| sites::start_cooldown(tx, id, now, at(70))).await }
    });
    let started = tries.await.into_iter().filter(|outcome| *outcome == Cooldown::Started).count();
    assert_eq!(started, 1);
}

async fn of_set_ups_at_once_one_is_the_first(database: &Database) {
    let store = database.store();
    let first = at_once(TASKS, |_| {
        let store = store.clone();
        async move { write(&store, |tx| store::accounts::set_up(tx, at(0))).await }
    });
    assert_eq!(first.await.into_iter().filter(|first| *first).count(), 1);
}

async fn of_sites_at_once_one_gets_the_name(database: &Database) {
    let store = database.store();
    let owner = account(store, "a").await;
    let got = at_once(TASKS, |_| {
        let (store, site) = (store.clone(), site_named(owner, "books"));
        async move { write(&store, move |tx| sites::insert(tx, &site)).await }
    });
    assert_eq!(got.await.into_iter().filter(|got| *got).count(), 1);
    assert_eq!(read(store, sites::list).await.len(), 1);
}

async fn of_renames_at_once_one_gets_the_name(database: &Database) {
    let store = database.store();
    let mut ids = Vec::new();
    for number in 0..8 {
        ids.push(site(store, &format!("site-{number}")).await.id);
    }
    let renamed = at_once(ids.len(), |task| {
        let (store, id) = (store.clone(), ids[task]);
        let name = model::SiteName::parse("wanted").unwrap();
        async move { write(&store, move |tx| sites::rename(tx, id, &name)).await }
    });
    assert_eq!(renamed.await.into_iter().filter(|renamed| *renamed).count(), 1);
}

async fn a_site_deleted_while_pages_are_published_leaves_none_behind(database: &Database) {
    let store = database.store();
    for round in 0..10 {
        let id = site(store, &format!("site-{round}")).await.id;
        let outcomes = at_once(8, |task| {
            let store = store.clone();
            let page = crate::page(&format!("blog//page-{task}"));
            async move {
                if task == 4 {
                    return write(&store, move |tx| sites::delete(tx, id, at(1))).await;
                }
                // As a publish does: the site's lock first, and nothing without it.
                write(&store, move |tx| match sites::next_version(tx, id)? {
                    Some(version) => store::pages::insert(tx, id, version, &[&page]).map(|()| true),
                    None => Ok(false),
                })
                .await
            }
        });
        assert!(outcomes.await[4], "the site is deleted");
        let left = read(store, move |tx| {
            let mut pages = 0;
            store::pages::scan(tx, id, |_| pages += 1)?;
            Ok(pages)
        })
        .await;
        assert_eq!(left, 0, "round {round}");
    }
}

async fn versions_taken_at_once_are_all_different(database: &Database) {
    let store = database.store();
    let id = site(store, "books").await.id;
    let versions = at_once(TASKS, |_| {
        let store = store.clone();
        async move { write(&store, move |tx| sites::next_version(tx, id)).await.unwrap() }
    });
    let mut versions = versions.await;
    versions.sort_unstable();
    assert_eq!(versions, (1..=TASKS as i64).collect::<Vec<_>>());
}

async fn a_sweep_never_takes_what_was_adopted(database: &Database) {
    let store = database.store();
    let (mut adoptions, rounds) = (0, 60);
    for round in 0..rounds {
        let ranges: Vec<_> = write(store, |tx| {
            Ok((0..2).filter_map(|_| texts::stash(tx, &vec!["text".into(); 3], at(0)).unwrap()).collect())
        })
        .await;
        let last = ranges[1].range.last;
        let adopt = store.write(move |tx| match texts::adopt(tx, &ranges)? {
            true => Ok(()),
            false => Err(store::Error::Away("swept".into())),
        });
        let sweep = store.write(|tx| texts::sweep(tx, at(0), 100));
        // Who comes first changes from round to round.
        let (adopted, swept) = match round % 2 {
            0 => tokio::join!(adopt, sweep),
            _ => {
                let (swept, adopted) = tokio::join!(sweep, adopt);
                (adopted, swept)
            }
        };
        let expected = if adopted.is_ok() { (0, true) } else { (6, false) };
        let there = read(store, move |tx| texts::body(tx, last)).await.is_some();
        assert_eq!((swept.unwrap(), there), expected, "round {round}");
        adoptions += usize::from(adopted.is_ok());
    }
    assert_eq!(read(store, texts::count).await, adoptions as i64 * 6);
    assert!(adoptions > 0 && adoptions < rounds, "no race: {adoptions} of {rounds} were adopted");
}

async fn of_sweeps_at_once_each_text_goes_once(database: &Database) {
    let store = database.store();
    write(store, |tx| {
        for _ in 0..100 {
            texts::stash(tx, &["text".into()], at(0))?;
        }
        Ok(())
    })
    .await;
    let swept = at_once(8, |_| {
        let store = store.clone();
        async move { write(&store, |tx| texts::sweep(tx, at(0), 30)).await }
    });
    let swept: u64 = swept.await.into_iter().sum();
    assert!(swept >= 30, "at least one of them found work: {swept}");
    assert_eq!(read(store, texts::count).await, 100 - swept as i64);
    while write(store, |tx| texts::sweep(tx, at(0), 30)).await > 0 {}
    assert_eq!(read(store, texts::count).await, 0);
}
