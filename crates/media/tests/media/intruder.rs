//! An ffmpeg that was taken over by its input. It tries what it should not be able to, and writes into its output what
//! came of it, one line each.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::net::{TcpStream, UdpSocket};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use rustix::process::{PidfdFlags, Resource, Rlimit, getrlimit};

/// An ffprobe that takes any file for a short video.
pub fn probe() -> ExitCode {
    println!(r#"{{"streams": [{{"codec_type": "audio"}}], "format": {{"duration": "1"}}}}"#);
    ExitCode::SUCCESS
}

pub fn intrude() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let path = |argument: &str| PathBuf::from(argument.strip_prefix("file:").unwrap());
    let input = path(&arguments[arguments.iter().position(|argument| argument == "-i").unwrap() + 1]);
    let output = path(arguments.last().unwrap());
    let beside = |name: &str| input.with_file_name(name);
    let parent = rustix::process::getppid().unwrap();
    let of_parent = |name: &str| format!("/proc/{}/{name}", parent.as_raw_nonzero());
    let port: u16 = fs::read_to_string(&input).unwrap().trim().parse().unwrap();

    let mut report = File::create(&output).unwrap();
    let mut tell = |what: &str, could: bool| writeln!(report, "{what}: {could}").unwrap();
    tell("read its input", fs::read(&input).is_ok());
    tell("start a thread", std::thread::Builder::new().spawn(|| ()).is_ok());
    tell("read another file", done(fs::read(beside("secret"))));
    tell("read the password file", done(fs::read("/etc/passwd")));
    tell("list a directory", done(fs::read_dir(beside("."))));
    tell("write the database", done(OpenOptions::new().append(true).open(beside("recto.db"))));
    let truncated = OpenOptions::new().read(true).custom_flags(libc::O_TRUNC).open(beside("recto.db"));
    tell("truncate the database", done(truncated));
    tell("write its input", done(OpenOptions::new().append(true).open(&input)));
    tell("change its input's rights", done(fs::set_permissions(&input, Permissions::from_mode(0o666))));
    tell(
        "change the database's rights",
        done(fs::set_permissions(beside("recto.db"), Permissions::from_mode(0o666))),
    );
    tell("make a file", done(File::create(output.with_file_name("another"))));
    tell("delete the database", done(fs::remove_file(beside("recto.db"))));
    tell("connect", done(TcpStream::connect(("127.0.0.1", port))));
    tell("open a datagram socket", done(UdpSocket::bind("127.0.0.1:0")));
    tell("make a pair of sockets", done(UnixStream::pair()));
    tell("read the server's environment", done(fs::read(of_parent("environ"))));
    tell("open the server's memory", done(File::open(of_parent("mem"))));
    tell("signal the server", done(rustix::process::test_kill_process(parent)));
    tell("get hold of the server", done(rustix::process::pidfd_open(parent, PidfdFlags::empty())));
    tell("slow the server", done(rustix::process::setpriority_process(Some(parent), 1)));
    let same = Rlimit { current: None, maximum: None };
    tell("limit the server", done(rustix::process::prlimit(Some(parent), Resource::Core, same)));
    tell("start a process", done(Command::new("/bin/true").status()));
    let limit = |resource| getrlimit(resource).maximum;
    writeln!(report, "output limit: {:?}", limit(Resource::Fsize)).unwrap();
    writeln!(report, "processes are limited: {}", limit(Resource::Nproc).is_some()).unwrap();
    ExitCode::SUCCESS
}

fn done<T, E: Debug>(result: Result<T, E>) -> bool {
    result.is_ok()
}
