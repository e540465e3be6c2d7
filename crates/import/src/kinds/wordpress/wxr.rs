//! Reads WXR: an RSS file with elements of WordPress. Entities are not expanded, except those of XML itself.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::error::{Error, Fault};

/// Larger than WordPress writes; all texts are in memory at once.
const MAX_BYTES: u64 = 512 << 20;
const MAX_DEPTH: usize = 64;

#[derive(Default)]
pub(super) struct Export {
    /// The address of the site.
    pub url: String,
    pub items: Vec<Item>,
}

#[derive(Default)]
pub(super) struct Item {
    fields: HashMap<String, String>,
    /// Domain, slug and name.
    terms: Vec<(String, String, String)>,
    pub comments: usize,
    /// The line in the export, from 1.
    pub line: usize,
    /// The line on which the text begins.
    pub content_line: usize,
}

impl Item {
    /// Empty without one.
    pub fn get(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    /// Slug and name.
    pub fn terms<'i>(&'i self, domain: &'i str) -> impl Iterator<Item = (String, String)> + use<'i> {
        let of_domain = self.terms.iter().filter(move |(of, ..)| of == domain);
        of_domain.map(|(_, slug, name)| (slug.clone(), name.clone()))
    }
}

pub(super) fn read(source: &Path) -> Result<Export, Error> {
    let metadata = fs::metadata(source).map_err(Error::io("open", source))?;
    if !metadata.is_file() {
        return Err(Error::source(source, "is not a file; name the XML export of WordPress"));
    }
    if metadata.len() > MAX_BYTES {
        return Err(Error::source(source, format!("has more than {} MB", MAX_BYTES >> 20)));
    }
    let name = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let bytes = fs::read(source).map_err(Error::io("read", source))?;
    let fault = |line: usize, message: String| Error::from(Fault { file: name.clone(), line, message });
    let text = String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        fault(before.iter().filter(|byte| **byte == b'\n').count() + 1, "is not UTF-8".to_owned())
    })?;
    let export = parse(&text).map_err(|(line, message)| fault(line, message))?;
    match export.items.is_empty() {
        true => Err(fault(1, "this is no export of WordPress: it has no <item>".to_owned())),
        false => Ok(export),
    }
}

/// Where the parser is.
struct Parser<'t> {
    text: &'t str,
    reader: Reader<&'t [u8]>,
    /// Lines up to this position are counted.
    counted: (usize, usize),
    path: Vec<String>,
    export: Export,
    value: String,
    /// Domain and slug of the category whose name is being read.
    term: Option<(String, String)>,
}

fn parse(text: &str) -> Result<Export, (usize, String)> {
    let mut parser = Parser {
        text,
        reader: Reader::from_str(text),
        counted: (0, 1),
        path: vec![],
        export: Export::default(),
        value: String::new(),
        term: None,
    };
    while parser.step()? {}
    Ok(parser.export)
}

impl Parser<'_> {
    fn step(&mut self) -> Result<bool, (usize, String)> {
        let event = match self.reader.read_event() {
            Ok(event) => event,
            Err(error) => {
                let line = self.line();
                return Err((line, format!("this is no valid XML: {error}")));
            }
        };
        match event {
            Event::Start(start) => self.open(&start)?,
            Event::End(_) => self.close(),
            Event::Text(text) => self.value += &text,
            Event::CData(data) => self.value += &data,
            Event::GeneralRef(reference) => {
                let name: &str = &reference;
                self.value += &entity(name).unwrap_or_else(|| format!("&{name};"));
            }
            Event::Eof if self.path.is_empty() => return Ok(false),
            Event::Eof => {
                let open = self.path.join("/");
                return Err((self.line(), format!("the file ends inside of <{open}>")));
            }
            _ => {}
        }
        Ok(true)
    }

    fn line(&mut self) -> usize {
        let position =
            usize::try_from(self.reader.buffer_position()).unwrap_or(usize::MAX).min(self.text.len());
        let (from, line) = self.counted;
        if position > from {
            let more = self.text.as_bytes()[from..position].iter().filter(|byte| **byte == b'\n').count();
            self.counted = (position, line + more);
        }
        self.counted.1
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<(), (usize, String)> {
        let name = start.name().as_ref().to_owned();
        let line = self.line();
        if self.path.len() == MAX_DEPTH {
            return Err((line, format!("elements are nested over {MAX_DEPTH} deep")));
        }
        match (self.depth_in_item(), name.as_str()) {
            (None, "item") => self.export.items.push(Item { line, ..Item::default() }),
            (Some(0), "category") => {
                let attribute = |name: &str| {
                    let value = start.try_get_attribute(name).ok().flatten();
                    value.map(|value| value.value.into_owned()).unwrap_or_default()
                };
                self.term = Some((attribute("domain"), attribute("nicename")));
            }
            (Some(0), "wp:comment") => self.change(|item| item.comments += 1),
            (Some(0), "content:encoded") => self.change(|item| item.content_line = line),
            _ => {}
        }
        self.path.push(name);
        self.value.clear();
        Ok(())
    }

    fn close(&mut self) {
        let name = self.path.pop().unwrap_or_default();
        let value = std::mem::take(&mut self.value);
        match (self.depth_in_item(), name.as_str()) {
            (None, "link") if self.export.url.is_empty() => self.export.url = value.trim().to_owned(),
            (Some(0), "category") => {
                if let Some((domain, slug)) = self.term.take() {
                    self.change(|item| item.terms.push((domain, slug, value.trim().to_owned())));
                }
            }
            (Some(0), _) => {
                let value = if name.ends_with(":encoded") { value } else { value.trim().to_owned() };
                self.change(|item| drop(item.fields.insert(name, value)));
            }
            _ => {}
        }
    }

    /// How many elements of the item are open; `None` outside of items.
    fn depth_in_item(&self) -> Option<usize> {
        let item = self.path.iter().position(|name| name == "item")?;
        Some(self.path.len() - item - 1)
    }

    fn change(&mut self, change: impl FnOnce(&mut Item)) {
        if let Some(item) = self.export.items.last_mut() {
            change(item);
        }
    }
}

/// The entities of XML and characters by number.
fn entity(name: &str) -> Option<String> {
    let number = |digits: &str| match digits.strip_prefix(['x', 'X']) {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    };
    Some(match name {
        "amp" => "&".to_owned(),
        "lt" => "<".to_owned(),
        "gt" => ">".to_owned(),
        "quot" => "\"".to_owned(),
        "apos" => "'".to_owned(),
        name => char::from_u32(number(name.strip_prefix('#')?)?)?.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn items_have_fields_and_terms() {
        let text = "<?xml version=\"1.0\"?>\n<rss><channel><link>https://example.com</link>\n<item>\n<title>A &amp; &#66;</title>\n\
            <category domain=\"post_tag\" nicename=\"x-y\"><![CDATA[X Y]]></category>\n<content:encoded><![CDATA[<p>\n</p>]]></content:encoded>\n\
            <wp:comment><wp:comment_content>no</wp:comment_content></wp:comment></item></channel></rss>";
        let export = parse(text).unwrap();
        assert_eq!(export.url, "https://example.com");
        let [item] = &export.items[..] else { panic!() };
        assert_eq!((item.get("title"), item.get("content:encoded")), ("A & B", "<p>\n</p>"));
        assert_eq!(item.terms("post_tag").collect::<Vec<_>>(), [("x-y".to_owned(), "X Y".to_owned())]);
        assert_eq!((item.comments, item.line, item.content_line), (1, 3, 6));
    }

    #[test]
    fn invalid_xml_has_its_line() {
        for (text, line) in [("<rss>\n<a>\n</b>\n</rss>", 3), ("<rss>\n\n<item>", 3)] {
            assert_eq!(parse(text).err().map(|(line, _)| line), Some(line), "{text}");
        }
        assert!(parse(&"<a>".repeat(1000)).is_err());
    }

    #[test]
    fn entities_of_a_document_are_not_expanded() {
        let text = "<!DOCTYPE a [<!ENTITY x \"yyy\"><!ENTITY z SYSTEM \"file:///etc/passwd\">]>\n<rss><item><title>&x;&z;</title></item></rss>";
        assert_eq!(parse(text).unwrap().items[0].get("title"), "&x;&z;");
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(</?(item|a)>?|<!\\[CDATA\\[|\\]\\]>|&[a-z#;]{0,3}|[a-z \n\"=é]){0,40}") {
            let _ = parse(&text);
        }
    }
}
