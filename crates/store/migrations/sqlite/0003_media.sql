-- Stored bytes of the kept objects of all the account's sites.
ALTER TABLE accounts ADD COLUMN storage_used INTEGER NOT NULL DEFAULT 0;

-- The bytes of media. `pending`: being written, under a lease. `kept`: media of the site, stored and counted once
-- whatever their names. `twin`: made out of a kept one; costs nothing. `doomed`: deleted after a while.
CREATE TABLE objects (
  id         BLOB    NOT NULL PRIMARY KEY,
  site_id    BLOB    NOT NULL,
  state      TEXT    NOT NULL,
  -- The end of the lease, or the time of deletion.
  after      INTEGER NOT NULL,
  -- Known once the bytes are there.
  size       INTEGER,
  hash       BLOB,
  width      INTEGER,
  height     INTEGER,
  created_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX objects_kept ON objects (site_id, hash) WHERE state = 'kept';
CREATE INDEX objects_by_age ON objects (site_id, created_at DESC, hash) WHERE state = 'kept';
CREATE INDEX objects_by_time ON objects (state, after);

-- The names under which media are found.
CREATE TABLE media (
  site_id BLOB NOT NULL REFERENCES sites (id),
  hash    BLOB NOT NULL,
  name    TEXT NOT NULL,
  PRIMARY KEY (site_id, hash, name)
) STRICT, WITHOUT ROWID;

-- An MP4 is made of each MOV.
CREATE TABLE transcodes (
  site_id  BLOB    NOT NULL REFERENCES sites (id),
  hash     BLOB    NOT NULL,
  status   TEXT    NOT NULL,
  attempts INTEGER NOT NULL,
  -- When a worker may take it: the next attempt, or the end of the lease of the worker that has it. None in the end.
  due_at   INTEGER,
  worker   BLOB,
  percent  INTEGER NOT NULL,
  error    TEXT,
  -- The object of the MP4.
  twin     BLOB,
  PRIMARY KEY (site_id, hash)
) STRICT, WITHOUT ROWID;
CREATE INDEX transcodes_due ON transcodes (due_at) WHERE due_at IS NOT NULL;
