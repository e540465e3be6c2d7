//! Lists the releases of a site, and rolls back to one.

use store::releases::{self, Move, Release};
use store::sites::{self, Site};

use super::hub;
use crate::builds::owners_settings;
use crate::{Error, Publisher};

/// A release, and whether visitors get it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReleaseInfo {
    pub release: Release,
    pub live: bool,
}

impl Publisher {
    /// Newest first.
    pub async fn release_list(&self, site: &Site) -> Result<Vec<ReleaseInfo>, Error> {
        let id = site.id;
        self.read(move |tx| {
            let live = releases::live(tx, id)?;
            let all = releases::list(tx, id)?.into_iter();
            Ok(all.map(|release| ReleaseInfo { live: live == Some(release.number), release }).collect())
        })
        .await
    }

    /// Makes an older release live (`None`: the one before the live one), until the next requested build.
    pub async fn rollback(&self, site: &Site, to: Option<i64>) -> Result<i64, Error> {
        let (id, name) = (site.id, site.name.clone());
        let rolled_back = self.write(move |tx, now| {
            // Under the site's lock the upkeep cannot delete the chosen release.
            sites::lock(tx, id)?;
            let live = releases::live(tx, id)?.ok_or_else(|| Error::refused("the site was never built"))?;
            let kept = releases::list(tx, id)?;
            let wanted = kept.iter().find(|release| match to {
                Some(number) => release.number == number,
                None => release.number < live,
            });
            let Some(wanted) = wanted else {
                return Err(Error::refused(format!(
                    "there is no such release any more; `recto site releases {}` shows what is kept",
                    name.as_str()
                )));
            };
            let hub = owners_settings(tx, id)?.hub;
            hub::go_live(tx, id, wanted.number, Move::Rollback, hub.as_deref(), now)?;
            Ok(wanted.number)
        });
        rolled_back.await
    }
}
