//! A compromised decoder.

use std::io::Read;
use std::net::TcpListener;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use media::{
    Done, Failure, Ffmpeg, Job, MediaKind, Program, Sandbox, TranscodeError, WorkerPool, WorkerPoolSettings,
    check_sandbox,
};

use crate::tools::{SETTINGS, program};

fn attempt(pool: &WorkerPool, directory: &Path, attack: &str) -> Result<Done, Failure> {
    let input = directory.join(attack);
    std::fs::write(&input, format!("test:{attack}")).unwrap();
    pool.process(&Job { kind: MediaKind::Pdf, input, output: directory.join("output") })
}

fn message(pool: &WorkerPool, directory: &Path, attack: &str) -> String {
    match attempt(pool, directory, attack) {
        Err(Failure::Refused(message)) => message,
        other => panic!("{attack}: {other:?}"),
    }
}

#[test]
fn a_decoder_has_no_access_to_files_network_programs_threads_and_processes() {
    let directory = tempfile::tempdir().unwrap();
    let pool = WorkerPool::new(program(), SETTINGS);
    for attack in ["open", "socket", "exec", "thread", "kill"] {
        let message = message(&pool, directory.path(), attack);
        assert!(message.starts_with("could not: "), "{attack}: {message}");
    }
}

#[test]
fn a_crash_is_explained_and_the_next_upload_is_processed() {
    let directory = tempfile::tempdir().unwrap();
    let settings = WorkerPoolSettings { children: 1, memory: 64 << 20, cpu_seconds: 1, wall_seconds: 600 };
    let pool = WorkerPool::new(program(), settings);
    let check = |attack: &str, expected: &str| {
        assert_eq!(message(&pool, directory.path(), attack), expected, "{attack}");
        let text = directory.path().join("plain.pdf");
        std::fs::write(&text, "%PDF-1.4 and no more").unwrap();
        let job = Job { kind: MediaKind::Pdf, input: text, output: directory.path().join("output") };
        assert_eq!(pool.process(&job), Ok(Done { dimensions: None }), "after {attack}");
    };
    check("memory", "the file needs too much memory to process");
    check("loop", "the file takes too much CPU time to process");
    check("grow", "the file becomes too large when processed");
    check("panic", "the file could not be processed: its content is damaged or not supported");
    check("garbage", "the file could not be processed");
}

#[test]
fn wall_clock_time_is_limited() {
    let directory = tempfile::tempdir().unwrap();
    let pool = WorkerPool::new(program(), WorkerPoolSettings { wall_seconds: 1, ..SETTINGS });
    let began = Instant::now();
    assert_eq!(message(&pool, directory.path(), "sleep"), "the file takes too long to process");
    assert!(began.elapsed().as_secs() < 10);
}

#[test]
fn a_worker_dies_with_its_parent() {
    let start = || Command::new(program().path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // To the kernel, the parent is the thread.
    let mut child = std::thread::spawn(move || {
        let mut child = start();
        child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
        child
    })
    .join()
    .unwrap();
    // Its input stays open, so that end of file does not end it.
    let _input = child.stdin.take();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
}

#[test]
fn a_worker_is_killed_first_when_memory_is_short() {
    let mut child =
        Command::new(program().path).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 6]).unwrap();
    let score = std::fs::read_to_string(format!("/proc/{}/oom_score_adj", child.id())).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(score.trim(), "1000");
}

/// The report of a compromised ffmpeg.
fn report_of_a_compromised_ffmpeg(directory: &Path, sandbox: Sandbox) -> String {
    for name in ["ffmpeg", "ffprobe"] {
        std::fs::copy(program().path, directory.join(name)).unwrap();
    }
    for name in ["secret", "recto.db"] {
        std::fs::write(directory.join(name), name).unwrap();
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let (input, output) = (directory.join("video.mov"), directory.join("video.mp4"));
    std::fs::write(&input, server.local_addr().unwrap().port().to_string()).unwrap();
    let worker = Program { sandbox, ..program() };
    let ffmpeg = Ffmpeg::find(worker, [directory.to_owned()]).unwrap();
    ffmpeg.to_mp4(&input, &output, &mut |_| true).unwrap();
    std::fs::read_to_string(output).unwrap()
}

#[test]
fn a_compromised_ffmpeg_can_only_read_its_input_and_write_its_output() {
    let directory = tempfile::tempdir().unwrap();
    let report = report_of_a_compromised_ffmpeg(directory.path(), Sandbox::Required);
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
fn without_the_sandbox_attacks_succeed() {
    let directory = tempfile::tempdir().unwrap();
    let report = report_of_a_compromised_ffmpeg(directory.path(), Sandbox::Off);
    for attack in ["read another file", "write the database", "make a file", "connect", "start a process"] {
        assert!(report.contains(&format!("{attack}: true\n")), "{attack}: {report}");
    }
    assert!(report.contains("output limit: Some(67108864)\n"), "limits hold: {report}");
}

#[test]
fn a_sandbox_that_the_kernel_refuses_is_an_error_unless_it_is_off() {
    let directory = tempfile::tempdir().unwrap();
    let input = directory.path().join("video.mov");
    std::fs::write(&input, "x").unwrap();
    let pdf = directory.path().join("a.pdf");
    std::fs::write(&pdf, "%PDF-").unwrap();
    for (lack, reason) in
        [("without-landlock", "this kernel has no Landlock"), ("without-seccomp", "seccomp")]
    {
        let worker = |sandbox| Program { args: vec![lack.into()], sandbox, ..program() };
        let job = Job { kind: MediaKind::Pdf, input: pdf.clone(), output: directory.path().join("output") };

        let refused = WorkerPool::new(worker(Sandbox::Required), SETTINGS).process(&job);
        let Err(failure @ Failure::NoSandbox(_)) = refused else { panic!("{lack}: {refused:?}") };
        let words = failure.to_string();
        assert!(words.starts_with("the sandbox cannot be set up: ") && words.contains(reason), "{words}");
        assert!(words.ends_with("; set uploads.sandbox = \"off\" to work without it"), "{words}");
        assert_eq!(check_sandbox(&worker(Sandbox::Required)), Err(failure));

        let search = || std::env::split_paths(&std::env::var_os("PATH").unwrap()).collect::<Vec<_>>();
        let ffmpeg = Ffmpeg::find(worker(Sandbox::Required), search()).unwrap();
        let refused = ffmpeg.to_mp4(&input, &directory.path().join("video.mp4"), &mut |_| true);
        let Err(TranscodeError::NoSandbox(same)) = refused else { panic!("{lack}: {refused:?}") };
        assert_eq!(same, words);

        let off = WorkerPool::new(worker(Sandbox::Off), SETTINGS).process(&job);
        assert_eq!(off, Ok(Done { dimensions: None }), "{lack}");
        assert_eq!(check_sandbox(&worker(Sandbox::Off)), Ok(None), "{lack}");
    }
}

#[test]
fn the_sandbox_of_this_kernel_can_be_checked() {
    let features = check_sandbox(&program()).unwrap().unwrap();
    assert!(features.landlock_abi >= 1, "{features:?}");
}

#[test]
fn a_hardened_server_cannot_be_inspected() {
    let output = Command::new(program().path).arg("hardened").output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "NotDumpable");
}
