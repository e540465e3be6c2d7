//! The pool of children.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use media::{Done, Failure, Job, Kind, Program, Workshop, WorkshopSettings};

use crate::tools::{SETTINGS, program, workshop};

#[test]
fn fifty_uploads_from_eight_threads_are_all_processed_whatever_their_neighbours_do() {
    let directory = tempfile::tempdir().unwrap();
    let (workshop, next) = (workshop(), AtomicUsize::new(0));
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
                    let done = workshop.process(&Job { kind: Kind::Pdf, input, output: output.clone() });
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
fn a_program_that_is_no_worker_is_our_fault_and_not_the_files() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("a.pdf");
    std::fs::write(&input, "x").unwrap();
    let job = Job { kind: Kind::Pdf, input, output: directory.path().join("b") };
    for path in ["/bin/true", "/nonexistent"] {
        let workshop = Workshop::new(Program { path: path.into(), ..program() }, SETTINGS);
        let done = workshop.process(&job);
        assert!(matches!(&done, Err(Failure::Internal(_))), "{path}: {done:?}");
    }
}

#[test]
fn an_input_that_is_not_there_is_our_fault_and_not_the_files() {
    let job = Job { kind: Kind::Pdf, input: "/nonexistent/a".into(), output: "/nonexistent/b".into() };
    assert!(matches!(workshop().process(&job), Err(Failure::Internal(_))));
}

#[test]
fn no_child_outlives_the_workshop() {
    // A copy of the worker under a name of its own, to be found among all processes.
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("worker-that-is-counted");
    std::fs::copy(program().path, &path).unwrap();
    let workshop = Workshop::new(Program { path: path.clone(), ..program() }, SETTINGS);
    let input = directory.path().join("a.pdf");
    std::fs::write(&input, "%PDF-").unwrap();
    workshop.process(&Job { kind: Kind::Pdf, input, output: directory.path().join("b") }).unwrap();
    assert!(processes_of(&path) > 0);
    drop(workshop);
    assert_eq!(processes_of(&path), 0);
}

fn processes_of(path: &std::path::Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().path().join("cmdline"));
    let name = path.to_str().unwrap();
    processes.filter(|file| std::fs::read_to_string(file).is_ok_and(|line| line.starts_with(name))).count()
}

#[test]
fn a_worker_that_dies_leaves_a_line_in_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let settings = WorkshopSettings { children: 1, memory: 64 << 20, cpu_seconds: 1, wall_seconds: 600 };
    let workshop = Workshop::new(program(), settings);
    let check = |misdeed: &str, cause: &str| {
        let input = directory.path().join("secret-name.pdf");
        std::fs::write(&input, format!("test:{misdeed}")).unwrap();
        let job = Job { kind: Kind::Pdf, input, output: directory.path().join("output") };
        let log = log_of(|| drop(workshop.process(&job)));
        let bytes = 5 + misdeed.len();
        assert!(log.contains("a media worker died kind=Pdf"), "{misdeed}: {log}");
        assert!(log.contains(&format!("bytes={bytes} cause=\"{cause}")), "{misdeed}: {log}");
        assert_eq!(log.lines().count(), 1, "{misdeed}: {log}");
        assert!(!log.contains("secret-name") && !log.contains("as told"), "{misdeed}: {log}");
    };
    check("panic", "panic at crates/media/tests/media/worker.rs:");
    check("loop", "its CPU time was used up");
    check("memory", "its memory was used up");
    check("grow", "its output grew too large");
    check("garbage", "it wrote nonsense");
    check("abort", "signal: 6");
}

/// What is logged by this thread meanwhile.
fn log_of(work: impl FnOnce()) -> String {
    let written = Arc::new(Mutex::new(Vec::new()));
    let subscriber = tracing_subscriber::fmt()
        .with_ansi(false)
        .with_writer({
            let written = written.clone();
            move || Log(written.clone())
        })
        .finish();
    tracing::subscriber::with_default(subscriber, work);
    let log = written.lock().unwrap();
    String::from_utf8(log.clone()).unwrap()
}

struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
