//! The sandbox from the server's point of view: hardening of the server itself, and a check of its children's sandbox.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::job::{Limits, Order, SandboxCheck, Work};
use crate::pool::{Child, ChildOutput};
use crate::{Failure, Program, SandboxFeatures};

/// For the process that holds the database and its keys: no other process of its user can read or change its memory and
/// its environment, and no crash writes them to disk.
pub fn harden_server() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// The sandbox that a child can enter on this system; `None` if it is switched off.
pub fn check_sandbox(program: &Program) -> Result<Option<SandboxFeatures>, Failure> {
    let limits = Limits { memory: 64 << 20, cpu_seconds: 10 };
    let mut child = Child::start(program)?;
    child.send_order(&Order { work: Work::SandboxCheck, limits, sandbox: program.sandbox })?;
    match child.read_output(Instant::now() + ANSWER_TIMEOUT)? {
        ChildOutput::Line(line) => serde_json::from_str::<SandboxCheck>(&line)
            .unwrap_or_else(|_| Err(Failure::Internal("a media worker gave no answer".into()))),
        ChildOutput::End | ChildOutput::Nothing => {
            Err(Failure::Internal("a media worker gave no answer".into()))
        }
    }
}
