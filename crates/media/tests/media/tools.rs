//! The programs that create test files and inspect results, and a worker pool to process them.

use std::path::{Path, PathBuf};
use std::process::Command;

use media::{Done, Failure, Job, MediaKind, Program, Sandbox, WorkerPool, WorkerPoolSettings};

pub const SETTINGS: WorkerPoolSettings =
    WorkerPoolSettings { children: 2, memory: 256 << 20, cpu_seconds: 20, wall_seconds: 600 };

pub fn program() -> Program {
    Program {
        path: env!("CARGO_BIN_EXE_media-worker-for-tests").into(),
        args: Vec::new(),
        sandbox: Sandbox::Required,
    }
}

pub fn pool() -> WorkerPool {
    WorkerPool::new(program(), SETTINGS)
}

/// The standard output of a program, which must succeed.
pub fn run(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output().expect(program);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {stderr}");
    output.stdout
}

/// ffmpeg with its usual options, and `arguments` split at spaces.
pub fn ffmpeg(arguments: &str) -> Vec<u8> {
    let mut all = vec!["-v", "error", "-nostdin", "-y"];
    all.extend(arguments.split_whitespace());
    run("ffmpeg", &all)
}

pub const VIDEO_SOURCE: &str = "-f lavfi -i testsrc=size=64x48:rate=10:duration=2";
pub const AUDIO_SOURCE: &str = "-f lavfi -i sine=frequency=440:duration=2";

/// Checksums of all frames and audio.
pub fn frames(path: &Path) -> Vec<u8> {
    ffmpeg(&format!("-i {} -map 0:v? -map 0:a? -f framemd5 -", path.display()))
}

/// Everything that the tools report about a file, and the file itself, as one text to search.
pub fn everything_known(path: &Path) -> String {
    let name = path.to_str().unwrap();
    let mut all = run("exiftool", &["-a", "-u", "-ee", "-G1", name]);
    all.extend(run("ffprobe", &["-v", "error", "-show_format", "-show_streams", "-show_chapters", name]));
    all.extend(std::fs::read(path).unwrap());
    String::from_utf8_lossy(&all).into_owned()
}

pub fn process(path: &Path, kind: MediaKind) -> Result<(Done, PathBuf), Failure> {
    let output = path.with_extension("output");
    let job = Job { kind, input: path.to_owned(), output: output.clone() };
    Ok((pool().process(&job)?, output))
}

pub fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}
