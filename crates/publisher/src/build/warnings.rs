//! Pages that could not be shown as their authors meant them. Those of a release are kept with it, so that a later build,
//! which leaves such a page alone, still reports it.

use std::collections::HashSet;

use api::BuildWarning;

use crate::Error;

/// More are not reported: whoever has a hundred knows.
const MOST: usize = 100;

/// The warnings of a release about pages that are not made again now.
pub(super) fn still_true(base: Option<&str>, made_again: &HashSet<&str>) -> Result<Vec<BuildWarning>, Error> {
    let Some(json) = base else { return Ok(Vec::new()) };
    let mut warnings: Vec<BuildWarning> = serde_json::from_str(json).map_err(internal)?;
    warnings.retain(|warning| !made_again.contains(warning.url.as_str()));
    Ok(warnings)
}

/// By URL; `None` where there are none.
pub(super) fn to_json(warnings: &[BuildWarning]) -> Result<Option<String>, Error> {
    let mut warnings: Vec<&BuildWarning> = warnings.iter().collect();
    warnings.sort_unstable_by_key(|warning| &warning.url);
    warnings.truncate(MOST);
    (!warnings.is_empty()).then(|| serde_json::to_string(&warnings).map_err(internal)).transpose()
}

fn internal(error: serde_json::Error) -> Error {
    Error::Internal(format!("the warnings of a build: {error}"))
}
