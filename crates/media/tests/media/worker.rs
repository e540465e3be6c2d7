//! Test programs. By its own name it is a worker like [`media::worker::main`], unless the input begins with `test:`,
//! followed by an attack that a compromised decoder might attempt: it succeeds if the attack did, and refuses
//! otherwise. By the names of ffmpeg's programs it is a compromised ffmpeg.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod intruder;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::process::{Command, ExitCode};

use media::worker::Task;
use media::{Done, Failure};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

fn main() -> ExitCode {
    let program = std::env::args().next().unwrap();
    match Path::new(&program).file_name().and_then(|name| name.to_str()) {
        Some("ffprobe") => return intruder::probe(),
        Some("ffmpeg") => return intruder::intrude(),
        _ => {}
    }
    match std::env::args().nth(1).as_deref() {
        Some("without-landlock") => forbid(libc::SYS_landlock_create_ruleset, libc::ENOSYS),
        Some("without-seccomp") => forbid(libc::SYS_seccomp, libc::EINVAL),
        Some("hardened") => {
            media::harden_server().unwrap();
            let state = rustix::process::dumpable_behavior().unwrap();
            println!("{state:?}");
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    media::worker::serve(work)
}

/// Simulates a kernel without this system call, or a container that forbids it.
fn forbid(system_call: libc::c_long, error: libc::c_int) {
    let rules = BTreeMap::from([(system_call, Vec::new())]);
    let refuse = SeccompAction::Errno(error as u32);
    let architecture = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture).unwrap();
    seccompiler::apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

fn work(mut task: Task) -> Result<Done, Failure> {
    let mut text = Vec::new();
    (&mut task.input).take(100).read_to_end(&mut text)?;
    task.input.rewind()?;
    let Some(attack) = text.strip_prefix(b"test:") else {
        let done = media::worker::process(task)?;
        return if std::env::args().any(|argument| argument == "say-limit") { say_limit() } else { Ok(done) };
    };
    match attack {
        b"open" => tried(File::open("/etc/passwd")),
        b"socket" => tried(std::net::UdpSocket::bind("127.0.0.1:0")),
        b"exec" => tried(Command::new("/bin/true").status()),
        b"thread" => tried(std::thread::Builder::new().spawn(|| ())),
        b"kill" => tried(rustix::process::test_kill_process(rustix::process::Pid::INIT)),
        b"memory" => hoard(),
        b"loop" => loop {
            std::hint::spin_loop();
        },
        b"sleep" => {
            std::thread::park();
            tried(Ok::<_, std::io::Error>(()))
        }
        b"grow" => grow(task),
        b"abort" => std::process::abort(),
        b"panic" => panic!("on purpose"),
        b"garbage" => {
            writeln!(std::io::stdout(), "not an answer")?;
            tried(Ok::<_, std::io::Error>(()))
        }
        other => Err(Failure::Internal(format!("unknown attack {}", String::from_utf8_lossy(other)))),
    }
}

fn tried<T, E: std::fmt::Display>(result: Result<T, E>) -> Result<Done, Failure> {
    match result {
        Ok(_) => Ok(Done { dimensions: None }),
        Err(error) => Err(Failure::Refused(format!("could not: {error}"))),
    }
}

/// Reports the remaining CPU time.
fn say_limit() -> Result<Done, Failure> {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Cpu);
    Err(Failure::Refused(format!("{:?}", limit.current)))
}

fn hoard() -> Result<Done, Failure> {
    let mut all = Vec::new();
    loop {
        all.push(vec![1u8; 16 * 1024 * 1024]);
        std::hint::black_box(&all);
    }
}

fn grow(task: Task) -> Result<Done, Failure> {
    let mut output = task.output.ok_or_else(|| Failure::Internal("no output".into()))?;
    loop {
        output.write_all(&[0; 1024 * 1024])?;
    }
}
