//! Counts in a Redis that several servers share, and what happens while it is unavailable.
//!
//! A decision has a deadline. The first one that fails closes the connection, and from then on `run` returns at once:
//! no request waits for a Redis that does not answer. A task connects again, and makes a decision of its own before the
//! connection is used. While connected it makes such a decision twice a second, so that an unavailable Redis is noticed
//! without a request.

mod scripts;
mod settings;

use std::fmt;
use std::pin::pin;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Timestamp;
use prometheus::{IntGauge, register_int_gauge};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, FromRedisValue, ScriptInvocation};
use tokio::time::{sleep, timeout};

pub(crate) use self::scripts::{ATTEMPT, COUNT, RELEASE, RENEW, TAKE, UNDO};
pub use self::settings::{InvalidUrl, SharedSettings, TimeSource};

/// For connecting: name, TCP, TLS, password, and a first decision.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
const PROBE_EVERY: Duration = Duration::from_millis(500);

static IS_SHARED: LazyLock<IntGauge> = LazyLock::new(|| {
    let help = "1 if limits are counted in Redis for all servers, 0 while Redis is unavailable.";
    register_int_gauge!("recto_limits_shared", help).expect("registered once")
});

/// A connection to Redis that is restored whenever it is lost.
#[derive(Clone)]
pub struct Shared(Arc<Parts>);

struct Parts {
    client: Client,
    settings: SharedSettings,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<MultiplexedConnection>,
    /// How many connections there were. An error of an earlier connection does not close the present one.
    number: u64,
}

impl Shared {
    /// This does not connect.
    pub fn new(url: &str, settings: SharedSettings) -> Result<Shared, InvalidUrl> {
        let client = settings::client(url)?;
        Ok(Shared(Arc::new(Parts { client, settings, state: Mutex::default() })))
    }

    /// Connects, and stays connected for as long as this or a copy of it exists.
    pub(crate) async fn start(&self) {
        match self.connect().await {
            Ok(connection) => self.connected(connection),
            Err(error) => self.report_unavailable(&error),
        }
        let parts = Arc::downgrade(&self.0);
        tokio::spawn(async move {
            loop {
                sleep(PROBE_EVERY).await;
                let Some(parts) = parts.upgrade() else { return };
                Shared(parts).probe().await;
            }
        });
    }

    pub(crate) fn is_available(&self) -> bool {
        self.state().connection.is_some()
    }

    /// Whether Redis can be used now; for `recto doctor`.
    pub async fn check(&self) -> Result<(), String> {
        self.connect().await.map(drop)
    }

    /// Runs a script. `None`: Redis is unavailable.
    pub(crate) async fn run<T: FromRedisValue>(&self, call: &ScriptInvocation<'_>) -> Option<T> {
        let (mut connection, number) = {
            let state = self.state();
            (state.connection.clone()?, state.number)
        };
        match self.invoke(call, &mut connection).await {
            Ok(answer) => Some(answer),
            Err(error) => {
                self.lost(number, &error);
                None
            }
        }
    }

    /// The name of a key.
    pub(crate) fn key(&self, kind: &str, of: impl fmt::Display) -> String {
        format!("{}:{kind}:{of}", self.0.settings.prefix)
    }

    /// The first argument of the scripts that need the time.
    pub(crate) fn now(&self, now: Timestamp) -> String {
        match self.0.settings.time {
            TimeSource::Redis => String::new(),
            TimeSource::Caller => now.micros().to_string(),
        }
    }

    pub(crate) fn deadline(&self) -> Duration {
        self.0.settings.deadline
    }

    pub(crate) fn lease(&self) -> Duration {
        self.0.settings.lease
    }

    async fn probe(&self) {
        if self.is_available() {
            let _: Option<()> = self.run(&self.probing()).await;
        } else {
            match self.connect().await {
                Ok(connection) => self.connected(connection),
                Err(error) => tracing::debug!(redis = %self, error, "Redis is still unavailable"),
            }
        }
    }

    async fn connect(&self) -> Result<MultiplexedConnection, String> {
        // Another crate may have chosen it already, which is fine.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // The deadlines are ours.
        let config = AsyncConnectionConfig::new().set_connection_timeout(None).set_response_timeout(None);
        let connecting = async {
            let connection = self.0.client.get_multiplexed_async_connection_with_config(&config).await;
            let mut connection = connection.map_err(|error| error.to_string())?;
            self.invoke::<()>(&self.probing(), &mut connection).await.map(|()| connection)
        };
        let seconds = CONNECT_TIMEOUT.as_secs();
        let connected = timeout(CONNECT_TIMEOUT, connecting).await;
        connected.unwrap_or_else(|_| Err(format!("no connection within {seconds} seconds")))
    }

    /// A decision that nothing depends on. A Redis that answers, but cannot write, fails here.
    fn probing(&self) -> ScriptInvocation<'static> {
        let mut call = COUNT.key(self.key("probe", "all"));
        call.arg("").arg(micros(Duration::from_secs(1))).arg(1);
        call
    }

    async fn invoke<T: FromRedisValue>(
        &self,
        call: &ScriptInvocation<'_>,
        connection: &mut MultiplexedConnection,
    ) -> Result<T, String> {
        let deadline = self.deadline();
        let mut answer = pin!(call.invoke_async(connection));
        // In two halves: if the process was suspended during the first one, the answer may have arrived meanwhile.
        let answered = match timeout(deadline / 2, &mut answer).await {
            Err(_) => timeout(deadline / 2, answer).await,
            answered => answered,
        };
        let answer = answered.map_err(|_| format!("no answer within {} ms", deadline.as_millis()))?;
        answer.map_err(|error| error.to_string())
    }

    fn connected(&self, connection: MultiplexedConnection) {
        let mut state = self.state();
        state.connection = Some(connection);
        state.number += 1;
        IS_SHARED.set(1);
        tracing::info!(redis = %self, "Redis is available: limits are counted for all servers");
    }

    fn lost(&self, number: u64, error: &str) {
        let mut state = self.state();
        if state.number == number && state.connection.take().is_some() {
            self.report_unavailable(error);
        }
    }

    fn report_unavailable(&self, error: &str) {
        IS_SHARED.set(0);
        tracing::warn!(redis = %self, error, "Redis is unavailable: this server counts limits by itself");
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Host and port, without the password.
impl fmt::Display for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.client.get_connection_info().addr().fmt(f)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shared({self})")
    }
}
