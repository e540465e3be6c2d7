//! The lower bound for everything durable: the cost of a sync on this disk.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use anyhow::Result;

use crate::timing::{median, time};

/// Two appends of 4 KB, each synced, in milliseconds.
pub fn two_syncs(directory: &Path) -> Result<f64> {
    let mut file = File::create(directory.join("sync"))?;
    let mut append = || {
        file.write_all(&[0; 4096])?;
        Ok(file.sync_data()?)
    };
    let times: Result<Vec<f64>> = (0..30)
        .map(|_| {
            time(|| {
                append()?;
                append()
            })
        })
        .collect();
    Ok(median(times?))
}
