//! The `RECTO_…` variables of the environment: which are settings, and which only look like it.

use super::raw::{self, Raw};

/// Read by the command line, or by clients.
const OTHERS: [&str; 4] = ["RECTO_CONFIG", "RECTO_DATA", "RECTO_URL", "RECTO_TOKEN"];
/// Clients keep what they need to reach the API there.
const OF_CLIENTS: &str = "RECTO_API_";
/// A letter too many, one that is missing, two that changed places: one slip for so many letters is no other word.
const LETTERS_PER_SLIP: usize = 3;
const MOST_SLIPS: usize = 3;

pub struct Variables {
    pub in_force: Vec<String>,
    /// Each with the setting that may have been meant.
    pub unknown: Vec<(String, Option<String>)>,
}

impl Variables {
    pub fn of_environment() -> Variables {
        Variables::among(super::environment().map(|(name, _)| name))
    }

    fn among(names: impl Iterator<Item = String>) -> Variables {
        let mut names: Vec<String> = names.filter(|name| name.starts_with("RECTO_")).collect();
        names.sort();
        let (in_force, others): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|name| Raw::knows(name) || OTHERS.contains(&name.as_str()));
        let unknown = others.into_iter().map(|name| (meant(&name), name)).map(|(meant, name)| (name, meant));
        let is_ours =
            |(name, meant): &(String, Option<String>)| meant.is_some() || !name.starts_with(OF_CLIENTS);
        Variables { in_force, unknown: unknown.filter(is_ours).collect() }
    }
}

/// The setting that a variable which is none comes nearest to.
pub fn meant(name: &str) -> Option<String> {
    let known = raw::variables().chain(OTHERS.map(str::to_owned));
    let (slips, nearest) = known.map(|known| (strsim::damerau_levenshtein(name, &known), known)).min()?;
    let most = MOST_SLIPS.min(name.trim_start_matches("RECTO_").len() / LETTERS_PER_SLIP);
    (slips <= most).then_some(nearest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised() {
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
            assert_eq!(meant(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn variables_are_sorted_into_settings_and_slips() {
        let names =
            ["PATH", "RECTO_STORE_URL", "RECTO_DATA", "RECTO_API_KEY", "RECTO_LISEN", "RECTO_API_LISEN"];
        let found = Variables::among(names.map(str::to_owned).into_iter());
        assert_eq!(found.in_force, ["RECTO_DATA", "RECTO_STORE_URL"]);
        let slip = ("RECTO_API_LISEN".to_owned(), Some("RECTO_API_LISTEN".to_owned()));
        assert_eq!(found.unknown, [slip, ("RECTO_LISEN".to_owned(), None)]);
    }
}
