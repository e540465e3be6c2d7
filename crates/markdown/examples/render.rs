//! Renders each Markdown file on the command line to `<file>.html`, for `tests/markdown.sh`.

use std::fs;

fn main() -> std::io::Result<()> {
    for path in std::env::args().skip(1) {
        let text = fs::read_to_string(&path)?;
        let html = match recto_markdown::render(&text, recto_markdown::Style::default()) {
            Ok(rendered) => rendered.html,
            Err(recto_markdown::TooComplex(message)) => format!("<p>not rendered: {message}</p>"),
        };
        fs::write(format!("{path}.html"), html)?;
    }
    Ok(())
}
