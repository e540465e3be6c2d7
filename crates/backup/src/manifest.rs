//! What a backup consists of. It is written last: a backup without it is not complete.

use model::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::{Error, Result};

/// Raised when an older recto could not read a backup.
pub(crate) const FORMAT: u32 = 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub format: u32,
    pub id: String,
    /// The moment of the rows: ISO 8601.
    pub created_at: String,
    /// The version of recto that wrote it.
    pub recto: String,
    /// The schema of the database.
    pub schema: i64,
    pub installation_id: Uuid,
    pub rows: FileSum,
    pub object_list: FileSum,
    pub objects: u64,
    pub object_bytes: u64,
    pub tables: Vec<TableSum>,
    /// What was already missing or damaged in the installation: the first ones.
    #[serde(default)]
    pub problems: Vec<String>,
    #[serde(default)]
    pub problem_count: u64,
}

/// A file of the backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSum {
    pub name: String,
    pub size: u64,
    /// BLAKE3.
    pub hash: String,
}

/// The rows of a table in their canonical form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSum {
    pub name: String,
    pub rows: u64,
    pub hash: String,
}

impl Manifest {
    pub(crate) fn parse(id: &str, bytes: &[u8]) -> Result<Manifest> {
        #[derive(Deserialize)]
        struct Format {
            format: u32,
        }
        let wrong = |error| Error::Damaged(format!("the manifest of backup {id} cannot be read: {error}"));
        let Format { format } = serde_json::from_slice(bytes).map_err(wrong)?;
        if format > FORMAT {
            return Err(Error::Refused(format!(
                "backup {id} has format {format}, this recto knows {FORMAT}: use a newer recto"
            )));
        }
        serde_json::from_slice(bytes).map_err(wrong)
    }

    pub fn row_count(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }

    /// When its rows were read.
    pub fn time(&self) -> Result<Timestamp> {
        let time = Timestamp::parse_iso(&self.created_at);
        time.map_err(|error| Error::Damaged(format!("the manifest of backup {}: {error}", self.id)))
    }
}
