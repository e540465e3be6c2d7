//! A large body needs little memory and does not delay other requests.

use std::io::{Cursor, Read};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::harness::recto::Recto;
use crate::harness::server::page;

const MB: u64 = 1 << 20;

#[test]
fn an_idle_server_is_small() {
    let server = Recto::new().start();
    // Without the mapped program, which is several times as large in a debug build.
    let own = server.memory("RssAnon");
    assert!(own < 40 * MB, "{} MB", own / MB);
}

on_one_machine_and_nodes!(a_giant_upload_takes_little_memory_and_delays_no_other_request);

fn a_giant_upload_takes_little_memory_and_delays_no_other_request(recto: &Recto) {
    let (giant, other) = (recto.account("Giant"), recto.account("Other"));
    let server = recto.start();
    server.publish(&other.token, &page("warm")).expect(200);
    let before = server.memory("VmHWM");
    let done = AtomicBool::new(false);
    let saved_meanwhile = std::thread::scope(|scope| {
        let saves = scope.spawn(|| {
            let mut saved = 0;
            while !done.load(Ordering::Relaxed) {
                server.publish(&other.token, &page(&format!("page-{saved}"))).expect(200);
                saved += 1;
            }
            saved
        });
        let answer = server.upload(&giant.token, Pages::new(1500, 100_000));
        done.store(true, Ordering::Relaxed);
        answer.unwrap().expect(200);
        saves.join().unwrap()
    });
    // The last response may have come after the upload.
    assert!(saved_meanwhile > 10, "only {saved_meanwhile} pages of another account were saved meanwhile");
    let growth = server.memory("VmHWM") - before;
    assert!(growth < 150 * MB, "a body of 150 MB took {} MB of memory", growth / MB);
    assert_eq!(server.list(&giant.token).slugs().len(), 1500);
}

/// The body of a batch, generated while it is read.
pub struct Pages {
    pub slug: String,
    pub title: String,
    pub count: usize,
    /// The length of each page's content, which begins with its title and its slug.
    pub characters: usize,
    next: usize,
    piece: Cursor<Vec<u8>>,
}

impl Pages {
    /// This many pages `page-0`, `page-1`, …, each with content of this many characters.
    pub fn new(count: usize, characters: usize) -> Pages {
        Pages::titled("page", "Title", count, characters)
    }

    pub fn titled(slug: &str, title: &str, count: usize, characters: usize) -> Pages {
        let piece = Cursor::new(b"{\"pages\": [".to_vec());
        Pages { slug: slug.into(), title: title.into(), count, characters, next: 0, piece }
    }

    fn page(&self, number: usize) -> String {
        let (slug, title) = (format!("{}-{number}", self.slug), &self.title);
        let filling = "x".repeat(self.characters - title.len() - slug.len() - 2);
        let end = if number + 1 == self.count { "]}" } else { "," };
        format!(r#"{{"slug": "{slug}", "title": "{title}", "content": "{title} {slug} {filling}"}}{end}"#)
    }
}

impl Read for Pages {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.piece.position() == self.piece.get_ref().len() as u64 && self.next < self.count {
            self.piece = Cursor::new(self.page(self.next).into_bytes());
            self.next += 1;
        }
        self.piece.read(buffer)
    }
}
