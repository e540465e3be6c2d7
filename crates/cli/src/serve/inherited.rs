//! Listening sockets that exist before the server starts: systemd opens them and keeps them while the server is restarted,
//! so that clients wait for a moment instead of being refused.

use std::collections::HashMap;
use std::net::TcpListener;

use anyhow::{Context, Result, bail};
use listenfd::ListenFd;

const NAMES: [&str; 3] = ["api", "sites", "admin"];

/// The inherited sockets by name. Those that are not inherited are opened as configured.
#[derive(Default)]
pub(super) struct Inherited(HashMap<String, TcpListener>);

impl Inherited {
    /// From `LISTEN_FDS`, `LISTEN_PID` and `LISTEN_FDNAMES`. It removes variables, so it must be called while the process has
    /// only one thread.
    pub(super) fn of_environment() -> Result<Inherited> {
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        let names: Vec<&str> = names.split(':').collect();
        let mut sockets = ListenFd::from_env();
        let mut inherited = HashMap::new();
        for position in 0..sockets.len() {
            let name = names.get(position).copied().unwrap_or_default();
            if !NAMES.contains(&name) {
                bail!(
                    "the inherited socket {name:?} is none of api, sites, admin: FileDescriptorName= in its socket unit \
                     sets the name"
                );
            }
            let socket = sockets.take_tcp_listener(position);
            let socket = socket.with_context(|| format!("use the inherited socket {name}"))?;
            if let Some(socket) = socket
                && inherited.insert(name.to_owned(), socket).is_some()
            {
                bail!("two inherited sockets are named {name}: use one ListenStream= for each name");
            }
        }
        Ok(Inherited(inherited))
    }

    /// Clients that connect to a socket which is not served wait in vain.
    pub(super) fn warn_of_unused(&self) {
        for name in self.0.keys() {
            tracing::warn!(
                name,
                "an inherited socket is not used by the roles of this process: disable its socket unit"
            );
        }
    }

    pub(super) fn take(&mut self, name: &str) -> Option<TcpListener> {
        self.0.remove(name)
    }
}
