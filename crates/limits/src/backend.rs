//! Where limits are counted: in this process, or in a Redis that several processes share.

use crate::shared::{InvalidUrl, Shared, SharedSettings};

#[derive(Debug, Clone, Default)]
pub enum Backend {
    /// Each process counts for itself.
    #[default]
    Memory,
    Redis(Shared),
}

impl Backend {
    /// `memory:`, `redis://…` or `rediss://…`. This does not connect.
    pub fn from_url(url: &str) -> Result<Backend, InvalidUrl> {
        match url {
            "memory:" => Ok(Backend::Memory),
            _ => Ok(Backend::Redis(Shared::new(url, SharedSettings::default())?)),
        }
    }

    /// Connects to Redis and stays connected, on this runtime. An unavailable Redis is no error.
    pub async fn start(&self) {
        if let Backend::Redis(shared) = self {
            shared.start().await;
        }
    }

    /// Whether processes that share a Redis count for themselves, because it is unavailable.
    pub fn is_degraded(&self) -> bool {
        self.shared().is_some_and(|shared| !shared.is_available())
    }

    pub(crate) fn shared(&self) -> Option<&Shared> {
        match self {
            Backend::Memory => None,
            Backend::Redis(shared) => Some(shared),
        }
    }
}
