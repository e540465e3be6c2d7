//! Lists and navigation: their entries and order.

use recto_generator::Settings;

use crate::world::{With, World, between, blog, docs, homepage, standalone};

#[test]
fn posts_are_listed_newest_first() {
    let world = World::of([
        blog(1, "old").dated("2026-01-01"),
        blog(2, "news/new").dated("2026-03-01"),
        blog(3, "same-b").dated("2026-02-01"),
        blog(4, "same-a").dated("2026-02-01"),
    ]);
    assert_eq!(
        world.links("/blog"),
        ["/blog/news", "/blog/news/new", "/blog/same-b", "/blog/same-a", "/blog/old"]
    );
    assert_eq!(world.links("/blog/news"), ["/blog", "/blog/news/new"]);
}

#[test]
fn docs_are_listed_by_weight_then_title_then_slug() {
    let world = World::of([
        docs(1, "a/c").titled("Same"),
        docs(2, "a/b").titled("Same"),
        docs(3, "a/z").titled("apple"),
        docs(4, "a/y").titled("Banana"),
        docs(5, "a/x").titled("Zebra").weighing(-1),
    ]);
    let expected = ["/docs/a/x", "/docs/a/z", "/docs/a/y", "/docs/a/b", "/docs/a/c"];
    assert_eq!(world.links("/docs/a")[1..], expected);
    assert_eq!(between(&world.raw("/.docs/a"), "<li><a href=\"", "\""), expected);
}

#[test]
fn a_section_is_named_as_typed() {
    let world = World::of([
        docs(1, "freebsd-14/a").in_section("FreeBSD-14"),
        docs(2, "freebsd-14/b"),
        docs(3, "mixed/a").in_section("Mixed"),
        docs(4, "mixed/b").in_section("MIXED"),
        docs(5, "api/a").in_section("Api"),
        docs(6, "api").titled("Reference"),
        blog(7, "ios/a").in_section("iOS"),
    ]);
    assert_eq!(
        between(&world.raw("/.docs"), "<span dir=\"auto\">", "</span></a><details"),
        ["FreeBSD 14", "MIXED", "Reference"]
    );
    for path in ["/blog", "/blog/ios"] {
        assert!(world.get(path).contains("iOS"), "{path}");
    }
}

#[test]
fn sections_are_ordered_by_their_section_pages() {
    let world = World::of([
        docs(1, "zoo/a"),
        docs(2, "getting-started/a"),
        docs(3, "api/a"),
        docs(4, "api").titled("Reference").weighing(5),
        docs(5, "introduction"),
    ]);
    let sidebar = world.raw("/.docs");
    assert_eq!(
        between(&sidebar, "<span dir=\"auto\">", "</span></a><details"),
        ["Getting started", "Zoo", "Reference"]
    );
    let index = world.get("/docs");
    assert_eq!(
        between(&index, "<h2 dir=\"auto\">", "</h2>"),
        [
            "<a href=\"/docs/getting-started\">Getting started</a>",
            "<a href=\"/docs/zoo\">Zoo</a>",
            "<a href=\"/docs/api\">Reference</a>",
        ]
    );
    assert!(world.get("/docs/api/a").contains("<li><a href=\"/docs/api\">Reference</a></li>"), "breadcrumbs");
}

#[test]
fn the_owner_orders_sections() {
    let mut settings = Settings::default();
    settings.set("sections", "Zoo; none; api").unwrap();
    let mut world = World::with_settings(settings);
    world.publish([
        docs(1, "zoo/a"),
        docs(2, "api/a"),
        docs(3, "b/a"),
        docs(4, "b").weighing(-5),
        docs(5, "zoo").titled("Animals").weighing(7),
    ]);
    let order = ["/docs/zoo", "/docs/zoo/a", "/docs/api/a", "/docs/b", "/docs/b/a"];
    let is_page = |path: &String| order.contains(&path.as_str());
    assert_eq!(world.links("/docs").into_iter().filter(is_page).collect::<Vec<_>>(), order);
    assert_eq!(neighbour_links(&world, "/docs/api/a"), ["/docs/zoo/a\" rel=\"prev", "/docs/b\" rel=\"next"]);
    assert_eq!(
        between(&world.raw("/.docs"), "<span dir=\"auto\">", "</span></a><details"),
        ["Animals", "API", "b"]
    );
    let cards = between(&world.get("/"), "class=\"title\" href=\"", "\"").join(" ");
    assert_eq!(cards, "/docs/zoo /docs/api /docs/b");
}

#[test]
fn the_sidebar_of_small_docs_shows_all_pages_with_the_current_section_open() {
    let world = World::of([
        docs(1, "a/one").titled("One").endpoint("GET /one"),
        docs(2, "a/two").titled("Two").endpoint("delete"),
        docs(3, "b/three").titled("Three"),
        docs(4, "root").titled("Root"),
    ]);
    let sidebar = |path: &str| {
        let html = world.get(path);
        let sidebar = between(&html, "<nav class=\"side\"", "</nav>")[0].to_owned();
        between(&sidebar, "<li><a", "</a>").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        sidebar("/docs/a/two"),
        [
            " href=\"/docs/root\"><span dir=\"auto\">Root</span>",
            " href=\"/docs/a\"><span dir=\"auto\">A</span>",
            " href=\"/docs/a/one\"><span dir=\"auto\">One</span><span class=\"method get\">GET</span>",
            " aria-current=\"page\" href=\"/docs/a/two\"><span dir=\"auto\">Two</span><span class=\"method delete\">DELETE</span>",
            " href=\"/docs/b\"><span dir=\"auto\">B</span>",
            " href=\"/docs/b/three\"><span dir=\"auto\">Three</span>",
        ]
    );
    assert_eq!(sidebar("/docs/a")[1], " aria-current=\"page\" href=\"/docs/a\"><span dir=\"auto\">A</span>");
    let sections = |path: &str| {
        let html = world.get(path);
        between(&html, "<details", "></summary>").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(sections("/docs/a/two"), [" open><summary aria-label=\"A\"", "><summary aria-label=\"B\""]);
    assert_eq!(sections("/docs/b"), ["><summary aria-label=\"A\"", " open><summary aria-label=\"B\""]);
    assert_eq!(sections("/docs/root"), ["><summary aria-label=\"A\"", "><summary aria-label=\"B\""]);
}

#[test]
fn the_sidebar_of_larger_docs_shows_the_pages_of_the_current_section() {
    let pages = (0..60).map(|n| docs(n, &format!("a/p{n:02}"))).chain([docs(60, "b/three")]);
    let mut world = World::of(pages);
    assert_eq!(sidebar(&world, "/docs/b/three"), ["/docs", "/docs/a", "/docs/b", "/docs/b/three"]);
    assert_eq!(sidebar(&world, "/docs/a/p00").len(), 1 + 1 + 60 + 1);
    world.delete(0);
    assert_eq!(sidebar(&world, "/docs/b/three").len(), 1 + 1 + 59 + 2);
}

#[test]
fn the_pages_of_a_large_section_show_a_window_of_it() {
    let world = World::of((0..2000).map(|n| docs(n, &format!("errors/e{n:04}"))));
    let html = world.get("/docs/errors/e1000");
    let entries = between(&html, "<span dir=\"auto\">", "</span></a></li>");
    assert_eq!((entries.len(), entries[0], entries[40]), (41, "e0980", "e1020"));
    assert_eq!(
        html.matches("<li class=\"all\"><a href=\"/docs/errors\">All 2,000 pages</a></li>").count(),
        2
    );
    assert!(html.len() < 12_000, "{}", html.len());
    assert_eq!(world.links("/docs/errors").len(), 1 + 2000);
}

#[test]
fn the_masthead_links_to_the_existing_parts() {
    let nav = |world: &World, path: &str| {
        let html = world.get(path);
        let nav = between(&html, "<nav aria-label=\"Site\">", "</nav>").concat();
        between(&nav, "<a ", "</a>").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let world = World::new();
    assert_eq!(nav(&world, "/"), [""; 0]);
    let world = World::of([
        blog(1, "a"),
        docs(2, "a"),
        standalone(3, "about").titled("About us").params(r#"{"nav": true, "linkTitle": "About"}"#),
        standalone(4, "imprint"),
    ]);
    let expected = |docs: &str, blog: &str, about: &str| {
        vec![
            format!("{docs}href=\"/docs\">Docs"),
            format!("{blog}href=\"/blog\">Blog"),
            format!("{about}href=\"/about\">About"),
        ]
    };
    let (page, part) = ("aria-current=\"page\" ", "aria-current=\"true\" ");
    assert_eq!(nav(&world, "/"), expected("", "", ""));
    assert_eq!(nav(&world, "/docs"), expected(page, "", ""));
    assert_eq!(nav(&world, "/docs/a"), expected(part, "", ""));
    assert_eq!(nav(&world, "/blog/a"), expected("", part, ""));
    assert_eq!(nav(&world, "/about"), expected("", "", page));
    assert_eq!(nav(&world, "/404.html"), expected("", "", ""));

    let mut settings = Settings::default();
    settings.set("links", "Guides=/docs/guides; All=/docs; Code=https://example.com/?a=1&b=2").unwrap();
    let mut world = World::with_settings(settings);
    let about = standalone(3, "about").titled("About").params(r#"{"nav": true}"#);
    world.publish([docs(1, "guides/a"), docs(2, "other"), about]);
    assert_eq!(
        nav(&world, "/docs/guides/a"),
        [
            "aria-current=\"true\" href=\"/docs/guides\">Guides",
            "href=\"/docs\">All",
            "href=\"https://example.com/?a=1&amp;b=2\">Code",
            "href=\"/about\">About"
        ]
    );
}

#[test]
fn a_long_blog_is_split_by_month_and_day() {
    let post = |n: u128| {
        let (month, day) = (if n < 70 { 5 } else { 4 }, n % 2 + 1);
        blog(n, &format!("p{n:03}")).dated(&format!("2026-{month:02}-{day:02}T{:02}:00Z", n % 24))
    };
    let world = World::of((0..100).map(post));
    let links = world.links("/blog");
    assert_eq!(links.len(), 20 + 2);
    assert_eq!(links[20..], ["/blog/2026.05", "/blog/2026.04"]);
    assert_eq!(world.links("/blog/2026.05"), ["/blog", "/blog/2026.05.02", "/blog/2026.05.01"]);
    assert_eq!(world.links("/blog/2026.04").len(), 1 + 30);
    assert_eq!(world.links("/blog/2026.05.01").len(), 1 + 35);
    assert_eq!(world.finds("/blog/2026.04.01"), "nothing");

    // Posts do not move each other: deleting one leaves the other months unchanged.
    let mut after = World::of((0..100).map(post));
    after.delete(99);
    assert_eq!(after.raw("/blog/2026.05.01"), world.raw("/blog/2026.05.01"));
}

#[test]
fn thousands_of_posts_with_the_same_time_are_split_too() {
    let world = World::of((0..300).map(|n| blog(n, &format!("p{n:03}")).tagged(&["Import"])));
    let parts = world.links("/blog/2026.05.14");
    assert_eq!(parts.len(), 1 + 8);
    let mut posts: Vec<_> =
        parts[1..].iter().flat_map(|part| world.links(part)).filter(|path| path != "/blog").collect();
    posts.sort();
    assert_eq!(posts, (0..300).map(|n| format!("/blog/p{n:03}")).collect::<Vec<_>>());
    assert_eq!(world.links("/tags/import/2026.05.14.0")[..2], ["/tags", "/tags/import"]);
}

#[test]
fn tags_with_the_same_slug_are_one_tag() {
    let world = World::of([
        blog(1, "a").tagged(&["Rust", "C++"]),
        docs(2, "b").tagged(&["rust"]),
        standalone(3, "c").tagged(&["rust", "!!!"]),
        homepage(4, "index").tagged(&["never"]),
    ]);
    let tags = world.get("/tags");
    assert_eq!(
        between(&tags, "<li><a ", "</a></li>"),
        [
            "href=\"/tags/t-e84c538e\" rel=\"tag\" dir=\"auto\"><span>!!!</span> <small>1</small>",
            "href=\"/tags/c\" rel=\"tag\" dir=\"auto\"><span>C++</span> <small>1</small>",
            "href=\"/tags/rust\" rel=\"tag\" dir=\"auto\"><span>rust</span> <small>3</small>",
        ]
    );
    assert_eq!(world.links("/tags/rust"), ["/tags", "/blog/a", "/docs/b", "/c"]);
    assert!(world.get("/blog/a").contains("<a href=\"/tags/rust\" rel=\"tag\" dir=\"auto\">Rust</a>"));
}

/// The previous and next links of a page, each with its `rel`.
fn neighbour_links(world: &World, path: &str) -> Vec<String> {
    let html = world.get(path);
    let turn = between(&html, "<nav class=\"turn\"", "</nav>").concat();
    between(&turn, "href=\"", "\" class").into_iter().map(str::to_owned).collect()
}

#[test]
fn pages_link_to_their_neighbours() {
    let world = World::of([
        docs(1, "a/one"),
        docs(2, "a/two"),
        docs(3, "b/three"),
        blog(4, "old").dated("2026-01-01"),
        blog(5, "new").dated("2026-02-01"),
        standalone(6, "about"),
    ]);
    assert_eq!(neighbour_links(&world, "/docs/a/one"), ["/docs/a/two\" rel=\"next"]);
    assert_eq!(
        neighbour_links(&world, "/docs/a/two"),
        ["/docs/a/one\" rel=\"prev", "/docs/b/three\" rel=\"next"]
    );
    assert_eq!(neighbour_links(&world, "/docs/b/three"), ["/docs/a/two\" rel=\"prev"]);
    assert_eq!(neighbour_links(&world, "/blog/old"), ["/blog/new\" rel=\"next"]);
    assert_eq!(neighbour_links(&world, "/blog/new"), ["/blog/old\" rel=\"prev"]);
    assert_eq!(neighbour_links(&world, "/about"), [""; 0]);
}

#[test]
fn docs_have_one_order() {
    let world = World::of([
        docs(1, "zoo/b").titled("B"),
        docs(2, "zoo/a").titled("A").weighing(1),
        docs(3, "api/d").titled("D"),
        docs(4, "api").titled("Reference").weighing(-5),
        docs(5, "guides").titled("Guides"),
        docs(6, "guides/c").titled("C"),
        docs(7, "start").titled("Start").weighing(-1),
        docs(8, "faq").titled("FAQ"),
        docs(9, "empty").titled("A page for no section").weighing(7),
    ]);
    let order = [
        "/docs/start",
        "/docs/faq",
        "/docs/empty",
        "/docs/api",
        "/docs/api/d",
        "/docs/guides",
        "/docs/guides/c",
        "/docs/zoo/b",
        "/docs/zoo/a",
    ];
    for (at, path) in order.into_iter().enumerate() {
        let before = at.checked_sub(1).map(|at| format!("{}\" rel=\"prev", order[at]));
        let after = order.get(at + 1).map(|path| format!("{path}\" rel=\"next"));
        assert_eq!(
            neighbour_links(&world, path),
            before.into_iter().chain(after).collect::<Vec<_>>(),
            "{path}"
        );
    }
    let is_page = |path: &String| order.contains(&path.as_str());
    assert_eq!(world.links("/docs").into_iter().filter(is_page).collect::<Vec<_>>(), order);
    // In the navigation, each section has its section page or its list.
    let shown = sidebar(&world, "/docs/guides/c");
    assert_eq!(shown.iter().filter(|path| is_page(path)).collect::<Vec<_>>(), order);
    assert_eq!(shown.len(), 1 + order.len() + 1, "the docs and the list of a section: {shown:?}");
    let llms = world.raw("/llms.txt");
    let named = between(&llms, "(https://example.com", ".md)");
    assert_eq!(named, order);
}

#[test]
fn lists_of_several_years_are_grouped() {
    let years = |world: &World| {
        between(&world.get("/blog"), "<h2 class=\"year\">", "</h2>")
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (old, new) = (blog(1, "a").dated("2025-12-31"), blog(2, "b").dated("2026-01-01"));
    assert_eq!(years(&World::of([new.clone(), old])), ["2026", "2025"]);
    assert_eq!(years(&World::of([new])), [""; 0]);
}

#[test]
fn only_a_long_paragraph_begins_with_an_initial() {
    let world = |text: &str| {
        let mut world = World::new();
        world.texts.insert(crate::world::id(1), text.to_owned());
        world.publish([blog(1, "a")]);
        world.get("/blog/a").contains("class=\"prose initial\"")
    };
    assert!(world(&"Long enough. ".repeat(30)));
    assert!(!world("Short."));
    assert!(!world(&format!("# Heading\n\n{}", "Long enough. ".repeat(30))));
}

#[test]
fn the_theme_speaks_the_language_of_the_site() {
    let mut settings = Settings::default();
    settings.set("language", "de").unwrap();
    let mut world = World::with_settings(settings);
    world.publish([blog(1, "a").dated("2026-03-01"), docs(2, "b"), docs(3, "c")]);
    assert!(world.get("/blog/a").contains("1. März 2026"));
    assert!(world.get("/docs/b").contains("<small>Weiter</small>"));
    assert!(world.get("/404.html").contains("Seite nicht gefunden"));
}

#[test]
fn without_a_homepage_the_home_page_is_an_overview() {
    assert!(World::new().get("/").contains("Nothing has been published here yet."));
    let world = World::of([blog(1, "a"), docs(2, "guides/b"), docs(3, "c"), standalone(4, "about")]);
    assert_eq!(world.links("/"), ["/blog/a", "/docs/c", "/docs/guides", "/docs/guides/b", "/docs"]);
    // Only where there is nothing else.
    assert_eq!(World::of([standalone(4, "about")]).links("/"), ["/about"]);
    // With a homepage, only if that asks for it.
    let world = World::of([blog(1, "a"), homepage(2, "index")]);
    assert_eq!(world.links("/"), [""; 0]);
    let world = World::of([blog(1, "a"), homepage(2, "index").params(r#"{"list": true}"#)]);
    assert_eq!(world.links("/"), ["/blog/a"]);
}

/// The links of the docs' sidebar on a page, in order.
fn sidebar(world: &World, path: &str) -> Vec<String> {
    let html = world.get(path);
    let sidebar = html.split_once("<nav class=\"side\"").unwrap().1.split_once("</nav>").unwrap().0;
    between(sidebar, "href=\"", "\"").into_iter().map(str::to_owned).collect()
}

#[test]
fn the_navigation_of_a_very_large_section_shows_the_pages_around_the_current_one() {
    let page = |n: u128| docs(n, &format!("api/p{n:04}")).titled(&format!("P{n:04}")).endpoint("GET /a");
    let world = World::of((0..3_000).map(page).chain([docs(5_000, "guides/a"), docs(5_001, "b")]));
    for n in [0, 1, 21, 500, 1_234, 1_500, 2_999_u128] {
        let around = (n.saturating_sub(20)..(n + 21).min(3_000)).map(|n| format!("/docs/api/p{n:04}"));
        let first = (n > 20).then(|| "/docs/api".to_owned());
        let last = (n + 21 < 3_000).then(|| "/docs/api".to_owned());
        let mut expected = vec!["/docs".to_owned(), "/docs/b".to_owned(), "/docs/api".to_owned()];
        expected.extend(first.into_iter().chain(around).chain(last));
        expected.push("/docs/guides".to_owned());
        let path = format!("/docs/api/p{n:04}");
        assert_eq!(sidebar(&world, &path), expected, "{n}");
        let html = world.get(&path);
        let current = format!(
            "<li><a aria-current=\"page\" href=\"{path}\"><span dir=\"auto\">P{n:04}</span>\
             <span class=\"method get\">GET</span></a></li>"
        );
        assert!(html.contains(&current), "{n}");
        assert!(html.contains("<li class=\"all\"><a href=\"/docs/api\">All 3,000 pages</a></li>"));
    }
    // The list of the section, and a page of another section.
    assert_eq!(sidebar(&world, "/docs/api")[3..5], ["/docs/api/p0000", "/docs/api/p0001"]);
    assert_eq!(sidebar(&world, "/docs/guides/a").len(), 5);
}

#[test]
fn the_navigation_of_many_pages_without_a_section_is_cut_too() {
    let page = |n: u128| docs(n, &format!("p{n:04}")).titled(&format!("P{n:04}"));
    // One of them is a section page.
    let world = World::of((0..2_000).map(page).chain([docs(5_000, "p1000/a")]));
    let links = sidebar(&world, "/docs/p1005");
    let expected = (984..1026).filter(|n| *n != 1000).map(|n| format!("/docs/p{n:04}"));
    let expected: Vec<_> = ["/docs", "/docs"].map(str::to_owned).into_iter().chain(expected).collect();
    assert_eq!(links[..expected.len()], expected);
    assert!(sidebar(&world, "/docs/p1000/a").contains(&"/docs/p0000".to_owned()));
}

#[test]
fn a_list_is_described_by_its_first_titles() {
    let pages = || {
        [
            blog(1, "news/a").titled("The `a` command").tagged(&["ships"]),
            blog(2, "news/b").titled("B").dated("2025-03-01"),
            docs(3, "guides/install").titled("Install"),
            docs(4, "guides/long").titled(&"Long ".repeat(30)),
            standalone(5, "legal/terms").titled("Terms"),
        ]
    };
    let description = |world: &World, path: &str| {
        let page = world.raw(path);
        between(&page, "<meta name=\"description\" content=\"", "\"").join("; ")
    };
    let plain = World::of(pages());
    for (path, expected) in [
        ("/", "The a command · B · Guides"),
        ("/blog", "The a command · B"),
        ("/blog/news", "The a command · B"),
        ("/docs", "Guides"),
        ("/docs/guides", "Install"),
        ("/legal", "Terms"),
        ("/tags", "ships"),
        ("/tags/ships", "The a command"),
    ] {
        assert_eq!(description(&plain, path), expected, "{path}");
    }
    assert_eq!(description(&World::new(), "/blog"), "Nothing here yet.");

    let mut settings = Settings::default();
    settings.set("description", "About ships.").unwrap();
    let mut described = World::with_settings(settings);
    described.publish(pages());
    for path in ["/", "/blog", "/docs"] {
        assert_eq!(description(&described, path), "About ships.", "{path}");
    }
    assert_eq!(description(&described, "/tags/ships"), "The a command");
}
