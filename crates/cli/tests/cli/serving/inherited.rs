//! Listening sockets that another process opened, as systemd does: a restart refuses no connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rustix::io::{FdFlags, fcntl_setfd};

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::Recto;
use crate::harness::server::{Server, page};

/// As systemd starts it: the sockets are the descriptors from 3 on.
fn command(recto: &Recto, sockets: &[&TcpListener], names: &str) -> Command {
    let inner = recto.command(&["serve", "--dev"]);
    let mut script = String::new();
    for (position, socket) in sockets.iter().enumerate() {
        fcntl_setfd(socket, FdFlags::empty()).unwrap();
        // In two steps: a descriptor may already have the number of another socket.
        script += &format!("exec {}<&{}\n", 100 + position, socket.as_raw_fd());
    }
    for position in 0..sockets.len() {
        script += &format!("exec {}<&{} {}<&-\n", 3 + position, 100 + position, 100 + position);
    }
    script += &format!("LISTEN_PID=$$ LISTEN_FDS={} LISTEN_FDNAMES={names} exec \"$@\"", sockets.len());
    let mut command = Command::new("bash");
    command.args(["-c", &script, "bash"]).arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// The status of a request over a new connection.
fn status(address: SocketAddr, host: &str, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    stream
        .write_all(format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer.split(' ').nth(1).unwrap_or_default().to_owned())
}

#[test]
fn restarts_under_load_refuse_no_connection() {
    let ((api, api_address), (sites, sites_address)) = (listener(), listener());
    let recto = Recto::new();
    let start = || Server::start(command(&recto, &[&api, &sites], "api:sites"));
    let account = recto.account("acme");
    let server = start();
    assert_eq!((server.address(), server.sites()), (&*api_address.to_string(), sites_address.to_string()));
    server.publish(&account.token, &page("hello")).expect(200);
    server.build(&account.token).expect(202);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");

    let (over, answers) = (AtomicBool::new(false), AtomicUsize::new(0));
    let visit = |address: SocketAddr, host: &str, path: &str| {
        while !over.load(Ordering::Relaxed) {
            let status = status(address, host, path);
            assert!(status.as_ref().is_ok_and(|status| status == "200"), "{status:?} from {address}");
            answers.fetch_add(1, Ordering::Relaxed);
            // Few ports of the machine are used up.
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    let server = std::thread::scope(|scope| {
        let (mut server, mut clients) = (server, Vec::new());
        for _ in 0..4 {
            clients.push(scope.spawn(|| visit(api_address, "localhost", "/healthz")));
            clients.push(scope.spawn(|| visit(sites_address, "acme.localhost", "/blog/hello")));
        }
        for _ in 0..3 {
            let before = answers.load(Ordering::Relaxed);
            server.stop();
            server = start();
            wait_until("clients get answers", || {
                answers.load(Ordering::Relaxed) > before + 100
                    || clients.iter().any(|client| client.is_finished())
            });
        }
        over.store(true, Ordering::Relaxed);
        server
    });
    server.stop();
}

#[test]
fn a_socket_with_an_unknown_name_stops_the_start() {
    let (socket, _) = listener();
    let recto = Recto::new();
    for (names, named) in [("web", "\"web\" is none of api, sites, admin"), ("", "FileDescriptorName=")] {
        let ended = Process::start(command(&recto, &[&socket], names)).wait();
        assert!(ended.code == Some(1) && ended.stderr.contains(named), "{ended:?}");
    }
    let ended = Process::start(command(&recto, &[&socket, &socket], "api:api")).wait();
    assert!(ended.code == Some(1) && ended.stderr.contains("two inherited sockets"), "{ended:?}");
}

#[test]
fn an_inherited_admin_socket_needs_no_setting() {
    let (admin, address) = listener();
    let recto = Recto::new();
    let server = Server::start(command(&recto, &[&admin], "admin"));
    assert_eq!(status(address, "localhost", "/metrics").unwrap(), "200");
    server.stop();
}

#[test]
fn systemd_is_notified_when_the_server_is_ready_and_when_it_stops() {
    let recto = Recto::new();
    let path = recto.path_next_to_data("notify");
    let socket = UnixDatagram::bind(&path).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let recto = recto.set("NOTIFY_SOCKET", path.to_str().unwrap());
    let server = recto.start();
    let receive = || {
        let mut state = [0; 64];
        let length = socket.recv(&mut state).unwrap();
        String::from_utf8_lossy(&state[..length]).into_owned()
    };
    assert_eq!(receive(), "READY=1");
    server.stop();
    assert_eq!(receive(), "STOPPING=1");
}
