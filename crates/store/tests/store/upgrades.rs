//! A database of each earlier schema, with rows in every table, is upgraded to the present one.

use model::{
    AccountId, AuditId, Email, MediaHash, MediaUrl, PageId, Role, SiteId, TokenHash, Trigger, UserId,
};
use store::audit::{self, Entry, Filter};
use store::autosaves::{self, Autosave};
use store::files::{self, Cursor};
use store::passkeys::{self, Passkey};
use store::releases::{self, OPEN};
use store::texts::{self, Text, TextId};
use store::usage::{self, Usage};
use store::{Location, Store, accounts, building, builds, former, hosts, media, packs, pages, server, sites};
use store::{members, tokens, transcodes, trash, users};
use testing::Database;
use uuid::Uuid;

use crate::building::{ONE, builds_of};
use crate::{at, read, write};

/// Makes a module for each schema, with its tests for both databases: the number is passed on to `name`.
macro_rules! upgrades {
    ($($module:ident $schema:literal: $($name:ident),+;)+) => {$(
        mod $module {
            testing::on_both_databases!($($name),+);

            $(
                async fn $name(database: &testing::Database) {
                    super::$name(database, $schema).await;
                }
            )+
        }
    )+};
}

upgrades! {
    schema_1 1:
        every_table_has_rows,
        accounts_and_pages_stay,
        what_accounts_use_is_counted,
        the_oldest_site_becomes_the_default,
        pages_know_the_length_of_their_texts,
        texts_that_were_doomed_are_swept,
        builds_go_on,
        each_database_is_a_separate_installation;
    schema_2 2:
        every_table_has_rows,
        accounts_and_pages_stay,
        what_accounts_use_is_counted,
        the_oldest_site_becomes_the_default,
        pages_know_the_length_of_their_texts,
        texts_that_were_doomed_are_swept,
        builds_go_on,
        each_database_is_a_separate_installation,
        a_release_that_never_was_is_recognised_and_undone,
        releases_and_hosts_stay;
    schema_3 3:
        every_table_has_rows,
        accounts_and_pages_stay,
        what_accounts_use_is_counted,
        the_oldest_site_becomes_the_default,
        pages_know_the_length_of_their_texts,
        texts_that_were_doomed_are_swept,
        builds_go_on,
        each_database_is_a_separate_installation,
        a_release_that_never_was_is_recognised_and_undone,
        releases_and_hosts_stay,
        media_stay;
}

/// Since schema 4 there is something to check in every table.
macro_rules! upgrades_since_4 {
    ($($module:ident $schema:literal),+) => {
        upgrades! {$(
            $module $schema:
                every_table_has_rows,
                accounts_and_pages_stay,
                what_accounts_use_is_counted,
                the_default_site_stays,
                pages_know_the_length_of_their_texts,
                texts_that_were_doomed_are_swept,
                builds_go_on,
                the_installation_stays,
                a_release_that_never_was_is_recognised_and_undone,
                releases_and_hosts_stay,
                media_stay,
                a_person_can_be_added,
                what_a_person_types_can_be_kept,
                the_audit_log_begins_and_builds_report_how_far_they_are,
                a_passkey_can_be_added;
        )+}
    };
}

upgrades_since_4!(schema_4 4, schema_5 5, schema_6 6, schema_7 7, schema_8 8, schema_9 9, schema_10 10, schema_11 11);

macro_rules! migrations {
    ($database:literal) => {
        [
            include_str!(concat!("../../migrations/", $database, "/0001_foundation.sql")),
            include_str!(concat!("../../migrations/", $database, "/0002_releases.sql")),
            include_str!(concat!("../../migrations/", $database, "/0003_media.sql")),
            include_str!(concat!("../../migrations/", $database, "/0004_bounds.sql")),
            include_str!(concat!("../../migrations/", $database, "/0005_clients.sql")),
            include_str!(concat!("../../migrations/", $database, "/0006_ledger.sql")),
            include_str!(concat!("../../migrations/", $database, "/0007_nodes.sql")),
            include_str!(concat!("../../migrations/", $database, "/0008_pictures.sql")),
            include_str!(concat!("../../migrations/", $database, "/0009_people.sql")),
            include_str!(concat!("../../migrations/", $database, "/0010_autosaves.sql")),
            include_str!(concat!("../../migrations/", $database, "/0011_audit.sql")),
        ]
    };
}
const SQLITE: [&str; 11] = migrations!("sqlite");
const POSTGRES: [&str; 11] = migrations!("postgres");

/// The rows that each schema can hold in addition to the one before it. `#17` is an id and `%17` a hash of sixteen
/// bytes, each written as the database needs it.
const ROWS: [&str; 11] =
    [ROWS_1, ROWS_2, ROWS_3, ROWS_4, ROWS_5, ROWS_6, ROWS_7, ROWS_8, ROWS_9, ROWS_10, ROWS_11];

const ROWS_1: &str = "
UPDATE server SET set_up_at = 1;

INSERT INTO accounts (id, name, plan, created_at, suspended_at, build_month, build_count) VALUES
  (#01, 'Ada', 'pro', 1, NULL, 0, 5),
  (#02, 'Bob', 'free', 2, 9, 0, 0),
  (#03, 'Eve', 'free', 3, NULL, 0, 0);
INSERT INTO tokens (id, account_id, name, hash, created_at, last_used_at) VALUES (#04, #01, 'laptop', %04, 1, 2);

-- Ada's oldest site is not the first in any other order.
INSERT INTO sites (id, account_id, name, version, last_build_at, created_at) VALUES
  (#11, #01, 'ada', 4, 30000000, 20),
  (#12, #01, 'second', 2, NULL, 10),
  (#13, #02, 'bob', 1, NULL, 5),
  (#14, #02, 'bobs-second', 0, NULL, 6);

INSERT INTO texts (id, body) VALUES
  (1, '“one”'), (2, '{\"a\":1}'), (3, 'gone'), (4, ''), (5, 'ü'), (6, 'doomed'), (7, 'x'), (8, 'stash');
INSERT INTO doomed_texts (first_id, last_id, after) VALUES (6, 7, 5000000), (8, 8, 90000000), (9, 9, 5000000);
INSERT INTO pages (site_id, id, content_type, section, slug, title, description, draft, tags, api_endpoint, content_id,
  params_id, published_at, created_at, updated_at, deleted_at, version) VALUES
  (#11, #21, 'docs', 'guides', 'a', 'A', 'About', FALSE, '[\"t\"]', 'GET /a', 1, 2, 7, 8, 9, NULL, 1),
  (#11, #22, 'blog', '', 'b', 'B', NULL, FALSE, '[]', NULL, 3, NULL, 1, 1, 1, 6000000, 2),
  (#11, #23, 'blog', '', 'c', 'C', NULL, TRUE, '[]', NULL, NULL, NULL, 1, 1, 1, NULL, 3),
  (#12, #24, 'blog', '', 'a', 'A', NULL, FALSE, '[]', NULL, 4, NULL, 1, 1, 1, NULL, 1),
  (#13, #25, 'blog', '', 'a', 'A', NULL, FALSE, '[]', NULL, 5, NULL, 1, 1, 1, NULL, 1);

-- With this schema, nothing built them.
INSERT INTO builds (id, account_id, site_id, status, triggered_by, created_at) VALUES
  (#31, #01, #11, 'queued', 'api', 1),
  (#32, #01, #11, 'queued', 'publish', 4),
  (#33, #01, #12, 'queued', 'api', 7),
  (#34, #02, #13, 'queued', 'cli', 9);
";

const ROWS_2: &str = "
UPDATE sites SET live_release = 2, settings = '{\"title\":\"Ada\"}' WHERE id = #11;
UPDATE sites SET live_release = 1, held = TRUE, password_hash = 'h', cookie_key = %15 WHERE id = #12;
UPDATE sites SET staged_release = 7, purged_version = 0 WHERE id = #14;
INSERT INTO domains (host, site_id, created_at) VALUES ('ada.example.com', #11, 1);
INSERT INTO former_urls (site_id, url, page_id, version) VALUES (#11, '/old', #21, 1);

UPDATE builds SET status = 'success', started_at = 2, completed_at = 3 WHERE id = #31;
UPDATE builds SET status = 'failed', started_at = 5, completed_at = 6, error = 'no' WHERE id = #32;
UPDATE builds SET status = 'running', started_at = 8 WHERE id = #33;
INSERT INTO building (site_id, worker, lease_until) VALUES (#12, #35, 1000000);

INSERT INTO packs (id, site_id, state, size, dead, after) VALUES
  (#41, #11, 'live', 9, 2, 0), (#42, #12, 'live', 9, 0, 0), (#43, #12, 'pending', 0, 0, 1000000);
INSERT INTO releases (site_id, number, build_id, version, as_of, made_with, pages, created_at) VALUES
  (#11, 1, #31, 1, 1, 'g', 1, 1), (#11, 2, #31, 4, 2, 'g', 1, 2), (#12, 1, #31, 1, 1, 'g', 1, 1);
INSERT INTO release_files (site_id, path, from_release, to_release, target, pack_id, pack_offset, length, hash) VALUES
  (#11, '/a', 1, 2, NULL, #41, 0, 2, %51),
  (#11, '/a', 2, {open}, NULL, #41, 2, 7, %52),
  (#11, '/old', 2, {open}, '/a', NULL, 0, 0, %53),
  -- A build of the second site was interrupted, without a record of it.
  (#12, '/a', 1, 2, NULL, #42, 0, 4, %54),
  (#12, '/b', 1, {open}, NULL, #42, 4, 5, %55),
  (#12, '/a', 2, {open}, NULL, #43, 0, 6, %56);
INSERT INTO release_pages (site_id, page_id, from_release, to_release, meta) VALUES
  (#11, #21, 1, {open}, '{}'), (#12, #24, 1, {open}, '{}'),
  -- Of the third site's first release, the pages were written first.
  (#13, #25, 1, {open}, '{}');
";

const ROWS_3: &str = "
UPDATE accounts SET storage_used = 75 WHERE id = #01;
INSERT INTO objects (id, site_id, state, after, size, hash, width, height, created_at) VALUES
  (#61, #11, 'kept', 0, 70, %71, NULL, NULL, 5000000), (#62, #12, 'kept', 0, 5, %71, 640, 480, 5000000),
  (#63, #11, 'twin', 0, 500, NULL, NULL, NULL, 5000000), (#64, #11, 'pending', 90000000, NULL, NULL, NULL, NULL, NULL);
INSERT INTO media (site_id, hash, name) VALUES (#11, %71, 'a.mov'), (#12, %71, 'b.mov');
INSERT INTO transcodes (site_id, hash, status, attempts, due_at, percent, twin) VALUES
  (#11, %71, 'done', 1, NULL, 100, #63), (#12, %71, 'queued', 0, 1000000, 0, NULL);
";

/// The work of the migration to schema 4 that is missing for rows written later.
const ROWS_4: &str = "
UPDATE server SET installation_id = #99, daily_work_at = 3600000000;
UPDATE accounts SET pages_used = 3, text_used = 20, build_turn = 1, default_site_id = #11 WHERE id = #01;
UPDATE accounts SET pages_used = 1, text_used = 2, transcode_turn = 1, default_site_id = #13 WHERE id = #02;
UPDATE pages SET content_bytes = 9, params_bytes = 7 WHERE id = #21;
UPDATE pages SET content_bytes = 4 WHERE id = #22;
UPDATE pages SET content_bytes = 2 WHERE id = #25;
UPDATE doomed_texts SET site_id = #11, version = 4, bytes = 7 WHERE first_id = 6;
UPDATE doomed_texts SET bytes = 5 WHERE first_id = 8;
UPDATE building SET seen_version = 2, texts_below = 9;
UPDATE builds SET attempts = 1 WHERE id = #33;
UPDATE builds SET warnings = '[]' WHERE id = #31;
UPDATE releases SET warnings = '[]' WHERE site_id = #11 AND number = 2;
UPDATE sites SET staged_release = 2 WHERE id = #12;
UPDATE sites SET staged_release = 1 WHERE id = #13;
INSERT INTO sites (id, account_id, name, created_at, deleted_at) VALUES (#16, #03, 'deleted', 7, 8);
";

const ROWS_5: &str = "
UPDATE pages SET section_spelling = 'Guides' WHERE id = #21;
UPDATE objects SET source = %83 WHERE id = #61;
";

/// The ledger says more about itself.
const ROWS_6: &str = "
UPDATE migrations SET applied_at = 1700000000000001;
";

const ROWS_7: &str = "
UPDATE server SET changes = 3;
";

const ROWS_8: &str = "
UPDATE accounts SET copies_turn = 4 WHERE id = #01;
";

const ROWS_9: &str = "
INSERT INTO users (id, email, password_hash, operator, created_at) VALUES (#f2, 'eve@example.com', 'h', FALSE, 1);
INSERT INTO members (account_id, user_id, role, created_at) VALUES (#03, #f2, 'owner', 1);
INSERT INTO sessions (id, user_id, hash, client, created_at, seen_at) VALUES (#f3, #f2, %f3, 'Firefox', 1, 2);
INSERT INTO links (hash, user_id, account_id, role, expires_at) VALUES (%f4, #f2, #02, 'writer', 90000000);
";

const ROWS_10: &str = "
INSERT INTO autosaves (site_id, user_id, form_id, version, revision, fields, preview, saved_at)
VALUES (#11, #f2, #f6, 0, 1, '{}', %f6, 1);
";

const ROWS_11: &str = "
INSERT INTO audit_log (account_id, id, at, site_id, actor_kind, actor, address, action, subject)
VALUES (#01, #f8, 1, #11, 'user', 'eve@example.com', '192.0.2.1', 'signed in', 'Firefox');
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
const DELETED: SiteId = SiteId(Uuid::from_u128(0x16));

/// Rows in the database's SQL.
fn translated(rows: &str, is_sqlite: bool) -> String {
    let mut sql = rows.replace("{open}", &OPEN.to_string());
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

fn migrations(database: &Database) -> [&'static str; 11] {
    match database.location() {
        Location::Sqlite { .. } => SQLITE,
        Location::Postgres { .. } => POSTGRES,
    }
}

/// Creates a database of an earlier schema.
fn write_rows(database: &Database, schema: usize) {
    let is_sqlite = matches!(database.location(), Location::Sqlite { .. });
    database.execute("CREATE TABLE migrations (version bigint NOT NULL PRIMARY KEY)");
    for (number, migration) in (1..=schema).zip(migrations(database)) {
        // Not every PostgreSQL has this compression.
        database.execute(&migration.replace("COMPRESSION lz4", ""));
        database.execute(&format!("INSERT INTO migrations (version) VALUES ({number})"));
    }
    // All rows have the form of this schema: none existed when a migration ran.
    for rows in &ROWS[..schema] {
        database.execute(&translated(rows, is_sqlite));
    }
}

async fn upgraded(database: &Database, schema: usize) -> &Store {
    write_rows(database, schema);
    database.store()
}

async fn every_table_has_rows(database: &Database, schema: usize) {
    write_rows(database, schema);
    let rows = database.dump();
    let created = migrations(database).into_iter().take(schema).flat_map(str::lines);
    let tables: Vec<&str> = created.filter_map(|line| line.strip_prefix("CREATE TABLE ")).collect();
    assert!(tables.len() >= 8, "{tables:?}");
    for table in tables {
        let table = table.trim_end_matches(" (");
        assert!(rows.iter().any(|row| row.starts_with(&format!("{table}: "))), "{table}");
    }
}

async fn accounts_and_pages_stay(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let accounts = read(store, accounts::list).await;
    let accounts: Vec<_> =
        accounts.iter().map(|account| (account.id, &*account.name, &*account.plan)).collect();
    assert_eq!(accounts, [(ADA, "Ada", "pro"), (BOB, "Bob", "free"), (EVE, "Eve", "free")]);
    let suspended = read(store, |tx| accounts::get(tx, BOB)).await.unwrap().suspended_at;
    assert_eq!(suspended.unwrap().micros(), 9);
    let token = read(store, tokens::list).await.remove(0);
    assert_eq!((token.id.0, token.account, &*token.name), (id(0x04), ADA, "laptop"));
    let site = read(store, |tx| sites::get(tx, FIRST)).await.unwrap();
    assert_eq!((site.account, site.name.as_str(), site.version), (ADA, "ada", 4));

    let by_id = |tx: &mut store::Tx| {
        pages::by_ids(tx, FIRST, [0x21, 0x22, 0x23].map(|page| PageId(id(page))).into_iter())
    };
    let mut found = read(store, by_id).await;
    found.sort_by_key(|page| page.id);
    let [page, draft] = &found[..] else { panic!("{found:?}") };
    let (content, params) = (page.content.unwrap().id, page.params.unwrap().id);
    assert_eq!(read(store, move |tx| texts::body(tx, content)).await.as_deref(), Some("“one”"));
    assert_eq!(read(store, move |tx| texts::body(tx, params)).await.as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(
        (page.title.as_str(), page.description.as_deref(), &*page.tags),
        ("A", Some("About"), r#"["t"]"#)
    );
    let key = (page.key.content_type.as_str(), page.key.section.as_str(), page.key.slug.as_str());
    assert_eq!(key, ("docs", "guides", "a"));
    assert_eq!((page.api_endpoint.as_deref(), page.draft), (Some("GET /a"), false));
    let times = [page.published_at, page.created_at, page.updated_at].map(|time| time.micros());
    let spelling = (schema >= 5).then_some("Guides");
    assert_eq!((times, &page.content_hash), ([7, 8, 9], &None));
    assert_eq!(page.section_spelling.as_deref(), spelling);
    assert!(draft.draft && draft.content.is_none(), "{draft:?}");
    let deleted = read(store, |tx| trash::list_deleted(tx, FIRST)).await;
    assert_eq!(deleted.len(), 1);
    assert_eq!((deleted[0].id.0, deleted[0].deleted_at), (id(0x22), at(6)));
}

async fn what_accounts_use_is_counted(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let texts = "“one”".len() + r#"{"a":1}"#.len() + "gone".len();
    let storage = if schema < 3 { 0 } else { 75 };
    for (account, expected) in [
        (ADA, Usage { storage, pages: 3, text: texts as u64 }),
        (BOB, Usage { storage: 0, pages: 1, text: 2 }),
        (EVE, Usage::default()),
    ] {
        assert_eq!(read(store, move |tx| usage::of_account(tx, account)).await, expected);
        assert_eq!(read(store, move |tx| usage::recounted(tx, account)).await, expected);
    }
}

async fn the_oldest_site_becomes_the_default(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    for (account, expected) in [(ADA, Some(SECOND)), (BOB, Some(THIRD)), (EVE, None)] {
        let found = read(store, move |tx| sites::default_of(tx, account)).await;
        assert_eq!(found.map(|site| site.id), expected);
    }
    assert_eq!(read(store, sites::list).await.len(), 4);
    assert_eq!(read(store, sites::deleted).await, None);
}

async fn the_default_site_stays(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    for (account, expected) in [(ADA, Some(FIRST)), (BOB, Some(THIRD)), (EVE, None)] {
        let found = read(store, move |tx| sites::default_of(tx, account)).await;
        assert_eq!(found.map(|site| site.id), expected);
    }
    assert_eq!(read(store, sites::list).await.len(), 4);
    assert_eq!(read(store, sites::deleted).await, Some(DELETED));
}

async fn pages_know_the_length_of_their_texts(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
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

async fn a_release_that_never_was_is_recognised_and_undone(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
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

async fn texts_that_were_doomed_are_swept(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let sweep = |second, bytes| write(store, move |tx| texts::sweep(tx, at(second), bytes));
    assert_eq!(sweep(4, 99).await, 0);
    // Seven bytes in one range, and one whose texts are gone.
    assert_eq!((sweep(5, 7).await, sweep(5, 7).await, sweep(5, 7).await), (2, 0, 0));
    assert_eq!(sweep(90, 99).await, 1, "the stash at the end of its lease");
    assert_eq!(read(store, texts::count).await, 5);
}

async fn builds_go_on(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let latest = read(store, |tx| builds::latest(tx, FIRST)).await.unwrap();
    assert_eq!((latest.id.0, latest.triggered_by, latest.warnings), (id(0x32), Trigger::Publish, None));
    // Schema 1 built nothing; with the others the second site's worker died.
    let (error, waiting, recovered, attempt) = match schema {
        1 => (None, vec![(FIRST, ADA), (SECOND, ADA), (THIRD, BOB)], 0, 1),
        2 | 3 => (Some("no"), vec![(THIRD, BOB)], 1, 1),
        _ => (Some("no"), vec![(THIRD, BOB)], 1, 2),
    };
    assert_eq!(latest.error.as_deref(), error);
    assert_eq!(read(store, |tx| building::waiting(tx, at(1))).await, waiting);
    assert_eq!(write(store, |tx| building::recover(tx, at(2))).await, recovered);
    let claim = write(store, |tx| building::claim(tx, (SECOND, ADA), ONE, at(10))).await.unwrap();
    assert_eq!((claim.build.0, claim.attempt), (id(0x33), attempt));
    let site = read(store, |tx| sites::get(tx, FIRST)).await.unwrap();
    let builds = builds_of(store, &site).await;
    assert_eq!(builds.len(), 2);
    assert_eq!(builds[0].triggered_by, Trigger::Api);
}

async fn releases_and_hosts_stay(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let hosted = read(store, |tx| hosts::by_domain(tx, "ada.example.com")).await.unwrap();
    assert_eq!((hosted.id, hosted.release, hosted.suspended), (FIRST, Some(2), false));
    let by_name = async |name: &str| {
        let name = model::SiteName::parse(name).unwrap();
        read(store, move |tx| hosts::by_name(tx, &name)).await.unwrap()
    };
    assert!(by_name("bob").await.suspended);
    let protection = by_name("second").await.protection.unwrap();
    assert_eq!((&*protection.password_hash, protection.cookie_key), ("h", vec![0x15; 16]));
    let settings = read(store, |tx| sites::settings(tx, FIRST)).await;
    assert_eq!(settings.as_deref(), Some(r#"{"title":"Ada"}"#));
    let left = read(store, |tx| former::between(tx, FIRST, -1, 4)).await;
    assert_eq!(left, [("/old".to_owned(), PageId(id(0x21)))]);
    let newest = read(store, |tx| releases::newest(tx, FIRST)).await.unwrap();
    assert_eq!((newest.number, newest.version, newest.as_of.micros(), &*newest.made_with), (2, 4, 2, "g"));
    assert_eq!((newest.build.0, newest.warnings.is_some()), (id(0x31), schema >= 4));
    let stored = read(store, |tx| files::at(tx, FIRST, 2, "/old")).await;
    assert_eq!(stored, Some(files::Stored::Redirect("/a".into())));
    for (release, expected) in [(1, (0, 2)), (2, (2, 7))] {
        let stored = read(store, move |tx| files::at(tx, FIRST, release, "/a")).await;
        let Some(files::Stored::Bytes { pack, offset, length, .. }) = stored else { panic!("{stored:?}") };
        assert_eq!((pack.0, (offset, length)), (id(0x41), expected));
    }
    let live = read(store, |tx| packs::live(tx, FIRST)).await;
    assert_eq!((live.len(), live[0].size, live[0].dead), (1, 9, 2));
}

async fn media_stay(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let hash = MediaHash([0x71; 16]);
    for (name, object, size) in [("a.mp4", 0x63, 500), ("a.mov", 0x61, 70)] {
        let url = MediaUrl { hash, dimensions: None, name: name.into() };
        let found = read(store, move |tx| media::find(tx, FIRST, &url)).await.unwrap();
        assert_eq!((found.object.0, found.size), (id(object), size), "{name}");
    }
    assert_eq!(read(store, move |tx| media::already_kept(tx, FIRST, &[hash])).await[&hash], 70);
    let listed = read(store, |tx| media::list(tx, SECOND, None, 9)).await.remove(0);
    assert_eq!(
        (listed.size, listed.dimensions, listed.created_at),
        (5, Some(model::Dimensions { width: 640, height: 480 }), at(5))
    );
    assert_eq!(listed.names, ["b.mov"]);
    let claim = write(store, |tx| transcodes::claim(tx, ONE, at(2))).await.unwrap();
    assert_eq!((claim.site, claim.source.0), (SECOND, id(0x62)));
}

async fn each_database_is_a_separate_installation(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let installation = read(store, server::installation).await;
    let (again, other) = (database.open(), Database::sqlite());
    assert_eq!(read(&again, server::installation).await, installation);
    let other = upgraded(&other, schema).await.clone();
    assert_ne!(read(&other, server::installation).await, installation);
    assert!(!write(store, |tx| server::set_up(tx, at(9))).await, "it was set up before");
    assert!(write(store, |tx| server::claim_daily_work(tx, at(90_000), at(3600))).await);
}

/// Which schemas before 9 did not have.
async fn a_person_can_be_added(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let (user, email) = (UserId(id(0xf1)), Email::parse("ada@example.com").unwrap());
    let added = write(store, move |tx| {
        assert!(users::insert(tx, user, &email, false, at(1))?);
        members::set(tx, ADA, user, Role::Owner, at(1))?;
        members::list(tx, ADA)
    });
    assert_eq!(added.await.iter().map(|member| &*member.email).collect::<Vec<_>>(), ["ada@example.com"]);
}

/// Which schemas before 10 did not have.
async fn what_a_person_types_can_be_kept(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let (user, email) = (UserId(id(0xf1)), Email::parse("ada@example.com").unwrap());
    let preview = TokenHash([7; 32]);
    let typed =
        Autosave { form: id(0xf5), version: 0, revision: 1, fields: "{}".into(), preview, saved_at: at(1) };
    let expected = typed.clone();
    let found = write(store, move |tx| {
        assert!(users::insert(tx, user, &email, false, at(1))?);
        autosaves::put(tx, FIRST, user, &typed, 0, 9).map(drop)?;
        autosaves::newest_of_new(tx, FIRST, user)
    });
    assert_eq!(found.await, Some(expected));
}

/// Which schemas before 11 did not have.
async fn the_audit_log_begins_and_builds_report_how_far_they_are(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let entry = Entry {
        id: AuditId(id(0xf7)),
        at: at(1),
        site: Some(FIRST),
        actor_kind: "command".into(),
        actor: "root".into(),
        address: String::new(),
        action: "plan changed".into(),
        subject: "pro".into(),
    };
    let expected = entry.clone();
    let filter = Filter { action: String::new(), before: AuditId(Uuid::max()) };
    let listed = write(store, move |tx| {
        audit::insert(tx, ADA, &entry)?;
        audit::list(tx, ADA, &filter, 9)
    });
    assert!(listed.await.contains(&expected));
    // The builds that were running when the older program stopped.
    const RUNNING: &str = "SELECT count(*) FROM building WHERE pages_done <> 0 OR pages_total <> 0";
    assert_eq!(read(store, |tx| tx.query_one(RUNNING, &[], |row| row.get::<i64>(0))).await, Some(0));
}

/// Which no earlier schema had.
async fn a_passkey_can_be_added(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    let (user, email) = (UserId(id(0xf1)), Email::parse("ada@example.com").unwrap());
    let passkey = Passkey {
        credential: vec![1; 20],
        user,
        public_key: vec![2; 91],
        sign_count: 0,
        name: "laptop".into(),
        created_at: at(1),
        last_used_at: None,
    };
    let expected = passkey.clone();
    let listed = write(store, move |tx| {
        assert!(users::insert(tx, user, &email, false, at(1))?);
        assert!(passkeys::insert(tx, &passkey)?);
        passkeys::list(tx, user)
    });
    assert_eq!(listed.await, [expected]);
}

async fn the_installation_stays(database: &Database, schema: usize) {
    let store = upgraded(database, schema).await;
    assert_eq!(read(store, server::installation).await, id(0x99));
    assert!(!write(store, |tx| server::set_up(tx, at(9))).await, "it was set up before");
    assert!(!write(store, |tx| server::claim_daily_work(tx, at(3700), at(3599))).await, "done a moment ago");
    assert!(write(store, |tx| server::claim_daily_work(tx, at(90_000), at(3601))).await);
}
