//! What transactions announce to all processes: changes of what visitors get, site by site, so that look-ups can be
//! remembered until the next one; and that there is work.
//!
//! Once a transaction is committed, its own process takes note at once. Other processes are notified by PostgreSQL. On
//! SQLite they look at a number in the database, at most once a millisecond while there are requests; workers look for
//! work once a second.

mod listener;
mod watch;

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use model::SiteId;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

pub(crate) use self::listener::{Listener, NotListening};
pub(crate) use self::watch::SqliteWatch;

/// Sites share counters: a change of one makes another look up again once in this many cases.
const COUNTERS: usize = 1 << 14;

/// Differs from an earlier one of the same site if what its visitors get may have changed in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mark {
    all: u64,
    site: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Announcement {
    /// Visitors of the site, or with `None` of any site, may get something else.
    Change {
        site: Option<SiteId>,
        /// SQLite's `server.changes`.
        number: Option<i64>,
    },
    /// A build or a transcode was queued.
    Work,
}

pub(crate) struct Announcements {
    /// Everything announced, and every time that announcements may have been missed.
    changes: AtomicU64,
    all: AtomicU64,
    sites: Box<[AtomicU64]>,
    /// The newest number of SQLite's that is counted here.
    number: AtomicI64,
    work: Notify,
}

impl Default for Announcements {
    fn default() -> Announcements {
        Announcements {
            changes: AtomicU64::new(0),
            all: AtomicU64::new(0),
            sites: (0..COUNTERS).map(|_| AtomicU64::new(0)).collect(),
            number: AtomicI64::new(0),
            work: Notify::new(),
        }
    }
}

impl Announcements {
    pub(crate) fn mark(&self, site: SiteId) -> Mark {
        Mark { all: self.all.load(Ordering::SeqCst), site: self.counter(site).load(Ordering::SeqCst) }
    }

    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    pub(crate) fn work(&self) -> Notified<'_> {
        self.work.notified()
    }

    /// To be called after the commit.
    pub(crate) fn note(&self, announced: &[Announcement]) {
        for announcement in announced {
            match *announcement {
                Announcement::Change { site, number } if number.is_none_or(|number| self.follows(number)) => {
                    self.note_change(site);
                }
                Announcement::Change { .. } => self.note_change(None),
                Announcement::Work => self.work.notify_waiters(),
            }
        }
    }

    fn note_change(&self, site: Option<SiteId>) {
        // First the sum: a look-up that began before this finds that it changed (see `Store::changes`).
        self.changes.fetch_add(1, Ordering::SeqCst);
        let counter = site.map_or(&self.all, |site| self.counter(site));
        counter.fetch_add(1, Ordering::SeqCst);
    }

    /// `false`: another process has announced something in between.
    fn follows(&self, number: i64) -> bool {
        self.number.fetch_max(number, Ordering::SeqCst) >= number - 1
    }

    fn counter(&self, site: SiteId) -> &AtomicU64 {
        // The last bytes of an id are random.
        let [.., high, low] = site.0.into_bytes();
        &self.sites[usize::from(u16::from_be_bytes([high, low])) % COUNTERS]
    }
}

#[cfg(test)]
mod tests {
    use model::Timestamp;
    use uuid::Uuid;

    use super::*;

    fn site() -> SiteId {
        SiteId::new(Timestamp::from_micros(0))
    }

    #[test]
    fn an_announcement_changes_the_mark_of_its_site_only() {
        let (announcements, site) = (Announcements::default(), site());
        // Ids are random, and sites share counters.
        let others = [(); 20].map(|()| self::site());
        let before = (announcements.mark(site), others.map(|other| announcements.mark(other)));
        announcements.note(&[Announcement::Change { site: Some(site), number: None }]);
        assert_ne!(announcements.mark(site), before.0);
        let same =
            others.iter().zip(before.1).filter(|(other, before)| announcements.mark(**other) == *before);
        assert!(same.count() >= 18);
    }

    #[test]
    fn an_announcement_for_all_changes_every_mark() {
        let (announcements, site) = (Announcements::default(), site());
        let before = announcements.mark(site);
        announcements.note(&[Announcement::Change { site: None, number: None }]);
        assert_ne!(announcements.mark(site), before);
    }

    #[test]
    fn a_gap_in_the_numbers_changes_every_mark() {
        let (announcements, one, other) =
            (Announcements::default(), SiteId(Uuid::from_u128(1)), SiteId(Uuid::from_u128(2)));
        let announce =
            |number| announcements.note(&[Announcement::Change { site: Some(one), number: Some(number) }]);
        let mut mark = announcements.mark(other);
        for (number, expected) in [(1, false), (2, false), (4, true), (5, false), (3, false), (7, true)] {
            announce(number);
            assert_eq!(announcements.mark(other) != mark, expected, "{number}");
            mark = announcements.mark(other);
        }
    }
}
