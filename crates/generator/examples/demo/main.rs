//! A demo site: `cargo run -p recto-generator --example demo -- DIR [homepage] [large] [small]`.
//!
//! Writes the files as for a static host (`path/index.html`), with fragments joined.

#![allow(clippy::unwrap_used)]

mod texts;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use model::{ApiEndpoint, ContentType, PageId, PageKey, Section, Slug, Timestamp};
use recto_generator::{
    File, Need, Page, PageParams, Settings, Site, Source, is_feed, is_fragment, join, shared_assets,
};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let target = arguments.next().expect("the directory to write to");
    let options: Vec<String> = arguments.collect();
    let option = |name: &str| options.iter().any(|option| option == name);

    let mut demo = Demo::default();
    match option("small") {
        true => demo.small(),
        false => demo.whole(option("large")),
    }
    if option("homepage") {
        demo.homepage();
    }
    demo.write(settings(option("small")), Path::new(&target));
}

fn settings(small: bool) -> Settings {
    let mut settings = Settings::default();
    let values = [
        ("title", "Lanternfish"),
        ("description", "Light for ships at night: a small company that keeps the lamps of a long coast."),
        ("author", "The keepers"),
        (
            "footer",
            "© Lanternfish. Set in the type of your own machine. [Write to us](mailto:keepers@example.com).",
        ),
    ];
    if !small {
        values.iter().for_each(|(key, value)| settings.set(key, value).unwrap());
    }
    settings
}

#[derive(Default)]
struct Demo {
    pages: Vec<Page>,
    texts: HashMap<PageId, String>,
}

impl Demo {
    /// A page at `[<section>/]<slug>`; the date is `2026-10-02`.
    fn add(&mut self, of: ContentType, path: &str, title: &str, date: &str, text: &str) -> &mut Page {
        let (section, slug) = path.split_once('/').unwrap_or(("", path));
        let published_at = Timestamp::parse_iso(date).unwrap();
        let n = self.pages.len() as u128 + 1;
        let id = PageId::parse(&format!("00000000-0000-7000-8000-{n:012x}")).unwrap();
        self.texts.insert(id, text.to_owned());
        self.pages.push(Page {
            id,
            key: PageKey {
                content_type: of,
                section: Section::parse(section).unwrap(),
                slug: Slug::parse(slug).unwrap(),
            },
            section_spelling: None,
            title: title.to_owned(),
            description: None,
            tags: vec![],
            published_at,
            updated_at: published_at,
            api_endpoint: None,
            params: PageParams::default(),
            content: None,
            summary: String::new(),
            feed_bytes: 0,
        });
        self.pages.last_mut().unwrap()
    }

    fn whole(&mut self, large: bool) {
        self.blog();
        self.docs();
        self.standalone();
        if large {
            for n in 0..2000 {
                let title = format!("Error E{n:04}");
                let text = format!(
                    "What it means when the lamp says E{n:04}.\n\n## Cause\n\nSalt.\n\n## Cure\n\nA cloth."
                );
                self.add(ContentType::Docs, &format!("errors/e{n:04}"), &title, "2026-09-01", &text);
            }
        }
    }

    /// The empty states: one post, one page, no description.
    fn small(&mut self) {
        self.add(ContentType::Blog, "hello", "Hello", "2026-10-01", "The first light.");
        self.add(ContentType::Docs, "start", "Start here", "2026-10-01", "Turn the **key**.");
    }

    fn homepage(&mut self) {
        let page = self.add(
            ContentType::Homepage,
            "index",
            "Light for ships at night",
            "2026-01-01",
            texts::HOMEPAGE,
        );
        page.description = Some("We keep the lamps of a long coast, and we write down how.".to_owned());
        page.params.list = Some(true);
    }

    fn blog(&mut self) {
        for (n, (title, description, section, tags)) in texts::POSTS.into_iter().enumerate() {
            let date = format!("2026-{:02}-{:02}T08:30:00Z", 10 - n / 5, 26 - n % 5 * 5);
            let slug = Slug::from_title(title).unwrap();
            let path = format!("{section}{}", slug.as_str());
            let text =
                if n == 0 { texts::LONG_POST } else { texts::SHORT_POSTS[n % texts::SHORT_POSTS.len()] };
            let page = self.add(ContentType::Blog, &path, title, &date, text);
            page.description = (!description.is_empty()).then(|| description.to_owned());
            page.tags = tags.split(',').filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
        }
        for n in 0..40 {
            let (year, month, day) = (2025 - n / 20, 12 - n % 12, 28 - n % 28);
            let title = format!("Log of week {}", 40 - n);
            let date = format!("{year}-{month:02}-{day:02}");
            let page = self.add(
                ContentType::Blog,
                &format!("log/week-{}", 40 - n),
                &title,
                &date,
                texts::SHORT_POSTS[n % 3],
            );
            page.tags = vec!["log".to_owned()];
        }
    }

    fn docs(&mut self) {
        for (n, (path, title, description, text)) in texts::DOCS.into_iter().enumerate() {
            let page = self.add(ContentType::Docs, path, title, "2026-09-12", text);
            page.description = (!description.is_empty()).then(|| description.to_owned());
            page.params.weight = n as i64;
        }
        for (n, (endpoint, slug, title, description)) in texts::ENDPOINTS.into_iter().enumerate() {
            let page =
                self.add(ContentType::Docs, &format!("api/{slug}"), title, "2026-09-20", texts::ENDPOINT);
            page.description = Some(description.to_owned());
            page.api_endpoint = ApiEndpoint::parse(endpoint).unwrap();
            page.params.weight = n as i64;
            page.tags = vec!["api".to_owned()];
        }
        let page = self.add(
            ContentType::Docs,
            "guides/everything",
            "Everything at once",
            "2026-09-20",
            texts::KITCHEN_SINK,
        );
        page.params.weight = 90;
        page.tags = vec!["reference".to_owned(), "markdown".to_owned()];
    }

    fn standalone(&mut self) {
        let page = self.add(ContentType::Standalone, "about", "About us", "2026-01-01", texts::ABOUT);
        page.params.nav = true;
        page.description = Some("Eleven people, forty lamps.".to_owned());
        self.add(ContentType::Standalone, "company/jobs", "Jobs", "2026-01-02", "We look for a keeper.");
        self.add(ContentType::Standalone, "company/press", "Press", "2026-01-02", "Pictures of lamps.");
    }

    fn write(self, settings: Settings, target: &Path) {
        let mut site = Site::load("https://lanternfish.example", settings, "lanternfish", self.pages, vec![]);
        let mut files: BTreeMap<String, File> = BTreeMap::new();
        let (pages, rest): (Vec<_>, Vec<_>) =
            site.all_paths().into_iter().partition(|path| matches!(site.need(path), Need::Page(_)));
        for path in pages {
            let Need::Page(id) = site.need(&path) else { continue };
            let source = Source::new(&self.texts[&id]);
            let made = site.make(&path, Some(&source)).unwrap().unwrap();
            if let Some(summary) = made.summary {
                site.summarise(id, summary);
            }
            files.insert(path, made.file);
        }
        for path in rest {
            // All but the leaves of the search index.
            if let Some(made) = site.make(&path, None).unwrap() {
                files.insert(path, made.file);
            }
        }
        for (path, bytes) in shared_assets() {
            let place = target.join(path.trim_start_matches('/'));
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            std::fs::write(place, bytes).unwrap();
        }
        for (path, file) in files.iter().filter(|(path, _)| !is_fragment(path)) {
            let File::Bytes(bytes) = file else { continue };
            let is_html = !path.rsplit('/').next().unwrap().contains('.')
                || path.ends_with(".html")
                || is_archive(path);
            let place = target.join(path.trim_start_matches('/'));
            let place = if is_html && !path.ends_with(".html") { place.join("index.html") } else { place };
            std::fs::create_dir_all(place.parent().unwrap()).unwrap();
            let joined = join(bytes, |path| match files.get(path) {
                Some(File::Bytes(bytes)) => Some(bytes),
                _ => None,
            });
            std::fs::write(place, if is_html || is_feed(path) { &joined } else { bytes }).unwrap();
        }
    }
}

/// Whether this is the path of an archive: `/blog/2026.05`.
fn is_archive(path: &str) -> bool {
    path.rsplit('/').next().unwrap().chars().all(|char| char.is_ascii_digit() || char == '.')
}
