//! Whatever one account sends, another waits for what is being worked on at most, never for that account's queue.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::media_files::ffmpeg;
use crate::media_forms::Form;
use crate::process::wait_until;
use crate::recto::Recto;

/// Requests of the noisy account, many more than can be worked on at once.
const NOISY: usize = 8;

/// Sends noise until all of it is answered, and has the other account do something once the noise is being worked on.
/// Returns how many of the noisy requests had been answered when the other's was.
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
fn an_icon_does_not_wait_for_another_accounts_large_pictures() {
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
    // Takes the parser a while.
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
