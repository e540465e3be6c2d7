//! Failures that only PostgreSQL has: broken connections, deadlocks.

use std::sync::{Arc, Barrier};

use model::{AccountId, AccountName};
use postgres::NoTls;
use store::{Error, LeaseClock, Location, Store, Tx, accounts, sites};
use testing::Database;

use crate::{at, read, site, write};

/// The backend of a transaction's connection.
fn backend(tx: &mut Tx) -> Result<i32, Error> {
    let pid = tx.query_one("SELECT CAST(pg_backend_pid() AS bigint)", &[], |row| row.get::<i64>(0))?;
    Ok(pid.unwrap() as i32)
}

/// Ends a backend, as an operator or a restart would, and waits until it is gone.
fn kill(url: &str, backend: i32) {
    let mut client = postgres::Client::connect(url, NoTls).unwrap();
    let killed: bool = client.query_one("SELECT pg_terminate_backend($1, 5000)", &[&backend]).unwrap().get(0);
    assert!(killed);
}

fn add(tx: &mut Tx, name: &str) -> Result<(), Error> {
    accounts::insert(tx, AccountId::new(at(0)), &AccountName::parse(name).unwrap(), "pro", at(0))
}

/// A database and a store with one connection to it.
fn one_connection() -> Option<(Database, Store)> {
    let database = Database::postgres()?;
    let location = Location::Postgres { url: database.url(), connections: 1, leases: LeaseClock::Database };
    let store = Store::open(&location).unwrap();
    Some((database, store))
}

#[test]
fn a_connection_lost_between_writes_is_replaced() {
    let Some((database, store)) = one_connection() else { return };
    let pid = testing::block_on(write(&store, backend));
    kill(&database.url(), pid);
    testing::block_on(write(&store, |tx| add(tx, "a")));
    kill(&database.url(), testing::block_on(write(&store, backend)));
    assert_eq!(testing::block_on(read(&store, accounts::list)).len(), 1);
}

#[test]
fn a_connection_lost_in_the_middle_runs_the_write_again() {
    let Some((database, store)) = one_connection() else { return };
    let (url, mut runs) = (database.url(), 0);
    let runs = testing::block_on(write(&store, move |tx| {
        runs += 1;
        add(tx, &format!("run {runs}"))?;
        if runs == 1 {
            kill(&url, backend(tx)?);
        }
        add(tx, "second statement")?;
        Ok(runs)
    }));
    assert_eq!(runs, 2);
    let accounts = testing::block_on(read(&store, accounts::list));
    let mut names: Vec<&str> = accounts.iter().map(|account| account.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["run 2", "second statement"]);
}

#[test]
fn a_session_that_ended_because_it_was_idle_runs_the_write_again() {
    let Some((_database, store)) = one_connection() else { return };
    let mut runs = 0;
    let runs = testing::block_on(write(&store, move |tx| {
        runs += 1;
        add(tx, &format!("run {runs}"))?;
        if runs == 1 {
            // As a process that is stopped in the middle.
            tx.execute("SET LOCAL idle_in_transaction_session_timeout = '50ms'", &[])?;
            std::thread::sleep(std::time::Duration::from_millis(500));
        }
        add(tx, "second statement")?;
        Ok(runs)
    }));
    assert_eq!(runs, 2);
    let accounts = testing::block_on(read(&store, accounts::list));
    let mut names: Vec<&str> = accounts.iter().map(|account| account.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["run 2", "second statement"]);
}

#[test]
fn a_commit_without_an_answer_is_reported_as_unknown() {
    let Some((database, store)) = one_connection() else { return };
    let url = database.url();
    let answer = testing::block_on(store.write(move |tx| {
        add(tx, "a")?;
        kill(&url, backend(tx)?);
        Ok::<_, Error>(())
    }));
    assert!(matches!(answer, Err(Error::CommitUnknown(_))), "{answer:?}");
    assert!(testing::block_on(read(&store, accounts::list)).is_empty());
}

#[test]
fn a_deadlock_is_resolved_by_another_attempt() {
    let Some(database) = Database::postgres() else { return };
    testing::block_on(async {
        let store = database.store();
        let (a, b) = (site(store, "a").await.id, site(store, "b").await.id);
        let both_hold_one = Arc::new(Barrier::new(2));
        let lock = |first, second| {
            let (both_hold_one, mut runs) = (both_hold_one.clone(), 0);
            write(store, move |tx| {
                runs += 1;
                sites::next_version(tx, first)?;
                if runs == 1 {
                    both_hold_one.wait();
                }
                sites::next_version(tx, second)?;
                Ok(runs)
            })
        };
        let (one, two) = tokio::join!(lock(a, b), lock(b, a));
        // Usually one of them; on a busy machine the other one may be refused, too.
        assert!(one + two > 2, "at least one of them ran again");
        assert_eq!(write(store, move |tx| sites::next_version(tx, a)).await, Some(3));
    });
}

#[test]
fn a_missing_database_is_unavailable() {
    let location = Location::Postgres {
        url: "postgres://nobody@%2Fnowhere/nothing".into(),
        connections: 1,
        leases: LeaseClock::Database,
    };
    let error = Store::open(&location).err().unwrap();
    assert!(matches!(error, Error::Unavailable(_)), "{error:?}");
}
