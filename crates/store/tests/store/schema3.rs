//! A database of schema 3, with rows, becomes one of today.

use model::{AccountId, MediaHash, MediaUrl, PageId, SiteId, Trigger};
use store::files::{self, Cursor};
use store::releases::OPEN;
use store::texts::{self, Text, TextId};
use store::usage::{self, Usage};
use store::{Location, Store, building, builds, hosts, media, packs, pages, server, sites, transcodes};
use testing::Database;
use uuid::Uuid;

use crate::building::{ONE, builds_of};
use crate::{at, read, write};

testing::on_both_databases!(
    what_accounts_use_is_counted,
    the_oldest_site_becomes_the_default,
    pages_know_the_length_of_their_texts,
    a_release_that_never_was_is_recognised_and_undone,
    texts_that_were_doomed_are_swept,
    builds_go_on,
    releases_media_and_hosts_stay,
    each_database_becomes_an_installation_of_its_own,
);

const SQLITE: [&str; 3] = [
    include_str!("../../migrations/sqlite/0001_foundation.sql"),
    include_str!("../../migrations/sqlite/0002_releases.sql"),
    include_str!("../../migrations/sqlite/0003_media.sql"),
];
const POSTGRES: [&str; 3] = [
    include_str!("../../migrations/postgres/0001_foundation.sql"),
    include_str!("../../migrations/postgres/0002_releases.sql"),
    include_str!("../../migrations/postgres/0003_media.sql"),
];

/// `#17` is an id and `%17` a hash of sixteen bytes, each written as the database wants it.
const ROWS: &str = "
CREATE TABLE migrations (version bigint NOT NULL PRIMARY KEY);
INSERT INTO migrations (version) VALUES (1), (2), (3);
UPDATE server SET set_up_at = 1;

INSERT INTO accounts (id, name, plan, created_at, suspended_at, build_month, build_count, storage_used) VALUES
  (#01, 'Ada', 'pro', 1, NULL, 0, 5, 75),
  (#02, 'Bob', 'free', 2, 9, 0, 0, 0),
  (#03, 'Eve', 'free', 3, NULL, 0, 0, 0);
INSERT INTO tokens (id, account_id, name, hash, created_at) VALUES (#04, #01, 'laptop', %04, 1);

-- Ada's oldest site is not the first in any other order.
INSERT INTO sites (id, account_id, name, version, last_build_at, created_at, live_release, staged_release) VALUES
  (#11, #01, 'ada', 4, 30000000, 20, 2, NULL),
  (#12, #01, 'second', 2, NULL, 10, 1, NULL),
  (#13, #02, 'bob', 1, NULL, 5, NULL, NULL),
  (#14, #02, 'bobs-second', 0, NULL, 6, NULL, 7);
INSERT INTO domains (host, site_id, created_at) VALUES ('ada.example.com', #11, 1);

INSERT INTO texts (id, body) VALUES
  (1, '“one”'), (2, '{\"a\":1}'), (3, 'gone'), (4, ''), (5, 'ü'), (6, 'doomed'), (7, 'x'), (8, 'stash');
INSERT INTO doomed_texts (first_id, last_id, after) VALUES (6, 7, 5000000), (8, 8, 90000000), (9, 9, 5000000);
INSERT INTO pages (site_id, id, content_type, section, slug, title, draft, tags, content_id, params_id,
  published_at, created_at, updated_at, deleted_at, version) VALUES
  (#11, #21, 'docs', 'guides', 'a', 'A', FALSE, '[]', 1, 2, 1, 1, 1, NULL, 1),
  (#11, #22, 'blog', '', 'b', 'B', FALSE, '[]', 3, NULL, 1, 1, 1, 6000000, 2),
  (#11, #23, 'blog', '', 'c', 'C', TRUE, '[]', NULL, NULL, 1, 1, 1, NULL, 3),
  (#12, #24, 'blog', '', 'a', 'A', FALSE, '[]', 4, NULL, 1, 1, 1, NULL, 1),
  (#13, #25, 'blog', '', 'a', 'A', FALSE, '[]', 5, NULL, 1, 1, 1, NULL, 1);
INSERT INTO former_urls (site_id, url, page_id, version) VALUES (#11, '/old', #21, 1);

INSERT INTO builds (id, account_id, site_id, status, triggered_by, created_at, started_at, completed_at, error) VALUES
  (#31, #01, #11, 'success', 'api', 1, 2, 3, NULL),
  (#32, #01, #11, 'failed', 'publish', 4, 5, 6, 'no'),
  (#33, #01, #12, 'running', 'api', 7, 8, NULL, NULL),
  (#34, #02, #13, 'queued', 'cli', 9, NULL, NULL, NULL);
INSERT INTO building (site_id, worker, lease_until) VALUES (#12, #35, 1000000);

INSERT INTO packs (id, site_id, state, size, dead, after) VALUES
  (#41, #11, 'live', 9, 2, 0), (#42, #12, 'live', 9, 0, 0), (#43, #12, 'pending', 0, 0, 1000000);
INSERT INTO releases (site_id, number, build_id, version, as_of, made_with, pages, created_at) VALUES
  (#11, 1, #31, 1, 1, 'g', 1, 1), (#11, 2, #31, 4, 2, 'g', 1, 2), (#12, 1, #31, 1, 1, 'g', 1, 1);
INSERT INTO release_files (site_id, path, from_release, to_release, target, pack_id, pack_offset, length, hash) VALUES
  (#11, '/a', 1, 2, NULL, #41, 0, 2, %51),
  (#11, '/a', 2, {open}, NULL, #41, 2, 7, %52),
  (#11, '/old', 2, {open}, '/a', NULL, 0, 0, %53),
  -- A build of the second site was broken off, and nothing says so.
  (#12, '/a', 1, 2, NULL, #42, 0, 4, %54),
  (#12, '/b', 1, {open}, NULL, #42, 4, 5, %55),
  (#12, '/a', 2, {open}, NULL, #43, 0, 6, %56);
INSERT INTO release_pages (site_id, page_id, from_release, to_release, meta) VALUES
  (#11, #21, 1, {open}, '{}'), (#12, #24, 1, {open}, '{}'),
  -- Of the third site's, the pages came first.
  (#13, #25, 1, {open}, '{}');

INSERT INTO objects (id, site_id, state, after, size, hash, created_at) VALUES
  (#61, #11, 'kept', 0, 70, %71, 5000000), (#62, #12, 'kept', 0, 5, %71, 5000000),
  (#63, #11, 'twin', 0, 500, NULL, 5000000), (#64, #11, 'pending', 90000000, NULL, NULL, NULL);
INSERT INTO media (site_id, hash, name) VALUES (#11, %71, 'a.mov'), (#12, %71, 'b.mov');
INSERT INTO transcodes (site_id, hash, status, attempts, due_at, percent, twin) VALUES
  (#11, %71, 'done', 1, NULL, 100, #63), (#12, %71, 'queued', 0, 1000000, 0, NULL);
";

fn id(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

const ADA: AccountId = AccountId(Uuid::from_u128(0x01));
const BOB: AccountId = AccountId(Uuid::from_u128(0x02));
const EVE: AccountId = AccountId(Uuid::from_u128(0x03));
const FIRST: SiteId = SiteId(Uuid::from_u128(0x11));
const SECOND: SiteId = SiteId(Uuid::from_u128(0x12));
const THIRD: SiteId = SiteId(Uuid::from_u128(0x13));
const FOURTH: SiteId = SiteId(Uuid::from_u128(0x14));

/// The rows in the words of the database.
fn rows(is_sqlite: bool) -> String {
    let mut sql = ROWS.replace("{open}", &OPEN.to_string());
    for number in 0..=0xffu8 {
        let (id, hash) = (id(number.into()), format!("{number:02x}").repeat(16));
        let (id, hash) = match is_sqlite {
            true => (format!("x'{}'", id.simple()), format!("x'{hash}'")),
            false => (format!("'{id}'"), format!("'\\x{hash}'")),
        };
        sql = sql.replace(&format!("#{number:02x}"), &id).replace(&format!("%{number:02x}"), &hash);
    }
    sql
}

/// Makes a database of schema 3, and migrates it.
async fn migrated(database: &Database) -> &Store {
    let is_sqlite = matches!(database.location(), Location::Sqlite { .. });
    for sql in if is_sqlite { SQLITE } else { POSTGRES } {
        database.execute(sql);
    }
    database.execute(&rows(is_sqlite));
    database.store()
}

async fn what_accounts_use_is_counted(database: &Database) {
    let store = migrated(database).await;
    let texts = "“one”".len() + r#"{"a":1}"#.len() + "gone".len();
    for (account, expected) in [
        (ADA, Usage { storage: 75, pages: 3, text: texts as u64 }),
        (BOB, Usage { storage: 0, pages: 1, text: 2 }),
        (EVE, Usage::default()),
    ] {
        assert_eq!(read(store, move |tx| usage::of_account(tx, account)).await, expected);
        assert_eq!(read(store, move |tx| usage::recounted(tx, account)).await, expected);
    }
}

async fn the_oldest_site_becomes_the_default(database: &Database) {
    let store = migrated(database).await;
    for (account, expected) in [(ADA, Some(SECOND)), (BOB, Some(THIRD)), (EVE, None)] {
        let found = read(store, move |tx| sites::default_of(tx, account)).await;
        assert_eq!(found.map(|site| site.id), expected);
    }
    assert_eq!(read(store, sites::list).await.len(), 4);
    assert_eq!(read(store, sites::deleted).await, None);
}

async fn pages_know_the_length_of_their_texts(database: &Database) {
    let store = migrated(database).await;
    let text = |id, bytes| Some(Text { id: TextId(id), bytes });
    for (site, page, content, params) in [
        (FIRST, 0x21, text(1, 9), text(2, 7)),
        (FIRST, 0x23, None, None),
        (SECOND, 0x24, text(4, 0), None),
        (THIRD, 0x25, text(5, 2), None),
    ] {
        let by_id = move |tx: &mut store::Tx| pages::by_ids(tx, site, std::iter::once(PageId(id(page))));
        let found = read(store, by_id).await.remove(0);
        assert_eq!((found.content, found.params), (content, params), "page {page:x}");
    }
    for site in [FIRST, SECOND, THIRD] {
        assert_eq!(read(store, move |tx| texts::missing(tx, site, None, 9)).await, []);
    }
}

async fn a_release_that_never_was_is_recognised_and_undone(database: &Database) {
    let store = migrated(database).await;
    let staged = |site| read(store, move |tx| files::staged(tx, site));
    for (site, expected) in [(FIRST, None), (SECOND, Some(2)), (THIRD, Some(1)), (FOURTH, Some(7))] {
        assert_eq!(staged(site).await, expected, "{site:?}");
    }
    for (site, newest) in [(SECOND, 1), (THIRD, 0), (FOURTH, 0)] {
        let mut next = Some(Cursor::default());
        while let Some(from) = next {
            next = write(store, move |tx| files::undo(tx, site, newest, &from, 1)).await;
        }
        assert_eq!(staged(site).await, None);
    }
    let open = read(store, |tx| files::open_files(tx, SECOND, "", 9)).await;
    assert_eq!(open, [("/a".into(), [0x54; 16]), ("/b".into(), [0x55; 16])]);
    for (site, expected) in [(SECOND, 1), (THIRD, 0)] {
        let remembered = read(store, move |tx| files::pages(tx, site, |_| Ok(()))).await;
        assert_eq!(remembered.len(), expected);
    }
}

async fn texts_that_were_doomed_are_swept(database: &Database) {
    let store = migrated(database).await;
    let sweep = |second, bytes| write(store, move |tx| texts::sweep(tx, at(second), bytes));
    assert_eq!(sweep(4, 99).await, 0);
    // Seven bytes in one range, and one whose texts are gone.
    assert_eq!((sweep(5, 7).await, sweep(5, 7).await, sweep(5, 7).await), (2, 0, 0));
    assert_eq!(sweep(90, 99).await, 1, "the stash at the end of its lease");
    assert_eq!(read(store, texts::count).await, 5);
}

async fn builds_go_on(database: &Database) {
    let store = migrated(database).await;
    let latest = read(store, |tx| builds::latest(tx, FIRST)).await.unwrap();
    assert_eq!((latest.id.0, latest.error.as_deref(), latest.warnings), (id(0x32), Some("no"), None));
    assert_eq!(read(store, |tx| building::waiting(tx, at(1))).await, [(THIRD, BOB)]);
    assert_eq!(write(store, |tx| building::recover(tx, at(2))).await, 1, "nobody extends the old lease");
    let claim = write(store, |tx| building::claim(tx, (SECOND, ADA), ONE, at(10))).await.unwrap();
    assert_eq!((claim.build.0, claim.attempt), (id(0x33), 1));
    let site = read(store, |tx| sites::get(tx, FIRST)).await.unwrap();
    assert_eq!(builds_of(store, &site).await.len(), 2);
    let trigger = builds_of(store, &site).await[0].triggered_by;
    assert_eq!(trigger, Trigger::Api);
}

async fn releases_media_and_hosts_stay(database: &Database) {
    let store = migrated(database).await;
    let hosted = read(store, |tx| hosts::by_domain(tx, "ada.example.com")).await.unwrap();
    assert_eq!((hosted.id, hosted.release, hosted.suspended), (FIRST, Some(2), false));
    let name = model::SiteName::parse("bob").unwrap();
    assert!(read(store, move |tx| hosts::by_name(tx, &name)).await.unwrap().suspended);
    let stored = read(store, |tx| files::at(tx, FIRST, 2, "/old")).await;
    assert_eq!(stored, Some(files::Stored::Redirect("/a".into())));
    let live = read(store, |tx| packs::live(tx, FIRST)).await;
    assert_eq!((live.len(), live[0].dead), (1, 2));
    let url = MediaUrl { hash: MediaHash([0x71; 16]), dimensions: None, name: "a.mp4".into() };
    let found = read(store, move |tx| media::find(tx, FIRST, &url)).await.unwrap();
    assert_eq!((found.object.0, found.size), (id(0x63), 500));
    let claim = write(store, |tx| transcodes::claim(tx, ONE, at(2))).await.unwrap();
    assert_eq!((claim.site, claim.source.0), (SECOND, id(0x62)));
}

async fn each_database_becomes_an_installation_of_its_own(database: &Database) {
    let store = migrated(database).await;
    let installation = read(store, server::installation).await;
    let (again, other) = (database.open(), Database::sqlite());
    assert_eq!(read(&again, server::installation).await, installation);
    let other = migrated(&other).await.clone();
    assert_ne!(read(&other, server::installation).await, installation);
    assert!(!write(store, |tx| server::set_up(tx, at(9))).await, "somebody has set it up");
    assert!(write(store, |tx| server::claim_daily_work(tx, at(90_000), at(3600))).await);
}
