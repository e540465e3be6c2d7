//! A named set of limits that an account lives within.

use crate::ByteSize;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub name: String,
    /// The largest file that may be uploaded.
    pub file_size: ByteSize,
    /// Of all the media of all the account's sites.
    pub storage: ByteSize,
    /// A calendar month, UTC.
    pub builds_per_month: u64,
}

const MB: u64 = 1 << 20;
const GB: u64 = 1 << 30;

impl Plan {
    /// The plans there are without configuration. File sizes are those of the specification, under "Limits".
    pub fn shipped() -> Vec<Plan> {
        let plan = |name: &str, file_size, storage, builds_per_month| Plan {
            name: name.to_owned(),
            file_size: ByteSize(file_size),
            storage: ByteSize(storage),
            builds_per_month,
        };
        vec![
            plan("free", 10 * MB, GB, 3),
            plan("simple", 10 * GB, 10 * GB, 100),
            plan("pro", 10 * GB, 100 * GB, 1000),
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
                format!("{}: {}, {}, {}", plan.name, plan.file_size, plan.storage, plan.builds_per_month)
            })
            .collect();
        assert_eq!(shown, ["free: 10 MB, 1 GB, 3", "simple: 10 GB, 10 GB, 100", "pro: 10 GB, 100 GB, 1000"]);
    }
}
