//! Parses a part's headers.

use httparse::{EMPTY_HEADER, Header, Status};
use percent_encoding::percent_decode_str;

use super::parameters::{self, Unreadable};
use super::{Part, PartFault};

pub(super) const MAX_HEAD_BYTES: usize = 8 * 1024;
pub(super) const MAX_HEAD_LINES: usize = 32;
/// Of a field's name and of a file's name.
pub(super) const MAX_NAME_BYTES: usize = 1024;

/// Parses the headers. An error includes the part's name, if that is known already.
pub(super) fn read_head(head: &[u8]) -> Result<Part, (Option<String>, PartFault)> {
    let mut headers = [EMPTY_HEADER; MAX_HEAD_LINES];
    let headers = match httparse::parse_headers(head, &mut headers) {
        Ok(Status::Complete((_, headers))) => headers,
        Err(httparse::Error::TooManyHeaders) => return Err((None, PartFault::TooManyLines)),
        Ok(Status::Partial) | Err(_) => return Err((None, PartFault::Head)),
    };
    let mut part = disposition(headers).map_err(|fault| (None, fault))?;
    let faulty = |fault| (Some(part.name.clone()), fault);
    check_transfer_encoding(headers).map_err(faulty)?;
    part.content_type = content_type(headers).map_err(faulty)?;
    Ok(part)
}

fn disposition(headers: &[Header]) -> Result<Part, PartFault> {
    let value = one(headers, "Content-Disposition")?.ok_or(PartFault::Disposition)?;
    let (kind, parameters) = parameters::split(value);
    if !kind.eq_ignore_ascii_case("form-data") {
        return Err(PartFault::Disposition);
    }
    let (mut name, mut file_name, mut extended) = (None, None, None);
    for parameter in parameters {
        let parameter = parameter.map_err(|Unreadable| PartFault::Unreadable("Content-Disposition"))?;
        let (slot, key, value) = match parameter.name.to_ascii_lowercase().as_str() {
            "name" => (&mut name, "name", form_decoded(&parameter.value)),
            "filename" => (&mut file_name, "filename", form_decoded(&parameter.value)),
            "filename*" => {
                let value = extended_value(&parameter.value).ok_or(PartFault::Unreadable("filename*"))?;
                (&mut extended, "filename*", value)
            }
            _ => continue,
        };
        if value.len() > MAX_NAME_BYTES {
            return Err(PartFault::NameTooLong(key));
        }
        if slot.replace(value).is_some() {
            return Err(PartFault::Twice(key));
        }
    }
    let name = name.ok_or(PartFault::Disposition)?;
    Ok(Part { name, file_name: extended.or(file_name), content_type: None })
}

fn check_transfer_encoding(headers: &[Header]) -> Result<(), PartFault> {
    match one(headers, "Content-Transfer-Encoding")?.map(str::to_ascii_lowercase) {
        None => Ok(()),
        Some(encoding) if matches!(encoding.as_str(), "7bit" | "8bit" | "binary") => Ok(()),
        Some(encoding) => Err(PartFault::TransferEncoding(encoding.chars().take(100).collect())),
    }
}

fn content_type(headers: &[Header]) -> Result<Option<String>, PartFault> {
    let Some(value) = one(headers, "Content-Type")? else { return Ok(None) };
    if value.to_ascii_lowercase().starts_with("multipart/") {
        return Err(PartFault::Nested);
    }
    Ok(Some(value.to_owned()))
}

/// The header's value, if present. Duplicates are an error: other programs might use the other one.
fn one<'h>(headers: &[Header<'h>], name: &'static str) -> Result<Option<&'h str>, PartFault> {
    let mut found = headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
    let Some(header) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(PartFault::Twice(name));
    }
    std::str::from_utf8(header.value).map(Some).map_err(|_| PartFault::Utf8(name))
}

/// Browsers, and curl since 7.81, percent-encode only these three characters, and not `%`:
/// <https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data>
fn form_decoded(value: &str) -> String {
    let value = value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n");
    value.replace("%0d", "\r").replace("%0a", "\n")
}

/// `UTF-8'en'a%20b.png`, by RFC 8187.
fn extended_value(value: &str) -> Option<String> {
    let mut parts = value.splitn(3, '\'');
    let (charset, _language, encoded) = (parts.next()?, parts.next()?, parts.next()?);
    if !charset.eq_ignore_ascii_case("utf-8") {
        return None;
    }
    percent_decode_str(encoded).decode_utf8().ok().map(String::from)
}
