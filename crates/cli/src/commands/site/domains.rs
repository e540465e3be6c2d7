//! `recto site domain`: a site's own domains.

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use publisher::Publisher;
use serde_json::json;
use store::sites::Site;

use crate::output;

#[derive(Args)]
pub struct Domain {
    /// The site's id or name
    site: String,
    #[arg(value_enum, default_value = "list")]
    action: Action,
    /// For example docs.example.com
    host: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Action {
    List,
    Add,
    Remove,
}

impl Domain {
    pub fn only_reads(&self) -> bool {
        matches!(self.action, Action::List)
    }

    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let host = || {
            let missing =
                || anyhow!("the domain is missing: recto site domain {} add docs.example.com", self.site);
            self.host.as_deref().ok_or_else(missing)
        };
        match self.action {
            Action::List => list(publisher, &site, json).await,
            Action::Add => {
                let host = publisher.domain_add(&site, host()?).await?;
                added(publisher, &site, &host, json);
                Ok(())
            }
            Action::Remove => {
                let host = publisher.domain_remove(&site, host()?).await?;
                removed(&site, &host, json);
                Ok(())
            }
        }
    }
}

async fn list(publisher: &Publisher, site: &Site, json: bool) -> Result<()> {
    let domains = publisher.domain_list(site).await?;
    if json {
        output::json(&domains);
    } else if domains.is_empty() {
        let name = site.name.as_str();
        output::line(format!("no domains; to add one: recto site domain {name} add docs.example.com"));
    } else {
        domains.iter().for_each(output::line);
    }
    Ok(())
}

fn added(publisher: &Publisher, site: &Site, host: &str, json: bool) {
    if json {
        output::json(&json!({ "siteId": site.id, "host": host }));
        return;
    }
    let (name, scheme) = (site.name.as_str(), publisher.settings().domain_scheme);
    output::line(format!("{host} added; the site is served there once its DNS points to this server"));
    output::line(format!("to use it in the site's links and feeds: recto site build {name}"));
    output::line(format!("open {scheme}://{host}"));
}

fn removed(site: &Site, host: &str, json: bool) {
    if json {
        output::json(&json!({ "siteId": site.id, "host": host }));
        return;
    }
    let name = site.name.as_str();
    output::line(format!("{host} removed; the site is no longer served there"));
    output::line(format!("to remove it from the site's links and feeds: recto site build {name}"));
}
