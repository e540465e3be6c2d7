//! Listing 10,000 pages, right after a change and again, compared with writing the same JSON from memory.

use anyhow::Result;
use serde::Serialize;

use crate::corpus;
use crate::recto::Recto;
use crate::report::{Report, Row, Target, ms};
use crate::timing::{median, time, time_async};

const PAGES: usize = 10_000;
const BATCH: usize = 5000;

pub async fn list() -> Result<Report> {
    let pages = corpus::pages(PAGES);
    let recto = Recto::start(&[]).await?;
    for batch in pages.chunks(BATCH) {
        recto.publish(corpus::payload(batch)).await?;
    }
    let listed: Vec<Listed> = pages.iter().map(listed).collect();
    let (mut changed, mut again, mut theirs) = (vec![], vec![], vec![]);
    for page in &pages[..30] {
        recto.publish(corpus::payload(std::slice::from_ref(page))).await?;
        changed.push(time_async(async { recto.list().await.map(drop) }).await?);
        again.push(time_async(async { recto.list().await.map(drop) }).await?);
        theirs.push(time(|| {
            std::hint::black_box(serde_json::to_vec(&listed)?);
            Ok(())
        })?);
    }
    let theirs = median(theirs);
    let row = |when: &str, times: Vec<f64>| {
        let ours = median(times);
        Row {
            what: format!("list {PAGES} pages, {when}"),
            ours: ms(ours),
            peer: format!("serialise {}", ms(theirs)),
            ratio: ours / theirs,
            target: Target::AtMost(3.0),
        }
    };
    Ok(vec![row("after a change", changed), row("unchanged", again)].into())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Listed {
    id: String,
    slug: String,
    title: String,
    content_type: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    section: String,
    description: String,
    draft: bool,
    tags: Vec<String>,
    published_at: String,
    updated_at: String,
}

fn listed(page: &corpus::Page) -> Listed {
    Listed {
        id: uuid::Uuid::now_v7().to_string(),
        slug: page.slug.clone(),
        title: page.title.clone(),
        content_type: page.content_type,
        section: page.section.clone(),
        description: page.description.clone(),
        draft: false,
        tags: page.tags.clone(),
        published_at: "2026-01-02T03:04:05.678Z".into(),
        updated_at: "2026-01-02T03:04:05.678Z".into(),
    }
}
