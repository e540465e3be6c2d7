//! What follows the fence of a code block: ```` ```rust title="main.rs" {2,4-6} ````.

use std::ops::RangeInclusive;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Info<'t> {
    pub language: &'t str,
    pub title: Option<&'t str>,
    /// Numbers of lines, from 1.
    pub marked: Vec<RangeInclusive<usize>>,
}

impl<'t> Info<'t> {
    /// What is not understood is ignored, as other renderers do.
    pub fn parse(info: &'t str) -> Info<'t> {
        let first = info.split_whitespace().next().unwrap_or_default();
        // The braces may follow without a space: ```js{2}
        let language = first.split('{').next().unwrap_or_default();
        let rest = &info[info.find(first).unwrap_or_default() + language.len()..];
        Info { language, title: title(rest), marked: marked(rest) }
    }
}

fn title(rest: &str) -> Option<&str> {
    let (_, after) = rest.split_once("title=")?;
    let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let (title, _) = after[1..].split_once(quote)?;
    Some(title.trim()).filter(|title| !title.is_empty())
}

fn marked(rest: &str) -> Vec<RangeInclusive<usize>> {
    // Braces inside the title are part of it.
    let outside = match rest.find("title=") {
        Some(start) => match rest.find('{').filter(|brace| *brace < start) {
            Some(_) => &rest[..start],
            None => rest[start..]
                .split_once(['"', '\''])
                .and_then(|(_, rest)| rest.split_once(['"', '\'']))
                .map_or("", |(_, rest)| rest),
        },
        None => rest,
    };
    let Some((_, inside)) = outside.split_once('{') else { return vec![] };
    let Some((inside, _)) = inside.split_once('}') else { return vec![] };
    inside.split(',').filter_map(range).collect()
}

fn range(text: &str) -> Option<RangeInclusive<usize>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_info_names_language_title_and_lines() {
        let check = |info: &str, language: &str, title: Option<&str>, marked: &[RangeInclusive<usize>]| {
            let expected = Info { language, title, marked: marked.to_vec() };
            assert_eq!(Info::parse(info), expected, "{info}");
        };
        check("", "", None, &[]);
        check("rust", "rust", None, &[]);
        check("rust,no_run", "rust,no_run", None, &[]);
        check("js title=\"app.js\"", "js", Some("app.js"), &[]);
        check("js {2,4-6}", "js", None, &[2..=2, 4..=6]);
        check("js{1}", "js", None, &[1..=1]);
        check("js title='a {9} b' {3}", "js", Some("a {9} b"), &[3..=3]);
        check("js {3} title=\"a\"", "js", Some("a"), &[3..=3]);
        check("{1-2}", "", None, &[1..=2]);
        check("js title=\"open", "js", None, &[]);
        check("js title=", "js", None, &[]);
        check("js title=\"é\" {x, 5}", "js", Some("é"), &[5..=5]);
        check("  js  {2", "js", None, &[]);
    }
}
