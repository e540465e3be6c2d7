//! What the owner chose for a site: title, language, colours, links. A change shows with the next build.

use generator::Settings;
use model::{BuildId, Trigger};
use store::sites::Site;
use store::{builds, sites};

use crate::build::owners_settings;
use crate::{AdminError, Error, Publisher};

impl Publisher {
    pub async fn site_settings(&self, site: &Site) -> Result<Settings, AdminError> {
        let id = site.id;
        self.store.read(move |tx| owners_settings(tx, id).map_err(admin)).await
    }

    /// Changes some settings; all of them or, if one is wrong, none.
    pub async fn site_set(
        &self,
        site: &Site,
        changes: Vec<(String, String)>,
    ) -> Result<Settings, AdminError> {
        let id = site.id;
        self.store
            .write(move |tx| {
                // The site's lock: two commands at once do not undo each other.
                sites::lock(tx, id)?;
                let mut settings = owners_settings(tx, id).map_err(admin)?;
                for (key, value) in &changes {
                    settings.set(key, value).map_err(AdminError::refused)?;
                }
                let text = serde_json::to_string(&settings)
                    .map_err(|error| AdminError::refused(format!("store the settings: {error}")))?;
                sites::set_settings(tx, id, &text)?;
                Ok(settings)
            })
            .await
    }

    /// Queues a build for the operator: neither quota nor cooldown.
    pub async fn site_build(&self, site: &Site) -> Result<BuildId, AdminError> {
        let (site, clock) = (site.clone(), self.clock.clone());
        let queued = self.store.write(move |tx| {
            let now = clock.now();
            let id = BuildId::new(now);
            builds::insert(tx, id, site.account, site.id, Trigger::Cli, now)?;
            Ok::<_, AdminError>(id)
        });
        let id = queued.await?;
        self.queued.notify_one();
        Ok(id)
    }
}

fn admin(error: Error) -> AdminError {
    AdminError::refused(error.to_string())
}
