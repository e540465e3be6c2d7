//! Code blocks with unique names: no block is on two pages, so caching them does not help.

use serde_json::json;

use super::dice::Dice;
use super::text::{capitalised, sentence};
use super::words::{TAGS, WORDS};

pub fn block(dice: &mut Dice) -> String {
    match dice.roll(3) {
        0 => format!("```rust\n{}\n```", rust(dice)),
        1 => format!("```python\n{}\n```", python(dice)),
        _ => format!("```json\n{}\n```", json(dice)),
    }
}

fn rust(dice: &mut Dice) -> String {
    let [noun, field, verb] = [0; 3].map(|_| dice.pick(&WORDS).as_str());
    let (kind, number, does, why) = (capitalised(noun), dice.roll(65_536), sentence(dice), sentence(dice));
    format!(
        r#"use std::collections::BTreeMap;

/// {does}
#[derive(Debug, Clone, Default)]
pub struct {kind} {{
    {field}: Vec<u32>,
    limit: Option<usize>,
}}

impl {kind} {{
    pub fn {verb}(&mut self, name: &str) -> Result<BTreeMap<String, u32>, String> {{
        let most = self.limit.unwrap_or(0x{number:04x});
        // {why}
        for (place, value) in self.{field}.iter_mut().enumerate() {{
            *value = value.wrapping_mul({number}) + place as u32;
        }}
        if self.{field}.len() > most {{
            return Err(format!("{noun} {{name}} has more than {{most}}"));
        }}
        Ok(self.{field}.iter().map(|value| (format!("{verb}-{{value}}"), *value)).collect())
    }}
}}"#
    )
}

fn python(dice: &mut Dice) -> String {
    let [noun, field, verb] = [0; 3].map(|_| dice.pick(&WORDS).as_str());
    let (kind, number, does, why) = (capitalised(noun), dice.roll(65_536), sentence(dice), sentence(dice));
    format!(
        r#"from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class {kind}:
    """{does}"""

    {field}: list[int] = field(default_factory=list)
    limit: int = {number}

    def {verb}(self, path: Path | None = None) -> dict[str, int]:
        # {why}
        found = {{f"{verb}-{{place}}": value % self.limit for place, value in enumerate(self.{field})}}
        if path is not None and not path.exists():
            raise FileNotFoundError(f"{noun}: {{path!r}} is missing")
        return found"#
    )
}

fn json(dice: &mut Dice) -> String {
    let mut entry = || {
        json!({
            "slug": format!("{}-{}", dice.pick(&WORDS), dice.pick(&WORDS)),
            "title": sentence(dice),
            "weight": dice.roll(1000),
            "ratio": dice.roll(1000) as f64 / 8.0,
            "draft": dice.percent(50),
            "tags": [dice.pick(&TAGS), dice.pick(&TAGS)],
            "parent": null,
        })
    };
    let pages = [entry(), entry()];
    let whole = json!({ "siteId": format!("{:08x}", dice.roll(1 << 31)), "pages": pages, "build": true });
    serde_json::to_string_pretty(&whole).expect("it is JSON")
}
