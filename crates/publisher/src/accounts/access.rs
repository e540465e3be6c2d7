//! Authentication, and the site of a request.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use model::{AccountId, SiteId, Timestamp, TokenId, TokenSecret};
use store::sites::{self, Site};
use store::tokens::{self, Caller};
use store::{Store, Tx};

use crate::{Error, Publisher};

/// When tokens were last used. The next upkeep stores it, so that a request does not cost a write.
#[derive(Default)]
pub(crate) struct LastUsed(Mutex<HashMap<TokenId, Timestamp>>);

impl LastUsed {
    fn note(&self, token: TokenId, now: Timestamp) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(token, now);
    }

    /// Takes back times that could not be stored, unless there is a newer one.
    pub(crate) fn put_back(&self, used: &[(TokenId, Timestamp)]) {
        let mut times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for (token, time) in used {
            times.entry(*token).or_insert(*time);
        }
    }

    pub(crate) fn take(&self) -> Vec<(TokenId, Timestamp)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).drain().collect()
    }
}

impl Publisher {
    /// The account of a token. It is looked up each time, so that a revoked token is refused from the next request on.
    pub async fn authenticate(&self, token: &str) -> Result<Caller, Error> {
        let hash = TokenSecret::parse(token).ok_or(Error::InvalidToken)?.hash();
        let caller = self.peek(move |tx| Ok(tokens::authenticate(tx, &hash)?)).await?;
        let caller = caller.ok_or(Error::InvalidToken)?;
        if let Some(token) = caller.token {
            self.last_used.note(token, self.clock.now());
        }
        Ok(caller)
    }
}

/// The site of a request. Another account's site is answered like one that does not exist.
pub(crate) fn site_of(tx: &mut Tx, account: AccountId, id: Option<SiteId>) -> Result<Site, Error> {
    let site = match id {
        Some(id) => sites::of_account(tx, account, id)?,
        None => sites::default_of(tx, account)?,
    };
    site.ok_or(Error::NoSuchSite)
}

/// The same in a separate transaction.
pub(crate) async fn find_site(store: &Store, account: AccountId, id: Option<SiteId>) -> Result<Site, Error> {
    store.peek(move |tx| site_of(tx, account, id)).await
}
