//! The programs that make test files and look at results, and a workshop to process them with.

use std::path::{Path, PathBuf};
use std::process::Command;

use media::{Done, Failure, Job, Kind, Program, Sandbox, Workshop, WorkshopSettings};

pub const SETTINGS: WorkshopSettings =
    WorkshopSettings { children: 2, memory: 256 << 20, cpu_seconds: 20, wall_seconds: 600 };

pub fn program() -> Program {
    Program {
        path: env!("CARGO_BIN_EXE_media-worker-for-tests").into(),
        args: Vec::new(),
        sandbox: Sandbox::Required,
    }
}

pub fn workshop() -> Workshop {
    Workshop::new(program(), SETTINGS)
}

/// What the program writes to its standard output. It must succeed.
pub fn run(program: &str, arguments: &[&str]) -> Vec<u8> {
    let output = Command::new(program).args(arguments).output().expect(program);
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {complaint}");
    output.stdout
}

/// ffmpeg with its usual options, and `arguments` split at spaces.
pub fn ffmpeg(arguments: &str) -> Vec<u8> {
    let mut all = vec!["-v", "error", "-nostdin", "-y"];
    all.extend(arguments.split_whitespace());
    run("ffmpeg", &all)
}

pub const PICTURES: &str = "-f lavfi -i testsrc=size=64x48:rate=10:duration=2";
pub const SOUND: &str = "-f lavfi -i sine=frequency=440:duration=2";

/// The checksums of everything that is shown or heard.
pub fn frames(path: &Path) -> Vec<u8> {
    ffmpeg(&format!("-i {} -map 0:v? -map 0:a? -f framemd5 -", path.display()))
}

/// All that the tools find about a file, and the file itself, as one text to search.
pub fn everything_known(path: &Path) -> String {
    let name = path.to_str().unwrap();
    let mut all = run("exiftool", &["-a", "-u", "-ee", "-G1", name]);
    all.extend(run("ffprobe", &["-v", "error", "-show_format", "-show_streams", "-show_chapters", name]));
    all.extend(std::fs::read(path).unwrap());
    String::from_utf8_lossy(&all).into_owned()
}

pub fn process(path: &Path, kind: Kind) -> Result<(Done, PathBuf), Failure> {
    let output = path.with_extension("output");
    let job = Job { kind, input: path.to_owned(), output: output.clone() };
    Ok((workshop().process(&job)?, output))
}

pub fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}
