-- People who use the dashboard.
CREATE TABLE users (
  id            uuid    NOT NULL PRIMARY KEY,
  -- In lower case.
  email         text    COLLATE "C" NOT NULL UNIQUE,
  -- None until its owner has chosen one.
  password_hash text    COLLATE "C",
  operator      boolean NOT NULL,
  created_at    bigint  NOT NULL
);

CREATE TABLE members (
  account_id uuid   NOT NULL REFERENCES accounts (id),
  user_id    uuid   NOT NULL REFERENCES users (id),
  role       text   COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (account_id, user_id)
);
CREATE INDEX members_by_user ON members (user_id);

CREATE TABLE sessions (
  id         uuid   NOT NULL PRIMARY KEY,
  user_id    uuid   NOT NULL REFERENCES users (id),
  hash       bytea  NOT NULL UNIQUE,
  -- What the browser says it is, so that a person recognises it in a list.
  client     text   COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  seen_at    bigint NOT NULL
);
CREATE INDEX sessions_by_user ON sessions (user_id, seen_at);

-- One-time links: with an account, to join it; without, to choose a password.
CREATE TABLE links (
  hash       bytea  NOT NULL PRIMARY KEY,
  user_id    uuid   NOT NULL REFERENCES users (id),
  account_id uuid   REFERENCES accounts (id),
  role       text   COLLATE "C",
  expires_at bigint NOT NULL
);
CREATE INDEX links_by_user ON links (user_id);
