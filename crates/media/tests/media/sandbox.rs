//! A decoder that was taken over by its input.

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use media::{
    Done, Failure, Ffmpeg, Job, Kind, Program, Sandbox, TranscodeError, Workshop, WorkshopSettings,
    sandbox_walls,
};

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
        std::fs::write(&text, "%PDF-1.4 and no more").unwrap();
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

#[test]
fn it_is_the_first_to_go_when_memory_is_short() {
    let mut child =
        Command::new(program().path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
    let score = std::fs::read_to_string(format!("/proc/{}/oom_score_adj", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(score.trim(), "1000");
}

/// What an intruder in the place of ffmpeg reports.
fn report_of_an_intruder(directory: &Path, sandbox: Sandbox) -> String {
    for name in ["ffmpeg", "ffprobe"] {
        std::fs::copy(program().path, directory.join(name)).unwrap();
    }
    for name in ["secret", "recto.db"] {
        std::fs::write(directory.join(name), name).unwrap();
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let (input, output) = (directory.join("film.mov"), directory.join("film.mp4"));
    std::fs::write(&input, server.local_addr().unwrap().port().to_string()).unwrap();
    let worker = Program { sandbox, ..program() };
    let ffmpeg = Ffmpeg::find(worker, [directory.to_owned()]).unwrap();
    ffmpeg.to_mp4(&input, &output, &mut |_| true).unwrap();
    std::fs::read_to_string(output).unwrap()
}

#[test]
fn an_ffmpeg_gone_mad_reads_one_file_writes_one_file_and_reaches_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let report = report_of_an_intruder(directory.path(), Sandbox::Required);
    let expected = "\
        read its input: true\nstart a thread: true\n\
        read another file: false\nread the password file: false\nlist a directory: false\n\
        write the database: false\ntruncate the database: false\nwrite its input: false\n\
        change its input's rights: false\nchange the database's rights: false\n\
        make a file: false\ndelete the database: false\n\
        connect: false\nopen a datagram socket: false\nmake a pair of sockets: false\n\
        read the server's environment: false\nopen the server's memory: false\n\
        signal the server: false\nget hold of the server: false\nslow the server: false\n\
        limit the server: false\nstart a process: false\n\
        output limit: Some(67108864)\nprocesses are limited: true\n";
    assert_eq!(report, expected);
    assert_eq!(std::fs::read_to_string(directory.path().join("recto.db")).unwrap(), "recto.db");
}

#[test]
fn without_the_sandbox_it_does_as_it_likes() {
    let directory = tempfile::tempdir().unwrap();
    let report = report_of_an_intruder(directory.path(), Sandbox::Off);
    for misdeed in ["read another file", "write the database", "make a file", "connect", "start a process"] {
        assert!(report.contains(&format!("{misdeed}: true\n")), "{misdeed}: {report}");
    }
    assert!(report.contains("output limit: Some(67108864)\n"), "limits hold: {report}");
}

#[test]
fn a_sandbox_that_the_kernel_refuses_is_an_error_unless_it_is_off() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("film.mov");
    std::fs::write(&input, "x").unwrap();
    let pdf = directory.path().join("a.pdf");
    std::fs::write(&pdf, "%PDF-").unwrap();
    for (lack, reason) in
        [("without-landlock", "this kernel has no Landlock"), ("without-seccomp", "seccomp")]
    {
        let worker = |sandbox| Program { args: vec![lack.into()], sandbox, ..program() };
        let job = Job { kind: Kind::Pdf, input: pdf.clone(), output: directory.path().join("output") };

        let refused = Workshop::new(worker(Sandbox::Required), SETTINGS).process(&job);
        let Err(failure @ Failure::NoSandbox(_)) = refused else { panic!("{lack}: {refused:?}") };
        let words = failure.to_string();
        assert!(words.starts_with("the sandbox cannot be set up: ") && words.contains(reason), "{words}");
        assert!(words.ends_with("; set uploads.sandbox = \"off\" to work without it"), "{words}");
        assert_eq!(sandbox_walls(&worker(Sandbox::Required)), Err(failure));

        let search = || std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>();
        let ffmpeg = Ffmpeg::find(worker(Sandbox::Required), search()).unwrap();
        let refused = ffmpeg.to_mp4(&input, &directory.path().join("film.mp4"), &mut |_| true);
        let Err(TranscodeError::NoSandbox(same)) = refused else { panic!("{lack}: {refused:?}") };
        assert_eq!(same, words);

        let off = Workshop::new(worker(Sandbox::Off), SETTINGS).process(&job);
        assert_eq!(off, Ok(Done { dimensions: None }), "{lack}");
        assert_eq!(sandbox_walls(&worker(Sandbox::Off)), Ok(None), "{lack}");
    }
}

#[test]
fn the_walls_of_this_kernel_are_known() {
    let walls = sandbox_walls(&program()).unwrap().unwrap();
    assert!(walls.landlock_abi >= 1, "{walls:?}");
}

#[test]
fn a_hardened_server_cannot_be_inspected() {
    let output = Command::new(program().path).arg("hardened").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "NotDumpable");
}
