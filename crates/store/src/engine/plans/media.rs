//! How rows of media are found.

use model::{MediaUrl, ObjectId};
use uuid::Uuid;

use super::{ACCOUNT_BY_ID, HASH, NOW, Plans, SITE, WORKER};
use crate::{media, objects, transcodes};

pub fn a_medium_is_found_by_its_url(on: &mut Plans) {
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

pub fn uploads_look_up_their_own_rows(on: &mut Plans) {
    let kept = "SEARCH objects USING INDEX objects_kept (site_id=? AND hash=?)";
    on.check(|tx| media::already_kept(tx, SITE, &[HASH]), &[kept]);
    on.check(
        |tx| objects::pending(tx, SITE, &[ObjectId(Uuid::nil())]),
        &["SEARCH objects USING PRIMARY KEY (id=?)"],
    );
}

pub fn a_list_of_media_is_read_in_its_order(on: &mut Plans) {
    let expected = [
        "SEARCH objects USING INDEX objects_by_age (site_id=? AND created_at<?)",
        "SEARCH transcodes USING PRIMARY KEY (site_id=? AND hash=?) LEFT-JOIN",
    ];
    on.check(|tx| media::list(tx, SITE, None, 10), &expected);
}

pub fn what_is_to_be_done_about_media_is_found_by_its_time(on: &mut Plans) {
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
