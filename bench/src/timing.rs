//! Measures durations in milliseconds.

use std::time::Instant;

use anyhow::Result;

pub fn time<T>(work: impl FnOnce() -> Result<T>) -> Result<f64> {
    let start = Instant::now();
    work()?;
    Ok(ms_since(start))
}

pub async fn time_async(work: impl Future<Output = Result<()>>) -> Result<f64> {
    let start = Instant::now();
    work.await?;
    Ok(ms_since(start))
}

pub fn ms_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e3
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// The smallest value that this many percent of all values do not exceed.
pub fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    let index = (values.len() as f64 * percent / 100.0).ceil() as usize;
    values[index.clamp(1, values.len()) - 1]
}
