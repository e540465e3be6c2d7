//! Accounts, for the operator: create, list, suspend, change the plan, and the first set-up.

use model::{AccountId, AccountName, SiteId, SiteName, Timestamp, TokenId, TokenName, TokenSecret};
use serde::Serialize;
use store::accounts::{self, Account};
use store::sites::{self, Site};
use store::{Tx, pages, server, tokens, usage};

use crate::tokens::new_secret;
use crate::{AdminError, Publisher};

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
    /// The site that requests mean which name none.
    pub default_site_id: Option<SiteId>,
    pub pages: u64,
    pub pages_limit: Option<u64>,
    pub deleted_pages: i64,
    /// Content and params of all pages, deleted ones included.
    pub text_used_bytes: u64,
    pub text_limit_bytes: Option<u64>,
    pub builds_this_month: i64,
    /// `None`: the plan is not configured any more.
    pub builds_per_month: Option<u64>,
    pub storage_used_bytes: u64,
    pub storage_limit_bytes: Option<u64>,
    pub file_size_limit_bytes: Option<u64>,
}

impl Publisher {
    pub async fn account_create(&self, name: AccountName, plan: &str) -> Result<AccountCreated, AdminError> {
        self.known_plan(plan)?;
        let secret = new_secret()?;
        let (publisher, plan) = (self.clone(), plan.to_owned());
        self.store
            .write(move |tx| {
                server::set_up(tx, publisher.clock.now())?;
                publisher.insert_account(tx, &name, &plan, &secret)
            })
            .await
    }

    /// On a server that nobody has set up: an account, a site and a token. `None` ever after.
    pub async fn first_set_up(
        &self,
        name: AccountName,
        plan: &str,
    ) -> Result<Option<AccountCreated>, AdminError> {
        self.known_plan(plan)?;
        let secret = new_secret()?;
        let (publisher, plan) = (self.clone(), plan.to_owned());
        self.store
            .write(move |tx| match server::set_up(tx, publisher.clock.now())? {
                true => publisher.insert_account(tx, &name, &plan, &secret).map(Some),
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
    ) -> Result<AccountCreated, AdminError> {
        let now = self.clock.now();
        let account = AccountId::new(now);
        accounts::insert(tx, account, name, plan, now)?;
        let site = first_site(tx, account, name, now)?;
        sites::set_default(tx, account, site.id)?;
        let token_id = TokenId::new(now);
        tokens::insert(tx, token_id, account, &TokenName::default(), &secret.hash(), now)?;
        Ok(AccountCreated {
            account_id: account,
            site_id: site.id,
            deploy_url: self.settings.deploy_url(&site.name),
            token_id,
            token: secret.as_str().to_owned(),
        })
    }

    pub async fn account_list(&self) -> Result<Vec<AccountUsage>, AdminError> {
        let publisher = self.clone();
        self.store
            .read(move |tx| {
                let accounts = accounts::list(tx)?;
                accounts.into_iter().map(|account| publisher.usage(tx, account)).collect()
            })
            .await
    }

    pub async fn account_show(&self, id: AccountId) -> Result<AccountUsage, AdminError> {
        let publisher = self.clone();
        self.store
            .read(move |tx| {
                let account = accounts::get(tx, id)?.ok_or_else(|| no_account(id))?;
                publisher.usage(tx, account)
            })
            .await
    }

    /// Accounts whose plan the configuration does not know (any more).
    pub async fn accounts_without_plan(&self) -> Result<Vec<(AccountId, String)>, AdminError> {
        let accounts = self.store.read(|tx| Ok::<_, AdminError>(accounts::list(tx)?)).await?;
        let lost = accounts.into_iter().filter(|account| self.settings.plan(&account.plan).is_none());
        Ok(lost.map(|account| (account.id, account.plan)).collect())
    }

    fn usage(&self, tx: &mut Tx, account: Account) -> Result<AccountUsage, AdminError> {
        let plan = self.settings.plan(&account.plan);
        let used = usage::of_account(tx, account.id)?;
        Ok(AccountUsage {
            account_id: account.id,
            sites: sites::count(tx, account.id)?,
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

    pub async fn account_set_plan(&self, id: AccountId, plan: &str) -> Result<(), AdminError> {
        self.known_plan(plan)?;
        let plan = plan.to_owned();
        self.store
            .write(move |tx| match accounts::set_plan(tx, id, &plan)? {
                true => Ok(()),
                false => Err(no_account(id)),
            })
            .await
    }

    /// Nobody of the account can use the API, and its sites are not served, until it is resumed.
    pub async fn account_suspend(&self, id: AccountId) -> Result<(), AdminError> {
        self.set_suspended(id, Some(self.clock.now())).await
    }

    pub async fn account_resume(&self, id: AccountId) -> Result<(), AdminError> {
        self.set_suspended(id, None).await
    }

    async fn set_suspended(&self, id: AccountId, at: Option<Timestamp>) -> Result<(), AdminError> {
        let set = self.store.write(move |tx| match accounts::set_suspended(tx, id, at)? {
            true => Ok(()),
            false => Err(no_account(id)),
        });
        set.await?;
        self.store.touch();
        Ok(())
    }

    /// Names the site that an account's requests mean when they name none.
    pub async fn account_set_default_site(&self, id: AccountId, site: &Site) -> Result<(), AdminError> {
        let site = site.clone();
        self.store
            .write(move |tx| {
                accounts::get(tx, id)?.ok_or_else(|| no_account(id))?;
                match sites::set_default(tx, id, site.id)? {
                    true => Ok(()),
                    false => Err(AdminError::refused(format!(
                        "the site {:?} belongs to another account",
                        site.name.as_str()
                    ))),
                }
            })
            .await
    }

    fn known_plan(&self, name: &str) -> Result<(), AdminError> {
        if self.settings.plan(name).is_some() {
            return Ok(());
        }
        let plans: Vec<&str> = self.settings.plans.iter().map(|plan| plan.name.as_str()).collect();
        Err(AdminError::refused(format!("there is no plan {name:?}; the plans are: {}", plans.join(", "))))
    }
}

/// The account's own name, or the first numbered one that is free.
fn first_site(
    tx: &mut Tx,
    account: AccountId,
    name: &AccountName,
    now: Timestamp,
) -> Result<Site, AdminError> {
    let base = SiteName::from_account_name(name.as_str());
    let mut site = Site { id: SiteId::new(now), account, name: base.clone(), version: 0, created_at: now };
    let mut number = 2;
    while !sites::insert(tx, &site)? {
        site.name = base.numbered(number);
        number += 1;
    }
    Ok(site)
}

pub(crate) fn no_account(id: AccountId) -> AdminError {
    AdminError::refused(format!("there is no account {id}; `recto account list` shows them"))
}
