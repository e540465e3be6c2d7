//! How SQLite finds rows, where there are many: by an index, and never by walking a table of all sites.

use std::cell::RefCell;

use model::{
    AccountId, BuildId, MediaHash, MediaUrl, ObjectId, PageId, SiteId, SiteName, Timestamp, Trigger,
};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use uuid::Uuid;

use crate::bin::{self, Purge};
use crate::building::{self, Claim, End, Worker};
use crate::files::{self, Cursor};
use crate::texts::{self, TextId};
use crate::tx::{Engine, Tx};
use crate::usage::{self, Change, Quota};
use crate::{Result, builds, former, hosts, media, objects, packs, pages, sites, transcodes};

thread_local! {
    static RUN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// `Tx` tells each statement that it runs.
pub(crate) fn note(sql: &str) {
    RUN.with_borrow_mut(|run| run.push(sql.to_owned()));
}

const ACCOUNT: AccountId = AccountId(Uuid::nil());
const SITE: SiteId = SiteId(Uuid::nil());
const WORKER: Worker = Worker(Uuid::nil());
const NOW: Timestamp = Timestamp::MIN;
const HASH: MediaHash = MediaHash([0; 16]);

/// Runs something, and compares how its statements get at their rows.
#[track_caller]
fn check<T>(run: impl FnOnce(&mut Tx) -> Result<T>, expected: &[&str]) {
    assert_eq!(plans(run), expected);
}

#[track_caller]
fn plans<T>(run: impl FnOnce(&mut Tx) -> Result<T>) -> Vec<String> {
    let mut connection = Connection::open_in_memory().expect("there is memory");
    // As the store's connections have it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).expect("SQLite knows it");
    crate::migrate::sqlite(&mut connection).expect("the schema is right");
    RUN.take();
    let ran = run(&mut Tx::new(Engine::Sqlite(&connection)));
    assert!(ran.is_ok(), "{:?}", ran.err());
    RUN.take().iter().flat_map(|sql| plan(&connection, sql)).collect()
}

/// Runs something, and checks how each of its statements gets at its rows.
#[track_caller]
fn check_all<T>(run: impl FnOnce(&mut Tx) -> Result<T>, is_right: impl Fn(&str) -> bool) {
    let plans = plans(run);
    assert!(plans.len() > 10, "{plans:?}");
    let wrong: Vec<&String> = plans.iter().filter(|line| !is_right(line)).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn plan(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).expect("it ran before");
    // A plan needs no parameters.
    let lines = statement.raw_query().mapped(|row| row.get::<_, String>(3));
    let lines = lines.map(|line| line.expect("a plan is text"));
    lines.filter(|line| line.starts_with("SCAN") || line.starts_with("SEARCH")).collect()
}

#[test]
fn what_a_visitor_asks_for_is_found_by_its_path() {
    let by_path = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=? AND from_release<?)";
    check(|tx| files::at(tx, SITE, 1, "/a"), &[by_path]);
    let newest = "SEARCH releases USING PRIMARY KEY (site_id=?)";
    check(|tx| files::in_any_release(tx, SITE, "/a"), &[by_path, newest]);
    let behind = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path>?)";
    check(|tx| files::list(tx, SITE, 1, "/a", 10), &[behind]);
}

#[test]
fn a_build_finds_what_it_replaces_by_its_path() {
    let by_path = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=?)";
    let paths = ["/a".to_owned()];
    check(|tx| files::hashes(tx, SITE, &paths), &[by_path]);
    check(|tx| files::close(tx, SITE, 1, &paths), &[by_path]);
    let by_page = "SEARCH release_pages USING PRIMARY KEY (site_id=? AND page_id=?)";
    check(|tx| files::remember(tx, SITE, 1, &[(PageId(Uuid::nil()), None)]), &[by_page]);
}

#[test]
fn a_build_reads_only_what_changed() {
    let by_version =
        "SEARCH pages USING INDEX pages_by_version (site_id=? AND (version,id)>(?,?) AND version<?)";
    let by_time =
        "SEARCH pages USING INDEX pages_scheduled (site_id=? AND published_at>? AND published_at<?)";
    check(|tx| pages::changed(tx, SITE, (1, 2), None, 10), &[by_version]);
    check(|tx| pages::due(tx, SITE, (NOW, NOW), 2), &[by_time]);
    let left =
        "SEARCH former_urls USING INDEX former_urls_by_version (site_id=? AND version>? AND version<?)";
    check(|tx| former::between(tx, SITE, 1, 2), &[left]);
}

#[test]
fn who_waits_is_found_among_open_builds() {
    // The index has no other builds, and there are no more leases than workers.
    let open = "SCAN builds USING INDEX builds_open";
    check(|tx| building::is_idle(tx, NOW), &[open, "SCAN building"]);
    let lease = "SEARCH building USING PRIMARY KEY (site_id=?)";
    check(|tx| building::waiting(tx, NOW), &[open, lease, ACCOUNT_BY_ID]);
    check(|tx| building::recover(tx, NOW), &["SCAN building"]);
    let of_site = "SEARCH builds USING INDEX builds_open (site_id=?)";
    check(|tx| building::claim(tx, (SITE, ACCOUNT), WORKER, NOW), &[of_site, lease]);
}

/// A build of `SITE` that runs, in an account that knows of it.
const RUNNING: &str = "
INSERT INTO accounts (id, name, plan, created_at)
VALUES (zeroblob(16), 'a', 'pro', 0);
INSERT INTO sites (id, account_id, name, created_at)
VALUES (zeroblob(16), zeroblob(16), 'a', 0);
INSERT INTO building (site_id, worker, lease_until)
VALUES (zeroblob(16), zeroblob(16), 0);";

#[test]
fn every_write_of_a_build_finds_its_lease_by_the_site() {
    let lease = "SEARCH building USING PRIMARY KEY (site_id=?)";
    let of_site = "SEARCH builds USING INDEX builds_open (site_id=? AND status=?)";
    let claim =
        Claim { site: SITE, worker: WORKER, build: BuildId(Uuid::nil()), scheduled: false, attempt: 1 };
    check(|tx| building::hold(tx, &claim), &[lease]);
    check(|tx| building::extend(tx, &claim, None, NOW), &[lease]);
    let running = |tx: &mut Tx| tx.batch(RUNNING);
    check(
        |tx| running(tx).and_then(|()| building::end(tx, &claim, End::Failed("no"), NOW)),
        &[lease, of_site],
    );
    check(|tx| running(tx).and_then(|()| building::retry(tx, &claim, "no", NOW)), &[lease, of_site, of_site]);
}

#[test]
fn builds_that_are_forgotten_are_found_among_their_sites_and_by_their_end() {
    let id = BuildId(Uuid::nil());
    let expected = [
        "SEARCH builds USING INDEX builds_by_site (site_id=?)",
        "SEARCH builds USING COVERING INDEX builds_by_site (site_id=?)",
        "SEARCH builds USING INDEX builds_by_site (site_id=?)",
    ];
    check(|tx| builds::insert(tx, id, ACCOUNT, SITE, Trigger::Api, NOW), &expected);
    let expected = [
        "SEARCH builds USING PRIMARY KEY (id=?)",
        "SEARCH old USING INDEX builds_ended (completed_at<?)",
        "SEARCH sites USING PRIMARY KEY (id=?)",
        "SEARCH newer USING INDEX builds_by_site (site_id=? AND created_at>?)",
    ];
    check(|tx| builds::forget_before(tx, NOW, 10), &expected);
    check(|tx| builds::latest(tx, SITE), &["SEARCH builds USING INDEX builds_by_site (site_id=?)"]);
}

#[test]
fn texts_that_go_are_found_in_the_order_of_time() {
    // From the beginning of the index; few of those that are not due lie in between.
    let expected = [
        "SCAN doomed_texts USING INDEX doomed_texts_by_time",
        "SEARCH building USING PRIMARY KEY (site_id=?)",
    ];
    check(|tx| texts::sweep(tx, NOW, 10), &expected);
    let by_id = "SEARCH texts USING INTEGER PRIMARY KEY (rowid=?)";
    check(|tx| texts::some_bodies(tx, &[TextId(1)], 10), &[by_id, by_id]);
    let expected = [
        "SEARCH pages USING PRIMARY KEY (site_id=? AND id>?)",
        "SEARCH content USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
        "SEARCH params USING INTEGER PRIMARY KEY (rowid=?) LEFT-JOIN",
    ];
    check(|tx| texts::missing(tx, SITE, None, 10), &expected);
}

const ACCOUNT_BY_ID: &str = "SEARCH accounts USING PRIMARY KEY (id=?)";

#[test]
fn what_an_account_uses_is_found_by_its_id() {
    check(|tx| usage::of_account(tx, ACCOUNT), &[ACCOUNT_BY_ID]);
    let of_site = [ACCOUNT_BY_ID, "SEARCH sites USING PRIMARY KEY (id=?)"];
    let (change, quota) = (Change { pages: 1, ..Change::default() }, Quota { pages: 1, ..Quota::default() });
    check(|tx| usage::charge(tx, SITE, change, &quota), &[of_site, of_site].concat());
    let sites = "SEARCH sites USING COVERING INDEX sites_by_account (account_id=?)";
    let pages = "SEARCH pages USING PRIMARY KEY (site_id=?)";
    let objects = "SEARCH objects USING INDEX objects_kept (site_id=? AND hash>?)";
    check(
        |tx| usage::recounted(tx, ACCOUNT),
        &["SCAN CONSTANT ROW", sites, objects, sites, pages, sites, pages],
    );
}

#[test]
fn a_site_is_found_by_its_host() {
    let name = SiteName::parse("a").expect("it is a name");
    let by_name = "SEARCH sites USING INDEX sqlite_autoindex_sites_2 (name=?)";
    check(|tx| hosts::by_name(tx, &name), &[by_name, ACCOUNT_BY_ID]);
    let by_id = "SEARCH sites USING PRIMARY KEY (id=?)";
    let by_host = "SEARCH domains USING PRIMARY KEY (host=?)";
    check(|tx| hosts::by_domain(tx, "a"), &[by_id, by_host, ACCOUNT_BY_ID]);
}

#[test]
fn an_undo_walks_over_its_site_once() {
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
    check(|tx| files::undo(tx, SITE, 1, &Cursor::default(), 10), &expected);
    check(|tx| files::forget_pages(tx, SITE, 1, &Cursor::default(), 10), &[pages]);
    check(|tx| files::open_files(tx, SITE, "", 10), &[files[0]]);
    let behind = "SEARCH release_files USING PRIMARY KEY (site_id=? AND (path,from_release)>(?,?))";
    check(|tx| files::places(tx, SITE, None, 10), &[behind]);
}

#[test]
fn deleted_pages_are_found_by_their_time() {
    let site = "SEARCH sites USING PRIMARY KEY (id=?)";
    let expected = [
        site,
        "SEARCH pages USING PRIMARY KEY (site_id=? AND id=?)",
        "SEARCH pages USING COVERING INDEX pages_deleted_by_site (site_id=? AND deleted_at<?)",
        site,
    ];
    check(|tx| bin::purge(tx, SITE, Purge::DeletedBefore(NOW), 10, NOW), &expected);
    let oldest = "SEARCH pages USING COVERING INDEX pages_deleted (deleted_at<?)";
    check(|tx| bin::oldest_before(tx, NOW), &[oldest]);
}

#[test]
fn a_step_of_a_sites_deletion_reads_no_other_site() {
    let deleted = "SEARCH sites USING COVERING INDEX sites_deleted (deleted_at>?)";
    check(sites::deleted, &[deleted]);
    let step = |tx: &mut Tx| {
        tx.batch(RUNNING)?;
        tx.batch("UPDATE sites SET deleted_at = 0")?;
        sites::remove_some(tx, SITE, 10, NOW)
    };
    check_all(step, |line| {
        line.starts_with("SEARCH ") && line.contains("site_id=?") || line.contains("(id=?)")
    });
}

#[test]
fn due_pages_are_found_by_their_time() {
    let expected = [
        "SEARCH pages USING INDEX pages_due (published_at>? AND published_at<?)",
        "SEARCH releases USING PRIMARY KEY (site_id=?)",
        "SEARCH builds USING INDEX builds_open (site_id=? AND status=?)",
        "SEARCH builds USING INDEX builds_by_site (site_id=? AND created_at>? AND created_at<?)",
        "SEARCH sites USING PRIMARY KEY (id=?)",
    ];
    check(|tx| building::due(tx, NOW, NOW, NOW), &expected);
}

#[test]
fn what_ended_is_found_by_its_end() {
    let expected = [
        "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=? AND from_release=?)",
        "SEARCH release_files USING COVERING INDEX release_files_closed (site_id=? AND to_release<?)",
        "SEARCH release_pages USING PRIMARY KEY (site_id=? AND page_id=? AND from_release=?)",
        "SEARCH release_pages USING COVERING INDEX release_pages_closed (site_id=? AND to_release<?)",
    ];
    check(|tx| files::sweep(tx, SITE, 1, 10), &expected);
    let expected = [
        "SEARCH packs USING INDEX packs_by_time (state=? AND after<?)",
        "SEARCH packs USING INDEX packs_by_time (state=? AND after>?)",
        // In the order of time.
        "SEARCH packs USING INDEX packs_by_time (state=?)",
    ];
    check(|tx| packs::doomed(tx, NOW, 10), &expected);
}

#[test]
fn a_medium_is_found_by_its_url() {
    let url = MediaUrl { hash: HASH, dimensions: None, name: "a.mp4".into() };
    let expected = [
        "SEARCH media USING PRIMARY KEY (site_id=? AND hash=? AND name=?)",
        "SEARCH objects USING INDEX objects_kept (site_id=? AND hash=?)",
        "SEARCH transcodes USING PRIMARY KEY (site_id=? AND hash=?)",
        "SEARCH objects USING PRIMARY KEY (id=?)",
        "SEARCH media USING PRIMARY KEY (site_id=? AND hash=? AND name=?)",
    ];
    check(|tx| media::find(tx, SITE, &url), &expected);
}

#[test]
fn uploads_look_up_their_own_rows() {
    let kept = "SEARCH objects USING INDEX objects_kept (site_id=? AND hash=?)";
    check(|tx| media::already_kept(tx, SITE, &[HASH]), &[kept]);
    check(
        |tx| objects::pending(tx, SITE, &[ObjectId(Uuid::nil())]),
        &["SEARCH objects USING PRIMARY KEY (id=?)"],
    );
}

#[test]
fn a_list_of_media_is_read_in_its_order() {
    let expected = [
        "SEARCH objects USING INDEX objects_by_age (site_id=? AND created_at<?)",
        "SEARCH transcodes USING PRIMARY KEY (site_id=? AND hash=?) LEFT-JOIN",
    ];
    check(|tx| media::list(tx, SITE, None, 10), &expected);
}

#[test]
fn what_is_to_be_done_about_media_is_found_by_its_time() {
    let expected = [
        "SEARCH objects USING INDEX objects_by_time (state=? AND after<?)",
        "SEARCH objects USING INDEX objects_by_time (state=? AND after>?)",
        // In the order of time.
        "SEARCH objects USING COVERING INDEX objects_by_time (state=?)",
    ];
    check(|tx| objects::doomed(tx, NOW, 10), &expected);
    let due = [
        "SEARCH transcodes USING INDEX transcodes_due (due_at<?)",
        "SEARCH transcodes USING INDEX transcodes_due (due_at>?)",
    ];
    let owner = ["SEARCH sites USING PRIMARY KEY (id=?)", ACCOUNT_BY_ID];
    check(|tx| transcodes::claim(tx, WORKER, NOW), &[due, due, owner].concat());
    check(transcodes::next_due, &["SEARCH transcodes USING COVERING INDEX transcodes_due (due_at>?)"]);
}
