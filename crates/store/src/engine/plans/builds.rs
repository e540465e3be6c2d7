//! How rows of builds and their leases are found.

use model::{BuildId, Trigger};
use uuid::Uuid;

use super::{ACCOUNT, ACCOUNT_BY_ID, NOW, Plans, SITE, WORKER};
use crate::building::{self, Claim, End};
use crate::engine::tx::Tx;
use crate::{Result, builds, former, pages};

pub fn a_build_reads_only_what_changed(on: &mut Plans) {
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

pub fn a_listing_reads_only_what_changed_since_the_last_one(on: &mut Plans) {
    let site = "SEARCH sites USING PRIMARY KEY (id=?)";
    let by_version = "SEARCH pages USING INDEX pages_by_version (site_id=? AND version>?)";
    let in_index = by_version.replace("INDEX", "COVERING INDEX");
    on.check(|tx| pages::changed_ids(tx, SITE, 1, 10), &[site, &in_index]);
    on.check(|tx| pages::scan_changed(tx, SITE, 1, |_| {}), &[by_version]);
}

pub fn who_waits_is_found_among_open_builds(on: &mut Plans) {
    // The index has no other builds, and there are no more leases than workers.
    let open = "SCAN builds USING INDEX builds_open";
    on.check(|tx| building::is_idle(tx, NOW), &[open, "SCAN building"]);
    let lease = "SEARCH building USING PRIMARY KEY (site_id=?)";
    on.check(|tx| building::waiting(tx, NOW), &[open, lease, ACCOUNT_BY_ID]);
    on.check(|tx| building::recover(tx, NOW), &["SCAN building"]);
    let of_site = "SEARCH builds USING INDEX builds_open (site_id=?)";
    on.check(|tx| building::claim(tx, (SITE, ACCOUNT), WORKER, NOW), &[of_site, lease]);
}

pub fn due_pages_are_found_by_their_time(on: &mut Plans) {
    let expected = [
        "SEARCH pages USING INDEX pages_due (published_at>? AND published_at<?)",
        "SEARCH releases USING PRIMARY KEY (site_id=?)",
        "SEARCH builds USING INDEX builds_open (site_id=? AND status=?)",
        "SEARCH builds USING INDEX builds_by_site (site_id=? AND created_at>? AND created_at<?)",
        "SEARCH sites USING PRIMARY KEY (id=?)",
    ];
    on.check(|tx| building::due(tx, NOW, NOW, NOW), &expected);
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

pub fn run_build(tx: &mut Tx) -> Result<()> {
    tx.batch(if tx.is_sqlite() { RUNNING_SQLITE } else { RUNNING_POSTGRES })
}

pub fn every_write_of_a_build_finds_its_lease_by_the_site(on: &mut Plans) {
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

pub fn builds_that_are_forgotten_are_found_among_their_sites_and_by_their_end(on: &mut Plans) {
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
