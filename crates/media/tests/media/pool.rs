//! The pool of child processes.

use std::cell::RefCell;
use std::sync::Once;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use media::{Done, Failure, Job, MediaKind, Program, WorkerPool, WorkerPoolSettings};

use crate::tools::{SETTINGS, pool, program};

#[test]
fn fifty_uploads_from_eight_threads_are_all_processed_despite_attacks() {
    let directory = tempfile::tempdir().unwrap();
    let (pool, next) = (pool(), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= 50 {
                        break;
                    }
                    let input = directory.path().join(number.to_string());
                    let bad = number % 5 == 0;
                    let content = if bad { "test:panic".into() } else { format!("%PDF-1.4 upload {number}") };
                    std::fs::write(&input, &content).unwrap();
                    let output = input.with_extension("output");
                    let done = pool.process(&Job { kind: MediaKind::Pdf, input, output: output.clone() });
                    match bad {
                        true => assert!(matches!(done, Err(Failure::Refused(_))), "{number}: {done:?}"),
                        false => {
                            assert_eq!(done, Ok(Done { dimensions: None }), "{number}");
                            assert_eq!(std::fs::read_to_string(output).unwrap(), content);
                        }
                    }
                }
            });
        }
    });
}

#[test]
fn a_program_that_is_not_a_worker_is_an_internal_error() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("a.pdf");
    std::fs::write(&input, "x").unwrap();
    let job = Job { kind: MediaKind::Pdf, input, output: directory.path().join("b") };
    for path in ["/bin/true", "/nonexistent"] {
        let pool = WorkerPool::new(Program { path: path.into(), ..program() }, SETTINGS);
        let done = pool.process(&job);
        assert!(matches!(&done, Err(Failure::Internal(_))), "{path}: {done:?}");
    }
}

#[test]
fn a_missing_input_is_an_internal_error() {
    let job = Job { kind: MediaKind::Pdf, input: "/nonexistent/a".into(), output: "/nonexistent/b".into() };
    assert!(matches!(pool().process(&job), Err(Failure::Internal(_))));
}

#[test]
fn no_child_outlives_the_pool() {
    // The worker under a unique name, to find it among all processes.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("worker-that-is-counted");
    std::os::unix::fs::symlink(program().path, &path).unwrap();
    let pool = WorkerPool::new(Program { path: path.clone(), ..program() }, SETTINGS);
    let input = directory.path().join("a.pdf");
    std::fs::write(&input, "%PDF-").unwrap();
    pool.process(&Job { kind: MediaKind::Pdf, input, output: directory.path().join("b") }).unwrap();
    // The next ones are started.
    while processes_of(&path) == 0 {
        std::thread::sleep(Duration::from_millis(5));
    }
    drop(pool);
    assert_eq!(processes_of(&path), 0);
}

fn processes_of(path: &std::path::Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path().join("cmdline"));
    let name = path.to_str().unwrap();
    processes.filter(|file| std::fs::read_to_string(file).is_ok_and(|line| line.starts_with(name))).count()
}

#[test]
fn the_death_of_a_worker_is_logged() {
    let directory = tempfile::tempdir().unwrap();
    let settings = WorkerPoolSettings { children: 1, memory: 64 << 20, cpu_seconds: 1, wall_seconds: 600 };
    let pool = WorkerPool::new(program(), settings);
    let check = |attack: &str, cause: &str| {
        let input = directory.path().join("secret-name.pdf");
        std::fs::write(&input, format!("test:{attack}")).unwrap();
        let job = Job { kind: MediaKind::Pdf, input, output: directory.path().join("output") };
        let log = log_of(|| drop(pool.process(&job)));
        let bytes = 5 + attack.len();
        assert!(log.contains("a media worker died kind=Pdf"), "{attack}: {log}");
        assert!(log.contains(&format!("bytes={bytes} cause=\"{cause}")), "{attack}: {log}");
        assert_eq!(log.lines().count(), 1, "{attack}: {log}");
        assert!(!log.contains("secret-name") && !log.contains("on purpose"), "{attack}: {log}");
    };
    check("panic", "panic at crates/media/tests/media/worker.rs:");
    check("loop", "CPU time limit exceeded");
    check("memory", "memory limit exceeded");
    check("grow", "output size limit exceeded");
    check("garbage", "invalid answer");
    check("abort", "signal: 6");
}

thread_local! {
    static LOGGED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// What this thread logs while `work` runs. One subscriber for all threads: with one for each, a log statement that two
/// threads reach for the first time at once may stay off for both.
fn log_of(work: impl FnOnce()) -> String {
    static SUBSCRIBER: Once = Once::new();
    SUBSCRIBER.call_once(|| tracing_subscriber::fmt().with_ansi(false).with_writer(|| Log).init());
    LOGGED.take();
    work();
    String::from_utf8(LOGGED.take()).unwrap()
}

struct Log;

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        LOGGED.with_borrow_mut(|logged| logged.extend_from_slice(bytes));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
