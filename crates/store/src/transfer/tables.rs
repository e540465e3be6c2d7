//! Every table, its columns and what they hold. `tests/store/transfer.rs` compares this list with both databases.

use ColumnType::{Bool, Bytes, Integer, Text, Uuid};

/// What a column holds, on either database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    Uuid,
    Integer,
    Bool,
    Text,
    Bytes,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    pub kind: ColumnType,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    /// The columns of the primary key. A table without one has a single row.
    pub key: Vec<String>,
    pub columns: Vec<Column>,
}

impl Table {
    /// Which column has this name.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    pub(super) fn column_list(&self) -> String {
        let names: Vec<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        names.join(", ")
    }

    /// Whether all its names can be part of a statement: a backup may hold anything.
    pub fn has_plain_names(&self) -> bool {
        let plain =
            |name: &String| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        let columns = self.columns.iter().map(|column| &column.name);
        [&self.name].into_iter().chain(&self.key).chain(columns).all(plain)
    }
}

impl ColumnType {
    const ALL: [ColumnType; 5] = [Uuid, Integer, Bool, Text, Bytes];

    /// Its name in backups.
    pub fn name(self) -> &'static str {
        match self {
            Uuid => "uuid",
            Integer => "integer",
            Bool => "bool",
            Text => "text",
            Bytes => "bytes",
        }
    }

    pub fn parse(name: &str) -> Option<ColumnType> {
        ColumnType::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

type Description = (&'static str, &'static [&'static str], &'static [(&'static str, ColumnType)]);

/// A table comes after those that it refers to. The ledger of migrations is not listed: each database has its own.
const TABLES: &[Description] = &[
    (
        "accounts",
        &["id"],
        &[
            ("id", Uuid),
            ("name", Text),
            ("plan", Text),
            ("created_at", Integer),
            ("suspended_at", Integer),
            ("build_month", Integer),
            ("build_count", Integer),
            ("storage_used", Integer),
            ("pages_used", Integer),
            ("text_used", Integer),
            ("build_turn", Integer),
            ("transcode_turn", Integer),
            ("default_site_id", Uuid),
            ("copies_turn", Integer),
            ("ping_turn", Integer),
        ],
    ),
    (
        "sites",
        &["id"],
        &[
            ("id", Uuid),
            ("account_id", Uuid),
            ("name", Text),
            ("version", Integer),
            ("last_build_at", Integer),
            ("created_at", Integer),
            ("settings", Text),
            ("live_release", Integer),
            ("purged_version", Integer),
            ("held", Bool),
            ("staged_release", Integer),
            ("password_hash", Text),
            ("cookie_key", Bytes),
            ("deleted_at", Integer),
        ],
    ),
    (
        "tokens",
        &["id"],
        &[
            ("id", Uuid),
            ("account_id", Uuid),
            ("name", Text),
            ("hash", Bytes),
            ("created_at", Integer),
            ("last_used_at", Integer),
            ("revoked_at", Integer),
        ],
    ),
    (
        "users",
        &["id"],
        &[
            ("id", Uuid),
            ("email", Text),
            ("password_hash", Text),
            ("operator", Bool),
            ("created_at", Integer),
        ],
    ),
    (
        "members",
        &["account_id", "user_id"],
        &[("account_id", Uuid), ("user_id", Uuid), ("role", Text), ("created_at", Integer)],
    ),
    (
        "sessions",
        &["id"],
        &[
            ("id", Uuid),
            ("user_id", Uuid),
            ("hash", Bytes),
            ("client", Text),
            ("created_at", Integer),
            ("seen_at", Integer),
        ],
    ),
    (
        "links",
        &["hash"],
        &[("hash", Bytes), ("user_id", Uuid), ("account_id", Uuid), ("role", Text), ("expires_at", Integer)],
    ),
    (
        "autosaves",
        &["site_id", "user_id", "form_id"],
        &[
            ("site_id", Uuid),
            ("user_id", Uuid),
            ("form_id", Uuid),
            ("version", Integer),
            ("revision", Integer),
            ("fields", Text),
            ("preview", Bytes),
            ("saved_at", Integer),
        ],
    ),
    (
        "passkeys",
        &["credential"],
        &[
            ("credential", Bytes),
            ("user_id", Uuid),
            ("public_key", Bytes),
            ("sign_count", Integer),
            ("name", Text),
            ("created_at", Integer),
            ("last_used_at", Integer),
        ],
    ),
    ("challenges", &["hash"], &[("hash", Bytes), ("user_id", Uuid), ("expires_at", Integer)]),
    (
        "audit_log",
        &["account_id", "id"],
        &[
            ("account_id", Uuid),
            ("id", Uuid),
            ("at", Integer),
            ("site_id", Uuid),
            ("actor_kind", Text),
            ("actor", Text),
            ("address", Text),
            ("action", Text),
            ("subject", Text),
        ],
    ),
    ("domains", &["host"], &[("host", Text), ("site_id", Uuid), ("created_at", Integer)]),
    ("texts", &["id"], &[("id", Integer), ("body", Text)]),
    (
        "doomed_texts",
        &["first_id"],
        &[
            ("first_id", Integer),
            ("last_id", Integer),
            ("after", Integer),
            ("site_id", Uuid),
            ("version", Integer),
            ("bytes", Integer),
        ],
    ),
    (
        "pages",
        &["site_id", "id"],
        &[
            ("site_id", Uuid),
            ("id", Uuid),
            ("content_type", Text),
            ("section", Text),
            ("slug", Text),
            ("title", Text),
            ("description", Text),
            ("draft", Bool),
            ("tags", Text),
            ("api_endpoint", Text),
            ("content_id", Integer),
            ("params_id", Integer),
            ("published_at", Integer),
            ("created_at", Integer),
            ("updated_at", Integer),
            ("deleted_at", Integer),
            ("version", Integer),
            ("content_bytes", Integer),
            ("params_bytes", Integer),
            ("content_hash", Bytes),
            ("params_hash", Bytes),
            ("section_spelling", Text),
        ],
    ),
    (
        "former_urls",
        &["site_id", "url"],
        &[("site_id", Uuid), ("url", Text), ("page_id", Uuid), ("version", Integer)],
    ),
    (
        "builds",
        &["id"],
        &[
            ("id", Uuid),
            ("account_id", Uuid),
            ("site_id", Uuid),
            ("status", Text),
            ("triggered_by", Text),
            ("created_at", Integer),
            ("started_at", Integer),
            ("completed_at", Integer),
            ("error", Text),
            ("attempts", Integer),
            ("due_at", Integer),
            ("warnings", Text),
        ],
    ),
    (
        "building",
        &["site_id"],
        &[
            ("site_id", Uuid),
            ("worker", Uuid),
            ("lease_until", Integer),
            ("seen_version", Integer),
            ("texts_below", Integer),
            ("pages_done", Integer),
            ("pages_total", Integer),
        ],
    ),
    (
        "releases",
        &["site_id", "number"],
        &[
            ("site_id", Uuid),
            ("number", Integer),
            ("build_id", Uuid),
            ("version", Integer),
            ("as_of", Integer),
            ("made_with", Text),
            ("pages", Integer),
            ("created_at", Integer),
            ("warnings", Text),
        ],
    ),
    (
        "packs",
        &["id"],
        &[
            ("id", Uuid),
            ("site_id", Uuid),
            ("state", Text),
            ("size", Integer),
            ("dead", Integer),
            ("after", Integer),
        ],
    ),
    (
        "release_files",
        &["site_id", "path", "from_release"],
        &[
            ("site_id", Uuid),
            ("path", Text),
            ("from_release", Integer),
            ("to_release", Integer),
            ("target", Text),
            ("pack_id", Uuid),
            ("pack_offset", Integer),
            ("length", Integer),
            ("hash", Bytes),
        ],
    ),
    (
        "release_pages",
        &["site_id", "page_id", "from_release"],
        &[
            ("site_id", Uuid),
            ("page_id", Uuid),
            ("from_release", Integer),
            ("to_release", Integer),
            ("meta", Text),
        ],
    ),
    (
        "pings",
        &["site_id"],
        &[("site_id", Uuid), ("hub", Text), ("release", Integer), ("due", Integer), ("attempts", Integer)],
    ),
    (
        "objects",
        &["id"],
        &[
            ("id", Uuid),
            ("site_id", Uuid),
            ("state", Text),
            ("after", Integer),
            ("size", Integer),
            ("hash", Bytes),
            ("width", Integer),
            ("height", Integer),
            ("created_at", Integer),
            ("source", Bytes),
            ("original", Bytes),
            ("copies_due", Integer),
            ("copies_attempts", Integer),
        ],
    ),
    ("media", &["site_id", "hash", "name"], &[("site_id", Uuid), ("hash", Bytes), ("name", Text)]),
    (
        "transcodes",
        &["site_id", "hash"],
        &[
            ("site_id", Uuid),
            ("hash", Bytes),
            ("status", Text),
            ("attempts", Integer),
            ("due_at", Integer),
            ("worker", Uuid),
            ("percent", Integer),
            ("error", Text),
            ("twin", Uuid),
        ],
    ),
    // Last: a database without this row was not copied to its end.
    (
        "server",
        &[],
        &[
            ("set_up_at", Integer),
            ("installation_id", Uuid),
            ("daily_work_at", Integer),
            ("changes", Integer),
        ],
    ),
];

/// All tables of the newest schema, in the order in which they are filled.
pub fn tables() -> Vec<Table> {
    let column = |(name, kind): &(&str, ColumnType)| Column { name: (*name).to_owned(), kind: *kind };
    let table = |(name, key, columns): &Description| Table {
        name: (*name).to_owned(),
        key: key.iter().map(|name| (*name).to_owned()).collect(),
        columns: columns.iter().map(column).collect(),
    };
    TABLES.iter().map(table).collect()
}
