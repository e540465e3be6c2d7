//! Hostile texts: bounded time, bounded output, no more stack than a worker thread has.

mod texts;

use std::thread;
use std::time::Duration;

use recto_markdown::{Rendered, TooComplex, file_references, render_page, show_source};
use rustix::time::{ClockId, clock_gettime};

use crate::smart;
use texts::{CHARS, fill, texts};

/// Stack size of a worker thread.
const STACK_BYTES: usize = 2 * 1024 * 1024;

/// Twice the limit for a text, since tests run unoptimised and the time is checked only now and then.
const CPU_TIME: Duration = Duration::from_secs(2);

fn on_worker<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    thread::Builder::new().stack_size(STACK_BYTES).spawn(work).unwrap().join().unwrap()
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

fn attempt(text: String) -> Result<Rendered, TooComplex> {
    on_worker(move || render_page(&text, "A title", "/docs/a", smart()))
}

/// The larger of 1 MB and ten times the text.
fn most_html(text: &str) -> usize {
    (1024 * 1024).max(10 * text.len())
}

#[test]
fn no_text_exceeds_its_bounds() {
    for (name, text) in texts() {
        on_worker(move || {
            let start = cpu_time();
            let rendered = render_page(&text, "A title", "/docs/a", smart());
            let time = cpu_time() - start;
            assert!(time < CPU_TIME, "{name}: {time:?}");
            match rendered {
                Ok(page) => assert!(page.html.len() <= most_html(&text), "{name}: {} bytes", page.html.len()),
                Err(TooComplex(message)) => assert!(!message.is_empty()),
            }
            assert!(show_source(&text).html.len() < 6 * text.len() + 100, "{name}");
        });
    }
}

#[test]
fn finding_references_stays_within_bounds() {
    for (name, text) in texts() {
        on_worker(move || {
            let start = cpu_time();
            let _ = file_references(&format!("{text}\n\nfile:a.png"), &|_| true);
            let time = cpu_time() - start;
            assert!(time < CPU_TIME, "{name}: {time:?}");
        });
    }
}

fn check_refused(text: &str, message: &str) {
    assert_eq!(
        render_page(text, "A title", "/docs/a", smart()),
        Err(TooComplex(message.to_owned())),
        "{:.40}",
        text
    );
}

#[test]
fn too_deep_nesting_is_refused_with_a_message() {
    let message = "line 2 nests quotes or lists too deeply";
    let lines = "b\n".repeat(30_000);
    check_refused(&format!("a\n{}a\n{lines}", ">".repeat(2_000)), message);
    check_refused(&format!("a\r\n{}a\n{lines}", "> - ".repeat(1_000)), message);
    check_refused(&format!("a\n[^1]: {}a\n{lines}", ">".repeat(2_000)), message);
    check_refused(&format!("a\nb\r{}a\n{lines}", ">".repeat(2_000)), message);
    check_refused(&format!("a\n{}a\n{lines}", "\t- ".repeat(1_000)), message);
    assert_eq!(
        file_references(&format!("file:\n{}\n{lines}", ">".repeat(2_000)), &|_| true),
        Err(TooComplex(message.into()))
    );
}

#[test]
fn quotes_in_code_do_not_count_as_nesting() {
    let code = format!("```\n{}\n```\n", ">".repeat(20_000));
    let prose = "Some honest prose of forty characters...\n\n".repeat(900);
    let page = attempt(format!("{prose}{code}{prose}")).unwrap();
    assert!(
        page.html.contains(&format!("<pre tabindex=\"0\"><code>{}\n</code></pre>", "&gt;".repeat(20_000)))
    );
    assert!(attempt(format!("{}\n", ">".repeat(999)).repeat(100)).is_ok());
}

#[test]
fn lists_may_nest_deeply() {
    assert!(attempt((0..300).map(|depth| format!("{}- a\n", "  ".repeat(depth))).collect()).is_ok());
    assert!(attempt("- ".repeat(1_000)).is_ok());
}

#[test]
fn a_page_may_be_ten_times_its_text_and_no_larger() {
    let message = "the page would be larger than 1 MB and ten times its text: it has too many table cells, headings, \
                 formulas or footnote references";
    let columns = 10_000;
    let table = format!("{}|\n{}|\n", "|a".repeat(columns), "|-".repeat(columns)) + &"a\n".repeat(20);
    check_refused(&table, message);
    check_refused(&fill("# a\n"), message);
    check_refused(&format!("[^a]: b\n\n{}", "[^a]".repeat(CHARS / 4 - 10)), message);
    check_refused(&fill("$x$ ").replace('x', "|"), message);
    // Up to 1 MB, the ratio is not limited.
    let small = attempt("# a\n".repeat(5_000)).unwrap();
    assert!(small.html.len() > 20 * 4 * 5_000);
}

#[test]
fn code_that_highlighting_would_make_too_large_is_shown_without_it() {
    let numbers = "1 ".repeat(45_000);
    let page = attempt(format!("```js\n{numbers}\n```")).unwrap();
    assert!(page.html.contains(&format!("<code class=\"language-js\">{numbers}\n</code>")));
}

#[test]
fn a_deeply_nested_formula_does_not_overflow_the_stack() {
    for bytes in [195, 8_000] {
        let depth = bytes / "\\sqrt{}".len();
        let formula = format!("$${}x{}$$", "\\sqrt{".repeat(depth), "}".repeat(depth));
        assert!(attempt(formula).unwrap().html.contains("<msqrt>"));
    }
}
