//! The lowest priority for threads that work for long: others do not wait for them.

use std::cell::Cell;

thread_local! {
    static IS_LOW: Cell<bool> = const { Cell::new(false) };
}

/// Whether the current thread has the lowest priority. While it has a lock, others may wait for it long: the processors may
/// be busy with anything else.
pub fn is_low() -> bool {
    IS_LOW.get()
}

/// The longest that the kernel accepts.
const SLICE: u64 = 100_000_000;

/// Lowers the priority of the current thread until it ends.
///
/// Its time slices become long: a thread that wakes up interrupts one with longer slices at once. One with slices of the
/// same length may be allowed to run until the next tick of the kernel's clock first, up to four milliseconds, even at the
/// lowest priority. Kernels before Linux 6.12 ignore the length.
pub fn lower() {
    IS_LOW.set(true);
    let _ = rustix::process::nice(19);
    let attributes = libc::sched_attr {
        size: size_of::<libc::sched_attr>() as u32,
        sched_policy: libc::SCHED_OTHER as u32,
        sched_flags: 0,
        sched_nice: 19,
        sched_priority: 0,
        sched_runtime: SLICE,
        sched_deadline: 0,
        sched_period: 0,
    };
    // SAFETY: the kernel only reads the attributes, whose size they contain. 0 is the current thread. An error changes
    // nothing.
    unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const attributes, 0) };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attributes() -> libc::sched_attr {
        // SAFETY: all numbers may be zero.
        let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
        let size = size_of::<libc::sched_attr>();
        // SAFETY: the kernel writes no more than this size.
        let failed = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
        assert_eq!(failed, 0);
        attributes
    }

    #[test]
    fn a_thread_has_the_lowest_priority_and_long_slices() {
        let before = attributes();
        let lowered = std::thread::spawn(|| {
            lower();
            assert!(is_low());
            attributes()
        });
        let lowered = lowered.join().expect("the thread ends");
        assert!(!is_low());
        assert_eq!((lowered.sched_policy, lowered.sched_nice), (libc::SCHED_OTHER as u32, 19));
        // An older kernel knows no length.
        assert!([0, SLICE].contains(&lowered.sched_runtime), "{}", lowered.sched_runtime);
        assert_eq!(attributes().sched_nice, before.sched_nice, "other threads keep theirs");
    }
}
