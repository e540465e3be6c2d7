//! One test for each rule.

use crate::{Text, best, find, leaves, text, urls};

fn site(texts: &[&str]) -> Vec<Text> {
    texts.iter().map(|body| text("Untitled", body)).collect()
}

/// Which of the texts are found, in any order.
fn check(texts: &[&str], query: &str, expected: &[&str]) {
    let mut found = urls(&site(texts), query);
    found.sort();
    assert_eq!(found, expected, "{query}");
}

#[test]
fn all_words_must_occur() {
    let texts = ["red green blue", "red green", "blue", "greenish red"];
    check(&texts, "red green blue", &["/0"]);
    check(&texts, "green red", &["/0", "/1"]);
    check(&texts, "red yellow", &[]);
    check(&texts, "", &[]);
}

#[test]
fn only_the_last_word_may_be_a_beginning() {
    let texts = ["configuration of servers", "configure a server", "a config"];
    check(&texts, "conf", &["/0", "/1", "/2"]);
    check(&texts, "config serv", &[]);
    check(&texts, "configure serv", &["/1"]);
}

#[test]
fn case_and_accents_do_not_matter() {
    let texts = ["Café Müller", "CAFE MULLER", "cafe\u{301} mu\u{308}ller", "Straße", "STRASSE"];
    check(&texts, "café", &["/0", "/1", "/2"]);
    check(&texts, "Mu\u{308}LLER", &["/0", "/1", "/2"]);
    check(&texts, "strasse", &["/3", "/4"]);
}

#[test]
fn scripts_without_spaces_are_found_by_substring() {
    let texts = ["東京都庁に行く", "京都に行く", "東の京と都", "안녕하세요 세상", "ผมกินข้าว", "มากินกัน", "ｶﾞｲﾄﾞ"];
    check(&texts, "東京都", &["/0"]);
    check(&texts, "京都", &["/0", "/1"]);
    check(&texts, "京", &["/0", "/1", "/2"]);
    check(&texts, "都に行", &["/1"]);
    check(&texts, "녕하세", &["/3"]);
    check(&texts, "요", &["/3"]);
    check(&texts, "세상 안녕", &["/3"]);
    check(&texts, "กิน", &["/4", "/5"]);
    check(&texts, "ガイド", &["/6"]);
}

#[test]
fn pairs_must_follow_each_other() {
    check(&["甲乙。乙丙", "甲乙丙", "丙甲乙 乙丙"], "甲乙丙", &["/1"]);
    // Neither across two fields, nor across a word.
    check(&["甲\n## 乙丙", "甲a乙丙", "甲\n乙丙"], "甲乙丙", &["/2"]);
}

#[test]
fn a_typo_is_forgiven_if_nothing_matches() {
    let texts = ["publishing a site", "a publisher", "four"];
    check(&texts, "publishnig", &["/0"]);
    check(&texts, "ublisher", &["/1"]);
    check(&texts, "publisher", &["/1"]);
    check(&texts, "site publishinh", &["/0"]);
    check(&texts, "foru", &[]);
    check(&texts, "pubilsinhg", &[]);
}

#[test]
fn a_typo_is_not_forgiven_if_something_matches() {
    check(&["a house", "a mouse"], "mouse", &["/1"]);
}

#[test]
fn the_word_itself_ranks_above_others_that_begin_with_it() {
    assert_eq!(urls(&site(&["testing", "test", "tests"]), "test")[0], "/1");
}

#[test]
fn titles_rank_above_headings_above_text() {
    let pages = [
        text("Other", "deployment of servers"),
        text("Other", "of servers\n## Deployment\n"),
        text("Deployment", "of servers"),
        text("Other", "unrelated"),
    ];
    assert_eq!(urls(&pages, "deployment"), ["/2", "/1", "/0"]);
}

#[test]
fn a_short_title_ranks_above_a_long_one() {
    let pages = [text("Servers and what to do with them", "x"), text("Servers", "x")];
    assert_eq!(urls(&pages, "servers"), ["/1", "/0"]);
}

#[test]
fn a_rare_word_counts_more_than_a_common_one() {
    let mut texts = vec!["rare rare common", "rare common common"];
    texts.extend(["common"; 30]);
    assert_eq!(urls(&site(&texts), "common rare"), ["/0", "/1"]);
}

#[test]
fn equal_results_are_in_the_order_of_their_urls() {
    let found = urls(&site(&["same"; 12]), "same");
    let mut sorted = found.clone();
    sorted.sort();
    assert_eq!(found, sorted);
}

#[test]
fn the_total_does_not_depend_on_the_limit() {
    let leaves = leaves(&site(&["same"; 150]), &[64]);
    for limit in [0, 1, 20, 200] {
        let found = find(&leaves, "same", limit);
        assert_eq!((found.total, found.hits.len()), (150, limit.min(150)));
    }
}

#[test]
fn a_result_shows_the_page_and_the_best_heading() {
    let pages = [text("Guide", "Intro.\n## install\nCopy the file.\n## remove\nDelete the file again.")];
    let leaves = leaves(&pages, &[1]);
    let found = find(&leaves, "delete file", 20);
    assert_eq!((found.hits[0].title.as_str(), found.hits[0].section.as_deref()), ("Guide", Some("docs")));
    assert_eq!(best(&leaves, "delete file"), (Some("remove".into()), "Delete the file again.".into()));
    assert_eq!(best(&leaves, "guide"), (None, "Intro.".into()));
    assert_eq!(best(&leaves, "delte"), (Some("remove".into()), "Delete the file again.".into()));
}

#[test]
fn a_long_page_is_found_by_its_last_words() {
    let long = "word ".repeat(50_000) + "needle 針鼠";
    check(&[&long], "needle", &["/0"]);
    check(&[&long], "針鼠", &["/0"]);
    let leaves = leaves(&site(&[&long]), &[1]);
    assert!(best(&leaves, "needle").1.starts_with("word word"));
}

#[test]
fn a_site_without_pages_has_no_results() {
    assert_eq!(find(&[], "word", 20).total, 0);
}
