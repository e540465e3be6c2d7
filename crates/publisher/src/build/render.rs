//! Makes the files of a plan: pages first, by several threads while the next texts are being read; then what is made
//! from the index.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use generator::{File, Made, Site, Source};
use model::PageId;
use store::files::Hash;
use store::texts::{self, TextId};
use tokio::sync::mpsc;

use super::Stop;
use super::pack::PackWriter;
use super::plan::Plan;
use crate::serving::short;
use crate::{Error, Publisher};

/// Pages whose texts are read at once.
const CHUNK: usize = 64;
/// A build of more pages than this makes way for everything else that wants the processor.
const LARGE: usize = 256;
const PROGRESS: Duration = Duration::from_secs(2);

/// One page with its texts, and what to make of it.
struct Job {
    page: PageId,
    paths: Vec<String>,
    content: String,
}

/// A file that was made.
pub(super) struct Output {
    pub path: String,
    pub body: Body,
    pub hash: Hash,
}

pub(super) enum Body {
    Bytes(Bytes),
    Redirect(String),
}

/// What was made of a chunk of pages.
struct Batch {
    outputs: Vec<Output>,
    summaries: Vec<(PageId, String)>,
}

impl Publisher {
    /// Makes everything and appends it to the pack; tells how many pages were rendered.
    pub(super) async fn render(&self, plan: Plan, writer: &mut PackWriter) -> Result<(Plan, usize), Stop> {
        let Plan { site, pages, others, gone, before, from_nothing, changed } = plan;
        let rendered = pages.len();
        let site = Arc::new(site);
        writer.expect(before, from_nothing, gone);
        let summaries = self.render_pages(&site, pages, writer).await?;
        let mut site =
            Arc::into_inner(site).ok_or_else(|| Error::Internal("a renderer did not end".into()))?;
        let made = tokio::task::spawn_blocking(move || {
            for (page, summary) in summaries {
                site.summarise(page, summary);
            }
            let made: Result<Vec<Vec<Output>>, Stop> =
                others.iter().map(|path| make(&site, path, None).map(|(outputs, _)| outputs)).collect();
            (site, made)
        });
        let (site, made) =
            made.await.map_err(|error| Error::Internal(format!("making the listings: {error}")))?;
        for output in made?.into_iter().flatten() {
            writer.add(output).await?;
        }
        let plan = Plan {
            site,
            pages: vec![],
            others: vec![],
            gone: vec![],
            before: HashMap::new(),
            from_nothing,
            changed,
        };
        Ok((plan, rendered))
    }

    async fn render_pages(
        &self,
        site: &Arc<Site>,
        pages: Vec<(PageId, Vec<String>)>,
        writer: &mut PackWriter,
    ) -> Result<Vec<(PageId, String)>, Stop> {
        let total = pages.len();
        let threads = std::thread::available_parallelism().map_or(2, usize::from).min(total.div_ceil(CHUNK));
        let (jobs, queue) = mpsc::channel::<Vec<Job>>(2 * threads.max(1));
        let (made, mut batches) = mpsc::channel::<Result<Batch, Stop>>(2 * threads.max(1));
        let queue = Arc::new(Mutex::new(queue));
        for _ in 0..threads {
            let (site, queue, made) = (site.clone(), queue.clone(), made.clone());
            let work = move || render_loop(&site, &queue, &made, total > LARGE);
            std::thread::Builder::new().name("recto-render".into()).spawn(work).map_err(internal)?;
        }
        drop((queue, made));
        let read = self.read_texts(site.clone(), pages, jobs);
        let write = async {
            let (mut summaries, mut told) = (Vec::new(), Instant::now());
            while let Some(batch) = batches.recv().await {
                let batch = batch?;
                summaries.extend(batch.summaries);
                for output in batch.outputs {
                    writer.add(output).await?;
                }
                if told.elapsed() > PROGRESS {
                    tracing::info!(rendered = summaries.len(), of = total, "building");
                    told = Instant::now();
                }
            }
            Ok::<_, Stop>(summaries)
        };
        let (_, summaries) = tokio::try_join!(read, write)?;
        Ok(summaries)
    }

    async fn read_texts(
        &self,
        site: Arc<Site>,
        pages: Vec<(PageId, Vec<String>)>,
        jobs: mpsc::Sender<Vec<Job>>,
    ) -> Result<(), Stop> {
        let mut pages = pages.into_iter();
        loop {
            let chunk: Vec<_> = pages.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                return Ok(());
            }
            let text = |id: PageId| site.page(id).and_then(|page| page.content).map(TextId);
            let ids: Vec<TextId> = chunk.iter().filter_map(|(id, _)| text(*id)).collect();
            let mut bodies = self.store.read(move |tx| Ok::<_, Error>(texts::bodies(tx, &ids)?)).await?;
            let mut work = Vec::with_capacity(chunk.len());
            for (page, paths) in chunk {
                let content = text(page).map(|id| bodies.remove(&id).ok_or_else(gone)).transpose()?;
                work.push(Job { page, paths, content: content.unwrap_or_default() });
            }
            if jobs.send(work).await.is_err() {
                // The renderers stopped at an error, which is told by the other half.
                return Ok(());
            }
        }
    }
}

/// A text went that the snapshot knew: the next try has a newer snapshot.
fn gone() -> Error {
    Error::Away("a page's text was swept while the site was being built".into())
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
        // Of this thread alone. Readers and writers come first.
        let _ = rustix::process::nice(19);
    }
    loop {
        let jobs = queue.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
        let Some(jobs) = jobs else { return };
        let batch = render_batch(site, jobs);
        let failed = batch.is_err();
        if made.blocking_send(batch).is_err() || failed {
            return;
        }
    }
}

fn render_batch(site: &Site, jobs: Vec<Job>) -> Result<Batch, Stop> {
    let mut batch = Batch { outputs: Vec::new(), summaries: Vec::new() };
    for job in jobs {
        let source = Source::new(&job.content);
        for path in &job.paths {
            let (outputs, summary) = make(site, path, Some(&source))?;
            batch.outputs.extend(outputs);
            batch.summaries.extend(summary.map(|summary| (job.page, summary)));
        }
    }
    Ok(batch)
}

/// Makes what is at a path. A panic costs this build, and says which page it was.
fn make(site: &Site, path: &str, source: Option<&Source>) -> Result<(Vec<Output>, Option<String>), Stop> {
    let made = catch_unwind(AssertUnwindSafe(|| site.make(path, source)));
    match made {
        Ok(Ok(Some(Made { file, summary, warning: _ }))) => Ok((vec![output(path, file)], summary)),
        Ok(Ok(None)) => Ok((Vec::new(), None)),
        Ok(Err(missing)) => Err(Stop::Failed(missing.to_string())),
        Err(_) => {
            Err(Stop::Failed(format!("{path} could not be made: please report this with the page's text")))
        }
    }
}

fn output(path: &str, file: File) -> Output {
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
