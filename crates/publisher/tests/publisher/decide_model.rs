//! A second, simple and slow implementation of the same rules, compared with the real one on many random requests with
//! few slugs, so that everything collides.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::select;
use publisher::{Error, Target, check_entry, decide};
use serde_json::{Map, Value, json};

use crate::decide::{page, uuid};
use crate::key;

type Key = (String, String, String);

/// An entry as a client writes it.
#[derive(Debug, Clone)]
struct Sent {
    id: Option<&'static str>,
    slug: Option<&'static str>,
    title: Option<&'static str>,
    content_type: Option<&'static str>,
    section: Option<&'static str>,
    draft: Option<&'static str>,
}

/// Ids of the store's pages are `0`, `1`, …; this one is well formed but unknown.
const UNKNOWN_ID: &str = "unknown";

#[derive(Debug, Clone)]
struct Request {
    live: Vec<Key>,
    entries: Vec<Sent>,
    deletes: Vec<Key>,
}

#[derive(Debug, PartialEq)]
enum Answer {
    /// For each entry the number of the page, if it is one that exists, and the resulting key.
    Fine(Vec<(Option<usize>, Key)>),
    Invalid(BTreeMap<usize, BTreeSet<String>>),
    Duplicates(Vec<(usize, usize)>),
    Conflicts(Vec<usize>),
}

/// The result of the rules.
fn expected(request: &Request) -> Answer {
    let mut errors: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let mut complain = |index: usize, field: &str| {
        errors.entry(index).or_default().insert(field.to_owned());
    };
    let mut resolved: Vec<Option<(Option<usize>, Key)>> = Vec::new();
    for (index, sent) in request.entries.iter().enumerate() {
        for field in bad_fields(sent) {
            complain(index, field);
        }
        let found = resolve(sent, &request.live);
        if let Err(field) = found {
            complain(index, field);
        }
        resolved.push(found.unwrap_or(None));
    }
    for (index, sent) in request.entries.iter().enumerate() {
        let Some((number, key)) = &resolved[index] else { continue };
        let title_is_there = sent.title.is_some_and(|title| !title.trim().is_empty());
        let title_is_fine = title_is_there || (number.is_some() && sent.title.is_none());
        if !title_is_fine {
            complain(index, "title");
        }
        if key.0 == "standalone" && key.1.is_empty() && key.2 == "api" {
            complain(index, "slug");
        }
        if key.0 == "standalone" && key.1 == "docs" {
            complain(index, "section");
        }
        let holder = request.live.iter().position(|held| held == key);
        let is_taken = holder.is_some_and(|holder| {
            let by_resolution = resolved.iter().flatten().any(|(number, _)| *number == Some(holder));
            let by_id = request.entries.iter().any(|sent| sent.id == Some(NUMBERS[holder]));
            !by_resolution && !by_id && !request.deletes.contains(key)
        });
        if is_taken {
            complain(index, "slug");
        }
    }
    if !errors.is_empty() {
        return Answer::Invalid(errors);
    }
    let resolved: Vec<(Option<usize>, Key)> = resolved.into_iter().flatten().collect();
    let mut duplicates = Vec::new();
    for later in 0..resolved.len() {
        let same = |first: &usize| {
            let (a, b) = (&resolved[*first], &resolved[later]);
            a.1 == b.1 || (a.0.is_some() && a.0 == b.0)
        };
        if let Some(first) = (0..later).find(same) {
            duplicates.push((first, later));
        }
    }
    if !duplicates.is_empty() {
        return Answer::Duplicates(duplicates);
    }
    let is_deleted = |(number, key): &(Option<usize>, Key)| {
        let page_is = number.is_some_and(|number| request.deletes.contains(&request.live[number]));
        page_is || request.deletes.contains(key)
    };
    let conflicts: Vec<usize> = (0..resolved.len()).filter(|index| is_deleted(&resolved[*index])).collect();
    if !conflicts.is_empty() {
        return Answer::Conflicts(conflicts);
    }
    Answer::Fine(resolved)
}

/// Fields that are invalid regardless of the stored pages.
fn bad_fields(sent: &Sent) -> Vec<&'static str> {
    let mut bad = Vec::new();
    if sent.id == Some(BAD) {
        bad.push("id");
    }
    if sent.slug == Some(BAD) {
        bad.push("slug");
    }
    if sent.content_type == Some(BAD) {
        bad.push("contentType");
    }
    if sent.section == Some(BAD) {
        bad.push("section");
    }
    if sent.draft == Some(BAD) {
        bad.push("draft");
    }
    let is_auto = sent.id.is_none() && given_slug(sent).is_none();
    if is_auto && sent.title.is_none_or(|title| slug_of(title).is_none()) {
        bad.push("title");
    }
    if sent.id.is_some_and(|id| id != BAD) && sent.title.is_some_and(|title| title.trim().is_empty()) {
        bad.push("title");
    }
    bad
}

fn given_slug(sent: &Sent) -> Option<&'static str> {
    sent.slug.filter(|slug| !slug.is_empty())
}

/// Of the titles below.
fn slug_of(title: &str) -> Option<&'static str> {
    match title {
        "A" => Some("a"),
        "b?" => Some("b"),
        "" | " " | "?!" => None,
        other => panic!("{other}"),
    }
}

/// Which page, and its resulting key. `Err` is the field with the error; `Ok(None)` is not looked up.
fn resolve(sent: &Sent, live: &[Key]) -> Result<Option<(Option<usize>, Key)>, &'static str> {
    if [sent.id, sent.slug, sent.content_type, sent.section].contains(&Some(BAD)) {
        return Ok(None);
    }
    let or_default = |slug: &str| -> Key {
        let content_type = sent.content_type.unwrap_or("blog");
        (content_type.into(), sent.section.unwrap_or("").into(), slug.into())
    };
    if let Some(id) = sent.id {
        let number = NUMBERS[..live.len()].iter().position(|number| *number == id).ok_or("id")?;
        let mut key = live[number].clone();
        if let Some(content_type) = sent.content_type {
            key.0 = content_type.into();
        }
        if let Some(section) = sent.section {
            key.1 = section.into();
        }
        if let Some(slug) = given_slug(sent) {
            key.2 = slug.into();
        }
        return Ok(Some((Some(number), key)));
    }
    if let Some(slug) = given_slug(sent) {
        let fits = |key: &Key| {
            key.2 == slug
                && sent.content_type.is_none_or(|given| key.0 == given)
                && sent.section.is_none_or(|given| key.1 == given)
        };
        let candidates: Vec<usize> = (0..live.len()).filter(|number| fits(&live[*number])).collect();
        if candidates.is_empty() {
            return Ok(Some((None, or_default(slug))));
        }
        if candidates.len() == 1 {
            return Ok(Some((Some(candidates[0]), live[candidates[0]].clone())));
        }
        let default =
            candidates.into_iter().find(|number| live[*number] == or_default(slug)).ok_or("slug")?;
        return Ok(Some((Some(default), live[default].clone())));
    }
    let Some(slug) = sent.title.and_then(slug_of) else { return Ok(None) };
    let key = or_default(slug);
    Ok(Some((live.iter().position(|held| *held == key), key)))
}

/// The result of the code.
fn found(request: &Request) -> Answer {
    let text = |key: &Key| format!("{}/{}/{}", key.0, key.1, key.2);
    let pages: Vec<_> =
        request.live.iter().enumerate().map(|(number, held)| page(number as u128, &text(held))).collect();
    let deletes: Vec<_> = request.deletes.iter().map(|deleted| key(&text(deleted))).collect();
    let entries: Vec<_> = request
        .entries
        .iter()
        .map(|sent| check_entry(&json_of(sent).to_string(), |_, _| 0).unwrap())
        .collect();
    let shown = |key: &model::PageKey| -> Key {
        (key.content_type.as_str().into(), key.section.as_str().into(), key.slug.as_str().into())
    };
    match decide(&entries, &deletes, &pages) {
        Ok(targets) => Answer::Fine(
            targets
                .iter()
                .map(|target| match target {
                    Target::Create { key } => (None, shown(key)),
                    Target::Update { id, old_key, key } => {
                        let number = id.0.as_u128() as usize;
                        assert_eq!(shown(old_key), request.live[number]);
                        (Some(number), shown(key))
                    }
                })
                .collect(),
        ),
        Err(Error::Invalid(errors)) => Answer::Invalid(
            errors
                .into_iter()
                .map(|(index, fields)| (index, fields.into_keys().map(str::to_owned).collect()))
                .collect(),
        ),
        Err(Error::DuplicateSlugs(pairs)) => {
            Answer::Duplicates(pairs.into_iter().map(|[first, later]| (first, later)).collect())
        }
        Err(Error::SlugConflict(indexes)) => Answer::Conflicts(indexes),
        Err(other) => panic!("{other:?}"),
    }
}

fn json_of(sent: &Sent) -> Value {
    let mut fields = Map::new();
    let id = sent.id.map(|id| match NUMBERS.iter().position(|number| *number == id) {
        Some(number) => uuid(number as u128).to_string(),
        None if id == UNKNOWN_ID => uuid(1000).to_string(),
        None => id.to_owned(),
    });
    fields.insert("id".into(), json!(id));
    fields.insert("slug".into(), json!(sent.slug));
    fields.insert("title".into(), json!(sent.title));
    fields.insert("contentType".into(), json!(sent.content_type));
    fields.insert("section".into(), json!(sent.section));
    fields.insert("draft".into(), json!(sent.draft));
    Value::Object(fields)
}

const BAD: &str = "Bad!";
const NUMBERS: [&str; 6] = ["0", "1", "2", "3", "4", "5"];
const TYPES: [&str; 3] = ["blog", "docs", "standalone"];

/// Omitted more often than not, and bad now and then.
fn field(values: &'static [&'static str], bad: u32) -> impl Strategy<Value = Option<&'static str>> {
    prop_oneof![
        20 => Just(None),
        20 => select(values).prop_map(Some),
        bad => Just(Some(BAD)),
    ]
}

fn sent(bad: u32) -> impl Strategy<Value = Sent> {
    let title = prop_oneof![
        20 => select(&["A", "b?"][..]).prop_map(Some),
        3 + bad => Just(None),
        bad => select(&["", " ", "?!"][..]).prop_map(Some),
    ];
    let id = prop_oneof![
        30 => Just(None),
        10 => select(&NUMBERS[..]).prop_map(Some),
        bad => select(&[UNKNOWN_ID, BAD][..]).prop_map(Some),
    ];
    let draft = prop_oneof![20 => Just(None), bad => Just(Some(BAD))];
    let slug = prop_oneof![
        20 => Just(None),
        30 => select(&["", "a", "b", "c"][..]).prop_map(Some),
        bad => select(&["api", BAD][..]).prop_map(Some),
    ];
    let section = prop_oneof![
        20 => Just(None),
        20 => select(&["", "s"][..]).prop_map(Some),
        bad => select(&["docs", BAD][..]).prop_map(Some),
    ];
    (id, slug, title, field(&TYPES, bad), section, draft).prop_map(
        |(id, slug, title, content_type, section, draft)| Sent {
            id,
            slug,
            title,
            content_type,
            section,
            draft,
        },
    )
}

fn keys(count: std::ops::Range<usize>) -> impl Strategy<Value = BTreeSet<Key>> {
    let key = (select(&TYPES[..]), select(&["", "s"][..]), select(&["a", "b", "c"][..]));
    let key =
        key.prop_map(|(content_type, section, slug)| (content_type.into(), section.into(), slug.into()));
    proptest::collection::btree_set(key, count)
}

fn request(bad: u32) -> impl Strategy<Value = Request> {
    let live = keys(2..NUMBERS.len() + 1).prop_map(Vec::from_iter).prop_shuffle();
    let deletes = prop_oneof![2 => Just(BTreeSet::new()), 1 => keys(0..4)];
    (live, proptest::collection::vec(sent(bad), 1..5), deletes).prop_map(|(live, entries, deletes)| Request {
        live,
        entries,
        deletes: Vec::from_iter(deletes),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn requests_in_good_form_are_decided_as_the_rules_say(request in request(0)) {
        prop_assert_eq!(found(&request), expected(&request));
    }

    #[test]
    fn requests_with_errors_are_decided_as_the_rules_say(request in request(2)) {
        prop_assert_eq!(found(&request), expected(&request));
    }
}

/// The comparison is only useful while every kind of answer occurs.
#[test]
fn every_kind_of_answer_occurs() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut seen = [0; 4];
    for _ in 0..2000 {
        let request = request(0).new_tree(&mut runner).unwrap().current();
        let kind = match expected(&request) {
            Answer::Fine(targets) if targets.len() < 2 => continue,
            Answer::Fine(_) => 0,
            Answer::Invalid(_) => 1,
            Answer::Duplicates(_) => 2,
            Answer::Conflicts(_) => 3,
        };
        seen[kind] += 1;
    }
    assert!(seen.iter().all(|count| *count >= 40), "{seen:?}");
}
