use proptest::prelude::*;
use serde_json::json;

use super::*;

fn fields(text: &str) -> Fields {
    read(text).unwrap_or_else(|error| panic!("{text}: {error}")).fields
}

#[test]
fn yaml_and_toml_give_the_same_fields() {
    let yaml = "---\ntitle: 'A title'\nslug: a\ntype: docs\nsection: Guides\ndescription: About\ntags: [a, b]\n\
        draft: true\ndate: 2026-01-02\napi_endpoint: GET /a\nweight: 3\nparams:\n  toc: false\n---\n\nText\n";
    let toml = "+++\ntitle = 'A title'\nslug = 'a'\ncontentType = 'docs'\nsection = 'Guides'\n\
        description = 'About'\ntags = ['a', 'b']\ndraft = true\ndate = 2026-01-02\napiEndpoint = 'GET /a'\n\
        weight = 3\n[params]\ntoc = false\n+++\nText\n";
    let text = |text: &str| Some(text.to_owned());
    let expected = Fields {
        title: text("A title"),
        slug: text("a"),
        content_type: text("docs"),
        section: text("Guides"),
        description: text("About"),
        tags: Some(vec!["a".into(), "b".into()]),
        draft: Some(true),
        published_at: text("2026-01-02"),
        api_endpoint: text("GET /a"),
        password: None,
        params: json!({"weight": 3, "toc": false}).as_object().unwrap().clone(),
    };
    for file in [yaml, toml] {
        let document = read(file).unwrap();
        assert_eq!((&document.fields, document.body), (&expected, "Text\n"), "{file}");
        assert_eq!(file.lines().nth(document.body_line - 1), Some("Text"), "{file}");
    }
}

#[test]
fn a_text_field_may_look_like_another_type() {
    let read =
        fields("---\ntitle: 1.10\nslug: 2026\ndescription: true\ntags: [1, yes]\nyes: no\nnothing: ~\n---\n");
    assert_eq!(read.title.as_deref(), Some("1.10"));
    assert_eq!(read.slug.as_deref(), Some("2026"));
    assert_eq!(read.tags.unwrap(), ["1", "yes"]);
    assert_eq!(serde_json::Value::Object(read.params), json!({"yes": "no", "nothing": null}));
}

#[test]
fn null_is_the_same_as_no_key() {
    assert_eq!(fields("---\ntitle: ~\ntags:\ndraft: null\n---\n"), Fields::default());
}

#[test]
fn a_text_without_front_matter_is_the_body() {
    for text in [
        "",
        "Text",
        "---",
        "---\n\nText\n",
        "---\nA text.\n---\n",
        "---\n- a\n---\nText",
        "\n---\na: b\n---\n",
        "--- a",
    ] {
        let expected = Document { fields: Fields::default(), body: text, body_line: 1 };
        assert_eq!(read(text), Ok(expected), "{text}");
    }
    assert_eq!(read("---\n---\nText").unwrap().body, "Text");
    assert_eq!(read("\u{feff}---\r\ntitle: A\r\n---\r\nText").unwrap().fields.title.as_deref(), Some("A"));
}

#[test]
fn what_is_wrong_has_its_line() {
    let check = |text: &str, line: usize, part: &str| {
        let invalid = read(text).expect_err(text);
        assert_eq!(invalid.line, line, "{text}: {invalid}");
        assert!(invalid.message.contains(part), "{text}: {invalid}");
    };
    check("---\ntitle: A\n", 1, "no end");
    check("+++\n", 1, "no end");
    check("---\ntitle: A\nslug: [\n---\n", 3, "line 3");
    check("---\ntitle: A\n\ttags: b\n---\n", 2, "tab");
    check("---\ntitle: A\ntitle: B\n---\n", 3, "title");
    check("---\ntitle: A\ntags: 5: 6\n---\n", 3, "");
    check("---\ndraft: maybe\n---\n", 2, "boolean");
    check("---\ntype: docs\ncontentType: blog\n---\n", 3, "contentType is given twice");
    check("---\na: 1\nparams: {a: 2}\n---\n", 2, "a is given twice");
    check("+++\ntitle = 'A'\nslug = \n+++\n", 3, "");
    check("+++\ntitle = 'A'\ndraft = 5\n+++\n", 3, "draft");
    check(&format!("---\na: {}\n---\n", "b".repeat(300_000)), 1, "more than 256 KB");
}

/// A few bytes must not become many, nor take long.
#[test]
fn front_matter_cannot_make_the_parser_large() {
    let bomb: String = (1..30)
        .map(|level| format!("a{level}: &a{level} [{}]\n", format!("*a{}, ", level - 1).repeat(9)))
        .collect();
    let deep = format!("a: {}1{}", "[".repeat(10_000), "]".repeat(10_000));
    for inside in [
        format!("a0: &a0 [x]\n{bomb}"),
        deep.clone(),
        "a: b\n".to_owned() + &"? ".repeat(20_000),
        "a: &a [*a]\n".into(),
    ] {
        assert!(read(&format!("---\n{inside}\n---\n")).is_err(), "{}", &inside[..20]);
    }
    assert!(read(&format!("+++\n{}\n+++\n", deep.replace("a:", "a ="))).is_err());
}

proptest! {
    #[test]
    fn no_text_panics(text in "(---|\\+\\+\\+)\n([a-z\"'\\[\\]{}:=,&*!|>#%@ \t\n-]{0,80})\n(---|\\+\\+\\+)\n.{0,10}") {
        let _ = read(&text);
    }
}
