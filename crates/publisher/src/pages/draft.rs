//! A `POST /pages` payload while it arrives: entries are checked one by one, and long texts are stored ahead in pieces,
//! so that a request of any size needs little memory.

use std::sync::Arc;
use std::time::Duration;

use markdown::{ReferenceError, TooComplex, thread_time};
use model::limits::{DELETES_PER_REQUEST, PAGES_PER_REQUEST};
use model::{AccountId, ContentType, PageKey, Params, Section, SiteId, Slug, TextHash, Trigger};

use super::covers::replace_covers;
use super::entry::PAGE_FIELDS;
use super::expected::Expected;
use super::fields::{JsonFields, MAX_DEPTH, nests_too_deep, string};
use super::look_up::LookedUp;
use super::texts::{Leftovers, Texts};
use crate::limits::priority;
use crate::{Caller, Entry, Error, LongText, ProcessedFiles, Publisher, Unresolved, check_entry};

/// More than any valid page in the original format has.
const MAX_SINGLE_BYTES: usize = 8 << 20;

pub struct Draft {
    pub(super) publisher: Publisher,
    pub(super) account: AccountId,
    request: Request,
    looked_up: LookedUp,
    texts: Texts,
    leftovers: Arc<Leftovers>,
    attached: Attached,
    /// The remaining CPU time for finding references.
    search: Duration,
    /// Bytes that were checked since the last yield.
    unyielded: usize,
    batch: bool,
    /// The members of the body that are a page's fields, in case it has the original format.
    single: Vec<(&'static str, String)>,
    single_bytes: usize,
    /// Whether there was a member that is neither `siteId` nor `build` nor `dryRun`.
    other_members: bool,
    build_named: bool,
}

/// The files that `file:` references can name.
#[derive(Clone)]
enum Attached {
    None,
    All(Arc<ProcessedFiles>),
    /// Some have not arrived: references are not checked yet.
    Unknown,
}

impl Attached {
    /// The text with the addresses of the files it refers to.
    fn resolve(&self, text: &str) -> Result<String, ReferenceError> {
        markdown::replace_files(text, &|name| media::MediaKind::of(name).is_some(), &|name| self.url(name))
    }

    fn url(&self, name: &str) -> Option<String> {
        match self {
            Attached::All(files) => files.url(name),
            Attached::None | Attached::Unknown => None,
        }
    }
}

/// CPU time for finding the references of a whole request, and how much each byte of its texts adds: ten times what
/// real texts need.
pub(super) const SEARCH: Duration = Duration::from_secs(5);
pub(super) const SEARCH_PER_BYTE: Duration = Duration::from_nanos(100);

/// Requests with more entries are large.
const LARGE_REQUEST_ENTRIES: usize = 100;

/// Bytes that are checked before the task yields.
const YIELD_AFTER: usize = 128 << 10;

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
            looked_up: LookedUp::default(),
            texts: Texts::default(),
            leftovers: Arc::new(Leftovers::new(publisher.clone(), (caller.account, &caller.plan))),
            attached,
            search: SEARCH,
            unyielded: 0,
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

    /// The next element of `pages`.
    pub async fn page(&mut self, json: &str) -> Result<(), Error> {
        let index = self.request.entries.len();
        if index == 0 {
            // Deletions are possible even when the disk is full.
            self.publisher.disks.check()?;
        }
        if index == PAGES_PER_REQUEST {
            return Err(malformed(format!("pages may hold at most {PAGES_PER_REQUEST} entries")));
        }
        let in_page = |error| match error {
            Error::Malformed(message) => malformed(format!("pages[{index}]: {message}")),
            error => error,
        };
        self.entry(json).await.map_err(in_page)
    }

    async fn entry(&mut self, json: &str) -> Result<(), Error> {
        let (mut content, mut params) = (None, None);
        let mut entry = check_entry(json, |which, text, hash| {
            if memchr::memmem::find(text.as_bytes(), b"file:").is_none() {
                return self.texts.keep(text, hash);
            }
            let number = self.texts.keep(String::new(), hash);
            match which {
                LongText::Content => content = Some((number, text)),
                LongText::Params => params = Some((number, text, hash)),
            }
            number
        })
        .map_err(malformed)?;
        if let Some((number, text)) = content {
            self.resolve(number, text, &mut entry).await?;
        }
        if let Some((number, json, hash)) = params {
            self.resolve_params(number, json, hash, &mut entry);
        }
        if !entry.errors.is_empty() {
            self.texts.refuse();
        }
        self.request.entries.push(entry);
        self.unyielded += json.len();
        if self.unyielded > YIELD_AFTER {
            self.unyielded = 0;
            // To other threads, and to other tasks of this thread.
            std::thread::yield_now();
            tokio::task::yield_now().await;
        }
        Ok(())
    }

    /// Puts the addresses of files into a text that refers to some. Parsing Markdown is slow, so another thread does
    /// it, when it is the account's turn.
    async fn resolve(&mut self, number: usize, text: String, entry: &mut Entry) -> Result<(), Error> {
        if let Attached::Unknown = self.attached {
            return Ok(());
        }
        if self.search.is_zero() {
            let why = "the references to files in this request take too long to find: send its pages in several requests";
            entry.errors.insert("content", why.to_owned());
            return Ok(());
        }
        self.search += SEARCH_PER_BYTE * text.len() as u32;
        let (attached, turn) = (self.attached.clone(), self.publisher.parsing.take(self.account).await);
        let resolved = priority::spawn_low(move || {
            let _turn = turn;
            let began = thread_time();
            let resolved = attached.resolve(&text);
            (resolved, thread_time() - began)
        });
        let (resolved, time) =
            resolved.await.map_err(|error| Error::Internal(format!("resolve references: {error}")))?;
        self.search = self.search.saturating_sub(time);
        match resolved {
            Ok(text) => {
                let hash = TextHash::of(&text);
                self.texts.put(number, text, hash);
            }
            Err(ReferenceError::Unresolved(names)) => {
                self.request.unresolved.add(self.request.entries.len(), names);
                self.texts.refuse();
            }
            Err(ReferenceError::TooComplex(TooComplex(why))) => {
                entry
                    .errors
                    .insert("content", format!("content refers to files, but they cannot be found: {why}"));
            }
        }
        Ok(())
    }

    /// The same for params, of which only the cover may refer to a file.
    fn resolve_params(&mut self, number: usize, json: String, hash: TextHash, entry: &mut Entry) {
        if let Attached::Unknown = self.attached {
            return;
        }
        match replace_covers(&json, |name| self.attached.url(name)) {
            Ok(same) if same == json => self.texts.put(number, same, hash),
            Ok(replaced) => match Params::parse(&replaced) {
                Ok(params) => {
                    let hash = params.hash();
                    self.texts.put(number, params.into_json(), hash);
                }
                Err(why) => drop(entry.errors.insert("params", why)),
            },
            Err(names) => {
                self.request.unresolved.add(self.request.entries.len(), names);
                self.texts.refuse();
            }
        }
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

    /// Once there are many texts: looks up the pages of their entries, then stores those texts that the pages do not have,
    /// while the next ones arrive. To be called between entries, so that a slow database slows the reading.
    pub async fn work_ahead(&mut self) -> Result<(), Error> {
        let others_write = self.publisher.pace.others_write(self.account.0);
        if !self.texts.are_many(others_write) {
            return Ok(());
        }
        self.looked_up.begin(&self.publisher, self.account, &self.request, self.texts.count());
        if self.looked_up.is_under_way() && !self.texts.are_too_many(others_write) {
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
        if !self.batch && (self.other_members || !self.build_named) {
            let members: Vec<String> =
                self.single.drain(..).map(|(field, json)| format!("\"{field}\":{json}")).collect();
            self.publisher.disks.check()?;
            self.entry(&format!("{{{}}}", members.join(","))).await?;
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
