//! Members of an account: who may do what in the dashboard, and invitations.
//!
//! An invitation of someone who is new is a link on which that person chooses a password. Someone whom the server
//! knows already must sign in to join: otherwise the owner of one account could choose the password of a member of
//! another one.

use model::{AccountId, Email, Role, Secret, SiteId, UserId};
use store::members::{self, Member};
use store::sessions::Session;
use store::sites::{self, Site};
use store::tokens::{Caller, Person};
use store::users::User;
use store::{Tx, accounts, links, users};

use super::sessions::{LINK_LIFETIME, new_session_secret};
use crate::{Action, Error, Publisher};

/// A site that a person may use.
#[derive(Debug, Clone)]
pub struct Access {
    pub site: Site,
    pub caller: Caller,
    /// Operators are owners everywhere.
    pub role: Role,
}

/// An invitation; the secret of its link is shown once.
pub struct Invited {
    pub email: Email,
    pub link: Secret,
}

impl Publisher {
    /// Another account's site is answered like one that does not exist.
    pub async fn access(&self, session: &Session, site: SiteId) -> Result<Access, Error> {
        let (user, operator) = (session.user, session.operator);
        let person = Person { email: session.email.clone(), address: None };
        self.peek(move |tx| {
            let site = sites::get(tx, site)?.ok_or(Error::NoSuchSite)?;
            let role = match operator {
                true => Some(Role::Owner),
                false => members::role(tx, site.account, user)?,
            };
            let role = role.ok_or(Error::NoSuchSite)?;
            let account = accounts::get(tx, site.account)?.ok_or(Error::NoSuchSite)?;
            if account.suspended_at.is_some() {
                return Err(Error::Suspended);
            }
            let caller = Caller {
                token: None,
                address: None,
                person: Some(person.clone()),
                account: account.id,
                plan: account.plan,
                suspended: false,
            };
            Ok(Access { site, caller, role })
        })
        .await
    }

    /// The sites that a person may use, by name.
    pub async fn sites_of_person(&self, session: &Session) -> Result<Vec<Site>, Error> {
        let (user, operator) = (session.user, session.operator);
        self.read(move |tx| match operator {
            true => {
                let mut all = sites::list(tx)?;
                all.sort_by(|a, b| a.name.as_str().cmp(b.name.as_str()));
                Ok(all)
            }
            false => Ok(sites::of_user(tx, user)?),
        })
        .await
    }

    /// The accounts that a person owns, with their names.
    pub async fn accounts_of_owner(&self, session: &Session) -> Result<Vec<(AccountId, String)>, Error> {
        let user = session.user;
        self.read(move |tx| {
            let mut owned = Vec::new();
            for membership in members::of_user(tx, user)?.iter().filter(|one| one.role == Role::Owner) {
                let account = accounts::get(tx, membership.account)?;
                owned.extend(account.map(|account| (account.id, account.name)));
            }
            Ok(owned)
        })
        .await
    }

    pub async fn member_list(&self, account: AccountId) -> Result<Vec<Member>, Error> {
        self.read(move |tx| Ok(members::list(tx, account)?)).await
    }

    pub async fn member_invite(
        &self,
        account: AccountId,
        email: Email,
        role: Role,
    ) -> Result<Invited, Error> {
        let (link, log) = (new_session_secret()?, self.log(account, None));
        self.write(move |tx, now| {
            members::lock(tx, account)?;
            let is_new = users::insert(tx, UserId::new(now), &email, false, now)?;
            let user = users::by_email(tx, &email)?
                .ok_or_else(|| Error::Internal("a user is gone that was there".into()))?;
            let is_member = members::role(tx, account, user.id)?.is_some();
            if is_member && user.has_password {
                return Err(Error::refused(format!("{} is a member already", email.as_str())));
            }
            let for_password = is_new || is_member && belongs_only_to(tx, &user, account)?;
            if for_password {
                members::set(tx, account, user.id, role, now)?;
            }
            let joins = (!for_password).then_some((account, role));
            links::remove_expired(tx, user.id, now)?;
            links::insert(tx, &link.hash(), user.id, joins, now.plus(LINK_LIFETIME))?;
            log.note(tx, now, Action::MemberInvited, with_role(email.as_str(), role))?;
            Ok(Invited { email: email.clone(), link: link.clone() })
        })
        .await
    }

    pub async fn member_set_role(&self, account: AccountId, user: UserId, role: Role) -> Result<(), Error> {
        let log = self.log(account, None);
        self.write(move |tx, now| {
            let before = changed_member(tx, account, user)?;
            if role != Role::Owner {
                keep_an_owner(tx, account, &before)?;
            }
            members::set(tx, account, user, role, now)?;
            log.note(tx, now, Action::RoleChanged, with_role(&before.email, role))
        })
        .await
    }

    pub async fn member_remove(&self, account: AccountId, user: UserId) -> Result<(), Error> {
        let log = self.log(account, None);
        self.write(move |tx, now| {
            let member = changed_member(tx, account, user)?;
            keep_an_owner(tx, account, &member)?;
            members::remove(tx, account, user)?;
            if !member.has_password {
                // An invitation that was taken back is not valid any more.
                links::remove_for_password(tx, user)?;
            }
            links::remove_of_account(tx, user, account)?;
            log.note(tx, now, Action::MemberRemoved, member.email)
        })
        .await
    }
}

fn with_role(email: &str, role: Role) -> String {
    format!("{email} ({})", role.as_str())
}

/// Whether the owners of one account invited this person, and no one else trusts them yet.
fn belongs_only_to(tx: &mut Tx, user: &User, account: AccountId) -> Result<bool, Error> {
    let all = members::of_user(tx, user.id)?;
    Ok(!user.operator && all.iter().all(|membership| membership.account == account))
}

/// The member, under a lock: two owners cannot remove each other at once.
fn changed_member(tx: &mut Tx, account: AccountId, user: UserId) -> Result<Member, Error> {
    members::lock(tx, account)?;
    let member = members::list(tx, account)?.into_iter().find(|member| member.user == user);
    member.ok_or_else(|| Error::refused("there is no such member"))
}

fn keep_an_owner(tx: &mut Tx, account: AccountId, without: &Member) -> Result<(), Error> {
    let is_owner = |member: &Member| member.role == Role::Owner && member.user != without.user;
    match without.role != Role::Owner || members::list(tx, account)?.iter().any(is_owner) {
        true => Ok(()),
        false => Err(Error::refused("an account needs an owner: make someone else one first")),
    }
}
