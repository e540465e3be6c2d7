//! What can go wrong with a database, as far as a caller can act on it.

/// One failure may be the answer to every write of a group, so it is cheap to clone.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The engine cannot be reached, does not answer, or stays locked: try again in a moment.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    /// The disk of the database is full: it can be read, and takes nothing new.
    #[error("the disk of the database is full: {0}")]
    Full(String),
    /// COMMIT was sent and no answer came: the change may or may not be there.
    #[error("the database did not answer COMMIT: {0}")]
    CommitUnknown(String),
    /// The schema of the database is not one that can be used as it is; the text says what to do.
    #[error("{0}")]
    Schema(String),
    /// Neither the caller nor time can mend it.
    #[error("{0}")]
    Internal(String),
}

/// What a pooler does that is not in session mode.
pub(crate) const SHARED_SESSIONS: &str = "store.url leads to a pooler that shares connections between transactions, which \
    loses notifications: set pool_mode = session for this database in PgBouncer, or connect directly";

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// Whether running the same transaction once more is right: nothing of it was committed.
    pub(crate) fn from_postgres(error: &postgres::Error) -> (Error, Retry) {
        use postgres::error::SqlState;
        let text = describe(error);
        match error.code() {
            Some(code)
                if [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED].contains(code) =>
            {
                (Error::Unavailable(text), Retry::SameConnection)
            }
            // Two took the same name at once: run again, the second finds it taken.
            Some(&SqlState::UNIQUE_VIOLATION) => (Error::Internal(text), Retry::SameConnection),
            // A lock or a statement took too long.
            Some(&SqlState::LOCK_NOT_AVAILABLE | &SqlState::QUERY_CANCELED) => {
                (Error::Unavailable(text), Retry::No)
            }
            Some(&SqlState::DISK_FULL) => (Error::Full(text), Retry::No),
            // This process was stopped in the middle of the transaction, which is undone.
            Some(&SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT) => {
                (Error::Unavailable(text), Retry::NewConnection)
            }
            // Class 57: shutting down or starting up; class 53: out of connections or memory.
            Some(code) if code.code().starts_with("57P") || code.code().starts_with("53") => {
                (Error::Unavailable(text), Retry::NewConnection)
            }
            // The statement was prepared in another session.
            Some(&SqlState::DUPLICATE_PSTATEMENT | &SqlState::INVALID_SQL_STATEMENT_NAME) => {
                (Error::Internal(format!("{text}: {SHARED_SESSIONS}")), Retry::No)
            }
            Some(_) => (Error::Internal(text), Retry::No),
            None if error.is_closed() || is_io(error) => (Error::Unavailable(text), Retry::NewConnection),
            None => (Error::Internal(text), Retry::No),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retry {
    No,
    SameConnection,
    NewConnection,
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Error {
        use rusqlite::ErrorCode::*;
        match error.sqlite_error_code() {
            Some(DatabaseBusy | DatabaseLocked | CannotOpen) => Error::Unavailable(error.to_string()),
            Some(DiskFull) => Error::Full(error.to_string()),
            _ => Error::Internal(error.to_string()),
        }
    }
}

/// `postgres::Error` alone says "db error"; what the server said is one level down.
pub(crate) fn describe(error: &postgres::Error) -> String {
    match error.as_db_error() {
        Some(db) => format!("{} ({})", db.message(), db.code().code()),
        None => {
            let cause = std::error::Error::source(error);
            cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
        }
    }
}

fn is_io(error: &postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|cause| cause.is::<std::io::Error>())
}
