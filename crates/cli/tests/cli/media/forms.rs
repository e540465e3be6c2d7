//! Forms with files, and the files that an installation stores.

use std::path::{Path, PathBuf};

use reqwest::Method;
use serde_json::Value;

use crate::harness::recto::{Account, Recto};
use crate::harness::server::{Answer, Server};

pub const CONTENT_TYPE: &str = "multipart/form-data; boundary=no-file-holds-this";
const BOUNDARY: &str = "--no-file-holds-this";

/// A `multipart/form-data` body, written by hand: it may contain names that no library would send.
#[derive(Clone, Default)]
pub struct Form {
    body: Vec<u8>,
}

impl Form {
    pub fn payload(self, payload: &Value) -> Form {
        self.field("payload", &payload.to_string())
    }

    pub fn field(self, name: &str, value: &str) -> Form {
        self.part(&format!("name=\"{name}\""), value.as_bytes())
    }

    /// The name is sent as browsers send it.
    pub fn file(self, name: &str, bytes: &[u8]) -> Form {
        self.part(&file_head(name), bytes)
    }

    /// As a browser sends a Blob, and `curl -F payload=@page.json` a file.
    pub fn payload_file(self, name: &str, payload: &Value) -> Form {
        self.part(&format!("name=\"payload\"; filename=\"{name}\""), payload.to_string().as_bytes())
    }

    /// The name is sent according to RFC 8187: `filename*=UTF-8''…`.
    pub fn file_in_percent(self, name: &str, bytes: &[u8]) -> Form {
        let name: String = name.bytes().map(|byte| format!("%{byte:02x}")).collect();
        self.part(&format!("name=\"files\"; filename*=UTF-8''{name}"), bytes)
    }

    fn part(mut self, head: &str, content: &[u8]) -> Form {
        let head = format!("{BOUNDARY}\r\nContent-Disposition: form-data; {head}\r\n\r\n");
        self.body.extend([head.as_bytes(), content, b"\r\n"].concat());
        self
    }

    pub fn end(mut self) -> Vec<u8> {
        self.body.extend_from_slice(format!("{BOUNDARY}--\r\n").as_bytes());
        self.body
    }

    /// Everything before the first byte of a file.
    pub fn before_file(mut self, name: &str) -> Vec<u8> {
        let head = format!("{BOUNDARY}\r\nContent-Disposition: form-data; {}\r\n\r\n", file_head(name));
        self.body.extend_from_slice(head.as_bytes());
        self.body
    }
}

fn file_head(name: &str) -> String {
    let name = name.replace('"', "%22").replace('\r', "%0D").replace('\n', "%0A");
    format!("name=\"files\"; filename=\"{name}\"")
}

impl Server {
    pub fn send_form(&self, path: &str, account: &Account, form: Form) -> Answer {
        self.post(path, &account.token, CONTENT_TYPE, form.end()).unwrap()
    }

    /// `POST /media`.
    pub fn send_file(&self, account: &Account, name: &str, bytes: &[u8]) -> Answer {
        self.send_form("/media", account, Form::default().file(name, bytes))
    }

    /// The URL of a file that must be accepted.
    pub fn keep_file(&self, account: &Account, name: &str, bytes: &[u8]) -> String {
        let item = self.send_file(account, name, bytes).expect(200);
        item["url"].as_str().unwrap().to_owned()
    }

    /// The bytes at a URL of the site, which must exist.
    pub fn download(&self, host: &str, url: &str) -> Vec<u8> {
        let answer = self.visitor(Method::GET, host, url).send().unwrap();
        assert_eq!(answer.status().as_u16(), 200, "{url}");
        answer.bytes().unwrap().to_vec()
    }
}

impl Recto {
    /// An installation with a plan `tiny` and defaults otherwise.
    pub fn with_tiny_plan(self, storage: usize) -> Recto {
        self.set("RECTO_PLANS_TINY_STORAGE", &storage.to_string())
            .set("RECTO_PLANS_TINY_FILE_SIZE", "1 GB")
            .set("RECTO_PLANS_TINY_BUILDS_PER_MONTH", "10")
    }

    pub fn storage_used(&self, account: &Account) -> u64 {
        self.json(&["account", "show", &account.id])["storageUsedBytes"].as_u64().unwrap()
    }

    pub fn media(&self, site: &str) -> Vec<Value> {
        self.json(&["media", "list", site]).as_array().unwrap().clone()
    }

    /// The spool directories of requests, of this process and of earlier ones.
    pub fn spool_directories(&self) -> Vec<PathBuf> {
        let processes = entries(&self.data().join("uploads")).into_iter();
        processes.flat_map(|process| entries(&process)).filter(|path| !path.ends_with("lock")).collect()
    }

    /// The files in them.
    pub fn spooled(&self) -> Vec<PathBuf> {
        self.spool_directories().iter().flat_map(|directory| entries(directory)).collect()
    }

    /// Stored files, whether anything refers to them or not.
    pub fn objects(&self) -> Vec<PathBuf> {
        // The file that names the installation does not count.
        let objects = files_below(&self.data().join("objects")).into_iter();
        objects.filter(|path| !path.ends_with("installation")).collect()
    }

    /// The number of stored files, wherever they are.
    pub fn object_count(&self) -> u64 {
        self.json(&["objects", "check"])["objects"].as_u64().unwrap()
    }
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let below = |path: PathBuf| if path.is_dir() { files_below(&path) } else { vec![path] };
    entries(directory).into_iter().flat_map(below).collect()
}

/// Sorted; empty if the directory does not exist.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}
