//! A `POST /pages` payload while it arrives: entries are checked one by one, and long texts are stored ahead in pieces,
//! so that a request of any size needs little memory.

use std::sync::Arc;
use std::time::Duration;

use model::limits::{DELETES_PER_REQUEST, PAGES_PER_REQUEST};
use model::{AccountId, ContentType, PageKey, Section, SiteId, Slug, Trigger};

use super::checking::{Checked, CheckedEntry, Checking};
use super::entry::PAGE_FIELDS;
use super::expected::Expected;
use super::fields::{JsonFields, MAX_DEPTH, nests_too_deep, string};
use super::look_up::LookedUp;
use super::references::Attached;
use super::texts::{Leftovers, Texts};
use crate::{Caller, Entry, Error, LongText, ProcessedFiles, Publisher, TextRef, Unresolved};

/// More than any valid page in the original format has.
const MAX_SINGLE_BYTES: usize = 8 << 20;

pub struct Draft {
    pub(super) publisher: Publisher,
    pub(super) account: AccountId,
    pub(super) request: Request,
    checking: Checking,
    looked_up: LookedUp,
    pub(super) texts: Texts,
    leftovers: Arc<Leftovers>,
    pub(super) attached: Attached,
    /// The remaining CPU time for finding references.
    pub(super) search: Duration,
    batch: bool,
    /// The members of the body that are a page's fields, in case it has the original format.
    single: Vec<(&'static str, String)>,
    single_bytes: usize,
    /// Whether there was a member that is neither `siteId` nor `build` nor `dryRun`.
    other_members: bool,
    build_named: bool,
}

/// Requests with more entries are large.
const LARGE_REQUEST_ENTRIES: usize = 100;

/// The request, checked as far as possible without the database.
#[derive(Debug, Default)]
pub(crate) struct Request {
    pub(crate) site: Option<SiteId>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) deletes: Vec<Delete>,
    pub(crate) build: bool,
    /// What the build is triggered by, if not by a publish of the API.
    pub(crate) trigger: Option<Trigger>,
    /// Everything is checked, and nothing is stored.
    pub(crate) dry_run: bool,
    /// The original format: the body is the page.
    pub(crate) single: bool,
    pub(crate) unresolved: Unresolved,
    /// What the sender believes about the one page of the request.
    pub(crate) expected: Option<Expected>,
}

impl Request {
    /// Some errors are known already; the others are reported with them.
    pub(crate) fn is_refused(&self) -> bool {
        !self.unresolved.is_empty() || self.entries.iter().any(|entry| !entry.errors.is_empty())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.deletes.is_empty()
    }

    /// Whether its transaction noticeably delays others.
    pub(crate) fn is_large(&self) -> bool {
        self.entries.len() + self.deletes.len() > LARGE_REQUEST_ENTRIES
    }
}

#[derive(Debug)]
pub(crate) struct Delete {
    pub(crate) slug: String,
    /// `None`: the slug or section is invalid, so no page has it.
    pub(crate) key: Option<PageKey>,
}

impl Draft {
    /// A draft of a request without files.
    pub fn new(publisher: &Publisher, caller: &Caller) -> Draft {
        Draft::with(publisher, caller, Attached::None)
    }

    pub fn with_files(publisher: &Publisher, caller: &Caller, files: ProcessedFiles) -> Draft {
        Draft::with(publisher, caller, Attached::All(Arc::new(files)))
    }

    /// A draft that is only checked, while its files are still arriving.
    pub fn without_texts(publisher: &Publisher, caller: &Caller) -> Draft {
        let mut draft = Draft::with(publisher, caller, Attached::Unknown);
        draft.texts.refuse();
        draft
    }

    fn with(publisher: &Publisher, caller: &Caller, attached: Attached) -> Draft {
        Draft {
            publisher: publisher.clone(),
            account: caller.account,
            request: Request::default(),
            checking: Checking::new(publisher.checking.clone(), caller.account),
            looked_up: LookedUp::default(),
            texts: Texts::default(),
            leftovers: Arc::new(Leftovers::new(publisher.clone(), (caller.account, &caller.plan))),
            attached,
            search: publisher.reference_time.base,
            batch: false,
            single: Vec::new(),
            single_bytes: 0,
            other_members: false,
            build_named: false,
        }
    }

    /// The body has an array `pages` or `deleteSlugs`, perhaps an empty one.
    pub fn begin_batch(&mut self) {
        self.batch = true;
    }

    /// Refuses the request if its page is not as its sender believes.
    pub fn expect(&mut self, expected: Expected) {
        self.request.expected = Some(expected);
    }

    /// Queues a build in the same transaction.
    pub fn build(&mut self, trigger: Trigger) {
        (self.request.build, self.request.trigger) = (true, Some(trigger));
    }

    /// The next element of `pages`. Errors of earlier ones may be returned here.
    pub async fn page(&mut self, json: &str) -> Result<(), Error> {
        let index = self.request.entries.len() + self.checking.len();
        if index == 0 {
            // Deletions are possible even when the disk is full.
            self.publisher.disks.check()?;
        }
        if index == PAGES_PER_REQUEST {
            return Err(malformed(format!("pages may hold at most {PAGES_PER_REQUEST} entries")));
        }
        self.checking.add(json);
        let checked = self.checking.advance().await?;
        self.add_pages(checked).await
    }

    /// Waits until all pages that have arrived are checked.
    pub async fn settle(&mut self) -> Result<(), Error> {
        let checked = self.checking.finish().await?;
        self.add_pages(checked).await
    }

    async fn add_pages(&mut self, checked: Vec<CheckedEntry>) -> Result<(), Error> {
        for checked in checked {
            let index = self.request.entries.len();
            let added = match checked {
                Ok(checked) => self.add(checked).await,
                Err(message) => Err(malformed(format!("pages[{index}]: {message}"))),
            };
            if added.is_err() {
                // The first error counts.
                self.checking.clear();
                return added;
            }
        }
        Ok(())
    }

    async fn add(&mut self, Checked { mut entry, texts }: Checked) -> Result<(), Error> {
        for (which, text, hash) in texts {
            let refers = memchr::memmem::find(text.as_bytes(), b"file:").is_some();
            let (kept, referring) = if refers { (String::new(), Some(text)) } else { (text, None) };
            // From here on, it is numbered among all texts of the request.
            let number = self.texts.keep(kept, hash);
            match which {
                LongText::Content => entry.content = Some(TextRef::Number(number)),
                LongText::Params => entry.params = Some(TextRef::Number(number)),
            }
            match (which, referring) {
                (LongText::Content, Some(text)) => self.resolve(number, text, &mut entry).await?,
                (LongText::Params, Some(json)) => self.resolve_params(number, json, hash, &mut entry),
                (_, None) => {}
            }
        }
        if !entry.errors.is_empty() {
            self.texts.refuse();
        }
        self.request.entries.push(entry);
        Ok(())
    }

    /// The next element of `deleteSlugs`.
    pub fn delete(&mut self, json: &str) -> Result<(), Error> {
        let index = self.request.deletes.len();
        if index == DELETES_PER_REQUEST {
            return Err(malformed(format!("deleteSlugs may hold at most {DELETES_PER_REQUEST} entries")));
        }
        let delete =
            parse_delete(json).map_err(|message| malformed(format!("deleteSlugs[{index}]: {message}")))?;
        self.request.deletes.push(delete);
        Ok(())
    }

    /// A member of the body other than the two arrays.
    pub fn member(&mut self, key: &str, json: &str) -> Result<(), Error> {
        serde_json::from_str::<&serde_json::value::RawValue>(json)
            .map_err(|error| malformed(format!("{key}: {error}")))?;
        if key != "params" && nests_too_deep(json) {
            return Err(malformed(format!("{key} is nested more than {MAX_DEPTH} deep")));
        }
        match (key, json) {
            ("pages", _) => Err(malformed("pages must be an array")),
            (_, "null") => Ok(()),
            ("deleteSlugs", _) => Err(malformed("deleteSlugs must be an array")),
            ("siteId", _) => {
                self.request.site = Some(parse_site(json)?);
                Ok(())
            }
            ("build", _) => {
                (self.request.build, self.build_named) = (flag(key, json)?, true);
                Ok(())
            }
            ("dryRun", _) => {
                self.request.dry_run = flag(key, json)?;
                Ok(())
            }
            _ => {
                self.other_members = true;
                self.keep_member(key, json)
            }
        }
    }

    fn keep_member(&mut self, key: &str, json: &str) -> Result<(), Error> {
        let Some(field) = PAGE_FIELDS.iter().find(|field| **field == key) else { return Ok(()) };
        self.single_bytes += json.len();
        if self.single_bytes > MAX_SINGLE_BYTES {
            return Err(malformed(format!(
                "{key}: a page may have at most {MAX_SINGLE_BYTES} bytes of JSON"
            )));
        }
        self.single.push((field, json.to_owned()));
        Ok(())
    }

    pub fn wants_build(&self) -> bool {
        self.request.build
    }

    /// To be called while more of the body is awaited. Once there are many texts, it looks up the pages of their entries,
    /// and stores those texts that the pages do not have. A slow database slows the reading.
    pub async fn work_ahead(&mut self) -> Result<(), Error> {
        let others_write = self.publisher.pace.others_write(self.account.0);
        if !self.texts.are_many(others_write) {
            return Ok(());
        }
        self.looked_up.begin(&self.publisher, self.account, &self.request, self.texts.count());
        let wait =
            self.looked_up.is_under_way() || self.texts.are_being_stashed(self.publisher.stashes_at_once);
        if wait && !self.texts.are_too_many(others_write) {
            return Ok(());
        }
        let mut end = self.texts.count();
        if let Some(piece) = self.looked_up.wait().await {
            for text in piece.stored_texts(&self.request, &self.texts) {
                self.texts.is_at_its_page(text);
            }
            end = piece.texts;
            self.looked_up.add(piece);
        }
        self.texts.wait_for_stashes(self.publisher.stashes_at_once - 1).await?;
        self.texts.stash(end, &self.leftovers)
    }

    /// The body is complete.
    pub(crate) async fn finish(mut self) -> Result<Complete, Error> {
        self.settle().await?;
        if !self.batch && (self.other_members || !self.build_named) {
            let members: Vec<String> =
                self.single.drain(..).map(|(field, json)| format!("\"{field}\":{json}")).collect();
            self.publisher.disks.check()?;
            let page = Checked::new(&format!("{{{}}}", members.join(","))).map_err(malformed)?;
            self.add(page).await?;
            self.request.single = true;
        }
        let files = match self.attached {
            Attached::All(files) => Some(files),
            Attached::None | Attached::Unknown => None,
        };
        let Draft { publisher, request, looked_up, texts, leftovers, .. } = self;
        Ok(Complete { publisher, request, looked_up, texts, leftovers, files })
    }
}

/// A draft that has been read to its end.
pub(crate) struct Complete {
    pub(crate) publisher: Publisher,
    pub(crate) request: Request,
    pub(crate) looked_up: LookedUp,
    pub(crate) texts: Texts,
    pub(crate) leftovers: Arc<Leftovers>,
    pub(crate) files: Option<Arc<ProcessedFiles>>,
}

fn flag(key: &str, json: &str) -> Result<bool, Error> {
    serde_json::from_str(json).map_err(|_| malformed(format!("{key} must be true or false")))
}

fn parse_site(json: &str) -> Result<SiteId, Error> {
    let text = serde_json::from_str::<String>(json).unwrap_or_default();
    SiteId::parse(&text).ok_or_else(|| malformed("siteId must be a UUID"))
}

fn parse_delete(json: &str) -> Result<Delete, String> {
    let fields = JsonFields::parse(json)?;
    let text = |field: &str| match fields.get(field) {
        None => Ok(None),
        Some(json) if json.starts_with('"') => string(field, json).map(Some),
        Some(_) => Err(format!("{field} must be a string")),
    };
    let slug = text("slug")?.ok_or("slug is required")?;
    let content_type = ContentType::parse(&text("contentType")?.ok_or("contentType is required")?)?;
    let section = text("section")?.unwrap_or_default();
    let key = match (Slug::parse(&slug), Section::parse_typed(&section)) {
        (Ok(slug), Ok((section, _))) => Some(PageKey { content_type, section, slug }),
        _ => None,
    };
    Ok(Delete { slug, key })
}

fn malformed(message: impl Into<String>) -> Error {
    Error::Malformed(message.into())
}
