//! MDX: Markdown with JavaScript.

use crate::fences::map_lines;

/// What only MDX understands stays as it is.
pub(super) fn report(text: &str, note: &mut dyn FnMut(usize, String)) {
    map_lines(text, |number, line| {
        let code = line.trim();
        let is_module = (code.starts_with("import ")
            && (code.contains(" from ") || code.contains(['\'', '"'])))
            || code.starts_with("export ");
        let component = code.match_indices('<').find_map(|(at, _)| {
            let name: String = code[at + 1..].chars().take_while(char::is_ascii_alphanumeric).collect();
            name.starts_with(|first: char| first.is_ascii_uppercase()).then_some(name)
        });
        if is_module {
            note(number, format!("the line {code:?} of MDX is left as text"));
        } else if let Some(name) = component {
            note(number, format!("the component <{name}> of MDX is left as text"));
        }
        None
    });
}

/// The mark between a post's summary and the rest.
pub(super) fn without_truncation(text: &str) -> String {
    map_lines(text, |_, line| {
        let is_mark = matches!(line.trim().replace(' ', "").as_str(), "<!--truncate-->" | "{/*truncate*/}");
        is_mark.then(|| "\n".to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mdx_is_reported() {
        let mut lines = vec![];
        let text = "import Tabs from '@theme/Tabs';\n\n<Tabs>\na < b\n```\n<Tabs>\n```\n";
        report(text, &mut |line, _| lines.push(line));
        assert_eq!(lines, [0, 2]);
        assert_eq!(without_truncation("a\n<!-- truncate -->\nb\n"), "a\n\nb\n");
    }
}
