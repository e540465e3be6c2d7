//! Properties that hold for any code in any language.

use proptest::prelude::*;

use crate::highlight;
use crate::languages::names;

/// Text that is significant in some language, separated by `·`.
const PIECES: &str = "a·B·fn·class·if·é·日本·🎉·1·0x·.5· ·\n·\t·\r·\"·'·`·\"\"\"·\\·/·//·/*·*/·#·#[·]·<·</·<!--·-->·<script>·\
    <style>·>·&·&amp;·$·${·$(·{·}·(·)·[·[[·@·:·=·==·!·-·--·---·- ·+·|·;·,·%·<<A·A·r#\"·f\"·a: ·key = ·GET / HTTP/1.1\n·```";

fn codes() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(PIECES.split('·').collect::<Vec<_>>());
    prop_oneof![prop::collection::vec(pieces, 0..30).prop_map(|pieces| pieces.concat()), any::<String>()]
}

/// The text that a browser shows.
fn shown(html: &str) -> String {
    let mut text = String::new();
    for (at, piece) in html.split('<').enumerate() {
        text.push_str(if at == 0 { piece } else { piece.split_once('>').unwrap().1 });
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

proptest! {
    #[test]
    fn highlighting_keeps_the_text(code in codes()) {
        for name in names() {
            let mut html = String::new();
            highlight(name, &code, &mut html);
            prop_assert_eq!(&shown(&html), &code, "{}", name);
        }
    }
}
