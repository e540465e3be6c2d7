//! `SUMMARY.md`: a list of links.

use crate::paths::decoded;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chapter {
    pub title: String,
    pub file: String,
    /// How many chapters it is below.
    pub depth: usize,
    /// From 0.
    pub line: usize,
}

/// The chapters in their order. Drafts, which have no file, and titles of parts are reported.
pub(super) fn parse(text: &str, note: &mut dyn FnMut(usize, String)) -> Vec<Chapter> {
    let mut chapters = vec![];
    let mut indents: Vec<usize> = vec![];
    for (line, text) in text.lines().enumerate() {
        let item = text.trim_start();
        let indent = text.len() - item.len();
        let link = item.strip_prefix(['-', '*', '+']).map_or(item, str::trim_start);
        let is_item = link.len() < item.len();
        let Some((title, file)) = link_of(link) else {
            let is_part = item.starts_with("# ") && line > 0;
            if is_part {
                note(
                    line,
                    format!("the part {:?} has no counterpart; its chapters are imported", &item[2..]),
                );
            }
            continue;
        };
        while indents.last().is_some_and(|last| *last >= indent) {
            indents.pop();
        }
        let depth = if is_item { indents.len() } else { 0 };
        if is_item {
            indents.push(indent);
        }
        if file.is_empty() {
            note(line, format!("the draft chapter {title:?} has no file"));
            continue;
        }
        let file = decoded(file.trim_start_matches("./"));
        chapters.push(Chapter { title, file, depth, line });
    }
    level(&mut chapters);
    chapters
}

fn link_of(text: &str) -> Option<(String, &str)> {
    let inside = text.strip_prefix('[')?;
    let middle = inside.find("](")?;
    let end = middle + 2 + inside[middle + 2..].find(')')?;
    let file = inside[middle + 2..end].trim_matches(['<', '>', ' ']);
    Some((inside[..middle].replace('\\', ""), file.split('#').next().unwrap_or_default()))
}

/// A chapter is at most one level below the one before: drafts between them are gone.
fn level(chapters: &mut [Chapter]) {
    let mut before = None;
    for chapter in chapters {
        chapter.depth = chapter.depth.min(before.map_or(0, |depth: usize| depth + 1));
        before = Some(chapter.depth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_a_nested_list() {
        let text = "# Summary\n\n[Start](./start.md)\n\n# Part\n\n- [A](a.md)\n    - [B \\[x\\]](<b c.md>)\n    - [Draft]()\n- [D](d.md)\n\n-----\n[End](end.md)\n";
        let mut notes = vec![];
        let chapters = parse(text, &mut |line, _| notes.push(line));
        let seen: Vec<(&str, &str, usize)> = chapters
            .iter()
            .map(|chapter| (chapter.title.as_str(), chapter.file.as_str(), chapter.depth))
            .collect();
        let expected = [
            ("Start", "start.md", 0),
            ("A", "a.md", 0),
            ("B [x]", "b c.md", 1),
            ("D", "d.md", 0),
            ("End", "end.md", 0),
        ];
        assert_eq!(seen, expected);
        assert_eq!(notes, [4, 8]);
    }
}
