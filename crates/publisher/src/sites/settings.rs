//! The owner's settings of a site: title, language, colours, links. A change takes effect with the next build.

use generator::Settings;
use model::{BuildId, SiteId, Trigger};
use store::sites::Site;
use store::{builds, sites};

use crate::accounts::access::find_site;
use crate::builds::owners_settings;
use crate::error::SettingErrors;
use crate::{Caller, Error, Publisher};

impl Publisher {
    pub async fn site_settings(&self, site: &Site) -> Result<Settings, Error> {
        let id = site.id;
        self.read(move |tx| owners_settings(tx, id)).await
    }

    /// The same for a client of the API.
    pub async fn settings_of(&self, caller: &Caller, site: SiteId) -> Result<Settings, Error> {
        let site = find_site(&self.store, caller.account, Some(site)).await?;
        self.site_settings(&site).await
    }

    /// Changes some settings; all of them or, if one is wrong, none.
    pub async fn site_set(&self, site: &Site, changes: Vec<(String, String)>) -> Result<Settings, Error> {
        let (id, forbids_head) = (site.id, !self.settings.custom_head);
        self.write(move |tx, _| {
            // Under the site's lock, two commands at once do not undo each other.
            sites::lock(tx, id)?;
            let mut settings = owners_settings(tx, id)?;
            let mut errors = SettingErrors::new();
            for (key, value) in &changes {
                let outcome = match forbids_head && key == "head" && !value.trim().is_empty() {
                    true => {
                        Err("head: the operator of this server does not allow it (sites.custom_head)".into())
                    }
                    false => settings.set(key, value),
                };
                errors.extend(outcome.err().map(|message| (key.clone(), message)));
            }
            if !errors.is_empty() {
                return Err(Error::InvalidSettings(errors));
            }
            let text = serde_json::to_string(&settings)
                .map_err(|error| Error::refused(format!("store the settings: {error}")))?;
            sites::set_settings(tx, id, &text)?;
            Ok(settings)
        })
        .await
    }

    /// The same for a client of the API.
    pub async fn set_settings_of(
        &self,
        caller: &Caller,
        site: SiteId,
        changes: Vec<(String, String)>,
    ) -> Result<Settings, Error> {
        let site = find_site(&self.store, caller.account, Some(site)).await?;
        self.site_set(&site, changes).await
    }

    /// Queues a build for the operator, regardless of quota and cooldown.
    pub async fn site_build(&self, site: &Site) -> Result<BuildId, Error> {
        let site = site.clone();
        let queued = self.write(move |tx, now| {
            let id = BuildId::new(now);
            builds::insert(tx, id, site.account, site.id, Trigger::Cli, now)?;
            Ok(id)
        });
        queued.await
    }
}
