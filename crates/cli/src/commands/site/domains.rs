//! `recto site domain`: a site's own domains.

use anyhow::{Result, anyhow};
use clap::{Args, ValueEnum};
use publisher::Publisher;
use serde_json::json;
use store::sites::Site;

use crate::output;

#[derive(Args)]
pub struct Domain {
    /// Its id or name
    site: String,
    #[arg(value_enum, default_value = "list")]
    action: Action,
    /// Such as docs.example.com
    host: Option<String>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Action {
    List,
    Add,
    Remove,
}

impl Domain {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let host = || {
            let missing = || anyhow!("name the domain: recto site domain {} add docs.example.com", self.site);
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
        output::line(format!("none; to add one: recto site domain {name} add docs.example.com"));
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
    output::line(format!("the site answers to {host}, once its DNS points here"));
    output::line(format!("to have the site's links and feeds name it: recto site build {name}"));
    output::line(format!("open {scheme}://{host}"));
}

fn removed(site: &Site, host: &str, json: bool) {
    if json {
        output::json(&json!({ "siteId": site.id, "host": host }));
        return;
    }
    let name = site.name.as_str();
    output::line(format!("the site does not answer to {host} any more"));
    output::line(format!("to have the site's links and feeds forget it: recto site build {name}"));
}
