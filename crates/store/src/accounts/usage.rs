//! What an account uses in all, and the one place where it is judged and counted: stored media, live pages, and the
//! texts of live and deleted pages.

use model::{AccountId, SiteId};

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Stored bytes of the media of all the account's sites.
    pub storage: u64,
    /// Live pages.
    pub pages: u64,
    /// Bytes of content and params of live and deleted pages.
    pub text: u64,
}

/// What a plan allows.
pub type Quota = Usage;

/// What a change adds, or removes where it is negative.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    pub storage: i64,
    pub pages: i64,
    pub text: i64,
}

/// What there is too little of: what the change needs, and what remains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exceeded {
    pub what: Limited,
    pub required: u64,
    pub remaining: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    Storage,
    Pages,
    Text,
}

from_row!(usage = Usage { storage: "storage_used", pages: "pages_used", text: "text_used" });

const OF_ACCOUNT: &str = select!(
    usage,
    "
FROM accounts
WHERE id = $1"
);

pub fn of_account(tx: &mut Tx, account: AccountId) -> Result<Usage> {
    Ok(tx.query_one(OF_ACCOUNT, &[&account.0], read::<Usage>)?.unwrap_or_default())
}

const USED: &str = select!(
    usage,
    "
FROM accounts
WHERE id = (SELECT account_id FROM sites WHERE id = $1)"
);
const USED_POSTGRES: &str = select!(
    usage,
    "
FROM accounts
WHERE id = (SELECT account_id FROM sites WHERE id = $1)
FOR NO KEY UPDATE"
);

/// Counts a change of a site for its account, unless that would exceed the quota: then nothing is counted. The lock on
/// the account's row puts the changes of all its sites in order; the caller holds the site's lock.
pub fn charge(tx: &mut Tx, site: SiteId, change: Change, quota: &Quota) -> Result<Option<Exceeded>> {
    // A change that adds nothing is never refused, whatever the quota is by now.
    if change.storage > 0 || change.pages > 0 || change.text > 0 {
        let sql = if tx.is_sqlite() { USED } else { USED_POSTGRES };
        let used = tx.query_one(sql, &[&site.0], read::<Usage>)?.unwrap_or_default();
        if let Some(exceeded) = used.exceeds(change, quota) {
            return Ok(Some(exceeded));
        }
    }
    count(tx, site, change)?;
    Ok(None)
}

/// What the account of a site uses by now. It takes no lock.
pub fn of_owner(tx: &mut Tx, site: SiteId) -> Result<Usage> {
    Ok(tx.query_one(USED, &[&site.0], read::<Usage>)?.unwrap_or_default())
}

impl Usage {
    /// Whether a change would be too much.
    pub fn exceeds(&self, change: Change, quota: &Quota) -> Option<Exceeded> {
        let limits = [
            (Limited::Pages, change.pages, self.pages, quota.pages),
            (Limited::Text, change.text, self.text, quota.text),
            (Limited::Storage, change.storage, self.storage, quota.storage),
        ];
        limits.into_iter().find_map(|(what, added, used, quota)| {
            let (required, remaining) = (added.max(0) as u64, quota.saturating_sub(used));
            (required > remaining).then_some(Exceeded { what, required, remaining })
        })
    }
}

const COUNT: &str = "
UPDATE accounts
SET storage_used = storage_used + $1, pages_used = pages_used + $2, text_used = text_used + $3
WHERE id = (SELECT account_id FROM sites WHERE id = $4)";

/// Counts a change that is made in any case. The caller holds the site's lock.
pub fn count(tx: &mut Tx, site: SiteId, change: Change) -> Result<()> {
    if change != Change::default() {
        tx.execute(COUNT, &[&change.storage, &change.pages, &change.text, &site.0])?;
    }
    Ok(())
}

// `CROSS`, and a hash that each of them has: otherwise SQLite reads the objects of all accounts.
const COUNTED: &str = "
SELECT
  (SELECT CAST(coalesce(sum(size), 0) AS bigint)
    FROM sites CROSS JOIN objects
    WHERE account_id = $1 AND objects.site_id = sites.id AND state = 'kept' AND hash IS NOT NULL),
  (SELECT count(*)
    FROM sites CROSS JOIN pages
    WHERE account_id = $1 AND pages.site_id = sites.id AND pages.deleted_at IS NULL),
  (SELECT CAST(coalesce(sum(content_bytes + params_bytes), 0) AS bigint)
    FROM sites CROSS JOIN pages
    WHERE account_id = $1 AND pages.site_id = sites.id)";

/// The same as `of_account`, computed from the rows themselves, to check the counts.
pub fn recounted(tx: &mut Tx, account: AccountId) -> Result<Usage> {
    Ok(tx.query_one(COUNTED, &[&account.0], read::<Usage>)?.unwrap_or_default())
}
