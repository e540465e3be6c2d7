//! Reads the server's log: its first line, its builds, and errors, which are printed.

use std::io::{BufRead, BufReader, Read};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// The fields of the log line `built`.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Built {
    pub rendered: usize,
    pub files: usize,
    pub removed: usize,
    pub seconds: f64,
}

pub struct Log(Arc<Mutex<Vec<Built>>>);

impl Log {
    pub fn read(output: impl Read + Send + 'static) -> Log {
        let built = Arc::new(Mutex::new(Vec::new()));
        let log = Log(built.clone());
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let fields: Value = serde_json::from_str(&line).unwrap_or_default();
                match (fields["message"].as_str(), fields["level"].as_str()) {
                    (Some("built"), _) => {
                        let one = Built::deserialize(&fields);
                        built.lock().unwrap_or_else(PoisonError::into_inner).extend(one);
                    }
                    (_, Some("INFO")) => {}
                    _ => eprintln!("{line}"),
                }
            }
        });
        log
    }

    pub fn builds(&self) -> usize {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// The line is written shortly after the build's success.
    pub async fn built(&self, before: usize) -> Result<Built> {
        for _ in 0..500 {
            let built = self
                .0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get(before..)
                .and_then(|new| new.last().copied());
            if let Some(built) = built {
                return Ok(built);
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        anyhow::bail!("the log has no line for the build")
    }
}

pub fn first_line(output: impl Read) -> Result<Value> {
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    serde_json::from_str(&line).context("the first start prints an account")
}
