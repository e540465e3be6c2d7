-- Counts the changes of what visitors get. On SQLite, every process looks at it to notice those of the others.
ALTER TABLE server ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
