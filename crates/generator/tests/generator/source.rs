//! A page whose text cannot be rendered within its bounds is shown as its source.

use recto_generator::{Made, MissingSource, Site, Source};

use crate::world::{With, World, blog, docs, id};

/// Quotes nested so deeply, followed by so many lines, that parsing would take long.
pub fn too_deep() -> String {
    format!("A *start*.\n\n{}\n{}", ">".repeat(6_700), "b\n".repeat(6_100))
}

const WARNING: &str = "the page is shown as its source text: line 3 nests quotes or lists too deeply";

fn world() -> World {
    let mut world = World::new();
    world.texts.insert(id(1), too_deep());
    world.publish([blog(1, "deep").titled("Deep <waters>"), docs(2, "api/plain")]);
    world
}

fn make(site: &Site, path: &str, source: &Source<'_>) -> Made {
    site.make(path, Some(source)).unwrap().unwrap()
}

#[test]
fn a_text_over_its_bounds_is_shown_as_its_source_with_a_warning() {
    let made = make(&world().site, "/blog/deep", &Source::new(&too_deep()));
    assert_eq!(made.warning.as_deref(), Some(WARNING));
    assert_eq!(made.summary.map(|summary| summary.text).as_deref(), Some("A *start*.…"));
    assert_eq!(make(&world().site, "/docs/api/plain", &Source::new("A *text*.")).warning, None);
}

#[test]
fn the_rest_of_the_page_is_as_usual() {
    let world = world();
    let html = world.get("/blog/deep");
    assert!(html.contains("<h1 dir=\"auto\">Deep &lt;waters&gt;</h1>"));
    assert!(html.contains(&format!("<pre class=\"source\">\nA *start*.\n\n{}\nb\n", "&gt;".repeat(6_700))));
    assert!(html.contains("<meta name=\"description\" content=\"A *start*."));
    assert_eq!(world.raw("/blog/deep.md"), too_deep());
    for path in ["/blog", "/feed.xml", "/rss.xml", "/feed.json", "/llms.txt"] {
        assert!(world.raw(path).contains("A *start*.…"), "{path}");
    }
    assert!(world.raw("/sitemap.xml").contains("/blog/deep</loc>"));
}

#[test]
fn a_caller_can_request_the_source() {
    let source =
        Source { content: "# A *text* & more\n", as_text: Some("this page's text made the program fail") };
    let made = make(&world().site, "/docs/api/plain", &source);
    let warning = "the page is shown as its source text: this page's text made the program fail";
    assert_eq!(made.warning.as_deref(), Some(warning));
    assert_eq!(made.summary.map(|summary| summary.text).as_deref(), Some("# A *text* & more"));
    let recto_generator::File::Bytes(html) = made.file else { panic!("a page") };
    let html = String::from_utf8(html).unwrap();
    assert!(html.contains("<pre class=\"source\">\n# A *text* &amp; more\n</pre>"));
    // The Markdown file is unchanged.
    let markdown = make(&world().site, "/docs/api/plain.md", &source);
    assert_eq!((markdown.warning, markdown.summary), (None, None));
}

#[test]
fn a_page_without_its_text_is_an_error() {
    assert_eq!(world().site.make("/docs/api/plain", None), Err(MissingSource(id(2))));
    assert_eq!(world().site.make("/docs/api/plain.md", None), Err(MissingSource(id(2))));
}
