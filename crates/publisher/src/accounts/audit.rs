//! The audit log of an account: who did what. An entry is written in the transaction of the action, so that there is
//! none without the other. It has no secrets and no texts.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use model::{AccountId, AuditId, SiteId, Timestamp, TokenId};
use store::audit::{self, Entry, Filter};
use store::{Tx, tokens};
use uuid::Uuid;

use crate::{Caller, Error, Person, Publisher};

/// Entries are deleted after this time.
const KEEP_FOR: Duration = Duration::from_secs(400 * 24 * 3600);
/// The most entries of an account; older ones are deleted first.
const KEEP: i64 = 20_000;
/// Rows deleted in one transaction.
const ROWS: i64 = 500;
const MAX_SUBJECT_CHARS: usize = 500;

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Actor {
    Person(Person),
    Token {
        id: TokenId,
        address: Option<IpAddr>,
    },
    /// A command of the operator, with the name of the system's user.
    Command(String),
    /// The server itself.
    #[default]
    System,
}

/// What was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    SignIn,
    SignInFailed,
    SessionEnded,
    PasswordChosen,
    PasskeyAdded,
    PasskeyRemoved,
    TokenCreated,
    TokenRevoked,
    MemberInvited,
    MemberJoined,
    RoleChanged,
    MemberRemoved,
    SettingsChanged,
    DomainAdded,
    DomainRemoved,
    SitePasswordSet,
    SitePasswordRemoved,
    BuildRequested,
    RolledBack,
    SiteCreated,
    SiteRenamed,
    SiteDeleted,
    PagesPublished,
    PageDeleted,
    PageRestored,
    TrashEmptied,
    MediaDeleted,
    AccountCreated,
    PlanChanged,
    AccountSuspended,
    AccountResumed,
    DefaultSiteChanged,
}

impl Action {
    pub const ALL: [Action; 32] = [
        Action::SignIn,
        Action::SignInFailed,
        Action::SessionEnded,
        Action::PasswordChosen,
        Action::PasskeyAdded,
        Action::PasskeyRemoved,
        Action::TokenCreated,
        Action::TokenRevoked,
        Action::MemberInvited,
        Action::MemberJoined,
        Action::RoleChanged,
        Action::MemberRemoved,
        Action::SettingsChanged,
        Action::DomainAdded,
        Action::DomainRemoved,
        Action::SitePasswordSet,
        Action::SitePasswordRemoved,
        Action::BuildRequested,
        Action::RolledBack,
        Action::SiteCreated,
        Action::SiteRenamed,
        Action::SiteDeleted,
        Action::PagesPublished,
        Action::PageDeleted,
        Action::PageRestored,
        Action::TrashEmptied,
        Action::MediaDeleted,
        Action::AccountCreated,
        Action::PlanChanged,
        Action::AccountSuspended,
        Action::AccountResumed,
        Action::DefaultSiteChanged,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Action::SignIn => "signed in",
            Action::SignInFailed => "sign-in failed",
            Action::SessionEnded => "session ended",
            Action::PasswordChosen => "password chosen",
            Action::PasskeyAdded => "passkey added",
            Action::PasskeyRemoved => "passkey removed",
            Action::TokenCreated => "token created",
            Action::TokenRevoked => "token revoked",
            Action::MemberInvited => "member invited",
            Action::MemberJoined => "member joined",
            Action::RoleChanged => "role changed",
            Action::MemberRemoved => "member removed",
            Action::SettingsChanged => "settings changed",
            Action::DomainAdded => "domain added",
            Action::DomainRemoved => "domain removed",
            Action::SitePasswordSet => "site password set",
            Action::SitePasswordRemoved => "site password removed",
            Action::BuildRequested => "build requested",
            Action::RolledBack => "rolled back",
            Action::SiteCreated => "site created",
            Action::SiteRenamed => "site renamed",
            Action::SiteDeleted => "site deleted",
            Action::PagesPublished => "pages published",
            Action::PageDeleted => "page deleted",
            Action::PageRestored => "page restored",
            Action::TrashEmptied => "trash emptied",
            Action::MediaDeleted => "media deleted",
            Action::AccountCreated => "account created",
            Action::PlanChanged => "plan changed",
            Action::AccountSuspended => "account suspended",
            Action::AccountResumed => "account resumed",
            Action::DefaultSiteChanged => "default site changed",
        }
    }
}

/// Who acts in an account, for the transaction of the action.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    actor: Arc<Actor>,
    account: AccountId,
    site: Option<SiteId>,
}

impl Log {
    pub(crate) fn note(
        &self,
        tx: &mut Tx,
        now: Timestamp,
        action: Action,
        subject: impl Into<String>,
    ) -> Result<(), Error> {
        let (kind, actor, address) = match &*self.actor {
            Actor::Person(Person { email, address }) => ("user", email.clone(), *address),
            Actor::Token { id, address } => ("token", id.to_string(), *address),
            Actor::Command(user) => ("command", user.clone(), None),
            Actor::System => ("system", String::new(), None),
        };
        let entry = Entry {
            id: AuditId::new(now),
            at: now,
            site: self.site,
            actor_kind: kind.to_owned(),
            actor,
            address: address.map(|address| address.to_string()).unwrap_or_default(),
            action: action.as_str().to_owned(),
            subject: subject.into().chars().take(MAX_SUBJECT_CHARS).collect(),
        };
        Ok(audit::insert(tx, self.account, &entry)?)
    }

    /// Unless the same was noted for this actor a short time ago.
    pub(crate) fn note_once(
        &self,
        tx: &mut Tx,
        now: Timestamp,
        (action, actor): (Action, &str),
        every: Duration,
        subject: &str,
    ) -> Result<(), Error> {
        let since = AuditId::new(now.minus(every));
        match audit::is_noted(tx, self.account, since, action.as_str(), actor)? {
            true => Ok(()),
            false => self.note(tx, now, action, subject),
        }
    }
}

/// An entry as people read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    pub entry: Entry,
    /// The name of the token that acted.
    pub token_name: Option<String>,
}

impl Publisher {
    /// The same publisher, for what this actor does.
    pub fn by(&self, actor: Actor) -> Publisher {
        Publisher { parts: self.parts.clone(), actor: Arc::new(actor) }
    }

    pub(crate) fn log(&self, account: AccountId, site: Option<SiteId>) -> Log {
        Log { actor: self.actor.clone(), account, site }
    }

    /// The same for a request.
    pub(crate) fn log_of(&self, caller: &Caller, site: Option<SiteId>) -> Log {
        self.by_caller(caller).log(caller.account, site)
    }

    /// The same publisher, for what a request does: a token acts for itself.
    pub(crate) fn by_caller(&self, caller: &Caller) -> Publisher {
        match (caller.token, &caller.person) {
            (Some(id), _) => self.by(Actor::Token { id, address: caller.address }),
            (None, Some(person)) => self.by(Actor::Person(person.clone())),
            (None, None) => self.clone(),
        }
    }

    /// At most `most` entries of an account, newest first, older than `before`; of one action, or of all.
    pub async fn audit_list(
        &self,
        account: AccountId,
        action: Option<Action>,
        before: Option<AuditId>,
        most: usize,
    ) -> Result<Vec<AuditEntry>, Error> {
        let action = action.map(Action::as_str).unwrap_or_default().to_owned();
        let filter = Filter { action, before: before.unwrap_or(AuditId(Uuid::max())) };
        self.read(move |tx| {
            let entries = audit::list(tx, account, &filter, most as i64)?;
            let tokens = tokens::of_account(tx, account)?;
            let name = |entry: &Entry| {
                let token = tokens.iter().find(|token| token.id.to_string() == entry.actor)?;
                Some(token.name.clone()).filter(|name| !name.is_empty())
            };
            Ok(entries.into_iter().map(|entry| AuditEntry { token_name: name(&entry), entry }).collect())
        })
        .await
    }

    /// Deletes entries that are old, or too many; returns how many.
    pub async fn sweep_audit(&self) -> Result<u64, Error> {
        let (mut all, before) = (0, self.clock.now().minus(KEEP_FOR));
        loop {
            let forgotten = self.write(move |tx, _| Ok(audit::forget_before(tx, before, ROWS)?)).await?;
            all += forgotten;
            if forgotten == 0 {
                break;
            }
        }
        for account in self.read(|tx| Ok(audit::crowded(tx, KEEP)?)).await? {
            loop {
                let trimmed = self.write(move |tx, _| Ok(audit::trim(tx, account, KEEP, ROWS)?)).await?;
                all += trimmed;
                if trimmed == 0 {
                    break;
                }
            }
        }
        Ok(all)
    }
}
