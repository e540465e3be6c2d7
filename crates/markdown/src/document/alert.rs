//! Alerts: `> [!NOTE]`, with a title of the author's or ours.

use std::fmt::Write;

use comrak::html::ChildRendering;
use comrak::nodes::{AlertType, NodeAlert};

use super::node::{Html, Written};

pub(super) fn write(html: &mut Html, alert: &NodeAlert, entering: bool) -> Written {
    if entering {
        html.cr()?;
        write!(html, "<div class=\"note {}\" role=\"note\">\n<b>", class(alert.alert_type))?;
        html.escape(alert.title.as_deref().unwrap_or(alert.alert_type.default_title()))?;
        html.write_str("</b>\n")?;
    } else {
        html.cr()?;
        html.write_str("</div>\n")?;
    }
    Ok(ChildRendering::HTML)
}

fn class(alert: AlertType) -> &'static str {
    match alert {
        AlertType::Note => "info",
        AlertType::Tip => "tip",
        AlertType::Important => "important",
        AlertType::Warning => "warning",
        AlertType::Caution => "caution",
    }
}
