//! The splitter, compared with serde_json.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::prelude::*;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use testing::damage::{damage, damaged};

use super::*;

/// An event that owns its text.
#[derive(Debug, Clone, PartialEq)]
enum Seen<V> {
    Member(String, V),
    Start(Streamed),
    Element(Streamed, usize, V),
    End(Streamed, usize),
}

impl<V> Seen<V> {
    fn map<W>(self, change: impl Fn(V) -> W) -> Seen<W> {
        match self {
            Seen::Member(key, value) => Seen::Member(key, change(value)),
            Seen::Start(array) => Seen::Start(array),
            Seen::Element(array, index, value) => Seen::Element(array, index, change(value)),
            Seen::End(array, len) => Seen::End(array, len),
        }
    }
}

fn split_with(max: usize, chunks: &[&[u8]]) -> Result<Vec<Seen<String>>, JsonError> {
    let mut stream = JsonStream::new(max);
    let mut seen = Vec::new();
    for chunk in chunks {
        stream.push(Bytes::copy_from_slice(chunk));
        while let Some(event) = stream.next()? {
            seen.push(match event {
                Event::Member { key, value } => Seen::Member(key.into(), value.into()),
                Event::ArrayStart { array } => Seen::Start(array),
                Event::Element { array, index, value } => Seen::Element(array, index, value.into()),
                Event::ArrayEnd { array, len } => Seen::End(array, len),
            });
        }
    }
    stream.finish()?;
    Ok(seen)
}

fn split(chunks: &[&[u8]]) -> Result<Vec<Seen<String>>, JsonError> {
    split_with(1 << 20, chunks)
}

/// Both at once and byte by byte.
fn check_error(body: &[u8], expected: &str) {
    let single: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(split(&[body]).expect_err("refused").to_string(), expected);
    assert_eq!(split(&single).expect_err("refused").to_string(), expected);
}

#[test]
fn members_come_whole_and_streamed_arrays_element_by_element() {
    let body = br#" {"siteId": "a", "pages": [{"title": "]}"}, 1 ], "deleteSlugs":[] , "n":-1.5e3} "#;
    let expected = vec![
        Seen::Member("siteId".into(), r#""a""#.into()),
        Seen::Start(Streamed::Pages),
        Seen::Element(Streamed::Pages, 0, r#"{"title": "]}"}"#.into()),
        Seen::Element(Streamed::Pages, 1, "1".into()),
        Seen::End(Streamed::Pages, 2),
        Seen::Start(Streamed::DeleteSlugs),
        Seen::End(Streamed::DeleteSlugs, 0),
        Seen::Member("n".into(), "-1.5e3".into()),
    ];
    assert_eq!(split(&[body]).as_ref(), Ok(&expected));
    assert_eq!(split(&body.chunks(1).collect::<Vec<_>>()).as_ref(), Ok(&expected));
}

#[test]
fn pages_that_are_no_array_are_a_member() {
    let expected = vec![Seen::Member("pages".into(), "null".into())];
    assert_eq!(split(&[br#"{"pages":null}"#]), Ok(expected));
}

#[test]
fn an_escaped_key_is_the_key_it_spells() {
    let expected = vec![Seen::Start(Streamed::Pages), Seen::End(Streamed::Pages, 0)];
    assert_eq!(split(&[br#"{"p\u0061ges":[]}"#]), Ok(expected));
}

#[test]
fn a_chunk_pushed_early_is_not_lost() {
    let mut stream = JsonStream::new(100);
    stream.push(Bytes::from_static(b"{\"a\":"));
    stream.push(Bytes::from_static(b"1}"));
    assert_eq!(stream.next(), Ok(Some(Event::Member { key: "a", value: "1" })));
    assert_eq!(stream.finish(), Ok(()));
}

#[test]
fn a_refusal_says_what_is_wrong_and_where() {
    check_error(b"", "the body ends before its JSON does (at byte 0)");
    check_error(b" []", "the body must be one JSON object (at byte 1)");
    check_error(b"\xEF\xBB\xBF{}", "the body must not begin with a byte order mark (at byte 0)");
    check_error(b"{} x", "nothing but white space may follow the object (at byte 3)");
    check_error(b"{,}", "expected a key in double quotes or `}` (at byte 1)");
    check_error(br#"{"a":1,}"#, "expected a key in double quotes (at byte 7)");
    check_error(br#"{"a" 1}"#, "a: expected `:` (at byte 5)");
    check_error(br#"{"a":}"#, "a: expected a value (at byte 5)");
    check_error(br#"{"a":"b""c"}"#, "a: expected `,` or `}` (at byte 8)");
    check_error(br#"{"a":"b}"#, "a: the body ends before its JSON does (at byte 5)");
    check_error(br#"{"a":1,"\u0061":2}"#, "the key `a` appears twice (at byte 7)");
    check_error(b"{\"a\n\":1}", "the key is not a valid JSON string (at byte 1)");
    check_error(br#"{"pages":[1,]}"#, "pages[1]: expected a value (at byte 12)");
    check_error(br#"{"pages":[1 2]}"#, "pages[0]: expected `,` or `]` (at byte 12)");
    check_error(b"{\"deleteSlugs\":[1,\"\xFF\"]}", "deleteSlugs[1]: this is not valid UTF-8 (at byte 19)");
}

#[test]
fn a_value_has_a_largest_size_and_white_space_has_none() {
    let fault = |chunks: &[&[u8]]| split_with(4, chunks).map(|_| ()).map_err(|error| error.fault);
    assert_eq!(fault(&[b"{\"a\": \"bc\"", &[b' '; 5000], b"}"]), Ok(()));
    assert_eq!(fault(&[b"{\"a\": \"bcd\"}"]), Err(Fault::TooLarge { most: 4 }));
    assert_eq!(fault(&[b"{\"a\": \"b", b"cde"]), Err(Fault::TooLarge { most: 4 }));
    assert_eq!(fault(&[b"{\"", &[b'k'; 1024]]), Err(Fault::TooLarge { most: 1024 }));
}

#[test]
fn keys_are_counted() {
    let body = |count| {
        let members: Vec<_> = (0..count).map(|n| format!("\"{n}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    assert!(split(&[body(1000).as_bytes()]).is_ok());
    let error = split(&[body(1001).as_bytes()]).expect_err("too many");
    assert_eq!(error.fault, Fault::TooManyKeys);
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![r#"[\\"\[\]{}:, a\n]{0,8}"#, any::<String>()]
}

fn member() -> impl Strategy<Value = (String, Value)> {
    let elements = || vec(value(), 0..6).prop_map(Value::from);
    prop_oneof![
        (Just("pages".to_owned()), elements()),
        (Just("deleteSlugs".to_owned()), elements()),
        (Just("pages".to_owned()), value()),
        (text(), value()),
    ]
}

fn members() -> impl Strategy<Value = Vec<(String, Value)>> {
    vec(member(), 0..6).prop_map(|mut members| {
        let mut keys = HashSet::new();
        members.retain(|(key, _)| keys.insert(key.clone()));
        members
    })
}

/// Different spellings of the same object.
#[derive(Debug, Clone)]
struct Hand {
    pretty: bool,
    escape_keys: bool,
    space: String,
}

fn hand() -> impl Strategy<Value = Hand> {
    (any::<bool>(), any::<bool>(), "[ \n\r\t]{0,3}").prop_map(|(pretty, escape_keys, space)| Hand {
        pretty,
        escape_keys,
        space,
    })
}

impl Hand {
    fn write(&self, members: &[(String, Value)]) -> String {
        let s = &self.space;
        let written: Vec<_> = members
            .iter()
            .map(|(key, value)| format!("{s}{}{s}:{s}{}{s}", self.key(key), self.value(value)))
            .collect();
        format!("{s}{{{}{s}}}{s}", written.join(","))
    }

    fn key(&self, key: &str) -> String {
        if !self.escape_keys {
            return json!(key).to_string();
        }
        let units: String = key.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        format!("\"{units}\"")
    }

    fn value(&self, value: &Value) -> String {
        if self.pretty { format!("{value:#}") } else { value.to_string() }
    }
}

fn expected(members: Vec<(String, Value)>) -> Vec<Seen<Value>> {
    let mut seen = Vec::new();
    for (key, value) in members {
        match (Streamed::from_key(&key), value) {
            (Some(array), Value::Array(elements)) => {
                let len = elements.len();
                seen.push(Seen::Start(array));
                let elements = elements.into_iter().enumerate();
                seen.extend(elements.map(|(index, value)| Seen::Element(array, index, value)));
                seen.push(Seen::End(array, len));
            }
            (_, value) => seen.push(Seen::Member(key, value)),
        }
    }
    seen
}

fn cut<'a>(mut body: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut chunks = Vec::new();
    for size in sizes.iter().cycle() {
        let (chunk, rest) = body.split_at((*size).min(body.len()));
        chunks.push(chunk);
        body = rest;
        if body.is_empty() {
            break;
        }
    }
    chunks
}

#[derive(Debug, Clone)]
enum Mutation {
    Replace(u8),
    Insert(u8),
    Delete,
    Truncate,
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let byte = || prop_oneof![4 => prop::sample::select(&b"{}[]\",:\\ 1tn"[..]), 1 => any::<u8>()];
    prop_oneof![
        4 => byte().prop_map(Mutation::Replace),
        4 => byte().prop_map(Mutation::Insert),
        4 => Just(Mutation::Delete),
        1 => Just(Mutation::Truncate),
    ]
}

fn mutate(body: &mut Vec<u8>, mutations: &[(Mutation, prop::sample::Index)]) {
    for (mutation, location) in mutations {
        if body.is_empty() {
            return;
        }
        let at = location.index(body.len());
        match mutation {
            Mutation::Replace(byte) => body[at] = *byte,
            Mutation::Insert(byte) => body.insert(at, *byte),
            Mutation::Delete => drop(body.remove(at)),
            Mutation::Truncate => body.truncate(at),
        }
    }
}

fn parses(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

fn check_soundness(body: &[u8], sizes: &[usize]) {
    let whole = split(&[body]);
    assert_eq!(split(&cut(body, sizes)), whole, "chunks make no difference");
    let Ok(seen) = whole else { return };
    let values_parse = seen.into_iter().all(|seen| match seen {
        Seen::Member(_, value) | Seen::Element(_, _, value) => parses(&value),
        Seen::Start(_) | Seen::End(..) => true,
    });
    let accepted = serde_json::from_slice::<IgnoredAny>(body);
    assert!(!values_parse || accepted.is_ok(), "serde_json: {accepted:?}");
}

proptest! {
    #[test]
    fn any_object_in_any_chunks_gives_what_serde_json_reads(
        members in members(), hand in hand(), sizes in vec(1..40usize, 1..20),
    ) {
        let body = hand.write(&members);
        let seen = split(&cut(body.as_bytes(), &sizes)).expect("accepted");
        let parse = |text: String| serde_json::from_str::<Value>(&text).expect("a value");
        let seen: Vec<_> = seen.into_iter().map(|seen| seen.map(parse)).collect();
        prop_assert_eq!(seen, expected(members));
    }

    #[test]
    fn everything_that_serde_json_refuses_is_refused(
        members in members(),
        hand in hand(),
        mutations in vec((mutation(), any::<prop::sample::Index>()), 1..4),
        sizes in vec(1..40usize, 1..20),
    ) {
        let mut body = hand.write(&members).into_bytes();
        mutate(&mut body, &mutations);
        check_soundness(&body, &sizes);
    }

    #[test]
    fn garbage_never_panics(
        body in vec(prop::sample::select(&b"{}[]\",:\\ 1tnpages\xff"[..]), 0..40),
        sizes in vec(1..10usize, 1..5),
    ) {
        check_soundness(&body, &sizes);
    }
}

/// A request as clients send it.
fn request(pages: usize, pretty: bool) -> Vec<u8> {
    let page = |number: usize| {
        json!({
            "slug": format!("p{number}"), "title": "A \"title\" \\ with {[,:]} – and 日本 🎉",
            "content": "# Heading\n\n\t`code`\u{0}\u{7f}", "tags": ["a", ""], "draft": number.is_multiple_of(2),
            "params": {"weight": -1.5e-7, "deep": [[[{"a": null}]]], "": {}},
        })
    };
    let pages: Vec<Value> = (0..pages).map(page).collect();
    let deletes = json!([{"slug": "gone", "contentType": "docs", "section": "guides"}]);
    let body =
        json!({"siteId": "a", "build": true, "pages": pages, "deleteSlugs": deletes, "unknown": [1, [2]]});
    if pretty { format!("{body:#}").into_bytes() } else { body.to_string().into_bytes() }
}

#[test]
fn a_damaged_request_is_refused_or_split_the_same_however_it_arrives() {
    let (accepted, refused) = (Cell::new(0), Cell::new(0));
    for files in [[request(3, true), request(9, false)], [request(9, false), request(3, true)]] {
        let files = [&files[0][..], &files[1][..]];
        proptest!(ProptestConfig::with_cases(1500), |(damage in damage(), sizes in vec(1..300usize, 1..20))| {
            let body = damaged(&files, &damage);
            check_soundness(&body, &sizes);
            match (split(&[&body]), serde_json::from_slice::<serde_json::Map<String, Value>>(&body)) {
                (Ok(seen), _) => {
                    let lengths = seen.iter().map(|seen| match seen {
                        Seen::Member(_, value) | Seen::Element(_, _, value) => value.len(),
                        Seen::Start(_) | Seen::End(..) => 0,
                    });
                    prop_assert!(lengths.sum::<usize>() < body.len());
                    accepted.set(accepted.get() + 1);
                }
                // serde_json keeps the last of two members.
                (Err(error), Ok(_)) => prop_assert!(matches!(error.fault, Fault::DuplicateKey(_)), "{:?}", error),
                (Err(_), Err(_)) => refused.set(refused.get() + 1),
            }
        });
    }
    let (accepted, refused) = (accepted.get(), refused.get());
    assert!(accepted > 50 && refused > 50, "{accepted} accepted, {refused} refused");
}
