//! Measures hostile texts: CPU time for rendering a page and for finding its references, and the size of the HTML.
//!
//! `cargo run --release -p recto-markdown --example hostile`

#![allow(clippy::print_stdout)]

#[path = "../tests/markdown/hostile/texts.rs"]
mod texts;

use recto_markdown::{Style, file_references, render_page};
use rustix::time::{ClockId, clock_gettime};

fn main() {
    println!("{:>9} {:>9} {:>9}  ", "render ms", "refs ms", "HTML KB");
    for (name, text) in texts::texts() {
        let (rendered, render_ms) = timed(|| render_page(&text, "A title", "/docs/a", Style::default()));
        // Only a text with a `file:` is searched.
        let with_file = format!("{text}\n\nfile:a.png");
        let (references, references_ms) = timed(|| file_references(&with_file, &|_| true));
        let size = rendered.as_ref().map_or(0, |page| page.html.len() / 1024);
        let refused =
            rendered.err().or(references.err()).map_or(String::new(), |error| format!("  ({})", error.0));
        let name: String = name.chars().take(70).collect();
        println!("{render_ms:>9.1} {references_ms:>9.1} {size:>9}  {name}{refused}");
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
    };
    let start = now();
    let result = work();
    (result, now() - start)
}
