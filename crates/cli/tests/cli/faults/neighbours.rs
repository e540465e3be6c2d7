//! Fairness between accounts: a request waits at most for work that has started, never for another account's queue.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::Recto;
use crate::media::files::ffmpeg;
use crate::media::forms::Form;

/// Requests of the noisy account: many more than are processed at once.
const NOISY: usize = 8;

/// Sends many requests of one account, and a request of another account once these are being processed.
/// Returns how many of the first account's requests had a response before the other's.
fn answered_before_the_other(
    noise: impl Fn() + Sync,
    is_at_work: impl Fn() -> bool,
    other: impl FnOnce(),
) -> usize {
    let answered = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..NOISY {
            scope.spawn(|| {
                noise();
                answered.fetch_add(1, Ordering::SeqCst);
            });
        }
        wait_until("the noise is being worked on", is_at_work);
        other();
        answered.load(Ordering::SeqCst)
    })
}

#[test]
fn an_icon_does_not_wait_for_another_accounts_large_images() {
    let recto = Recto::new();
    let (noisy, other, server) = (recto.account("Noisy"), recto.account("Other"), recto.start());
    let large = ffmpeg("large.png", "-f lavfi -i color=size=4000x4000 -frames:v 1");
    let icon = ffmpeg("icon.png", "-f lavfi -i color=size=32x32 -frames:v 1");
    let answered = answered_before_the_other(
        || drop(server.send_file(&noisy, "large.png", &large).expect(200)),
        || !server.children().is_empty(),
        || drop(server.send_file(&other, "icon.png", &icon).expect(200)),
    );
    assert!(answered <= NOISY / 2, "{answered} of {NOISY} were answered before");
}

#[test]
fn a_page_with_a_file_does_not_wait_for_another_accounts_hard_texts() {
    let recto = Recto::new();
    let (noisy, other, server) = (recto.account("Noisy"), recto.account("Other"), recto.start());
    // Slow to parse.
    let hard = format!("![](file:a.txt)\n\n{}", "*a **a [b](c) ".repeat(7_000));
    let page = |n: usize| json!({ "title": format!("Page {n}"), "content": hard });
    let pages: Vec<Value> = (0..40).map(page).collect();
    let hard = Form::default().file("a.txt", b"a").payload(&json!({ "pages": pages }));
    let easy = json!({ "title": "Easy", "content": "[a](file:a.txt)" });
    let easy = Form::default().file("a.txt", b"a").payload(&easy);
    let answered = answered_before_the_other(
        || drop(server.send_form("/pages", &noisy, hard.clone())),
        || server.connections() > NOISY,
        || drop(server.send_form("/pages", &other, easy).expect(200)),
    );
    assert!(answered <= NOISY / 2, "{answered} of {NOISY} were answered before");
}
