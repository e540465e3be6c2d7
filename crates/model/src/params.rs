//! A page's front-matter params: any JSON object, stored as written.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::text::{check_length, check_nul};
use crate::{Alias, Checked, TextHash, limits};

/// A JSON object without white space between its tokens.
///
/// Numbers and strings keep the form they were sent in, so that no precision is lost.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Params(String);

impl Params {
    pub fn parse(json: &str) -> Checked<Params> {
        // Checks the grammar without recursion; the code below relies on it.
        serde_json::from_str::<&RawValue>(json).map_err(|_| "params must be valid JSON".to_owned())?;
        let json = compact(json);
        if !json.starts_with('{') {
            return Err("params must be an object".to_owned());
        }
        check_length("params as compact JSON", &json, limits::PARAMS_CHARS)?;
        check_values(&json)?;
        check_aliases(&json)?;
        Ok(Params(json))
    }

    /// Params that were checked before they were stored.
    pub fn stored(json: String) -> Params {
        Params(json)
    }

    /// That of the canonical form.
    pub fn hash(&self) -> TextHash {
        TextHash::of(&Params::canonical(&self.0))
    }

    /// The same text for equal values, regardless of the order of keys and the notation of strings and numbers. For the
    /// JSON of params that were checked.
    pub fn canonical(json: &str) -> String {
        let mut canonical = String::with_capacity(json.len());
        write_canonical(json, &mut canonical);
        canonical
    }

    pub fn as_json(&self) -> &str {
        &self.0
    }

    pub fn into_json(self) -> String {
        self.0
    }
}

impl Default for Params {
    fn default() -> Params {
        Params("{}".to_owned())
    }
}

/// Removes white space outside strings.
fn compact(json: &str) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find([' ', '\t', '\n', '\r', '"']) {
        let end = match rest.as_bytes()[at] {
            b'"' => at + string_length(&rest[at..]),
            _ => at,
        };
        compact.push_str(&rest[..end]);
        rest = rest[end..].trim_ascii_start();
    }
    compact.push_str(rest);
    compact
}

/// Writes validated compact JSON in a canonical form, the same for all equal values. It is nested at most
/// `PARAMS_DEPTH` deep.
fn write_canonical(json: &str, canonical: &mut String) {
    const CHECKED: &str = "the JSON was checked";
    match json.as_bytes().first() {
        Some(b'{') => {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(json).expect(CHECKED);
            canonical.push('{');
            for (key, value) in members {
                canonical.push_str(&serde_json::Value::String(key).to_string());
                canonical.push(':');
                write_canonical(value.get(), canonical);
                canonical.push(',');
            }
            canonical.push('}');
        }
        Some(b'[') => {
            let items: Vec<&RawValue> = serde_json::from_str(json).expect(CHECKED);
            canonical.push('[');
            for item in items {
                write_canonical(item.get(), canonical);
                canonical.push(',');
            }
            canonical.push(']');
        }
        Some(b'"') if json.contains('\\') => {
            let text: String = serde_json::from_str(json).expect(CHECKED);
            canonical.push_str(&serde_json::Value::String(text).to_string());
        }
        Some(b'-' | b'0'..=b'9') => canonical.push_str(&canonical_number(json)),
        _ => canonical.push_str(json),
    }
}

/// `1.0` and `1e0` become `1`. A number with more digits than a double can hold stays unchanged.
fn canonical_number(number: &str) -> Cow<'_, str> {
    const DIGITS_OF_A_DOUBLE: usize = 15;
    let digits = number.bytes().take_while(|byte| !matches!(byte, b'e' | b'E')).filter(u8::is_ascii_digit);
    match number.parse::<f64>() {
        Ok(double) if digits.count() <= DIGITS_OF_A_DOUBLE => Cow::Owned(double.to_string()),
        _ => Cow::Borrowed(number),
    }
}

/// Rejects values that the grammar allows but we do not, in compact JSON.
fn check_values(json: &str) -> Checked<()> {
    // The open containers around the current token: an object with its keys, or an array.
    let mut open: Vec<Option<HashSet<Cow<str>>>> = Vec::new();
    let mut before = b' ';
    let mut rest = json;
    while let Some(&first) = rest.as_bytes().first() {
        let mut length = 1;
        match first {
            b'{' => open.push(Some(HashSet::new())),
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            b'"' => {
                length = string_length(rest);
                let text = decode(&rest[..length])?;
                if let (b'{' | b',', Some(Some(keys))) = (before, open.last_mut()) {
                    add_key(keys, text)?;
                }
            }
            b'-' | b'0'..=b'9' => {
                length = number_length(rest);
                check_number(&rest[..length])?;
            }
            // A colon, a comma, or a letter of a literal.
            _ => {}
        }
        if open.len() > limits::PARAMS_DEPTH {
            return Err(format!("params must be nested at most {} levels deep", limits::PARAMS_DEPTH));
        }
        before = first;
        rest = &rest[length..];
    }
    Ok(())
}

/// `aliases` is the one key whose value is checked: a redirect that does not work would never be noticed.
fn check_aliases(json: &str) -> Checked<()> {
    #[derive(Deserialize)]
    struct Known<'j> {
        #[serde(borrow)]
        aliases: Option<&'j RawValue>,
    }
    let Ok(Known { aliases: Some(aliases) }) = serde_json::from_str(json) else { return Ok(()) };
    let aliases: Vec<Cow<str>> = serde_json::from_str(aliases.get())
        .map_err(|_| "params.aliases must be a list of paths, such as [\"/old/page\"]".to_owned())?;
    if aliases.len() > limits::ALIASES_PER_PAGE {
        return Err(format!(
            "params.aliases may have at most {} paths, got {}",
            limits::ALIASES_PER_PAGE,
            aliases.len()
        ));
    }
    aliases.iter().try_for_each(|alias| Alias::parse(alias).map(drop))
}

fn add_key<'j>(keys: &mut HashSet<Cow<'j, str>>, key: Cow<'j, str>) -> Checked<()> {
    match keys.replace(key) {
        Some(key) => {
            let shown: String = key.chars().take(100).collect();
            Err(format!("params must not contain a key twice in one object: \"{shown}\""))
        }
        None => Ok(()),
    }
}

fn check_number(number: &str) -> Checked<()> {
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(()),
        _ => Err("params must not contain a number that is out of range".to_owned()),
    }
}

/// The value of a JSON string in quotes.
fn decode(quoted: &str) -> Checked<Cow<'_, str>> {
    let text = if quoted.contains('\\') {
        // The grammar allows half a surrogate pair, `\ud800`, which is not a character.
        let text = serde_json::from_str(quoted)
            .map_err(|_| "params must not contain an incomplete surrogate pair".to_owned())?;
        Cow::Owned(text)
    } else {
        Cow::Borrowed(quoted.trim_matches('"'))
    };
    check_nul("params", &text)?;
    Ok(text)
}

/// The length of the string at the beginning of `json`, including both quotes.
fn string_length(json: &str) -> usize {
    let mut escaped = false;
    let end = json.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    });
    end.map_or(json.len(), |end| end + 2)
}

/// The length of the number at the beginning of `json`.
fn number_length(json: &str) -> usize {
    json.find([',', ']', '}']).unwrap_or(json.len())
}

#[cfg(test)]
mod tests;
