//! How the databases find rows, where there are many: by an index, and never by walking a table of all sites. One list of
//! operations is checked on both: SQLite's plans are compared with what is expected, and PostgreSQL, whose plans depend on
//! how many rows there are, must not read a large table from one end to the other.

mod builds;
mod media;
mod people;
mod postgres;
mod releases;
mod sites;

use std::cell::RefCell;

use model::{AccountId, MediaHash, SiteId, Timestamp};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use uuid::Uuid;

use self::builds::*;
use self::media::*;
use self::people::*;
use self::postgres::Postgres;
use self::releases::*;
use self::sites::*;
use super::tx::{Engine, Tx};
use crate::Result;
use crate::building::Worker;

thread_local! {
    static RUN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// `Tx` passes on each statement that it runs on SQLite.
pub(crate) fn note(sql: &str) {
    RUN.with_borrow_mut(|run| run.push(sql.to_owned()));
}

const ACCOUNT: AccountId = AccountId(Uuid::nil());
const SITE: SiteId = SiteId(Uuid::nil());
const WORKER: Worker = Worker(Uuid::nil());
const NOW: Timestamp = Timestamp::MIN;
const HASH: MediaHash = MediaHash([0; 16]);
const ACCOUNT_BY_ID: &str = "SEARCH accounts USING PRIMARY KEY (id=?)";

/// A test on SQLite for each of these functions, and one on PostgreSQL for all: many rows take their time to write.
macro_rules! on_both_databases {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {$(
            #[test]
            fn $name() {
                super::$name(&mut super::Plans::Sqlite);
            }
        )+}

        #[test]
        fn postgres_reads_no_large_table_from_one_end_to_the_other() {
            let Some(database) = testing::Database::postgres() else { return };
            let mut plans = Plans::Postgres(Box::new(Postgres::with_many_rows(&database)));
            $($name(&mut plans);)+
        }
    };
}

on_both_databases!(
    what_a_visitor_asks_for_is_found_by_its_path,
    a_build_finds_what_it_replaces_by_its_path,
    a_build_reads_only_what_changed,
    who_waits_is_found_among_open_builds,
    every_write_of_a_build_finds_its_lease_by_the_site,
    builds_that_are_forgotten_are_found_among_their_sites_and_by_their_end,
    texts_that_go_are_found_in_the_order_of_time,
    what_an_account_uses_is_found_by_its_id,
    a_site_is_found_by_its_host,
    an_undo_walks_over_its_site_once,
    a_listing_reads_only_what_changed_since_the_last_one,
    deleted_pages_are_found_by_their_time,
    a_step_of_a_sites_deletion_reads_no_other_site,
    due_pages_are_found_by_their_time,
    what_ended_is_found_by_its_end,
    a_medium_is_found_by_its_url,
    uploads_look_up_their_own_rows,
    a_list_of_media_is_read_in_its_order,
    what_is_to_be_done_about_media_is_found_by_its_time,
    who_asks_is_found_by_a_secret_and_an_account,
    what_a_person_typed_is_found_by_its_form_and_its_time,
);

/// The database whose plans are checked.
enum Plans {
    /// Empty, and another one each time.
    Sqlite,
    Postgres(Box<Postgres>),
}

impl Plans {
    /// Runs something, and checks how its statements get at their rows: as `expected`, on SQLite.
    #[track_caller]
    fn check<T>(&mut self, run: impl Fn(&mut Tx) -> Result<T>, expected: &[&str]) {
        match self {
            Plans::Sqlite => assert_eq!(sqlite_plans(run), expected),
            Plans::Postgres(postgres) => postgres.check(run),
        }
    }

    /// The same, for many statements.
    #[track_caller]
    fn check_all<T>(&mut self, run: impl Fn(&mut Tx) -> Result<T>, is_right: impl Fn(&str) -> bool) {
        match self {
            Plans::Sqlite => {
                let plans = sqlite_plans(run);
                assert!(plans.len() > 10, "{plans:?}");
                let wrong: Vec<&String> = plans.iter().filter(|line| !is_right(line)).collect();
                assert!(wrong.is_empty(), "{wrong:?}");
            }
            Plans::Postgres(postgres) => postgres.check(run),
        }
    }
}

#[track_caller]
fn sqlite_plans<T>(run: impl Fn(&mut Tx) -> Result<T>) -> Vec<String> {
    let mut connection = Connection::open_in_memory().expect("there is memory");
    // As the store's connections have it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).expect("SQLite knows it");
    super::migrate::sqlite(&mut connection, super::Schema::Create).expect("the schema is right");
    RUN.take();
    let ran = run(&mut Tx::new(Engine::Sqlite(&connection)));
    assert!(ran.is_ok(), "{:?}", ran.err());
    RUN.take().iter().flat_map(|sql| plan(&connection, sql)).collect()
}

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("it ran before");
    // A plan needs no parameters.
    let lines = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    let lines = lines.map(|line| line.expect("a plan is text"));
    lines.filter(|line| line.starts_with("SCAN") || line.starts_with("SEARCH")).collect()
}
