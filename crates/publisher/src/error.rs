//! The errors of the use cases, as far as a caller can act on them.

use std::collections::BTreeMap;

use limits::TooManyUploads;
use model::ByteSize;
use store::usage::{Exceeded, Limited};

/// Messages by field name.
pub type FieldErrors = BTreeMap<&'static str, String>;
/// Messages by the key of a setting.
pub type SettingErrors = BTreeMap<String, String>;
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
    /// The site belongs to another account, or does not exist: the two are never distinguished.
    #[error("no such site")]
    NoSuchSite,
    #[error("validation failed")]
    Invalid(PageErrors),
    #[error("{}", joined(.0))]
    InvalidSettings(SettingErrors),
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
    /// The quota of stored media, live pages or texts.
    #[error("{what:?} quota exceeded")]
    Quota { what: Limited, required: u64, remaining: u64 },
    /// The account's open requests together hold as many bytes on disk as they may.
    #[error("too much in open requests")]
    OpenRequests,
    /// The server's disk has too little free space to store anything new.
    #[error("insufficient storage on the server")]
    DiskFull,
    #[error("no such page")]
    NoSuchPage,
    /// The page was changed after its sender had read it.
    #[error("the page was changed meanwhile")]
    Changed,
    #[error("no build yet")]
    NoBuild,
    #[error("build quota exceeded")]
    BuildQuota { limit: u64 },
    #[error("build cooldown active")]
    BuildCooldown { seconds: u64 },
    /// Why an operator's command changed nothing; the text says what to do.
    #[error("{0}")]
    Refused(String),
    /// Something changed while the request arrived: sent again, it succeeds.
    #[error("{0}")]
    Overtaken(&'static str),
    /// The database or the object store is unavailable for the moment.
    #[error("{0}")]
    Unavailable(String),
    /// The database did not confirm a commit: the change may or may not be stored.
    #[error("{0}")]
    CommitUnknown(String),
    /// A fault of the server; the text is for the log.
    #[error("{0}")]
    Internal(String),
}

fn joined(errors: &SettingErrors) -> String {
    errors.values().map(String::as_str).collect::<Vec<_>>().join("; ")
}

/// `file:` references without a file in the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unresolved {
    /// How many each page has.
    pub counts: BTreeMap<usize, usize>,
    /// The first names, each once.
    pub names: Vec<String>,
    /// How many other names there are.
    pub others: usize,
}

impl Unresolved {
    /// As many as a person would read.
    const MOST_NAMES: usize = 10;
    const MOST_CHARS: usize = 100;

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub(crate) fn add(&mut self, page: usize, names: Vec<String>) {
        *self.counts.entry(page).or_default() += names.len();
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

impl From<TooManyUploads> for Error {
    fn from(refused: TooManyUploads) -> Error {
        match refused {
            TooManyUploads::OfAccount { retry_after } => Error::LargeUploads { retry_after },
            TooManyUploads::OfAll => Error::Busy,
        }
    }
}

impl From<store::Error> for Error {
    fn from(error: store::Error) -> Error {
        match error {
            store::Error::Unavailable(_) => Error::Unavailable(error.to_string()),
            store::Error::CommitUnknown(_) => Error::CommitUnknown(error.to_string()),
            store::Error::Full(text) => {
                tracing::error!(text, "database disk full, write refused");
                Error::DiskFull
            }
            store::Error::Schema(text) | store::Error::Internal(text) => Error::Internal(text),
        }
    }
}

impl From<blob::Error> for Error {
    fn from(error: blob::Error) -> Error {
        match error {
            blob::Error::Full(text) => {
                tracing::error!(text, "object store disk full, write refused");
                Error::DiskFull
            }
            blob::Error::Damaged(_) => Error::Internal(error.to_string()),
            error => Error::Unavailable(error.to_string()),
        }
    }
}

impl From<Exceeded> for Error {
    fn from(Exceeded { what, required, remaining }: Exceeded) -> Error {
        Error::Quota { what, required, remaining }
    }
}

impl Error {
    pub(crate) fn refused(message: impl Into<String>) -> Error {
        Error::Refused(message.into())
    }
}
