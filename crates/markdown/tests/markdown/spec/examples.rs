//! The examples in the text of a specification.

pub struct Example {
    /// As the specification counts them, from 1.
    pub number: u32,
    pub markdown: String,
    pub html: String,
}

const FENCE: &str = "````````````````````````````````";

/// An example stands between two fences, its Markdown and HTML parted by a dot; `→` is a tab.
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
