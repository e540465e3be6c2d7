//! The messages for people when the server starts.

use std::path::Path;

use model::{AccountId, Email, Role};
use publisher::{AccountCreated, Publisher};
use store::sites::Site;
use tokio::net::TcpListener;

use super::listeners::Listeners;
use crate::config::Config;
use crate::output;

/// The URLs of the listeners that this process has.
pub(super) struct Addresses {
    pub(super) api: Option<String>,
    pub(super) sites: Option<String>,
}

impl Addresses {
    pub(super) fn of(listeners: &Listeners) -> std::io::Result<Addresses> {
        let address =
            |listener: &TcpListener| listener.local_addr().map(|address| format!("http://{address}"));
        let of = |listener: &Option<TcpListener>| listener.as_ref().map(address).transpose();
        Ok(Addresses { api: of(&listeners.api)?, sites: of(&listeners.sites)? })
    }

    /// What listens where, for people and for scripts that look for the addresses.
    fn sentence(&self) -> String {
        match (&self.api, &self.sites) {
            (Some(api), Some(sites)) => {
                format!("Recto listens on {api} (API reference: {api}/docs), sites on {sites}")
            }
            (Some(api), None) => format!("Recto listens on {api} (API reference: {api}/docs)"),
            (None, Some(sites)) => format!("Recto serves sites on {sites}"),
            (None, None) => "Recto runs builds and other background work".to_owned(),
        }
    }
}

/// Who signs in to the dashboard first. It is a name like any other: Recto sends no mail.
const FIRST_USER: &str = "owner@localhost";

/// What the first start created.
pub(super) struct First {
    account: AccountCreated,
    email: Email,
    /// On which the password of the dashboard is chosen.
    link: String,
}

impl First {
    /// Also creates the first person, who may do everything.
    pub(super) async fn new(
        publisher: &Publisher,
        account: AccountCreated,
        api_url: &str,
    ) -> anyhow::Result<First> {
        let email = Email::parse(FIRST_USER).map_err(anyhow::Error::msg)?;
        let user = publisher.user_create(email.clone(), account.account_id, Role::Owner, true).await?;
        Ok(First { account, email, link: server::link_url(api_url, &user.link) })
    }
}

pub(super) fn print_greeting(
    publisher: &Publisher,
    first: Option<&First>,
    sites: &[Site],
    addresses: &Addresses,
    config: &Config,
) {
    if let (Some(first), Some(api)) = (first, &addresses.api) {
        output::line(welcome(first, api, &config.data));
    }
    output::line(addresses.sentence());
    if first.is_none() && addresses.api.is_some() {
        output::line(overview(sites, |site| publisher.settings().deploy_url(&site.name)));
    }
    if let Some(sites) = addresses.sites.as_ref().filter(|_| config.is_local()) {
        output::line(format!(
            "  Safari, wget, Python and Node may not resolve names under .localhost: see {sites}/"
        ));
    }
}

/// Further sites are not shown, and not read.
pub(super) const MAX_LISTED: usize = 5;

/// For every later start: the URLs of the sites, and how to create a token.
fn overview(sites: &[Site], url: impl Fn(&Site) -> String) -> String {
    let mut lines: Vec<String> =
        sites.iter().take(MAX_LISTED).map(|site| format!("  Site   {}", url(site))).collect();
    if sites.len() > MAX_LISTED {
        lines.push("         and more: recto site list".to_owned());
    }
    let mut accounts: Vec<AccountId> = sites.iter().map(|site| site.account).collect();
    accounts.dedup();
    lines.push(match accounts[..] {
        [account] => format!("  Token  recto token create --account {account}"),
        _ => "  Token  recto token create --account ID (recto account list shows them)".to_owned(),
    });
    lines.join("\n")
}

fn welcome(first: &First, api: &str, data: &Path) -> String {
    let First { account: AccountCreated { account_id, deploy_url, token, .. }, email, link } = first;
    let (data, email) = (data.display(), email.as_str());
    let (api, link) = (openable(api), openable(link));
    format!(
        "\
Welcome to Recto. This is the first start with {data}: an account, a site and a token were created.

  Site       {deploy_url}
  API        {api}/api/v1/public
  Reference  {api}/docs
  Dashboard  {link}
             (choose a password for {email} within 24 hours; `recto user link {email}` creates another link)
  Token      {token}
             (shown only once; `recto token create --account {account_id}` creates more)

Publish a first page:

  curl {api}/api/v1/public/pages \\
    -H 'Authorization: Bearer {token}' \\
    -H 'Content-Type: application/json' \\
    -d '{{\"title\": \"Hello, world\", \"content\": \"# Hello\\n\\nMy first page.\", \"build\": true}}'

then open {deploy_url}/blog/hello-world
"
    )
}

/// A server that listens on all addresses, as in a container, is on this machine, too; browsers refuse to open `0.0.0.0`.
fn openable(url: &str) -> String {
    url.replacen("//0.0.0.0:", "//127.0.0.1:", 1).replacen("//[::]:", "//[::1]:", 1)
}

#[cfg(test)]
mod tests {
    use model::{Clock, SiteId, SiteName, SystemClock};

    use super::*;

    fn sites(accounts: &[AccountId]) -> Vec<Site> {
        let now = SystemClock.now();
        let site = |(n, account): (usize, &AccountId)| {
            let name = SiteName::parse(&format!("s{n}")).expect("a name");
            Site { id: SiteId::new(now), account: *account, name, version: 0, created_at: now }
        };
        accounts.iter().enumerate().map(site).collect()
    }

    fn shown(sites: &[Site]) -> String {
        overview(sites, |site| format!("http://{}.localhost", site.name.as_str()))
    }

    #[test]
    fn shown_urls_can_be_opened() {
        let check = |url: &str, expected: &str| assert_eq!(openable(url), expected);
        check("http://0.0.0.0:8080/docs", "http://127.0.0.1:8080/docs");
        check("http://[::]:8080", "http://[::1]:8080");
        check("http://10.0.0.0:8080", "http://10.0.0.0:8080");
    }

    #[test]
    fn sites_and_how_to_create_a_token_are_shown() {
        let [one, other] = [(); 2].map(|()| AccountId::new(SystemClock.now()));
        let token = format!("  Token  recto token create --account {one}");
        assert_eq!(shown(&sites(&[one])), format!("  Site   http://s0.localhost\n{token}"));
        let five = shown(&sites(&[one; 5]));
        assert!(five.contains("s4.localhost") && !five.contains("more") && five.ends_with(&token), "{five}");
        let eight = shown(&sites(&[one; 8]));
        assert!(eight.contains("s4.localhost\n         and more: recto site list\n"), "{eight}");
        assert!(!eight.contains("s5"), "{eight}");
        for several in [shown(&sites(&[one, other])), shown(&[])] {
            assert!(several.ends_with("--account ID (recto account list shows them)"), "{several}");
        }
    }
}
