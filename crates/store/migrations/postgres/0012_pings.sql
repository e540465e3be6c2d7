-- Sites whose feeds changed, to be announced to their hubs. `due`: when a worker may do it, or the end of the lease of the
-- worker that has it.
CREATE TABLE pings (
  site_id  uuid   NOT NULL PRIMARY KEY REFERENCES sites (id) ON DELETE CASCADE,
  hub      text   NOT NULL,
  release  bigint NOT NULL,
  due      bigint NOT NULL,
  attempts bigint NOT NULL
);
CREATE INDEX pings_due ON pings (due);
ALTER TABLE accounts ADD COLUMN ping_turn bigint NOT NULL DEFAULT 0;
