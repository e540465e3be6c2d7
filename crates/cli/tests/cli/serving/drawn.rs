//! Preview cards and icons, drawn from the release at the first request.

use serde_json::json;

use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;
use crate::media::files::ffmpeg;

on_one_machine_and_nodes!(
    a_page_without_a_cover_has_a_card,
    a_protected_site_protects_its_cards,
    icons_are_drawn_or_made_of_the_owners,
    an_export_has_cards_and_icons,
);

const HOST: &str = "acme.localhost";
const FOREVER: &str = "public, max-age=31536000, immutable";

fn publish(recto: &Recto, server: &Server, account: &Account, title: &str) {
    let page = json!({ "pages": [{ "title": title, "slug": "a" }, { "title": "Draft", "draft": true }] });
    server.publish(&account.token, &page).expect(200);
    recto.text(&["site", "build", "acme", "--wait"]);
}

/// The path of the card of a page.
fn card(html: &str) -> String {
    let (_, rest) = html.split_once("<meta property=\"og:image\" content=\"").unwrap();
    let (url, _) = rest.split_once('"').unwrap();
    url[url.find("/assets/").unwrap()..].to_owned()
}

/// Width and height of a PNG.
fn size(png: &[u8]) -> (u32, u32) {
    assert_eq!(&png[..8], b"\x89PNG\r\n\x1a\n");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().unwrap());
    (number(16), number(20))
}

fn a_page_without_a_cover_has_a_card(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(recto, &server, &account, "First title");
    let first = card(&server.visit(HOST, "/blog/a").body);
    let seen = server.visit(HOST, &first);
    assert_eq!((seen.status, seen.header("content-type")), (200, "image/png"));
    assert_eq!(seen.header("cache-control"), FOREVER);
    let png = server.download(HOST, &first);
    assert_eq!(size(&png), (1200, 630));
    assert!(server.download(HOST, &first) == png);
    assert_eq!(size(&server.download(HOST, &card(&server.visit(HOST, "/").body))), (1200, 630));
    for path in [first.replace("/blog/a", "/blog/b"), first.replace("/blog/a", "/blog/draft")] {
        assert_eq!(server.visit(HOST, &path).status, 404, "{path}");
    }

    publish(recto, &server, &account, "Second title");
    let second = card(&server.visit(HOST, "/blog/a").body);
    assert!(server.download(HOST, &second) != png);
    let moved = server.visit(HOST, &first);
    assert_eq!((moved.status, moved.header("location")), (302, second.as_str()));
    recto.json(&["site", "rollback", "acme"]);
    assert!(server.download(HOST, &first) == png);
}

fn a_protected_site_protects_its_cards(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(recto, &server, &account, "A secret title");
    let card = card(&server.visit(HOST, "/blog/a").body);
    recto.text_given(&["site", "password", "acme"], "open sesame\n");
    for path in [card.as_str(), "/favicon.ico", "/apple-touch-icon.png"] {
        assert_eq!(server.visit(HOST, path).status, 401, "{path}");
    }
}

fn icons_are_drawn_or_made_of_the_owners(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(recto, &server, &account, "A title");
    let icons = || {
        let (touch, favicon) =
            (server.visit(HOST, "/apple-touch-icon.png"), server.visit(HOST, "/favicon.ico"));
        assert_eq!((touch.status, touch.header("content-type")), (200, "image/png"));
        assert_eq!((favicon.status, favicon.header("content-type")), (200, "image/x-icon"));
        let files = ["/apple-touch-icon.png", "/favicon.ico"].map(|path| server.download(HOST, path));
        assert_eq!((size(&files[0]), size(&files[1][22..])), ((180, 180), (32, 32)));
        files
    };
    let drawn = icons();
    let image = ffmpeg("icon.png", "-f lavfi -i testsrc=size=300x300 -frames:v 1");
    let url = server.keep_file(&account, "icon.png", &image);
    recto.text(&["site", "set", "acme", &format!("icon={url}")]);
    publish(recto, &server, &account, "Another title");
    let own = icons();
    assert!(own[0] != drawn[0] && own[1] != drawn[1]);
    recto.text(&["site", "set", "acme", "icon=https://example.com/icon.svg"]);
    publish(recto, &server, &account, "A third title");
    assert!(icons() == drawn, "an icon elsewhere is not fetched");
}

fn an_export_has_cards_and_icons(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    publish(recto, &server, &account, "A title");
    let card = card(&server.visit(HOST, "/blog/a").body);
    let directory = recto.path_next_to_data("export");
    recto.json(&["site", "export", "acme", directory.to_str().unwrap()]);
    for path in [card.as_str(), "/favicon.ico", "/apple-touch-icon.png"] {
        let exported = std::fs::read(directory.join(path.trim_start_matches('/'))).unwrap();
        assert!(exported == server.download(HOST, path), "{path}");
    }
}
