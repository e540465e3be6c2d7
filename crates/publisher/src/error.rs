//! Why a use case did not do what it was asked: what a caller can act on.

use std::collections::BTreeMap;

use model::ByteSize;
use store::usage::{Exceeded, Limited};

/// Messages by field name.
pub type FieldErrors = BTreeMap<&'static str, String>;
/// Field errors by the index of the page in the request.
pub type PageErrors = BTreeMap<usize, FieldErrors>;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request as a whole cannot be understood; the message says where.
    #[error("{0}")]
    Malformed(String),
    /// No token, or one that is unknown or revoked.
    #[error("invalid or revoked token")]
    InvalidToken,
    #[error("the account is suspended")]
    Suspended,
    /// The site is another account's, or nobody's: the two are never told apart.
    #[error("no such site")]
    NoSuchSite,
    #[error("validation failed")]
    Invalid(PageErrors),
    #[error("duplicate slugs in batch")]
    DuplicateSlugs(Vec<[usize; 2]>),
    #[error("slug conflict")]
    SlugConflict(Vec<usize>),
    #[error("unresolved file references")]
    UnresolvedFiles(Unresolved),
    #[error("{name:?} is larger than {limit}")]
    FileTooLarge { name: String, limit: ByteSize },
    /// The account sends too many large files, at once or in an hour.
    #[error("too many large uploads")]
    LargeUploads { retry_after: u64 },
    /// All clients together send too many large files.
    #[error("busy with large uploads")]
    Busy,
    /// Of stored media, live pages or texts.
    #[error("{what:?} quota exceeded")]
    Quota { what: Limited, required: u64, remaining: u64 },
    /// The account's open requests hold as much on the disk as they may together.
    #[error("too much in open requests")]
    OpenRequests,
    /// The server's disk has too little space left to take anything new.
    #[error("insufficient storage on the server")]
    DiskFull,
    #[error("no such page")]
    NoSuchPage,
    #[error("no build yet")]
    NoBuild,
    #[error("build quota exceeded")]
    BuildQuota { limit: u64 },
    #[error("build cooldown active")]
    BuildCooldown { seconds: u64 },
    /// An engine is away for the moment.
    #[error("{0}")]
    Away(String),
    /// An engine was asked to commit and did not answer: the change may be there.
    #[error("{0}")]
    Unconfirmed(String),
    /// Our own fault; the text is for the log.
    #[error("{0}")]
    Internal(String),
}

/// `file:` references that mean no file of the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unresolved {
    /// How many each page has.
    pub counts: BTreeMap<usize, usize>,
    /// What the first of them name, each name once.
    pub names: Vec<String>,
    /// How many name something else.
    pub others: usize,
}

impl Unresolved {
    /// As many as a person reads.
    const MOST_NAMES: usize = 10;
    const MOST_CHARS: usize = 100;

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub(crate) fn add(&mut self, page: usize, names: Vec<String>) {
        self.counts.insert(page, names.len());
        for mut name in names {
            if let Some((end, _)) = name.char_indices().nth(Unresolved::MOST_CHARS) {
                name.replace_range(end.., "…");
            }
            if self.names.contains(&name) {
                continue;
            }
            match self.names.len() < Unresolved::MOST_NAMES {
                true => self.names.push(name),
                false => self.others += 1,
            }
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        match error {
            store::Error::Away(text) => Error::Away(text),
            store::Error::Unknown(text) => Error::Unconfirmed(text),
            store::Error::Full(text) => {
                tracing::error!(text, "the disk of the database is full");
                Error::DiskFull
            }
            store::Error::Internal(text) => Error::Internal(text),
        }
    }
}

impl From<blob::Error> for Error {
    fn from(error: blob::Error) -> Error {
        match error {
            blob::Error::Full(text) => {
                tracing::error!(text, "the disk of the object store is full");
                Error::DiskFull
            }
            blob::Error::Damaged(_) => Error::Internal(error.to_string()),
            error => Error::Away(error.to_string()),
        }
    }
}

impl From<Exceeded> for Error {
    fn from(Exceeded { what, required, remaining }: Exceeded) -> Error {
        Error::Quota { what, required, remaining }
    }
}

/// Why an operator's command did not do what it was asked; the text says what to do.
#[derive(Debug, thiserror::Error)]
pub enum AdminError {
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Store(#[from] store::Error),
    #[error(transparent)]
    Blob(#[from] blob::Error),
}

impl AdminError {
    pub(crate) fn refused(message: impl Into<String>) -> AdminError {
        AdminError::Refused(message.into())
    }
}
