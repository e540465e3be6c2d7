//! Removing the metadata of a video of 1 GB: in place by our worker, compared with ffmpeg, which rewrites it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, ensure};
use media::{Container, Job, MediaKind, Program, Sandbox, WorkerPool, WorkerPoolSettings};

use super::{ROUNDS, ffmpeg, run};
use crate::recto;
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{median, time};

const BYTES: u64 = 1 << 30;
/// Generous: the limits are not measured.
const SETTINGS: WorkerPoolSettings =
    WorkerPoolSettings { children: 1, memory: 256 << 20, cpu_seconds: 600, wall_seconds: 600 };
const TITLE: &str = "Holidays at home";
const LOCATION: &str = "+52.5200+013.4050/";

pub fn video() -> Result<Report> {
    let directory = tempfile::tempdir()?;
    let video = make(directory.path())?;
    ensure!(has_metadata(&video)?, "the video has no metadata to remove");
    let [copy, written] = ["copy.mp4", "written.mp4"].map(|name| directory.path().join(name));
    let worker =
        Program { path: recto::binary()?, args: vec!["media-worker".into()], sandbox: Sandbox::Required };
    let pool = WorkerPool::new(worker, SETTINGS);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        fs::copy(&video, &copy)?;
        run(&mut Command::new("sync"))?;
        ours.push(time(|| clean(&pool, &copy))?);
        ensure!(!has_metadata(&copy)?, "our worker left metadata behind");
        theirs.push(time(|| rewrite(&video, &written))?);
        progress(&format!("metadata of 1 GB removed: recto {ours:.1?} ms, ffmpeg {theirs:.0?} ms"));
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let row = Row {
        what: "metadata removed from an MP4 of 1 GB, by the worker alone".into(),
        ours: ms(ours),
        peer: format!("ffmpeg -c copy {}", ms(theirs)),
        ratio: theirs / ours,
        target: Target::AtLeast(20.0),
    };
    Ok(vec![row].into())
}

fn clean(pool: &WorkerPool, file: &Path) -> Result<()> {
    let kind = MediaKind::Video(Container::Mp4);
    let job = Job { kind, input: file.to_owned(), output: file.with_extension("unused") };
    pool.process(&job)?;
    Ok(())
}

fn rewrite(from: &Path, to: &Path) -> Result<()> {
    let copied = ["-map", "0", "-c", "copy", "-map_metadata", "-1"];
    run(ffmpeg().arg("-i").arg(from).args(copied).arg(to)).map(drop)
}

/// Ten seconds at 50 Mbit/s or more, as phones record, repeated until it is large enough.
fn make(directory: &Path) -> Result<PathBuf> {
    progress("generating a video of 1 GB");
    let [scene, video] = ["scene.mp4", "video.mp4"].map(|name| directory.join(name));
    let png = "testsrc2=size=1920x1080:rate=30:duration=10,noise=alls=24:allf=t";
    let mut command = ffmpeg();
    command.args(["-f", "lavfi", "-i", png, "-f", "lavfi", "-i", "sine=duration=10", "-pix_fmt", "yuv420p"]);
    command.args(["-c:v", "libx264", "-preset", "ultrafast", "-b:v", "50M", "-c:a", "aac"]);
    run(command.arg(&scene))?;
    let mut command = ffmpeg();
    command.args(["-stream_loop", "-1", "-i"]).arg(&scene).args(["-map", "0", "-c", "copy"]);
    command.args(["-metadata", &format!("title={TITLE}"), "-metadata", &format!("location={LOCATION}")]);
    run(command.args(["-fs", &BYTES.to_string()]).arg(&video))?;
    fs::remove_file(scene)?;
    Ok(video)
}

fn has_metadata(video: &Path) -> Result<bool> {
    let mut command = Command::new("ffprobe");
    let done = run(command.args(["-v", "error", "-show_entries", "format_tags"]).arg(video))?;
    let text = String::from_utf8_lossy(&done.stdout);
    Ok(text.contains(TITLE) || text.contains(LOCATION))
}
