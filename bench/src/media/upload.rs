//! Uploading a file of 1 GB that is stored unchanged, from the loopback to the disk, compared with `cat` to a synced
//! file on the same disk.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::Result;

use super::{ROUNDS, run};
use crate::recto::{Part, Recto};
use crate::report::{Report, Row, Target, mb, ms, progress};
use crate::timing::{median, time};

const BYTES: u64 = 1 << 30;
const GROWTH_MB: f64 = 64.0;

pub async fn upload() -> Result<Report> {
    progress("generating an archive of 1 GB");
    let directory = tempfile::tempdir()?;
    let archive = directory.path().join("archive.zip");
    std::io::copy(&mut File::open("/dev/urandom")?.take(BYTES), &mut File::create(&archive)?)?;
    let recto = Recto::start(&[]).await?;
    tokio::time::sleep(Duration::from_secs(1)).await;
    let idle = recto.memory_mb("VmRSS")?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        mark(&archive, round)?;
        theirs.push(time(|| cat(&archive, &recto.directory().join("cat")))?);
        run(&mut Command::new("sync"))?;
        ours.push(time(|| recto.send_form("/media", &[Part::File(&archive)]))?);
        progress(&format!("upload of 1 GB: recto {ours:.0?} ms, cat and sync {theirs:.0?} ms"));
    }
    let growth = recto.memory_mb("VmHWM")? - idle;
    let (ours, theirs) = (median(ours), median(theirs));
    Ok(vec![
        Row {
            what: "POST /media of 1 GB; the ratio: of the speed of cat".into(),
            ours: ms(ours),
            peer: format!("cat && sync {}", ms(theirs)),
            ratio: theirs / ours,
            target: Target::AtLeast(0.5),
        },
        Row {
            what: "… memory growth".into(),
            ours: mb(growth),
            peer: mb(GROWTH_MB),
            ratio: growth / GROWTH_MB,
            target: Target::AtMost(1.0),
        },
    ]
    .into())
}

/// Changes the bytes in each round, since a file that is already stored is not stored again. Also syncs, so that
/// nothing is pending when the measurement starts.
fn mark(archive: &Path, round: usize) -> Result<()> {
    let mut file = File::options().write(true).open(archive)?;
    file.write_all(&round.to_le_bytes())?;
    run(&mut Command::new("sync")).map(drop)
}

fn cat(from: &Path, to: &Path) -> Result<()> {
    // Not over the file of the previous round, whose blocks are already allocated.
    if to.exists() {
        fs::remove_file(to)?;
    }
    run(Command::new("sh").args(["-c", r#"cat "$1" >"$2" && sync "$2""#, "cat"]).arg(from).arg(to)).map(drop)
}
