//! Signing in: passwords, sessions, one-time links.
//!
//! Threats and countermeasures:
//! - A copy of the database: passwords are hashed with Argon2id; of the secrets of sessions and links only hashes are
//!   stored.
//! - Guessing which emails exist: an unknown email costs as much time as a wrong password.
//! - A stolen session: a new password ends all sessions, and each person can list and end their own.

use std::sync::LazyLock;
use std::time::Duration;

use model::{AccountId, Email, Password, Secret, SessionId, Timestamp, TokenHash, UserId};
use store::links::{self, Link};
use store::sessions::{self, Session};
use store::{Error as StoreError, Tx, members, users};

use crate::sites::protection;
use crate::{Action, Error, Publisher};

pub(super) const LINK_LIFETIME: Duration = Duration::from_secs(24 * 3600);
/// A session ends when it was not used for so long.
const SESSION_LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);
/// How exactly its last use is known: a request does not cost a write.
const SEEN_EVERY: Duration = Duration::from_secs(3600);
const MAX_CLIENT_CHARS: usize = 200;
/// How often failed attempts to sign in are noted in the audit log.
const FAILURES_EVERY: Duration = Duration::from_secs(3600);

/// Compared with where there is no password, so that it takes as long.
static NO_PASSWORD: LazyLock<String> = LazyLock::new(|| protection::hash("").unwrap_or_default());

impl Publisher {
    /// The secret of a new session; `None`: the email or the password is wrong. `client` is what the browser says it is.
    pub async fn sign_in(
        &self,
        email: &str,
        password: String,
        client: &str,
    ) -> Result<Option<Secret>, Error> {
        let Ok(email) = Email::parse(email) else { return Ok(None) };
        let wanted = email.clone();
        let known = self.peek(move |tx| Ok(users::password(tx, &wanted)?)).await?;
        let hash = known.as_ref().map(|(_, hash)| hash.clone());
        let right = protection::hashing(move || match password.len() {
            0..=model::limits::PASSWORD_BYTES => {
                protection::verify(hash.as_deref().unwrap_or(&NO_PASSWORD), &password)
            }
            _ => Ok(false),
        });
        let right = right.await?;
        let (client, publisher) = (shortened(client), self.clone());
        if let Some((user, _)) = known.as_ref().filter(|_| !right) {
            self.note_failure(*user, email.as_str(), client).await?;
            return Ok(None);
        }
        let Some((user, hash)) = known else { return Ok(None) };
        let secret = new_session_secret()?;
        self.write(move |tx, now| {
            // Not if another password was chosen while this one was checked: that ends older sessions.
            if users::password(tx, &email)? != Some((user, hash.clone())) {
                return Ok(None);
            }
            begin(tx, user, &secret, &client, now)?;
            for membership in members::of_user(tx, user)? {
                publisher.log(membership.account, None).note(tx, now, Action::SignIn, client.as_str())?;
            }
            Ok(Some(secret.clone()))
        })
        .await
    }

    /// Once an hour for each person: wrong passwords must not push everything else out of the log.
    async fn note_failure(&self, user: UserId, email: &str, client: String) -> Result<(), Error> {
        let (publisher, email) = (self.clone(), email.to_owned());
        self.write(move |tx, now| {
            for membership in members::of_user(tx, user)? {
                let log = publisher.log(membership.account, None);
                log.note_once(tx, now, (Action::SignInFailed, &email), FAILURES_EVERY, client.as_str())?;
            }
            Ok(())
        })
        .await
    }

    /// The session with this secret.
    pub async fn session(&self, secret: &str) -> Result<Option<Session>, Error> {
        let Some(secret) = Secret::parse(secret) else { return Ok(None) };
        let (hash, now) = (secret.hash(), self.clock.now());
        let since = now.minus(SESSION_LIFETIME);
        let session = self.peek(move |tx| Ok(sessions::find(tx, &hash, since)?)).await?;
        if let Some(session) = session.as_ref().filter(|session| session.seen_at.plus(SEEN_EVERY) < now) {
            let id = session.id;
            self.write(move |tx, now| Ok(sessions::touch(tx, id, now)?)).await?;
        }
        Ok(session)
    }

    /// A person's sessions, the newest use first.
    pub async fn session_list(&self, user: UserId) -> Result<Vec<Session>, Error> {
        let since = self.clock.now().minus(SESSION_LIFETIME);
        self.read(move |tx| Ok(sessions::list(tx, user, since)?)).await
    }

    /// `false`: the person has no such session.
    pub async fn session_end(&self, user: UserId, id: SessionId) -> Result<bool, Error> {
        let publisher = self.clone();
        self.write(move |tx, now| {
            let all = sessions::list(tx, user, now.minus(SESSION_LIFETIME))?;
            let Some(session) = all.into_iter().find(|session| session.id == id) else { return Ok(false) };
            for membership in members::of_user(tx, user)? {
                let log = publisher.log(membership.account, None);
                log.note(tx, now, Action::SessionEnded, session.client.as_str())?;
            }
            Ok(sessions::remove(tx, user, id)?)
        })
        .await
    }

    /// Looks at a one-time link without using it up. `None`: it was used, or is too old.
    pub async fn link(&self, secret: &str) -> Result<Option<Link>, Error> {
        let Some(secret) = Secret::parse(secret) else { return Ok(None) };
        let (hash, now) = (secret.hash(), self.clock.now());
        self.peek(move |tx| Ok(links::find(tx, &hash, now)?)).await
    }

    /// Uses up a link to choose a password, ends older sessions, and begins one. `None`: the link is not valid any more.
    pub async fn choose_password(
        &self,
        link: &str,
        password: Password,
        client: &str,
    ) -> Result<Option<Secret>, Error> {
        let Some(link) = Secret::parse(link) else { return Ok(None) };
        let hash =
            protection::hashing(move || protection::hash(password.as_str()).map_err(Error::Internal)).await?;
        let (secret, client, publisher) = (new_session_secret()?, shortened(client), self.clone());
        self.write(move |tx, now| {
            let Some(found) = take(tx, &link.hash(), now, |found| found.account.is_none())? else {
                return Ok(None);
            };
            users::set_password(tx, found.user, &hash)?;
            links::remove_for_password(tx, found.user)?;
            sessions::remove_unused(tx, found.user, Timestamp::MAX)?;
            begin(tx, found.user, &secret, &client, now)?;
            for membership in members::of_user(tx, found.user)? {
                let log = publisher.log(membership.account, None);
                log.note(tx, now, Action::PasswordChosen, found.email.as_str())?;
            }
            Ok(Some(secret.clone()))
        })
        .await
    }

    /// Uses up an invitation. `None`: it is not valid any more, or it is for someone else.
    pub async fn join(&self, user: UserId, link: &str) -> Result<Option<AccountId>, Error> {
        let Some(link) = Secret::parse(link) else { return Ok(None) };
        let publisher = self.clone();
        self.write(move |tx, now| {
            let Some(found) = take(tx, &link.hash(), now, |found| found.user == user)? else {
                return Ok(None);
            };
            let (Some(account), Some(role)) = (found.account, found.role) else { return Ok(None) };
            if members::role(tx, account, user)?.is_none() {
                members::set(tx, account, user, role, now)?;
                publisher.log(account, None).note(tx, now, Action::MemberJoined, found.email.as_str())?;
            }
            Ok(Some(account))
        })
        .await
    }
}

/// Uses up a link, if it is the right kind.
fn take(
    tx: &mut Tx,
    hash: &TokenHash,
    now: Timestamp,
    is_right: impl Fn(&Link) -> bool,
) -> Result<Option<Link>, Error> {
    let Some(found) = links::find(tx, hash, now)?.filter(is_right) else { return Ok(None) };
    Ok(links::use_up(tx, hash, now)?.then_some(found))
}

pub(super) fn begin(
    tx: &mut Tx,
    user: UserId,
    secret: &Secret,
    client: &str,
    now: Timestamp,
) -> Result<(), Error> {
    sessions::remove_unused(tx, user, now.minus(SESSION_LIFETIME))?;
    links::remove_expired(tx, user, now)?;
    Ok(sessions::insert(tx, SessionId::new(now), user, &secret.hash(), client, now)?)
}

pub(super) fn shortened(client: &str) -> String {
    client.chars().filter(|char| !char.is_control()).take(MAX_CLIENT_CHARS).collect()
}

pub(super) fn new_session_secret() -> Result<Secret, Error> {
    Secret::generate().map_err(|error| StoreError::Internal(format!("generate a secret: {error}")).into())
}
