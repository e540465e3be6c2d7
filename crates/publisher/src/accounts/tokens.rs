//! Tokens, for the operator: create, list, revoke.

use model::{AccountId, Timestamp, TokenId, TokenName, TokenSecret};
use serde::Serialize;
use store::tokens::{self, Token};
use store::{Error as StoreError, Tx, accounts};

use crate::accounts::no_account;
use crate::{Action, Error, Publisher};

/// Shown once.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenCreated {
    pub token_id: TokenId,
    pub token: String,
}

impl Publisher {
    pub async fn token_create(&self, account: AccountId, name: TokenName) -> Result<TokenCreated, Error> {
        let (secret, log) = (new_secret()?, self.log(account, None));
        self.write(move |tx, now| {
            accounts::get(tx, account)?.ok_or_else(|| no_account(account))?;
            let token_id = TokenId::new(now);
            tokens::insert(tx, token_id, account, &name, &secret.hash(), now)?;
            log.note(tx, now, Action::TokenCreated, name.as_str())?;
            Ok(TokenCreated { token_id, token: secret.as_str().to_owned() })
        })
        .await
    }

    pub async fn token_list(&self) -> Result<Vec<Token>, Error> {
        self.read(|tx| Ok(tokens::list(tx)?)).await
    }

    pub async fn tokens_of_account(&self, account: AccountId) -> Result<Vec<Token>, Error> {
        self.read(move |tx| Ok(tokens::of_account(tx, account)?)).await
    }

    /// For an owner of the account: another account's token is answered like one that does not exist.
    pub async fn token_revoke_of(&self, account: AccountId, id: TokenId) -> Result<(), Error> {
        let publisher = self.clone();
        self.write(move |tx, now| match tokens::of_account(tx, account)?.iter().any(|token| token.id == id) {
            true => publisher.revoke(tx, id, now).map(drop),
            false => Err(Error::refused("there is no such token")),
        })
        .await
    }

    pub async fn token_revoke(&self, id: TokenId) -> Result<(), Error> {
        let unknown =
            move || Error::refused(format!("there is no token {id}; `recto token list` shows them"));
        let publisher = self.clone();
        self.write(move |tx, now| match publisher.revoke(tx, id, now)? {
            true => Ok(()),
            false => Err(unknown()),
        })
        .await
    }

    /// `false`: there is no such token.
    fn revoke(&self, tx: &mut Tx, id: TokenId, now: Timestamp) -> Result<bool, Error> {
        let Some((account, name)) = tokens::revoke(tx, id, now)? else { return Ok(false) };
        self.log(account, None).note(tx, now, Action::TokenRevoked, name)?;
        Ok(true)
    }
}

pub(crate) fn new_secret() -> Result<TokenSecret, Error> {
    TokenSecret::generate().map_err(|error| StoreError::Internal(format!("generate a token: {error}")).into())
}
