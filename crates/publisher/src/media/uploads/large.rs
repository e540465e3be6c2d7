//! Limits large files: few at a time and few an hour for each account, and few at a time for the whole server.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use model::{AccountId, Timestamp};

use crate::Error;

const AT_ONCE: usize = 2;
const AN_HOUR: usize = 10;
const HOUR: Duration = Duration::from_secs(3600);
/// The `Retry-After` for a client that has two large files under way.
const RETRY_AFTER: u64 = 60;

pub(crate) struct LargeUploads {
    /// On the whole server.
    most: usize,
    accounts: Mutex<HashMap<AccountId, Account>>,
}

#[derive(Default)]
struct Account {
    under_way: usize,
    /// When those of the last hour began, oldest first.
    begun: VecDeque<Timestamp>,
}

/// The right to receive one large file; given back when dropped.
pub(crate) struct Slot {
    uploads: Arc<LargeUploads>,
    account: AccountId,
}

impl LargeUploads {
    pub(crate) fn new(most: usize) -> LargeUploads {
        LargeUploads { most, accounts: Mutex::default() }
    }

    /// Refused files do not count.
    pub(crate) fn take(self: &Arc<Self>, account: AccountId, now: Timestamp) -> Result<Slot, Error> {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let hour_ago = now.minus(HOUR);
        accounts.retain(|_, account| {
            account.begun.retain(|begun| *begun > hour_ago);
            account.under_way > 0 || !account.begun.is_empty()
        });
        let all: usize = accounts.values().map(|account| account.under_way).sum();
        let own = accounts.get(&account);
        if own.is_some_and(|own| own.under_way >= AT_ONCE) {
            return Err(Error::LargeUploads { retry_after: RETRY_AFTER });
        }
        if let Some(oldest) = own.filter(|own| own.begun.len() >= AN_HOUR).and_then(|own| own.begun.front()) {
            let wait = oldest.plus(HOUR).micros() - now.micros();
            return Err(Error::LargeUploads { retry_after: (wait.max(1) as u64).div_ceil(1_000_000) });
        }
        if all >= self.most {
            return Err(Error::Busy);
        }
        let own = accounts.entry(account).or_default();
        own.under_way += 1;
        own.begun.push_back(now);
        Ok(Slot { uploads: self.clone(), account })
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut accounts = self.uploads.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(account) = accounts.get_mut(&self.account) {
            account.under_way -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * SECOND)
    }

    fn account() -> AccountId {
        AccountId::new(at(0))
    }

    fn wait(result: Result<Slot, Error>) -> Option<u64> {
        match result {
            Ok(_) => None,
            Err(Error::LargeUploads { retry_after }) => Some(retry_after),
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn an_account_sends_two_at_a_time() {
        let (uploads, account, other) = (Arc::new(LargeUploads::new(9)), account(), account());
        let first = uploads.take(account, at(0)).unwrap();
        let _second = uploads.take(account, at(1)).unwrap();
        assert_eq!(wait(uploads.take(account, at(2))), Some(60));
        assert_eq!(wait(uploads.take(other, at(2))), None);
        drop(first);
        assert_eq!(wait(uploads.take(account, at(3))), None);
    }

    #[test]
    fn an_account_sends_ten_in_any_hour_and_refused_ones_do_not_count() {
        let (uploads, account) = (Arc::new(LargeUploads::new(9)), account());
        for n in 0..10 {
            assert_eq!(wait(uploads.take(account, at(n * 60))), None, "{n}");
        }
        assert_eq!(wait(uploads.take(account, at(600))), Some(3000));
        assert_eq!(wait(uploads.take(account, at(3599))), Some(1));
        assert_eq!(wait(uploads.take(account, at(3600))), None);
        assert_eq!(wait(uploads.take(account, at(3601))), Some(59));
    }

    #[test]
    fn the_server_limits_large_files_at_a_time() {
        let uploads = Arc::new(LargeUploads::new(3));
        let (first, second) = (account(), account());
        let slots = [uploads.take(first, at(0)), uploads.take(first, at(0)), uploads.take(second, at(0))];
        assert!(slots.iter().all(Result::is_ok));
        assert!(matches!(uploads.take(second, at(0)), Err(Error::Busy)));
        drop(slots);
        assert!(uploads.take(second, at(1)).is_ok());
    }
}
