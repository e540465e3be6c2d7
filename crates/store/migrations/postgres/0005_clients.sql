-- Clients send their whole folder on every push: what a page's texts hash to shows what has changed. None: the texts were
-- stored before, and count as changed.
ALTER TABLE pages ADD COLUMN content_hash bytea;
ALTER TABLE pages ADD COLUMN params_hash bytea;
-- The section as it was typed, where that has capitals.
ALTER TABLE pages ADD COLUMN section_spelling text;

-- What it was made of: the hash of the bytes as they were sent, and of how they were processed.
ALTER TABLE objects ADD COLUMN source bytea;
CREATE INDEX objects_by_source ON objects (source) WHERE state = 'kept' AND source IS NOT NULL;
