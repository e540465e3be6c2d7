//! People, for the operator: create, list, and links on which they choose a password.

use model::{AccountId, Email, Role, UserId};
use store::members::Membership;
use store::users::User;
use store::{accounts, links, members, users};

use super::sessions::{LINK_LIFETIME, new_session_secret};
use crate::accounts::no_account;
use crate::{Action, Error, Publisher};

/// The secret of the link is shown once.
pub struct UserCreated {
    pub user: UserId,
    pub link: model::Secret,
}

impl Publisher {
    /// Makes a person a member of an account, creating the person if necessary, and a link on which to choose a
    /// password. Older links end, since they were given out before the person belonged to this account.
    pub async fn user_create(
        &self,
        email: Email,
        account: AccountId,
        role: Role,
        operator: bool,
    ) -> Result<UserCreated, Error> {
        let (link, log) = (new_session_secret()?, self.log(account, None));
        self.write(move |tx, now| {
            accounts::get(tx, account)?.ok_or_else(|| no_account(account))?;
            users::insert(tx, UserId::new(now), &email, operator, now)?;
            let user = users::by_email(tx, &email)?.ok_or_else(|| no_user(&email))?;
            if operator {
                users::set_operator(tx, user.id, true)?;
            }
            members::set(tx, account, user.id, role, now)?;
            links::remove_for_password(tx, user.id)?;
            links::insert(tx, &link.hash(), user.id, None, now.plus(LINK_LIFETIME))?;
            log.note(tx, now, Action::MemberInvited, format!("{} ({})", email.as_str(), role.as_str()))?;
            Ok(UserCreated { user: user.id, link: link.clone() })
        })
        .await
    }

    /// A new link on which a person chooses a password.
    pub async fn user_link(&self, email: Email) -> Result<model::Secret, Error> {
        let link = new_session_secret()?;
        self.write(move |tx, now| {
            let user = users::by_email(tx, &email)?.ok_or_else(|| no_user(&email))?;
            links::remove_expired(tx, user.id, now)?;
            links::insert(tx, &link.hash(), user.id, None, now.plus(LINK_LIFETIME))?;
            Ok(link.clone())
        })
        .await
    }

    /// All people, and the accounts that they belong to.
    pub async fn user_list(&self) -> Result<(Vec<User>, Vec<Membership>), Error> {
        self.read(|tx| Ok((users::list(tx)?, members::all(tx)?))).await
    }
}

fn no_user(email: &Email) -> Error {
    Error::refused(format!("there is no user {:?}; `recto user list` shows them", email.as_str()))
}
