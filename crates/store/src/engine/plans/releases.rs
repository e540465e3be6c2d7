//! How rows of files of releases are found.

use model::PageId;
use uuid::Uuid;

use super::{NOW, Plans, SITE};
use crate::files::{self, Cursor};
use crate::packs;

pub fn what_a_visitor_asks_for_is_found_by_its_path(on: &mut Plans) {
    let by_path = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=? AND from_release<?)";
    on.check(|tx| files::at(tx, SITE, 1, "/a"), &[by_path]);
    on.check(|tx| files::at_each(tx, SITE, 1, &["/a".into()]), &[by_path]);
    let newest = "SEARCH releases USING PRIMARY KEY (site_id=?)";
    on.check(|tx| files::in_any_release(tx, SITE, "/a"), &[by_path, newest]);
    let behind = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path>?)";
    on.check(|tx| files::list(tx, SITE, 1, "/a", 10), &[behind]);
}

pub fn a_build_finds_what_it_replaces_by_its_path(on: &mut Plans) {
    let by_path = "SEARCH release_files USING PRIMARY KEY (site_id=? AND path=?)";
    let paths = ["/a".to_owned()];
    on.check(|tx| files::hashes(tx, SITE, &paths), &[by_path]);
    on.check(|tx| files::close(tx, SITE, 1, &paths), &[by_path]);
    let by_page = "SEARCH release_pages USING PRIMARY KEY (site_id=? AND page_id=?)";
    on.check(|tx| files::remember(tx, SITE, 1, &[(PageId(Uuid::nil()), None)]), &[by_page]);
}

pub fn an_undo_walks_over_its_site_once(on: &mut Plans) {
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

pub fn what_ended_is_found_by_its_end(on: &mut Plans) {
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
