//! `recto site …`

mod builds;
mod domains;
mod export;
mod openapi;
mod protection;
mod releases;
mod search;
mod settings;
mod show;

use anyhow::{Error, Result, bail};
use clap::Subcommand;
use model::SiteName;
use publisher::Publisher;
use serde_json::{Value, json};
use store::sites::Site;

use self::builds::Build;
use self::domains::Domain;
use self::export::Export;
use self::openapi::OpenApi;
use self::protection::Password;
use self::releases::Rollback;
use self::search::Search;
use self::settings::Set;
use super::{Access, parse_account, with_publisher};
use crate::{Global, output};

#[derive(Subcommand)]
pub enum SiteCommand {
    /// Create a site; its name becomes part of its URL
    Create {
        name: String,
        #[arg(long, value_name = "ID")]
        account: String,
    },
    /// List sites
    List,
    /// Show a site: URL, live release, last build, access
    Show {
        /// The site's id or name
        site: String,
    },
    /// Print a site's URL, and open it in a browser if there is one
    Open {
        /// The site's id or name
        site: String,
    },
    /// Rename a site, which changes its URL
    Rename {
        /// The site's id or name
        site: String,
        name: String,
    },
    /// Permanently delete a site with all its pages
    Delete {
        /// The site's id or name
        site: String,
        /// Confirm the deletion
        #[arg(long)]
        yes: bool,
    },
    /// Change a site's title, language, colours, links, …
    #[command(after_help = settings::keys())]
    Set(Set),
    /// Show the settings of a site
    Settings {
        /// The site's id or name
        site: String,
    },
    /// Queue a build, regardless of quota and cooldown
    Build(Build),
    /// List the releases of a site, newest first
    Releases {
        /// The site's id or name
        site: String,
    },
    /// Make an older release live until the next requested build
    Rollback(Rollback),
    /// Export a release as plain files, for any static host
    Export(Export),
    /// Publish an OpenAPI document as docs pages, one for each endpoint
    #[command(name = "openapi")]
    OpenApi(OpenApi),
    /// Search the pages of a site, as visitors do
    Search(Search),
    /// Custom domains of a site: list, add, remove
    Domain(Domain),
    /// Protect a site with a password, which is prompted for or read from standard input
    Password(Password),
}

impl SiteCommand {
    fn access(&self) -> Access {
        match self {
            SiteCommand::List
            | SiteCommand::Show { .. }
            | SiteCommand::Open { .. }
            | SiteCommand::Settings { .. }
            | SiteCommand::Releases { .. }
            | SiteCommand::Search(_)
            | SiteCommand::Export(_) => Access::Read,
            SiteCommand::Domain(domain) if domain.only_reads() => Access::Read,
            _ => Access::Write,
        }
    }

    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        with_publisher(global, self.access(), async |publisher| match self {
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
            SiteCommand::List => list(&publisher, json).await,
            SiteCommand::Show { site } => {
                let site = publisher.site_find(&site).await?;
                show::show(&publisher, &site, json).await
            }
            SiteCommand::Open { site } => {
                let site = publisher.site_find(&site).await?;
                open(&main_url(&publisher, &site).await?, json);
                Ok(())
            }
            SiteCommand::Rename { site, name } => {
                let name = SiteName::parse(&name).map_err(Error::msg)?;
                let site = publisher.site_find(&site).await?;
                let site = publisher.site_rename(&site, name).await?;
                show::show(&publisher, &site, json).await
            }
            SiteCommand::Delete { site, yes } => {
                let site = publisher.site_find(&site).await?;
                if !yes {
                    bail!(
                        "this permanently deletes the site {:?} and all its pages; confirm with --yes",
                        site.name.as_str()
                    );
                }
                publisher.site_delete(&site).await?;
                if json {
                    output::json(&json!({ "siteId": site.id }));
                } else {
                    output::line(format!("site {} deleted", site.name.as_str()));
                }
                Ok(())
            }
            SiteCommand::Set(set) => set.run(&publisher, json).await,
            SiteCommand::Settings { site } => {
                let site = publisher.site_find(&site).await?;
                settings::show(&publisher.site_settings(&site).await?, json);
                Ok(())
            }
            SiteCommand::Build(build) => build.run(&publisher, json).await,
            SiteCommand::Releases { site } => {
                let site = publisher.site_find(&site).await?;
                releases::list(&publisher, &site, json).await
            }
            SiteCommand::Rollback(rollback) => rollback.run(&publisher, json).await,
            SiteCommand::OpenApi(command) => command.run(&publisher, json).await,
            SiteCommand::Search(search) => search.run(&publisher, json).await,
            SiteCommand::Export(export) => export.run(&publisher, json).await,
            SiteCommand::Domain(domain) => domain.run(&publisher, json).await,
            SiteCommand::Password(password) => password.run(&publisher, json).await,
        })
    }
}

async fn list(publisher: &Publisher, json: bool) -> Result<()> {
    let sites = publisher.site_list().await?;
    if json {
        let sites: Vec<Value> = sites.iter().map(|site| describe(publisher, site)).collect();
        output::json(&sites);
        return Ok(());
    }
    let rows: Vec<_> = sites.iter().map(|site| row(publisher, site)).collect();
    output::table(["SITE", "NAME", "ACCOUNT", "ADDRESS"], &rows);
    Ok(())
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

async fn main_url(publisher: &Publisher, site: &Site) -> Result<String> {
    let domains = publisher.domain_list(site).await?;
    Ok(publisher.settings().main_url(&site.name, &domains))
}

fn open(address: &str, json: bool) {
    if json {
        output::json(&json!({ "url": address }));
        return;
    }
    output::line(address);
    output::open_browser(address);
}
