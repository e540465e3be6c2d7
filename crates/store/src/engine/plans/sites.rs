//! How rows of accounts, sites, and their pages and texts are found.

use model::SiteName;

use super::{ACCOUNT, ACCOUNT_BY_ID, NOW, Plans, SITE, builds::run_build};
use crate::engine::tx::Tx;
use crate::texts::{self, TextId};
use crate::trash::{self, Purge};
use crate::usage::{self, Change, Quota};
use crate::{hosts, sites};

pub fn what_an_account_uses_is_found_by_its_id(on: &mut Plans) {
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

pub fn a_site_is_found_by_its_host(on: &mut Plans) {
    let name = SiteName::parse("a").expect("it is a name");
    let by_name = "SEARCH sites USING INDEX sqlite_autoindex_sites_2 (name=?)";
    on.check(|tx| hosts::by_name(tx, &name), &[by_name, ACCOUNT_BY_ID]);
    let by_id = "SEARCH sites USING PRIMARY KEY (id=?)";
    let by_host = "SEARCH domains USING PRIMARY KEY (host=?)";
    on.check(|tx| hosts::by_domain(tx, "a"), &[by_id, by_host, ACCOUNT_BY_ID]);
}

const DELETE_SITE_SQLITE: &str = "UPDATE sites SET deleted_at = 0 WHERE id = zeroblob(16)";
const DELETE_SITE_POSTGRES: &str =
    "UPDATE sites SET deleted_at = 0 WHERE id = '00000000-0000-0000-0000-000000000000'";

pub fn a_step_of_a_sites_deletion_reads_no_other_site(on: &mut Plans) {
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

pub fn deleted_pages_are_found_by_their_time(on: &mut Plans) {
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

pub fn texts_that_go_are_found_in_the_order_of_time(on: &mut Plans) {
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
