//! What all handles of a publisher share.

use std::sync::Arc;

use blob::Blob;
use limits::LargeUploads;
use model::Clock;
use store::Store;

use crate::accounts::access::LastUsed;
use crate::limits::disk::Disks;
use crate::limits::open_bytes::OpenBytes;
use crate::limits::pace::Pace;
use crate::sites::Searches;
use crate::sites::serving::Hosts;
use crate::{ReferenceTime, Settings, Turns, builds, media, pages};

/// Pieces of one account's texts that PostgreSQL stores at the same time, if no other account writes. It takes longer to
/// store a piece than to read the next one.
const STASHES_AT_ONCE: usize = 2;

#[derive(Clone)]
pub struct Parts {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) settings: Arc<Settings>,
    pub(crate) last_used: Arc<LastUsed>,
    pub(crate) listings: Arc<pages::Listings>,
    pub(crate) blob: Blob,
    pub(crate) indexes: Arc<builds::Indexes>,
    pub(crate) hosts: Arc<Hosts>,
    pub(crate) searches: Arc<Searches>,
    pub(crate) known_uses: Arc<media::KnownUses>,
    pub(crate) spool: Arc<media::uploads::Spool>,
    pub(crate) file_processor: Arc<media::uploads::FileProcessor>,
    /// Turns for checking the entries of large requests.
    pub(crate) checking: Arc<Turns>,
    /// Turns for parsing texts, which would block the async threads.
    pub(crate) parsing: Arc<Turns>,
    pub(crate) reference_time: ReferenceTime,
    /// Turns for storing texts ahead of their publish, and how many pieces of them one account stores at a time.
    pub(crate) stashing: Arc<Turns>,
    pub(crate) stashes_at_once: usize,
    /// Pauses between large writes.
    pub(crate) pace: Arc<Pace>,
    pub(crate) open_bytes: Arc<OpenBytes>,
    pub(crate) disks: Arc<Disks>,
    pub(crate) large_uploads: Arc<LargeUploads>,
}

impl Parts {
    pub(crate) fn new(store: Store, blob: Blob, clock: Arc<dyn Clock>, settings: Settings) -> Parts {
        let uploads = &settings.uploads;
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        let stashes_at_once = (store.writes_at_once() / 2).clamp(1, STASHES_AT_ONCE);
        Parts {
            spool: Arc::new(media::uploads::Spool::below(&uploads.directory)),
            file_processor: Arc::new(media::uploads::FileProcessor::new(uploads)),
            parsing: Turns::new(processors.max(2)),
            reference_time: ReferenceTime::default(),
            // Here and below: an account leaves one of several places to others.
            checking: Turns::new(processors + 1),
            stashing: Turns::new(if stashes_at_once > 1 { stashes_at_once + 1 } else { 1 }),
            stashes_at_once,
            pace: Arc::default(),
            open_bytes: Arc::default(),
            disks: Arc::new(Disks::new(settings.disks.clone(), settings.min_free)),
            large_uploads: Arc::new(LargeUploads::new(uploads.limits.clone(), uploads.large)),
            store,
            clock,
            settings: Arc::new(settings),
            last_used: Arc::default(),
            listings: Arc::default(),
            blob,
            indexes: Arc::default(),
            hosts: Arc::default(),
            searches: Arc::default(),
            known_uses: Arc::default(),
        }
    }
}
