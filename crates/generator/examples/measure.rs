//! Measures the index and the templates: `cargo run --release -p recto-generator --example measure -- 50000`.
//!
//! The pages have no text, so that Markdown is not measured. Times are CPU time of this thread.

#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Duration;

use model::{ContentType, PageId, PageKey, Section, Slug, Timestamp};
use recto_generator::{Changes, File, Need, Page, PageParams, Settings, Site, Source};
use uuid::Uuid;

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let pages: Vec<Page> = (0..count).map(|n| page(n, count)).collect();
    let json = serde_json::to_string(&pages).unwrap();
    println!("{count} pages, {} bytes of JSON each", json.len() / count);

    let kept: Vec<Page> = timed("read the JSON", || serde_json::from_str(&json).unwrap());
    let mut site =
        timed("load", || Site::load("https://example.com", Settings::default(), "site", kept, vec![]));
    let paths = timed("all paths", || site.all_paths());

    let text = pages[count / 2 + 1].clone();
    change(
        "another text",
        &mut site,
        Page { updated_at: Timestamp::from_micros(1_800_000_000_000_000), ..text },
    );
    let renamed = pages[count / 2].clone();
    change("another title", &mut site, Page { title: "Renamed".to_owned(), ..renamed });

    let (documents, rest): (Vec<_>, Vec<_>) =
        paths.into_iter().partition(|path| matches!(site.need(path), Need::Page(_)));
    let documents: Vec<_> = documents.into_iter().filter(|path| !path.ends_with(".md")).collect();
    make("pages", &site, &documents);
    make("the rest", &site, &rest);
}

fn change(what: &str, site: &mut Site, page: Page) {
    let changes = Changes { pages: vec![(page.id, Some(page))], former: vec![] };
    let dirty = timed(what, || site.apply(changes));
    make(what, site, &dirty);
}

fn make(what: &str, site: &Site, paths: &[String]) {
    let source = Source::new("");
    let bytes: usize = timed(&format!("make {} files: {what}", paths.len()), || {
        let made = paths.iter().filter_map(|path| site.make(path, Some(&source)).unwrap());
        made.map(|made| if let File::Bytes(bytes) = made.file { bytes.len() } else { 0 }).sum()
    });
    println!("    {bytes} bytes");
}

fn timed<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let before = on_processor();
    let result = run();
    println!("{what}: {:?}", on_processor() - before);
    result
}

/// CPU time, not wall-clock time: the machine may be busy.
fn on_processor() -> Duration {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    Duration::from_nanos(stat.split(' ').next().unwrap().parse().unwrap())
}

/// Half docs, half posts, in 20 sections each, with three of 150 tags, over three years.
fn page(n: usize, count: usize) -> Page {
    let id = (0x0190_u128 << 112)
        | ((n as u128) << 64)
        | u128::from((n as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    Page {
        id: PageId(Uuid::from_u128(id)),
        key: PageKey {
            content_type: if n.is_multiple_of(2) { ContentType::Docs } else { ContentType::Blog },
            section: Section::parse(&format!("section-{}", n % 20)).unwrap(),
            slug: Slug::parse(&format!("page-{n}")).unwrap(),
        },
        section_spelling: None,
        title: format!("Page number {} about something", (n * 7919) % count),
        description: Some("What the page is about, in a sentence of the usual length.".to_owned()),
        tags: (3..6).map(|tag| format!("Tag {}", (n * tag) % 150)).collect(),
        published_at: Timestamp::from_micros(
            1_600_000_000_000_000 + (n as i64 * 3_600_000_000) % 94_000_000_000_000,
        ),
        updated_at: Timestamp::from_micros(1_700_000_000_000_000),
        api_endpoint: None,
        params: PageParams::default(),
        content: Some(n as i64),
        feed_bytes: 0,
        summary: "The beginning of the text.".to_owned(),
    }
}
