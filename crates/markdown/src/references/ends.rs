//! Finds the end of a reference that begins at a `file:`, depending on its context.

use finl_unicode::categories::CharacterCategories;

use crate::raw_html::ends_value;

/// A longer word is not a file name.
const MAX_WORD_BYTES: usize = 1024;

/// How far the parentheses of a link are searched for a name with spaces and a title.
const MAX_SPACED_BYTES: usize = 1024;

/// As in CommonMark: up to white space or an unmatched parenthesis, or in angle brackets.
pub(super) fn destination(text: &str, at: usize) -> Option<&str> {
    let rest = &text[at..];
    if text[..at].trim_end_matches([' ', '\t']).ends_with('<') {
        return Some(rest[..unescaped(rest, |char| char == '>')?].trim_ascii_end());
    }
    let mut open = 0;
    let end = unescaped(rest, |char| {
        match char {
            '(' => open += 1,
            ')' if open == 0 => return true,
            ')' => open -= 1,
            _ => {}
        }
        char.is_ascii_whitespace() || char.is_ascii_control()
    });
    Some(&rest[..end.unwrap_or(rest.len())])
}

/// A name with spaces in the parentheses of a link: up to a title or the closing parenthesis, on one line. `None` if
/// the only spaces are around it, so that CommonMark parses it.
pub(super) fn spaced(text: &str, at: usize) -> Option<&str> {
    if !text[..at].trim_end_matches([' ', '\t']).ends_with("](") {
        return None;
    }
    let rest = &text[at..];
    let rest = &rest[..rest.floor_char_boundary(MAX_SPACED_BYTES)];
    let line = rest.lines().next()?;
    let (mut open, mut last) = (0, 'f');
    let (end, _) = unescaped_indices(line).find(|&(end, char)| {
        let after_space = matches!(std::mem::replace(&mut last, char), ' ' | '\t');
        match char {
            _ if open == 0 && after_space && begins_title(&line[end..]) => return true,
            '(' => open += 1,
            ')' if open == 0 => return true,
            ')' => open -= 1,
            _ => {}
        }
        false
    })?;
    let name = line[..end].trim_end_matches([' ', '\t']);
    let is_spaced = name.contains([' ', '\t']) && !name["file:".len()..].starts_with([' ', '\t']);
    is_spaced.then_some(name)
}

/// Whether the text begins with a title followed by the parenthesis that ends a link.
fn begins_title(text: &str) -> bool {
    let quote = match text.chars().next() {
        Some(quote @ ('"' | '\'')) => quote,
        Some('(') => ')',
        _ => return false,
    };
    let title = &text[1..];
    let end = unescaped(title, |char| char == quote || quote == ')' && char == '(');
    let after = end.and_then(|end| title[end..].strip_prefix(quote));
    after.is_some_and(|after| after.trim_ascii_start().starts_with(')'))
}

pub(super) fn autolink(text: &str, at: usize) -> Option<&str> {
    let rest = &text[at..];
    Some(&rest[..rest.find('>')?])
}

pub(super) fn attribute(text: &str, at: usize, quote: Option<char>) -> Option<&str> {
    let rest = &text[at..];
    let end = match quote {
        Some(quote) => rest.find(quote)?,
        None => rest.find(ends_value).unwrap_or(rest.len()),
    };
    Some(rest[..end].trim_ascii_end())
}

/// A word extends to white space, one of `<>"|*` or a backtick, a quotation mark or bracket of any script, an unmatched
/// closing bracket, the `](`, `![` or `[^` of links, images and footnotes, or the next `file:`. Trailing punctuation is
/// not part of it. So in `(file:a(1).png).` the word ends before the last parenthesis.
pub(super) fn word(text: &str, at: usize) -> Option<&str> {
    let prefix = "file:".len();
    let rest = &text[at + prefix..];
    let mut open: Vec<char> = Vec::new();
    let mut last = ' ';
    let end = unescaped_indices(rest).take_while(|(end, _)| *end <= MAX_WORD_BYTES).find(|&(end, char)| {
        let before = std::mem::replace(&mut last, char);
        match char {
            _ if ["](", "![", "[^"].iter().any(|markup| rest[end..].starts_with(markup)) => return true,
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' if open.pop() != Some(char) => return true,
            'f' if !before.is_alphanumeric() && rest[end..].starts_with("file:") => return true,
            _ => {}
        }
        char.is_whitespace() || char.is_control() || "<>\"|*`".contains(char) || is_quote(char)
    });
    let end = end.map_or(rest.len(), |(end, _)| end);
    if end > MAX_WORD_BYTES {
        return None;
    }
    let name = rest[..end].trim_end_matches(|char: char| !char.is_alphanumeric());
    Some(&text[at..at + prefix + name.len()])
}

/// Quotation marks and brackets beyond ASCII.
fn is_quote(char: char) -> bool {
    !char.is_ascii()
        && (char.is_punctuation_open()
            || char.is_punctuation_close()
            || char.is_punctuation_initial()
            || char.is_punctuation_final())
}

/// The first character that matches and is not escaped by a backslash.
fn unescaped(text: &str, mut is_meant: impl FnMut(char) -> bool) -> Option<usize> {
    unescaped_indices(text).find(|&(_, char)| is_meant(char)).map(|(at, _)| at)
}

/// The characters without backslash escapes.
fn unescaped_indices(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut chars = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, char) = chars.next()?;
            if char == '\\' && chars.next_if(|(_, next)| next.is_ascii_punctuation()).is_some() {
                continue;
            }
            return Some((at, char));
        }
    })
}
