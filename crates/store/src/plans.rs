//! How SQLite finds rows, where there are many: by an index, and never by walking a table of all sites.

use std::cell::RefCell;

use model::{MediaHash, MediaUrl, ObjectId, PageId, SiteId, Timestamp};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use uuid::Uuid;

use crate::building::Worker;
use crate::tx::{Engine, Tx};
use crate::{Result, building, files, former, media, objects, packs, pages, transcodes};

thread_local! {
    static RUN: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// `Tx` tells each statement that it runs.
pub(crate) fn note(sql: &str) {
    RUN.with_borrow_mut(|run| run.push(sql.to_owned()));
}

const SITE: SiteId = SiteId(Uuid::nil());
const WORKER: Worker = Worker(Uuid::nil());
const NOW: Timestamp = Timestamp::MIN;
const HASH: MediaHash = MediaHash([0; 16]);

/// Runs something, and compares how its statements get at their rows.
#[track_caller]
fn check<T>(run: impl FnOnce(&mut Tx) -> Result<T>, expected: &[&str]) {
    let mut connection = Connection::open_in_memory().expect("there is memory");
    // As the store's connections have it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).expect("SQLite knows it");
    crate::migrate::sqlite(&mut connection).expect("the schema is right");
    RUN.take();
    let ran = run(&mut Tx::new(Engine::Sqlite(&connection)));
    assert!(ran.is_ok(), "{:?}", ran.err());
    let plans: Vec<String> = RUN.take().iter().flat_map(|sql| plan(&connection, sql)).collect();
    assert_eq!(plans, expected);
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
    let by_version = "SEARCH pages USING INDEX pages_by_version (site_id=? AND version>? AND version<?)";
    let by_time =
        "SEARCH pages USING INDEX pages_scheduled (site_id=? AND published_at>? AND published_at<?)";
    check(|tx| pages::changed(tx, SITE, (1, 2), (NOW, NOW)), &[by_version, by_time, by_version]);
    let left =
        "SEARCH former_urls USING INDEX former_urls_by_version (site_id=? AND version>? AND version<?)";
    check(|tx| former::between(tx, SITE, 1, 2), &[left]);
}

#[test]
fn who_waits_is_found_among_open_builds() {
    // The index has no other builds, and there are no more leases than workers.
    let open = "SCAN builds USING INDEX builds_open";
    check(|tx| building::is_idle(tx, NOW), &[open, "SCAN building"]);
    check(building::waiting, &[open]);
    check(|tx| building::recover(tx, NOW), &["SCAN building"]);
    let of_site = "SEARCH builds USING INDEX builds_open (site_id=?)";
    let lease = "SEARCH building USING PRIMARY KEY (site_id=?)";
    check(|tx| building::claim(tx, SITE, WORKER, NOW, NOW), &[of_site, lease]);
}

#[test]
fn due_pages_are_found_by_their_time() {
    let expected = [
        "SEARCH pages USING INDEX pages_due (published_at>? AND published_at<?)",
        "SEARCH releases USING PRIMARY KEY (site_id=?)",
        "SEARCH builds USING INDEX builds_open (site_id=? AND status=?)",
        "SEARCH sites USING PRIMARY KEY (id=?)",
    ];
    check(|tx| building::due(tx, NOW, NOW), &expected);
}

#[test]
fn what_ended_is_found_by_its_end() {
    let expected = [
        "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=? AND from_release=?)",
        "SEARCH release_files USING COVERING INDEX release_files_closed (site_id=? AND to_release<?)",
        "SEARCH release_pages USING INDEX release_pages_closed (site_id=? AND to_release<?)",
    ];
    check(|tx| files::sweep(tx, SITE, 1, 10), &expected);
    let doomed = "SEARCH packs USING INDEX packs_by_time (state=? AND after<?)";
    check(|tx| packs::doomed(tx, NOW, 10), &[doomed, doomed]);
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
    let abandoned = "SEARCH objects USING INDEX objects_by_time (state=? AND after<?)";
    let doomed = "SEARCH objects USING COVERING INDEX objects_by_time (state=? AND after<?)";
    check(|tx| objects::doomed(tx, NOW, 10), &[abandoned, doomed]);
    let given_up = "SEARCH transcodes USING INDEX transcodes_due (due_at<?)";
    let due = "SEARCH transcodes USING COVERING INDEX transcodes_due (due_at<?)";
    let claimed = "SEARCH transcodes USING PRIMARY KEY (site_id=? AND hash=?)";
    check(|tx| transcodes::claim(tx, WORKER, NOW, NOW), &[given_up, claimed, due]);
    check(transcodes::next_due, &["SEARCH transcodes USING COVERING INDEX transcodes_due (due_at>?)"]);
}
