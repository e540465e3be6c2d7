//! Uploads in parts that a process began and never finished. S3 keeps, and charges for, their parts. object_store cannot list
//! them, so that request is made here.

use std::fmt::Display;

use http_body_util::{BodyExt, Limited};
use model::{PackId, Timestamp};
use object_store::aws::{AmazonS3, AwsAuthorizer, AwsCredential};
use object_store::client::{HttpClient, HttpRequest, HttpRequestBody};
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::Event;

use crate::{Blob, Error, key};

/// A page of a list has at most 1000 uploads, of less than a kilobyte each.
const MAX_LIST_BYTES: usize = 4 << 20;

/// What it takes to list the uploads of a bucket.
pub(crate) struct Bucket {
    pub(crate) store: AmazonS3,
    pub(crate) client: HttpClient,
    /// Of the bucket.
    pub(crate) url: String,
    pub(crate) region: String,
    pub(crate) credential: AwsCredential,
    /// Of our keys.
    pub(crate) prefix: Path,
}

impl Blob {
    /// Aborts uploads of our objects whose ids are from before a time, and returns how many. Directories have none: there, an
    /// unfinished file is deleted with its object.
    pub async fn abort_unfinished(&self, before: Timestamp) -> Result<u64, Error> {
        let Some(bucket) = &self.bucket else { return Ok(0) };
        let (youngest, mut aborted, mut from) = (PackId::new(before).0, 0, Some(Marker::default()));
        while let Some(marker) = from {
            let list = parse(&bucket.list(&marker).await?)?;
            for (key, upload) in list.uploads {
                let path = Path::from(key);
                let ours = path.prefix_match(&bucket.prefix).map(Path::from_iter);
                if ours.and_then(|ours| key::id_of(&ours)).is_some_and(|id| id < youngest) {
                    aborted += u64::from(bucket.abort(&path, upload).await?);
                }
            }
            from = list.next;
        }
        Ok(aborted)
    }
}

impl Bucket {
    pub(crate) async fn list(&self, from: &Marker) -> Result<String, Error> {
        let mut url = format!("{}?uploads=&prefix={}", self.url, encode(self.prefix.as_ref()));
        if !from.key.is_empty() {
            url += &format!("&key-marker={}&upload-id-marker={}", encode(&from.key), encode(&from.upload));
        }
        let mut request = HttpRequest::new(HttpRequestBody::empty());
        *request.uri_mut() = url.parse().map_err(failed)?;
        AwsAuthorizer::new(&self.credential, "s3", &self.region).try_authorize(&mut request, None)?;
        let response = self.client.execute(request).await.map_err(failed)?;
        let status = response.status();
        let body = Limited::new(response.into_body(), MAX_LIST_BYTES).collect().await.map_err(failed)?;
        let text = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        match status.is_success() {
            true => Ok(text),
            false => Err(failed(format!("the server answered {status}: {}", text.trim()))),
        }
    }

    /// `false`: it has been finished or aborted in the meantime.
    async fn abort(&self, path: &Path, upload: String) -> Result<bool, Error> {
        match self.store.abort_multipart(path, &upload).await {
            Ok(()) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn encode(text: &str) -> impl Display {
    utf8_percent_encode(text, NON_ALPHANUMERIC)
}

fn failed(error: impl Display) -> Error {
    Error::Failed(format!("list unfinished uploads: {error}"))
}

/// Where a page of the list begins: after this upload.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Marker {
    key: String,
    upload: String,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct List {
    /// Their keys and ids.
    uploads: Vec<(String, String)>,
    /// `None`: this is the last page.
    next: Option<Marker>,
}

fn parse(xml: &str) -> Result<List, Error> {
    let (mut reader, mut list) = (Reader::from_str(xml), List::default());
    let (mut upload, mut next, mut is_truncated) = (Marker::default(), Marker::default(), false);
    loop {
        match reader.read_event().map_err(failed)? {
            Event::Start(tag) => {
                let value = match tag.local_name().as_ref() {
                    "Key" => &mut upload.key,
                    "UploadId" => &mut upload.upload,
                    "NextKeyMarker" => &mut next.key,
                    "NextUploadIdMarker" => &mut next.upload,
                    "IsTruncated" => {
                        is_truncated = &*reader.read_text(tag.name()).map_err(failed)? == "true";
                        continue;
                    }
                    _ => continue,
                };
                let text = reader.read_text(tag.name()).map_err(failed)?;
                *value = unescape(&text).map_err(failed)?.into_owned();
            }
            Event::End(tag) if tag.local_name().as_ref() == "Upload" => {
                let Marker { key, upload } = std::mem::take(&mut upload);
                list.uploads.push((key, upload));
            }
            Event::Eof => break,
            _ => {}
        }
    }
    // A page that says how to continue, but not from where, would be read for ever.
    list.next = (is_truncated && !next.key.is_empty()).then_some(next);
    Ok(list)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_list_has_uploads_and_the_place_to_continue() {
        let xml = "<?xml version=\"1.0\"?><ListMultipartUploadsResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">
            <Bucket>b</Bucket><KeyMarker></KeyMarker><UploadIdMarker/><NextKeyMarker>a&amp;b</NextKeyMarker>
            <NextUploadIdMarker>2</NextUploadIdMarker><IsTruncated>true</IsTruncated>
            <Upload><Key>x</Key><UploadId>1</UploadId><Owner><ID>o</ID></Owner></Upload>
            <Upload><UploadId>2</UploadId><Key>a&amp;b</Key></Upload></ListMultipartUploadsResult>";
        let expected = List {
            uploads: vec![("x".into(), "1".into()), ("a&b".into(), "2".into())],
            next: Some(Marker { key: "a&b".into(), upload: "2".into() }),
        };
        assert_eq!(parse(xml).unwrap(), expected);
        assert_eq!(parse(&xml.replace("true", "false")).unwrap().next, None);
        assert!(parse("<a></b>").is_err());
    }
}
