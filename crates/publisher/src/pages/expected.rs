//! What the sender of a page believes about it. A person edits for minutes: someone else's change is not overwritten.

use model::SiteId;
use store::{Tx, pages};

use super::decide::{TAKEN, Target};
use crate::{Error, FieldErrors, PageErrors};

/// For a request with one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The page does not exist yet.
    New,
    /// The site version that last changed the page (`StoredPage::version`).
    Version(i64),
}

impl Expected {
    /// Under the site's lock, so that no other request changes the page in between.
    pub(crate) fn check(self, tx: &mut Tx, site: SiteId, targets: &[Target]) -> Result<(), Error> {
        let Some(Target::Update { id, .. }) = targets.first() else { return Ok(()) };
        match self {
            Expected::New => {
                let taken = FieldErrors::from([("slug", TAKEN.to_owned())]);
                Err(Error::Invalid(PageErrors::from([(0, taken)])))
            }
            Expected::Version(version) if pages::version(tx, site, *id)? == Some(version) => Ok(()),
            Expected::Version(_) => Err(Error::Changed),
        }
    }
}
