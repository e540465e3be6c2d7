-- A smaller copy of an image is a twin of it: `original` is the hash of the image, the other columns are its own.
ALTER TABLE objects ADD COLUMN original BLOB;
-- Of an image: when a worker may make its smaller copies, or the end of the lease of the worker that has it. None in the
-- end, and for an image of which nothing needed copies yet; that one has no attempts.
ALTER TABLE objects ADD COLUMN copies_due INTEGER;
ALTER TABLE objects ADD COLUMN copies_attempts INTEGER NOT NULL DEFAULT 0;
CREATE INDEX objects_copies ON objects (site_id, original, width) WHERE original IS NOT NULL;
CREATE INDEX objects_copies_due ON objects (copies_due) WHERE copies_due IS NOT NULL;
ALTER TABLE accounts ADD COLUMN copies_turn INTEGER NOT NULL DEFAULT 0;
