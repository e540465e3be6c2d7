-- The rows of a hundred sites among thousands; the first site and account have the id zero.
CREATE FUNCTION pg_temp.id(number bigint) RETURNS uuid LANGUAGE sql IMMUTABLE
AS $$ SELECT CAST(lpad(to_hex(number), 32, '0') AS uuid) $$;
CREATE FUNCTION pg_temp.hash(number bigint) RETURNS bytea LANGUAGE sql IMMUTABLE
AS $$ SELECT decode(lpad(to_hex(number), 32, '0'), 'hex') $$;

INSERT INTO accounts (id, name, plan, created_at)
SELECT pg_temp.id(n), 'a' || n, 'pro', n FROM generate_series(0, 1999) AS n;
INSERT INTO tokens (id, account_id, name, hash, created_at)
SELECT pg_temp.id(n), pg_temp.id(n), 't', pg_temp.hash(n), n FROM generate_series(0, 1999) AS n;
INSERT INTO users (id, email, operator, created_at)
SELECT pg_temp.id(n), n || '@example.com', FALSE, n FROM generate_series(0, 3999) AS n;
INSERT INTO members (account_id, user_id, role, created_at)
SELECT pg_temp.id(n / 2), pg_temp.id(n), 'owner', n FROM generate_series(0, 3999) AS n;
INSERT INTO sessions (id, user_id, hash, client, created_at, seen_at)
SELECT pg_temp.id(n), pg_temp.id(n / 2), pg_temp.hash(n), 'Firefox', n, n FROM generate_series(0, 3999) AS n;
INSERT INTO links (hash, user_id, expires_at)
SELECT pg_temp.hash(n), pg_temp.id(n), n FROM generate_series(0, 3999) AS n;
INSERT INTO sites (id, account_id, name, created_at, version, live_release)
SELECT pg_temp.id(n), pg_temp.id(n / 2), 's' || n, n, 200, 3 FROM generate_series(0, 3999) AS n;
INSERT INTO autosaves (site_id, user_id, form_id, version, revision, fields, preview, saved_at)
SELECT pg_temp.id(n), pg_temp.id(n / 2), pg_temp.id(n), n % 3, 1, '{}', pg_temp.hash(n) || pg_temp.hash(n), n FROM generate_series(0, 3999) AS n;
INSERT INTO domains (host, site_id, created_at)
SELECT n || '.example.com', pg_temp.id(n), n FROM generate_series(0, 3999) AS n;
-- One of a hundred is deleted, one is dated in the future.
INSERT INTO texts (id, body)
SELECT n, repeat('text ', 50) FROM generate_series(0, 19999) AS n;
INSERT INTO pages (site_id, id, content_type, section, slug, title, draft, tags, content_id, content_bytes,
  published_at, created_at, updated_at, deleted_at, version)
SELECT pg_temp.id(n / 200), pg_temp.id(n), 'blog', '', 'p' || n, 'Title', FALSE, '[]', n, 250,
  CASE WHEN n % 100 = 1 THEN 2000000 + n ELSE 1000 END, 1000, 1000 + n, CASE WHEN n % 100 = 2 THEN 1000 + n END, n % 200
FROM generate_series(0, 19999) AS n;
INSERT INTO doomed_texts (first_id, last_id, after, site_id, version, bytes)
SELECT 100000 + n, 100000 + n, n, pg_temp.id(n / 50), 1, 100 FROM generate_series(0, 4999) AS n;
INSERT INTO former_urls (site_id, url, page_id, version)
SELECT pg_temp.id(n / 50), '/f' || n, pg_temp.id(n), n % 200 FROM generate_series(0, 4999) AS n;
-- Of each site's builds one is open.
INSERT INTO builds (id, account_id, site_id, status, triggered_by, created_at, completed_at)
SELECT pg_temp.id(1000 + n), pg_temp.id(n / 400), pg_temp.id(n / 200), CASE n % 200 WHEN 0 THEN 'queued' ELSE 'success' END,
  'api', n, CASE n % 200 WHEN 0 THEN NULL ELSE n + 1 END
FROM generate_series(0, 19999) AS n;
INSERT INTO packs (id, site_id, state, size, dead, after)
SELECT pg_temp.id(n), pg_temp.id(n / 50), CASE n % 50 WHEN 0 THEN 'doomed' ELSE 'live' END, 1000, 0, n
FROM generate_series(0, 4999) AS n;
INSERT INTO releases (site_id, number, build_id, version, as_of, made_with, pages, created_at)
SELECT pg_temp.id(n / 3), n % 3 + 1, pg_temp.id(n), n % 3, 1000, 'g', 100, n FROM generate_series(0, 11999) AS n;
-- Every tenth row ended with the second release.
INSERT INTO release_files (site_id, path, from_release, to_release, pack_id, pack_offset, length, hash)
SELECT pg_temp.id(n / 400), '/p' || n, 1, CASE n % 10 WHEN 0 THEN 2 ELSE 9223372036854775807 END, pg_temp.id(n / 50), 0, 10,
  pg_temp.hash(n)
FROM generate_series(0, 39999) AS n;
INSERT INTO release_pages (site_id, page_id, from_release, to_release, meta)
SELECT pg_temp.id(n / 200), pg_temp.id(n), 1, CASE n % 10 WHEN 0 THEN 2 ELSE 9223372036854775807 END, '{}'
FROM generate_series(0, 19999) AS n;
INSERT INTO objects (id, site_id, state, after, size, hash, created_at)
SELECT pg_temp.id(n), pg_temp.id(n / 50), CASE n % 50 WHEN 0 THEN 'doomed' ELSE 'kept' END, n, 1000, pg_temp.hash(n), n
FROM generate_series(0, 4999) AS n;
INSERT INTO media (site_id, hash, name)
SELECT pg_temp.id(n / 50), pg_temp.hash(n), n || '.mov' FROM generate_series(0, 4999) AS n;
INSERT INTO transcodes (site_id, hash, status, attempts, due_at, percent)
SELECT pg_temp.id(n / 50), pg_temp.hash(n), CASE n % 50 WHEN 0 THEN 'queued' ELSE 'done' END, 0,
  CASE n % 50 WHEN 0 THEN n END, 0
FROM generate_series(0, 4999) AS n;
-- Workers at two other sites.
INSERT INTO building (site_id, worker, lease_until)
VALUES (pg_temp.id(98), pg_temp.id(1), 1000), (pg_temp.id(99), pg_temp.id(2), 1000);
ANALYZE;
