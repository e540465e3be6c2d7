use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use model::{BuildId, BuildStatus, SiteId, Trigger};
use store::building::{self, Claim, Worker};
use store::releases::{self, Move};
use store::sites::{self, Cooldown};
use store::{Store, files, hosts, texts};
use testing::Database;
use uuid::Uuid;

use crate::building::SUCCESS;
use crate::builds::queue;
use crate::{account, at, at_once, delete_site, read, site, site_named, write};

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
    of_workers_at_once_each_site_has_one,
    of_builds_queued_while_others_run_each_runs_once,
    a_release_that_goes_is_never_rolled_back_to,
    a_site_deleted_while_it_is_built_leaves_nothing_behind,
    of_sites_at_once_one_gets_the_domain,
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
        async move { write(&store, |tx| store::server::set_up(tx, at(0))).await }
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
                    delete_site(&store, id, 1).await;
                    return true;
                }
                // Like a publish: the site's lock first, and nothing without it.
                write(&store, move |tx| match sites::next_version(tx, id)? {
                    Some(version) => store::pages::insert(tx, id, version, &[&page]).map(|()| true),
                    None => Ok(false),
                })
                .await
            }
        });
        outcomes.await;
        assert_eq!(read(store, move |tx| store::pages::count(tx, id)).await, 0, "round {round}");
        assert_eq!(read(store, sites::deleted).await, None, "round {round}");
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
            false => Err(store::Error::Unavailable("swept".into())),
        });
        let sweep = store.write(|tx| texts::sweep(tx, at(0), 1000));
        // The order changes from round to round.
        let (adopted, swept) = match round % 2 {
            0 => tokio::join!(adopt, sweep),
            _ => {
                let (swept, adopted) = tokio::join!(sweep, adopt);
                (adopted, swept)
            }
        };
        // On PostgreSQL a sweep skips the stash that an adoption has locked already and takes the other one: then the
        // adoption is refused, and the first stash is left to the next sweep.
        let left = write(store, |tx| texts::sweep(tx, at(0), 1000)).await;
        let there = read(store, move |tx| texts::body(tx, last)).await.is_some();
        let expected = if adopted.is_ok() { (0, true) } else { (6, false) };
        assert_eq!((swept.unwrap() + left, there), expected, "round {round}");
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
        async move { write(&store, |tx| texts::sweep(tx, at(0), 120)).await }
    });
    let swept: u64 = swept.await.into_iter().sum();
    assert!(swept >= 30, "at least one of them found work: {swept}");
    assert_eq!(read(store, texts::count).await, 100 - swept as i64);
    while write(store, |tx| texts::sweep(tx, at(0), 120)).await > 0 {}
    assert_eq!(read(store, texts::count).await, 0);
}

/// Claims the next site like a worker; the builds that it runs.
async fn next(store: &Store, worker: usize) -> Option<(Claim, Vec<BuildId>)> {
    let worker = Worker(Uuid::from_u128(worker as u128));
    write(store, move |tx| {
        building::recover(tx, at(10))?;
        for site in building::waiting(tx, at(10))? {
            let Some(claim) = building::claim(tx, site, worker, at(10))? else { continue };
            let builds = crate::building::builds(tx, site.0)?;
            let running = builds.iter().filter(|build| build.status == BuildStatus::Running);
            return Ok(Some((claim, running.map(|build| build.id).collect())));
        }
        Ok(None)
    })
    .await
}

async fn of_workers_at_once_each_site_has_one(database: &Database) {
    let store = database.store();
    let mut sites: Vec<SiteId> = Vec::new();
    for number in 0..20 {
        let site = site(store, &format!("site-{number}")).await;
        queue(store, &site, Trigger::Api, 1).await;
        sites.push(site.id);
    }
    let claimed = at_once(8, |worker| {
        let store = store.clone();
        async move {
            let mut claimed = Vec::new();
            while let Some((claim, _)) = next(&store, worker).await {
                claimed.push(claim.site);
            }
            claimed
        }
    });
    let mut claimed: Vec<SiteId> = claimed.await.into_iter().flatten().collect();
    claimed.sort();
    sites.sort();
    assert_eq!(claimed, sites);
}

async fn of_builds_queued_while_others_run_each_runs_once(database: &Database) {
    const BUILDS: usize = 100;
    let store = database.store();
    let sites = [site(store, "a").await, site(store, "b").await];
    let ended = Arc::new(AtomicUsize::new(0));
    let run = at_once(8, |task| {
        let (store, sites, ended) = (store.clone(), sites.clone(), ended.clone());
        async move {
            let mut run = Vec::new();
            for number in 0..if task < 4 { BUILDS / 4 } else { 0 } {
                queue(&store, &sites[number % 2], Trigger::Api, 1).await;
            }
            while task >= 4 && ended.load(Ordering::Relaxed) < BUILDS {
                let Some((claim, builds)) = next(&store, task).await else {
                    tokio::time::sleep(Duration::from_millis(1)).await;
                    continue;
                };
                assert!(crate::building::end(&store, &claim, SUCCESS, 11).await);
                ended.fetch_add(builds.len(), Ordering::Relaxed);
                run.extend(builds);
            }
            run
        }
    });
    let run = tokio::time::timeout(Duration::from_secs(60), run).await.expect("no build is lost");
    let run: Vec<BuildId> = run.into_iter().flatten().collect();
    let different: HashSet<BuildId> = run.iter().copied().collect();
    assert_eq!((run.len(), different.len()), (BUILDS, BUILDS));
}

async fn a_release_that_goes_is_never_rolled_back_to(database: &Database) {
    let store = database.store();
    let (mut rollbacks, rounds) = (0, 60);
    for round in 0..rounds {
        let id = site(store, &format!("site-{round}")).await.id;
        write(store, move |tx| {
            for number in 1..=3 {
                releases::insert(tx, id, &crate::releases::release(number))?;
            }
            releases::go_live(tx, id, 3, Move::Build)
        })
        .await;
        let roll_back = write(store, move |tx| {
            sites::lock(tx, id)?;
            let there = releases::list(tx, id)?.iter().any(|release| release.number == 1);
            if there {
                releases::go_live(tx, id, 1, Move::Rollback)?;
            }
            Ok(there)
        });
        let tidy = write(store, move |tx| {
            sites::lock(tx, id)?;
            let live = releases::live(tx, id)?.unwrap();
            releases::drop_before(tx, id, live.min(2))
        });
        // The order changes from round to round.
        let (rolled_back, dropped) = match round % 2 {
            0 => tokio::join!(roll_back, tidy),
            _ => {
                let (dropped, rolled_back) = tokio::join!(tidy, roll_back);
                (rolled_back, dropped)
            }
        };
        let (live, kept) =
            read(store, move |tx| Ok((releases::live(tx, id)?, releases::list(tx, id)?))).await;
        let found = (live.unwrap(), kept.len(), dropped);
        assert_eq!(found, if rolled_back { (1, 3, 0) } else { (3, 2, 1) }, "round {round}");
        rollbacks += usize::from(rolled_back);
    }
    assert!(rollbacks > 0 && rollbacks < rounds, "no race: {rollbacks} of {rounds} were rolled back");
}

async fn a_site_deleted_while_it_is_built_leaves_nothing_behind(database: &Database) {
    let store = database.store();
    for round in 0..10 {
        let id = site(store, &format!("site-{round}")).await.id;
        let outcomes = at_once(8, |task| {
            let store = store.clone();
            async move {
                // Writes that do not take the site's lock: they may be refused, the deletion may not.
                match task {
                    4 => {
                        delete_site(&store, id, 1).await;
                        Ok(())
                    }
                    2 => {
                        let host = format!("{task}.{round}.example.com");
                        store.write(move |tx| hosts::add(tx, &host, id, at(1)).map(drop)).await
                    }
                    _ => {
                        let file = crate::files::file(&format!("/{task}"), 1);
                        store.write(move |tx| files::insert(tx, id, 1, std::slice::from_ref(&file))).await
                    }
                }
            }
        });
        outcomes.await;
        let left =
            read(store, move |tx| Ok((files::packed_files(tx, id, None, 100)?, hosts::list(tx, id)?))).await;
        assert_eq!(left, (vec![], vec![]), "round {round}");
        assert_eq!(read(store, sites::deleted).await, None, "round {round}");
    }
}

async fn of_sites_at_once_one_gets_the_domain(database: &Database) {
    let store = database.store();
    let mut ids = Vec::new();
    for number in 0..8 {
        ids.push(site(store, &format!("site-{number}")).await.id);
    }
    let got = at_once(ids.len(), |task| {
        let (store, id) = (store.clone(), ids[task]);
        async move { write(&store, move |tx| hosts::add(tx, "example.com", id, at(0))).await }
    });
    assert_eq!(got.await.into_iter().filter(|got| *got).count(), 1);
}
