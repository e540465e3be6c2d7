-- What was applied, when, and the oldest schema that a program must know to use this database.
ALTER TABLE migrations ADD COLUMN checksum text;
ALTER TABLE migrations ADD COLUMN applied_at bigint;
ALTER TABLE migrations ADD COLUMN compatible bigint;
