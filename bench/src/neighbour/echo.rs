//! The machine itself: a process that only sends back what it receives. What it takes longer during the load is not due to
//! Recto, but to the processors and their scheduler.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

/// The argument with which this program is such a process.
pub const ARGUMENT: &str = "echo";
/// As many bytes as a small request.
const BYTES: usize = 200;

pub struct Echo {
    process: Child,
    stream: TcpStream,
}

impl Echo {
    pub fn start() -> Result<Echo> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut process = command.arg(ARGUMENT).stdout(Stdio::piped()).spawn()?;
        let mut address = String::new();
        BufReader::new(process.stdout.take().context("stdout")?).read_line(&mut address)?;
        let stream = TcpStream::connect(address.trim())?;
        stream.set_nodelay(true)?;
        Ok(Echo { process, stream })
    }

    pub fn round_trip(&mut self) -> Result<()> {
        let mut bytes = [0; BYTES];
        self.stream.write_all(&bytes)?;
        Ok(self.stream.read_exact(&mut bytes)?)
    }
}

impl Drop for Echo {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Serves one connection.
pub fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
    let (mut stream, _) = listener.accept()?;
    stream.set_nodelay(true)?;
    let mut bytes = [0; BYTES];
    while stream.read_exact(&mut bytes).is_ok() {
        stream.write_all(&bytes)?;
    }
    Ok(())
}
