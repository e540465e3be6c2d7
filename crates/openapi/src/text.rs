//! Pieces of Markdown.

/// The first characters of a text.
pub(crate) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => text[..end].to_owned(),
        None => text.to_owned(),
    }
}

/// A text as a code span, whatever it contains.
pub(crate) fn code(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    match text.is_empty() || text.starts_with('`') || text.ends_with('`') {
        true => format!("{fence} {text} {fence}"),
        false => format!("{fence}{text}{fence}"),
    }
}

/// Markdown for a cell of a table: one line, without a bare `|`.
pub(crate) fn cell(markdown: &str) -> String {
    let line = markdown.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut cell = String::with_capacity(line.len());
    let mut escaped = false;
    for c in line.chars() {
        if c == '|' && !escaped {
            cell.push('\\');
        }
        escaped = c == '\\' && !escaped;
        cell.push(c);
    }
    cell
}

/// A code block, whatever the code contains. `info` is its language, perhaps with a title.
pub(crate) fn code_block(info: &str, code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{info}\n{}\n{fence}\n", code.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_may_contain_backticks() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code_block("sh", "a\n```\n"), "````sh\na\n```\n````\n");
    }

    #[test]
    fn a_cell_has_one_line_and_no_bare_bar() {
        assert_eq!(cell("a\n b | c"), "a b \\| c");
        assert_eq!(cell(r"a \| b \\| c"), r"a \| b \\\| c");
    }
}
