//! Machine-readable files: feeds, sitemaps, robots.txt, llms.txt, metadata.

use std::collections::BTreeSet;

use quick_xml::Reader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::Event;
use recto_generator::{Brand, Page, PageCard, Settings, fill_search_page};
use serde_json::Value;

use crate::world::{With, World, between, blog, docs, homepage, id, is_search_file, standalone};

/// The texts of the elements `name`, in order; panics if the XML is not well-formed.
fn texts(xml: &str, name: &str) -> Vec<String> {
    let mut reader = Reader::from_str(xml);
    reader.config_mut().check_end_names = true;
    let (mut texts, mut open) = (vec![], None::<String>);
    loop {
        match reader.read_event().unwrap() {
            Event::Start(tag) if tag.name().as_ref() == name => open = Some(String::new()),
            Event::End(tag) if tag.name().as_ref() == name => texts.extend(open.take()),
            Event::Text(text) => {
                if let Some(open) = &mut open {
                    open.push_str(&text);
                }
            }
            Event::GeneralRef(reference) => {
                if let Some(open) = &mut open {
                    match reference.resolve_char_ref().unwrap() {
                        Some(char) => open.push(char),
                        None => open.push_str(resolve_predefined_entity(&reference).unwrap()),
                    }
                }
            }
            Event::Eof => return texts,
            _ => {}
        }
    }
}

const NASTY: &str = "<script>alert('1')</script> & \"quotes\" ]]> שלום 🚀\u{1}\n\u{ffff}";
const TIDY: &str = "<script>alert('1')</script> & \"quotes\" ]]> שלום 🚀";

fn nasty() -> World {
    let mut settings = Settings::default();
    settings.set("title", NASTY.trim_end_matches('\u{ffff}')).unwrap();
    settings.set("description", NASTY).unwrap();
    settings.set("author", NASTY).unwrap();
    settings.set("punctuation", "plain").unwrap();
    let mut world = World::with_settings(settings);
    world.publish([
        blog(1, "a").titled(NASTY).with(|page| {
            page.description = Some(NASTY.to_owned());
            page.tags = vec![NASTY[..30].to_owned()];
        }),
        docs(2, "b").titled(NASTY).endpoint("GET /<b>&\"/{id}"),
        docs(3, "s/c").titled(NASTY),
        docs(4, "s").titled(NASTY),
        standalone(5, "d").titled(NASTY).params(
            r#"{"nav": true, "author": "<b>\"A\"</b>", "cover": "/media/a/b.webp", "coverAlt": "\"><script>", "linkTitle": "<i>"}"#,
        ),
        standalone(6, "t/e").titled(NASTY).tagged(&["</script>"]),
    ]);
    world
}

#[test]
fn feeds_are_well_formed_with_any_title() {
    let world = nasty();
    assert_eq!(texts(&world.get("/feed.xml"), "title"), [TIDY, TIDY]);
    assert_eq!(texts(&world.get("/feed.xml"), "summary"), [TIDY]);
    assert_eq!(texts(&world.get("/rss.xml"), "title"), [TIDY, TIDY]);
    assert_eq!(texts(&world.get("/rss.xml"), "dc:creator"), [TIDY]);
    let feed: Value = serde_json::from_str(&world.get("/feed.json")).unwrap();
    assert_eq!(feed["items"][0]["title"], TIDY);
    texts(&world.raw("/favicon.svg"), "text");
}

#[test]
fn user_text_never_becomes_markup() {
    let world = nasty();
    for path in world.files.keys().filter(|path| !path.ends_with(".md")) {
        if !matches!(world.files[path], recto_generator::File::Bytes(_)) || is_search_file(path) {
            continue;
        }
        let file = match path.as_str() {
            "/search" => fill_search_page(&world.get(path), "", &[]).unwrap(),
            path => world.get(path),
        };
        if path.ends_with(".json") || path.ends_with(".txt") || path.ends_with(".css") {
            continue;
        }
        assert!(!file.contains("<script>alert"), "{path}");
        assert!(!file.contains("<b>\"A"), "{path}");
        assert!(!file.contains("\"><script>"), "{path}");
        assert!(!file.chars().any(|char| char.is_control() && char != '\n'), "{path}");
        for json in between(&file, "<script type=\"application/ld+json\">", "</script>") {
            serde_json::from_str::<Value>(json).unwrap_or_else(|error| panic!("{path}: {error}: {json}"));
        }
    }
}

#[test]
fn code_in_titles_and_descriptions_is_code_or_plain_text() {
    const TITLE: &str = "The `a<b>` command";
    let page = |page: recto_generator::Page| {
        page.titled(TITLE).with(|page| page.description = Some("Runs `x`.".into()))
    };
    let world = World::of(
        [docs(1, "s"), docs(2, "s/a"), docs(3, "b"), blog(4, "c"), blog(5, "d"), standalone(6, "e")]
            .map(page),
    );
    let (title, description) = ("The <code>a&lt;b&gt;</code> command", "Runs <code>x</code>.");
    let count = |path: &str, expected: usize| {
        let html = world.get(path);
        assert_eq!(html.matches(title).count(), expected, "{path} {html}");
        assert!(html.contains(description), "{path}");
    };
    // The footer has the standalone page. Heading, sidebar with three entries, breadcrumbs, previous.
    count("/docs/s/a", 1 + 1 + 3 + 1 + 1);
    // Heading, sidebar, list below, previous and next.
    count("/docs/s", 1 + 1 + 3 + 1 + 2);
    count("/docs", 1 + 3);
    count("/blog", 1 + 2);
    count("/blog/c", 1 + 1 + 1);
    count("/", 1 + 5);
    // Markdown, the style sheet and the script may contain backticks.
    let has_none = |path: &&String| {
        !is_search_file(path) && ![".md", ".txt", ".css", ".js"].iter().any(|end| path.ends_with(end))
    };
    for path in world.files.keys().filter(has_none).filter(|path| world.finds(path) == "page") {
        let file = world.get(path);
        assert!(!file.contains('`'), "{path} {file}");
        let (_, head) = file.split_once("<head>").unwrap_or_default();
        assert!(!head.split("</head>").next().unwrap().contains("<code>"), "{path}");
    }
    assert!(world.get("/docs/s/a").contains("<title>The a&#60;b&#62; command · acme</title>"));
    assert!(world.get("/docs/s/a").contains("<meta name=\"description\" content=\"Runs x.\">"));
    assert_eq!(texts(&world.get("/feed.xml"), "title")[1], "The a<b> command");
    let feed: Value = serde_json::from_str(&world.get("/feed.json")).unwrap();
    assert_eq!(feed["items"][0]["summary"], "Runs x.");
}

#[test]
fn an_atom_feed_holds_the_newest_twenty_posts() {
    let world = World::of((1..=25).map(|n| blog(n, &format!("p{n:02}")).dated(&format!("2026-05-{n:02}"))));
    let atom = world.get("/feed.xml");
    let expected: Vec<_> = (6..=25).rev().map(|n| format!("p{n:02}")).collect();
    assert_eq!(texts(&atom, "title")[1..], expected);
    assert_eq!(texts(&atom, "id")[1], format!("urn:uuid:{}", id(25)));
    assert_eq!(texts(&atom, "published")[0], "2026-05-25T00:00:00.000Z");
    assert_eq!(texts(&atom, "updated")[0], "2026-05-15T00:00:00.000Z");
    assert!(atom.contains("href=\"https://example.com/blog/p25\""));
    assert_eq!(texts(&world.get("/rss.xml"), "pubDate")[0], "Mon, 25 May 2026 00:00:00 GMT");
    let feed: Value = serde_json::from_str(&world.get("/feed.json")).unwrap();
    assert_eq!(feed["items"].as_array().unwrap().len(), 20);
    assert_eq!(feed["items"][0]["url"], "https://example.com/blog/p25");
    // Also without posts.
    assert_eq!(texts(&World::new().get("/feed.xml"), "updated"), ["1970-01-01T00:00:00.000Z"]);
    texts(&World::new().get("/rss.xml"), "title");
}

#[test]
fn feeds_hold_the_texts_of_posts() {
    let mut world = World::new();
    world.texts.insert(id(1), "## B\n\n\"One\" & [two](/b), [three](c.md), ![](/d.png)".to_owned());
    world.publish([blog(1, "s/a")]);
    let text = "<h2 id=\"b\">B</h2>\n<p>“One” &amp; <a href=\"https://example.com/b\">two</a>, \
                <a href=\"https://example.com/blog/s/c\">three</a>, <img src=\"https://example.com/d.png\"";
    let feed: Value = serde_json::from_str(&world.get("/feed.json")).unwrap();
    let [atom, rss] = [("/feed.xml", "content"), ("/rss.xml", "content:encoded")]
        .map(|(path, name)| texts(&world.get(path), name).concat());
    for shown in [&atom, &rss, feed["items"][0]["content_html"].as_str().unwrap()] {
        assert!(shown.starts_with(text), "{shown}");
        assert!(shown.ends_with("</p>\n"), "{shown}");
    }
    assert_eq!(feed["items"][0].get("content_text"), None);
}

#[test]
fn a_post_that_makes_a_feed_too_large_has_its_summary_only() {
    let mut world = World::new();
    let long = |name: &str| format!("{name} {}", "word ".repeat(120_000));
    world.texts.extend([(id(1), long("One")), (id(2), long("Two")), (id(3), "Three".to_owned())]);
    let posts = [("a", "2026-05-03"), ("b", "2026-05-02"), ("c", "2026-05-01")];
    let posts: Vec<_> = (1..).zip(posts).map(|(n, (slug, date))| blog(n, slug).dated(date)).collect();
    world.publish(posts.clone());
    let items = |world: &World| {
        let feed: Value = serde_json::from_str(&world.get("/feed.json")).unwrap();
        let items = feed["items"].as_array().unwrap().iter();
        items.map(|item| item.get("content_html").is_some()).collect::<Vec<_>>()
    };
    assert_eq!(items(&world), [true, false, true]);
    assert!(world.get("/feed.xml").len() < 1_200_000);
    // The other text fits once the first one is shorter.
    world.texts.insert(id(1), "One".to_owned());
    world.publish([posts[0].clone()]);
    assert_eq!(items(&world), [true, true, true]);
}

#[test]
fn the_owner_may_add_to_the_head() {
    let mut settings = Settings::default();
    settings.set("head", "<meta name=\"a\" content=\"b\">").unwrap();
    let world = World::with_settings(settings);
    for path in ["/", "/404.html", "/search", "/docs"] {
        assert!(world.raw(path).contains("\n<meta name=\"a\" content=\"b\">\n</head>"), "{path}");
    }
}

#[test]
fn the_blog_announces_its_feeds() {
    let world = World::of([blog(1, "a"), docs(2, "b")]);
    let feed = r#"<link rel="alternate" type="application/atom+xml" href="/feed.xml""#;
    for path in ["/blog", "/blog/a", "/"] {
        assert!(world.get(path).contains(feed), "{path}");
    }
    assert!(!world.get("/docs/b").contains(feed));
}

#[test]
fn the_sitemap_names_each_page_and_list_once() {
    let world = World::of([
        blog(1, "a"),
        docs(2, "guides"),
        docs(3, "guides/b"),
        docs(4, "api/c"),
        standalone(5, "hidden").params(r#"{"noindex": true}"#),
        standalone(6, "elsewhere").params(r#"{"canonical": "https://example.org/original"}"#),
    ]);
    let mut urls = texts(&world.raw("/sitemap.xml"), "loc");
    urls.sort();
    let expected =
        ["/", "/blog", "/blog/a", "/docs", "/docs/api", "/docs/api/c", "/docs/guides", "/docs/guides/b"];
    assert_eq!(urls, expected.map(|path| format!("https://example.com{path}")));
    assert!(world.get("/hidden").contains("<meta name=\"robots\" content=\"noindex\">"));
}

#[test]
fn a_large_sitemap_is_an_index_of_shards() {
    let world = World::of((0..600).map(|n| docs(n, &format!("p{n}"))));
    let shards = texts(&world.raw("/sitemap.xml"), "loc");
    let path = |url: &String| url.strip_prefix("https://example.com").unwrap().to_owned();
    let mut urls: Vec<_> = shards.iter().flat_map(|url| texts(&world.raw(&path(url)), "loc")).collect();
    assert_eq!(urls.len(), 600 + 3);
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), 600 + 3);
}

#[test]
fn robots_txt_has_the_signals_of_the_owner() {
    let mut settings = Settings::default();
    settings.set("signals", "search=yes,ai-train=no").unwrap();
    let robots = World::with_settings(settings).raw("/robots.txt");
    assert!(
        robots.starts_with("User-agent: *\nContent-Signal: search=yes, ai-train=no\nAllow: /\n"),
        "{robots}"
    );
    assert!(!World::new().raw("/robots.txt").contains("Signal"));
}

#[test]
fn robots_and_llms_point_to_existing_files() {
    let world = World::of([
        docs(1, "guides/a").titled("A [b]").with(|page| page.description = Some("About a.".into())),
        docs(2, "c"),
        blog(3, "d"),
        standalone(4, "about"),
        homepage(5, "index").titled("Start"),
        homepage(6, "former"),
    ]);
    assert_eq!(
        world.raw("/robots.txt"),
        "User-agent: *\nAllow: /\n\nSitemap: https://example.com/sitemap.xml\n"
    );
    assert_eq!(
        world.raw("/llms.txt"),
        "# acme\n\
         \n> The pages published at https://example.com.\n\
         \nEach link leads to the Markdown of a page, or to a list of such links.\n\
         \n## Docs\n\n- [c](https://example.com/docs/c.md)\n\
         \n## Docs: Guides\n\n- [A (b)](https://example.com/docs/guides/a.md): About a.\n\
         \n## Blog\n\n- [d](https://example.com/blog/d.md)\n\
         \n## Pages\n\n- [Start](https://example.com/index.md)\n- [about](https://example.com/about.md)\n"
    );
}

#[test]
fn a_title_cannot_break_its_link_in_llms_txt() {
    let entry = |title: &str| {
        let llms = World::of([docs(1, "a").titled(title)]).raw("/llms.txt");
        llms.lines().last().unwrap().to_owned()
    };
    let check = |title: &str, text: &str| {
        assert_eq!(entry(title), format!("- [{text}](https://example.com/docs/a.md)"));
    };
    check("An array: T[]", "An array: T()");
    check("[a](b) `c]`", "(a)(b) c)");
    check("A lone ` and \\", "A lone  and \\\\");
    check("]", ")");
}

#[test]
fn the_site_s_description_is_the_summary_of_llms_txt() {
    let mut settings = Settings::default();
    settings.set("description", "About ships.").unwrap();
    let llms = World::with_settings(settings).raw("/llms.txt");
    assert_eq!(
        llms,
        "# acme\n\n> About ships.\n\nEach link leads to the Markdown of a page, or to a list of such links.\n"
    );
}

/// Follows the links of `/llms.txt`; the files with lists, and the pages.
fn follow_llms(world: &World) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut lists, mut pages, mut open) = (BTreeSet::new(), BTreeSet::new(), vec!["/llms.txt".to_owned()]);
    while let Some(path) = open.pop() {
        let llms = world.raw(&path);
        assert!(llms.chars().count() < 55_000, "{path} has {} characters", llms.chars().count());
        let named = between(&llms, "](https://example.com", ")").into_iter().map(str::to_owned);
        lists.insert(path);
        for path in named.collect::<Vec<_>>() {
            assert_eq!(world.finds(&path), "page", "{path}");
            match path.strip_suffix(".md") {
                Some(page) => drop(pages.insert(page.to_owned())),
                None if !lists.contains(&path) => open.push(path),
                None => {}
            }
        }
    }
    (lists, pages)
}

#[test]
fn llms_txt_leads_to_every_page_in_small_files() {
    let described = |page: Page| page.with(|page| page.description = Some("A few words. ".repeat(30)));
    let numbered = |count: u128, path: fn(u128) -> String| (0..count).map(move |n| (n, path(n)));
    let docs_of = |count, path| numbered(count, path).map(|(n, path)| docs(n, &path));
    let check = |pages: Vec<Page>, lists: usize| {
        let paths: BTreeSet<_> = pages.iter().map(|page| recto_generator::url(&page.key)).collect();
        let (found, named) = follow_llms(&World::of(pages.into_iter().map(described)));
        assert_eq!(named, paths);
        assert_eq!(found.len(), lists, "{found:?}");
    };
    check(docs_of(100, |n| format!("s{}/p{n}", n % 10)).collect(), 1);
    check(docs_of(120, |n| format!("s{}/p{n}", n % 10)).collect(), 11);
    check(docs_of(120, |n| format!("p{n}")).collect(), 2);
    check(numbered(100, |n| format!("p{n}")).map(|(n, path)| blog(n, &path)).collect(), 2);
    check(vec![standalone(1, "a"), standalone(2, "s/b"), docs(3, "t/c"), docs(4, "t")], 2);
    check(docs_of(3000, |n| format!("s{}/p{n}", n % 3)).collect(), 1 + 3 + 16);
}

#[test]
fn a_page_has_metadata() {
    let mut world = World::new();
    world.texts.insert(id(1), "First words.\n\n![](/media/x/y.webp)\n".to_owned());
    world.publish([blog(1, "news/a")
        .titled("A title")
        .tagged(&["Rust"])
        .params(r#"{"author": "Ada", "cover": "/media/a/b.webp"}"#)]);
    let html = world.get("/blog/news/a");
    for part in [
        "<html lang=\"en\">",
        "<title>A title · acme</title>",
        "<meta name=\"description\" content=\"First words.\">",
        "<link rel=\"canonical\" href=\"https://example.com/blog/news/a\">",
        "<meta property=\"og:type\" content=\"article\">",
        "<meta property=\"og:title\" content=\"A title\">",
        "<meta property=\"og:image\" content=\"https://example.com/media/a/b.webp\">",
        "<link rel=\"alternate\" type=\"text/markdown\" href=\"/blog/news/a.md\" title=\"Markdown\">",
        "<time datetime=\"2026-05-14\">14 May 2026</time>",
        "<span>Ada</span>",
        "<span>1 min read</span>",
        "<li><a href=\"/blog\">Blog</a></li><li><a href=\"/blog/news\">News</a></li>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    let json: Vec<Value> = between(&html, "<script type=\"application/ld+json\">", "</script>")
        .into_iter()
        .map(|json| serde_json::from_str(json).unwrap())
        .collect();
    assert_eq!(json[0]["@type"], "BlogPosting");
    assert_eq!(json[0]["headline"], "A title");
    assert_eq!(json[0]["author"][0]["name"], "Ada");
    assert_eq!(json[0]["datePublished"], "2026-05-14T08:30:00.000Z");
    assert_eq!(json[1]["@type"], "BreadcrumbList");
    assert_eq!(json[1]["itemListElement"][1]["item"], "https://example.com/blog/news");
}

#[test]
fn a_page_without_a_cover_has_a_card() {
    let mut world =
        World::of([blog(1, "news/a").titled("“A” & <b> 'title'"), docs(2, "b"), homepage(3, "home")]);
    let html = world.get("/blog/news/a");
    let card = PageCard::read("/blog/news/a", &html).unwrap();
    assert_eq!((card.title.as_str(), card.section.as_str()), ("“A” & <b> ‘title’", "News"));
    assert_eq!(PageCard::page_of(&card.path).as_deref(), Some("/blog/news/a"));
    for part in [
        format!("<meta property=\"og:image\" content=\"https://example.com{}\">", card.path),
        "<meta property=\"og:image:width\" content=\"1200\">".to_owned(),
        "<meta property=\"og:image:height\" content=\"630\">".to_owned(),
        "<meta name=\"twitter:card\" content=\"summary_large_image\">".to_owned(),
        "<link rel=\"apple-touch-icon\" href=\"/apple-touch-icon.png\">".to_owned(),
        "<link rel=\"icon\" href=\"/favicon.ico\" sizes=\"32x32\">".to_owned(),
    ] {
        assert!(html.contains(&part), "{part}\n{html}");
    }
    for path in ["/docs/b", "/", "/blog", "/docs", "/tags"] {
        let card = PageCard::read(path, &world.get(path)).unwrap();
        assert_eq!(PageCard::page_of(&card.path).as_deref(), Some(path));
    }
    assert_eq!(PageCard::read("/404.html", &world.get("/404.html")), None);
    let brand = Brand::parse(world.raw("/.site").as_bytes()).unwrap();
    assert_eq!((brand.title.as_str(), brand.accent, brand.icon), ("acme", [0xa3, 0x30, 0x1a], None));
    world.publish([blog(1, "news/a").titled("B")]);
    assert_ne!(PageCard::read("/blog/news/a", &world.get("/blog/news/a")).unwrap().path, card.path);
}

#[test]
fn an_archive_refers_to_the_card_of_its_list() {
    let world = World::of((0..70).map(|n| blog(n, &format!("news/p{n}")).tagged(&["Sea"])));
    let image = |path: &str| {
        let html = world.get(path);
        between(&html, "<meta property=\"og:image\" content=\"", "\"")[0].to_owned()
    };
    for (archive, list) in [("/blog", "/blog"), ("/blog/news", "/blog"), ("/tags/sea", "/tags")] {
        let archive = format!("{archive}/2026.05");
        assert_eq!(image(&archive), image(list), "{archive}");
        assert_eq!(PageCard::read(&archive, &world.get(&archive)), None, "it has none of its own");
    }
}

#[test]
fn a_cover_or_a_large_image_is_shown_instead_of_a_card() {
    let upload = |size: &str| format!("/media/00112233445566778899aabbccddeeff{size}/a.webp");
    let (large, small) = (upload("0a000500"), upload("02570100"));
    let mut world = World::new();
    world.texts.insert(id(1), format!("![]({large})"));
    world.texts.insert(id(2), format!("![]({small}) ![]({large})"));
    world.texts.insert(id(3), "![](https://example.com/badge.svg)".to_owned());
    world.texts.insert(id(4), format!("![]({small})"));
    world.publish([
        blog(1, "a"),
        blog(2, "b"),
        blog(3, "c"),
        blog(4, "d").params(&format!("{{\"cover\": \"{large}\"}}")),
    ]);
    let image = |path: &str| {
        let html = world.get(path);
        between(&html, "<meta property=\"og:image\" content=\"https://example.com", "\"")[0].to_owned()
    };
    assert_eq!((image("/blog/a"), image("/blog/d")), (large.clone(), large.clone()));
    for path in ["/blog/b", "/blog/c"] {
        assert!(image(path).starts_with("/assets/cards/"), "{path}");
    }
    let html = world.get("/blog/d");
    let cover = between(&html, "<img class=\"cover\"", ">")[0].to_owned();
    let smaller = large.replace(".webp", ".640.webp 640w, ");
    for part in
        [" width=\"2560\" height=\"1280\"", smaller.as_str(), " sizes=\"(min-", " fetchpriority=\"high\""]
    {
        assert!(cover.contains(part), "{part} {cover}");
    }
}

#[test]
fn front_matter_is_in_the_markdown_only() {
    let (mut world, text) = (World::new(), "---\ntitle: Secret\n---\nFirst words.\n");
    world.texts.insert(id(1), text.to_owned());
    world.publish([docs(1, "a")]);
    assert_eq!(world.raw("/docs/a.md"), text);
    let mut others = world.files.keys().filter(|path| *path != "/docs/a.md" && !is_search_file(path));
    assert!(others.all(|path| !world.get(path).contains("Secret")));
    assert_eq!((world.search("secret"), world.search("first")), (vec![], vec!["/docs/a".to_owned()]));
    assert!(world.raw("/llms.txt").contains("(https://example.com/docs/a.md): First words.\n"));
}

#[test]
fn a_pointer_to_the_list_of_all_pages_follows_the_front_matter() {
    let mut settings = Settings::default();
    settings.set("pointer", "yes").unwrap();
    let mut world = World::with_settings(settings);
    world.texts.insert(id(1), "First words.\n".to_owned());
    world.texts.insert(id(2), "---\ntitle: Two\n---\nSecond words.\n".to_owned());
    world.texts.insert(id(3), "---\ntitle: Three\n---".to_owned());
    world.texts.insert(id(4), "\u{feff}# Four\n".to_owned());
    world.publish([docs(1, "a"), docs(2, "b"), docs(3, "c"), docs(4, "d")]);
    let pointer = "> All pages of this site as Markdown: https://example.com/llms.txt\n\n";
    assert_eq!(world.raw("/docs/a.md"), format!("{pointer}First words.\n"));
    assert_eq!(world.raw("/docs/b.md"), format!("---\ntitle: Two\n---\n{pointer}Second words.\n"));
    assert_eq!(world.raw("/docs/c.md"), format!("---\ntitle: Three\n---\n{pointer}"));
    assert_eq!(world.raw("/docs/d.md"), format!("{pointer}# Four\n"));
    assert!(!world.get("/docs/a").contains("All pages of this site"));
    assert_eq!(world.search("pages"), Vec::<String>::new());
}

#[test]
fn params_are_applied() {
    let world =
        World::of([docs(1, "a").params(r#"{"lang": "he", "canonical": "https://elsewhere.example/a"}"#)]);
    let html = world.get("/docs/a");
    assert!(html.contains("<html lang=\"he\" dir=\"rtl\">"));
    assert!(html.contains("<link rel=\"canonical\" href=\"https://elsewhere.example/a\">"));
}

#[test]
fn a_method_badge_is_the_whole_text_of_its_element() {
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
        let world = World::of([
            docs(1, "api/a").endpoint(&format!("{method} /v1/{{id}}")),
            docs(2, "api/b").endpoint(method),
        ]);
        let badge = format!("<span class=\"method {}\">{method}</span>", method.to_lowercase());
        let bar = |path: &str| between(&world.get(path), "<p class=\"endpoint\">", "</p>")[0].to_owned();
        assert_eq!(bar("/docs/api/a"), format!("{badge} <code>/v1/{{id}}</code>"));
        assert_eq!(bar("/docs/api/b"), badge);
        assert_eq!(world.raw("/.docs/api").matches(&badge).count(), 2);
        assert_eq!(world.get("/docs/api").matches(&badge).count(), 4);
    }
}
