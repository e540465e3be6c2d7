//! The `RECTO_…` environment variables: settings, and unknown ones that are probably typos.

use super::raw::{self, Raw};

/// Used by the command line or by clients.
const NOT_SETTINGS: [&str; 5] = ["RECTO_CONFIG", "RECTO_DATA", "RECTO_ROLES", "RECTO_URL", "RECTO_TOKEN"];
/// Clients use variables with this prefix.
const CLIENT_PREFIX: &str = "RECTO_API_";
/// A typo is an extra, missing, wrong or swapped letter. One is accepted per this many letters.
const LETTERS_PER_TYPO: usize = 3;
const MAX_TYPOS: usize = 3;

pub struct Variables {
    pub known: Vec<String>,
    /// Each with the setting that was probably meant.
    pub unknown: Vec<(String, Option<String>)>,
}

impl Variables {
    pub fn of_environment() -> Variables {
        Variables::among(super::environment().map(|(name, _)| name))
    }

    fn among(names: impl Iterator<Item = String>) -> Variables {
        let mut names: Vec<String> = names.filter(|name| name.starts_with("RECTO_")).collect();
        names.sort();
        let (known, others): (Vec<_>, Vec<_>) = names
            .into_iter()
            .partition(|name| Raw::is_setting(name) || NOT_SETTINGS.contains(&name.as_str()));
        let unknown =
            others.into_iter().map(|name| (closest_setting(&name), name)).map(|(meant, name)| (name, meant));
        let is_ours =
            |(name, meant): &(String, Option<String>)| meant.is_some() || !name.starts_with(CLIENT_PREFIX);
        Variables { known, unknown: unknown.filter(is_ours).collect() }
    }
}

/// The setting whose name is closest to an unknown variable.
pub fn closest_setting(name: &str) -> Option<String> {
    let known = raw::variables().chain(NOT_SETTINGS.map(str::to_owned));
    let (typos, nearest) = known.map(|known| (strsim::damerau_levenshtein(name, &known), known)).min()?;
    let most = MAX_TYPOS.min(name.trim_start_matches("RECTO_").len() / LETTERS_PER_TYPO);
    (typos <= most).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_is_recognised() {
        for (name, expected) in [
            ("RECTO_STROE_URL", Some("RECTO_STORE_URL")),
            ("RECTO_SITE_URL", Some("RECTO_SITES_URL")),
            ("RECTO_API_LISEN", Some("RECTO_API_LISTEN")),
            ("RECTO_BUILD_COOLDOWN_SECOND", Some("RECTO_BUILDS_COOLDOWN_SECONDS")),
            ("RECTO_PLANS_PRO_STORGE", Some("RECTO_PLANS_PRO_STORAGE")),
            ("RECTO_DTA", Some("RECTO_DATA")),
            ("RECTO_SOMETHING_ELSE", None),
            ("RECTO_API_KEY", None),
        ] {
            assert_eq!(closest_setting(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn settings_and_typos_are_distinguished() {
        let names =
            ["PATH", "RECTO_STORE_URL", "RECTO_DATA", "RECTO_API_KEY", "RECTO_LISEN", "RECTO_API_LISEN"];
        let found = Variables::among(names.map(str::to_owned).into_iter());
        assert_eq!(found.known, ["RECTO_DATA", "RECTO_STORE_URL"]);
        let typo = ("RECTO_API_LISEN".to_owned(), Some("RECTO_API_LISTEN".to_owned()));
        assert_eq!(found.unknown, [typo, ("RECTO_LISEN".to_owned(), None)]);
    }
}
