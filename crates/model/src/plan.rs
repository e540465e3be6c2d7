//! Plans: named sets of limits for accounts.

use crate::ByteSize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub name: String,
    /// Maximum size of an uploaded file.
    pub file_size: ByteSize,
    /// Total size of the media of all the account's sites.
    pub storage: ByteSize,
    /// Per calendar month, UTC.
    pub builds_per_month: u64,
    /// Live pages of all the account's sites.
    pub pages: u64,
    /// Total size of content and params of all the account's pages, including deleted ones.
    pub text: ByteSize,
    /// Sites that its owners may create in the dashboard; the operator's commands are not limited.
    pub sites: u64,
}

const MB: u64 = 1 << 20;
const GB: u64 = 1 << 30;

impl Plan {
    /// The built-in plan with the highest limits.
    pub fn largest() -> Plan {
        Plan::shipped().pop().expect("some plans are shipped")
    }

    /// The plans that exist without configuration. File sizes are those of the specification, "Limits".
    pub fn shipped() -> Vec<Plan> {
        let plan = |name: &str, file_size, storage, builds_per_month, pages, text, sites| Plan {
            name: name.to_owned(),
            file_size: ByteSize(file_size),
            storage: ByteSize(storage),
            builds_per_month,
            pages,
            text: ByteSize(text),
            sites,
        };
        vec![
            plan("free", 10 * MB, GB, 3, 10_000, 512 * MB, 3),
            plan("simple", 10 * GB, 10 * GB, 100, 50_000, 2 * GB, 25),
            plan("pro", 10 * GB, 100 * GB, 1000, 250_000, 20 * GB, 100),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_plans_are_shipped() {
        let shown: Vec<String> = Plan::shipped()
            .iter()
            .map(|plan| {
                let Plan { name, file_size, storage, builds_per_month, pages, text, sites } = plan;
                format!("{name}: {file_size}, {storage}, {builds_per_month}, {pages}, {text}, {sites}")
            })
            .collect();
        assert_eq!(
            shown,
            [
                "free: 10 MB, 1 GB, 3, 10000, 512 MB, 3",
                "simple: 10 GB, 10 GB, 100, 50000, 2 GB, 25",
                "pro: 10 GB, 100 GB, 1000, 250000, 20 GB, 100"
            ]
        );
    }
}
