//! Reads the examples from the text of a specification.

pub struct Example {
    /// Counted from 1, as in the specification.
    pub number: u32,
    pub markdown: String,
    pub html: String,
}

const FENCE: &str = "````````````````````````````````";

/// An example is enclosed in two fences, with a line of one dot between its Markdown and HTML; `→` is a tab.
pub fn examples(specification: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut lines = specification.lines();
    while let Some(line) = lines.next() {
        if line.starts_with(FENCE) {
            let markdown = text(lines.by_ref().take_while(|&line| line != "."));
            let html = text(lines.by_ref().take_while(|&line| line != FENCE));
            examples.push(Example { number: examples.len() as u32 + 1, markdown, html });
        }
    }
    examples
}

fn text<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    lines.map(|line| line.replace('→', "\t") + "\n").collect()
}
