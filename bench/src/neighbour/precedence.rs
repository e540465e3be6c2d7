//! Clients are on other machines: here they go before the server where both want the processor, so that the server's
//! answers are timed and not how long the client waited to read them.

use std::process::{Command, Stdio};

/// As long as it lives, every thread of this process that exists now, and those that these start.
pub struct Precedence {
    pub is_granted: bool,
}

impl Precedence {
    /// Real-time scheduling, which a user without privileges may not have.
    pub fn take() -> Precedence {
        Precedence { is_granted: schedule(["--rr", "--all-tasks", "--pid", "1"]) }
    }
}

impl Drop for Precedence {
    fn drop(&mut self) {
        schedule(["--other", "--all-tasks", "--pid", "0"]);
    }
}

fn schedule(arguments: [&str; 4]) -> bool {
    let mut command = Command::new("chrt");
    command.args(arguments).arg(std::process::id().to_string()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
