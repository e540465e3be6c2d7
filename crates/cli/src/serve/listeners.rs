//! Listening sockets and signals.

use std::net::SocketAddr;

use anyhow::{Context, Result};
use server::ListenLimits;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::descriptors;
use super::inherited::Inherited;
use super::roles::{Role, Roles};
use crate::config::Config;

/// Connections that wait to be accepted. More than the usual 128, so that a burst of visitors is not rejected.
const BACKLOG: u32 = 1024;

pub(super) fn limits_of(config: &Config) -> ListenLimits {
    ListenLimits {
        max_connections: descriptors::fitting(config.max_connections, descriptors::raise()),
        max_connections_per_address: config.max_connections_per_address,
        trusted_proxies: config.trusted_proxies.clone().into(),
        ..ListenLimits::default()
    }
}

/// Those of the process's roles.
pub(super) struct Listeners {
    pub(super) api: Option<TcpListener>,
    pub(super) sites: Option<TcpListener>,
    pub(super) admin: Option<TcpListener>,
}

impl Listeners {
    /// `runtime` is that of the sites, which also has the admin listener.
    pub(super) async fn bind(
        config: &Config,
        roles: &Roles,
        mut inherited: Inherited,
        runtime: &Handle,
    ) -> Result<Listeners> {
        let api = match roles.has(Role::Api) {
            true => Some(bind(inherited.take("api"), config.api_listen, "api.listen").await?),
            false => None,
        };
        let sites = match roles.has(Role::Sites) {
            true => Some(bind(inherited.take("sites"), config.sites_listen, "sites.listen")),
            false => None,
        };
        let admin = match (inherited.take("admin"), config.admin_listen) {
            (Some(socket), address) => {
                let address = address.unwrap_or(socket.local_addr()?);
                Some(bind(Some(socket), address, "admin.listen"))
            }
            (None, Some(address)) => Some(bind(None, address, "admin.listen")),
            (None, None) => None,
        };
        inherited.warn_of_unused();
        let mut bound = [None, None];
        for (bound, listener) in bound.iter_mut().zip([sites, admin]) {
            if let Some(listener) = listener {
                *bound = Some(runtime.spawn(listener).await??);
            }
        }
        let [sites, admin] = bound;
        Ok(Listeners { api, sites, admin })
    }
}

/// Uses the inherited socket if there is one.
async fn bind(
    inherited: Option<std::net::TcpListener>,
    address: SocketAddr,
    key: &'static str,
) -> Result<TcpListener> {
    if let Some(socket) = inherited {
        socket.set_nonblocking(true)?;
        return TcpListener::from_std(socket).with_context(|| format!("use the inherited socket for {key}"));
    }
    listen(address)
        .with_context(|| format!("listen on {address} (is another recto running? {key} sets the address)"))
}

fn listen(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// SIGTERM and SIGINT, handled by that runtime.
pub(super) fn signals(runtime: &Handle) -> std::io::Result<(Signal, Signal)> {
    let _entered = runtime.enter();
    Ok((signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?))
}
