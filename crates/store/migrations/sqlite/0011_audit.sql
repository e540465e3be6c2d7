-- Who did what in an account. Rows are deleted after a while, and the oldest when there are many.
CREATE TABLE audit_log (
  account_id BLOB    NOT NULL REFERENCES accounts (id),
  -- In the order of time.
  id         BLOB    NOT NULL,
  at         INTEGER NOT NULL,
  -- The site may be deleted by now.
  site_id    BLOB,
  -- user, token, command, system
  actor_kind TEXT    NOT NULL,
  -- An email, the id of a token, the name of a user of the system.
  actor      TEXT    NOT NULL,
  -- Of the client; empty if it is not known.
  address    TEXT    NOT NULL,
  action     TEXT    NOT NULL,
  subject    TEXT    NOT NULL,
  PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_log_by_time ON audit_log (at);

-- How far a running build is, for people who wait for it.
ALTER TABLE building ADD COLUMN pages_done INTEGER NOT NULL DEFAULT 0;
ALTER TABLE building ADD COLUMN pages_total INTEGER NOT NULL DEFAULT 0;
