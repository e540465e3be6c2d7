//! The large uploads of this process.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use model::{AccountId, Timestamp};

use super::{AN_HOUR, AT_ONCE, HOUR, RETRY_AFTER, TooManyUploads};
use crate::limiter::seconds_begun;

pub(super) struct OwnUploads {
    most: usize,
    accounts: Mutex<HashMap<AccountId, Account>>,
}

#[derive(Default)]
struct Account {
    under_way: usize,
    /// When those of the last hour began, oldest first.
    begun: VecDeque<Timestamp>,
}

/// Given back when dropped.
pub(super) struct OwnSlot {
    uploads: Arc<OwnUploads>,
    account: AccountId,
    begun: Timestamp,
}

impl OwnUploads {
    pub(super) fn new(most: usize) -> OwnUploads {
        OwnUploads { most, accounts: Mutex::default() }
    }

    pub(super) fn take(
        self: &Arc<Self>,
        account: AccountId,
        now: Timestamp,
    ) -> Result<OwnSlot, TooManyUploads> {
        let mut accounts = self.lock();
        let hour_ago = now.minus(HOUR);
        accounts.retain(|_, account| {
            account.begun.retain(|begun| *begun > hour_ago);
            account.under_way > 0 || !account.begun.is_empty()
        });
        let all: usize = accounts.values().map(|account| account.under_way).sum();
        let own = accounts.get(&account);
        if own.is_some_and(|own| own.under_way >= AT_ONCE) {
            return Err(TooManyUploads::OfAccount { retry_after: RETRY_AFTER });
        }
        if let Some(oldest) = own.filter(|own| own.begun.len() >= AN_HOUR).and_then(|own| own.begun.front()) {
            let retry_after = seconds_begun(oldest.plus(HOUR).since(now)).max(1);
            return Err(TooManyUploads::OfAccount { retry_after });
        }
        if all >= self.most {
            return Err(TooManyUploads::OfAll);
        }
        let own = accounts.entry(account).or_default();
        own.under_way += 1;
        own.begun.push_back(now);
        Ok(OwnSlot { uploads: self.clone(), account, begun: now })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<AccountId, Account>> {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl OwnSlot {
    /// Gives it back as if it had not been taken.
    pub(super) fn uncount(self) {
        if let Some(account) = self.uploads.lock().get_mut(&self.account)
            && let Some(index) = account.begun.iter().rposition(|begun| *begun == self.begun)
        {
            account.begun.remove(index);
        }
    }
}

impl Drop for OwnSlot {
    fn drop(&mut self) {
        if let Some(account) = self.uploads.lock().get_mut(&self.account) {
            account.under_way -= 1;
        }
    }
}
