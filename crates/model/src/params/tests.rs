use proptest::prelude::*;

use super::*;

#[test]
fn only_white_space_outside_strings_is_removed() {
    let check = |json: &str, expected: &str| {
        assert_eq!(Params::parse(json).map(Params::into_json), Ok(expected.into()), "{json}");
    };
    check("{}", "{}");
    check(" {\r\n\t} ", "{}");
    check(r#"{ "a" : [ 1 , true , null , { "b" : "c d" } ] }"#, r#"{"a":[1,true,null,{"b":"c d"}]}"#);
    check(r#"{"z": 1, "a": 2}"#, r#"{"z":1,"a":2}"#);
    check(r#"{"a": "\" \\", "b": "\\\" x"}"#, r#"{"a":"\" \\","b":"\\\" x"}"#);
    check(r#"{"\u00e9": "é \ud83e\udd80"}"#, r#"{"\u00e9":"é \ud83e\udd80"}"#);
    check(
        r#"{"big": 123456789012345678901234567890, "exact": 1.10E+2, "small": 1e-999, "zero": -0.0}"#,
        r#"{"big":123456789012345678901234567890,"exact":1.10E+2,"small":1e-999,"zero":-0.0}"#,
    );
    check(r#"{"a": {"k": 1}, "b": {"k": 1}, "k": ["k", "k"]}"#, r#"{"a":{"k":1},"b":{"k":1},"k":["k","k"]}"#);
    check(r#"{"": "\\u0000"}"#, r#"{"":"\\u0000"}"#);
}

#[test]
fn invalid_params_are_refused() {
    let check = |json: &str, expected: &str| {
        assert_eq!(Params::parse(json), Err(expected.into()), "{json}");
    };
    for json in ["[]", "null", "1", " \"{}\"", "true"] {
        check(json, "params must be an object");
    }
    for json in ["", "{", "{}}", "{a:1}", r#"{"a":1,}"#, r#"{"a":01}"#, "{\"a\":\"\n\"}", r#"{"a":NaN}"#] {
        check(json, "params must be valid JSON");
    }
    for json in [r#"{"a":1e999}"#, r#"{"a":[-1e999]}"#] {
        check(json, "params must not contain a number that is out of range");
    }
    for json in [r#"{"a":"\u0000"}"#, r#"{"\u0000":1}"#, r#"{"a":["x\u0000y"]}"#] {
        check(json, "params must not contain U+0000");
    }
    check(r#"{"a":"\ud800"}"#, "params must not contain an incomplete surrogate pair");
}

#[test]
fn duplicate_keys_are_refused() {
    let check = |json: &str, key: &str| {
        let message = format!("params must not contain a key twice in one object: \"{key}\"");
        assert_eq!(Params::parse(json), Err(message), "{json}");
    };
    check(r#"{"a":1,"a":1}"#, "a");
    check(r#"{"a":{"b":[{"c":1,"d":{},"c":2}]}}"#, "c");
    check(r#"{"a":1,"\u0061":2}"#, "a");
    check(r#"{"":1,"":2}"#, "");
}

#[test]
fn depth_64_is_the_deepest() {
    let arrays = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    let objects = |depth: usize| format!("{}{{}}{}", "{\"a\":".repeat(depth - 1), "}".repeat(depth - 1));
    let message = "params must be nested at most 64 levels deep".to_owned();
    assert!(Params::parse(&arrays(64)).is_ok());
    assert!(Params::parse(&objects(64)).is_ok());
    assert_eq!(Params::parse(&arrays(65)), Err(message.clone()));
    assert_eq!(Params::parse(&objects(65)), Err(message.clone()));
    assert_eq!(Params::parse(&arrays(40_000)), Err(message));
    let siblings = format!("{{\"a\":[{}[]]}}", "[],".repeat(1000));
    assert!(Params::parse(&siblings).is_ok());
}

#[test]
fn the_length_is_that_of_the_compact_json_in_characters() {
    let of = |fill: &str, count: usize| format!("{{\"a\": \"{}\"}}", fill.repeat(count));
    assert!(Params::parse(&of("é", 100_000 - 8)).is_ok());
    assert_eq!(
        Params::parse(&of("a", 100_000 - 7)),
        Err("params as compact JSON must be at most 100000 characters, got 100001".into())
    );
    assert!(Params::parse(&format!("{{{}}}", " ".repeat(200_000))).is_ok());
}

/// Objects of any shape, with white space everywhere; keys may repeat.
fn objects() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        any::<f64>().prop_filter("JSON has no others", |n| n.is_finite()).prop_map(|n| format!("{n:e}")),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    let value = leaf.prop_recursive(4, 32, 4, |value| {
        let entry = (any::<String>(), value.clone());
        prop_oneof![
            proptest::collection::vec(value, 0..4).prop_map(|items| format!("[ {} ]", items.join(" ,\n"))),
            proptest::collection::vec(entry, 0..4).prop_map(object),
        ]
    });
    proptest::collection::vec((any::<String>(), value), 0..4).prop_map(object)
}

fn object(entries: Vec<(String, String)>) -> String {
    let entries: Vec<String> = entries
        .into_iter()
        .map(|(key, value)| format!("{} :\t{value}", serde_json::to_string(&key).unwrap()))
        .collect();
    format!("{{ {} }}", entries.join(" ,\r\n"))
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in any::<String>(), tokens in r#"[{}\[\]":,\\ 0-9eu\-]{0,40}"#) {
        let _ = Params::parse(&text);
        let _ = Params::parse(&tokens);
        let _ = Params::parse(&format!("{{{tokens}}}"));
    }

    #[test]
    fn compact_params_mean_the_same_and_are_stable(json in objects()) {
        let params = Params::parse(&json);
        // A key may occur twice; proptest fails if it rejects too many.
        prop_assume!(params.is_ok());
        let params = params.unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(serde_json::from_str::<serde_json::Value>(params.as_json()).unwrap(), value);
        prop_assert_eq!(Params::parse(params.as_json()), Ok(params));
    }
}

#[test]
fn equal_values_have_equal_hashes() {
    let hash = |json: &str| Params::parse(json).unwrap().hash();
    let same = |a: &str, b: &str| assert_eq!(hash(a), hash(b), "{a} {b}");
    same(r#"{"a": 1, "b": [true, null]}"#, r#"{"b":[true,null],"a":1}"#);
    same(r#"{"a": {"c": 1, "b": "x"}}"#, r#"{"a": {"b": "x", "c": 1}}"#);
    same(r#"{"a": "é\/\n"}"#, r#"{"a": "\u00e9/\n"}"#);
    same(r#"{"é": 1}"#, r#"{"\u00e9": 1}"#);
    same(r#"{"a": 100}"#, r#"{"a": 1e2}"#);
    same(r#"{"a": 1.50}"#, r#"{"a": 1.5}"#);
    same(r#"{"a": []}"#, r#"{ "a" : [ ] }"#);
}

#[test]
fn other_values_have_other_hashes() {
    let values = [
        r#"{}"#,
        r#"{"a": 1}"#,
        r#"{"a": "1"}"#,
        r#"{"a": [1]}"#,
        r#"{"a": [[1]]}"#,
        r#"{"a": [1, 2]}"#,
        r#"{"a": [2, 1]}"#,
        r#"{"a": 12}"#,
        r#"{"a": true}"#,
        r#"{"a": "true"}"#,
        r#"{"a": null}"#,
        r#"{"a": "x,b:"}"#,
        r#"{"a": "x", "b": ""}"#,
        r#"{"a": {"b": 1}}"#,
        r#"{"a": {}, "b": 1}"#,
        r#"{"a": 12345678901234567890123}"#,
        r#"{"a": 12345678901234567890124}"#,
    ];
    for (at, a) in values.iter().enumerate() {
        for b in &values[at + 1..] {
            assert_ne!(Params::parse(a).unwrap().hash(), Params::parse(b).unwrap().hash(), "{a} {b}");
        }
    }
}
