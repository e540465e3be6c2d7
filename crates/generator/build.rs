//! Sets the version of the crate.

#[path = "build/version.rs"]
mod version;

use std::path::Path;

fn main() {
    // Cargo runs this in the crate's directory.
    let root = Path::new("../..");
    // With a path that does not exist, Cargo would compile the crate each time.
    for input in version::inputs().iter().map(|input| root.join(input)).filter(|input| input.exists()) {
        println!("cargo:rerun-if-changed={}", input.display());
    }
    println!("cargo:rustc-env=RECTO_GENERATOR_VERSION={}", version::of(root));
}
