//! The lease of a build: every write of the build holds it, and a worker that lost it writes nothing.

use model::Timestamp;
use store::building::{self, Claim};
use store::{Transaction, Tx};

use crate::{Error, Publisher};

/// Why a build ended without a release.
#[derive(Debug)]
pub(super) enum Stop {
    /// A message for the client that requested the build. Another attempt would not help.
    Failed(String),
    /// The lease was lost to another worker.
    Lost,
    Error(Error),
}

impl<E: Into<Error>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Error(error.into())
    }
}

/// Checks the lease; every write of a build begins with this.
pub(super) fn hold(tx: &mut Tx, claim: &Claim) -> Result<(), Stop> {
    match building::hold(tx, claim)? {
        true => Ok(()),
        false => Err(Stop::Lost),
    }
}

pub(super) fn lost(claim: &Claim) {
    tracing::warn!(site = %claim.site, "build lease lost to another worker, build dropped");
}

impl Publisher {
    /// A write of a build. It checks the lease in the same transaction.
    pub(super) fn write_held<T: Send + 'static>(
        &self,
        claim: &Claim,
        mut work: impl FnMut(&mut Tx, Timestamp) -> Result<T, Stop> + Send + 'static,
    ) -> Transaction<'_, T, Stop> {
        let (claim, clock) = (*claim, self.clock.clone());
        let held = move |tx: &mut Tx| {
            hold(tx, &claim)?;
            work(tx, clock.now())
        };
        self.store.write(held)
    }
}
