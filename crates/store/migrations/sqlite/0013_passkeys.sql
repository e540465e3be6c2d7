-- What people sign in with instead of a password.
CREATE TABLE passkeys (
  -- Chosen by the authenticator.
  credential   BLOB    NOT NULL PRIMARY KEY,
  user_id      BLOB    NOT NULL REFERENCES users (id),
  -- A SubjectPublicKeyInfo.
  public_key   BLOB    NOT NULL,
  -- Rises with each use, unless the authenticator does not count.
  sign_count   INTEGER NOT NULL,
  name         TEXT    NOT NULL,
  created_at   INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);

-- What a passkey has to sign, once.
CREATE TABLE challenges (
  hash       BLOB    NOT NULL PRIMARY KEY,
  -- Who registers a passkey; none for signing in.
  user_id    BLOB    REFERENCES users (id),
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX challenges_by_time ON challenges (expires_at);
