//! Marks lines of highlighted code.

use std::ops::RangeInclusive;

const CLOSE: &str = "</span>";

/// Encloses the marked lines of highlighted code in spans. A span of the highlighter that goes on over several lines is
/// closed and opened again at both ends of such a line.
pub(super) fn mark(html: &str, marked: &[RangeInclusive<usize>]) -> String {
    let mut out = String::with_capacity(html.len() + html.len() / 4);
    // The opening tag of the highlighter's current span. Its spans are not nested.
    let mut open: Option<&str> = None;
    for (index, line) in html.split_inclusive('\n').enumerate() {
        let is_marked = marked.iter().any(|lines| lines.contains(&(index + 1)));
        let (text, end) = line.strip_suffix('\n').map_or((line, ""), |text| (text, "\n"));
        if !is_marked {
            open = open_after(text, open);
            out.push_str(line);
            continue;
        }
        out.push_str(if open.is_some() { CLOSE } else { "" });
        out.push_str("<span class=\"marked\">");
        out.push_str(open.unwrap_or_default());
        out.push_str(text);
        open = open_after(text, open);
        out.push_str(if open.is_some() { CLOSE } else { "" });
        out.push_str(CLOSE);
        out.push_str(open.unwrap_or_default());
        out.push_str(end);
    }
    out
}

/// The span that is open after a line.
fn open_after<'h>(line: &'h str, before: Option<&'h str>) -> Option<&'h str> {
    let Some(last) = line.rfind("<span").max(line.rfind(CLOSE)) else { return before };
    let tag = &line[last..];
    match tag.starts_with(CLOSE) {
        true => None,
        false => tag.find('>').map(|end| &tag[..=end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marked_lines_are_enclosed() {
        let check = |html: &str, lines: &[RangeInclusive<usize>], expected: &str| {
            assert_eq!(mark(html, lines), expected, "{html}");
        };
        check("a\nb\nc\n", &[2..=2], "a\n<span class=\"marked\">b</span>\nc\n");
        check("a\nb", &[1..=9], "<span class=\"marked\">a</span>\n<span class=\"marked\">b</span>");
        check("a\n", &[7..=8], "a\n");
        check(
            "<span class=\"hl-k\">let</span> x\n",
            &[1..=1],
            "<span class=\"marked\"><span class=\"hl-k\">let</span> x</span>\n",
        );
    }

    #[test]
    fn a_span_over_several_lines_stays_balanced() {
        let html = "<span class=\"hl-c\">/* a\nb\nc */</span>\n";
        let expected = "<span class=\"hl-c\">/* a\n</span><span class=\"marked\"><span class=\"hl-c\">b</span></span>\
                        <span class=\"hl-c\">\nc */</span>\n";
        assert_eq!(mark(html, &[2..=2]), expected);
        let all = mark(html, &[1..=3]);
        assert_eq!(all.matches("<span").count(), all.matches("</span>").count(), "{all}");
    }
}
