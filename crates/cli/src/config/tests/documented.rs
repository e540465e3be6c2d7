//! Every key of the configuration has a variable and is documented with its default. The keys come from serializing the
//! parser's own type, so new keys are checked automatically.

use serde_json::{Value, json};

use super::*;

const FILE: &str = include_str!("../../../../../docs/recto.toml");
const README: &str = include_str!("../../../../../README.md");
/// Clients use variables of this prefix, so unknown ones are not reported.
const NOT_JUDGED: &str = "api";

struct Key {
    section: String,
    name: String,
    default: Value,
}

impl Key {
    fn variable(&self) -> String {
        format!("RECTO_{}_{}", self.section, self.name).to_uppercase()
    }
}

fn written(raw: &Raw) -> Value {
    serde_json::to_value(raw).expect("a configuration can be written")
}

/// Every key except those of plans.
fn keys() -> Vec<Key> {
    let Value::Object(sections) = written(&Raw::default()) else { panic!("sections") };
    let keys_of = |(section, keys): (String, Value)| {
        let Value::Object(keys) = keys else { panic!("{section} has no keys") };
        keys.into_iter().map(move |(name, default)| Key { section: section.clone(), name, default })
    };
    sections.into_iter().flat_map(keys_of).collect()
}

fn plan_keys() -> Vec<String> {
    let Value::Object(keys) = serde_json::to_value(RawPlan::default()).expect("a plan") else {
        panic!("a plan has keys")
    };
    keys.into_iter().map(|(name, _)| name).collect()
}

fn parse(text: &str, variable: &str, value: &str) -> (Raw, Vec<String>) {
    let variables = [(variable.to_owned(), value.to_owned())].into_iter();
    Raw::parse(text, variables).unwrap_or_else(|error| panic!("{variable}={value}: {error:#}"))
}

#[test]
fn the_keys_are_found() {
    let has = |section: &str, name: &str| keys().iter().any(|key| key.section == section && key.name == name);
    assert!(has("api", "listen") && has("builds", "postpone") && has("log", "filter"));
    assert!(plan_keys().contains(&"builds_per_month".to_owned()));
}

/// The variable changes its own key, and nothing else.
#[test]
fn every_key_has_a_variable() {
    for key in keys() {
        let (text, value) = match &key.default {
            Value::String(_) => ("other".to_owned(), json!("other")),
            Value::Number(number) => {
                let other = number.as_u64().expect("a whole number") + 1;
                (other.to_string(), json!(other))
            }
            Value::Bool(switch) => ((!switch).to_string(), json!(!switch)),
            Value::Array(_) => ("one, two".to_owned(), json!(["one", "two"])),
            other => panic!("no variable can hold {other}"),
        };
        let (raw, unknown) = parse("", &key.variable(), &text);
        let mut expected = written(&Raw::default());
        expected[&key.section][&key.name] = value;
        assert_eq!((written(&raw), unknown), (expected, vec![]), "{}", key.variable());
    }
    for name in plan_keys() {
        let (raw, _) = parse("", &format!("RECTO_PLANS_BIG_TEAM_{}", name.to_uppercase()), "7");
        let plans = &written(&raw)["plans"];
        assert!(!plans["big_team"][&name].is_null(), "no variable for plans.NAME.{name}: {plans}");
    }
}

#[test]
fn a_variable_of_every_section_that_is_no_key_is_reported() {
    let mut sections: Vec<String> = keys().into_iter().map(|key| key.section).collect();
    sections.push("plans".into());
    for section in sections.iter().filter(|section| *section != NOT_JUDGED) {
        let variable = format!("RECTO_{}_NO_SUCH_KEY", section.to_uppercase());
        assert_eq!(parse("", &variable, "").1, [variable], "add {section} to SECTIONS");
    }
}

/// A setting of docs/recto.toml is a line such as `#listen = "127.0.0.1:8080"   # RECTO_API_LISTEN`.
fn setting(line: &str) -> Option<&str> {
    line.strip_prefix('#').filter(|rest| rest.starts_with(|first: char| first.is_ascii_lowercase()))
}

#[test]
fn the_example_changes_nothing_until_it_is_edited() {
    let (raw, _) = parse(FILE, "PATH", "");
    let mut shown = written(&raw);
    shown["plans"] = json!({});
    assert_eq!(shown, written(&Raw::default()));
    assert_eq!(Config::check(raw, Path::new("data")).expect("valid").plans, Plan::shipped());
}

#[test]
fn the_example_has_every_key_with_its_default() {
    let text: Vec<&str> = FILE.lines().map(|line| setting(line).unwrap_or(line)).collect();
    let text = text.join("\n");
    let table: toml::Table = toml::from_str(&text).expect("the example with every key set");
    let shown = serde_json::to_value(table).expect("TOML is JSON");
    for Key { section, name, default } in keys() {
        assert_eq!(shown[&section][&name], default, "docs/recto.toml: {section}.{name}");
    }
    for plan in Plan::shipped() {
        for name in plan_keys() {
            let value = &shown["plans"][&plan.name][&name];
            assert!(!value.is_null(), "docs/recto.toml: plans.{}.{name} is missing", plan.name);
        }
    }
    // The parser refuses keys that it does not know, and its plans are compared as values.
    let (raw, _) = parse(&text, "PATH", "");
    assert_eq!(Config::check(raw, Path::new("data")).expect("valid").plans, Plan::shipped());
}

#[test]
fn the_example_names_the_variable_of_every_key() {
    let mut section = String::new();
    for line in FILE.lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name.replace('.', "_");
        }
        let Some((name, rest)) = setting(line).and_then(|setting| setting.split_once(" = ")) else {
            continue;
        };
        let variable = format!("RECTO_{section}_{name}").to_uppercase();
        assert!(
            rest.ends_with(&format!(" # {variable}")),
            "docs/recto.toml: {line:?} does not end in {variable}"
        );
        assert!(Raw::is_setting(&variable), "{variable}");
    }
}

#[test]
fn the_readme_names_every_key() {
    for Key { section, name, .. } in keys() {
        assert!(README.contains(&format!("`{section}.{name}`")), "README.md does not name {section}.{name}");
    }
    for name in plan_keys() {
        assert!(
            README.contains(&format!("`.{name}`")) || README.contains(&format!("plans.NAME.{name}")),
            "{name}"
        );
    }
}
