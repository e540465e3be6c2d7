//! The rows of one moment, written to local files, so that a slow object store does not prolong the transaction.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use store::Location;
use store::transfer::{Snapshot, tables};
use uuid::Uuid;

use crate::Progress;
use crate::error::{Error, Result, blocking};
use crate::lines::{Sum, write_line};
use crate::manifest::TableSum;
use crate::object_list::Object;
use crate::rows_file::LinesWriter;
use crate::scratch::Scratch;

/// Rows between two lines of progress.
const SHOW_EVERY: u64 = 1000;

/// The rows of one moment, as files.
pub(crate) struct Dump {
    pub(crate) rows: PathBuf,
    /// The objects that the rows name.
    pub(crate) plan: PathBuf,
    pub(crate) tables: Vec<TableSum>,
    pub(crate) installation: Uuid,
    pub(crate) schema: i64,
}

pub(crate) async fn dump(store: Location, scratch: &Scratch, progress: Progress) -> Result<Dump> {
    let (rows, plan) = (scratch.file("rows"), scratch.file("plan"));
    let is_stopped = Arc::new(AtomicBool::new(false));
    let _stop = StopOnDrop(is_stopped.clone());
    blocking(move || read_rows(&store, rows, plan, &is_stopped, &progress)).await
}

/// A thread cannot be cancelled: it looks now and then whether its caller still waits.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn read_rows(
    store: &Location,
    rows: PathBuf,
    plan: PathBuf,
    is_stopped: &AtomicBool,
    progress: &Progress,
) -> Result<Dump> {
    let mut snapshot = Snapshot::open(store)?;
    let (mut row_lines, mut object_lines) = (LinesWriter::create(&rows)?, LinesWriter::create(&plan)?);
    let (mut sums, mut line) = (Vec::new(), Vec::new());
    for table in tables() {
        row_lines.write_table(&table)?;
        let mut sum = Sum::default();
        snapshot.each_row(&table, |row| {
            if is_stopped.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            write_line(row, &mut line);
            sum.add(&line);
            row_lines.write(&line)?;
            if let Some(object) = Object::of_row(&table, row) {
                object_lines.write_json(&object)?;
            }
            if sum.rows() % SHOW_EVERY == 0 {
                progress.show(&format!("rows: {} of {}", sum.rows(), table.name));
            }
            Ok(())
        })?;
        sums.push(sum.of(&table));
    }
    row_lines.finish()?;
    object_lines.finish()?;
    let (installation, schema) = (snapshot.installation(), snapshot.schema());
    Ok(Dump { rows, plan, tables: sums, installation, schema })
}
