//! Warnings about pages that could not be rendered. They are stored with the release, so that a later build that does
//! not render such a page again still reports it.

use std::collections::HashSet;

use api::BuildWarning;

use crate::Error;

/// More are not reported.
const MAX_WARNINGS: usize = 100;

/// The warnings of a release about pages that are not generated again.
pub(super) fn still_true(base: Option<&str>, made_again: &HashSet<&str>) -> Result<Vec<BuildWarning>, Error> {
    let Some(json) = base else { return Ok(Vec::new()) };
    let mut warnings: Vec<BuildWarning> = serde_json::from_str(json).map_err(internal)?;
    warnings.retain(|warning| !made_again.contains(warning.url.as_str()));
    Ok(warnings)
}

/// Ordered by URL; `None` without warnings.
pub(super) fn to_json(warnings: &[BuildWarning]) -> Result<Option<String>, Error> {
    let mut warnings: Vec<&BuildWarning> = warnings.iter().collect();
    warnings.sort_unstable_by_key(|warning| &warning.url);
    warnings.truncate(MAX_WARNINGS);
    (!warnings.is_empty()).then(|| serde_json::to_string(&warnings).map_err(internal)).transpose()
}

fn internal(error: serde_json::Error) -> Error {
    Error::Internal(format!("the warnings of a build: {error}"))
}
