-- People who use the dashboard.
CREATE TABLE users (
  id            BLOB    NOT NULL PRIMARY KEY,
  -- In lower case.
  email         TEXT    NOT NULL UNIQUE,
  -- None until its owner has chosen one.
  password_hash TEXT,
  operator      INTEGER NOT NULL,
  created_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE members (
  account_id BLOB    NOT NULL REFERENCES accounts (id),
  user_id    BLOB    NOT NULL REFERENCES users (id),
  role       TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, user_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE sessions (
  id         BLOB    NOT NULL PRIMARY KEY,
  user_id    BLOB    NOT NULL REFERENCES users (id),
  hash       BLOB    NOT NULL UNIQUE,
  -- What the browser says it is, so that a person recognises it in a list.
  client     TEXT    NOT NULL,
  created_at INTEGER NOT NULL,
  seen_at    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_user ON sessions (user_id, seen_at);

-- One-time links: with an account, to join it; without, to choose a password.
CREATE TABLE links (
  hash       BLOB    NOT NULL PRIMARY KEY,
  user_id    BLOB    NOT NULL REFERENCES users (id),
  account_id BLOB    REFERENCES accounts (id),
  role       TEXT,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX links_by_user ON links (user_id);
