//! The words of Recto: types that cannot hold a wrong value, limits, the clock. No I/O, no async.
//!
//! A value is checked once, by the `parse` of its type; whoever holds the type need not check again.
//! What `parse` refuses it explains in a message that is shown to the client as it stands.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod api_endpoint;
mod build;
mod byte_size;
mod clock;
mod content_type;
mod id;
mod iso;
pub mod limits;
mod media;
mod names;
mod page_key;
mod params;
mod plan;
mod section;
mod site_name;
mod slug;
mod tags;
mod text;
mod text_hash;
mod timestamp;
mod token;

pub use api_endpoint::ApiEndpoint;
pub use build::{BuildStatus, Trigger};
pub use byte_size::ByteSize;
pub use clock::{Clock, ManualClock, SystemClock};
pub use content_type::ContentType;
pub use id::{AccountId, BuildId, ObjectId, PackId, PageId, SiteId, TokenId};
pub use media::{Dimensions, MediaHash, MediaUrl};
pub use names::{AccountName, TokenName};
pub use page_key::PageKey;
pub use params::Params;
pub use plan::Plan;
pub use section::Section;
pub use site_name::SiteName;
pub use slug::Slug;
pub use tags::Tags;
pub use text::{Content, Description, Title};
pub use text_hash::TextHash;
pub use timestamp::{Timestamp, TimestampText};
pub use token::{TokenHash, TokenSecret};

/// A checked value, or the message that tells the client what is wrong with it.
pub type Checked<T> = Result<T, String>;
