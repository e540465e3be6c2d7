//! Every link of the theme has a target, and none leads to another host.

use recto_generator::{File, is_fragment, shared_asset};

use crate::world::{With, World, between, blog, docs, homepage, id, standalone};

#[test]
fn every_link_has_a_target() {
    let posts = (0..150_u128).map(|n| {
        blog(n, &format!("{}p{n}", if n % 3 == 0 { "news/" } else { "" }))
            .dated(&format!("2026-{:02}-{:02}", n % 5 + 1, n % 28 + 1))
            .tagged(&["All", if n % 2 == 0 { "even" } else { "odd" }])
    });
    let pages = (200..400_u128).map(|n| docs(n, &format!("api/p{n}")).endpoint("GET /a"));
    let others = [
        docs(500, "api"),
        docs(501, "guides/a"),
        docs(502, "root"),
        blog(503, "news"),
        standalone(504, "about").params(r#"{"nav": true}"#),
        standalone(505, "company/jobs").tagged(&["Jobs"]),
        standalone(506, "company"),
    ];
    let mut world = World::of(posts.chain(pages).chain(others));
    check(&world);
    world.publish([homepage(600, "index").params(r#"{"list": true}"#)]);
    check(&world);
    check(&World::new());
}

#[test]
fn links_to_markdown_files_lead_to_their_pages() {
    let mut world = World::new();
    let links = "[a](install.md) [b](../index.md) [c](../other.md#d) [e](README.md) [f](/docs/other.md)";
    (1..=4).for_each(|n| drop(world.texts.insert(id(n), links.to_owned())));
    world.publish([
        docs(1, "guides/install"),
        docs(2, "other"),
        homepage(3, "index"),
        standalone(4, "company/about"),
    ]);
    let check = |path: &str, expected: [&str; 5]| {
        let html = world.get(path);
        let prose = between(&html, "<div class=\"prose\">", "</div>").concat();
        assert_eq!(between(&prose, " href=\"", "\""), expected, "{path}");
        assert_eq!(world.raw(&format!("{path}.md")), links);
    };
    let source = "/docs/other.md";
    check("/docs/guides/install", ["/docs/guides/install", "/docs", "/docs/other#d", "/docs/guides", source]);
    check("/docs/other", ["/docs/install", "/", "/other#d", "/docs", source]);
    check("/", ["/install", "/", "/other#d", "/", source]);
    check("/company/about", ["/company/install", "/", "/other#d", "/company", source]);
}

fn check(world: &World) {
    for path in world.files.keys().filter(|path| !is_fragment(path)) {
        match &world.files[path] {
            File::Redirect(to) => assert_ne!(world.finds(to), "nothing", "{path} -> {to}"),
            File::Bytes(_) if path.ends_with(".md") => {}
            File::Bytes(_) => {
                let html = world.get(path);
                let (hrefs, sources) = (between(&html, " href=\"", "\""), between(&html, " src=\"", "\""));
                for link in hrefs.into_iter().chain(sources) {
                    check_link(world, path, link, &html);
                }
            }
        }
    }
}

fn check_link(world: &World, path: &str, link: &str, html: &str) {
    if let Some(id) = link.strip_prefix('#') {
        assert!(html.contains(&format!(" id=\"{id}\"")), "{path} -> {link}");
        return;
    }
    let target = link.strip_prefix("https://example.com").unwrap_or(link);
    // Icons are drawn by the server.
    if shared_asset(target).is_some() || ["/favicon.ico", "/apple-touch-icon.png"].contains(&target) {
        return;
    }
    assert!(target.is_empty() || target.starts_with('/'), "{path} -> {link}");
    assert!(target.is_empty() || world.finds(target) == "page", "{path} -> {link}: {}", world.finds(target));
}
