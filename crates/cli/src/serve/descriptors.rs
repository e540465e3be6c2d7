//! The limit of open files, and how many connections fit into it.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors for the database, logs, packs, upload workers and the admin listener.
const RESERVED: u64 = 128;
/// Descriptors per connection slot: there are two listeners, and a connection may need a file besides its socket (an
/// upload, or a file that is sent).
const PER_CONNECTION: u64 = 2 * 2;
/// The minimum, even if the system allows almost nothing.
const MIN_CONNECTIONS: u64 = 8;

/// Raises the soft limit to the hard limit and returns the new limit. Systems keep the soft limit low for programs that
/// use `select`, which Recto does not.
pub(super) fn raise() -> u64 {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current == maximum || setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_ok() {
        return maximum.unwrap_or(u64::MAX);
    }
    tracing::warn!(current, maximum, "cannot raise the limit of open files");
    current.unwrap_or(u64::MAX)
}

/// How many connections each listener may have with this many descriptors; at most `wanted`.
pub(super) fn fitting(wanted: usize, descriptors: u64) -> usize {
    let most = (descriptors.saturating_sub(RESERVED) / PER_CONNECTION).max(MIN_CONNECTIONS);
    let fitting = wanted.min(usize::try_from(most).unwrap_or(usize::MAX));
    if fitting < wanted {
        tracing::warn!(
            descriptors,
            wanted,
            max_connections = fitting,
            "api.max_connections reduced: the system allows too few open files (ulimit -n, LimitNOFILE)"
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
