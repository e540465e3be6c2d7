//! `recto token …`

use anyhow::{Error, Result, anyhow};
use clap::Subcommand;
use model::{Timestamp, TokenId, TokenName};
use serde_json::{Value, json};
use store::tokens::Token;

use super::{Access, parse_account, with_publisher};
use crate::{Global, output};

#[derive(Subcommand)]
pub enum TokenCommand {
    /// Create a token for an account (shown once)
    Create {
        #[arg(long, value_name = "ID")]
        account: String,
        /// A name to recognise it by
        #[arg(long, default_value = "")]
        name: String,
    },
    /// List tokens; only their hashes are stored
    List {
        /// Only those of this account
        #[arg(long, value_name = "ID")]
        account: Option<String>,
    },
    /// Revoke a token; it is refused from the next request on
    Revoke { id: String },
}

impl TokenCommand {
    pub fn run(self, global: &Global) -> Result<()> {
        let json = global.json;
        let access = if matches!(self, TokenCommand::List { .. }) { Access::Read } else { Access::Write };
        with_publisher(global, access, async |publisher| match self {
            TokenCommand::Create { account, name } => {
                let name = TokenName::parse(&name).map_err(Error::msg)?;
                let created = publisher.token_create(parse_account(&account)?, name).await?;
                if json {
                    output::json(&created);
                    return Ok(());
                }
                let token = format!("{}  (shown only once)", created.token);
                output::facts(&[("token id", created.token_id.to_string()), ("token", token)]);
                Ok(())
            }
            TokenCommand::List { account } => {
                let account = account.map(|id| parse_account(&id)).transpose()?;
                let mut tokens = publisher.token_list().await?;
                tokens.retain(|token| account.is_none_or(|account| token.account == account));
                if json {
                    output::json(&tokens.iter().map(describe).collect::<Vec<_>>());
                } else {
                    let rows: Vec<_> = tokens.iter().map(row).collect();
                    output::table(["TOKEN ID", "NAME", "ACCOUNT", "CREATED", "LAST USED", "REVOKED"], &rows);
                }
                Ok(())
            }
            TokenCommand::Revoke { id } => {
                let token = TokenId::parse(&id)
                    .ok_or_else(|| anyhow!("{id:?} is not a token id; `recto token list` shows them"))?;
                publisher.token_revoke(token).await?;
                if json {
                    output::json(&json!({ "tokenId": token }));
                } else {
                    output::line(format!("token {token} is revoked"));
                }
                Ok(())
            }
        })
    }
}

fn describe(token: &Token) -> Value {
    json!({
        "tokenId": token.id,
        "accountId": token.account,
        "name": token.name,
        "createdAt": token.created_at,
        "lastUsedAt": token.last_used_at,
        "revokedAt": token.revoked_at,
    })
}

fn row(token: &Token) -> [String; 6] {
    let time = |time: Option<Timestamp>| time.map_or("-".into(), |time| time.to_string());
    [
        token.id.to_string(),
        token.name.clone(),
        token.account.to_string(),
        token.created_at.to_string(),
        time(token.last_used_at),
        time(token.revoked_at),
    ]
}
