//! Password-protected sites. Visitors who entered the password get a signed cookie.

use argon2::Argon2;
use argon2::password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash};
use model::Timestamp;
use store::hosts::{self, Protection};
use store::sites::Site;
use tokio::sync::Semaphore;

use crate::{Action, Error, Publisher};

/// Longer passwords are refused: hashing them would only cost time.
const MAX_PASSWORD_BYTES: usize = 1000;

impl Publisher {
    /// Protects a site with a password. Visitors who entered an earlier one have to enter the new one.
    pub async fn protect(&self, site: &Site, password: &str) -> Result<(), Error> {
        if password.is_empty() || password.len() > MAX_PASSWORD_BYTES {
            return Err(Error::refused("a password has 1 to 1000 bytes"));
        }
        let password = password.to_owned();
        let protection = hashing(move || protection(&password).map_err(Error::refused)).await?;
        self.set_protection(site, Some(protection)).await
    }

    pub async fn unprotect(&self, site: &Site) -> Result<(), Error> {
        self.set_protection(site, None).await
    }

    pub async fn site_is_protected(&self, site: &Site) -> Result<bool, Error> {
        let name = site.name.clone();
        let hosted = self.read(move |tx| Ok(hosts::by_name(tx, &name)?)).await?;
        Ok(hosted.is_some_and(|site| site.protection.is_some()))
    }

    async fn set_protection(&self, site: &Site, protection: Option<Protection>) -> Result<(), Error> {
        let (id, name, log) = (site.id, site.name.clone(), self.log(site.account, Some(site.id)));
        self.write(move |tx, now| {
            hosts::protect(tx, id, protection.as_ref())?;
            let action = match protection {
                Some(_) => Action::SitePasswordSet,
                None => Action::SitePasswordRemoved,
            };
            log.note(tx, now, action, name.as_str())
        })
        .await
    }

    /// Returns the value of a cookie that is valid until `until`, if the password is right. Deliberately slow.
    pub async fn unlock(
        &self,
        protection: &Protection,
        password: String,
        until: Timestamp,
    ) -> Result<Option<String>, Error> {
        if password.len() > MAX_PASSWORD_BYTES {
            return Ok(None);
        }
        let (hash, key) = (protection.password_hash.clone(), protection.cookie_key.clone());
        let right = hashing(move || verify(&hash, &password)).await?;
        Ok(right.then(|| sign(&key, until)))
    }

    pub fn is_unlocked(&self, protection: &Protection, cookie: &str) -> bool {
        let Some(until) = cookie.split_once('.').and_then(|(until, _)| until.parse().ok()) else {
            return false;
        };
        let until = Timestamp::from_micros(until);
        // Compared as hashes: the time it takes reveals nothing about the right value.
        until > self.clock.now()
            && blake3::hash(sign(&protection.cookie_key, until).as_bytes()) == blake3::hash(cookie.as_bytes())
    }
}

fn protection(password: &str) -> Result<Protection, String> {
    let mut cookie_key = vec![0; 32];
    getrandom::fill(&mut cookie_key).map_err(|error| format!("no randomness: {error}"))?;
    Ok(Protection { password_hash: hash(password)?, cookie_key })
}

/// Passwords that are hashed at a time: each takes 19 MB of memory, and a core for some milliseconds.
static HASHING: Semaphore = Semaphore::const_new(4);

/// Hashes a password on another thread, when one of few places is free.
pub(crate) async fn hashing<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let _place = HASHING.acquire().await;
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| Error::Internal(format!("hash a password: {error}")))?
}

/// Deliberately slow.
pub(crate) fn hash(password: &str) -> Result<String, String> {
    let hash = Argon2::default().hash_password(password.as_bytes());
    hash.map(|hash| hash.to_string()).map_err(|error| format!("hash the password: {error}"))
}

/// Deliberately slow.
pub(crate) fn verify(hash: &str, password: &str) -> Result<bool, Error> {
    let hash =
        PasswordHash::new(hash).map_err(|error| Error::Internal(format!("a stored password: {error}")))?;
    Ok(Argon2::default().verify_password(password.as_bytes(), &hash).is_ok())
}

/// The end of the cookie's validity, and a keyed hash of it.
fn sign(key: &[u8], until: Timestamp) -> String {
    let until = until.micros().to_string();
    let mut whole = [0; 32];
    let length = key.len().min(32);
    whole[..length].copy_from_slice(&key[..length]);
    format!("{until}.{}", blake3::keyed_hash(&whole, until.as_bytes()).to_hex())
}
