//! Walls, as the server sees them: its own, and whether its children get theirs.

use std::io;
use std::time::{Duration, Instant};

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

use crate::job::{Limits, Order, Survey, Work};
use crate::workshop::{Child, Heard};
use crate::{Failure, Program, Walls};

/// For the process that holds the database and its keys: no other process of its user reads or changes its memory and
/// its environment, and no crash writes them to a disk.
pub fn harden_server() -> io::Result<()> {
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

const ANSWER: Duration = Duration::from_secs(20);

/// The walls that a child puts up here; none if the program's sandbox is off.
pub fn sandbox_walls(program: &Program) -> Result<Option<Walls>, Failure> {
    let limits = Limits { memory: 64 << 20, cpu_seconds: 10 };
    let mut child = Child::start(program)?;
    child.tell(&Order { work: Work::Survey, limits, sandbox: program.sandbox })?;
    match child.hear(Instant::now() + ANSWER)? {
        Heard::Line(line) => serde_json::from_str::<Survey>(&line)
            .unwrap_or_else(|_| Err(Failure::Internal("a media worker gave no answer".into()))),
        Heard::End | Heard::Nothing => Err(Failure::Internal("a media worker gave no answer".into())),
    }
}
