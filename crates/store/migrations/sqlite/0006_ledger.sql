-- What was applied, when, and the oldest schema that a program must know to use this database.
ALTER TABLE migrations ADD COLUMN checksum TEXT;
ALTER TABLE migrations ADD COLUMN applied_at INTEGER;
ALTER TABLE migrations ADD COLUMN compatible INTEGER;
