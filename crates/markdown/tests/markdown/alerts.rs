//! Alerts.

use crate::check;

#[test]
fn an_alert_is_named_by_its_kind() {
    for (kind, class, title) in [
        ("NOTE", "info", "Note"),
        ("Tip", "tip", "Tip"),
        ("important", "important", "Important"),
        ("WARNING", "warning", "Warning"),
        ("CAUTION", "caution", "Caution"),
    ] {
        check(
            &format!("> [!{kind}]\n> Text."),
            &format!("<div class=\"note {class}\" role=\"note\">\n<b>{title}</b>\n<p>Text.</p>\n</div>\n"),
        );
    }
}

#[test]
fn an_alert_may_have_a_title() {
    check(
        "> [!tip] Mind the <gap>\n> Text.",
        "<div class=\"note tip\" role=\"note\">\n<b>Mind the &lt;gap&gt;</b>\n<p>Text.</p>\n</div>\n",
    );
}

#[test]
fn an_unknown_kind_is_a_block_quote() {
    check("> [!joke]\n> Text.", "<blockquote>\n<p>[!joke]\nText.</p>\n</blockquote>\n");
}
