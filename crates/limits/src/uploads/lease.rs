//! The large uploads of all servers that share a Redis. A slot is a lease that a task renews for as long as the upload
//! runs, so that the slots of a server that was killed become free by themselves.

use std::time::Duration;

use model::{AccountId, Timestamp};
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use uuid::Uuid;

use super::{AN_HOUR, AT_ONCE, HOUR, RETRY_AFTER, TooManyUploads};
use crate::limiter::seconds_begun;
use crate::shared::{RELEASE, RENEW, Shared, TAKE, micros};

pub(super) struct Leases {
    shared: Shared,
    most: usize,
    /// Leases of this process that have ended, while Redis does not know it yet.
    ending: watch::Sender<usize>,
}

/// Ends when it is dropped.
pub(super) struct Lease {
    ending: watch::Sender<usize>,
    /// Dropped with the lease, which ends its task.
    _held: oneshot::Sender<()>,
}

/// What its task needs to know.
struct Terms {
    shared: Shared,
    id: String,
    /// The leases of the account, and the leases of all.
    keys: [String; 2],
    /// For tests that set the time.
    taken: Timestamp,
}

impl Leases {
    pub(super) fn new(shared: Shared, most: usize) -> Leases {
        Leases { shared, most, ending: watch::Sender::new(0) }
    }

    /// While Redis is unavailable every lease is granted. Redis learns of it when it is renewed.
    pub(super) async fn take(&self, account: AccountId, now: Timestamp) -> Result<Lease, TooManyUploads> {
        // A client that sends one file after the other must not be refused because of the last one.
        let _ =
            timeout(self.shared.deadline(), self.ending.subscribe().wait_for(|ending| *ending == 0)).await;
        let keys = [self.shared.key("uploads", account), self.shared.key("uploads", "all")];
        let id = Uuid::new_v4().simple().to_string();
        let terms = Terms { shared: self.shared.clone(), id, keys, taken: now };
        let mut call = terms.call(&TAKE);
        call.key(self.shared.key("uploads-begun", account)).arg(AT_ONCE).arg(self.most);
        call.arg(micros(HOUR)).arg(AN_HOUR);
        // Before the call: if the client disconnects meanwhile, the lease is ended.
        let lease = Lease::begin(terms, self.ending.clone());
        match self.shared.run::<(String, u64)>(&call).await {
            Some((reached, wait)) => check(&reached, Duration::from_micros(wait)).map(|()| lease),
            None => Ok(lease),
        }
    }
}

fn check(reached: &str, wait: Duration) -> Result<(), TooManyUploads> {
    match reached {
        "taken" => Ok(()),
        "account" => Err(TooManyUploads::OfAccount { retry_after: RETRY_AFTER }),
        "window" => Err(TooManyUploads::OfAccount { retry_after: seconds_begun(wait).max(1) }),
        _ => Err(TooManyUploads::OfAll),
    }
}

impl Lease {
    fn begin(terms: Terms, ending: watch::Sender<usize>) -> Lease {
        let (held, dropped) = oneshot::channel();
        let ended = ending.clone();
        tokio::spawn(async move {
            terms.keep_until(dropped).await;
            ended.send_modify(|ending| *ending -= 1);
        });
        Lease { ending, _held: held }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.ending.send_modify(|ending| *ending += 1);
    }
}

impl Terms {
    /// Renews the lease until its owner has dropped it, and then ends it.
    async fn keep_until(&self, mut dropped: oneshot::Receiver<()>) {
        // Two renewals may fail.
        while timeout(self.shared.lease() / 3, &mut dropped).await.is_err() {
            let _: Option<()> = self.shared.run(&self.call(&RENEW)).await;
        }
        let mut release = RELEASE.key(&self.keys[..]);
        let _: Option<()> = self.shared.run(release.arg(&self.id)).await;
    }

    /// With the keys and arguments that `take` and `renew` have in common.
    fn call<'s>(&self, script: &'s redis::Script) -> redis::ScriptInvocation<'s> {
        let mut call = script.key(&self.keys[..]);
        call.arg(self.shared.now(self.taken)).arg(&self.id).arg(micros(self.shared.lease()));
        call
    }
}
