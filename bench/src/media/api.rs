//! Images through the API, from the first byte sent to the response.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Result, ensure};
use serde_json::json;

use super::{ROUNDS, encoders};
use crate::recto::{Part, Recto};
use crate::report::{Report, Row, Target, ms, progress};
use crate::timing::{median, ms_since, time};

/// Alternating with the encoder alone. Each round has a new server, without any of the photos.
pub async fn one_by_one(photos: &[PathBuf], sample: &Path) -> Result<Report> {
    let (mut ours, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let recto = Recto::start(&[]).await?;
        recto.send_form("/media", &[Part::File(sample)])?;
        let (mut sent, mut encoded) = (0.0, 0.0);
        for photo in photos {
            encoded += encoders::recto(photo, &photo.with_extension("alone.webp"))?;
            sent += time(|| recto.send_form("/media", &[Part::File(photo)]))?;
        }
        progress(&format!("{} photos through the API: {}, encoder {}", photos.len(), ms(sent), ms(encoded)));
        ours.push(sent);
        alone.push(encoded);
    }
    let (ours, alone) = (median(ours), median(alone));
    let row = Row {
        what: format!("POST /media, one after another, {} photos of 12 MP", photos.len()),
        ours: ms(ours),
        peer: format!("encoder alone {}", ms(alone)),
        ratio: ours / alone,
        target: Target::AtMost(1.2),
    };
    Ok(vec![row].into())
}

/// All in one request, with a page that shows them: how many cores are kept busy.
pub async fn at_once(images: &[PathBuf]) -> Result<Report> {
    let recto = Recto::start(&[]).await?;
    let shown: String = images.iter().map(|path| format!("![](file:{})\n", name(path))).collect();
    let payload = json!({ "pages": [{ "title": "Images", "slug": "images", "content": shown }] }).to_string();
    let mut parts = vec![Part::Text("payload", &payload)];
    parts.extend(images.iter().map(|path| Part::File(path)));

    let (before, start) = (recto.family_cpu_ms()?, Instant::now());
    let answer = recto.send_form("/pages", &parts)?;
    let (took, cpu) = (ms_since(start), recto.family_cpu_ms()? - before);
    let stored = answer["media"].as_array().map_or(0, Vec::len);
    ensure!(stored == images.len(), "{stored} of {} images were stored", images.len());

    let row = Row {
        what: format!("{stored} mixed images in one POST /pages; the ratio: cores used"),
        ours: ms(took),
        peer: format!("CPU time {}", ms(cpu)),
        ratio: cpu / took,
        target: Target::Informational,
    };
    Ok(vec![row].into())
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}
