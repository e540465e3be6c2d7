//! Accounts, for the operator: create, list, suspend, change the plan, and the first setup.

pub(crate) mod access;
mod audit;
mod members;
mod passkeys;
mod sessions;
mod tokens;
mod users;

pub use self::audit::{Action, Actor, AuditEntry};
pub use self::members::{Access, Invited};
pub use self::passkeys::{Assertion, Registration, RelyingParty};
pub use self::tokens::TokenCreated;
pub use self::users::UserCreated;

use model::{AccountId, AccountName, SiteId, SiteName, Timestamp, TokenId, TokenName, TokenSecret};
use serde::Serialize;
use store::accounts::{self, Account};
use store::sites::{self, Site};
use store::{Tx, pages, server, usage};

use self::tokens::new_secret;
use crate::{Error, Publisher};

/// What a person needs to publish a first page; the token is never shown again.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountCreated {
    pub account_id: AccountId,
    pub site_id: SiteId,
    pub deploy_url: String,
    pub token_id: TokenId,
    pub token: String,
}

/// An account, and how much of its limits is used.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct AccountUsage {
    pub account_id: AccountId,
    pub name: String,
    pub plan: String,
    pub created_at: Timestamp,
    pub suspended_at: Option<Timestamp>,
    pub sites: i64,
    pub sites_limit: Option<u64>,
    /// The site of requests that name none.
    pub default_site_id: Option<SiteId>,
    pub pages: u64,
    pub pages_limit: Option<u64>,
    pub deleted_pages: i64,
    /// Content and params of all pages, deleted ones included.
    pub text_used_bytes: u64,
    pub text_limit_bytes: Option<u64>,
    pub builds_this_month: i64,
    /// `None`: the plan was removed from the configuration.
    pub builds_per_month: Option<u64>,
    pub storage_used_bytes: u64,
    pub storage_limit_bytes: Option<u64>,
    pub file_size_limit_bytes: Option<u64>,
}

impl Publisher {
    pub async fn account_create(&self, name: AccountName, plan: &str) -> Result<AccountCreated, Error> {
        self.known_plan(plan)?;
        let secret = new_secret()?;
        let (publisher, plan) = (self.clone(), plan.to_owned());
        self.write(move |tx, now| {
            server::set_up(tx, now)?;
            publisher.insert_account(tx, &name, &plan, &secret, now)
        })
        .await
    }

    /// On a server that was never set up: creates an account, a site and a token. `None` otherwise.
    pub async fn first_set_up(&self, name: AccountName, plan: &str) -> Result<Option<AccountCreated>, Error> {
        self.known_plan(plan)?;
        let secret = new_secret()?;
        let (publisher, plan) = (self.clone(), plan.to_owned());
        self.write(move |tx, now| match server::set_up(tx, now)? {
            true => publisher.insert_account(tx, &name, &plan, &secret, now).map(Some),
            false => Ok(None),
        })
        .await
    }

    fn insert_account(
        &self,
        tx: &mut Tx,
        name: &AccountName,
        plan: &str,
        secret: &TokenSecret,
        now: Timestamp,
    ) -> Result<AccountCreated, Error> {
        let account = AccountId::new(now);
        accounts::insert(tx, account, name, plan, now)?;
        let site = first_site(tx, account, name, now)?;
        sites::set_default(tx, account, site.id)?;
        self.log(account, Some(site.id)).note(tx, now, Action::AccountCreated, name.as_str())?;
        let token_id = TokenId::new(now);
        store::tokens::insert(tx, token_id, account, &TokenName::default(), &secret.hash(), now)?;
        Ok(AccountCreated {
            account_id: account,
            site_id: site.id,
            deploy_url: self.settings.deploy_url(&site.name),
            token_id,
            token: secret.as_str().to_owned(),
        })
    }

    pub async fn account_list(&self) -> Result<Vec<AccountUsage>, Error> {
        let publisher = self.clone();
        self.read(move |tx| {
            let accounts = accounts::list(tx)?;
            accounts.into_iter().map(|account| publisher.usage(tx, account)).collect()
        })
        .await
    }

    /// At most `most` accounts from the one with the number `from` on, of those with this text in their name, or with
    /// this id; and whether there are more.
    pub async fn account_page(
        &self,
        search: &str,
        from: usize,
        most: usize,
    ) -> Result<(Vec<AccountUsage>, bool), Error> {
        let (publisher, wanted) = (self.clone(), search.trim().to_lowercase());
        self.read(move |tx| {
            let mut accounts = accounts::list(tx)?;
            accounts.retain(|account| {
                account.name.to_lowercase().contains(&wanted) || account.id.to_string() == wanted
            });
            let more = accounts.len() > from.saturating_add(most);
            let shown = accounts.into_iter().skip(from).take(most);
            let shown = shown.map(|account| publisher.usage(tx, account)).collect::<Result<_, _>>()?;
            Ok((shown, more))
        })
        .await
    }

    pub async fn account_show(&self, id: AccountId) -> Result<AccountUsage, Error> {
        let publisher = self.clone();
        self.read(move |tx| {
            let account = accounts::get(tx, id)?.ok_or_else(|| no_account(id))?;
            publisher.usage(tx, account)
        })
        .await
    }

    /// Accounts whose plan is not in the configuration.
    pub async fn accounts_without_plan(&self) -> Result<Vec<(AccountId, String)>, Error> {
        let accounts = self.read(|tx| Ok(accounts::list(tx)?)).await?;
        let lost = accounts.into_iter().filter(|account| self.settings.plan(&account.plan).is_none());
        Ok(lost.map(|account| (account.id, account.plan)).collect())
    }

    fn usage(&self, tx: &mut Tx, account: Account) -> Result<AccountUsage, Error> {
        let plan = self.settings.plan(&account.plan);
        let used = usage::of_account(tx, account.id)?;
        Ok(AccountUsage {
            account_id: account.id,
            sites: sites::count(tx, account.id)?,
            sites_limit: plan.map(|plan| plan.sites),
            default_site_id: sites::default_of(tx, account.id)?.map(|site| site.id),
            pages: used.pages,
            pages_limit: plan.map(|plan| plan.pages),
            deleted_pages: pages::count_deleted(tx, account.id)?,
            text_used_bytes: used.text,
            text_limit_bytes: plan.map(|plan| plan.text.0),
            builds_this_month: account.builds_used(self.clock.now()),
            builds_per_month: plan.map(|plan| plan.builds_per_month),
            storage_used_bytes: used.storage,
            storage_limit_bytes: plan.map(|plan| plan.storage.0),
            file_size_limit_bytes: plan.map(|plan| plan.file_size.0),
            name: account.name,
            plan: account.plan,
            created_at: account.created_at,
            suspended_at: account.suspended_at,
        })
    }

    pub async fn account_set_plan(&self, id: AccountId, plan: &str) -> Result<(), Error> {
        self.known_plan(plan)?;
        let (plan, log) = (plan.to_owned(), self.log(id, None));
        self.write(move |tx, now| match accounts::set_plan(tx, id, &plan)? {
            true => log.note(tx, now, Action::PlanChanged, plan.as_str()),
            false => Err(no_account(id)),
        })
        .await
    }

    /// Until the account is resumed, it cannot use the API, and its sites are not served.
    pub async fn account_suspend(&self, id: AccountId) -> Result<(), Error> {
        self.set_suspended(id, Some(self.clock.now())).await
    }

    pub async fn account_resume(&self, id: AccountId) -> Result<(), Error> {
        self.set_suspended(id, None).await
    }

    async fn set_suspended(&self, id: AccountId, at: Option<Timestamp>) -> Result<(), Error> {
        let (log, action) = match at {
            Some(_) => (self.log(id, None), Action::AccountSuspended),
            None => (self.log(id, None), Action::AccountResumed),
        };
        let set = self.write(move |tx, now| match accounts::set_suspended(tx, id, at)? {
            true => log.note(tx, now, action, ""),
            false => Err(no_account(id)),
        });
        set.await
    }

    /// Sets the site of requests that name none.
    pub async fn account_set_default_site(&self, id: AccountId, site: &Site) -> Result<(), Error> {
        let (site, log) = (site.clone(), self.log(id, Some(site.id)));
        self.write(move |tx, now| {
            accounts::get(tx, id)?.ok_or_else(|| no_account(id))?;
            match sites::set_default(tx, id, site.id)? {
                true => log.note(tx, now, Action::DefaultSiteChanged, site.name.as_str()),
                false => Err(Error::refused(format!(
                    "the site {:?} belongs to another account",
                    site.name.as_str()
                ))),
            }
        })
        .await
    }

    fn known_plan(&self, name: &str) -> Result<(), Error> {
        if self.settings.plan(name).is_some() {
            return Ok(());
        }
        let plans: Vec<&str> = self.settings.plans.iter().map(|plan| plan.name.as_str()).collect();
        Err(Error::refused(format!("there is no plan {name:?}; the plans are: {}", plans.join(", "))))
    }
}

/// The account's own name, or the first numbered one that is free.
fn first_site(tx: &mut Tx, account: AccountId, name: &AccountName, now: Timestamp) -> Result<Site, Error> {
    let base = SiteName::from_account_name(name.as_str());
    let mut site = Site { id: SiteId::new(now), account, name: base.clone(), version: 0, created_at: now };
    let mut number = 2;
    while !sites::insert(tx, &site)? {
        site.name = base.numbered(number);
        number += 1;
    }
    Ok(site)
}

pub(crate) fn no_account(id: AccountId) -> Error {
    Error::refused(format!("there is no account {id}; `recto account list` shows them"))
}
