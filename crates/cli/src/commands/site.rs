//! `recto site …`

use anyhow::{Error, Result, bail};
use clap::Subcommand;
use model::SiteName;
use publisher::Publisher;
use serde_json::{Value, json};
use store::sites::Site;

use super::{parse_account, with_publisher};
use crate::{Global, output};

#[derive(Subcommand)]
pub enum SiteCommand {
    /// Make a site; its name is the label of its address
    Create {
        name: String,
        #[arg(long, value_name = "ID")]
        account: String,
    },
    /// List sites
    List,
    /// Show a site, by its id or name
    Show { site: String },
    /// Give a site another name, and so another address
    Rename { site: String, name: String },
    /// Delete a site with all its pages, for good
    Delete {
        site: String,
        /// Really do it
        #[arg(long)]
        yes: bool,
    },
}

impl SiteCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        with_publisher(global, async |publisher| match self {
            SiteCommand::Create { name, account } => {
                let name = SiteName::parse(&name).map_err(Error::msg)?;
                let site = publisher.site_create(parse_account(&account)?, name).await?;
                let deploy_url = publisher.settings().deploy_url(&site.name);
                if json {
                    output::json(&json!({ "siteId": site.id, "deployUrl": deploy_url }));
                } else {
                    output::facts(&[("site", site.id.to_string()), ("address", deploy_url)]);
                }
                Ok(())
            }
            SiteCommand::List => {
                let sites = publisher.site_list().await?;
                if json {
                    let sites: Vec<Value> = sites.iter().map(|site| describe(&publisher, site)).collect();
                    output::json(&sites);
                    return Ok(());
                }
                let rows: Vec<_> = sites.iter().map(|site| row(&publisher, site)).collect();
                output::table(["SITE", "NAME", "ACCOUNT", "ADDRESS"], &rows);
                Ok(())
            }
            SiteCommand::Show { site } => {
                let site = publisher.site_find(&site).await?;
                show(&publisher, &site, json)
            }
            SiteCommand::Rename { site, name } => {
                let name = SiteName::parse(&name).map_err(Error::msg)?;
                let site = publisher.site_find(&site).await?;
                let site = publisher.site_rename(&site, name).await?;
                show(&publisher, &site, json)
            }
            SiteCommand::Delete { site, yes } => {
                let site = publisher.site_find(&site).await?;
                if !yes {
                    bail!(
                        "this deletes the site {:?} and all its pages for good; say --yes",
                        site.name.as_str()
                    );
                }
                publisher.site_delete(&site).await?;
                if json {
                    output::json(&json!({ "siteId": site.id }));
                } else {
                    output::line(format!("site {} is deleted", site.name.as_str()));
                }
                Ok(())
            }
        })
    }
}

fn describe(publisher: &Publisher, site: &Site) -> Value {
    json!({
        "siteId": site.id,
        "accountId": site.account,
        "name": site.name.as_str(),
        "deployUrl": publisher.settings().deploy_url(&site.name),
        "createdAt": site.created_at,
    })
}

fn row(publisher: &Publisher, site: &Site) -> [String; 4] {
    let address = publisher.settings().deploy_url(&site.name);
    [site.id.to_string(), site.name.as_str().to_owned(), site.account.to_string(), address]
}

fn show(publisher: &Publisher, site: &Site, json: bool) -> Result<()> {
    if json {
        output::json(&describe(publisher, site));
        return Ok(());
    }
    output::facts(&[
        ("site", site.id.to_string()),
        ("name", site.name.as_str().to_owned()),
        ("account", site.account.to_string()),
        ("address", publisher.settings().deploy_url(&site.name)),
        ("created", site.created_at.to_string()),
    ]);
    Ok(())
}
