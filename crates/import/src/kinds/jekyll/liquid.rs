//! Liquid: `highlight`, `post_url`, `link`, `raw` and the site's URL are converted, the rest stays.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::fences::{fenced, map_lines};
use crate::meta::text_of;
use crate::paths::stem;
use crate::site::Site;
use crate::templates::{Replaced, Tag, replace, words};

const DELIMITERS: [(&str, &str); 2] = [("{%", "%}"), ("{{", "}}")];

/// `config` is `_config.yml`, whose plain values texts may show.
pub(super) fn convert(site: &mut Site, config: &Map<String, Value>, base: &str) {
    let urls: HashMap<String, String> = site
        .pages
        .iter()
        .filter_map(|page| Some((page.origin.clone(), page.former.first()?.clone())))
        .flat_map(|(origin, url)| [(stem(&origin).to_owned(), url.clone()), (origin, url)])
        .collect();
    let Site { pages, notes, .. } = site;
    for page in pages {
        page.convert(notes, |text, note| {
            let text = replace(text, &DELIMITERS, |tag| {
                let replaced = liquid(tag, &urls, config, base);
                if replaced.is_none() {
                    note(tag.line, format!("the Liquid tag {} is left as text", tag.shown()));
                }
                replaced
            });
            map_lines(&text, |line, text| {
                if text.trim_start().starts_with("{:") {
                    note(line, format!("the attribute list {} is left as text", text.trim()));
                }
                None
            })
        });
    }
}

fn liquid(
    tag: &Tag<'_>,
    urls: &HashMap<String, String>,
    config: &Map<String, Value>,
    base: &str,
) -> Option<Replaced> {
    let inside = tag.inside.trim_matches('-').trim();
    if tag.whole.starts_with("{{") {
        let setting = || text_of(config.get(inside.strip_prefix("site.")?)?);
        return output(inside).map(|url| prefixed(&url, base)).or_else(setting).map(Replaced::from);
    }
    let (name, arguments) = words(inside);
    let first = || arguments.first().map(|(_, value)| value.as_str());
    match name.as_str() {
        "highlight" => block(tag, "endhighlight", |code| fenced(first().unwrap_or_default(), code)),
        "raw" => block(tag, "endraw", str::to_owned),
        "post_url" => urls.get(crate::paths::name(first()?)).cloned().map(Replaced::from),
        "link" => urls.get(first()?).cloned().or_else(|| Some(format!("/{}", first()?))).map(Replaced::from),
        _ => None,
    }
}

/// `site.baseurl` and `site.url` are empty on a site of its own; `"/a" | relative_url` is `/a`.
fn output(inside: &str) -> Option<String> {
    if matches!(inside, "site.baseurl" | "site.url") {
        return Some(String::new());
    }
    let (value, filter) = inside.split_once('|')?;
    let is_url = matches!(filter.trim(), "relative_url" | "absolute_url" | "prepend: site.baseurl");
    let value = value.trim();
    let text = value.strip_prefix(['"', '\''])?.strip_suffix(['"', '\''])?;
    is_url.then(|| text.to_owned())
}

/// A path with the base once.
fn prefixed(url: &str, base: &str) -> String {
    if url.starts_with('/') && !base.is_empty() && !url.starts_with(base) {
        format!("{base}{url}")
    } else {
        url.to_owned()
    }
}

fn block(tag: &Tag<'_>, end: &str, convert: impl Fn(&str) -> String) -> Option<Replaced> {
    let mut at = 0;
    while let Some(start) = tag.after[at..].find("{%").map(|start| at + start) {
        let close = start + tag.after[start..].find("%}")?;
        if tag.after[start + 2..close].trim_matches(['-', ' ']) == end {
            return Some(Replaced { by: convert(&tag.after[..start]), more: close + 2 });
        }
        at = close + 2;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::site::Page;

    fn converted(text: &str) -> (String, usize) {
        let page = |origin: &str, url: &str, body: &str| Page {
            origin: origin.into(),
            line: 1,
            former: vec![url.into()],
            body: body.into(),
            ..Page::default()
        };
        let pages = vec![page("a.md", "/a.html", text), page("_posts/2026-01-02-b.md", "/2026/b.html", "")];
        let mut site = Site { pages, ..Site::default() };
        let config = serde_json::json!({"title": "T", "list": []});
        convert(&mut site, config.as_object().unwrap(), "");
        (site.pages[0].body.clone(), site.notes.len())
    }

    #[test]
    fn known_tags_are_converted() {
        let check = |text: &str, expected: &str| assert_eq!(converted(text), (expected.to_owned(), 0));
        check("{% highlight ruby linenos %}\nputs 1\n{% endhighlight %}\n", "```ruby\nputs 1\n```\n");
        check("[x]({% post_url 2026-01-02-b %})", "[x](/2026/b.html)");
        check("[x]({% link a.md %})", "[x](/a.html)");
        check("[x]({{ site.baseurl }}/a)", "[x](/a)");
        check("![]({{ '/a.png' | relative_url }})", "![](/a.png)");
        check("{{ site.title }}", "T");
        check("{% raw %}{{ x }}{% endraw %}", "{{ x }}");
    }

    #[test]
    fn others_stay_and_are_reported() {
        for text in [
            "{% include a.html %}",
            "{{ page.title }}",
            "{{ site.list }}",
            "{% for a in b %}",
            "# A\n{:.no_toc}\n",
        ] {
            assert_eq!(converted(text), (text.to_owned(), 1));
        }
    }
}
