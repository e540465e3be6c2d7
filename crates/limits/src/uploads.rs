//! Large uploads: few at a time and few an hour for each account, and few at a time in all.

mod lease;
mod own;

use std::sync::Arc;
use std::time::Duration;

use model::{AccountId, Timestamp};

use self::lease::{Lease, Leases};
use self::own::{OwnSlot, OwnUploads};
use crate::Backend;

const AT_ONCE: usize = 2;
const AN_HOUR: usize = 10;
const HOUR: Duration = Duration::from_secs(3600);
/// The `Retry-After` for a client that has two large files under way.
const RETRY_AFTER: u64 = 60;

/// `retry_after` is in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooManyUploads {
    OfAccount { retry_after: u64 },
    OfAll,
}

pub struct LargeUploads {
    own: Arc<OwnUploads>,
    leases: Option<Leases>,
}

/// The right to receive one large file; given back when dropped.
pub struct UploadSlot {
    _own: OwnSlot,
    _lease: Option<Lease>,
}

impl LargeUploads {
    /// `most`: uploads at a time, of all accounts. With Redis, on all servers together.
    pub fn new(backend: Backend, most: usize) -> LargeUploads {
        let leases = backend.shared().map(|shared| Leases::new(shared.clone(), most));
        LargeUploads { own: Arc::new(OwnUploads::new(most)), leases }
    }

    /// Refused files do not count.
    pub async fn take(&self, account: AccountId, now: Timestamp) -> Result<UploadSlot, TooManyUploads> {
        let own = self.own.take(account, now)?;
        let Some(leases) = &self.leases else { return Ok(UploadSlot { _own: own, _lease: None }) };
        match leases.take(account, now).await {
            Ok(lease) => Ok(UploadSlot { _own: own, _lease: Some(lease) }),
            Err(refused) => {
                own.uncount();
                Err(refused)
            }
        }
    }
}

#[cfg(test)]
mod tests;
