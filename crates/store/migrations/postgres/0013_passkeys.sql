-- What people sign in with instead of a password.
CREATE TABLE passkeys (
  -- Chosen by the authenticator.
  credential   bytea  NOT NULL PRIMARY KEY,
  user_id      uuid   NOT NULL REFERENCES users (id),
  -- A SubjectPublicKeyInfo.
  public_key   bytea  NOT NULL,
  -- Rises with each use, unless the authenticator does not count.
  sign_count   bigint NOT NULL,
  name         text   COLLATE "C" NOT NULL,
  created_at   bigint NOT NULL,
  last_used_at bigint
);
CREATE INDEX passkeys_by_user ON passkeys (user_id, created_at);

-- What a passkey has to sign, once.
CREATE TABLE challenges (
  hash       bytea  NOT NULL PRIMARY KEY,
  -- Who registers a passkey; none for signing in.
  user_id    uuid   REFERENCES users (id),
  expires_at bigint NOT NULL
);
CREATE INDEX challenges_by_time ON challenges (expires_at);
