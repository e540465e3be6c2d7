//! Bodies that are not JSON, or JSON of the wrong shape: 400, with a message that says where.

use serde_json::json;
use testing::Database;

use crate::app::spawn_app;

testing::on_each_configuration!(
    a_body_that_is_not_json_is_refused,
    a_body_that_is_not_an_object_is_refused,
    errors_inside_an_entry_are_reported,
    the_first_error_of_a_large_body_is_reported,
    errors_inside_an_ignored_value_are_refused_too,
    trailing_garbage_is_refused,
    white_space_is_not,
    a_key_that_appears_twice_is_refused,
    invalid_utf_8_is_refused,
    half_a_surrogate_pair_is_refused,
    escapes_are_understood,
    deep_nesting_breaks_nothing,
    huge_numbers_break_nothing,
    many_wrong_bodies_break_nothing,
);

/// The message contains the location: an entry, a member, or a byte, line or column.
fn tells_where(message: &str) -> bool {
    message.contains(|letter: char| letter.is_ascii_digit())
}

async fn a_body_that_is_not_json_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for body in [
        "",
        " ",
        "\n",
        "{",
        "{\"",
        "{\"pages",
        "{\"pages\"",
        "{\"pages\":",
        "{\"pages\":[",
        "{\"pages\":[{",
        "{\"pages\":[{\"title\":\"A\"}",
        "{\"pages\":[{\"title\":\"A\"}]",
        "{\"pages\":[{\"title\":\"A",
        "{\"pages\":[]",
        "{'pages':[]}",
        "{pages:[]}",
        "{\"pages\":[],}",
        "{,\"pages\":[]}",
        "{\"pages\" []}",
        "{\"pages\":[,]}",
        "{\"pages\":[{},]}",
        "{\"pages\":[{}{}]}",
        "{\"pages\":[] \"build\":true}",
        "{\"pages\":[]]}",
        "{\"pages\":[}",
        "{\"pages\"::[]}",
        "{1:2}",
        "{null:1}",
        "}",
        "]",
        ":",
        ",",
        "title=A&slug=a",
        "<xml/>",
        "// comment\n{}",
        "{} // comment",
        "/* */{}",
        "undefined",
        "NaN",
        "\u{feff}{\"pages\":[]}",
        "\0",
        "{\"pages\":[]\0}",
    ] {
        let answer = app.client.post_text("/pages", body).await;
        assert!(tells_where(answer.is_failure(400)), "{body:?}: {answer:?}");
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn a_body_that_is_not_an_object_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for body in ["[]", "[{\"title\":\"A\"}]", "\"text\"", "1", "-1.5e3", "true", "false", "null"] {
        app.client.post_text("/pages", body).await.is_failure(400);
    }
}

/// Invalid JSON values.
const BROKEN: [&str; 24] = [
    "tru",
    "nul",
    "True",
    "NaN",
    "Infinity",
    "-Infinity",
    "undefined",
    "01",
    "+1",
    ".5",
    "1.",
    "1e",
    "-",
    "0x10",
    "1_000",
    "'a'",
    "\"a\nb\"",
    "\"a\tb\"",
    "\"\\x41\"",
    "\"\\u12\"",
    "\"\\",
    "[1,]",
    "{\"a\":1,}",
    "{a:1}",
];

async fn errors_inside_an_entry_are_reported(database: &Database) {
    let app = spawn_app(database).await;
    for broken in BROKEN {
        for field in ["title", "draft", "tags", "unknown"] {
            let body = format!(r#"{{"pages":[{{"title":"Fine"}},{{"slug":"a","{field}":{broken}}}]}}"#);
            let answer = app.client.post_text("/pages", body.clone()).await;
            assert!(answer.is_failure(400).contains("pages[1]"), "{body}: {answer:?}");
        }
        let body = format!(r#"{{"deleteSlugs":[{{"slug":{broken},"contentType":"blog"}}]}}"#);
        let answer = app.client.post_text("/pages", body.clone()).await;
        assert!(answer.is_failure(400).contains("deleteSlugs[0]"), "{body}: {answer:?}");
    }
    assert_eq!(app.client.list().await, json!([]));
}

/// Entries are checked by another thread while the next ones arrive: an error behind them may be found first.
async fn the_first_error_of_a_large_body_is_reported(database: &Database) {
    let app = spawn_app(database).await;
    let page = |number: usize| json!({"title": format!("Page {number}"), "content": "word ".repeat(1000)});
    for (wrong, expected) in [(Some(100), "pages[100]: must be an object"), (None, "pages[150]")] {
        for behind in ["}", "],\"siteId\":5,", "],\"deleteSlugs\":[5]", ""] {
            let entry = |number| if wrong == Some(number) { json!(5) } else { page(number) };
            let entries: Vec<String> = (0..150).map(|number| entry(number).to_string()).collect();
            let last = if wrong.is_none() { ",5" } else { "" };
            let body = format!("{{\"pages\":[{}{last}{behind}", entries.join(","));
            let answer = app.client.post_text("/pages", body).await;
            let message = answer.is_failure(400);
            assert!(message.contains(expected), "{behind}: {message}");
        }
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn errors_inside_an_ignored_value_are_refused_too(database: &Database) {
    let app = spawn_app(database).await;
    for broken in BROKEN {
        for member in ["unknown", "siteId", "build"] {
            let body = format!(r#"{{"pages":[],"{member}":{broken}}}"#);
            let answer = app.client.post_text("/pages", body.clone()).await;
            assert!(answer.is_failure(400).contains(member), "{body}: {answer:?}");
        }
        let body = format!(r#"{{"title":"A","unknown":{broken}}}"#);
        app.client.post_text("/pages", body).await.is_failure(400);
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn trailing_garbage_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for garbage in ["x", "{}", "[]", "1", "null", ",", "}", "\0", "\u{a0}", "\u{feff}", "{\"pages\":[]}"] {
        for body in [r#"{"title":"A"}"#, r#"{"pages":[{"title":"A"}]}"#] {
            let answer = app.client.post_text("/pages", format!("{body}{garbage}")).await;
            assert!(tells_where(answer.is_failure(400)), "{garbage:?}: {answer:?}");
            app.client.post_text("/pages", format!("{body}\n {garbage}")).await.is_failure(400);
        }
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn white_space_is_not(database: &Database) {
    let app = spawn_app(database).await;
    let body =
        " \r\n\t{ \"pages\" : [ { \"title\" : \"A\" , \"tags\" : [ ] } ] , \"build\" : false } \r\n\t ";
    assert_eq!(app.client.post_text("/pages", body).await.status, 200);
    let body = " { \"title\" : \"A\" , \"draft\" : true } \n";
    assert_eq!(app.client.post_text("/pages", body).await.status, 200);
}

async fn a_key_that_appears_twice_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for body in [
        r#"{"pages":[],"pages":[]}"#,
        r#"{"pages":[],"build":false,"build":false}"#,
        r#"{"pages":[],"deleteSlugs":[],"deleteSlugs":[]}"#,
        r#"{"title":"A","title":"A"}"#,
        r#"{"title":"A","ti\u0074le":"B"}"#,
        r#"{"title":"A","unknown":1,"unknown":2}"#,
        r#"{"pages":[{"title":"A","title":"A"}]}"#,
        r#"{"pages":[{"title":"A","slug":"a","sl\u0075g":"b"}]}"#,
        r#"{"pages":[{"title":"A","unknown":1,"unknown":1}]}"#,
        r#"{"deleteSlugs":[{"slug":"a","slug":"b","contentType":"blog"}]}"#,
    ] {
        app.client.post_text("/pages", body).await.is_failure(400);
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn invalid_utf_8_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for wrong in
        [&b"\xff"[..], b"\xc3", b"\xc3(", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\x80", b"\xe9"]
    {
        for (before, after) in [
            (r#"{"pages":[{"slug":"a","title":""#, r#""}]}"#),
            (r#"{"pages":[{"slug":"a","title":"A",""#, r#"":1}]}"#),
            (r#"{"pages":[{"slug":"a","title":"A","unknown":""#, r#""}]}"#),
            (r#"{"pages":[{"slug":"a","title":"A","params":{"a":""#, r#""}}]}"#),
            (r#"{"title":""#, r#""}"#),
            (r#"{"title":"A",""#, r#"":1}"#),
            (r#"{"pages":[],"unknown":""#, r#""}"#),
            (r#"{"pages":[]"#, "}"),
            ("", r#"{"pages":[]}"#),
            (r#"{"pages":[]}"#, ""),
        ] {
            let body = [before.as_bytes(), wrong, after.as_bytes()].concat();
            app.client.post_text("/pages", body).await.is_failure(400);
        }
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn half_a_surrogate_pair_is_refused(database: &Database) {
    let app = spawn_app(database).await;
    for half in [r"\ud800", r"\udc00", r"\udbff\udbff", r"\udc00\ud800", r"\ud83e"] {
        for body in [
            format!(r#"{{"pages":[{{"slug":"a","title":"{half}"}}]}}"#),
            format!(r#"{{"pages":[{{"slug":"a","title":"A","tags":["{half}"]}}]}}"#),
            format!(r#"{{"pages":[{{"slug":"a","title":"A","content":"x{half}"}}]}}"#),
            format!(r#"{{"title":"{half}"}}"#),
            format!(r#"{{"deleteSlugs":[{{"slug":"{half}","contentType":"blog"}}]}}"#),
        ] {
            let answer = app.client.post_text("/pages", body.clone()).await;
            assert_eq!(answer.status, 400, "{body}: {answer:?}");
        }
    }
    assert_eq!(app.client.list().await, json!([]));
}

async fn escapes_are_understood(database: &Database) {
    let app = spawn_app(database).await;
    let body = r#"{"pa\u0067es":[{"\u0073lug":"\u0061","title":"\ud83e\udd80 \u00e9 \"\\\/\b\f\n\r\t"}]}"#;
    let answer = app.client.post_text("/pages", body).await;
    let page = &answer.body["pages"][0];
    assert_eq!(
        (&page["slug"], &page["title"]),
        (&json!("a"), &json!("🦀 é \"\\/\u{8}\u{c}\n\r\t")),
        "{answer:?}"
    );
    let delete = r#"{"deleteSlugs":[{"slug":"\u0061","contentType":"\u0062log"}]}"#;
    app.client.post_text("/pages", delete).await.is(200, json!({"pages": [], "deleted": ["a"]}));
}

/// An unknown field is ignored or refused as too deep; either way the server keeps working.
async fn deep_nesting_breaks_nothing(database: &Database) {
    let app = spawn_app(database).await;
    for depth in [10, 100, 200, 100_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let deep = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            for body in [
                format!(r#"{{"pages":[{{"title":"A","unknown":{deep}}}]}}"#),
                format!(r#"{{"pages":[],"unknown":{deep}}}"#),
                format!(r#"{{"title":"A","unknown":{deep}}}"#),
                format!(r#"{{"deleteSlugs":[{{"slug":"b","contentType":"blog","unknown":{deep}}}]}}"#),
            ] {
                let answer = app.client.post_text("/pages", body).await;
                match answer.status {
                    200 => {}
                    _ if depth < 200 => panic!("unknown fields are ignored: {answer:?}"),
                    _ => drop(answer.is_failure(400)),
                }
            }
        }
        let unclosed = app.client.post_text("/pages", "[".repeat(depth)).await;
        unclosed.is_failure(400);
        let unclosed = app.client.post_text("/pages", format!("{{\"pages\":{}", "[".repeat(depth))).await;
        unclosed.is_failure(400);
    }
}

async fn huge_numbers_break_nothing(database: &Database) {
    let app = spawn_app(database).await;
    let long = "9".repeat(5000);
    for number in ["1e999", "-1e999", "1e-999", "123456789012345678901234567890", long.as_str()] {
        let body = format!(r#"{{"pages":[{{"title":"A","unknown":{number}}}],"unknown":{number}}}"#);
        assert_eq!(app.client.post_text("/pages", body).await.status, 200, "{number}");
        let body = format!(r#"{{"pages":[{{"title":"A","draft":{number},"description":{number}}}]}}"#);
        let answer = app.client.post_text("/pages", body).await;
        answer.is_invalid(json!({"0": {"draft": "…", "description": "…"}}));
        let body = format!(r#"{{"pages":[],"build":{number}}}"#);
        app.client.post_text("/pages", body).await.is_failure(400);
    }
}

/// A valid body with one byte changed, or truncated anywhere.
async fn many_wrong_bodies_break_nothing(database: &Database) {
    let app = spawn_app(database).await;
    let body =
        r#"{"pages":[{"slug":"a","title":"é","tags":["x"],"params":{"a":[1]}}],"build":false}"#.as_bytes();
    for end in 0..body.len() {
        app.client.post_text("/pages", body[..end].to_vec()).await.is_failure(400);
    }
    for at in (0..body.len()).step_by(3) {
        for byte in [b'"', b'{', b']', b'0', 0, 0xff] {
            let mut changed = body.to_vec();
            changed[at] = byte;
            let answer = app.client.post_text("/pages", changed).await;
            assert!(matches!(answer.status, 200 | 400), "{at} {byte}: {answer:?}");
        }
    }
}
