//! The version of the generator: a hash of everything that decides how a file looks.

use std::path::{Path, PathBuf};

/// The theme and our own code; the Markdown renderer's; the versions of what they use.
const INPUTS: [&str; 5] = ["src", "templates", "theme", "../markdown", "../../Cargo.lock"];

fn main() {
    let mut files = vec![];
    for input in INPUTS {
        println!("cargo:rerun-if-changed={input}");
        collect(Path::new(input), &mut files);
    }
    files.sort();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    for file in files {
        let bytes = std::fs::read(&file).expect("a file that was just listed can be read");
        hash = fnv(fnv(hash, file.to_string_lossy().as_bytes()), &bytes);
    }
    println!("cargo:rustc-env=RECTO_GENERATOR_VERSION={hash:016x}");
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    match std::fs::read_dir(path) {
        Ok(entries) => entries.flatten().for_each(|entry| collect(&entry.path(), files)),
        Err(_) if path.is_file() => files.push(path.to_owned()),
        Err(_) => {}
    }
}

/// FNV-1a.
fn fnv(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
