//! Properties that hold for every text.

use std::collections::HashSet;

use proptest::prelude::*;
use recto_markdown::{Style, render, render_page};

use crate::smart;

/// Text that is significant in Markdown, separated by `·`.
const PIECES: &str = "# ·## A·### A·- ·1. ·> ·    ·\t·\n·\n\n·\r\n·*·**·_·`·```\n·```rust\n·```math\n·~~·[·]·(·)·](a)·![·\
    ![a](b.png)·![a](b.mov)·[^a]·[^a]: ·[a]: /b\n·|·|-|-|\n·| a | b |\n·- [ ] ·- [x] ·> [!NOTE]\n·<b>·</b>·<!--·-->·&amp;·&·<·\
    $·$$·\\frac·{·}·^·\\·www.a.b·http://a·a@b.c·: ·---\n·===\n·a·word ·É·日本·\u{0}·\u{feff}·🎉·\u{301}·'·\"·:·#·\n:::details a\n·\n:::tabs\n·\n== a\n·\n:::\n·  :::\n·--·...";

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(PIECES.split('·').collect::<Vec<_>>());
    prop_oneof![prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat()), any::<String>()]
}

/// Valid in HTML and in a URL, and different from the other ids of a page.
fn is_anchor(id: &str) -> bool {
    !id.is_empty() && !id.contains(|char: char| char.is_whitespace() || "\"<>&#:".contains(char))
}

#[test]
fn pages_may_be_made_by_many_threads_at_once() {
    let text = "# A\n\n```rust\nlet a;\n```\n\n```js\nlet a;\n```\n\n$x$";
    let page = render(text, Style::default());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| assert_eq!(render(text, Style::default()), page));
        }
    });
}

proptest! {
    #[test]
    fn every_text_becomes_a_page(text in texts()) {
        let page = render_page(&text, "A", "/docs/a", smart()).unwrap();
        prop_assert!(page.summary.chars().count() <= 200);
        prop_assert!(page.headings.iter().all(|heading| (2..=6).contains(&heading.level)));
    }

    #[test]
    fn what_blocks_begin_they_end(text in texts()) {
        let html = render(&text, Style::default()).unwrap().html;
        for tag in ["div", "details", "label"] {
            let count = |text: String| html.matches(&text).count();
            prop_assert_eq!(count(format!("<{tag}")), count(format!("</{tag}>")), "{}", html);
        }
        let is_marked = [&html, &text].map(|text| text.contains('\u{fdd0}'));
        prop_assert_eq!(is_marked[0], is_marked[1]);
    }

    #[test]
    fn anchors_are_valid_and_unique(text in texts()) {
        let page = render(&text, Style::default()).unwrap();
        let ids: HashSet<&str> = page.headings.iter().map(|heading| heading.id.as_str()).collect();
        prop_assert_eq!(ids.len(), page.headings.len());
        for id in ids {
            prop_assert!(is_anchor(id), "{}", id);
            let attribute = format!(" id=\"{id}\">");
            prop_assert!(page.html.contains(&attribute), "{}", attribute);
        }
    }
}
