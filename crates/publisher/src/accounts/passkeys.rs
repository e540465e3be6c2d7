//! Passkeys: register, list, remove, and sign in with one.
//!
//! Threats and countermeasures:
//! - A signature that is sent again: a challenge is stored by its hash, valid for five minutes and deleted by its first use,
//!   right or wrong.
//! - A page of another origin: the browser signs the origin, and the authenticator the host.
//! - A copied authenticator: the count of uses must rise, if it counts at all.
//! - A passkey of another person: it is bound to its user, and its id is unique.

mod signature;

use std::net::IpAddr;
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use model::{PasskeyName, Secret, Timestamp, TokenHash, UserId, sha256};
use store::passkeys::{self, Passkey};
use store::sessions::Session;
use store::{Tx, members, users};

pub use self::signature::RelyingParty;
use self::signature::{AuthenticatorData, Ceremony, challenge_of, is_signed, is_supported};
use super::sessions::{begin, new_session_secret, shortened};
use crate::{Action, Actor, Error, Person, Publisher};

const CHALLENGE_LIFETIME: Duration = Duration::from_secs(5 * 60);
/// More than a person has devices.
const MAX_PASSKEYS: usize = 20;
/// As the specification says.
const MAX_CREDENTIAL_BYTES: usize = 1023;

/// What the browser sends to register a passkey.
pub struct Registration {
    pub name: PasskeyName,
    pub client_data: Vec<u8>,
    pub authenticator_data: Vec<u8>,
    /// A SubjectPublicKeyInfo.
    pub public_key: Vec<u8>,
}

/// What the browser sends to sign in.
pub struct Assertion {
    pub credential: Vec<u8>,
    pub client_data: Vec<u8>,
    pub authenticator_data: Vec<u8>,
    pub signature: Vec<u8>,
    /// The id of the user.
    pub user_handle: Vec<u8>,
}

impl Publisher {
    pub async fn passkey_list(&self, user: UserId) -> Result<Vec<Passkey>, Error> {
        self.read(move |tx| Ok(passkeys::list(tx, user)?)).await
    }

    /// What a passkey has to sign: to be registered by this person, or without one to sign in.
    pub async fn passkey_challenge(&self, user: Option<UserId>) -> Result<String, Error> {
        let mut challenge = [0; 32];
        getrandom::fill(&mut challenge)
            .map_err(|error| Error::Internal(format!("no randomness: {error}")))?;
        let challenge = BASE64_URL_SAFE_NO_PAD.encode(challenge);
        let hash = hash(&challenge);
        self.write(move |tx, now| {
            Ok(passkeys::add_challenge(tx, &hash, user, now, now.plus(CHALLENGE_LIFETIME))?)
        })
        .await?;
        Ok(challenge)
    }

    pub async fn passkey_register(
        &self,
        session: &Session,
        party: &RelyingParty,
        sent: Registration,
    ) -> Result<(), Error> {
        let refused = || Error::refused("the passkey could not be registered; please try again");
        let challenge = challenge_of(&sent.client_data, Ceremony::Register, party).ok_or_else(refused)?;
        let data = AuthenticatorData::parse(&sent.authenticator_data, party).ok_or_else(refused)?;
        let id = data.credential.filter(|id| (1..=MAX_CREDENTIAL_BYTES).contains(&id.len()));
        let id = id.ok_or_else(refused)?.to_vec();
        if !is_supported(&sent.public_key) {
            return Err(Error::refused("keys of this kind are not supported"));
        }
        let (user, count, publisher) = (session.user, i64::from(data.sign_count), self.clone());
        let (public_key, name, challenge) = (sent.public_key, sent.name, hash(&challenge));
        let registered = self.write(move |tx, now| {
            // A challenge is used up, whether or not the rest is right.
            if !passkeys::use_challenge(tx, &challenge, Some(user), now)? {
                return Ok(Err(refused()));
            }
            if passkeys::list(tx, user)?.len() >= MAX_PASSKEYS {
                return Ok(Err(Error::refused(format!("a person has at most {MAX_PASSKEYS} passkeys"))));
            }
            let passkey = Passkey {
                credential: id.clone(),
                user,
                public_key: public_key.clone(),
                sign_count: count,
                name: name.as_str().to_owned(),
                created_at: now,
                last_used_at: None,
            };
            if !passkeys::insert(tx, &passkey)? {
                return Ok(Err(Error::refused("this passkey is registered already")));
            }
            publisher.note_for(tx, user, now, Action::PasskeyAdded, name.as_str())?;
            Ok(Ok(()))
        });
        registered.await?
    }

    /// `false`: the person has no such passkey.
    pub async fn passkey_remove(&self, user: UserId, credential: Vec<u8>) -> Result<bool, Error> {
        let publisher = self.clone();
        self.write(move |tx, now| {
            let Some(passkey) = passkeys::get(tx, &credential)?.filter(|passkey| passkey.user == user) else {
                return Ok(false);
            };
            publisher.note_for(tx, user, now, Action::PasskeyRemoved, &passkey.name)?;
            Ok(passkeys::remove(tx, user, &credential)?)
        })
        .await
    }

    /// The secret of a new session; `None`: something is wrong. The client is what the browser says it is, and its
    /// address.
    pub async fn passkey_sign_in(
        &self,
        party: &RelyingParty,
        sent: Assertion,
        (client, address): (&str, IpAddr),
    ) -> Result<Option<Secret>, Error> {
        let Some(challenge) = challenge_of(&sent.client_data, Ceremony::SignIn, party) else {
            return Ok(None);
        };
        let (challenge, party, publisher) = (hash(&challenge), party.clone(), self.clone());
        let (secret, client) = (new_session_secret()?, shortened(client));
        self.write(move |tx, now| {
            if !passkeys::use_challenge(tx, &challenge, None, now)? {
                return Ok(None);
            }
            let Some((passkey, count)) = checked(tx, &party, &sent)? else { return Ok(None) };
            if !passkeys::note_use(tx, &passkey.credential, count, now)? {
                tracing::warn!(user = %passkey.user, "passkey refused: its count of uses did not rise");
                return Ok(None);
            }
            begin(tx, passkey.user, &secret, &client, now)?;
            let email = users::email(tx, passkey.user)?.unwrap_or_default();
            let person = publisher.by(Actor::Person(Person { email, address: Some(address) }));
            person.note_for(tx, passkey.user, now, Action::SignIn, &format!("passkey {}", passkey.name))?;
            Ok(Some(secret.clone()))
        })
        .await
    }

    /// In the log of each account that the person belongs to.
    fn note_for(
        &self,
        tx: &mut Tx,
        user: UserId,
        now: Timestamp,
        action: Action,
        subject: &str,
    ) -> Result<(), Error> {
        for membership in members::of_user(tx, user)? {
            self.log(membership.account, None).note(tx, now, action, subject)?;
        }
        Ok(())
    }
}

/// The passkey that has signed, and its new count.
fn checked(tx: &mut Tx, party: &RelyingParty, sent: &Assertion) -> Result<Option<(Passkey, i64)>, Error> {
    let Some(data) = AuthenticatorData::parse(&sent.authenticator_data, party) else { return Ok(None) };
    let Some(passkey) = passkeys::get(tx, &sent.credential)? else { return Ok(None) };
    let is_right = passkey.user.0.as_bytes().as_slice() == sent.user_handle
        && is_signed(&passkey.public_key, &sent.authenticator_data, &sent.client_data, &sent.signature);
    Ok(is_right.then(|| (passkey, i64::from(data.sign_count))))
}

fn hash(challenge: &str) -> TokenHash {
    TokenHash(sha256(challenge))
}
