//! A file while it arrives: its size is checked as soon as it is known, and its bytes are written to the spool.

use bytes::Bytes;
use limits::UploadSlot;
use media::MediaKind;
use model::{AccountId, ByteSize};

use super::LARGE_FILE_BYTES;
use super::spooled::{SpoolWriter, SpooledFile};
use crate::{Error, Publisher};

pub struct IncomingFile {
    publisher: Publisher,
    account: AccountId,
    limit: ByteSize,
    name: String,
    kind: MediaKind,
    spooling: SpoolWriter,
    slot: Option<UploadSlot>,
}

/// A complete file, as the client sent it.
pub(crate) struct ReceivedFile {
    pub(super) account: AccountId,
    pub(super) name: String,
    pub(super) kind: MediaKind,
    pub(super) spooled: SpooledFile,
}

impl IncomingFile {
    /// According to the request's headers, the file has `at_least` this many bytes.
    pub(super) async fn new(
        publisher: &Publisher,
        account: AccountId,
        limit: ByteSize,
        (name, kind): (String, MediaKind),
        spooling: SpoolWriter,
        at_least: u64,
    ) -> Result<IncomingFile, Error> {
        let publisher = publisher.clone();
        let mut incoming = IncomingFile { publisher, account, limit, name, kind, spooling, slot: None };
        incoming.check_size(at_least).await?;
        Ok(incoming)
    }

    pub async fn write(&mut self, chunk: Bytes) -> Result<(), Error> {
        self.check_size(self.spooling.size() + chunk.len() as u64).await?;
        self.publisher.disks.check()?;
        self.spooling.write(chunk).await
    }

    /// Refuses a size that the plan does not allow, and takes a slot for a large file.
    async fn check_size(&mut self, size: u64) -> Result<(), Error> {
        if size > self.limit.0 {
            return Err(Error::FileTooLarge { name: self.name.clone(), limit: self.limit });
        }
        if size > LARGE_FILE_BYTES && self.slot.is_none() {
            let now = self.publisher.clock.now();
            self.slot = Some(self.publisher.large_uploads.take(self.account, now).await?);
        }
        Ok(())
    }

    pub(super) async fn finish(self) -> Result<(ReceivedFile, Option<UploadSlot>), Error> {
        let IncomingFile { account, name, kind, spooling, slot, .. } = self;
        Ok((ReceivedFile { account, name, kind, spooled: spooling.finish().await? }, slot))
    }
}
