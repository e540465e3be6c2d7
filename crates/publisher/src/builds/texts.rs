//! Reads the texts of pages for the render threads, in pieces of bounded size.

use std::collections::VecDeque;
use std::sync::Arc;

use generator::Site;
use model::PageId;
use store::texts::{self, TextId};
use tokio::sync::mpsc;

use super::lease::Stop;
use super::plan::PagePlan;
use crate::{Error, Publisher};

/// Limits of one piece.
const PAGES: usize = 64;
const BYTES: usize = 1 << 20;

/// One page with its text.
pub(super) struct Job {
    pub page: PagePlan,
    pub content: String,
}

impl Publisher {
    pub(super) async fn read_texts(
        &self,
        site: Arc<Site>,
        pages: Vec<PagePlan>,
        jobs: mpsc::Sender<Vec<Job>>,
    ) -> Result<(), Stop> {
        let text = |id: PageId| site.page(id).and_then(|page| page.content).map(TextId);
        let mut pages = VecDeque::from(pages);
        while !pages.is_empty() {
            let ids: Vec<TextId> = pages.iter().take(PAGES).filter_map(|page| text(page.page)).collect();
            let wanted = ids.clone();
            let mut bodies = self.read(move |tx| Ok(texts::some_bodies(tx, &wanted, BYTES)?)).await?;
            if bodies.is_empty() && !ids.is_empty() {
                return Err(text_missing().into());
            }
            let mut work = Vec::with_capacity(bodies.len());
            while let Some(page) = pages.front() {
                let content = match text(page.page) {
                    None => String::new(),
                    Some(id) => match bodies.remove(&id) {
                        Some(body) => body,
                        // A text that did not fit is read next; if there is nothing before it, it is missing.
                        None => break,
                    },
                };
                let Some(page) = pages.pop_front() else { break };
                work.push(Job { page, content });
            }
            if work.is_empty() {
                return Err(text_missing().into());
            }
            if jobs.send(work).await.is_err() {
                // The renderers stopped at an error, which the other half reports.
                return Ok(());
            }
        }
        Ok(())
    }
}

/// A text of the snapshot was deleted, which its lease should have prevented. The next attempt has a newer snapshot.
fn text_missing() -> Error {
    Error::Unavailable("a page's text is missing although its site is being built".into())
}
