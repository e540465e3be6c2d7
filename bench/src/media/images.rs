//! Photos, screenshots and an animation to WebP: time, size and similarity, compared with sharp, cwebp and gif2webp;
//! then the same through the API.

use std::path::Path;

use anyhow::Result;

use super::encoders::{Encoded, Encoder, Sharp, compare};
use super::{api, stock};
use crate::report::{Report, Row, Target, kb, ms, progress};

pub async fn images() -> Result<Report> {
    progress("generating photos, screenshots and an animation");
    let directory = tempfile::tempdir()?;
    let photos = stock::photos(directory.path())?;
    let screenshots = stock::screenshots(directory.path())?;
    let animation = stock::animation(&photos[1])?;

    let mut sharp = Encoder::Sharp(Sharp::start(&photos[0])?);
    let mut report = Report::default();
    for path in &photos {
        report.add(photo(path, &mut sharp)?);
    }
    for path in &screenshots {
        report.add(screenshot(path)?);
    }
    report.add(animated(&animation, &mut sharp)?);
    drop(sharp);

    report.add(api::one_by_one(&photos, &screenshots[0]).await?);
    let images = stock::hundred(directory.path(), &photos[1], &screenshots[0], &animation)?;
    report.add(api::at_once(&images).await?);
    Ok(report)
}

fn photo(path: &Path, sharp: &mut Encoder) -> Result<Report> {
    let [ours, theirs, cwebp] = compare(path, [&mut Encoder::Recto, sharp, &mut Encoder::Cwebp])?;
    let likeness = (ours.ssim(path)?, theirs.ssim(path)?);
    let name = name(path);
    let mut report = Report::from(vec![
        faster(format!("{name} of 12 MP to WebP"), &ours, ("sharp", &theirs), Target::AtLeast(2.0)),
        smaller(&ours, ("sharp", &theirs), Target::AtMost(1.06)),
        Row {
            what: "… SSIM; the ratio: by how many thousandths it is lower".into(),
            ours: format!("{:.4}", likeness.0),
            peer: format!("sharp {:.4}", likeness.1),
            ratio: (likeness.1 - likeness.0) * 1e3,
            target: Target::AtMost(5.0),
        },
        faster("… against cwebp -m 4 -q 80".into(), &ours, ("cwebp", &cwebp), Target::Informational),
    ]);
    let (size, like) = (kb(path.metadata()?.len() as f64), cwebp.ssim(path)?);
    report.note(format!("{name} has {size}; cwebp makes {} of it, SSIM {like:.4}", kb(cwebp.bytes)));
    Ok(report)
}

/// The ratio of the sizes, because the target is a third.
fn screenshot(path: &Path) -> Result<Report> {
    let [ours, cwebp] = compare(path, [&mut Encoder::Recto, &mut Encoder::Cwebp])?;
    let row = Row {
        what: format!("screenshot of 1920×1080, {}, times smaller", name(path)),
        ours: kb(ours.bytes),
        peer: format!("cwebp -q 80 {}", kb(cwebp.bytes)),
        ratio: cwebp.bytes / ours.bytes,
        target: Target::AtLeast(3.0),
    };
    Ok(vec![row, faster("… to WebP".into(), &ours, ("cwebp", &cwebp), Target::Informational)].into())
}

fn animated(path: &Path, sharp: &mut Encoder) -> Result<Report> {
    let [ours, gif2webp, sharp] = compare(path, [&mut Encoder::Recto, &mut Encoder::Gif2Webp, sharp])?;
    let what = "animated GIF, 40 frames of 480×360, to WebP".to_owned();
    let mut report = Report::from(vec![
        faster(what, &ours, ("gif2webp", &gif2webp), Target::Informational),
        smaller(&ours, ("gif2webp", &gif2webp), Target::Informational),
    ]);
    let (size, theirs) = (kb(path.metadata()?.len() as f64), kb(sharp.bytes));
    report.note(format!("the GIF has {size}; sharp converts it to {theirs} in {}", ms(sharp.ms)));
    Ok(report)
}

fn faster(what: String, ours: &Encoded, (name, peer): (&str, &Encoded), target: Target) -> Row {
    Row { what, ours: ms(ours.ms), peer: format!("{name} {}", ms(peer.ms)), ratio: peer.ms / ours.ms, target }
}

fn smaller(ours: &Encoded, (name, peer): (&str, &Encoded), target: Target) -> Row {
    Row {
        what: "… bytes".into(),
        ours: kb(ours.bytes),
        peer: format!("{name} {}", kb(peer.bytes)),
        ratio: ours.bytes / peer.bytes,
        target,
    }
}

/// `photo-1`
fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}
