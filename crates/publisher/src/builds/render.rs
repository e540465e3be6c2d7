//! Generates the files of a plan: first the pages, in several threads while the next texts are being read; then the
//! files that need only the index. Files are passed on in batches of bounded size.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use api::BuildWarning;
use bytes::Bytes;
use generator::{File, Made, MissingSource, Site, Source, Summary};
use model::PageId;
use search::{Files, Indexer, LeafName};
use store::files::Hash;
use tokio::sync::mpsc;

use super::lease::Stop;
use super::leaves::Leaves;
use super::pack::PackWriter;
use super::plan::{PagePlan, Plan};
use super::run::Progress;
use super::texts::Job;
use crate::limits::priority;
use crate::sites::serving::short;
use crate::{Error, Publisher};

/// A build of more pages than this runs at the lowest priority.
pub(super) const LARGE_BUILD_PAGES: usize = 256;
/// Bytes of a batch before it is passed on. A page has at most a few megabytes.
const BATCH_BYTES: usize = 1 << 20;
/// Pages that keep a thread busy: fewer are not worth another one.
const PAGES_PER_THREAD: usize = 64;
/// Texts longer than this are rendered one at a time: the parser needs up to 400 bytes of memory for each of their
/// bytes.
const LONG_TEXT: usize = 32 * 1024;
/// Locked while a long text is rendered or a large leaf is merged, by any build. First come, first served.
pub(super) static LONG_TEXTS: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());
/// The warning for a page whose text made the generator panic.
const PANICKED: &str =
    "a fault of the server kept it from rendering the text: please report it to the operator";
const PROGRESS: Duration = Duration::from_secs(2);

/// A generated file.
pub(super) struct Output {
    pub path: String,
    pub body: Body,
    pub hash: Hash,
}

pub(super) enum Body {
    Bytes(Bytes),
    Redirect(String),
}

/// A site whose changed files are generated.
pub(super) struct Rendered {
    pub site: Site,
    /// Pages that changed, shown or not.
    pub changed: Vec<PageId>,
    /// How many texts were rendered.
    pub pages: usize,
    pub warnings: Vec<BuildWarning>,
}

/// Some of the generated files.
#[derive(Default)]
struct Batch {
    outputs: Vec<Output>,
    bytes: usize,
    summaries: Vec<(PageId, Summary)>,
    /// What the search index holds of the pages, by leaf.
    indexed: Vec<(LeafName, Files)>,
    warnings: Vec<BuildWarning>,
}

impl Publisher {
    /// Generates all files of the plan and appends them to the pack.
    pub(super) async fn render(
        &self,
        plan: Plan,
        writer: &mut PackWriter,
        progress: &Progress,
    ) -> Result<Rendered, Stop> {
        let Plan { site, pages, leaves, others, gone, before, from_scratch, changed, mut warnings } = plan;
        let rendered = pages.len();
        let site = Arc::new(site);
        writer.set_base(before, from_scratch, gone);
        let (summaries, of_pages) = self.render_pages(&site, pages, leaves, writer, progress).await?;
        warnings.extend(of_pages);
        let mut site =
            Arc::into_inner(site).ok_or_else(|| Error::Internal("a render thread did not end".into()))?;
        for (page, summary) in summaries {
            site.summarise(page, summary);
        }
        let site = render_others(site, others, writer).await?;
        Ok(Rendered { site, changed, pages: rendered, warnings })
    }

    async fn render_pages(
        &self,
        site: &Arc<Site>,
        pages: Vec<PagePlan>,
        mut leaves: Leaves,
        writer: &mut PackWriter,
        progress: &Progress,
    ) -> Result<(Vec<(PageId, Summary)>, Vec<BuildWarning>), Stop> {
        let total = pages.len();
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let threads = cores.min(total.div_ceil(PAGES_PER_THREAD));
        let (jobs, queue) = mpsc::channel::<Vec<Job>>(1);
        let (made, mut batches) = mpsc::channel::<Result<Batch, Stop>>(1);
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let (site, queue, made) = (site.clone(), queue.clone(), made.clone());
            let work = move || render_loop(&site, &queue, &made, total > LARGE_BUILD_PAGES);
            std::thread::Builder::new().name("recto-render".into()).spawn(work).map_err(internal)?;
        }
        drop((queue, made));
        let read = self.read_texts(site.clone(), pages, jobs);
        let write = async {
            let (mut summaries, mut warnings, mut reported) = (Vec::new(), Vec::new(), Instant::now());
            while let Some(batch) = batches.recv().await {
                let batch = batch?;
                summaries.extend(batch.summaries);
                progress.set(summaries.len(), total);
                warnings.extend(batch.warnings);
                for output in batch.outputs {
                    writer.add(output).await?;
                }
                for (leaf, files) in batch.indexed {
                    if let Some(complete) = leaves.add(self, leaf, files).await? {
                        self.merge_leaf(&leaves, leaf, complete, writer).await?;
                    }
                }
                if reported.elapsed() > PROGRESS {
                    tracing::info!(rendered = summaries.len(), of = total, "building");
                    reported = Instant::now();
                }
            }
            while let Some((leaf, unrendered)) = leaves.next() {
                self.merge_leaf(&leaves, leaf, unrendered, writer).await?;
            }
            Ok::<_, Stop>((summaries, warnings))
        };
        let (_, made) = tokio::try_join!(read, write)?;
        Ok(made)
    }
}

/// Generates lists, feeds and so on, which show the pages' summaries.
async fn render_others(site: Site, others: Vec<String>, writer: &mut PackWriter) -> Result<Site, Stop> {
    let (made, mut batches) = mpsc::channel::<Batch>(1);
    let work = priority::spawn_by_length(others.len() > LARGE_BUILD_PAGES, move || {
        let mut batch = Batch::default();
        for path in others {
            let file = catch_unwind(AssertUnwindSafe(|| site.make(&path, None)));
            batch.add(&path, generated(&path, file)?);
            if !batch.hand_on(|batch| made.blocking_send(batch).is_ok()) {
                break;
            }
        }
        let _ = made.blocking_send(batch);
        Ok::<_, Stop>(site)
    });
    while let Some(batch) = batches.recv().await {
        for output in batch.outputs {
            writer.add(output).await?;
        }
    }
    work.await.map_err(|error| Error::Internal(format!("generate the lists: {error}")))?
}

fn internal(error: std::io::Error) -> Error {
    Error::Internal(format!("start a render thread: {error}"))
}

fn render_loop(
    site: &Site,
    queue: &Mutex<mpsc::Receiver<Vec<Job>>>,
    made: &mpsc::Sender<Result<Batch, Stop>>,
    large: bool,
) {
    if large {
        priority::lower();
    }
    let mut indexer = Indexer::default();
    loop {
        let jobs = queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some(jobs) = jobs else { return };
        let mut batch = Batch::default();
        for job in jobs {
            if let Err(stop) = batch.make_page(site, &job, &mut indexer) {
                let _ = made.blocking_send(Err(stop));
                return;
            }
            if !batch.hand_on(|batch| made.blocking_send(Ok(batch)).is_ok()) {
                return;
            }
            std::thread::yield_now();
        }
        if made.blocking_send(Ok(batch)).is_err() {
            return;
        }
    }
}

impl Batch {
    /// Generates the files of a page.
    fn make_page(&mut self, site: &Site, job: &Job, indexer: &mut Indexer) -> Result<(), Stop> {
        let PagePlan { page, paths, leaf } = &job.page;
        let source = Source::new(&job.content);
        for path in paths {
            let make = |source: &Source| {
                let mut made = site.make(path, Some(source))?;
                let text = made.as_mut().and_then(|made| made.search.take()).filter(|_| leaf.is_some());
                Ok((made, text.map(|text| text.index(*page, indexer))))
            };
            let (made, files) = guarded(path, &source, make)?;
            if let Some(summary) = made.as_ref().and_then(|made| made.summary.clone()) {
                self.summaries.push((*page, summary));
            }
            if let (Some(leaf), Some(files)) = (leaf, files) {
                self.bytes += files.terms.len() + files.texts.len();
                self.indexed.push((*leaf, files));
            }
            self.add(path, made);
        }
        Ok(())
    }

    /// Adds the file at a path, if there is one.
    fn add(&mut self, path: &str, made: Option<Made>) {
        let Some(Made { file, warning, .. }) = made else { return };
        self.warnings.extend(warning.map(|message| BuildWarning { url: path.to_owned(), message }));
        let output = output(path, file);
        self.bytes += match &output.body {
            Body::Bytes(bytes) => bytes.len(),
            Body::Redirect(target) => target.len(),
        };
        self.outputs.push(output);
    }

    /// Passes the batch on, if it is large enough; `false`: the receiver has stopped.
    fn hand_on(&mut self, send: impl FnOnce(Batch) -> bool) -> bool {
        self.bytes < BATCH_BYTES || send(std::mem::take(self))
    }
}

/// A page whose text makes the generator panic is shown as its source: no text makes a build fail.
fn guarded<T: Send>(
    path: &str,
    source: &Source,
    mut make: impl FnMut(&Source) -> Result<T, MissingSource> + Send,
) -> Result<T, Stop> {
    let mut attempt = |source: &Source| {
        if source.content.len() > LONG_TEXT {
            let _turn = LONG_TEXTS.blocking_lock();
            // The allocator keeps freed memory for its thread, so the text is rendered in a short-lived one.
            let made = std::thread::scope(|scope| {
                let thread = std::thread::Builder::new().name("recto-long-text".into());
                thread.spawn_scoped(scope, || make(source)).ok().map(|thread| thread.join())
            });
            if let Some(made) = made {
                return made;
            }
            // No thread can be started: rendering here needs more memory, but the page is not missing.
        }
        catch_unwind(AssertUnwindSafe(|| make(source)))
    };
    let as_text = Source { as_text: Some(PANICKED), ..*source };
    generated(path, attempt(source).or_else(|_| attempt(&as_text)))
}

fn generated<T>(path: &str, made: std::thread::Result<Result<T, MissingSource>>) -> Result<T, Stop> {
    let made = made.map_err(|_| Stop::Failed(format!("{path} could not be generated")))?;
    made.map_err(|missing| Error::Internal(missing.to_string()).into())
}

pub(super) fn output(path: &str, file: File) -> Output {
    let (body, hash) = match file {
        File::Bytes(bytes) => {
            let hash = blake3::hash(&bytes);
            (Body::Bytes(bytes.into()), hash)
        }
        File::Redirect(target) => {
            let hash = blake3::hash(format!("redirect {target}").as_bytes());
            (Body::Redirect(target), hash)
        }
    };
    Output { path: path.to_owned(), body, hash: short(&hash) }
}
