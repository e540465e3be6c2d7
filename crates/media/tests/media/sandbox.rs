//! A decoder that was taken over by its input.

use std::io::Read;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use media::{Done, Failure, Job, Kind, Workshop, WorkshopSettings};

use crate::tools::{SETTINGS, program};

fn attempt(workshop: &Workshop, directory: &Path, misdeed: &str) -> Result<Done, Failure> {
    let input = directory.join(misdeed);
    std::fs::write(&input, format!("test:{misdeed}")).unwrap();
    workshop.process(&Job { kind: Kind::Pdf, input, output: directory.join("output") })
}

fn message(workshop: &Workshop, directory: &Path, misdeed: &str) -> String {
    match attempt(workshop, directory, misdeed) {
        Err(Failure::Refused(message)) => message,
        other => panic!("{misdeed}: {other:?}"),
    }
}

#[test]
fn it_reaches_no_file_no_network_no_program_no_thread_and_no_other_process() {
    let directory = tempfile::tempdir().unwrap();
    let workshop = Workshop::new(program(), SETTINGS);
    for misdeed in ["open", "socket", "exec", "thread", "kill"] {
        let message = message(&workshop, directory.path(), misdeed);
        assert!(message.starts_with("could not: "), "{misdeed}: {message}");
    }
}

#[test]
fn its_end_says_what_was_wrong_and_the_next_upload_is_processed() {
    let directory = tempfile::tempdir().unwrap();
    let settings = WorkshopSettings { children: 1, memory: 64 << 20, cpu_seconds: 1, wall_seconds: 600 };
    let workshop = Workshop::new(program(), settings);
    let check = |misdeed: &str, expected: &str| {
        assert_eq!(message(&workshop, directory.path(), misdeed), expected, "{misdeed}");
        let text = directory.path().join("plain.pdf");
        std::fs::write(&text, "no PDF at all").unwrap();
        let job = Job { kind: Kind::Pdf, input: text, output: directory.path().join("output") };
        assert_eq!(workshop.process(&job), Ok(Done { dimensions: None }), "after {misdeed}");
    };
    check("memory", "the file needs too much memory to process");
    check("loop", "the file takes too much computing to process");
    check("grow", "the file becomes too large when processed");
    check("panic", "the file could not be processed: its content is damaged or of an unsupported form");
    check("garbage", "the file could not be processed");
}

#[test]
fn its_time_is_limited_although_it_waits() {
    let directory = tempfile::tempdir().unwrap();
    let workshop = Workshop::new(program(), WorkshopSettings { wall_seconds: 1, ..SETTINGS });
    let began = Instant::now();
    assert_eq!(message(&workshop, directory.path(), "sleep"), "the file takes too long to process");
    assert!(began.elapsed().as_secs() < 10);
}

#[test]
fn it_dies_with_whoever_started_it() {
    let start = || Command::new(program().path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // To the kernel, the parent is the thread.
    let mut child = std::thread::spawn(move || {
        let mut child = start();
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
        child
    })
    .join()
    .unwrap();
    // Its input stays open, so it is not the end of that which ends it.
    let _input = child.stdin.take();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}
