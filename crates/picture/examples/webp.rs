//! Measures the conversion of an image: `cargo run --release -p recto-picture --example webp -- IN OUT`.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::fs::{self, File};
use std::time::Instant;

use picture::{Dimensions, Limits, to_webp};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let [input, output] = std::array::from_fn(|_| arguments.next().expect("usage: webp IN OUT"));
    let bytes = fs::read(input).unwrap();
    let began = Instant::now();
    let result = to_webp(&bytes, &Limits::default(), &mut File::create(&output).unwrap());
    let milliseconds = began.elapsed().as_millis();
    match result {
        Ok(Dimensions { width, height }) => {
            let after = fs::metadata(&output).unwrap().len();
            println!("{width}x{height} {} -> {after} bytes, {milliseconds} ms", bytes.len());
        }
        Err(error) => println!("refused after {milliseconds} ms: {error}"),
    }
}
