//! A file while it arrives: judged as soon as its size is known, and written to disk.

use bytes::Bytes;
use media::Kind;
use model::{AccountId, ByteSize};

use super::spooled::{Spooled, Spooling};
use super::{LARGE, Slot};
use crate::{Error, Publisher};

pub struct Incoming {
    publisher: Publisher,
    account: AccountId,
    limit: ByteSize,
    name: String,
    kind: Kind,
    spooling: Spooling,
    slot: Option<Slot>,
}

/// A file that has arrived as it was sent.
pub(crate) struct Sent {
    pub(super) account: AccountId,
    pub(super) name: String,
    pub(super) kind: Kind,
    pub(super) spooled: Spooled,
}

impl Incoming {
    /// The file has `at_least` so many bytes, as far as anybody knows.
    pub(super) fn new(
        publisher: &Publisher,
        account: AccountId,
        limit: ByteSize,
        (name, kind): (String, Kind),
        spooling: Spooling,
        at_least: u64,
    ) -> Result<Incoming, Error> {
        let publisher = publisher.clone();
        let mut incoming = Incoming { publisher, account, limit, name, kind, spooling, slot: None };
        incoming.judge(at_least)?;
        Ok(incoming)
    }

    pub async fn write(&mut self, chunk: Bytes) -> Result<(), Error> {
        self.judge(self.spooling.size() + chunk.len() as u64)?;
        self.publisher.disks.check()?;
        self.spooling.write(chunk).await
    }

    /// Refuses a size that the plan does not allow, and takes a slot for a large one.
    fn judge(&mut self, size: u64) -> Result<(), Error> {
        if size > self.limit.0 {
            return Err(Error::FileTooLarge { name: self.name.clone(), limit: self.limit });
        }
        if size > LARGE && self.slot.is_none() {
            self.slot = Some(self.publisher.large_uploads.take(self.account, self.publisher.clock.now())?);
        }
        Ok(())
    }

    pub(super) async fn finish(self) -> Result<(Sent, Option<Slot>), Error> {
        let Incoming { account, name, kind, spooling, slot, .. } = self;
        Ok((Sent { account, name, kind, spooled: spooling.finish().await? }, slot))
    }
}
