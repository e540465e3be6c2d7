//! The owner's settings of a site: title, language, colours, links. A change takes effect with the next build.

use generator::Settings;
use model::{BuildId, SiteId, Trigger};
use store::sites::Site;
use store::{builds, sites};

use crate::accounts::access::find_site;
use crate::builds::owners_settings;
use crate::error::SettingErrors;
use crate::{Action, Caller, Error, Publisher};

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
        let (id, log) = (site.id, self.log(site.account, Some(site.id)));
        let operator = self.settings.clone();
        self.write(move |tx, now| {
            // Under the site's lock, two commands at once do not undo each other.
            sites::lock(tx, id)?;
            let mut settings = owners_settings(tx, id)?;
            let (mut changed, mut errors) = (Vec::new(), SettingErrors::new());
            for (key, value) in &changes {
                let before = settings.get(key);
                let outcome = check(&operator, key, value).and_then(|()| settings.set(key, value));
                errors.extend(outcome.err().map(|message| (key.clone(), message)));
                if settings.get(key) != before {
                    changed.push(key.as_str());
                }
            }
            if !errors.is_empty() {
                return Err(Error::InvalidSettings(errors));
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

    /// The same for a client of the API.
    pub async fn set_settings_of(
        &self,
        caller: &Caller,
        site: SiteId,
        changes: Vec<(String, String)>,
    ) -> Result<Settings, Error> {
        let site = find_site(&self.store, caller.account, Some(site)).await?;
        self.by_caller(caller).site_set(&site, changes).await
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

/// What the operator of the server does not allow.
fn check(operator: &crate::Settings, key: &str, value: &str) -> Result<(), String> {
    let why = match (key, value.trim()) {
        ("head", value) if !operator.custom_head && !value.is_empty() => {
            "head: the operator of this server does not allow it (sites.custom_head)"
        }
        ("hub", value) if !operator.private_hubs && value.starts_with("http:") => {
            "hub must begin with https://, unless the operator allows others (sites.private_hubs)"
        }
        _ => return Ok(()),
    };
    Err(why.to_owned())
}
