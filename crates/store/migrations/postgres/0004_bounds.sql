-- What an account uses in all, beside its stored media: live pages, and the bytes of the texts of live and deleted pages.
ALTER TABLE accounts ADD COLUMN pages_used bigint NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN text_used bigint NOT NULL DEFAULT 0;
-- When the account last had its turn: the queues serve the account that has waited longest.
ALTER TABLE accounts ADD COLUMN build_turn bigint NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN transcode_turn bigint NOT NULL DEFAULT 0;
-- The site that a request without `siteId` means; none after that site was deleted.
ALTER TABLE accounts ADD COLUMN default_site_id uuid;
UPDATE accounts
SET default_site_id = (
  SELECT id FROM sites WHERE account_id = accounts.id ORDER BY created_at, id LIMIT 1);

ALTER TABLE pages ADD COLUMN content_bytes bigint NOT NULL DEFAULT 0;
ALTER TABLE pages ADD COLUMN params_bytes bigint NOT NULL DEFAULT 0;
UPDATE pages
SET content_bytes = coalesce((SELECT octet_length(body) FROM texts WHERE id = content_id), 0),
  params_bytes = coalesce((SELECT octet_length(body) FROM texts WHERE id = params_id), 0)
WHERE content_id IS NOT NULL OR params_id IS NOT NULL;
UPDATE accounts
SET pages_used = (
    SELECT count(*) FROM pages
    WHERE deleted_at IS NULL AND site_id IN (SELECT id FROM sites WHERE account_id = accounts.id)),
  text_used = (
    SELECT coalesce(sum(content_bytes + params_bytes), 0) FROM pages
    WHERE site_id IN (SELECT id FROM sites WHERE account_id = accounts.id));

-- Replaced texts are kept for a running build of their site that may have seen them: the version that replaced them
-- tells. Texts that nothing refers to yet have no site.
ALTER TABLE doomed_texts ADD COLUMN site_id uuid;
ALTER TABLE doomed_texts ADD COLUMN version bigint NOT NULL DEFAULT 0;
ALTER TABLE doomed_texts ADD COLUMN bytes bigint NOT NULL DEFAULT 0;
UPDATE doomed_texts
SET bytes = (
  SELECT coalesce(sum(octet_length(body)), 0) FROM texts WHERE id BETWEEN first_id AND last_id);

-- What a running build has seen: pages up to this version, and texts below this id. At first nobody knows, and every
-- text is kept for it.
ALTER TABLE building ADD COLUMN seen_version bigint NOT NULL DEFAULT -1;
ALTER TABLE building ADD COLUMN texts_below bigint NOT NULL DEFAULT 9223372036854775807;

ALTER TABLE builds ADD COLUMN attempts bigint NOT NULL DEFAULT 0;
-- When the next attempt may begin; zero: at once.
ALTER TABLE builds ADD COLUMN due_at bigint NOT NULL DEFAULT 0;
-- What could not be shown as its author meant it: a JSON array, or none.
ALTER TABLE builds ADD COLUMN warnings text COLLATE "C";
ALTER TABLE releases ADD COLUMN warnings text COLLATE "C";
CREATE INDEX builds_ended ON builds (completed_at) WHERE completed_at IS NOT NULL;

CREATE INDEX pages_deleted_by_site ON pages (site_id, deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX former_urls_by_page ON former_urls (site_id, page_id, version);

-- A deleted site is no longer found; its rows are deleted in steps.
ALTER TABLE sites ADD COLUMN deleted_at bigint;
CREATE INDEX sites_deleted ON sites (deleted_at) WHERE deleted_at IS NOT NULL;
-- Rows of a release that never was are undone by the next build.
UPDATE sites
SET staged_release = newest.number + 1
FROM (
  SELECT sites.id AS site_id, coalesce(max(number), 0) AS number
  FROM sites
  LEFT JOIN releases ON releases.site_id = sites.id
  GROUP BY sites.id) AS newest
WHERE newest.site_id = sites.id AND (
  EXISTS (
    SELECT 1 FROM release_files
    WHERE site_id = newest.site_id AND from_release > newest.number)
  OR EXISTS (
    SELECT 1 FROM release_files
    WHERE site_id = newest.site_id AND to_release > newest.number AND to_release < 9223372036854775807)
  OR EXISTS (
    SELECT 1 FROM release_pages
    WHERE site_id = newest.site_id AND from_release > newest.number)
  OR EXISTS (
    SELECT 1 FROM release_pages
    WHERE site_id = newest.site_id AND to_release > newest.number AND to_release < 9223372036854775807));

-- Database and object store belong together: the same id stands in both.
ALTER TABLE server ADD COLUMN installation_id uuid;
UPDATE server SET installation_id = gen_random_uuid();
-- When the work of the day was last done.
ALTER TABLE server ADD COLUMN daily_work_at bigint NOT NULL DEFAULT 0;
