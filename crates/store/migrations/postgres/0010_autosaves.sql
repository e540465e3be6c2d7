-- What people typed on the form of a page and have not saved.
CREATE TABLE autosaves (
  -- An older program that deletes a site does not know this table.
  site_id  uuid   NOT NULL REFERENCES sites (id) ON DELETE CASCADE,
  user_id  uuid   NOT NULL REFERENCES users (id),
  -- The id of the page; for a new page, one that its form has made up.
  form_id  uuid   NOT NULL,
  -- The version of the page that the person has read; 0 for a new page.
  version  bigint NOT NULL,
  -- Rises with what is typed: a request that arrives late replaces nothing newer.
  revision bigint NOT NULL,
  fields   text   COLLATE "C" NOT NULL,
  -- A hash of the secret in the address of its preview.
  preview  bytea  NOT NULL,
  saved_at bigint NOT NULL,
  PRIMARY KEY (site_id, user_id, form_id)
);
CREATE INDEX autosaves_by_user ON autosaves (user_id, saved_at);
CREATE INDEX autosaves_by_time ON autosaves (saved_at);
CREATE INDEX autosaves_by_preview ON autosaves (preview);
