//! Each rule that decides which page an entry means, which key it will have and whether that is allowed. Pages are
//! written as their keys.

use model::{PageId, Timestamp};
use publisher::{Entry, Error, Target, check_entry, decide};
use serde_json::{Value, json};
use store::pages::Page;

use crate::key;

pub(crate) fn page(number: u128, text: &str) -> Page {
    Page {
        id: PageId(uuid(number)),
        key: key(text),
        title: "A title".into(),
        description: None,
        draft: false,
        tags: "[]".into(),
        api_endpoint: None,
        content: None,
        params: None,
        content_hash: None,
        params_hash: None,
        section_spelling: None,
        published_at: Timestamp::from_micros(0),
        created_at: Timestamp::from_micros(0),
        updated_at: Timestamp::from_micros(0),
    }
}

pub(crate) fn uuid(number: u128) -> uuid::Uuid {
    uuid::Uuid::from_u128(number)
}

/// Page number 0 has the first key, and so on; an id in an entry is a number.
struct Case {
    live: &'static [&'static str],
    deletes: &'static [&'static str],
}

fn live(live: &'static [&'static str]) -> Case {
    Case { live, deletes: &[] }
}

impl Case {
    fn deleting(self, deletes: &'static [&'static str]) -> Case {
        Case { deletes, ..self }
    }

    /// Targets: `new <key>`, or `<number> <key>`, with the old key before it where it changes.
    fn decide(&self, entries: Value) -> Result<Vec<String>, Error> {
        let found: Vec<Page> =
            self.live.iter().enumerate().map(|(number, key)| page(number as u128, key)).collect();
        let deletes: Vec<_> = self.deletes.iter().map(|text| key(text)).collect();
        let entries: Vec<Entry> = entries.as_array().unwrap().iter().map(entry).collect();
        let targets = decide(&entries, &deletes, &found)?;
        let show = |target: &Target| match target {
            Target::Create { key } => format!("new {}", text(key)),
            Target::Update { id, old_key, key } if old_key == key => {
                format!("{} {}", id.0.as_u128(), text(key))
            }
            Target::Update { id, old_key, key } => {
                format!("{} {} -> {}", id.0.as_u128(), text(old_key), text(key))
            }
        };
        Ok(targets.iter().map(show).collect())
    }

    #[track_caller]
    fn means(self, entries: Value, expected: &[&str]) {
        assert_eq!(self.decide(entries).unwrap(), expected);
    }

    #[track_caller]
    fn invalid(self, entries: Value, expected: Value) {
        assert_eq!(crate::field_errors(self.decide(entries).unwrap_err()), expected);
    }

    #[track_caller]
    fn duplicates(self, entries: Value, expected: &[[usize; 2]]) {
        match self.decide(entries) {
            Err(Error::DuplicateSlugs(pairs)) => assert_eq!(pairs, expected),
            other => panic!("{other:?}"),
        }
    }

    #[track_caller]
    fn conflicts(self, entries: Value, expected: &[usize]) {
        match self.decide(entries) {
            Err(Error::SlugConflict(indexes)) => assert_eq!(indexes, expected),
            other => panic!("{other:?}"),
        }
    }
}

fn entry(value: &Value) -> Entry {
    let mut value = value.clone();
    if let Some(number) = value["id"].as_u64() {
        value["id"] = json!(uuid(number.into()).to_string());
    }
    check_entry(&value.to_string(), |_, _| 0).unwrap()
}

fn text(key: &model::PageKey) -> String {
    format!("{}/{}/{}", key.content_type.as_str(), key.section.as_str(), key.slug.as_str())
}

const REQUIRED: &str = "title is required for new pages";
const TAKEN: &str = "slug is already in use in this content type and section";
const AMBIGUOUS: &str =
    "several pages have this slug; give contentType and section, or id, to say which one is meant";

#[test]
fn a_slug_that_no_page_has_creates_one_with_the_defaults() {
    live(&[]).means(json!([{"slug": "a", "title": "A"}]), &["new blog//a"]);
    live(&[]).means(json!([{"slug": "a", "title": "A", "contentType": "docs"}]), &["new docs//a"]);
    live(&[]).means(json!([{"slug": "a", "title": "A", "section": "s"}]), &["new blog/s/a"]);
}

#[test]
fn a_slug_that_one_page_has_means_it_wherever_it_is() {
    live(&["docs/s/a"]).means(json!([{"slug": "a"}]), &["0 docs/s/a"]);
    live(&["docs/s/a"]).means(json!([{"slug": "a", "contentType": "docs"}]), &["0 docs/s/a"]);
    live(&["docs/s/a"]).means(json!([{"slug": "a", "section": "s"}]), &["0 docs/s/a"]);
}

#[test]
fn given_fields_exclude_candidates() {
    live(&["docs/s/a"]).means(json!([{"slug": "a", "title": "A", "contentType": "blog"}]), &["new blog//a"]);
    live(&["docs/s/a"]).means(json!([{"slug": "a", "title": "A", "section": ""}]), &["new blog//a"]);
    live(&["docs/s/a"]).means(json!([{"slug": "a", "title": "A", "section": "t"}]), &["new blog/t/a"]);
    let given = json!([{"slug": "a", "title": "A", "contentType": "docs", "section": ""}]);
    live(&["docs/s/a"]).means(given, &["new docs//a"]);
}

#[test]
fn of_several_the_one_with_the_defaults_is_meant() {
    live(&["docs//a", "blog/s/a", "blog//a"]).means(json!([{"slug": "a"}]), &["2 blog//a"]);
    live(&["docs//a", "docs/s/a"]).means(json!([{"slug": "a", "contentType": "docs"}]), &["0 docs//a"]);
    live(&["docs/s/a", "blog/s/a"]).means(json!([{"slug": "a", "section": "s"}]), &["1 blog/s/a"]);
}

#[test]
fn several_without_the_defaults_are_ambiguous() {
    let expected = || json!({"0": {"slug": AMBIGUOUS}});
    live(&["docs//a", "standalone//a"]).invalid(json!([{"slug": "a"}]), expected());
    live(&["docs/s/a", "docs/t/a"]).invalid(json!([{"slug": "a", "contentType": "docs"}]), expected());
    live(&["docs/s/a", "standalone/s/a"]).invalid(json!([{"slug": "a", "section": "s"}]), expected());
    live(&["docs/s/a", "docs/t/a"])
        .means(json!([{"slug": "a", "contentType": "docs", "section": "t"}]), &["1 docs/t/a"]);
}

#[test]
fn a_generated_slug_takes_the_defaults_at_once() {
    live(&["docs//a"]).means(json!([{"title": "A"}]), &["new blog//a"]);
    live(&["docs//a", "blog//a"]).means(json!([{"title": "A"}]), &["1 blog//a"]);
    live(&["docs//a"]).means(json!([{"title": "A", "contentType": "docs"}]), &["0 docs//a"]);
    live(&["docs/s/a"]).means(json!([{"title": "A", "contentType": "docs"}]), &["new docs//a"]);
    live(&["docs/s/a", "docs/t/a"]).means(json!([{"title": "A"}]), &["new blog//a"]);
}

#[test]
fn an_empty_slug_is_an_omitted_one() {
    live(&["blog//a"]).means(json!([{"slug": "", "title": "A"}]), &["0 blog//a"]);
    live(&["blog//a"]).means(json!([{"id": 0, "slug": ""}]), &["0 blog//a"]);
}

#[test]
fn by_id_every_part_of_the_key_may_change() {
    live(&["blog//a"]).means(json!([{"id": 0}]), &["0 blog//a"]);
    live(&["blog//a"]).means(json!([{"id": 0, "slug": "b"}]), &["0 blog//a -> blog//b"]);
    live(&["blog/s/a"]).means(json!([{"id": 0, "contentType": "docs"}]), &["0 blog/s/a -> docs/s/a"]);
    live(&["blog/s/a"]).means(json!([{"id": 0, "section": ""}]), &["0 blog/s/a -> blog//a"]);
}

#[test]
fn an_unknown_id_is_an_error_under_id() {
    let expected = json!({"1": {"id": "page not found for the provided id"}});
    live(&["blog//a"]).invalid(json!([{"id": 0}, {"id": 7, "slug": "a"}]), expected);
}

#[test]
fn a_new_page_needs_a_title() {
    live(&[]).invalid(json!([{"slug": "a"}]), json!({"0": {"title": REQUIRED}}));
    live(&[]).invalid(json!([{"slug": "a", "title": " "}]), json!({"0": {"title": REQUIRED}}));
    live(&[]).invalid(json!([{}]), json!({"0": {"title": REQUIRED}}));
    live(&[]).invalid(json!([{"title": "\t"}]), json!({"0": {"title": REQUIRED}}));
    live(&["docs//a"])
        .invalid(json!([{"slug": "a", "contentType": "blog"}]), json!({"0": {"title": REQUIRED}}));
}

#[test]
fn a_title_that_makes_no_slug_is_an_error_under_title() {
    let message = "title has no letters or digits to make a slug from; give a slug";
    live(&[]).invalid(json!([{"title": "!!!"}]), json!({"0": {"title": message}}));
}

#[test]
fn an_update_must_not_blank_the_title() {
    let expected = || json!({"0": {"title": "title must not be blank"}});
    live(&["blog//a"]).invalid(json!([{"slug": "a", "title": " "}]), expected());
    live(&["blog//a"]).invalid(json!([{"id": 0, "title": ""}]), expected());
}

#[test]
fn a_key_that_a_page_outside_the_batch_holds_is_taken() {
    live(&["blog//a", "blog//b"]).invalid(json!([{"id": 0, "slug": "b"}]), json!({"0": {"slug": TAKEN}}));
    live(&["blog//a", "docs//a"])
        .invalid(json!([{"id": 0, "contentType": "docs"}]), json!({"0": {"slug": TAKEN}}));
    live(&["blog//a", "docs//b"]).means(json!([{"id": 0, "slug": "b"}]), &["0 blog//a -> blog//b"]);
}

#[test]
fn pages_of_one_batch_may_swap_and_rotate() {
    live(&["blog//a", "blog//b"]).means(
        json!([{"id": 0, "slug": "b"}, {"id": 1, "slug": "a"}]),
        &["0 blog//a -> blog//b", "1 blog//b -> blog//a"],
    );
    live(&["blog//a", "blog//b", "blog//c"]).means(
        json!([{"id": 0, "slug": "b"}, {"id": 1, "slug": "c"}, {"id": 2, "slug": "a"}]),
        &["0 blog//a -> blog//b", "1 blog//b -> blog//c", "2 blog//c -> blog//a"],
    );
    live(&["blog//a", "blog//b"]).means(
        json!([{"id": 0, "slug": "b"}, {"id": 1, "contentType": "docs"}]),
        &["0 blog//a -> blog//b", "1 blog//b -> docs//b"],
    );
}

#[test]
fn two_entries_that_end_on_one_key_are_duplicates() {
    let same = json!([{"slug": "a", "title": "A"}, {"slug": "a", "title": "B"}]);
    live(&[]).duplicates(same, &[[0, 1]]);
    live(&[]).duplicates(json!([{"slug": "a", "title": "A"}, {"title": "A"}]), &[[0, 1]]);
    live(&["blog//a", "blog//b"]).duplicates(json!([{"id": 0, "slug": "b"}, {"slug": "b"}]), &[[0, 1]]);
    live(&["blog//a"]).duplicates(json!([{"slug": "b", "title": "B"}, {"id": 0, "slug": "b"}]), &[[0, 1]]);
}

#[test]
fn two_entries_that_mean_one_page_are_duplicates() {
    live(&["docs//a"]).duplicates(json!([{"slug": "a"}, {"slug": "a", "contentType": "docs"}]), &[[0, 1]]);
    live(&["blog//a"]).duplicates(json!([{"id": 0, "slug": "b"}, {"slug": "a"}]), &[[0, 1]]);
    live(&["blog//a"]).duplicates(json!([{"id": 0}, {"slug": "b", "title": "B"}, {"id": 0}]), &[[0, 2]]);
}

#[test]
fn each_later_duplicate_is_paired_with_the_first() {
    let entries =
        json!([{"title": "A"}, {"title": "B"}, {"title": "a"}, {"title": "b!"}, {"slug": "a", "title": "x"}]);
    live(&[]).duplicates(entries, &[[0, 2], [1, 3], [0, 4]]);
}

#[test]
fn one_slug_in_several_types_and_sections_is_no_duplicate() {
    let entries = json!([
        {"slug": "a", "title": "A"},
        {"slug": "a", "title": "A", "contentType": "docs"},
        {"slug": "a", "title": "A", "section": "s"},
    ]);
    live(&[]).means(entries, &["new blog//a", "new docs//a", "new blog/s/a"]);
}

#[test]
fn an_entry_whose_page_is_deleted_too_is_a_conflict() {
    live(&["blog//a"]).deleting(&["blog//a"]).conflicts(json!([{"slug": "a"}]), &[0]);
    live(&["docs/s/a"]).deleting(&["docs/s/a"]).conflicts(json!([{"slug": "a"}]), &[0]);
    let moved = json!([{"slug": "x", "title": "X"}, {"id": 0, "slug": "b"}]);
    live(&["blog//a"]).deleting(&["blog//a"]).conflicts(moved, &[1]);
}

#[test]
fn an_entry_that_ends_on_a_deleted_key_is_a_conflict_and_no_taken_key() {
    live(&["blog//a", "blog//b"]).deleting(&["blog//b"]).conflicts(json!([{"id": 0, "slug": "b"}]), &[0]);
    live(&[]).deleting(&["blog//a"]).conflicts(json!([{"title": "A"}]), &[0]);
    live(&["docs//a"]).deleting(&["docs//a"]).means(json!([{"title": "A"}]), &["new blog//a"]);
}

#[test]
fn errors_come_before_duplicates_and_duplicates_before_conflicts() {
    let all = json!([{"title": "A"}, {"title": "A"}, {"slug": "b"}]);
    live(&[]).deleting(&["blog//a"]).invalid(all, json!({"2": {"title": REQUIRED}}));
    live(&[]).deleting(&["blog//a"]).duplicates(json!([{"title": "A"}, {"title": "A"}]), &[[0, 1]]);
}

#[test]
fn a_bad_entry_is_not_looked_up_and_the_others_are() {
    let entries = json!([
        {"slug": "Bad"},
        {"id": 9, "contentType": "post"},
        {"id": 9},
        {"slug": "new"},
        {"slug": "a", "draft": "yes"},
    ]);
    let found = live(&["blog//a"]).decide(entries).unwrap_err();
    let found = crate::field_errors(found);
    let fields: Vec<_> = found
        .as_object()
        .unwrap()
        .iter()
        .map(|(index, fields)| {
            (index.as_str(), fields.as_object().unwrap().keys().map(String::as_str).collect())
        })
        .collect();
    let expected: [(&str, Vec<&str>); 5] = [
        ("0", vec!["slug"]),
        ("1", vec!["contentType"]),
        ("2", vec!["id"]),
        ("3", vec!["title"]),
        ("4", vec!["draft"]),
    ];
    assert_eq!(fields, expected);
}

#[test]
fn errors_of_the_entry_itself_are_reported_for_a_bad_entry_too() {
    let message = "invalid contentType; must be one of: blog, docs, homepage, standalone";
    let post = |title: &str| json!({"0": {"contentType": message, "title": title}});
    live(&[]).invalid(json!([{"contentType": "post"}]), post(REQUIRED));
    live(&[])
        .invalid(json!([{"id": 0, "contentType": "post", "title": ""}]), post("title must not be blank"));
}

#[test]
fn a_page_of_a_bad_entry_is_still_in_the_batch() {
    let entries = json!([{"id": 0, "slug": "b"}, {"id": 1, "section": "a b"}]);
    let expected =
        json!({"1": {"section": "section may contain only lowercase letters, digits and hyphens"}});
    live(&["blog//a", "blog//b"]).invalid(entries, expected);
}

#[test]
fn a_standalone_page_cannot_take_what_the_site_needs() {
    let slug = json!([{"slug": "docs", "title": "Docs", "contentType": "standalone"}]);
    let message = "slug \"docs\" is reserved and cannot be used by a standalone page";
    live(&[]).invalid(slug, json!({"0": {"slug": message}}));
    let section = json!([{"id": 0, "contentType": "standalone", "section": "api"}]);
    let message = "section \"api\" is reserved and cannot be used by a standalone page";
    live(&["blog//a"]).invalid(section, json!({"0": {"section": message}}));
    live(&[]).means(json!([{"slug": "docs", "title": "Docs"}]), &["new blog//docs"]);
}
