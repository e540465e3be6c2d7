//! Pages: from an entry of a request to rows, and back to a listing.
//!
//! A publish goes through `draft` (reads the body; `checking`, `entry`, `fields` and `references` check it, `texts` stores
//! long texts ahead), `look_up` and `decide` (which page each entry means), `changes` (its rows) and `publish` (the one
//! transaction) or `plan` (a dry run).

mod autosave;
mod browse;
mod changes;
mod checking;
mod covers;
mod decide;
mod delete;
mod draft;
mod entry;
mod expected;
mod fields;
mod hash;
mod list;
mod listing;
mod look_up;
mod markdown;
mod plan;
mod publish;
mod read;
mod references;
mod texts;
mod trash;

pub use self::autosave::Typed;
pub use self::browse::{ListedPage, PageFilter, PageList, PageOrder, PageState, StoredPage};
pub use self::decide::{Target, decide};
pub use self::draft::Draft;
pub use self::entry::{Entry, Identity, LongText, TextRef, check_entry};
pub use self::expected::Expected;
pub use self::fields::JsonFields;
pub use self::list::{Cursor, ListBody, ListQuery};
pub(crate) use self::listing::Listings;
pub use self::markdown::MarkdownQuery;
pub use self::references::ReferenceTime;
pub(crate) use self::trash::PURGE_PAGES;
