-- Sites whose feeds changed, to be announced to their hubs. `due`: when a worker may do it, or the end of the lease of the
-- worker that has it.
CREATE TABLE pings (
  site_id  BLOB    NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
  hub      TEXT    NOT NULL,
  release  INTEGER NOT NULL,
  due      INTEGER NOT NULL,
  attempts INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX pings_due ON pings (due);
ALTER TABLE accounts ADD COLUMN ping_turn INTEGER NOT NULL DEFAULT 0;
