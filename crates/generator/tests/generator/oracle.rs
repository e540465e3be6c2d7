//! The oracle: after any change, the stored files equal those of a clean build, byte for byte.

use std::collections::{BTreeMap, HashMap};

use model::{ContentType, PageId};
use proptest::prelude::*;
use recto_generator::{Changes, Page, Settings, Site};

use crate::world::{Files, ORIGIN, With, World, at, blog, docs, id, page};

/// The published pages, and their former paths.
#[derive(Default)]
struct Published {
    pages: BTreeMap<PageId, Page>,
    texts: HashMap<PageId, String>,
    former: Vec<(String, PageId)>,
}

impl Published {
    fn clean_build(&self) -> Files {
        let pages = self.pages.values().cloned().collect();
        let site = Site::load(ORIGIN, settings(), "acme", pages, self.former.clone());
        let paths = site.all_paths();
        let mut world = World { site, texts: self.texts.clone(), files: Files::new() };
        world.build(paths);
        world.files
    }

    /// Applies a change as the API would: keys stay unique, and a page that moved leaves a former path.
    fn apply(&mut self, edits: &[Edit]) -> Changes {
        let mut changes = Changes::default();
        for edit in edits {
            match edit {
                Edit::Delete(n) => self.put(id(*n), None, &mut changes),
                Edit::Put(page, text) => {
                    if self.pages.values().any(|other| other.key == page.key && other.id != page.id) {
                        continue;
                    }
                    self.texts.insert(page.id, text.clone());
                    self.put(page.id, Some((**page).clone()), &mut changes);
                }
                Edit::UpdateText(n, description, text) => {
                    self.texts.insert(id(*n), text.clone());
                    let page = self.pages.get(&id(*n)).cloned();
                    let updated =
                        page.map(|page| page.with(|page| page.description = Some(description.clone())));
                    self.put(id(*n), updated, &mut changes);
                }
                Edit::Swap(one, other) => {
                    let pages = (self.pages.get(&id(*one)).cloned(), self.pages.get(&id(*other)).cloned());
                    let (Some(one), Some(other)) = pages else { continue };
                    let (one_key, other_key) = (one.key.clone(), other.key.clone());
                    self.put(one.id, Some(one.with(|page| page.key = other_key)), &mut changes);
                    self.put(other.id, Some(other.with(|page| page.key = one_key)), &mut changes);
                }
            }
        }
        self.former.extend(changes.former.iter().cloned());
        changes
    }

    fn put(&mut self, id: PageId, new: Option<Page>, changes: &mut Changes) {
        let old = match &new {
            Some(page) => self.pages.insert(id, page.clone()),
            None => self.pages.remove(&id),
        };
        if let (Some(old), Some(new)) = (&old, &new)
            && old.key != new.key
        {
            changes.former.push((recto_generator::url(&old.key), id));
        }
        changes.pages.push((id, new));
    }
}

/// One section is ordered by the owner, the others by themselves.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.set("sections", "index").unwrap();
    settings
}

#[derive(Clone, Debug)]
enum Edit {
    Put(Box<Page>, String),
    /// Changes only description and text.
    UpdateText(u128, String, String),
    /// Two pages swap their paths.
    Swap(u128, u128),
    Delete(u128),
}

fn edit() -> impl Strategy<Value = Edit> {
    let text = || prop::sample::select(vec!["One.", "Two.", ""]).prop_map(str::to_owned);
    let retell = (0..10_u128, text(), text())
        .prop_map(|(n, description, text)| Edit::UpdateText(n, description, text));
    let swap = (0..10_u128, 0..10_u128).prop_map(|(one, other)| Edit::Swap(one, other));
    let delete = (0..10_u128).prop_map(Edit::Delete);
    prop_oneof![9 => put(), 4 => retell, 1 => swap, 2 => delete]
}

/// Few possible values, so that pages interact.
fn put() -> impl Strategy<Value = Edit> {
    let key = (
        0..10_u128,
        prop::sample::select(ContentType::ALL.to_vec()),
        prop::sample::select(vec![
            ("", None),
            ("a/", None),
            ("a/", Some("A")),
            ("b/", None),
            ("index/", None),
            ("index/", Some("Index")),
            ("index/", Some("INDEX")),
        ]),
        prop::sample::select(vec!["a", "b", "c", "index"]),
    );
    let meta = (
        prop::sample::select(vec!["A title", "Another <title>", "b"]),
        prop::option::of(prop::sample::select(vec!["About it", "About \"that\""])),
        prop::sample::subsequence(vec!["Rust", "rust", "!!", "Long tag"], 0..3),
        prop::sample::select(vec!["2026-05-14", "2026-05-15", "2026-06-01"]),
        0..3_i64,
        prop::option::of(prop::sample::select(vec!["GET /a", "DELETE", "POST /b"])),
        prop::sample::select(vec![
            "{}",
            r#"{"nav":true}"#,
            r#"{"noindex":true}"#,
            r#"{"canonical":"https://example.org/a"}"#,
            r#"{"list":true}"#,
            r#"{"list":false}"#,
            r#"{"aliases":["/old","/blog/a","/docs/a.md"]}"#,
            r#"{"aliases":["/old","/tags/rust","/docs/b/c"]}"#,
        ]),
    );
    let text = prop_oneof![
        9 => prop::sample::select(vec!["", "Some *text*.", "# A title\n\n## One\n\n## Two\n\nMore."])
            .prop_map(str::to_owned),
        1 => Just(crate::source::too_deep()),
    ];
    (key, meta, text).prop_map(|((n, content_type, (section, spelling), slug), meta, text)| {
        let (title, description, tags, date, weight, endpoint, params) = meta;
        let page = page(n, content_type, &format!("{section}{slug}"))
            .titled(title)
            .tagged(&tags)
            .dated(date)
            .params(params)
            .weighing(weight)
            .endpoint(endpoint.unwrap_or_default())
            .with(|page| page.description = description.map(str::to_owned))
            .with(|page| page.section_spelling = spelling.map(str::to_owned));
        Edit::Put(Box::new(page), text)
    })
}

fn assert_same(kept: &Files, clean: &Files, what: &str) {
    let differing: Vec<_> = kept
        .keys()
        .chain(clean.keys())
        .filter(|path| kept.get(*path) != clean.get(*path))
        .map(|path| format!("{path}: kept {} clean {}", shown(kept.get(path)), shown(clean.get(path))))
        .collect();
    assert!(differing.is_empty(), "{what}: {differing:#?}");
}

fn shown(file: Option<&recto_generator::File>) -> String {
    match file {
        None => "nothing".to_owned(),
        Some(recto_generator::File::Redirect(to)) => format!("-> {to}"),
        Some(recto_generator::File::Bytes(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn stored_files_equal_a_clean_build(
        steps in prop::collection::vec(prop::collection::vec(edit(), 1..4), 1..12)
    ) {
        let mut published = Published::default();
        let mut world = World::with_settings(settings());
        for edits in steps {
            let changes = published.apply(&edits);
            world.texts = published.texts.clone();
            world.apply(changes);
            assert_same(&world.files, &published.clean_build(), &format!("{edits:?}"));
        }
        // An index loaded from its stored pages is the same.
        let kept = world.site.pages().map(|page| {
            let json = serde_json::to_string(page).unwrap();
            serde_json::from_str::<Page>(&json).unwrap()
        });
        let loaded = Site::load(ORIGIN, settings(), "acme", kept.collect(), published.former.clone());
        prop_assert_eq!(loaded.all_paths(), world.site.all_paths());
        let mut loaded = World { site: loaded, texts: published.texts.clone(), files: Files::new() };
        // Lists before pages: the summaries are already known.
        let paths = loaded.site.all_paths();
        for path in paths.iter().filter(|path| matches!(loaded.site.need(path), recto_generator::Need::Index)) {
            loaded.files.insert(path.clone(), loaded.site.make(path, None).unwrap().unwrap().file);
        }
        loaded.build(paths);
        assert_same(&loaded.files, &world.files, "loaded");
    }
}

/// Edits of a section that is large, or becomes or was large: its navigation is split into parts.
fn large_edits() -> impl Strategy<Value = Vec<Edit>> {
    let put = (0..700_u128, prop::sample::select(vec!["", "api/"]), 0..5_usize, 0..2_i64);
    let put = put.prop_map(|(n, section, title, weight)| {
        let title = match title {
            // Near its old position.
            0 => format!("The page number {}", n + 2),
            length => "title ".repeat(length),
        };
        docs(n, &format!("{section}p{n}")).titled(&title).weighing(weight)
    });
    // A section and its section page are added and removed.
    let front = prop::sample::select(vec![docs(1_000, "b"), docs(1_001, "b/x")]);
    let put = prop_oneof![8 => put, 1 => front].prop_map(|page| Edit::Put(Box::new(page), String::new()));
    let delete = prop_oneof![8 => 0..700_u128, 2 => 1_000..1_002_u128].prop_map(Edit::Delete);
    prop_oneof![
        8 => prop::collection::vec(prop_oneof![3 => put.clone(), 2 => delete.clone()], 1..4),
        1 => prop::collection::vec(prop_oneof![1 => put, 1 => delete], 50..150),
    ]
}

/// The docs' navigation, which a clean build generates without any text.
fn navigation(site: &Site) -> Files {
    let paths = site.all_paths().into_iter().filter(|path| is_navigation(path));
    paths.map(|path| (path.clone(), site.make(&path, None).unwrap().unwrap().file)).collect()
}

fn is_navigation(path: &str) -> bool {
    path.starts_with("/.docs") || path.starts_with("/.root")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, ..ProptestConfig::default() })]

    #[test]
    fn stored_files_of_a_large_section_equal_a_clean_build(
        (pages, section) in (200..600_u128, prop::sample::select(vec!["", "api/"])),
        steps in prop::collection::vec(large_edits(), 20..60),
    ) {
        let mut published = Published::default();
        let mut world = World::with_settings(settings());
        let first = (0..pages).map(|n| docs(n, &format!("{section}p{n}")).titled(&format!("The page number {n}")));
        let first: Vec<Edit> = first.map(|page| Edit::Put(Box::new(page), String::new())).collect();
        for edits in [first].into_iter().chain(steps) {
            let changes = published.apply(&edits);
            world.texts = published.texts.clone();
            world.apply(changes);
            let pages = published.pages.values().cloned().collect();
            let clean = Site::load(ORIGIN, settings(), "acme", pages, published.former.clone());
            let kept = world.files.iter().filter(|(path, _)| is_navigation(path));
            let kept = kept.map(|(path, file)| (path.clone(), file.clone())).collect();
            assert_same(&kept, &navigation(&clean), &format!("{} edits", edits.len()));
        }
        assert_same(&world.files, &published.clean_build(), "at the end");
    }
}

/// Lists are split at 60 pages, the search index at 64, the sitemap at 500, descriptions end at 100: each threshold is
/// crossed in both directions.
#[test]
fn thresholds_are_crossed_in_both_directions() {
    let check = |pages: Vec<Page>, last: Vec<Page>| {
        let mut published = Published::default();
        let mut world = World::with_settings(settings());
        let put = |page: Page| Edit::Put(Box::new(page), "Text.".to_owned());
        let mut step = |edits: Vec<Edit>| {
            let changes = published.apply(&edits);
            world.texts = published.texts.clone();
            world.apply(changes);
            assert_same(&world.files, &published.clean_build(), &format!("{} pages", published.pages.len()));
        };
        step(pages.into_iter().map(put).collect());
        last.iter().cloned().for_each(|page| step(vec![put(page)]));
        let gone = |page: &Page| Edit::Delete(page.id.0.as_u128());
        last.iter().for_each(|page| step(vec![gone(page)]));
    };
    let post = |n: u128, date: &str| blog(n, &format!("news/p{n}")).dated(date).tagged(&["All"]);
    // All on one day: month, day and parts appear at once.
    let numbered = |from, to, date: &'static str| (from..to).map(move |n| post(n, date));
    check(numbered(10, 69, "2026-05-14").collect(), numbered(0, 3, "2026-05-14").collect());
    // Across months and days.
    let spread = numbered(10, 40, "2026-05-14").chain(numbered(40, 60, "2026-05-20")).chain(numbered(
        60,
        70,
        "2026-04-01",
    ));
    check(spread.collect(), vec![post(0, "2026-05-14"), post(1, "2026-03-01"), post(2, "2026-05-20")]);
    check(
        (10..72).map(|n| docs(n, &format!("p{n}"))).collect(),
        (0..4).map(|n| docs(n, &format!("p{n}"))).collect(),
    );
    let section = (10..110).map(|n| docs(n, &format!("api/p{n}")));
    check(section.collect(), vec![docs(0, "api/p0"), docs(1, "api/p1"), docs(2, "api")]);
}

#[test]
fn the_sitemap_is_split_beyond_500_pages() {
    let mut world = World::of((0..499).map(|n| docs(n, &format!("p{n}"))));
    let clean = |world: &World| {
        let published = Published {
            pages: world.site.pages().map(|page| (page.id, page.clone())).collect(),
            ..Published::default()
        };
        published.clean_build()
    };
    for n in 499..502 {
        world.publish([docs(n, &format!("p{n}"))]);
    }
    assert_same(&world.files, &clean(&world), "501 pages");
    assert!(world.raw("/sitemap.xml").contains("<sitemapindex"));
    for n in 499..502 {
        world.delete(n);
    }
    assert_same(&world.files, &clean(&world), "499 pages");
    assert!(world.raw("/sitemap.xml").contains("<urlset"));
}

#[test]
fn a_rename_in_a_large_section_affects_few_files() {
    let mut world = World::of((0..2000).map(|n| docs(n, &format!("api/p{n:04}"))));
    let dirty = world.publish([docs(1000, "api/p1000").titled("p1000 renamed")]);
    assert_eq!(
        dirty,
        [
            "/",
            "/.docs/api",
            "/.docs/api/p0992",
            "/.list",
            "/.search/00111",
            "/.search/00111.text",
            "/.search/leaves",
            "/docs",
            "/docs/api",
            "/docs/api/llms.txt",
            "/docs/api/p0999",
            "/docs/api/p1000",
            "/docs/api/p1000.md",
            "/docs/api/p1001",
            "/llms.1.txt",
            "/llms.txt",
            "/sitemap.1.xml",
        ]
    );
}

/// After each change the stored files equal those of a clean build, and few other pages of the docs are generated.
#[test]
fn a_page_at_an_end_of_a_section_has_neighbours_in_others() {
    let mut published = Published::default();
    let mut world = World::with_settings(settings());
    let mut step = |edit: Edit| {
        let changes = published.apply(&[edit]);
        world.texts = published.texts.clone();
        let dirty = world.apply(changes);
        assert_same(&world.files, &published.clean_build(), &format!("{dirty:?}"));
        let is_page = |path: &String| path.starts_with("/docs/") && !path.contains('.');
        dirty.into_iter().filter(is_page).collect::<Vec<_>>()
    };
    let put = |page: Page| Edit::Put(Box::new(page), "Text.".to_owned());
    let names = ["a", "b", "c"].into_iter();
    for (n, path) in names.flat_map(|name| (0..40).map(move |n| format!("{name}/p{n:02}"))).enumerate() {
        step(put(docs(n as u128, &path)));
    }
    let renamed = ["/docs/a/p39", "/docs/b", "/docs/b/p00", "/docs/b/p01"];
    assert_eq!(step(put(docs(40, "b/p00").titled("p00, renamed"))), renamed);
    assert_eq!(
        step(put(docs(40, "b/p00").titled("p00, renamed").weighing(1))),
        ["/docs/a/p39", "/docs/b", "/docs/b/p00", "/docs/b/p01", "/docs/b/p39", "/docs/c/p00"]
    );
    // A section page moves its section: to the front, then to the end.
    for weight in [-1, 9, -1] {
        assert!((5..=10).contains(&step(put(docs(1_000, "b").weighing(weight))).len()), "{weight}");
    }
    assert!(step(Edit::Delete(1_000)).len() <= 10);
    // A section is added for a page that was an ordinary one, and removed.
    step(put(docs(1_001, "d")));
    assert!(step(put(docs(1_002, "d/x"))).len() <= 10);
    assert!(step(Edit::Delete(1_002)).len() <= 10);
}

#[test]
fn a_changed_text_does_not_affect_the_navigation() {
    let mut world = World::of((0..2000).map(|n| docs(n, &format!("api/p{n:04}"))));
    let dirty = world.publish([docs(1000, "api/p1000").with(|page| page.updated_at = at("2026-06-01"))]);
    let leaf = ["/.search/00111", "/.search/00111.text"];
    let page = [
        "/docs/api/llms.txt",
        "/docs/api/p1000",
        "/docs/api/p1000.md",
        "/llms.1.txt",
        "/llms.txt",
        "/sitemap.1.xml",
    ];
    assert_eq!(dirty, [&leaf[..], &page].concat());

    let mut world = World::of(
        (0..2000).map(|n| blog(n, &format!("p{n:04}")).dated(&format!("2026-{:02}-01", n % 12 + 1))),
    );
    let dirty = world
        .publish([blog(1000, "p1000").dated("2026-05-01").with(|page| page.updated_at = at("2026-06-01"))]);
    assert!(dirty.len() < 20, "{dirty:#?}");
}

/// The parts of a section's navigation among these paths.
fn parts(paths: &[String]) -> Vec<&String> {
    paths.iter().filter(|path| path.starts_with("/.docs/api/") || path.starts_with("/.root/")).collect()
}

#[test]
fn a_change_in_a_very_large_section_affects_few_parts_of_the_navigation() {
    let page = |n: u128| docs(n, &format!("api/p{n:05}")).titled(&format!("The page number {n:05}"));
    let mut world = World::of((0..10_000).map(page));
    let before = world.files.clone();
    let all: Vec<String> = before.keys().cloned().collect();
    assert!((40..200).contains(&parts(&all).len()), "{} parts", parts(&all).len());
    for path in parts(&all) {
        assert!(world.raw(path).len() <= 24 * 1024, "{path}");
    }
    assert!(world.raw("/.docs/api").len() <= 32 * 1024);
    // One page added, one renamed, one moved far, one removed.
    let changes = [
        vec![(10_000, Some(page(10_000)))],
        vec![(500, Some(page(500).titled("The page number 00500, renamed")))],
        vec![(600, Some(page(600).titled("Zzz")))],
        vec![(700, None)],
    ];
    for change in changes {
        let before = world.files.clone();
        let pages = change.into_iter().map(|(n, page)| (crate::world::id(n), page)).collect();
        let dirty = world.apply(Changes { pages, former: vec![] });
        assert!(parts(&dirty).len() <= 6, "{dirty:#?}");
        let rewritten = |path: &&String| before.get(*path) != world.files.get(*path);
        let pages = dirty.iter().filter(|path| path.starts_with("/docs/api/") && !path.ends_with(".md"));
        assert!(pages.filter(rewritten).count() <= 5, "{dirty:#?}");
    }
}
