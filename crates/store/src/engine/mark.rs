//! What transactions announce to all processes: changes of what visitors get, site by site, so that look-ups can be
//! remembered until the next one; and that there is work.
//!
//! Once a transaction is committed, its own process takes note at once. Other processes are notified by PostgreSQL. On
//! SQLite they look at a number in the database, at most once a millisecond while there are requests; workers look for
//! work once a second.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, TryLockError, Weak};
use std::time::{Duration, Instant};

use model::SiteId;
use postgres::fallible_iterator::FallibleIterator;
use rusqlite::Connection;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;
use uuid::Uuid;

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

/// How long an answer of SQLite's holds. Another process (a command) takes longer to end after its commit.
const LOOK_EVERY: Duration = Duration::from_millis(1);

const CHANGES: &str = "
SELECT changes
FROM server";

/// Looks whether another process has changed something, while there are requests.
pub(crate) struct SqliteWatch {
    connection: Mutex<Watched>,
    opened: Instant,
    /// Microseconds after `opened`.
    next_look: AtomicU64,
}

struct Watched {
    connection: Connection,
    /// SQLite counts the commits of all other connections, in any process; this connection never writes.
    version: i64,
}

impl SqliteWatch {
    pub(crate) fn new(connection: Connection) -> SqliteWatch {
        let connection = Mutex::new(Watched { connection, version: 0 });
        SqliteWatch { connection, opened: Instant::now(), next_look: AtomicU64::new(0) }
    }

    pub(crate) fn look(&self, announcements: &Announcements) {
        let now = self.opened.elapsed();
        if now.as_micros() < u128::from(self.next_look.load(Ordering::Acquire)) {
            return;
        }
        let mut watched = match self.connection.try_lock() {
            Ok(watched) => watched,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Another request is looking for us all.
            Err(TryLockError::WouldBlock) => return,
        };
        // While the database cannot be read, everything stays as it is.
        if let Ok(Some(number)) = watched.new_number()
            && announcements.number.fetch_max(number, Ordering::SeqCst) < number
        {
            announcements.note_change(None);
        }
        let next = (now + LOOK_EVERY).as_micros() as u64;
        self.next_look.store(next, Ordering::Release);
    }
}

impl Watched {
    /// `None`: nothing was committed since the last look.
    fn new_number(&mut self) -> rusqlite::Result<Option<i64>> {
        let read = |sql| self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0));
        let version = read("PRAGMA data_version")?;
        if version == self.version {
            return Ok(None);
        }
        let number = read(CHANGES)?;
        self.version = version;
        Ok(Some(number))
    }
}

const LISTEN: &str = "
LISTEN recto_sites;
LISTEN recto_work";
const WORK_CHANNEL: &str = "recto_work";

/// How soon the listener notices that the store is closed.
const GLANCE: Duration = Duration::from_millis(500);
const RECONNECT: Duration = Duration::from_secs(1);

/// Why there is no connection.
pub(crate) struct NotListening {
    /// The server said no, for example because it has too many connections: it is available to others.
    pub(crate) answered: bool,
}

/// Notes what PostgreSQL reports.
pub(crate) struct Listener(Weak<Announcements>);

impl Listener {
    pub(crate) fn new(announcements: &Arc<Announcements>) -> Listener {
        Listener(Arc::downgrade(announcements))
    }

    /// Listens until the store is closed. A new connection counts as a change: notifications may have been missed.
    pub(crate) fn run(
        &self,
        first: postgres::Client,
        connect: &impl Fn() -> Result<postgres::Client, NotListening>,
    ) {
        let mut next = Ok(first);
        while self.0.strong_count() > 0 {
            if let Ok(mut client) = next {
                let _ = self.listen(&mut client);
            }
            if self.0.strong_count() == 0 {
                return;
            }
            tracing::warn!("lost the database connection that reports changes, reconnecting");
            std::thread::sleep(RECONNECT);
            next = connect();
            if matches!(next, Err(NotListening { answered: true })) {
                // Others can change what this process does not hear of: nothing is remembered for longer than this pause.
                self.note(&[Announcement::Change { site: None, number: None }]);
            }
        }
    }

    fn listen(&self, client: &mut postgres::Client) -> Result<(), postgres::Error> {
        client.batch_execute(LISTEN)?;
        self.note(&[Announcement::Change { site: None, number: None }, Announcement::Work]);
        while self.0.strong_count() > 0 {
            while let Some(notification) = client.notifications().timeout_iter(GLANCE).next()? {
                self.note(&[match notification.channel() {
                    WORK_CHANNEL => Announcement::Work,
                    _ => Announcement::Change { site: site_of(notification.payload()), number: None },
                }]);
            }
            if client.is_closed() {
                return Ok(());
            }
        }
        Ok(())
    }

    fn note(&self, announced: &[Announcement]) {
        if let Some(announcements) = self.0.upgrade() {
            announcements.note(announced);
        }
    }
}

/// `None`: every site. An older server announces no site.
fn site_of(payload: &str) -> Option<SiteId> {
    Uuid::parse_str(payload).ok().map(SiteId)
}

#[cfg(test)]
mod tests {
    use model::Timestamp;

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

    #[test]
    fn a_notification_names_a_site_or_none() {
        let site = site();
        assert_eq!(site_of(&site.0.to_string()), Some(site));
        assert_eq!(site_of(""), None);
    }
}
