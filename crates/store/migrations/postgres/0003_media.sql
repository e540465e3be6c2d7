-- Stored bytes of the kept objects of all the account's sites.
ALTER TABLE accounts ADD COLUMN storage_used bigint NOT NULL DEFAULT 0;

-- The bytes of media. `pending`: being written, under a lease. `kept`: media of the site, stored and counted once
-- whatever their names. `twin`: made out of a kept one; costs nothing. `doomed`: deleted after a while.
CREATE TABLE objects (
  id         uuid   NOT NULL PRIMARY KEY,
  site_id    uuid   NOT NULL,
  state      text   COLLATE "C" NOT NULL,
  -- The end of the lease, or the time of deletion.
  after      bigint NOT NULL,
  -- Known once the bytes are there.
  size       bigint,
  hash       bytea,
  width      bigint,
  height     bigint,
  created_at bigint
);
CREATE UNIQUE INDEX objects_kept ON objects (site_id, hash) WHERE state = 'kept';
CREATE INDEX objects_by_age ON objects (site_id, created_at DESC, hash) WHERE state = 'kept';
CREATE INDEX objects_by_time ON objects (state, after);

-- The names under which media are found.
CREATE TABLE media (
  site_id uuid   NOT NULL REFERENCES sites (id),
  hash    bytea  NOT NULL,
  name    text   COLLATE "C" NOT NULL,
  PRIMARY KEY (site_id, hash, name)
);

-- An MP4 is made of each MOV.
CREATE TABLE transcodes (
  site_id  uuid   NOT NULL REFERENCES sites (id),
  hash     bytea  NOT NULL,
  status   text   COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  -- When a worker may take it: the next attempt, or the end of the lease of the worker that has it. None in the end.
  due_at   bigint,
  worker   uuid,
  percent  bigint NOT NULL,
  error    text   COLLATE "C",
  -- The object of the MP4.
  twin     uuid,
  PRIMARY KEY (site_id, hash)
);
CREATE INDEX transcodes_due ON transcodes (due_at) WHERE due_at IS NOT NULL;
