//! Finds the destinations of links and images in Markdown.

use crate::fences::map_lines;

/// Replaces destinations for which `change` returns another one. It gets the line, from 0, and the destination; code is
/// left alone.
pub(crate) fn rewrite(text: &str, mut change: impl FnMut(usize, &str) -> Option<String>) -> String {
    map_lines(text, |number, line| Some(line_with(line, &mut |destination| change(number, destination))))
}

fn line_with(line: &str, change: &mut dyn FnMut(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    if let Some((before, destination, after)) = definition(line) {
        out += before;
        out += &change(destination).unwrap_or_else(|| destination.to_owned());
        rest = after;
    }
    while let Some(at) = rest.find(['\\', '`', ']', '=']) {
        let (before, from) = rest.split_at(at);
        out += before;
        let Some((kept, destination, after)) = destination(from, before) else {
            let skip = skipped(from);
            out += &from[..skip];
            rest = &from[skip..];
            continue;
        };
        out += kept;
        out += &change(destination).unwrap_or_else(|| destination.to_owned());
        rest = after;
    }
    out + rest
}

/// What is before a destination, the destination, and the rest.
type Parts<'t> = (&'t str, &'t str, &'t str);

fn destination<'t>(from: &'t str, before: &str) -> Option<Parts<'t>> {
    if let Some(inside) = from.strip_prefix("](") {
        let inside = inside.trim_start_matches(' ');
        let start = from.len() - inside.len();
        if let Some(inside) = inside.strip_prefix('<') {
            let end = inside.find('>')?;
            return Some((&from[..start + 1], &inside[..end], &inside[end..]));
        }
        let end = end_of_destination(inside)?;
        return Some((&from[..start], &inside[..end], &inside[end..]));
    }
    let is_attribute = [" src", " href", " poster"].iter().any(|name| before.ends_with(name));
    if from.starts_with('=') && is_attribute {
        let quote = from[1..].chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let end = from[2..].find(quote)?;
        return Some((&from[..2], &from[2..2 + end], &from[2 + end..]));
    }
    None
}

/// Up to white space, or the parenthesis that closes the link.
fn end_of_destination(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, char) in text.char_indices() {
        match char {
            '(' => depth += 1,
            ')' if depth == 0 => return Some(at),
            ')' => depth -= 1,
            char if char.is_whitespace() => return Some(at),
            _ => {}
        }
    }
    None
}

/// How many bytes are to be copied: an escape, code, or one character.
fn skipped(from: &str) -> usize {
    let mut chars = from.chars();
    match chars.next() {
        Some('\\') => 1 + chars.next().map_or(0, char::len_utf8),
        Some('`') => {
            let run = from.len() - from.trim_start_matches('`').len();
            code_end(from, run).unwrap_or(run)
        }
        first => first.map_or(0, char::len_utf8),
    }
}

/// The end of the code span that `run` backticks open.
fn code_end(from: &str, run: usize) -> Option<usize> {
    let mut at = run;
    while let Some(next) = from[at..].find('`') {
        let start = at + next;
        let length = from[start..].len() - from[start..].trim_start_matches('`').len();
        at = start + length;
        if length == run {
            return Some(at);
        }
    }
    None
}

/// `[name]: destination` on a line of its own; not a footnote.
fn definition(line: &str) -> Option<Parts<'_>> {
    let inside = line.trim_start_matches(' ').strip_prefix('[').filter(|inside| !inside.starts_with('^'))?;
    let (_, after) = inside.split_once("]:")?;
    let destination = after.trim_start_matches([' ', '\t']);
    let start = line.len() - destination.len();
    if let Some(inside) = destination.strip_prefix('<') {
        let end = inside.find('>')?;
        return Some((&line[..start + 1], &inside[..end], &inside[end..]));
    }
    let end = destination.find(char::is_whitespace).unwrap_or(destination.len());
    (end > 0).then(|| (&line[..start], &destination[..end], &destination[end..]))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn destinations_are_replaced() {
        let check = |text: &str, expected: &str| {
            assert_eq!(rewrite(text, |_, link| Some(format!("<{link}>"))), expected);
        };
        check("[a](b.md) ![c]( d.png \"t\")", "[a](<b.md>) ![c]( <d.png> \"t\")");
        check("[![a](b)](c)", "[![a](<b>)](<c>)");
        check("[a](b(c)d)", "[a](<b(c)d>)");
        check("[a](<b c>)", "[a](<<b c>>)");
        check("[a]: b.md\n[^a]: b.md\n", "[a]: <b.md>\n[^a]: b.md\n");
        check("<img alt='x' src=\"b.png\">", "<img alt='x' src=\"<b.png>\">");
        check("`[a](b)` ``x ` [a](b)`` \\](b)", "`[a](b)` ``x ` [a](b)`` \\](b)");
        check("```\n[a](b)\n```\n[a](b)", "```\n[a](b)\n```\n[a](<b>)");
        check("a ` b [a](b)", "a ` b [a](<b>)");
        check("[a](b", "[a](b");
    }

    proptest! {
        #[test]
        fn without_a_change_the_text_stays(text in "[a\\]\\[()<>`\\\\ =\"\n#:é^!-]{0,60}") {
            prop_assert_eq!(rewrite(&text, |_, _| None), text);
        }
    }
}
