//! Builds: one snapshot of a site's pages becomes a release, which goes live as a whole.
//!
//! 0. `queue`: a build is queued, or refused because of quota or cooldown. `schedule` queues builds for dated pages.
//! 1. `run`, `claim`: one worker claims all queued builds of a site, under a lease that it keeps extending. Every write
//!    of the build checks the lease in the same transaction.
//! 2. `snapshot`: the changes since the newest release, and the pages as that release shows them.
//! 3. `plan`: the generator returns the paths that the changes affect.
//! 4. `render`: several threads generate the files at these paths, which are appended to one pack unless they are
//!    unchanged. `leaves`: those of the search index are merged as soon as their pages are rendered.
//! 5. `go_live`: one transaction writes the release, the live pointer and the success of the builds.

mod before;
mod index;
mod lease;
mod leaves;
mod pack;
mod plan;
mod queue;
mod render;
mod run;
mod schedule;
mod snapshot;
mod spill;
mod texts;
mod warnings;

pub(crate) use self::index::Indexes;
pub use self::queue::Refusal;
pub(crate) use self::queue::{BuildRefusal, queue_build};
pub use self::run::BuildReport;
pub(crate) use self::snapshot::owners_settings;
