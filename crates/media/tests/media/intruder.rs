//! A compromised ffmpeg. It attempts what it should not be able to do, and writes the results to its output, one per
//! line.

use std::fmt::Debug;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::Write;
use std::net::{TcpStream, UdpSocket};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use rustix::process::{PidfdFlags, Resource, Rlimit, getrlimit};

/// An ffprobe that reports any file as a short video.
pub fn probe() -> ExitCode {
    println!(r#"{{"streams": [{{"codec_type": "audio"}}], "format": {{"duration": "1"}}}}"#);
    ExitCode::SUCCESS
}

pub fn intrude() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let path = |argument: &str| PathBuf::from(argument.strip_prefix("file:").unwrap());
    let input = path(&arguments[arguments.iter().position(|argument| argument == "-i").unwrap() + 1]);
    let output = path(arguments.last().unwrap());
    let sibling = |name: &str| input.with_file_name(name);
    let parent = rustix::process::getppid().unwrap();
    let of_parent = |name: &str| format!("/proc/{}/{name}", parent.as_raw_nonzero());
    let port: u16 = fs::read_to_string(&input).unwrap().trim().parse().unwrap();

    let mut file = File::create(&output).unwrap();
    let mut report = |what: &str, could: bool| writeln!(file, "{what}: {could}").unwrap();
    report("read its input", fs::read(&input).is_ok());
    report("start a thread", std::thread::Builder::new().spawn(|| ()).is_ok());
    report("read another file", done(fs::read(sibling("secret"))));
    report("read the password file", done(fs::read("/etc/passwd")));
    report("list a directory", done(fs::read_dir(sibling("."))));
    report("write the database", done(OpenOptions::new().append(true).open(sibling("recto.db"))));
    let truncated = OpenOptions::new().read(true).custom_flags(libc::O_TRUNC).open(sibling("recto.db"));
    report("truncate the database", done(truncated));
    report("write its input", done(OpenOptions::new().append(true).open(&input)));
    report("change its input's rights", done(fs::set_permissions(&input, Permissions::from_mode(0o666))));
    report(
        "change the database's rights",
        done(fs::set_permissions(sibling("recto.db"), Permissions::from_mode(0o666))),
    );
    report("make a file", done(File::create(output.with_file_name("another"))));
    report("delete the database", done(fs::remove_file(sibling("recto.db"))));
    report("connect", done(TcpStream::connect(("127.0.0.1", port))));
    report("open a datagram socket", done(UdpSocket::bind("127.0.0.1:0")));
    report("make a pair of sockets", done(UnixStream::pair()));
    report("read the server's environment", done(fs::read(of_parent("environ"))));
    report("open the server's memory", done(File::open(of_parent("mem"))));
    report("signal the server", done(rustix::process::test_kill_process(parent)));
    report("get hold of the server", done(rustix::process::pidfd_open(parent, PidfdFlags::empty())));
    report("slow the server", done(rustix::process::setpriority_process(Some(parent), 1)));
    let same = Rlimit { current: None, maximum: None };
    report("limit the server", done(rustix::process::prlimit(Some(parent), Resource::Core, same)));
    report("start a process", done(Command::new("/bin/true").status()));
    let limit = |resource| getrlimit(resource).maximum;
    writeln!(file, "output limit: {:?}", limit(Resource::Fsize)).unwrap();
    writeln!(file, "processes are limited: {}", limit(Resource::Nproc).is_some()).unwrap();
    ExitCode::SUCCESS
}

fn done<T, E: Debug>(result: Result<T, E>) -> bool {
    result.is_ok()
}
