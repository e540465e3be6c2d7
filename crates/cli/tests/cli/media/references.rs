//! `file:` references: pages refer to the files of the same request by their URLs.

use serde_json::{Value, json};

use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;
use crate::media::files::{image, video};
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    files_of_a_request_are_shown_by_its_pages,
    one_file_on_many_pages_has_one_address,
    parts_come_in_any_order,
    a_page_in_the_original_format_has_files_too,
    an_earlier_upload_is_referred_to_by_its_url,
    a_cover_is_a_file_of_the_request,
);

const HOST: &str = "acme.localhost";

fn url_of(answer: &Value, name: &str) -> String {
    let media = answer["media"].as_array().unwrap();
    let item = media.iter().find(|item| item["filename"] == name).unwrap_or_else(|| panic!("{answer}"));
    item["url"].as_str().unwrap().to_owned()
}

fn publish(server: &Server, account: &Account, form: Form) -> Value {
    let answer = server.send_form("/pages", account, form).expect(200);
    assert_eq!(server.wait_for_build(&account.token)["status"], "success");
    answer
}

fn source(server: &Server, path: &str) -> String {
    let answer = server.visit(HOST, &format!("{path}.md"));
    assert_eq!(answer.status, 200, "{path}");
    answer.body
}

fn files_of_a_request_are_shown_by_its_pages(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let content = "\
![A drawing](file:drawing.png) and ![](<file:two words.png> \"Title\") and ![](file:two%20words.png)

![A video](file:clip.mp4)

![A video](file:phone.mov)

![A song](file:song.mp3)

[The document][document] or [here](file:notes.txt), or file:notes.txt.

[document]: file:notes.txt

<video src=\"file:clip.mp4\" poster='file:drawing.png'></video> <a href=file:notes.txt>notes</a>

Not in `file:drawing.png`:

```
![](file:drawing.png)
```

    file:notes.txt
";
    let form = Form::default()
        .payload(&json!({ "pages": [{ "title": "Media", "content": content }], "build": true }))
        .file("drawing.png", &image("drawing.png"))
        .file("two words.png", &image("photo.jpg"))
        .file("clip.mp4", &video("clip.mp4"))
        .file("phone.mov", &video("phone.mov"))
        .file("song.mp3", b"song")
        .file("notes.txt", b"notes");
    let answer = publish(&server, &account, form);
    let url = |name: &str| url_of(&answer, name);
    let mut expected = content.replace("<file:two words.png>", &format!("<{}>", url("two words.png")));
    let (shown, code) = expected.split_at(expected.find("Not in").unwrap());
    let mut shown = shown.replace("file:two%20words.png", &url("two words.png"));
    for name in ["drawing.png", "clip.mp4", "phone.mov", "song.mp3", "notes.txt"] {
        shown = shown.replace(&format!("file:{name}"), &url(name));
    }
    expected = shown + code;
    let written = source(&server, "/blog/media");
    assert!(written.trim_end().ends_with(expected.trim_end()), "{written}\n\ninstead of\n\n{expected}");

    let page = server.visit(HOST, "/blog/media").body;
    let mov = url("phone.mov");
    for element in [
        format!("<img src=\"{}\" alt=\"A drawing\" width=\"64\" height=\"48\"", url("drawing.png")),
        format!("<video controls preload=\"metadata\" src=\"{}\"", url("clip.mp4")),
        format!("<source src=\"{}\" type=\"video/mp4\"><source src=\"{mov}\">", mov.replace(".mov", ".mp4")),
        format!("<audio controls preload=\"metadata\" src=\"{}\"", url("song.mp3")),
        format!("<a href=\"{}\">The document</a>", url("notes.txt")),
    ] {
        assert!(page.contains(&element), "no {element} in {page}");
    }
    for name in ["drawing.png", "two words.png", "clip.mp4", "phone.mov", "song.mp3", "notes.txt"] {
        assert!(!server.download(HOST, &url(name)).is_empty(), "{name}");
    }
}

fn one_file_on_many_pages_has_one_address(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let pages: Vec<Value> = (0..5)
        .map(|n| json!({ "title": format!("Page {n}"), "content": "![](file:a.png) ![](file:a.png)" }))
        .collect();
    let form =
        Form::default().payload(&json!({ "pages": pages, "build": true })).file("a.png", &image("a.png"));
    let answer = publish(&server, &account, form);
    assert_eq!(answer["media"].as_array().unwrap().len(), 1);
    let url = url_of(&answer, "a.png");
    for n in 0..5 {
        let written = source(&server, &format!("/blog/page-{n}"));
        assert_eq!(written.matches(&url).count(), 2, "{written}");
    }
    assert_eq!(recto.media("acme").len(), 1);
}

fn parts_come_in_any_order(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let payload = |slug: &str, build: bool| json!({ "pages": [{ "slug": slug, "title": slug, "content": "file:a.txt file:b.txt" }], "build": build });
    let (a, b) = (b"the first", b"the other");
    server
        .send_form(
            "/pages",
            &account,
            Form::default().payload(&payload("first", false)).file("a.txt", a).file("b.txt", b),
        )
        .expect(200);
    let between = Form::default().file("a.txt", a).payload(&payload("between", false)).file("b.txt", b);
    server.send_form("/pages", &account, between).expect(200);
    let last = Form::default()
        .file("a.txt", a)
        .field("other", "passed over")
        .file("b.txt", b)
        .payload(&payload("last", true));
    let answer = publish(&server, &account, last);
    let expected = format!("{} {}", url_of(&answer, "a.txt"), url_of(&answer, "b.txt"));
    for slug in ["first", "between", "last"] {
        let written = source(&server, &format!("/blog/{slug}"));
        assert!(written.contains(&expected), "{slug}: {written}");
    }
}

fn a_page_in_the_original_format_has_files_too(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let payload = json!({ "title": "Old", "content": "file:a.txt", "build": true });
    let answer = publish(&server, &account, Form::default().file("a.txt", b"a").payload(&payload));
    assert_eq!((&answer["slug"], &answer["status"]), (&json!("old"), &json!("created")));
    assert!(source(&server, "/blog/old").contains(&url_of(&answer, "a.txt")));
}

fn an_earlier_upload_is_referred_to_by_its_url(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let url = server.keep_file(&account, "a.png", &image("a.png"));
    let page = json!({ "title": "Later", "content": format!("![Alt]({url})"), "build": true });
    server.publish(&account.token, &page).expect(200);
    server.wait_for_build(&account.token);
    let shown = server.visit(HOST, "/blog/later").body;
    assert!(shown.contains(&format!("<img src=\"{url}\" alt=\"Alt\" width=\"64\" height=\"48\"")), "{shown}");
    assert_eq!(recto.media("acme")[0]["usedBy"], json!(["/blog/later"]));
}

fn a_cover_is_a_file_of_the_request(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let page = json!({ "title": "A page", "params": { "cover": "file:two%20words.png", "n": 1e300 } });
    let form = Form::default()
        .payload(&json!({ "pages": [page], "build": true }))
        .file("two words.png", &image("drawing.png"));
    let answer = publish(&server, &account, form);
    let url = url_of(&answer, "two words.png");
    let html = server.visit(HOST, "/blog/a-page").body;
    assert!(html.contains(&format!("<img class=\"cover\" src=\"{url}\"")), "{html}");
    let missing = json!({ "title": "Other", "content": "file:b.png", "params": { "cover": "file:c.png" } });
    let refused =
        server.send_form("/pages", &account, Form::default().payload(&json!({ "pages": [missing] })));
    assert_eq!(refused.expect(400)["details"]["0"]["unresolvedCount"], 2);
}
