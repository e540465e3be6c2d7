//! Which file is at which path, and which one takes precedence.

use model::PageId;
use recto_generator::{Changes, Need};

use crate::world::{With, World, blog, docs, homepage, id, standalone};

#[test]
fn every_page_is_at_its_url() {
    let world = World::of([
        blog(1, "hello"),
        blog(2, "news/hello"),
        docs(3, "hello"),
        docs(4, "guides/hello"),
        standalone(5, "about"),
        standalone(6, "company/about"),
        homepage(7, "index"),
        homepage(8, "old/front").dated("2020-01-01"),
    ]);
    let check = |path: &str, expected: &str| assert_eq!(world.finds(path), expected, "{path}");
    for (path, n) in [
        ("/blog/hello", 1),
        ("/blog/news/hello", 2),
        ("/docs/hello", 3),
        ("/docs/guides/hello", 4),
        ("/about", 5),
        ("/company/about", 6),
        ("/", 7),
    ] {
        assert_eq!(world.site.need(path), Need::Page(id(n)), "{path}");
        assert_eq!(world.site.path_of(id(n)).as_deref(), Some(path));
        let markdown = if path == "/" { "/index.md".to_owned() } else { format!("{path}.md") };
        assert_eq!(world.site.need(&markdown), Need::Page(id(n)), "{markdown}");
        check(path, "page");
        check(&markdown, "page");
    }
    check("/.md", "page");
    check("/standalone/about", "-> /about");
    check("/standalone/company/about", "-> /company/about");
    check("/standalone/company", "-> /company");
    check("/homepage/index", "-> /");
    check("/homepage/old/front", "-> /");
    assert_eq!(world.site.path_of(id(8)), None);

    for list in ["/blog", "/blog/news", "/docs", "/docs/guides", "/company", "/tags"] {
        check(list, "page");
        assert_eq!(world.site.need(list), Need::Index, "{list}");
    }
    for fixed in [
        "/404.html",
        "/robots.txt",
        "/sitemap.xml",
        "/feed.xml",
        "/rss.xml",
        "/feed.json",
        "/llms.txt",
        "/favicon.svg",
    ] {
        check(fixed, "page");
    }
    for nothing in [
        "",
        "about",
        "/about/",
        "//about",
        "/about.html",
        "/blog/",
        "/docs/hello/",
        "/docs/none",
        "/standalone",
        "/homepage",
        "/blog/2026.05",
        "/docs/guides/hello/more",
        "/blog/hello.md.md",
        "/sitemap.0.xml",
        "/sitemap.lists.xml",
        "/.docs/none",
        "/.",
        "/..",
        "/tags/none",
        "/homepage/none",
        "/Blog",
        "/docs//hello",
    ] {
        check(nothing, "nothing");
        assert_eq!(world.site.need(nothing), Need::Nothing, "{nothing}");
        assert_eq!(world.site.make(nothing, None), Ok(None), "{nothing}");
    }
}

#[test]
fn the_homepage_is_index_else_the_last_published_one() {
    let check = |pages: Vec<recto_generator::Page>, expected: Option<PageId>| {
        let world = World::of(pages);
        match expected {
            Some(id) => assert_eq!(world.site.need("/"), Need::Page(id)),
            None => assert_eq!(world.site.need("/"), Need::Index),
        }
    };
    check(vec![], None);
    check(vec![homepage(1, "a").dated("2026-01-01"), homepage(2, "b").dated("2026-01-02")], Some(id(2)));
    check(vec![homepage(1, "index").dated("2020-01-01"), homepage(2, "b")], Some(id(1)));
    check(vec![homepage(1, "a/index"), homepage(2, "index").dated("2020-01-01")], Some(id(2)));
}

#[test]
fn a_section_page_replaces_the_list_and_shows_it_below() {
    for (front, inside, path) in [
        (docs(1, "guides"), docs(2, "guides/install"), "/docs/guides"),
        (blog(1, "news"), blog(2, "news/first"), "/blog/news"),
        (standalone(1, "company"), standalone(2, "company/jobs"), "/company"),
    ] {
        let list = World::of([inside.clone()]);
        assert_eq!(list.site.need(path), Need::Index);
        let inside_path = list.site.path_of(id(2)).unwrap();
        assert!(list.links(path).contains(&inside_path), "{path}");

        let mut world = World::of([front, inside]);
        assert_eq!(world.site.need(path), Need::Page(id(1)));
        assert!(world.links(path).contains(&inside_path), "{path}");
        world.delete(2);
        assert!(!world.get(path).contains("class=\"below\""), "{path}");
        world.delete(1);
        assert_eq!(world.finds(path), "nothing");
    }
    let world = World::of([docs(1, "guides").params(r#"{"list": false}"#), docs(2, "guides/install")]);
    assert!(!world.get("/docs/guides").contains("class=\"below\""));
}

#[test]
fn a_former_url_redirects_to_the_page() {
    let mut world = World::of([docs(1, "new"), docs(2, "a")]);
    let former = |path: &str, n| Changes { pages: vec![], former: vec![(path.to_owned(), id(n))] };
    world.apply(former("/docs/old", 1));
    assert_eq!(world.finds("/docs/old"), "-> /docs/new");

    // It follows the page, without chains.
    world.publish([blog(1, "newest")]);
    world.apply(former("/docs/new", 1));
    assert_eq!(
        (world.finds("/docs/old"), world.finds("/docs/new")),
        ("-> /blog/newest".into(), "-> /blog/newest".into())
    );

    // Never over an existing page or list.
    world.publish([docs(3, "old"), docs(4, "new/inside")]);
    assert_eq!((world.finds("/docs/old"), world.finds("/docs/new")), ("page".into(), "page".into()));
    world.delete(3);
    world.delete(4);
    assert_eq!(
        (world.finds("/docs/old"), world.finds("/docs/new")),
        ("-> /blog/newest".into(), "-> /blog/newest".into())
    );

    // The last page with that path; and nothing once that is deleted.
    world.apply(former("/docs/old", 2));
    assert_eq!(world.finds("/docs/old"), "-> /docs/a");
    world.delete(2);
    assert_eq!(world.finds("/docs/old"), "nothing");
    world.publish([homepage(1, "front")]);
    assert_eq!(world.finds("/docs/new"), "-> /");
}

#[test]
fn a_page_with_a_reserved_path_is_not_shown() {
    let world = World::of([standalone(1, "docs"), standalone(2, "blog/about"), standalone(3, "fine")]);
    assert_eq!(world.site.pages().map(|page| page.id).collect::<Vec<_>>(), [id(3)]);
    assert_eq!(world.site.need("/docs"), Need::Index);
}

#[test]
fn a_standalone_index_has_its_own_markdown() {
    let mut world = World::of([homepage(1, "index"), standalone(2, "index")]);
    assert_eq!(world.site.need("/index.md"), Need::Page(id(2)));
    world.delete(2);
    assert_eq!(world.site.need("/index.md"), Need::Page(id(1)));
}

#[test]
fn pages_may_swap_paths() {
    let mut world = World::of([docs(1, "a"), docs(2, "b")]);
    world.publish([docs(1, "b"), docs(2, "a")]);
    assert_eq!(world.site.need("/docs/a"), Need::Page(id(2)));
    assert_eq!(world.site.need("/docs/b"), Need::Page(id(1)));
}

#[test]
fn the_markdown_is_the_source_byte_for_byte() {
    let mut world = World::new();
    let text = "# Title\r\n\n\ttab \u{feff} é <b>\n\n\n";
    world.texts.insert(id(1), text.to_owned());
    world.publish([docs(1, "a")]);
    assert_eq!(world.raw("/docs/a.md"), text);
}
