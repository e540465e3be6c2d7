//! The URL of Redis, and what tests change.

use std::time::Duration;

use redis::{Client, ConnectionAddr};

const DEADLINE: Duration = Duration::from_millis(250);
/// For how long the slot of a large upload outlives a process that was killed.
const LEASE: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct InvalidUrl(String);

#[derive(Debug, Clone)]
pub struct SharedSettings {
    /// Of all keys.
    pub prefix: String,
    pub time: TimeSource,
    /// For one decision.
    pub deadline: Duration,
    /// How long a slot is held without being renewed.
    pub lease: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeSource {
    /// The clock of Redis, which all servers share.
    Redis,
    /// The time that the caller passes, for tests.
    Caller,
}

impl Default for SharedSettings {
    fn default() -> SharedSettings {
        SharedSettings { prefix: "recto".into(), time: TimeSource::Redis, deadline: DEADLINE, lease: LEASE }
    }
}

/// Checks the URL. An error does not contain it, because it may contain a password.
pub(super) fn client(url: &str) -> Result<Client, InvalidUrl> {
    if !url.starts_with("redis://") && !url.starts_with("rediss://") {
        return Err(InvalidUrl("it must be memory:, or begin with redis:// or rediss://".into()));
    }
    let client = Client::open(url).map_err(|error| {
        InvalidUrl(format!("{error}; it must look like redis://user:password@host:6379/0"))
    })?;
    match client.get_connection_info().addr() {
        ConnectionAddr::TcpTls { insecure: true, .. } => {
            let instead = "name the certificate of your authority in SSL_CERT_FILE";
            Err(InvalidUrl(format!("#insecure is not supported; {instead}")))
        }
        _ => Ok(client),
    }
}
