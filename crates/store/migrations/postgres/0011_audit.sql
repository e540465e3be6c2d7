-- Who did what in an account. Rows are deleted after a while, and the oldest when there are many.
CREATE TABLE audit_log (
  account_id uuid   NOT NULL REFERENCES accounts (id),
  -- In the order of time.
  id         uuid   NOT NULL,
  at         bigint NOT NULL,
  -- The site may be deleted by now.
  site_id    uuid,
  -- user, token, command, system
  actor_kind text   COLLATE "C" NOT NULL,
  -- An email, the id of a token, the name of a user of the system.
  actor      text   COLLATE "C" NOT NULL,
  -- Of the client; empty if it is not known.
  address    text   COLLATE "C" NOT NULL,
  action     text   COLLATE "C" NOT NULL,
  subject    text   COLLATE "C" NOT NULL,
  PRIMARY KEY (account_id, id)
);
CREATE INDEX audit_log_by_time ON audit_log (at);

-- How far a running build is, for people who wait for it.
ALTER TABLE building ADD COLUMN pages_done bigint NOT NULL DEFAULT 0;
ALTER TABLE building ADD COLUMN pages_total bigint NOT NULL DEFAULT 0;
