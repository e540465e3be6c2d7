//! Where the servers under test have their objects and count their limits.

use std::time::{Duration, Instant};

use blob::Blob;
use limits::{Backend, Shared, SharedSettings, TimeSource};
use testing::{Database, Engines};
use uuid::Uuid;

/// S3 and Redis if the test runs on all that several nodes share, else memory.
pub async fn engines(database: &Database) -> (Blob, Backend) {
    match database.engines() {
        Some(engines) => (objects(engines), limits(engines).await),
        None => (Blob::memory(), Backend::Memory),
    }
}

fn objects(engines: &Engines) -> Blob {
    let lookup = |name: &str| {
        let variable = engines.variables().into_iter().find(|(variable, _)| *variable == name);
        variable.map(|(_, value)| value.to_owned())
    };
    Blob::from_url(&engines.objects, lookup).unwrap()
}

/// With the clock of the test, patience for a busy machine, and counts of its own, as each server has them in memory.
async fn limits(engines: &Engines) -> Backend {
    let settings = SharedSettings {
        prefix: format!("test-{}", Uuid::now_v7().simple()),
        time: TimeSource::Caller,
        deadline: Duration::from_secs(20),
        ..SharedSettings::default()
    };
    let backend = Backend::Redis(Shared::new(&engines.redis, settings).unwrap());
    backend.start().await;
    let start = Instant::now();
    while backend.is_degraded() {
        assert!(start.elapsed() < Duration::from_secs(60), "there is no connection to Redis");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    backend
}
