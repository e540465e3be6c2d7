//! Notices on PostgreSQL what other processes have announced.

use std::sync::{Arc, Weak};
use std::time::Duration;

use model::SiteId;
use postgres::fallible_iterator::FallibleIterator;
use uuid::Uuid;

use super::{Announcement, Announcements};

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
    use super::*;

    #[test]
    fn a_notification_names_a_site_or_none() {
        let site = SiteId(Uuid::from_u128(7));
        assert_eq!(site_of(&site.0.to_string()), Some(site));
        assert_eq!(site_of(""), None);
    }
}
