//! Shortcodes: `ref`, `relref`, `figure` and `highlight` are converted, others stay.

use std::collections::HashMap;

use crate::fences::fenced;
use crate::paths::{name, parent, stem};
use crate::site::Site;
use crate::templates::{Replaced, Tag, replace, words};

const DELIMITERS: [(&str, &str); 2] = [("{{<", ">}}"), ("{{%", "%}}")];

pub(super) fn convert(site: &mut Site, content: &str) {
    let urls = Urls::of(site, content);
    let Site { pages, notes, .. } = site;
    for page in pages {
        let folder =
            parent(page.origin.strip_prefix(content).unwrap_or(&page.origin)).trim_matches('/').to_owned();
        page.convert(notes, |text, note| {
            replace(text, &DELIMITERS, |tag| {
                let replaced = shortcode(tag, |target| urls.find(&folder, target));
                if replaced.is_none() {
                    note(tag.line, format!("the shortcode {} is left as text", tag.shown()));
                }
                replaced
            })
        });
    }
}

fn shortcode(tag: &Tag<'_>, url: impl Fn(&str) -> Option<String>) -> Option<Replaced> {
    if let Some(escaped) = tag.inside.strip_prefix("/*").and_then(|inside| inside.strip_suffix("*/")) {
        let (open, close) = (&tag.whole[..3], &tag.whole[tag.whole.len() - 3..]);
        return Some(format!("{open}{escaped}{close}").into());
    }
    let (name, arguments) = words(tag.inside.trim_end_matches('/').trim_end());
    let named = |key: &str| {
        arguments.iter().find(|(name, _)| name.as_deref() == Some(key)).map(|(_, value)| value.as_str())
    };
    let first = || arguments.first().filter(|(name, _)| name.is_none()).map(|(_, value)| value.as_str());
    match name.as_str() {
        "ref" | "relref" => url(first().or_else(|| named("path"))?).map(Replaced::from),
        "figure" => Some(figure(named("src").or_else(first)?, named).into()),
        "highlight" => highlight(tag, first().unwrap_or_default()),
        _ => None,
    }
}

/// The title, the caption and the attribution become the caption of the image.
fn figure<'a>(src: &str, named: impl Fn(&str) -> Option<&'a str>) -> String {
    let caption: Vec<&str> = ["title", "caption", "attr"].into_iter().filter_map(&named).collect();
    let caption = match caption.join(" — ").replace('"', "\\\"") {
        caption if caption.is_empty() => caption,
        caption => format!(" \"{caption}\""),
    };
    let alt = named("alt").unwrap_or_default().replace(['[', ']'], "");
    let src = if src.contains([' ', '(']) { format!("<{src}>") } else { src.to_owned() };
    let image = format!("![{alt}]({src}{caption})");
    match named("link") {
        Some(link) => format!("[{image}]({link})"),
        None => image,
    }
}

/// Up to `{{< /highlight >}}`.
fn highlight(tag: &Tag<'_>, language: &str) -> Option<Replaced> {
    // The word may occur in the code, too.
    let (name, end) = tag.after.match_indices("highlight").find_map(|(name, _)| {
        let end = tag.after[..name].rfind("{{")?;
        is_closing(&tag.after[end..name]).then_some((name, end))
    })?;
    let more = name + tag.after[name..].find("}}")? + 2;
    Some(Replaced { by: fenced(language, &tag.after[..end]), more })
}

fn is_closing(opening: &str) -> bool {
    let inside = opening.trim_start_matches("{{").trim_start_matches(['<', '%']);
    inside.trim() == "/"
}

/// The pages by their paths and by their names.
struct Urls {
    by_path: HashMap<String, String>,
    /// `None` if several pages have the name.
    by_name: HashMap<String, Option<String>>,
}

impl Urls {
    fn of(site: &Site, content: &str) -> Urls {
        let mut urls = Urls { by_path: HashMap::new(), by_name: HashMap::new() };
        for page in &site.pages {
            let Some(below) = page.origin.strip_prefix(content).and_then(|rest| rest.strip_prefix('/'))
            else {
                continue;
            };
            let Some(url) = page.former.first() else { continue };
            let path = key(below);
            let by_name = urls.by_name.entry(name(&path).to_owned());
            by_name.and_modify(|known| *known = None).or_insert_with(|| Some(url.clone()));
            urls.by_path.insert(path, url.clone());
        }
        urls
    }

    fn find(&self, folder: &str, target: &str) -> Option<String> {
        let (target, anchor) = target.split_at(target.find('#').unwrap_or(target.len()));
        if target.is_empty() {
            return Some(anchor.to_owned());
        }
        let path = key(target.trim_matches('/'));
        let beside = key(&crate::paths::normal(&crate::paths::join(folder, target))?);
        let by_path = || self.by_path.get(&path);
        let found =
            if target.starts_with('/') { by_path() } else { self.by_path.get(&beside).or_else(by_path) };
        let url = found.or_else(|| self.by_name.get(name(&path))?.as_ref())?;
        Some(format!("{url}{anchor}"))
    }
}

/// `a/b.md`, `a/b/index.md` and `a/b` are the same page.
fn key(path: &str) -> String {
    let path = match crate::paths::is_markdown(path) {
        true => crate::paths::join(parent(path), stem(path)),
        false => path.trim_end_matches('/').to_owned(),
    };
    let bundle = path.strip_suffix("/_index").or_else(|| path.strip_suffix("/index"));
    bundle.unwrap_or(&path).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Page;

    fn converted(text: &str) -> (String, Vec<String>) {
        let page = |origin: &str, url: &str, body: &str| Page {
            origin: origin.into(),
            line: 1,
            former: vec![url.into()],
            body: body.into(),
            ..Page::default()
        };
        let pages = vec![
            page("content/posts/a.md", "/posts/a/", text),
            page("content/posts/b/index.md", "/2026/b/", ""),
            page("content/docs/_index.md", "/docs/", ""),
        ];
        let mut site = Site { pages, ..Site::default() };
        convert(&mut site, "content");
        (site.pages[0].body.clone(), site.notes.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn known_shortcodes_are_converted() {
        let check = |text: &str, expected: &str| assert_eq!(converted(text), (expected.to_owned(), vec![]));
        check(r#"[x]({{< ref "b" >}})"#, "[x](/2026/b/)");
        check(r#"[x]({{% relref "/posts/b/index.md#top" %}})"#, "[x](/2026/b/#top)");
        check(r#"[x]({{< relref "../docs" >}})"#, "[x](/docs/)");
        check(r##"[x]({{< ref "#here" >}})"##, "[x](#here)");
        check(r#"{{< figure src="a.png" alt="b" caption="c \"d\"" >}}"#, r#"![b](a.png "c \"d\"")"#);
        check(r#"{{< figure src="a b.png" link="/c" />}}"#, "[![](<a b.png>)](/c)");
        check("{{< highlight go \"linenos=table\" >}}\nx := 1\n{{< /highlight >}}\n", "```go\nx := 1\n```\n");
        check("{{< highlight go >}}\nhighlight()\n{{</highlight>}}", "```go\nhighlight()\n```");
        check("{{</* ref \"a\" */>}}", "{{< ref \"a\" >}}");
    }

    #[test]
    fn others_stay_and_are_reported() {
        let text = "a\n{{< youtube abc >}}\n[x]({{< ref \"nowhere\" >}})";
        let notes = [
            "content/posts/a.md:2: the shortcode {{< youtube abc >}} is left as text",
            "content/posts/a.md:3: the shortcode {{< ref \"nowhere\" >}} is left as text",
        ];
        assert_eq!(converted(text), (text.to_owned(), notes.map(str::to_owned).to_vec()));
    }
}
