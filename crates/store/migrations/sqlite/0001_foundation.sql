CREATE TABLE accounts (
  id           BLOB    NOT NULL PRIMARY KEY,
  name         TEXT    NOT NULL,
  plan         TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  suspended_at INTEGER,
  -- Accepted build triggers of one calendar month: the quota is one conditional UPDATE.
  build_month  INTEGER NOT NULL DEFAULT 0,
  build_count  INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE sites (
  id            BLOB    NOT NULL PRIMARY KEY,
  account_id    BLOB    NOT NULL REFERENCES accounts (id),
  name          TEXT    NOT NULL UNIQUE,
  -- Grows with every publish; each changed page carries the version that changed it.
  version       INTEGER NOT NULL DEFAULT 0,
  last_build_at INTEGER,
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sites_by_account ON sites (account_id, created_at, id);

CREATE TABLE tokens (
  id           BLOB    NOT NULL PRIMARY KEY,
  account_id   BLOB    NOT NULL REFERENCES accounts (id),
  name         TEXT    NOT NULL,
  hash         BLOB    NOT NULL UNIQUE,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER,
  revoked_at   INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_account ON tokens (account_id, created_at, id);

-- Long texts (content, params) live apart, so that listing a site never walks them.
CREATE TABLE texts (
  id   INTEGER NOT NULL PRIMARY KEY,
  body TEXT    NOT NULL
) STRICT;

-- Texts that nothing refers to, or that nothing refers to yet: deleted once `after` has passed.
CREATE TABLE doomed_texts (
  first_id INTEGER NOT NULL PRIMARY KEY,
  last_id  INTEGER NOT NULL,
  after    INTEGER NOT NULL
) STRICT;
CREATE INDEX doomed_texts_by_time ON doomed_texts (after);

CREATE TABLE pages (
  site_id      BLOB    NOT NULL REFERENCES sites (id),
  id           BLOB    NOT NULL,
  content_type TEXT    NOT NULL,
  section      TEXT    NOT NULL,
  slug         TEXT    NOT NULL,
  title        TEXT    NOT NULL,
  description  TEXT,
  draft        INTEGER NOT NULL,
  tags         TEXT    NOT NULL,
  api_endpoint TEXT,
  content_id   INTEGER,
  params_id    INTEGER,
  published_at INTEGER NOT NULL,
  created_at   INTEGER NOT NULL,
  updated_at   INTEGER NOT NULL,
  deleted_at   INTEGER,
  version      INTEGER NOT NULL,
  PRIMARY KEY (site_id, id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX pages_by_key ON pages (site_id, slug, content_type, section) WHERE deleted_at IS NULL;
CREATE INDEX pages_by_update ON pages (site_id, updated_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX pages_deleted ON pages (deleted_at) WHERE deleted_at IS NOT NULL;

-- Rows outlive their site: the quota counts a trigger whatever became of it.
CREATE TABLE builds (
  id           BLOB    NOT NULL PRIMARY KEY,
  account_id   BLOB    NOT NULL,
  site_id      BLOB    NOT NULL,
  status       TEXT    NOT NULL,
  triggered_by TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  started_at   INTEGER,
  completed_at INTEGER,
  error        TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX builds_by_site ON builds (site_id, created_at DESC, id DESC);

-- One row: whether somebody has already set this server up.
CREATE TABLE server (
  set_up_at INTEGER
) STRICT;
INSERT INTO server (set_up_at) VALUES (NULL);
