//! `recto user …`

use anyhow::{Error, Result, anyhow};
use clap::Subcommand;
use model::{Email, Role, Secret};
use serde_json::{Value, json};
use store::members::Membership;
use store::users::User;

use super::{Access, parse_account, with_publisher};
use crate::config::Config;
use crate::{Global, output};

#[derive(Subcommand)]
pub enum UserCommand {
    /// Add a person to an account, and print a one-time link on which to choose a password
    Create {
        email: String,
        #[arg(long, value_name = "ID")]
        account: String,
        /// owner, or writer: pages, media and builds only
        #[arg(long, default_value = "owner")]
        role: String,
        /// May use the dashboard of every account
        #[arg(long)]
        operator: bool,
    },
    /// Print a one-time link on which a person chooses a new password
    Link { email: String },
    /// List people and the accounts that they belong to
    List,
}

impl UserCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        let access = if matches!(self, UserCommand::List) { Access::Read } else { Access::Write };
        let api_url = Config::load(global)?.api_url;
        let url = |secret: &Secret| server::link_url(&api_url, secret);
        with_publisher(global, access, async |publisher| match self {
            UserCommand::Create { email, account, role, operator } => {
                let email = Email::parse(&email).map_err(Error::msg)?;
                let role =
                    Role::parse(&role).ok_or_else(|| anyhow!("{role:?} is not a role: owner or writer"))?;
                let made = publisher.user_create(email, parse_account(&account)?, role, operator).await?;
                let url = url(&made.link);
                if json {
                    output::json(&json!({ "userId": made.user, "url": url }));
                } else {
                    output::facts(&[("user", made.user.to_string()), ("link", once(&url))]);
                }
                Ok(())
            }
            UserCommand::Link { email } => {
                let link = publisher.user_link(Email::parse(&email).map_err(Error::msg)?).await?;
                let url = url(&link);
                if json {
                    output::json(&json!({ "url": url }));
                } else {
                    output::facts(&[("link", once(&url))]);
                }
                Ok(())
            }
            UserCommand::List => {
                let (users, members) = publisher.user_list().await?;
                if json {
                    output::json(&users.iter().map(|user| describe(user, &members)).collect::<Vec<_>>());
                } else {
                    let rows: Vec<_> = users.iter().map(|user| row(user, &members)).collect();
                    output::table(["USER ID", "EMAIL", "OPERATOR", "PASSWORD", "CREATED", "ACCOUNTS"], &rows);
                }
                Ok(())
            }
        })
    }
}

fn once(url: &str) -> String {
    format!("{url}  (valid for 24 hours, once)")
}

fn accounts<'m>(user: &User, members: &'m [Membership]) -> impl Iterator<Item = &'m Membership> {
    let id = user.id;
    members.iter().filter(move |member| member.user == id)
}

fn describe(user: &User, members: &[Membership]) -> Value {
    let account = |member: &Membership| json!({ "accountId": member.account, "role": member.role });
    json!({
        "userId": user.id,
        "email": user.email,
        "operator": user.operator,
        "hasPassword": user.has_password,
        "createdAt": user.created_at,
        "accounts": accounts(user, members).map(account).collect::<Vec<_>>(),
    })
}

fn row(user: &User, members: &[Membership]) -> [String; 6] {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let account = |member: &Membership| format!("{} ({})", member.account, member.role.as_str());
    [
        user.id.to_string(),
        user.email.clone(),
        yes(user.operator),
        yes(user.has_password),
        user.created_at.to_string(),
        accounts(user, members).map(account).collect::<Vec<_>>().join(", "),
    ]
}
