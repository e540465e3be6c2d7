//! The rows of all tables in one compressed file. It describes itself: before the rows of a table a line has its name, its
//! key and its columns, so that rows of an older schema can be restored.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use store::transfer::{Column, ColumnType, Table};
use zstd::stream::read::Decoder;
use zstd::stream::write::Encoder;

use crate::error::{Error, Result, of_file};

/// zstd's default.
const LEVEL: i32 = 3;

#[derive(Serialize, Deserialize)]
struct Header {
    table: String,
    key: Vec<String>,
    columns: Vec<(String, String)>,
}

/// A compressed file of lines.
pub(crate) struct LinesWriter {
    path: String,
    encoder: Encoder<'static, BufWriter<File>>,
}

impl LinesWriter {
    pub(crate) fn create(path: &Path) -> Result<LinesWriter> {
        let file = File::create_new(path).map_err(of_file(path))?;
        let encoder = Encoder::new(BufWriter::new(file), LEVEL).map_err(of_file(path))?;
        Ok(LinesWriter { path: path.display().to_string(), encoder })
    }

    /// The line ends in a line feed.
    pub(crate) fn write(&mut self, line: &[u8]) -> Result<()> {
        self.encoder.write_all(line).map_err(|error| self.failed(error))
    }

    pub(crate) fn write_json(&mut self, value: &impl Serialize) -> Result<()> {
        let mut line = serde_json::to_vec(value).map_err(|error| self.failed(error.into()))?;
        line.push(b'\n');
        self.write(&line)
    }

    pub(crate) fn write_table(&mut self, table: &Table) -> Result<()> {
        let column = |column: &Column| (column.name.clone(), column.kind.name().to_owned());
        let columns = table.columns.iter().map(column).collect();
        self.write_json(&Header { table: table.name.clone(), key: table.key.clone(), columns })
    }

    pub(crate) fn finish(self) -> Result<()> {
        let path = self.path;
        let ended = self.encoder.finish().and_then(|mut file| file.flush());
        ended.map_err(|error| Error::File(format!("{path}: {error}")))
    }

    fn failed(&self, error: std::io::Error) -> Error {
        Error::File(format!("{}: {error}", self.path))
    }
}

/// The lines of a compressed file, one at a time.
pub(crate) struct LinesReader {
    decoder: BufReader<Decoder<'static, BufReader<File>>>,
    line: Vec<u8>,
}

impl LinesReader {
    pub(crate) fn open(path: &Path) -> Result<LinesReader> {
        let file = File::open(path).map_err(of_file(path))?;
        let decoder = Decoder::new(file).map_err(of_file(path))?;
        Ok(LinesReader { decoder: BufReader::new(decoder), line: Vec::new() })
    }

    /// With its line feed; `None` at the end.
    pub(crate) fn next(&mut self) -> Result<Option<&[u8]>> {
        self.line.clear();
        let read = self.decoder.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| Error::Damaged(format!("a compressed file ends early: {error}")))?;
        Ok((read > 0).then_some(self.line.as_slice()))
    }
}

/// A line of the file of rows.
pub(crate) enum Line<'l> {
    Table(Table),
    /// Of the last table.
    Row(&'l [u8]),
}

pub(crate) fn each_line(path: &Path, mut each: impl FnMut(Line) -> Result<()>) -> Result<()> {
    let mut lines = LinesReader::open(path)?;
    while let Some(line) = lines.next()? {
        match line.first() {
            Some(b'{') => each(Line::Table(parse_table(line)?))?,
            _ => each(Line::Row(line))?,
        }
    }
    Ok(())
}

fn parse_table(line: &[u8]) -> Result<Table> {
    let wrong = || Error::Damaged("the rows of a table have no valid description".into());
    let header: Header = serde_json::from_slice(line).map_err(|_| wrong())?;
    let column = |(name, kind): (String, String)| {
        ColumnType::parse(&kind).map(|kind| Column { name, kind }).ok_or_else(wrong)
    };
    let columns = header.columns.into_iter().map(column).collect::<Result<_>>()?;
    let table = Table { name: header.table, key: header.key, columns };
    if table.has_plain_names() { Ok(table) } else { Err(wrong()) }
}
