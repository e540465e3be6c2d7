//! The search index: which pages it has, and by which words they are found.

use recto_generator::{SearchFile, Settings};
use search::LeafName;

use crate::world::{With, World, blog, docs, homepage, id, standalone};

fn none() -> Vec<String> {
    vec![]
}

#[test]
fn a_page_is_found_by_everything_that_it_shows() {
    let mut world = World::new();
    world.texts.insert(id(1), "Before.\n\n## A *heading*\n\nBelow it: `code`.\n".to_owned());
    let page = docs(1, "guides/first").titled("The `title`").tagged(&["Rust"]).endpoint("GET /v1/users");
    world.publish([page.with(|page| page.description = Some("A `description`.".to_owned()))]);
    for query in
        ["title", "description", "rust", "get users", "before", "heading", "below code", "title below"]
    {
        assert_eq!(world.search(query), ["/docs/guides/first"], "{query}");
    }
    assert_eq!(world.search("guides"), none());
}

#[test]
fn pages_of_all_types_are_found_at_their_urls() {
    let pages = [blog(1, "a"), docs(2, "s/b"), standalone(3, "s/c"), homepage(4, "d")];
    let mut world = World::of(pages.map(|page| page.titled("Same")));
    assert_eq!(world.search("same"), ["/", "/blog/a", "/docs/s/b", "/s/c"]);
    world.delete(2);
    assert_eq!(world.search("same"), ["/", "/blog/a", "/s/c"]);
}

#[test]
fn only_the_homepage_that_is_shown_is_found() {
    let mut world = World::of([homepage(1, "old").titled("Old"), docs(3, "a").titled("Other")]);
    assert_eq!(world.search("old"), ["/"]);
    world.publish([homepage(2, "index").titled("New")]);
    assert_eq!((world.search("old"), world.search("new")), (none(), vec!["/".to_owned()]));
    world.delete(2);
    assert_eq!((world.search("old"), world.search("new")), (vec!["/".to_owned()], none()));
}

#[test]
fn a_page_that_is_excluded_from_search_is_not_found() {
    let mut world = World::of([docs(1, "a").params(r#"{"noindex": true}"#), docs(2, "b").titled("A")]);
    assert_eq!(world.search("a"), ["/docs/b"]);
    world.publish([docs(1, "a"), docs(2, "b").titled("A").params(r#"{"noindex": true}"#)]);
    assert_eq!(world.search("a"), ["/docs/a"]);
}

#[test]
fn a_site_that_is_excluded_from_search_has_no_leaves() {
    let mut world = World::with_settings(Settings { noindex: true, ..Settings::default() });
    world.publish([docs(1, "a"), homepage(2, "b")]);
    assert_eq!(world.raw("/.search/leaves"), "");
    assert_eq!(world.files.keys().filter(|path| path.starts_with("/.search/")).count(), 1);
}

#[test]
fn a_large_site_has_several_leaves() {
    let mut world = World::of((0..64).map(|n| docs(n, &format!("p{n}"))));
    assert_eq!(world.raw("/.search/leaves"), "all\n");
    world.publish([docs(64, "p64")]);
    assert_eq!(world.raw("/.search/leaves"), "0\n1\n");
    assert!(!world.files.contains_key("/.search/all") && !world.files.contains_key("/.search/all.text"));
    assert_eq!(world.search("p7"), ["/docs/p7"]);
    world.delete(64);
    assert_eq!(world.raw("/.search/leaves"), "all\n");
}

#[test]
fn a_path_of_the_index_is_read_as_it_is_written() {
    let leaf = LeafName::parse("0110").unwrap();
    for (path, file) in [
        ("/.search/leaves", SearchFile::Leaves),
        ("/.search/0110", SearchFile::Terms(leaf)),
        ("/.search/0110.text", SearchFile::Texts(leaf)),
    ] {
        assert_eq!((SearchFile::parse(path), file.to_string()), (Some(file), path.to_owned()));
    }
    for path in ["/.search", "/.search/", "/.search/leaves.text", "/.search/2", "/search/0110", "/.nav"] {
        assert_eq!(SearchFile::parse(path), None, "{path}");
    }
}
