//! Admonitions and callouts become alerts: `> [!NOTE]`.

use crate::fences::{Fences, map_lines};

/// The alert for a type of admonition.
fn alert(kind: &str) -> Option<&'static str> {
    Some(match kind {
        "note" | "info" | "todo" | "abstract" | "summary" | "tldr" | "seealso" | "example" | "quote"
        | "cite" | "question" | "help" | "faq" | "secondary" => "NOTE",
        "tip" | "hint" | "success" | "check" | "done" => "TIP",
        "important" => "IMPORTANT",
        "warning" | "attention" => "WARNING",
        "caution" | "danger" | "error" | "failure" | "fail" | "missing" | "bug" => "CAUTION",
        _ => return None,
    })
}

/// The first lines of an alert. The type's own name is its title, where the alert has another one.
fn heading(indent: &str, kind: &str, title: Option<&str>) -> Option<String> {
    let kind = kind.to_lowercase();
    let alert = alert(&kind)?;
    let default =
        kind.chars().next().map(|first| first.to_uppercase().to_string() + &kind[first.len_utf8()..]);
    let title = match title {
        Some(title) => Some(title.trim().to_owned()).filter(|title| !title.is_empty()),
        None => default.filter(|_| !alert.eq_ignore_ascii_case(&kind)),
    };
    let title = title.map_or_else(String::new, |title| format!("{indent}> **{title}**\n{indent}>\n"));
    Some(format!("{indent}> [!{alert}]\n{title}"))
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Lines below an indent, quoted at that indent.
fn quote(text: &str, indent: &str) -> String {
    let quoted = |line: &str| match line.trim_end() {
        "" => format!("{indent}>\n"),
        line => format!("{indent}> {}\n", line.strip_prefix(indent).unwrap_or(line)),
    };
    text.trim_matches('\n').lines().map(quoted).collect()
}

/// Docusaurus: `:::note Title`, up to a line with as many colons.
pub(crate) fn colons(text: &str, note: &mut dyn FnMut(usize, String)) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    colon_lines(&lines, 0, note)
}

fn colon_lines(lines: &[&str], first: usize, note: &mut dyn FnMut(usize, String)) -> String {
    let (mut out, mut fences, mut at) = (String::new(), Fences::default(), 0);
    while at < lines.len() {
        let line = lines[at];
        let opened = if fences.is_code(line) { None } else { open_colons(line) };
        let Some((count, kind, title)) = opened else {
            out += line;
            at += 1;
            continue;
        };
        let end = closing(&lines[at + 1..], count).map(|length| at + 1 + length);
        match (heading(indent_of(line), kind, title), end) {
            (Some(heading), Some(end)) => {
                out += &heading;
                let inside = colon_lines(&lines[at + 1..end], first + at + 1, note);
                out += &quote(&inside, indent_of(line));
                at = end + 1;
            }
            _ => {
                note(first + at, format!("the block {} is left as text", line.trim()));
                out += line;
                at += 1;
            }
        }
    }
    out
}

/// The number of colons, the type and the title: `:::tip Title`, `:::tip[Title]`.
fn open_colons(line: &str) -> Option<(usize, &str, Option<&str>)> {
    let text = line.trim();
    let rest = text.trim_start_matches(':');
    let count = text.len() - rest.len();
    let rest = rest.trim_start();
    let end = rest.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let (kind, title) = rest.split_at(end);
    let title = title.trim();
    let title = title.strip_prefix('[').and_then(|title| title.strip_suffix(']')).unwrap_or(title);
    (count >= 3 && !kind.is_empty()).then_some((count, kind, Some(title).filter(|title| !title.is_empty())))
}

/// The line that closes a block of so many colons.
fn closing(lines: &[&str], count: usize) -> Option<usize> {
    let (mut fences, mut depth) = (Fences::default(), 0);
    for (at, line) in lines.iter().enumerate() {
        if fences.is_code(line) {
            continue;
        }
        let text = line.trim();
        if open_colons(line).is_some_and(|(other, ..)| other == count) {
            depth += 1;
        } else if text.len() == count && text.bytes().all(|byte| byte == b':') {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
        }
    }
    None
}

/// MkDocs: `!!! note "Title"` and `??? note`, with indented lines below.
pub(crate) fn exclamations(text: &str, note: &mut dyn FnMut(usize, String)) -> String {
    exclamation_lines(&text.split_inclusive('\n').collect::<Vec<_>>(), 0, note)
}

fn exclamation_lines(lines: &[&str], first: usize, note: &mut dyn FnMut(usize, String)) -> String {
    let (mut out, mut fences, mut at) = (String::new(), Fences::default(), 0);
    while at < lines.len() {
        let line = lines[at];
        let opened = if fences.is_code(line) { None } else { open_exclamation(line) };
        let Some((kind, title)) = opened else {
            out += line;
            at += 1;
            continue;
        };
        let indent = indent_of(line);
        let Some(heading) = heading(indent, kind, title) else {
            note(first + at, format!("the admonition {} is left as text", line.trim()));
            out += line;
            at += 1;
            continue;
        };
        let inside = format!("{indent}    ");
        let is_inside = |line: &&&str| line.trim().is_empty() || line.starts_with(&inside);
        let length = lines[at + 1..].iter().take_while(is_inside).count();
        let block = &lines[at + 1..at + 1 + length];
        // Empty lines at the end separate it from what follows.
        let empty = block.iter().rev().take_while(|line| line.trim().is_empty()).count();
        let block = &block[..block.len() - empty];
        let dedented: Vec<&str> =
            block.iter().map(|line| line.strip_prefix(&inside).unwrap_or("\n")).collect();
        out += &heading;
        let converted = exclamation_lines(&dedented, first + at + 1, note);
        out += &quote(&converted, "").lines().map(|line| format!("{indent}{line}\n")).collect::<String>();
        at += 1 + block.len();
    }
    out
}

fn open_exclamation(line: &str) -> Option<(&str, Option<&str>)> {
    let text = line.trim();
    let rest = ["!!!", "???+", "???"].iter().find_map(|mark| text.strip_prefix(mark))?;
    let rest = rest.strip_prefix(' ')?.trim_start();
    let (kinds, title) = match rest.split_once('"') {
        Some((kinds, title)) => (kinds, Some(title.trim_end_matches('"'))),
        None => (rest, None),
    };
    Some((kinds.split_whitespace().next()?, title))
}

/// Obsidian: `> [!info]- Title`.
pub(crate) fn callouts(text: &str, note: &mut dyn FnMut(usize, String)) -> String {
    map_lines(text, |number, line| {
        let start = line.find("[!")?;
        let (before, inside) = line.split_at(start);
        if !before.contains('>') || !before.chars().all(|char| matches!(char, '>' | ' ' | '\t')) {
            return None;
        }
        let (kind, title) = inside[2..].split_once(']')?;
        let title = title.trim_start_matches(['-', '+']).trim();
        let Some(heading) = heading("", kind, Some(title).filter(|title| !title.is_empty())) else {
            note(number, format!("the callout {} is left as text", line.trim()));
            return None;
        };
        let outer = before.trim_end().strip_suffix('>').unwrap_or_default();
        Some(heading.lines().map(|line| format!("{outer}{line}\n")).collect())
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_with_colons_become_alerts() {
        let check =
            |text: &str, expected: &str| assert_eq!(colons(text, &mut |_, note| panic!("{note}")), expected);
        check(":::note\n\nText\n\nMore\n\n:::\nEnd\n", "> [!NOTE]\n> Text\n>\n> More\nEnd\n");
        check(":::danger Take care\nText\n:::\n", "> [!CAUTION]\n> **Take care**\n>\n> Text\n");
        check(":::info[Look]\nText\n:::\n", "> [!NOTE]\n> **Look**\n>\n> Text\n");
        check("::::tip\n:::note\na\n:::\nb\n::::\n", "> [!TIP]\n> > [!NOTE]\n> > a\n> b\n");
        check("- a\n\n  :::tip\n  b\n  :::\n", "- a\n\n  > [!TIP]\n  > b\n");
        check("```\n:::note\n:::\n```\n", "```\n:::note\n:::\n```\n");
    }

    #[test]
    fn a_block_that_is_unknown_or_open_stays() {
        for text in [":::tabs\na\n:::\n", ":::note\na\n"] {
            let mut notes = vec![];
            assert_eq!(colons(text, &mut |line, _| notes.push(line)), text);
            assert_eq!(notes, [0]);
        }
    }

    #[test]
    fn indented_admonitions_become_alerts() {
        let check = |text: &str, expected: &str| {
            assert_eq!(exclamations(text, &mut |_, note| panic!("{note}")), expected)
        };
        check("!!! note\n    a\n\n    b\n\nc\n", "> [!NOTE]\n> a\n>\n> b\n\nc\n");
        check("!!! warning \"Look out\"\n    a\n", "> [!WARNING]\n> **Look out**\n>\n> a\n");
        check(
            "??? example\n    ```\n    code\n    ```\n",
            "> [!NOTE]\n> **Example**\n>\n> ```\n> code\n> ```\n",
        );
        check("!!! tip inline end \"\"\n    a\n", "> [!TIP]\n> a\n");
        check("!!! note\n    a\n\n    !!! tip\n        b\n", "> [!NOTE]\n> a\n>\n> > [!TIP]\n> > b\n");
        check("1. a\n\n    !!! note\n        b\n", "1. a\n\n    > [!NOTE]\n    > b\n");
        check("Wow!!! note\n", "Wow!!! note\n");
    }

    #[test]
    fn callouts_become_alerts() {
        let check = |text: &str, expected: &str| {
            assert_eq!(callouts(text, &mut |_, note| panic!("{note}")), expected)
        };
        check("> [!info]- Title\n> a\n", "> [!NOTE]\n> **Title**\n>\n> a\n");
        check("> [!NOTE]\n> a\n", "> [!NOTE]\n> a\n");
        check("> > [!bug]\n> > a\n", "> > [!CAUTION]\n> > **Bug**\n> >\n> > a\n");
        check("a [!note] b\n", "a [!note] b\n");
    }

    proptest! {
        #[test]
        fn no_text_panics_or_loses_words(text in "((:::+|!!!|\\?\\?\\?|>)? ?(note|\\[!tip\\]-?|x1)?( {4}| )?[a-z\"`]{0,3}\n){0,12}") {
            for convert in [colons, exclamations, callouts] {
                let converted = convert(&text, &mut |_, _| {});
                prop_assert_eq!(converted.matches("x1").count(), text.matches("x1").count());
            }
        }
    }
}
