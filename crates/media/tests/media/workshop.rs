//! The pool of children.

use std::sync::atomic::{AtomicUsize, Ordering};

use media::{Done, Failure, Job, Kind, Program, Workshop};

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
                    let content = if bad { "test:panic".into() } else { format!("upload {number}") };
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
        let workshop = Workshop::new(Program { path: path.into(), args: Vec::new() }, SETTINGS);
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
    let workshop = Workshop::new(Program { path: path.clone(), args: Vec::new() }, SETTINGS);
    let input = directory.path().join("a.pdf");
    std::fs::write(&input, "x").unwrap();
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
