//! Obsidian: wikilinks, embeds, callouts, comments, tags.

use std::collections::HashMap;

use serde_json::Value;

use crate::address::page_path;
use crate::alerts;
use crate::error::Error;
use crate::fences::map_lines;
use crate::front_matter;
use crate::meta::Meta;
use crate::paths::{extension, is_markdown, join, name, parent, relative, stem};
use crate::relink::{Layout, relink};
use crate::site::{Page, Site};
use crate::source::{Source, collect};

pub(super) fn read(source: &Source) -> Result<Site, Error> {
    let is_hidden = |path: &str| path.split('/').any(|part| part.starts_with('.'));
    let files: Vec<&str> = source.files().filter(|path| is_markdown(path) && !is_hidden(path)).collect();
    let mut site = Site { pages: collect(files.iter().map(|path| page(source, path)))?, ..Site::default() };
    for path in source
        .files()
        .filter(|path| matches!(extension(path).as_str(), "canvas" | "base") && !is_hidden(path))
    {
        site.note(path, 0, "is left out: only notes are converted");
    }
    let names = Names::of(source, &site);
    let Site { pages, notes, .. } = &mut site;
    for page in pages {
        inline_tags(page);
        let origin = page.origin.clone();
        page.convert(notes, |text, note| {
            let text = without_comments(text, note);
            map_lines(&text, |number, line| {
                Some(wikilinks(line, &origin, &names, &mut |message| note(number, message)))
            })
        });
    }
    relink(
        &mut site,
        source,
        &Layout { roots: &[""], base: "", place: &|file: &str| format!("docs/{file}") },
    );
    let Site { pages, notes, .. } = &mut site;
    for page in pages {
        page.convert(notes, |text, note| alerts::callouts(&marks(text), note));
    }
    Ok(site)
}

fn page(source: &Source, path: &str) -> Result<Page, Error> {
    let text = source.text(path)?;
    let document = front_matter::read(path, &text)?;
    let mut meta = Meta(document.fields);
    let when = ["date", "created"].into_iter().find_map(|key| meta.date(key));
    let mut page = Page {
        origin: path.to_owned(),
        line: document.line,
        path: page_path(&format!("docs/{}.md", join(parent(path), stem(path)))),
        date: when.map(|when| when.iso),
        draft: meta.flag("publish") == Some(false),
        body: document.body.to_owned(),
        ..Page::default()
    };
    // Obsidian Publish.
    page.former.push(format!("/{}", join(parent(path), stem(path)).replace(' ', "+")));
    page.former.extend(meta.text("permalink").map(|url| format!("/{}", url.trim_start_matches('/'))));
    let other_names = meta.list("aliases", &[',']);
    if !other_names.is_empty() {
        page.params.insert("otherNames".to_owned(), other_names.into());
    }
    page.title = Some(stem(path).to_owned());
    meta.fill(&mut page);
    Ok(page)
}

/// The files by their names, as wikilinks have them.
struct Names {
    by_name: HashMap<String, String>,
}

impl Names {
    /// A path or a name, with or without `.md`. Where several files have a name, the one with the shortest path has it.
    fn of(source: &Source, site: &Site) -> Names {
        let mut by_name: HashMap<String, String> = HashMap::new();
        let mut add = |key: &str, path: &str| {
            let known = by_name.entry(key.to_lowercase()).or_insert_with(|| path.to_owned());
            if known.len() > path.len() {
                path.clone_into(known);
            }
        };
        for path in source.files() {
            add(path, path);
            add(name(path), path);
            if is_markdown(path) {
                add(&join(parent(path), stem(path)), path);
                add(stem(path), path);
            }
        }
        for page in &site.pages {
            for other in page.params.get("otherNames").and_then(Value::as_array).into_iter().flatten() {
                by_name
                    .entry(other.as_str().unwrap_or_default().to_lowercase())
                    .or_insert_with(|| page.origin.clone());
            }
        }
        Names { by_name }
    }

    fn find(&self, target: &str) -> Option<&str> {
        self.by_name.get(&target.trim().trim_start_matches('/').to_lowercase()).map(String::as_str)
    }
}

/// `[[Page#Heading|text]]` and `![[image.png|300]]` become links and images.
fn wikilinks(line: &str, origin: &str, names: &Names, note: &mut dyn FnMut(String)) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(start) = rest.find(['[', '`']) {
        if rest[start..].starts_with('`') {
            let end = code_end(&rest[start..]);
            out += &rest[..start + end];
            rest = &rest[start + end..];
            continue;
        }
        let Some(inside) = rest[start..].strip_prefix("[[") else {
            out += &rest[..=start];
            rest = &rest[start + 1..];
            continue;
        };
        let Some(end) = inside.find("]]") else { break };
        let is_embed = rest[..start].ends_with('!');
        let before = if is_embed { &rest[..start - 1] } else { &rest[..start] };
        let whole = &rest[before.len()..start + end + 4];
        out += before;
        match link(&inside[..end], is_embed, origin, names, note) {
            Some(link) => out += &link,
            None => {
                note(format!("{whole} leads to no file and is left as text"));
                out += whole;
            }
        }
        rest = &inside[end + 2..];
    }
    out + rest
}

/// The length of the code span, or of the backticks alone.
fn code_end(text: &str) -> usize {
    let run = text.len() - text.trim_start_matches('`').len();
    text[run..].find(&text[..run]).map_or(run, |end| 2 * run + end)
}

fn link(
    inside: &str,
    is_embed: bool,
    origin: &str,
    names: &Names,
    note: &mut dyn FnMut(String),
) -> Option<String> {
    // Tables escape the bar.
    let inside = inside.replace("\\|", "|");
    let (target, text) =
        inside.split_once('|').map_or((inside.as_str(), None), |(target, text)| (target, Some(text)));
    let (file, heading) =
        target.split_once('#').map_or((target, None), |(file, heading)| (file, Some(heading)));
    let anchor = heading.filter(|heading| !heading.starts_with('^')).map_or_else(String::new, anchor);
    if file.is_empty() {
        return Some(format!("[{}]({anchor})", text.or(heading)?));
    }
    let path = names.find(file)?;
    let link = relative(origin, path);
    if is_embed && !is_markdown(path) {
        // A number is a width.
        let alt = text
            .filter(|text| !text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'x'))
            .unwrap_or_default();
        return Some(format!("![{alt}]({link})"));
    }
    if is_embed {
        note(format!("the embedded note {file} is a link now"));
    }
    let shown = heading.map_or_else(|| file.to_owned(), |heading| format!("{file} > {heading}"));
    Some(format!("[{}]({link}{anchor})", text.unwrap_or(&shown)))
}

/// The anchor of a heading: as Recto makes it, from the last heading of a path `A#B`.
fn anchor(heading: &str) -> String {
    let last = heading.rsplit('#').next().unwrap_or_default().to_lowercase();
    let words: String =
        last.chars().filter(|char| char.is_alphanumeric() || matches!(char, ' ' | '-' | '_')).collect();
    format!("#{}", words.trim().replace(' ', "-"))
}

/// `%%…%%` was never published: it is removed, and reported.
fn without_comments(text: &str, note: &mut dyn FnMut(usize, String)) -> String {
    let (mut out, mut rest, mut line) = (String::new(), text, 0);
    while let Some(start) = rest.find("%%") {
        let Some(end) = rest[start + 2..].find("%%") else { break };
        let whole = &rest[start..start + end + 4];
        line += rest[..start].matches('\n').count();
        note(line, "a comment %%…%% is left out: it was not published".to_owned());
        let lines = whole.matches('\n').count();
        out += &rest[..start];
        out += &"\n".repeat(lines);
        line += lines;
        rest = &rest[start + whole.len()..];
    }
    out + rest
}

/// `==text==` is highlighted.
fn marks(text: &str) -> String {
    map_lines(text, |_, line| {
        let parts: Vec<&str> = line.split("==").collect();
        let is_mark = |part: &&str| !part.is_empty() && !part.starts_with([' ', '=']) && !part.contains('`');
        let all = parts.len() >= 3 && parts.len() % 2 == 1 && parts.iter().skip(1).step_by(2).all(is_mark);
        let marked = |(at, part): (usize, &&str)| {
            if at % 2 == 1 { format!("<mark>{part}</mark>") } else { (*part).to_owned() }
        };
        all.then(|| parts.iter().enumerate().map(marked).collect())
    })
}

/// `#tag` in the text is a tag of the page, too.
fn inline_tags(page: &mut Page) {
    let mut tags = vec![];
    map_lines(&page.body, |_, line| {
        for word in line.split_whitespace() {
            let Some(tag) = word.strip_prefix('#') else { continue };
            let end = tag.find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-' | '/')));
            let tag = &tag[..end.unwrap_or(tag.len())];
            if tag.chars().any(char::is_alphabetic) {
                tags.push(tag.to_owned());
            }
        }
        None
    });
    page.add_tags(tags);
    for tag in &mut page.tags {
        *tag = tag.trim_start_matches('#').to_owned();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names() -> Names {
        let folder = tempfile::tempdir().unwrap();
        for file in ["Note A.md", "deep/b.md", "deep/pic.png"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        Names::of(&Source::open(folder.path()).unwrap(), &Site::default())
    }

    #[test]
    fn wikilinks_become_links() {
        let names = names();
        let check = |text: &str, expected: &str| {
            assert_eq!(wikilinks(text, "deep/b.md", &names, &mut |note| panic!("{note}")), expected);
        };
        check("a [[note a]] b", "a [note a](../Note%20A.md) b");
        check("[[Note A|text]]", "[text](../Note%20A.md)");
        check("[[b#My Heading!]]", "[b > My Heading!](b.md#my-heading)");
        check("[[b#^block|x]]", "[x](b.md)");
        check("[[#Here]]", "[Here](#here)");
        check(
            "![[pic.png]] ![[pic.png|300]] ![[deep/pic.png|alt]]",
            "![](pic.png) ![](pic.png) ![alt](pic.png)",
        );
        check("`[[note a]]` [x](y)", "`[[note a]]` [x](y)");
        check("| [[b\\|x]] |", "| [x](b.md) |");
    }

    #[test]
    fn what_is_not_found_stays() {
        let mut notes = vec![];
        let text = wikilinks("[[nowhere]] ![[Note A]]", "a.md", &names(), &mut |note| notes.push(note));
        assert_eq!(text, "[[nowhere]] [Note A](Note%20A.md)");
        assert_eq!(notes.len(), 2);
    }

    #[test]
    fn comments_are_removed_and_reported() {
        let mut lines = vec![];
        assert_eq!(without_comments("a\n%%b\nc%% d %%e%%\n", &mut |line, _| lines.push(line)), "a\n\n d \n");
        assert_eq!(lines, [1, 2]);
        assert_eq!(marks("a ==b c== d\nif a == b\n"), "a <mark>b c</mark> d\nif a == b\n");
    }

    #[test]
    fn tags_in_the_text_are_tags() {
        let mut page =
            Page { body: "#one and #two/three, #1 a#b\n```\n#code\n```\n".into(), ..Page::default() };
        inline_tags(&mut page);
        assert_eq!(page.tags, ["one", "two/three"]);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a\\[\\]!|#`%=^ \né]{0,40}") {
            wikilinks(&text, "a.md", &Names { by_name: HashMap::new() }, &mut |_| {});
            without_comments(&text, &mut |_, _| {});
            marks(&text);
        }
    }
}
