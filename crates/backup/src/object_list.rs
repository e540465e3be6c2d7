//! Which objects a backup has: one line for each, packs before media, in the order of their ids. Lists in the same order
//! are compared side by side, so that none of them has to be in memory.

use std::path::Path;

use blob::Key;
use model::{ObjectId, PackId};
use serde::{Deserialize, Serialize};
use store::transfer::{Table, Value};
use uuid::Uuid;

use crate::error::{Error, Result};
use crate::lines::hex;
use crate::rows_file::LinesReader;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ObjectKind {
    Pack,
    Media,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Object {
    pub(crate) kind: ObjectKind,
    pub(crate) id: Uuid,
    pub(crate) size: u64,
    /// BLAKE3, as far as it is known: the row of an upload has the first half.
    #[serde(default)]
    pub(crate) hash: String,
}

impl Object {
    /// Whether rows of this table name objects.
    pub(crate) fn has_rows_in(table: &Table) -> bool {
        ["packs", "objects"].contains(&table.name.as_str())
    }

    /// The object that a row names and that is still needed. Others are being written, or will be deleted.
    pub(crate) fn of_row(table: &Table, row: &[Value]) -> Option<Object> {
        let value = |name| table.column(name).and_then(|column| row.get(column));
        let kind = match (table.name.as_str(), value("state")?) {
            ("packs", Value::Text(state)) if state == "live" => ObjectKind::Pack,
            ("objects", Value::Text(state)) if state == "kept" || state == "twin" => ObjectKind::Media,
            _ => return None,
        };
        let (Value::Uuid(id), Value::Integer(size)) = (value("id")?, value("size")?) else { return None };
        let hash = match value("hash") {
            Some(Value::Bytes(hash)) => hex(hash),
            _ => String::new(),
        };
        Some(Object { kind, id: *id, size: u64::try_from(*size).ok()?, hash })
    }

    pub(crate) fn key(&self) -> Key {
        match self.kind {
            ObjectKind::Pack => Key::pack(PackId(self.id)),
            ObjectKind::Media => Key::media(ObjectId(self.id)),
        }
    }

    /// Whether bytes with this hash can be the object's.
    pub(crate) fn accepts(&self, hash: &str) -> bool {
        hash.starts_with(&self.hash)
    }

    fn order(&self) -> (ObjectKind, Uuid) {
        (self.kind, self.id)
    }

    pub(crate) fn name(&self) -> String {
        match self.kind {
            ObjectKind::Pack => format!("pack {}", self.id),
            ObjectKind::Media => format!("media object {}", self.id),
        }
    }
}

/// Reads a list from its beginning to its end.
pub(crate) struct ObjectList {
    lines: LinesReader,
    /// The last object that `find` has read, if that was further than it looked for.
    next: Option<Object>,
}

impl ObjectList {
    pub(crate) fn open(path: &Path) -> Result<ObjectList> {
        Ok(ObjectList { lines: LinesReader::open(path)?, next: None })
    }

    /// The same object in this list. Callers ask in the order of lists.
    pub(crate) fn find(&mut self, object: &Object) -> Result<Option<Object>> {
        loop {
            let next = match self.next.take() {
                Some(next) => next,
                None => match self.next() {
                    Some(next) => next?,
                    None => return Ok(None),
                },
            };
            if next.order() >= object.order() {
                let found = (next.order() == object.order()).then(|| next.clone());
                self.next = Some(next);
                return Ok(found);
            }
        }
    }
}

impl Iterator for ObjectList {
    type Item = Result<Object>;

    fn next(&mut self) -> Option<Result<Object>> {
        let parse = |line: &[u8]| {
            serde_json::from_slice(line)
                .map_err(|_| Error::Damaged("a line of a list of objects is wrong".into()))
        };
        match self.lines.next() {
            Ok(line) => line.map(parse),
            Err(error) => Some(Err(error)),
        }
    }
}
