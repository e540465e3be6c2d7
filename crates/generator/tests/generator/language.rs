//! What depends on the language of a page: the words added to its text, and its punctuation.

use recto_generator::Settings;

use crate::world::{With, World, blog, docs, id};

fn world(settings: &[(&str, &str)], text: &str) -> World {
    let mut values = Settings::default();
    settings.iter().for_each(|(key, value)| values.set(key, value).unwrap());
    let mut world = World::with_settings(values);
    world.texts.extend([1, 2].map(|n| (id(n), text.to_owned())));
    world.publish([
        blog(1, "a").titled("It's \"new\"").with(|page| page.description = Some("A 'b' -- c".to_owned())),
        docs(2, "b").titled("The `--flag`").params(r#"{"lang": "de", "linkTitle": "\"B\""}"#),
    ]);
    world
}

#[test]
fn alerts_are_titled_in_the_language_of_the_page() {
    let world = world(&[("language", "fr")], "> [!WARNING]\n> Text.\n\n:::details\nText.\n:::\n");
    let [french, german] = ["/blog/a", "/docs/b"].map(|path| world.raw(path));
    assert!(
        french.contains("<b>Avertissement</b>") && french.contains("<summary>Détails</summary>"),
        "{french}"
    );
    assert!(german.contains("<b>Warnung</b>") && german.contains("<summary>Details</summary>"), "{german}");
}

#[test]
fn punctuation_is_that_of_the_language() {
    let world = world(&[], "\"One\" -- `--two`");
    let [english, german] = ["/blog/a", "/docs/b"].map(|path| world.raw(path));
    assert!(english.contains("<p>“One” – <code>--two</code></p>"), "{english}");
    assert!(german.contains("<p>„One“ – <code>--two</code></p>"), "{german}");
    assert!(english.contains("It’s “new”") && english.contains("A ‘b’ – c"), "{english}");
    assert!(german.contains("The <code>--flag</code>"), "{german}");
    assert!(world.raw("/.docs").contains("„B“"));
    assert_eq!(world.raw("/blog/a.md"), "\"One\" -- `--two`");
}

#[test]
fn punctuation_may_stay_as_typed() {
    let page = world(&[("punctuation", "plain")], "\"One\" -- two").raw("/blog/a");
    assert!(page.contains("<p>&quot;One&quot; -- two</p>") && !page.contains('’'), "{page}");
}

#[test]
fn a_heading_that_repeats_the_title_is_left_out_whatever_its_punctuation() {
    let page = world(&[], "# It's \"new\"\n\nText.").raw("/blog/a");
    assert_eq!(page.matches("It’s “new”</h1>").count(), 1, "{page}");
    assert!(!page.contains("<h2"), "{page}");
}

#[test]
fn labels_for_screen_readers_are_in_the_language_of_the_page() {
    let text = "## A\n\n- [x] b\n- [ ] c[^1]\n\n| d |\n|---|\n| e |\n\n[^1]: f\n";
    let [french, german] = ["/blog/a", "/docs/b"].map(|path| world(&[("language", "fr")], text).raw(path));
    for label in
        ["Lien vers cette section", "Tâche terminée", "Tâche à faire", "Tableau", "Note de bas de page 1"]
    {
        assert!(french.contains(&format!("aria-label=\"{label}\"")), "{label} is not in {french}");
    }
    for label in ["Link zu diesem Abschnitt", "Erledigte Aufgabe", "Fußnoten", "Zurück zum Verweis 1"] {
        assert!(german.contains(&format!("aria-label=\"{label}\"")), "{label} is not in {german}");
    }
}
