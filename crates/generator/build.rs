//! Sets the version of the crate.

#[path = "build/version.rs"]
mod version;

use std::path::Path;

fn main() {
    // Cargo runs this in the crate's directory.
    let root = Path::new("../..");
    for input in version::inputs() {
        println!("cargo:rerun-if-changed={}", root.join(input).display());
    }
    println!("cargo:rustc-env=RECTO_GENERATOR_VERSION={}", version::of(root));
}
