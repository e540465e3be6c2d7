-- What a build reads: pages changed since a version, and pages that were dated in the future when they were written.
CREATE INDEX pages_by_version ON pages (site_id, version);
CREATE INDEX pages_scheduled ON pages (site_id, published_at)
  WHERE published_at > updated_at AND NOT draft AND deleted_at IS NULL;
-- The same for all sites: whose time has come?
CREATE INDEX pages_due ON pages (published_at, site_id)
  WHERE published_at > updated_at AND NOT draft AND deleted_at IS NULL;

-- A URL that a page once had.
CREATE TABLE former_urls (
  site_id BLOB    NOT NULL REFERENCES sites (id),
  url     TEXT    NOT NULL,
  page_id BLOB    NOT NULL,
  version INTEGER NOT NULL,
  PRIMARY KEY (site_id, url)
) STRICT, WITHOUT ROWID;
CREATE INDEX former_urls_by_version ON former_urls (site_id, version);

-- The owner's choices, as JSON.
ALTER TABLE sites ADD COLUMN settings TEXT NOT NULL DEFAULT '{}';
-- What visitors get; none before the first build.
ALTER TABLE sites ADD COLUMN live_release INTEGER;
-- The newest version of pages that are gone for good: a release of an older one may show them, and nothing tells.
ALTER TABLE sites ADD COLUMN purged_version INTEGER NOT NULL DEFAULT 0;
-- After a rollback: a scheduled build does not go live over it.
ALTER TABLE sites ADD COLUMN held INTEGER NOT NULL DEFAULT FALSE;
-- A release whose files are being written down, for a build too large for one transaction.
ALTER TABLE sites ADD COLUMN staged_release INTEGER;
ALTER TABLE sites ADD COLUMN password_hash TEXT;
-- Signs the cookies of those who know the password; a new password has a new key.
ALTER TABLE sites ADD COLUMN cookie_key BLOB;

CREATE TABLE domains (
  host       TEXT    NOT NULL PRIMARY KEY,
  site_id    BLOB    NOT NULL REFERENCES sites (id),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX domains_by_site ON domains (site_id, created_at, host);

CREATE INDEX builds_open ON builds (site_id, status, created_at) WHERE completed_at IS NULL;

-- Who builds a site, for as long as it says so again and again.
CREATE TABLE building (
  site_id     BLOB    NOT NULL PRIMARY KEY,
  worker      BLOB    NOT NULL,
  lease_until INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE releases (
  site_id    BLOB    NOT NULL REFERENCES sites (id),
  number     INTEGER NOT NULL,
  build_id   BLOB    NOT NULL,
  -- Of the site's pages, and the moment at which they were looked at.
  version    INTEGER NOT NULL,
  as_of      INTEGER NOT NULL,
  -- Generator, settings and address: when they differ, nothing of the release can be reused.
  made_with  TEXT    NOT NULL,
  pages      INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (site_id, number)
) STRICT, WITHOUT ROWID;

-- Objects that hold what builds rendered. `pending`: being written, under a lease. `doomed`: deleted after a while.
CREATE TABLE packs (
  id         BLOB    NOT NULL PRIMARY KEY,
  site_id    BLOB    NOT NULL,
  state      TEXT    NOT NULL,
  size       INTEGER NOT NULL,
  -- Bytes of files that no kept release has any more.
  dead       INTEGER NOT NULL,
  -- The end of the lease, or the time of deletion.
  after      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX packs_by_site ON packs (site_id, state);
CREATE INDEX packs_by_time ON packs (state, after);

-- A file of the site, in releases from `from_release` up to, but without, `to_release`.
CREATE TABLE release_files (
  site_id      BLOB    NOT NULL REFERENCES sites (id),
  path         TEXT    NOT NULL,
  from_release INTEGER NOT NULL,
  to_release   INTEGER NOT NULL,
  -- A redirect has a target and no bytes.
  target       TEXT,
  pack_id      BLOB,
  pack_offset  INTEGER NOT NULL,
  length       INTEGER NOT NULL,
  hash         BLOB    NOT NULL,
  PRIMARY KEY (site_id, path, from_release)
) STRICT, WITHOUT ROWID;
CREATE INDEX release_files_closed ON release_files (site_id, to_release) WHERE to_release < 9223372036854775807;

-- What listings and neighbours show of a page, as of the newest release: the base of the next build.
CREATE TABLE release_pages (
  site_id      BLOB    NOT NULL REFERENCES sites (id),
  page_id      BLOB    NOT NULL,
  from_release INTEGER NOT NULL,
  to_release   INTEGER NOT NULL,
  meta         TEXT    NOT NULL,
  PRIMARY KEY (site_id, page_id, from_release)
) STRICT, WITHOUT ROWID;
CREATE INDEX release_pages_closed ON release_pages (site_id, to_release) WHERE to_release < 9223372036854775807;
