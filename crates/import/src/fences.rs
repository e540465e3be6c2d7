//! Fenced code blocks, in which nothing is converted.

/// Follows a text line by line.
#[derive(Default)]
pub(crate) struct Fences {
    open: Option<(char, usize)>,
}

impl Fences {
    /// Whether the next line belongs to a code block; its fences do, too.
    pub fn is_code(&mut self, line: &str) -> bool {
        let line = line.trim_start_matches([' ', '\t', '>']);
        let Some(mark) = line.chars().next().filter(|mark| matches!(mark, '`' | '~')) else {
            return self.open.is_some();
        };
        let length = line.chars().take_while(|char| *char == mark).count();
        let rest = line.trim_start_matches(mark);
        match self.open {
            Some((open, least)) => {
                if open == mark && length >= least && rest.trim().is_empty() {
                    self.open = None;
                }
                true
            }
            None if length >= 3 && !(mark == '`' && rest.contains('`')) => {
                self.open = Some((mark, length));
                true
            }
            None => false,
        }
    }
}

/// A fenced code block with this text.
pub(crate) fn fenced(language: &str, code: &str) -> String {
    let longest = code.split(|char| char != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(3.max(longest + 1));
    let code = code.strip_prefix('\n').unwrap_or(code);
    let end = if code.ends_with('\n') || code.is_empty() { "" } else { "\n" };
    format!("{fence}{language}\n{code}{end}{fence}")
}

/// Changes each line outside of code blocks; lines are numbered from 0 and include their line feed.
pub(crate) fn map_lines(text: &str, mut change: impl FnMut(usize, &str) -> Option<String>) -> String {
    let (mut fences, mut out) = (Fences::default(), String::with_capacity(text.len()));
    for (number, line) in text.split_inclusive('\n').enumerate() {
        match if fences.is_code(line) { None } else { change(number, line) } {
            Some(changed) => out += &changed,
            None => out += line,
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_blocks_end_at_a_fence_of_the_same_kind() {
        let text = "a\n```rust\nb\n~~~\n````\nc\n> ~~~\n> d\n> ~~~\n``` x ` y\n";
        let changed = map_lines(text, |_, line| Some(line.to_uppercase()));
        assert_eq!(changed, "A\n```rust\nb\n~~~\n````\nC\n> ~~~\n> d\n> ~~~\n``` X ` Y\n");
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fenced("go", "\nx\n"), "```go\nx\n```");
        assert_eq!(fenced("", "a ```` b"), "`````\na ```` b\n`````");
    }
}
