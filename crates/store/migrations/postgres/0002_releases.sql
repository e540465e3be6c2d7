-- What a build reads: pages changed since a version, and pages that were dated in the future when they were written.
CREATE INDEX pages_by_version ON pages (site_id, version);
CREATE INDEX pages_scheduled ON pages (site_id, published_at)
  WHERE published_at > updated_at AND NOT draft AND deleted_at IS NULL;
-- The same for all sites: whose time has come?
CREATE INDEX pages_due ON pages (published_at, site_id)
  WHERE published_at > updated_at AND NOT draft AND deleted_at IS NULL;

-- A URL that a page once had.
CREATE TABLE former_urls (
  site_id uuid    NOT NULL REFERENCES sites (id),
  url     text COLLATE "C"    NOT NULL,
  page_id uuid    NOT NULL,
  version bigint NOT NULL,
  PRIMARY KEY (site_id, url)
);
CREATE INDEX former_urls_by_version ON former_urls (site_id, version);

-- The owner's choices, as JSON.
ALTER TABLE sites ADD COLUMN settings text COLLATE "C" NOT NULL DEFAULT '{}';
-- What visitors get; none before the first build.
ALTER TABLE sites ADD COLUMN live_release bigint;
-- The newest version of pages that are gone for good: a release of an older one may show them, and nothing tells.
ALTER TABLE sites ADD COLUMN purged_version bigint NOT NULL DEFAULT 0;
-- After a rollback: a scheduled build does not go live over it.
ALTER TABLE sites ADD COLUMN held boolean NOT NULL DEFAULT FALSE;
-- A release whose files are being written down, for a build too large for one transaction.
ALTER TABLE sites ADD COLUMN staged_release bigint;
ALTER TABLE sites ADD COLUMN password_hash text COLLATE "C";
-- Signs the cookies of those who know the password; a new password has a new key.
ALTER TABLE sites ADD COLUMN cookie_key bytea;

CREATE TABLE domains (
  host       text COLLATE "C"    NOT NULL PRIMARY KEY,
  site_id    uuid    NOT NULL REFERENCES sites (id),
  created_at bigint NOT NULL
);
CREATE INDEX domains_by_site ON domains (site_id, created_at, host);

CREATE INDEX builds_open ON builds (site_id, status, created_at) WHERE completed_at IS NULL;

-- Who builds a site, for as long as it says so again and again.
CREATE TABLE building (
  site_id     uuid    NOT NULL PRIMARY KEY,
  worker      uuid    NOT NULL,
  lease_until bigint NOT NULL
);

CREATE TABLE releases (
  site_id    uuid    NOT NULL REFERENCES sites (id),
  number     bigint NOT NULL,
  build_id   uuid    NOT NULL,
  -- Of the site's pages, and the moment at which they were looked at.
  version    bigint NOT NULL,
  as_of      bigint NOT NULL,
  -- Generator, settings and address: when they differ, nothing of the release can be reused.
  made_with  text COLLATE "C"    NOT NULL,
  pages      bigint NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (site_id, number)
);

-- Objects that hold what builds rendered. `pending`: being written, under a lease. `doomed`: deleted after a while.
CREATE TABLE packs (
  id         uuid    NOT NULL PRIMARY KEY,
  site_id    uuid    NOT NULL,
  state      text COLLATE "C"    NOT NULL,
  size       bigint NOT NULL,
  -- Bytes of files that no kept release has any more.
  dead       bigint NOT NULL,
  -- The end of the lease, or the time of deletion.
  after      bigint NOT NULL
);
CREATE INDEX packs_by_site ON packs (site_id, state);
CREATE INDEX packs_by_time ON packs (state, after);

-- A file of the site, in releases from `from_release` up to, but without, `to_release`.
CREATE TABLE release_files (
  site_id      uuid    NOT NULL REFERENCES sites (id),
  path         text COLLATE "C"    NOT NULL,
  from_release bigint NOT NULL,
  to_release   bigint NOT NULL,
  -- A redirect has a target and no bytes.
  target       text COLLATE "C",
  pack_id      uuid,
  pack_offset  bigint NOT NULL,
  length       bigint NOT NULL,
  hash         bytea    NOT NULL,
  PRIMARY KEY (site_id, path, from_release)
);
CREATE INDEX release_files_closed ON release_files (site_id, to_release) WHERE to_release < 9223372036854775807;

-- What listings and neighbours show of a page, as of the newest release: the base of the next build.
CREATE TABLE release_pages (
  site_id      uuid    NOT NULL REFERENCES sites (id),
  page_id      uuid    NOT NULL,
  from_release bigint NOT NULL,
  to_release   bigint NOT NULL,
  meta         text COLLATE "C"    NOT NULL,
  PRIMARY KEY (site_id, page_id, from_release)
);
CREATE INDEX release_pages_closed ON release_pages (site_id, to_release) WHERE to_release < 9223372036854775807;
