//! Reduces our HTML to that of the specifications.

/// The HTML without our additions, with void elements written as `<br>`.
pub fn undecorated(html: &str) -> String {
    let html = html.replace(" />", ">");
    let html = without_heading_links(&html);
    let html = without_colours(&html);
    let html = without_figures(&html);
    let html = without_table_boxes(&html);
    let html = without_footnote_names(&html);
    without_task_names(&html)
}

fn without_heading_links(html: &str) -> String {
    let html = replace(html, " <a class=\"anchor\"", "</a>", |_| String::new());
    let mut html = html;
    for level in '1'..='6' {
        html = replace(&html, &format!("<h{level} id=\""), "\">", |_| format!("<h{level}>"));
    }
    html
}

/// Quotes are not escaped in highlighted code.
fn without_colours(html: &str) -> String {
    replace(html, "<pre tabindex=\"0\"><code", "</code></pre>", |block| {
        let (attributes, code) = block.split_once('>').unwrap();
        let code = replace(code, "<span class=\"hl-", "\">", |_| String::new()).replace("</span>", "");
        format!("<pre><code{attributes}>{}</code></pre>", code.replace('"', "&quot;"))
    })
}

fn without_figures(html: &str) -> String {
    let html = html.replace(" loading=\"lazy\"", "").replace(" decoding=\"async\"", "");
    replace(&html, "<figure>", "</figure>", |figure| match figure.split_once("><figcaption>") {
        Some((image, caption)) => {
            format!("<p>{image} title=\"{}\"></p>", caption.trim_end_matches("</figcaption>"))
        }
        None => format!("<p>{figure}</p>"),
    })
}

fn without_table_boxes(html: &str) -> String {
    let html = replace(html, "<div class=\"scroll\"", "</table>\n</div>", |table| {
        let (_, table) = table.split_once(">\n").unwrap();
        format!("{}</table>", table.replace(" class=\"", " align=\""))
    });
    replace(&html, "<thead>", "</thead>", |head| format!("<thead>{}</thead>", head.replace("td>", "th>")))
}

fn without_footnote_names(html: &str) -> String {
    let html = html.replace("fn:", "fn").replace("fnref:", "fnref").replace(" aria-label=\"Footnotes\"", "");
    let html = replace(&html, " aria-label=\"Footnote ", "\"", |_| String::new());
    replace(&html, "<a class=\"footnote-back\"", ">", |attributes| {
        let (target, _name) = attributes.split_once(" aria-label=").unwrap();
        format!("<a{target} class=\"footnote-backref\">")
    })
}

fn without_task_names(html: &str) -> String {
    html.replace("<li class=\"task\">", "<li>")
        .replace("<input type=\"checkbox\" disabled aria-label=\"Incomplete task\">", UNCHECKED)
        .replace("<input type=\"checkbox\" disabled checked aria-label=\"Completed task\">", CHECKED)
}

pub const UNCHECKED: &str = "<input type=\"checkbox\" disabled=\"\">";
pub const CHECKED: &str = "<input type=\"checkbox\" checked=\"\" disabled=\"\">";

/// Replaces each range from `start` to the next `end` by what `make` returns for the text between them.
fn replace(html: &str, start: &str, end: &str, make: impl Fn(&str) -> String) -> String {
    let (mut out, mut rest) = (String::new(), html);
    while let Some((before, after)) = rest.split_once(start)
        && let Some((between, after)) = after.split_once(end)
    {
        out.push_str(before);
        out.push_str(&make(between));
        rest = after;
    }
    out + rest
}
