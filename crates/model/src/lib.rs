//! Recto's domain types: values that are valid by construction, limits, the clock. No I/O, no async.
//!
//! A value is validated once, by the `parse` of its type; code that has the type need not check again. The error
//! message of `parse` is shown to the client unchanged.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod alias;
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
mod page_hash;
mod page_key;
mod params;
mod plan;
mod secret;
mod section;
mod site_name;
mod slug;
mod tags;
mod text;
mod text_hash;
mod timestamp;
mod token;
mod user;

pub use ::sha256::sha256;
pub use alias::Alias;
pub use api_endpoint::ApiEndpoint;
pub use build::{BuildStatus, Trigger};
pub use byte_size::ByteSize;
pub use clock::{Clock, ManualClock, SystemClock};
pub use content_type::ContentType;
pub use id::{AccountId, AuditId, BuildId, ObjectId, PackId, PageId, SessionId, SiteId, TokenId, UserId};
pub use media::{Dimensions, MediaHash, MediaUrl, SMALLER_WIDTHS};
pub use names::{AccountName, PasskeyName, TokenName};
pub use page_hash::{HashedPage, PageHash};
pub use page_key::PageKey;
pub use params::Params;
pub use plan::Plan;
pub use secret::Secret;
pub use section::Section;
pub use site_name::SiteName;
pub use slug::Slug;
pub use tags::Tags;
pub use text::{Content, Description, Title};
pub use text_hash::TextHash;
pub use timestamp::{Timestamp, TimestampText};
pub use token::{TokenHash, TokenSecret};
pub use user::{Email, Password, Role};

/// A valid value, or a message for the client.
pub type Checked<T> = Result<T, String>;
