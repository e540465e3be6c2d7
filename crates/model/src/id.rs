//! One type for each kind of id, so that they cannot be mixed up.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::Timestamp;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A UUID v7: later ids sort later, to the millisecond.
            pub fn new(now: Timestamp) -> $name {
                $name(uuid_at(now))
            }

            /// Parses the hyphenated form, ignoring case.
            pub fn parse(text: &str) -> Option<$name> {
                hyphenated(text).map($name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    AccountId,
    SiteId,
    PageId,
    TokenId,
    BuildId,
    PackId,
    ObjectId,
    UserId,
    SessionId,
    AuditId,
}

impl PageId {
    /// So many ids, ascending. The system is asked for random numbers once.
    pub fn several(now: Timestamp, count: usize) -> Vec<PageId> {
        let mut random = vec![[0; RANDOM_BYTES]; count];
        getrandom::fill(random.as_flattened_mut()).expect("the system has random numbers");
        let mut ids: Vec<PageId> = random.iter().map(|random| PageId(uuid_with(now, random))).collect();
        ids.sort_unstable();
        ids
    }
}

/// Of a UUID v7; some of their bits are replaced.
const RANDOM_BYTES: usize = 10;

fn uuid_at(now: Timestamp) -> Uuid {
    let mut random = [0; RANDOM_BYTES];
    getrandom::fill(&mut random).expect("the system has random numbers");
    uuid_with(now, &random)
}

fn uuid_with(now: Timestamp, random: &[u8; RANDOM_BYTES]) -> Uuid {
    // A UUID v7 cannot represent times before 1970.
    let micros = u64::try_from(now.micros()).unwrap_or(0);
    uuid::Builder::from_unix_timestamp_millis(micros / 1000, random).into_uuid()
}

fn hyphenated(text: &str) -> Option<Uuid> {
    // Of the forms that the crate parses, only this one has 36 characters.
    if text.len() != 36 {
        return None;
    }
    Uuid::try_parse(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "0190163d-8694-739b-aea5-966c26f8ad91";

    #[test]
    fn only_the_hyphenated_form_is_an_id() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(PageId::parse(text).map(|id| id.to_string()).as_deref(), expected, "{text}");
        };
        check(TEXT, Some(TEXT));
        check(&TEXT.to_uppercase(), Some(TEXT));
        check("", None);
        check(&TEXT.replace('-', ""), None);
        check(&format!("{{{TEXT}}}"), None);
        check(&format!("urn:uuid:{TEXT}"), None);
        check(&format!(" {TEXT}"), None);
        check("0190163d-8694-739b-aea5-966c26f8ad9g", None);
        check("0190163d8-694-739b-aea5-966c26f8ad91", None);
        check("éééééééééééééééééé", None);
    }

    #[test]
    fn the_time_of_an_id_is_the_time_given() {
        let now = Timestamp::from_micros(1_767_323_045_678_901);
        let id = SiteId::new(now).0;
        assert_eq!(id.get_version_num(), 7);
        assert_eq!(id.get_timestamp().unwrap().to_unix(), (1_767_323_045, 678_000_000));
    }

    #[test]
    fn an_id_for_a_time_before_1970_has_the_time_1970() {
        let id = SiteId::new(Timestamp::from_micros(-1)).0;
        assert_eq!(id.get_timestamp().unwrap().to_unix(), (0, 0));
    }

    #[test]
    fn two_ids_with_the_same_time_differ() {
        let now = Timestamp::from_micros(0);
        assert_ne!(PageId::new(now), PageId::new(now));
    }

    #[test]
    fn several_ids_are_ascending_and_have_their_time() {
        let now = Timestamp::from_micros(1_767_323_045_678_901);
        let ids = PageId::several(now, 100);
        assert_eq!(ids.len(), 100);
        assert!(ids.is_sorted_by(|a, b| a < b), "they differ");
        let time = |id: &PageId| id.0.get_timestamp().unwrap().to_unix();
        assert!(ids.iter().all(|id| id.0.get_version_num() == 7 && time(id) == (1_767_323_045, 678_000_000)));
        assert!(PageId::several(now, 0).is_empty());
    }

    #[test]
    fn in_json_an_id_is_its_text() {
        let id = BuildId::parse(TEXT).unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), format!("\"{TEXT}\""));
    }
}
