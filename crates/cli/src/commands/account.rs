//! `recto account …`

use anyhow::{Error, Result};
use clap::Subcommand;
use model::{AccountName, ByteSize};
use publisher::AccountUsage;

use super::{Access, parse_account, with_publisher};
use crate::{Global, output};

#[derive(Subcommand)]
pub enum AccountCommand {
    /// Create an account with a first site and a token (shown once)
    Create {
        name: String,
        #[arg(long, default_value = "pro")]
        plan: String,
    },
    /// List accounts
    List,
    /// Show an account and its usage
    Show { id: String },
    /// Refuse all API requests of an account and take its sites offline
    Suspend { id: String },
    /// End a suspension
    Resume { id: String },
    /// Set the site that is used by requests without a site id
    DefaultSite {
        id: String,
        /// The site's id or name
        site: String,
    },
    /// Change an account's plan
    Plan { id: String, plan: String },
}

impl AccountCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        let access = if matches!(self, AccountCommand::List | AccountCommand::Show { .. }) {
            Access::Read
        } else {
            Access::Write
        };
        with_publisher(global, access, async |publisher| match self {
            AccountCommand::Create { name, plan } => {
                let name = AccountName::parse(&name).map_err(Error::msg)?;
                let created = publisher.account_create(name, &plan).await?;
                if json {
                    output::json(&created);
                    return Ok(());
                }
                output::facts(&[
                    ("account", created.account_id.to_string()),
                    ("site", created.site_id.to_string()),
                    ("address", created.deploy_url),
                    ("token id", created.token_id.to_string()),
                    ("token", format!("{}  (shown only once)", created.token)),
                ]);
                Ok(())
            }
            AccountCommand::List => {
                let accounts = publisher.account_list().await?;
                if json {
                    output::json(&accounts);
                } else {
                    let rows: Vec<_> = accounts.iter().map(row).collect();
                    output::table(["ACCOUNT", "NAME", "PLAN", "STATE", "SITES", "PAGES", "BUILDS"], &rows);
                }
                Ok(())
            }
            AccountCommand::Show { id } => {
                let account = publisher.account_show(parse_account(&id)?).await?;
                if json {
                    output::json(&account)
                } else {
                    output::facts(&details(&account))
                }
                Ok(())
            }
            AccountCommand::Suspend { id } => {
                publisher.account_suspend(parse_account(&id)?).await?;
                done(json, "suspended", &id)
            }
            AccountCommand::Resume { id } => {
                publisher.account_resume(parse_account(&id)?).await?;
                done(json, "resumed", &id)
            }
            AccountCommand::DefaultSite { id, site } => {
                let (account, site) = (parse_account(&id)?, publisher.site_find(&site).await?);
                publisher.account_set_default_site(account, &site).await?;
                if json {
                    output::json(&serde_json::json!({ "accountId": id, "siteId": site.id }));
                } else {
                    output::line(format!("{} is the default site of account {id}", site.name.as_str()));
                }
                Ok(())
            }
            AccountCommand::Plan { id, plan } => {
                publisher.account_set_plan(parse_account(&id)?, &plan).await?;
                done(json, &format!("now on plan {plan}"), &id)
            }
        })
    }
}

fn done(json: bool, what: &str, id: &str) -> Result<()> {
    if json {
        output::json(&serde_json::json!({ "accountId": id }));
    } else {
        output::line(format!("account {id} is {what}"));
    }
    Ok(())
}

fn builds(account: &AccountUsage) -> String {
    format!("{} of {}", account.builds_this_month, number(account.builds_per_month))
}

fn number(limit: Option<u64>) -> String {
    limit.map_or("?".into(), |limit| limit.to_string())
}

fn state(account: &AccountUsage) -> String {
    account.suspended_at.map_or("active".into(), |time| format!("suspended {time}"))
}

fn row(account: &AccountUsage) -> [String; 7] {
    [
        account.account_id.to_string(),
        account.name.clone(),
        account.plan.clone(),
        state(account),
        account.sites.to_string(),
        account.pages.to_string(),
        builds(account),
    ]
}

fn details(account: &AccountUsage) -> Vec<(&'static str, String)> {
    let size = |bytes: Option<u64>| bytes.map_or("?".into(), |bytes| ByteSize(bytes).to_string());
    vec![
        ("account", account.account_id.to_string()),
        ("name", account.name.clone()),
        ("plan", account.plan.clone()),
        ("created", account.created_at.to_string()),
        ("state", state(account)),
        ("sites", format!("{} of {}", account.sites, number(account.sites_limit))),
        ("default site", account.default_site_id.map_or("none".into(), |site| site.to_string())),
        ("pages", format!("{} of {}", account.pages, number(account.pages_limit))),
        ("deleted pages", account.deleted_pages.to_string()),
        ("texts", format!("{} of {}", ByteSize(account.text_used_bytes), size(account.text_limit_bytes))),
        ("builds this month", builds(account)),
        ("largest file", size(account.file_size_limit_bytes)),
        (
            "storage",
            format!("{} of {}", ByteSize(account.storage_used_bytes), size(account.storage_limit_bytes)),
        ),
    ]
}
