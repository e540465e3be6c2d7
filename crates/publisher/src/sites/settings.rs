//! The owner's settings of a site: title, language, colours, links. A change takes effect with the next build.

use generator::Settings;
use model::{BuildId, Trigger};
use store::sites::Site;
use store::{builds, sites};

use crate::builds::owners_settings;
use crate::{Action, Error, Publisher};

impl Publisher {
    pub async fn site_settings(&self, site: &Site) -> Result<Settings, Error> {
        let id = site.id;
        self.read(move |tx| owners_settings(tx, id)).await
    }

    /// Changes some settings; all of them or, if one is wrong, none.
    pub async fn site_set(&self, site: &Site, changes: Vec<(String, String)>) -> Result<Settings, Error> {
        let (id, log) = (site.id, self.log(site.account, Some(site.id)));
        let adds_head = |(key, value): &(String, String)| key == "head" && !value.trim().is_empty();
        if !self.settings.custom_head && changes.iter().any(adds_head) {
            let reason = "head: the operator of this server does not allow it (sites.custom_head)";
            return Err(Error::refused(reason.to_owned()));
        }
        let is_private_hub =
            |(key, value): &(String, String)| key == "hub" && value.trim().starts_with("http:");
        if !self.settings.private_hubs && changes.iter().any(is_private_hub) {
            let reason =
                "hub must begin with https://, unless the operator allows others (sites.private_hubs)";
            return Err(Error::refused(reason.to_owned()));
        }
        self.write(move |tx, now| {
            // Under the site's lock, two commands at once do not undo each other.
            sites::lock(tx, id)?;
            let mut settings = owners_settings(tx, id)?;
            let mut changed = Vec::new();
            for (key, value) in &changes {
                let before = settings.get(key);
                settings.set(key, value).map_err(Error::refused)?;
                if settings.get(key) != before {
                    changed.push(key.as_str());
                }
            }
            if !changed.is_empty() {
                log.note(tx, now, Action::SettingsChanged, changed.join(", "))?;
            }
            let text = serde_json::to_string(&settings)
                .map_err(|error| Error::refused(format!("store the settings: {error}")))?;
            sites::set_settings(tx, id, &text)?;
            Ok(settings)
        })
        .await
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
