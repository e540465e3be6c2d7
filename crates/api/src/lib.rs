//! The wire format: the tables of the specification as types. No logic.

mod account;
mod builds;
mod errors;
mod media;
mod pages;
mod sites;

pub use account::{Account, Usage};
pub use builds::{BuildOutcome, BuildQueued, BuildRefused, BuildWarning, LatestBuild, TriggerBuild};
pub use errors::{
    DuplicateSlugs, Failure, InternalError, InvalidSettings, SlugConflict, Unauthorized, Unresolved,
    UnresolvedFiles, ValidationFailed,
};
pub use media::{MediaForm, MediaItem, PublishForm};
pub use pages::{
    BrokenLink, ContentType, DeleteEntry, MediaPlan, MovedPage, PageDetail, PageInput, PageList, PageSummary,
    Plan, PublishBody, PublishRequest, PublishResponse, PublishedPage, WriteStatus,
};
pub use sites::{SiteList, SiteSettings, SiteSummary};
