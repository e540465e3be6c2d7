//! How the databases find rows, where there are many: by an index, and never by walking a table of all sites. One list of
//! operations is checked on both: SQLite's plans are compared with what is expected, and PostgreSQL, whose plans depend on
//! how many rows there are, must not read a large table from one end to the other.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use model::{
    AccountId, BuildId, MediaHash, MediaUrl, ObjectId, PageId, SiteId, SiteName, Timestamp, TokenHash,
    Trigger, UserId,
};
use postgres::NoTls;
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use uuid::Uuid;

use super::tx::{Engine, LeaseClock, PgConnection, Tx};
use crate::building::{self, Claim, End, Worker};
use crate::files::{self, Cursor};
use crate::texts::{self, TextId};
use crate::trash::{self, Purge};
use crate::usage::{self, Change, Quota};
use crate::{
    Result, autosaves, builds, former, hosts, links, media, members, objects, packs, pages, sessions, sites,
    transcodes,
};

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

/// A connection to a database with many rows, which reports the plan of each statement that it has run.
struct Postgres {
    connection: PgConnection,
    reported: Arc<Mutex<Vec<String>>>,
}

/// The server itself explains what it ran, also by foreign keys.
const EXPLAIN: &str = "
LOAD 'auto_explain';
SET auto_explain.log_min_duration = 0;
SET auto_explain.log_analyze = on;
SET auto_explain.log_nested_statements = on;
SET client_min_messages = log";
/// The server chooses a plan for all parameters after five executions, if that is not much worse.
const EXECUTIONS: usize = 7;
/// The most rows that a part of a plan may read and not use: as many as one site has of a kind, see `MANY_ROWS`.
const READ_IN_VAIN: u64 = 400;
/// As few rows as workers, or one.
const SMALL: [&str; 2] = ["building", "server"];

impl Postgres {
    fn with_many_rows(database: &testing::Database) -> Postgres {
        let reported = Arc::new(Mutex::new(Vec::new()));
        let mut config: postgres::Config = database.url().parse().expect("it is a URL");
        let sink = reported.clone();
        config
            .notice_callback(move |notice| sink.lock().expect("no panic").push(notice.message().to_owned()));
        let client = config.connect(NoTls).expect("the server runs");
        let mut connection = PgConnection { client, statements: HashMap::new(), leases: LeaseClock::Caller };
        super::migrate::postgres(&mut connection, super::Schema::Create).expect("the schema is right");
        connection.client.batch_execute(MANY_ROWS).expect("the rows are right");
        connection.client.batch_execute(EXPLAIN).expect("the server has auto_explain");
        Postgres { connection, reported }
    }

    #[track_caller]
    fn check<T>(&mut self, run: impl Fn(&mut Tx) -> Result<T>) {
        for execution in 1..=EXECUTIONS {
            self.reported.lock().expect("no panic").clear();
            self.connection.client.batch_execute("BEGIN").expect("the connection is there");
            let ran = run(&mut Tx::new(Engine::Postgres(&mut self.connection)));
            assert!(ran.is_ok(), "{:?}", ran.err());
            self.connection.client.batch_execute("ROLLBACK").expect("the connection is there");
            let plans = self.reported.lock().expect("no panic");
            assert!(plans.iter().any(|plan| plan.contains("plan:")), "{plans:?}");
            for plan in plans.iter() {
                let scanned = plan.split("Seq Scan on ").skip(1);
                let mut tables = scanned.map(|rest| rest.split([' ', '\n']).next().unwrap_or_default());
                assert!(tables.all(|table| SMALL.contains(&table)), "execution {execution}: {plan}");
                let removed = plan.lines().filter(|line| line.contains("Rows Removed by Filter: "));
                let removed = removed.filter_map(|line| line.rsplit_once(": ")).map(|(_, rows)| rows);
                let mut removed = removed.map(|rows| rows.parse::<u64>().expect("a number of rows"));
                assert!(removed.all(|rows| rows <= READ_IN_VAIN), "execution {execution}: {plan}");
            }
        }
    }
}

/// The rows of a hundred sites among thousands; the first site and account have the id zero.
const MANY_ROWS: &str = "
CREATE FUNCTION pg_temp.id(number bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
AS $$ SELECT CAST(lpad(to_hex(number), 32, '0') AS uuid) $$;
CREATE FUNCTION pg_temp.hash(number bigint) RETURNS bytea LANGUAGE sql IMMUTABLE
AS $$ SELECT decode(lpad(to_hex(number), 32, '0'), 'hex') $$;

INSERT INTO accounts (id, name, plan, created_at)
SELECT pg_temp.id(n), 'a' || n, 'pro', n FROM generate_series(0, 1999) AS n;
INSERT INTO tokens (id, account_id, name, hash, created_at)
SELECT pg_temp.id(n), pg_temp.id(n), 't', pg_temp.hash(n), n FROM generate_series(0, 1999) AS n;
INSERT INTO users (id, email, operator, created_at)
SELECT pg_temp.id(n), n || '@example.com', FALSE, n FROM generate_series(0, 3999) AS n;
INSERT INTO members (account_id, user_id, role, created_at)
SELECT pg_temp.id(n / 2), pg_temp.id(n), 'owner', n FROM generate_series(0, 3999) AS n;
INSERT INTO sessions (id, user_id, hash, client, created_at, seen_at)
SELECT pg_temp.id(n), pg_temp.id(n / 2), pg_temp.hash(n), 'Firefox', n, n FROM generate_series(0, 3999) AS n;
INSERT INTO links (hash, user_id, expires_at)
SELECT pg_temp.hash(n), pg_temp.id(n), n FROM generate_series(0, 3999) AS n;
INSERT INTO sites (id, account_id, name, created_at, version, live_release)
SELECT pg_temp.id(n), pg_temp.id(n / 2), 's' || n, n, 200, 3 FROM generate_series(0, 3999) AS n;
INSERT INTO autosaves (site_id, user_id, form_id, version, revision, fields, preview, saved_at)
SELECT pg_temp.id(n), pg_temp.id(n / 2), pg_temp.id(n), n % 3, 1, '{}', pg_temp.hash(n) || pg_temp.hash(n), n FROM generate_series(0, 3999) AS n;
INSERT INTO domains (host, site_id, created_at)
SELECT n || '.example.com', pg_temp.id(n), n FROM generate_series(0, 3999) AS n;
-- One of a hundred is deleted, one is dated in the future.
INSERT INTO texts (id, body)
SELECT n, repeat('text ', 50) FROM generate_series(0, 19999) AS n;
INSERT INTO pages (site_id, id, content_type, section, slug, title, draft, tags, content_id, content_bytes,
  published_at, created_at, updated_at, deleted_at, version)
SELECT pg_temp.id(n / 200), pg_temp.id(n), 'blog', '', 'p' || n, 'Title', FALSE, '[]', n, 250,
  CASE WHEN n % 100 = 1 THEN 2000000 + n ELSE 1000 END, 1000, 1000 + n, CASE WHEN n % 100 = 2 THEN 1000 + n END, n % 200
FROM generate_series(0, 19999) AS n;
INSERT INTO doomed_texts (first_id, last_id, after, site_id, version, bytes)
SELECT 100000 + n, 100000 + n, n, pg_temp.id(n / 50), 1, 100 FROM generate_series(0, 4999) AS n;
INSERT INTO former_urls (site_id, url, page_id, version)
SELECT pg_temp.id(n / 50), '/f' || n, pg_temp.id(n), n % 200 FROM generate_series(0, 4999) AS n;
-- Of each site's builds one is open.
INSERT INTO builds (id, account_id, site_id, status, triggered_by, created_at, completed_at)
SELECT pg_temp.id(1000 + n), pg_temp.id(n / 400), pg_temp.id(n / 200), CASE n % 200 WHEN 0 THEN 'queued' ELSE 'success' END,
  'api', n, CASE n % 200 WHEN 0 THEN NULL ELSE n + 1 END
FROM generate_series(0, 19999) AS n;
INSERT INTO packs (id, site_id, state, size, dead, after)
SELECT pg_temp.id(n), pg_temp.id(n / 50), CASE n % 50 WHEN 0 THEN 'doomed' ELSE 'live' END, 1000, 0, n
FROM generate_series(0, 4999) AS n;
INSERT INTO releases (site_id, number, build_id, version, as_of, made_with, pages, created_at)
SELECT pg_temp.id(n / 3), n % 3 + 1, pg_temp.id(n), n % 3, 1000, 'g', 100, n FROM generate_series(0, 11999) AS n;
-- Every tenth row ended with the second release.
INSERT INTO release_files (site_id, path, from_release, to_release, pack_id, pack_offset, length, hash)
SELECT pg_temp.id(n / 400), '/p' || n, 1, CASE n % 10 WHEN 0 THEN 2 ELSE 9223372036854775807 END, pg_temp.id(n / 50), 0, 10,
  pg_temp.hash(n)
FROM generate_series(0, 39999) AS n;
INSERT INTO release_pages (site_id, page_id, from_release, to_release, meta)
SELECT pg_temp.id(n / 200), pg_temp.id(n), 1, CASE n % 10 WHEN 0 THEN 2 ELSE 9223372036854775807 END, '{}'
FROM generate_series(0, 19999) AS n;
INSERT INTO objects (id, site_id, state, after, size, hash, created_at)
SELECT pg_temp.id(n), pg_temp.id(n / 50), CASE n % 50 WHEN 0 THEN 'doomed' ELSE 'kept' END, n, 1000, pg_temp.hash(n), n
FROM generate_series(0, 4999) AS n;
INSERT INTO media (site_id, hash, name)
SELECT pg_temp.id(n / 50), pg_temp.hash(n), n || '.mov' FROM generate_series(0, 4999) AS n;
INSERT INTO transcodes (site_id, hash, status, attempts, due_at, percent)
SELECT pg_temp.id(n / 50), pg_temp.hash(n), CASE n % 50 WHEN 0 THEN 'queued' ELSE 'done' END, 0,
  CASE n % 50 WHEN 0 THEN n END, 0
FROM generate_series(0, 4999) AS n;
-- Workers at two other sites.
INSERT INTO building (site_id, worker, lease_until)
VALUES (pg_temp.id(98), pg_temp.id(1), 1000), (pg_temp.id(99), pg_temp.id(2), 1000);
ANALYZE";

fn what_a_visitor_asks_for_is_found_by_its_path(on: &mut Plans) {
    let by_path = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=? AND from_release<?)";
    on.check(|tx| files::at(tx, SITE, 1, "/a"), &[by_path]);
    on.check(|tx| files::at_each(tx, SITE, 1, &["/a".into()]), &[by_path]);
    let newest = "SEARCH releases USING PRIMARY KEY (site_id=?)";
    on.check(|tx| files::in_any_release(tx, SITE, "/a"), &[by_path, newest]);
    let behind = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path>?)";
    on.check(|tx| files::list(tx, SITE, 1, "/a", 10), &[behind]);
}

fn a_build_finds_what_it_replaces_by_its_path(on: &mut Plans) {
    let by_path = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=?)";
    let paths = ["/a".to_owned()];
    on.check(|tx| files::hashes(tx, SITE, &paths), &[by_path]);
    on.check(|tx| files::close(tx, SITE, 1, &paths), &[by_path]);
    let by_page = "SEARCH release_pages USING PRIMARY KEY (site_id=? AND page_id=?)";
    on.check(|tx| files::remember(tx, SITE, 1, &[(PageId(Uuid::nil()), None)]), &[by_page]);
}

fn a_build_reads_only_what_changed(on: &mut Plans) {
    let by_version =
        "SEARCH pages USING INDEX pages_by_version (site_id=? AND (version,id)>(?,?) AND version<?)";
    let by_time =
        "SEARCH pages USING INDEX pages_scheduled (site_id=? AND published_at>? AND published_at<?)";
    on.check(|tx| pages::changed(tx, SITE, (1, 2), None, 10), &[by_version]);
    on.check(|tx| pages::due(tx, SITE, (NOW, NOW), 2), &[by_time]);
    let left =
        "SEARCH former_urls USING INDEX former_urls_by_version (site_id=? AND version>? AND version<?)";
    on.check(|tx| former::between(tx, SITE, 1, 2), &[left]);
}

fn who_waits_is_found_among_open_builds(on: &mut Plans) {
    // The index has no other builds, and there are no more leases than workers.
    let open = "SCAN builds USING INDEX builds_open";
    on.check(|tx| building::is_idle(tx, NOW), &[open, "SCAN building"]);
    let lease = "SEARCH building USING PRIMARY KEY (site_id=?)";
    on.check(|tx| building::waiting(tx, NOW), &[open, lease, ACCOUNT_BY_ID]);
    on.check(|tx| building::recover(tx, NOW), &["SCAN building"]);
    let of_site = "SEARCH builds USING INDEX builds_open (site_id=?)";
    on.check(|tx| building::claim(tx, (SITE, ACCOUNT), WORKER, NOW), &[of_site, lease]);
}

/// A build of `SITE` that runs, in an account that knows of it.
const RUNNING_SQLITE: &str = "
INSERT INTO accounts (id, name, plan, created_at)
VALUES (zeroblob(16), 'a', 'pro', 0);
INSERT INTO sites (id, account_id, name, created_at)
VALUES (zeroblob(16), zeroblob(16), 'a', 0);
INSERT INTO building (site_id, worker, lease_until)
VALUES (zeroblob(16), zeroblob(16), 0);";
const RUNNING_POSTGRES: &str = "
INSERT INTO building (site_id, worker, lease_until)
VALUES ('00000000-0000-0000-0000-000000000000', '00000000-0000-0000-0000-000000000000', 0);
UPDATE builds
SET status = 'running'
WHERE site_id = '00000000-0000-0000-0000-000000000000' AND completed_at IS NULL;";

fn run_build(tx: &mut Tx) -> Result<()> {
    tx.batch(if tx.is_sqlite() { RUNNING_SQLITE } else { RUNNING_POSTGRES })
}

const DELETE_SITE_SQLITE: &str = "UPDATE sites SET deleted_at = 0 WHERE id = zeroblob(16)";
const DELETE_SITE_POSTGRES: &str =
    "UPDATE sites SET deleted_at = 0 WHERE id = '00000000-0000-0000-0000-000000000000'";

fn every_write_of_a_build_finds_its_lease_by_the_site(on: &mut Plans) {
    let lease = "SEARCH building USING PRIMARY KEY (site_id=?)";
    let of_site = "SEARCH builds USING INDEX builds_open (site_id=? AND status=?)";
    let claim =
        Claim { site: SITE, worker: WORKER, build: BuildId(Uuid::nil()), scheduled: false, attempt: 1 };
    on.check(|tx| building::hold(tx, &claim), &[lease]);
    on.check(|tx| building::extend(tx, &claim, None, NOW), &[lease]);
    on.check(
        |tx| run_build(tx).and_then(|()| building::end(tx, &claim, End::Failed("no"), NOW)),
        &[lease, of_site],
    );
    on.check(
        |tx| run_build(tx).and_then(|()| building::retry(tx, &claim, "no", NOW)),
        &[lease, of_site, of_site],
    );
}

fn builds_that_are_forgotten_are_found_among_their_sites_and_by_their_end(on: &mut Plans) {
    let id = BuildId(Uuid::nil());
    let expected = [
        "SEARCH builds USING INDEX builds_by_site (site_id=?)",
        "SEARCH builds USING COVERING INDEX builds_by_site (site_id=?)",
        "SEARCH builds USING INDEX builds_by_site (site_id=?)",
    ];
    on.check(|tx| builds::insert(tx, id, ACCOUNT, SITE, Trigger::Api, NOW), &expected);
    let expected = [
        "SEARCH builds USING PRIMARY KEY (id=?)",
        "SEARCH old USING INDEX builds_ended (completed_at<?)",
        "SEARCH sites USING PRIMARY KEY (id=?)",
        "SEARCH newer USING INDEX builds_by_site (site_id=? AND created_at>?)",
    ];
    on.check(|tx| builds::forget_before(tx, NOW, 10), &expected);
    on.check(|tx| builds::latest(tx, SITE), &["SEARCH builds USING INDEX builds_by_site (site_id=?)"]);
}

fn texts_that_go_are_found_in_the_order_of_time(on: &mut Plans) {
    // From the beginning of the index; few of those that are not due lie in between.
    let expected = [
        "SCAN doomed_texts USING INDEX doomed_texts_by_time",
        "SEARCH building USING PRIMARY KEY (site_id=?)",
    ];
    on.check(|tx| texts::sweep(tx, NOW, 10), &expected);
    let by_id = "SEARCH texts USING INTEGER PRIMARY KEY (rowid=?)";
    on.check(|tx| texts::some_bodies(tx, &[TextId(1)], 10), &[by_id, by_id]);
    let expected = [
        "SEARCH pages USING PRIMARY KEY (site_id=? AND id>?)",
        "SEARCH content USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH params USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    ];
    on.check(|tx| texts::missing(tx, SITE, None, 10), &expected);
}

const ACCOUNT_BY_ID: &str = "SEARCH accounts USING PRIMARY KEY (id=?)";

fn what_an_account_uses_is_found_by_its_id(on: &mut Plans) {
    on.check(|tx| usage::of_account(tx, ACCOUNT), &[ACCOUNT_BY_ID]);
    let of_site = [ACCOUNT_BY_ID, "SEARCH sites USING PRIMARY KEY (id=?)"];
    let (change, quota) = (Change { pages: 1, ..Change::default() }, Quota { pages: 1, ..Quota::default() });
    on.check(|tx| usage::charge(tx, SITE, change, &quota), &[of_site, of_site].concat());
    let sites = "SEARCH sites USING COVERING INDEX sites_by_account (account_id=?)";
    let pages = "SEARCH pages USING PRIMARY KEY (site_id=?)";
    let objects = "SEARCH objects USING INDEX objects_kept (site_id=? AND hash>?)";
    on.check(
        |tx| usage::recounted(tx, ACCOUNT),
        &["SCAN CONSTANT ROW", sites, objects, sites, pages, sites, pages],
    );
}

fn a_site_is_found_by_its_host(on: &mut Plans) {
    let name = SiteName::parse("a").expect("it is a name");
    let by_name = "SEARCH sites USING INDEX sqlite_autoindex_sites_2 (name=?)";
    on.check(|tx| hosts::by_name(tx, &name), &[by_name, ACCOUNT_BY_ID]);
    let by_id = "SEARCH sites USING PRIMARY KEY (id=?)";
    let by_host = "SEARCH domains USING PRIMARY KEY (host=?)";
    on.check(|tx| hosts::by_domain(tx, "a"), &[by_id, by_host, ACCOUNT_BY_ID]);
}

fn an_undo_walks_over_its_site_once(on: &mut Plans) {
    let closed = [
        "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=? AND from_release=?)",
        "SEARCH release_files USING COVERING INDEX release_files_closed (site_id=? AND to_release>? AND to_release<?)",
        "SEARCH release_pages USING PRIMARY KEY (site_id=? AND page_id=? AND from_release=?)",
        "SEARCH release_pages USING COVERING INDEX release_pages_closed (site_id=? AND to_release>? AND to_release<?)",
    ];
    let files = ["SEARCH release_files USING PRIMARY KEY (site_id=? AND path>?)", "SEARCH step"];
    let pages = "SEARCH release_pages USING PRIMARY KEY (site_id=? AND page_id>?)";
    let site = "SEARCH sites USING PRIMARY KEY (id=?)";
    let expected: Vec<&str> = closed.into_iter().chain(files).chain([pages, site]).collect();
    on.check(|tx| files::undo(tx, SITE, 1, &Cursor::default(), 10), &expected);
    on.check(|tx| files::forget_pages(tx, SITE, 1, &Cursor::default(), 10), &[pages]);
    on.check(|tx| files::open_files(tx, SITE, "", 10), &[files[0]]);
    let behind = "SEARCH release_files USING PRIMARY KEY (site_id=? AND (path,from_release)>(?,?))";
    on.check(|tx| files::packed_files(tx, SITE, None, 10), &[behind]);
}

fn deleted_pages_are_found_by_their_time(on: &mut Plans) {
    let site = "SEARCH sites USING PRIMARY KEY (id=?)";
    let expected = [
        site,
        "SEARCH pages USING PRIMARY KEY (site_id=? AND id=?)",
        "SEARCH pages USING COVERING INDEX pages_deleted_by_site (site_id=? AND deleted_at<?)",
        site,
    ];
    on.check(|tx| trash::purge(tx, SITE, Purge::DeletedBefore(NOW), 10, NOW), &expected);
    let oldest = "SEARCH pages USING COVERING INDEX pages_deleted (deleted_at<?)";
    on.check(|tx| trash::oldest_before(tx, NOW), &[oldest]);
}

fn a_step_of_a_sites_deletion_reads_no_other_site(on: &mut Plans) {
    let deleted = "SEARCH sites USING COVERING INDEX sites_deleted (deleted_at>?)";
    on.check(sites::deleted, &[deleted]);
    let step = |tx: &mut Tx| {
        run_build(tx)?;
        tx.batch(if tx.is_sqlite() { DELETE_SITE_SQLITE } else { DELETE_SITE_POSTGRES })?;
        sites::remove_some(tx, SITE, 10, NOW)
    };
    on.check_all(step, |line| {
        line.starts_with("SEARCH ") && line.contains("site_id=?") || line.contains("(id=?)")
    });
}

fn due_pages_are_found_by_their_time(on: &mut Plans) {
    let expected = [
        "SEARCH pages USING INDEX pages_due (published_at>? AND published_at<?)",
        "SEARCH releases USING PRIMARY KEY (site_id=?)",
        "SEARCH builds USING INDEX builds_open (site_id=? AND status=?)",
        "SEARCH builds USING INDEX builds_by_site (site_id=? AND created_at>? AND created_at<?)",
        "SEARCH sites USING PRIMARY KEY (id=?)",
    ];
    on.check(|tx| building::due(tx, NOW, NOW, NOW), &expected);
}

fn what_ended_is_found_by_its_end(on: &mut Plans) {
    let expected = [
        "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=? AND from_release=?)",
        "SEARCH release_files USING COVERING INDEX release_files_closed (site_id=? AND to_release<?)",
        "SEARCH release_pages USING PRIMARY KEY (site_id=? AND page_id=? AND from_release=?)",
        "SEARCH release_pages USING COVERING INDEX release_pages_closed (site_id=? AND to_release<?)",
    ];
    on.check(|tx| files::sweep(tx, SITE, 1, 10), &expected);
    let expected = [
        "SEARCH packs USING INDEX packs_by_time (state=? AND after<?)",
        "SEARCH packs USING INDEX packs_by_time (state=? AND after>?)",
        // In the order of time.
        "SEARCH packs USING INDEX packs_by_time (state=?)",
    ];
    on.check(|tx| packs::doomed(tx, NOW, 10), &expected);
}

fn a_medium_is_found_by_its_url(on: &mut Plans) {
    let url = MediaUrl { hash: HASH, dimensions: None, name: "a.mp4".into() };
    let expected = [
        "SEARCH media USING PRIMARY KEY (site_id=? AND hash=? AND name=?)",
        "SEARCH objects USING INDEX objects_kept (site_id=? AND hash=?)",
        "SEARCH transcodes USING PRIMARY KEY (site_id=? AND hash=?)",
        "SEARCH objects USING PRIMARY KEY (id=?)",
        "SEARCH media USING PRIMARY KEY (site_id=? AND hash=? AND name=?)",
    ];
    on.check(|tx| media::find(tx, SITE, &url), &expected);
}

fn uploads_look_up_their_own_rows(on: &mut Plans) {
    let kept = "SEARCH objects USING INDEX objects_kept (site_id=? AND hash=?)";
    on.check(|tx| media::already_kept(tx, SITE, &[HASH]), &[kept]);
    on.check(
        |tx| objects::pending(tx, SITE, &[ObjectId(Uuid::nil())]),
        &["SEARCH objects USING PRIMARY KEY (id=?)"],
    );
}

fn a_list_of_media_is_read_in_its_order(on: &mut Plans) {
    let expected = [
        "SEARCH objects USING INDEX objects_by_age (site_id=? AND created_at<?)",
        "SEARCH transcodes USING PRIMARY KEY (site_id=? AND hash=?) LEFT-JOIN",
    ];
    on.check(|tx| media::list(tx, SITE, None, 10), &expected);
}

fn what_is_to_be_done_about_media_is_found_by_its_time(on: &mut Plans) {
    let expected = [
        "SEARCH objects USING INDEX objects_by_time (state=? AND after<?)",
        "SEARCH objects USING INDEX objects_by_time (state=? AND after>?)",
        // In the order of time.
        "SEARCH objects USING COVERING INDEX objects_by_time (state=?)",
    ];
    on.check(|tx| objects::doomed(tx, NOW, 10), &expected);
    let due = [
        "SEARCH transcodes USING INDEX transcodes_due (due_at<?)",
        "SEARCH transcodes USING INDEX transcodes_due (due_at>?)",
    ];
    let owner = ["SEARCH sites USING PRIMARY KEY (id=?)", ACCOUNT_BY_ID];
    on.check(|tx| transcodes::claim(tx, WORKER, NOW), &[due, due, owner].concat());
    on.check(transcodes::next_due, &["SEARCH transcodes USING COVERING INDEX transcodes_due (due_at>?)"]);
}

fn who_asks_is_found_by_a_secret_and_an_account(on: &mut Plans) {
    let (secret, user) = (TokenHash([0; 32]), UserId(Uuid::nil()));
    const USER: &str = "SEARCH users USING PRIMARY KEY (id=?)";
    on.check(
        |tx| sessions::find(tx, &secret, NOW),
        &["SEARCH sessions USING INDEX sqlite_autoindex_sessions_2 (hash=?)", USER],
    );
    on.check(
        |tx| sessions::list(tx, user, NOW),
        &[
            "SEARCH users USING PRIMARY KEY (id=?)",
            "SEARCH sessions USING INDEX sessions_by_user (user_id=? AND seen_at>?)",
        ],
    );
    on.check(
        |tx| members::role(tx, ACCOUNT, user),
        &["SEARCH members USING PRIMARY KEY (account_id=? AND user_id=?)"],
    );
    on.check(
        |tx| sites::of_user(tx, user),
        &[
            "SEARCH sites USING INDEX sites_by_account (account_id=?)",
            "SEARCH members USING COVERING INDEX members_by_user (user_id=?)",
        ],
    );
    on.check(|tx| links::find(tx, &secret, NOW), &["SEARCH links USING PRIMARY KEY (hash=?)", USER]);
}

fn what_a_person_typed_is_found_by_its_form_and_its_time(on: &mut Plans) {
    let user = UserId(Uuid::nil());
    let of_form = "SEARCH autosaves USING PRIMARY KEY (site_id=? AND user_id=? AND form_id=?)";
    on.check(|tx| autosaves::get(tx, SITE, user, Uuid::nil()), &[of_form]);
    on.check(|tx| autosaves::remove(tx, SITE, user, Uuid::nil()), &[of_form]);
    let preview = TokenHash([0; 32]);
    on.check(|tx| autosaves::remove_seen(tx, SITE, user, Uuid::nil(), &preview, 0), &[of_form]);
    on.check(
        |tx| autosaves::newest_of_new(tx, SITE, user),
        &["SEARCH autosaves USING INDEX autosaves_by_user (user_id=?)"],
    );
    on.check(
        |tx| autosaves::by_preview(tx, SITE, &TokenHash([0; 32]), NOW),
        &["SEARCH autosaves USING INDEX autosaves_by_preview (preview=? AND site_id=?)"],
    );
    on.check(
        |tx| autosaves::sweep(tx, NOW, 10),
        &[of_form, "SEARCH autosaves USING COVERING INDEX autosaves_by_time (saved_at<?)"],
    );
}
