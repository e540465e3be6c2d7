//! How many files and connections the system lets the server have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// For the database, logs, packs, workers that open uploads, and the admin listener.
const OTHERS: u64 = 128;
/// There are two listeners, and a connection may need a file besides its socket: an upload, or a medium that is sent.
const EACH: u64 = 2 * 2;
/// Even where the system allows almost nothing.
const LEAST: u64 = 8;

/// Raises the soft limit to the hard one and returns what holds now. The soft one is kept low by systems for the sake of
/// programs that use `select`, which this one does not.
pub(super) fn raise() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum || setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok() {
        return maximum.unwrap_or(u64::MAX);
    }
    tracing::warn!(current, maximum, "the limit of open files cannot be raised");
    current.unwrap_or(u64::MAX)
}

/// The connections of each listener that so many descriptors are enough for, at most those wanted.
pub(super) fn fitting(wanted: usize, descriptors: u64) -> usize {
    let most = (descriptors.saturating_sub(OTHERS) / EACH).max(LEAST);
    let fitting = wanted.min(usize::try_from(most).unwrap_or(usize::MAX));
    if fitting < wanted {
        tracing::warn!(
            descriptors,
            wanted,
            max_connections = fitting,
            "api.max_connections is cut: the system allows too few open files (ulimit -n, LimitNOFILE)"
        );
    }
    fitting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_fit_into_the_descriptors_with_their_files() {
        for (descriptors, fits) in
            [(0, 8), (128, 8), (1024, 224), (4096, 992), (16_512, 4096), (1 << 20, 4096), (u64::MAX, 4096)]
        {
            assert_eq!(fitting(4096, descriptors), fits, "{descriptors}");
        }
        assert_eq!(fitting(100, 1024), 100);
    }
}
