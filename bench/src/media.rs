//! Media files: images compared with sharp and cwebp, a video with ffmpeg, an upload with `cat`.

mod api;
mod encoders;
mod images;
mod photo;
mod ssim;
mod stock;
mod upload;
mod video;

use std::process::{Command, Output};

use anyhow::{Context, Result, ensure};

pub use self::images::images;
pub use self::upload::upload;
pub use self::video::video;

const ROUNDS: usize = 3;

/// Runs a program to its end. Its output is shown only if it fails.
fn run(command: &mut Command) -> Result<Output> {
    let name = command.get_program().to_owned();
    let done = command.output().with_context(|| name.display().to_string())?;
    ensure!(done.status.success(), "{}: {}", name.display(), String::from_utf8_lossy(&done.stderr));
    Ok(done)
}

/// ffmpeg without prompts, printing only errors.
fn ffmpeg() -> Command {
    let mut command = Command::new("ffmpeg");
    command.args(["-nostdin", "-hide_banner", "-nostats", "-loglevel", "error", "-y"]);
    command
}
