//! Limits the bytes that an account's open requests together hold on disk: files that arrive, and texts that are stored
//! ahead. Each request is limited, and so is their sum.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use model::AccountId;
use model::limits::FILES_PER_REQUEST;

use crate::Error;
use crate::media::uploads::LARGE_FILE_BYTES;

#[derive(Default)]
pub(crate) struct OpenBytes(Mutex<HashMap<AccountId, u64>>);

/// As much as one request can hold: the maximum number of files just below the size of a large file, and two of the
/// largest size.
pub(crate) fn limit(file_size: u64) -> u64 {
    FILES_PER_REQUEST as u64 * LARGE_FILE_BYTES + 2 * file_size
}

/// The bytes of one request; released when dropped.
pub(crate) struct HeldBytes {
    open: Arc<OpenBytes>,
    pub(crate) account: AccountId,
    most: u64,
    bytes: u64,
}

impl HeldBytes {
    pub(crate) fn new(open: &Arc<OpenBytes>, account: AccountId, most: u64) -> HeldBytes {
        HeldBytes { open: open.clone(), account, most, bytes: 0 }
    }

    pub(crate) fn add(&mut self, bytes: u64) -> Result<(), Error> {
        let mut accounts = self.open.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = accounts.entry(self.account).or_default();
        if *all + bytes > self.most {
            return Err(Error::OpenRequests);
        }
        *all += bytes;
        self.bytes += bytes;
        Ok(())
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        let mut accounts = self.open.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(all) = accounts.get_mut(&self.account) {
            *all -= self.bytes;
            if *all == 0 {
                accounts.remove(&self.account);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use model::Timestamp;

    use super::*;

    #[test]
    fn the_open_requests_of_an_account_share_one_limit() {
        let open = Arc::new(OpenBytes::default());
        let account = || AccountId::new(Timestamp::from_micros(0));
        let (own, other) = (account(), account());
        let (mut first, mut second) = (HeldBytes::new(&open, own, 100), HeldBytes::new(&open, own, 100));
        first.add(60).unwrap();
        second.add(40).unwrap();
        assert!(matches!(second.add(1), Err(Error::OpenRequests)));
        HeldBytes::new(&open, other, 100).add(100).unwrap();
        drop(first);
        second.add(60).unwrap();
        drop(second);
        assert!(open.0.lock().unwrap().is_empty(), "accounts without open requests cost nothing");
    }
}
