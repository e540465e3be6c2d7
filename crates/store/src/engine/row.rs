//! What a statement found, read into types. Columns are read in the order in which the statement names them: none is looked
//! up by name or counted by hand. `from_row!` writes both the reading and the list of columns.

use model::{
    AccountId, AuditId, BuildId, MediaHash, ObjectId, PackId, PageId, SessionId, SiteId, TextHash, Timestamp,
    TokenHash, TokenId, UserId,
};
use uuid::Uuid;

use crate::error::{Error, Result};

#[derive(Clone, Copy)]
pub enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r postgres::Row),
}

impl<'r> Row<'r> {
    pub fn get<T>(&self, column: usize) -> Result<T>
    where
        T: rusqlite::types::FromSql + for<'a> postgres::types::FromSql<'a>,
    {
        match self {
            Row::Sqlite(row) => Ok(row.get(column)?),
            Row::Postgres(row) => row.try_get(column).map_err(internal),
        }
    }

    /// A text column without a copy.
    pub fn text(&self, column: usize) -> Result<&'r str> {
        match self {
            Row::Sqlite(row) => row.get_ref(column)?.as_str().map_err(internal),
            Row::Postgres(row) => row.try_get(column).map_err(internal),
        }
    }

    pub fn opt_text(&self, column: usize) -> Result<Option<&'r str>> {
        match self {
            Row::Sqlite(row) => row.get_ref(column)?.as_str_or_null().map_err(internal),
            Row::Postgres(row) => row.try_get(column).map_err(internal),
        }
    }

    fn opt_bytes(&self, column: usize) -> Result<Option<&'r [u8]>> {
        match self {
            Row::Sqlite(row) => row.get_ref(column)?.as_blob_or_null().map_err(internal),
            Row::Postgres(row) => row.try_get(column).map_err(internal),
        }
    }

    fn is_null(&self, column: usize) -> Result<bool> {
        match self {
            Row::Sqlite(row) => Ok(row.get_ref(column)? == rusqlite::types::ValueRef::Null),
            Row::Postgres(row) => {
                row.try_get(column).map(|value: Option<Anything>| value.is_none()).map_err(internal)
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Row::Sqlite(row) => row.as_ref().column_count(),
            Row::Postgres(row) => row.len(),
        }
    }

    /// All its columns as one value, which may borrow from it.
    pub(crate) fn read<T: FromRow<'r>>(self) -> Result<T> {
        let mut columns = Columns { row: self, next: 0 };
        let value = columns.next()?;
        debug_assert_eq!(columns.next, self.len(), "not all columns are read");
        Ok(value)
    }
}

/// For `Tx::query` and its like.
pub(crate) fn read<T: for<'r> FromRow<'r>>(row: &Row) -> Result<T> {
    row.read()
}

fn internal(error: impl std::error::Error) -> Error {
    Error::Internal(error.to_string())
}

/// A value of PostgreSQL of whatever type.
struct Anything;

impl postgres::types::FromSql<'_> for Anything {
    fn from_sql(
        _: &postgres::types::Type,
        _: &[u8],
    ) -> Result<Anything, Box<dyn std::error::Error + Sync + Send>> {
        Ok(Anything)
    }

    fn accepts(_: &postgres::types::Type) -> bool {
        true
    }
}

/// The columns of a row that are still to be read.
pub(crate) struct Columns<'r> {
    row: Row<'r>,
    next: usize,
}

impl<'r> Columns<'r> {
    /// The next value, of as many columns as its type has.
    pub(crate) fn next<T: FromRow<'r>>(&mut self) -> Result<T> {
        T::from_row(self)
    }
}

/// A value in one or more columns of a row.
pub(crate) trait FromRow<'r>: Sized {
    const COLUMNS: usize;

    fn from_row(columns: &mut Columns<'r>) -> Result<Self>;

    /// `None` where its first column is null.
    fn from_nullable(columns: &mut Columns<'r>) -> Result<Option<Self>> {
        if columns.row.is_null(columns.next)? {
            columns.next += Self::COLUMNS;
            return Ok(None);
        }
        columns.next().map(Some)
    }
}

impl<'r, T: FromRow<'r>> FromRow<'r> for Option<T> {
    const COLUMNS: usize = T::COLUMNS;

    fn from_row(columns: &mut Columns<'r>) -> Result<Option<T>> {
        T::from_nullable(columns)
    }
}

// Reading a column shows whether it is null: checking that separately would read each one twice.
macro_rules! in_one_column {
    ($($type:ty: $get:expr),+ $(,)?) => {$(
        impl<'r> FromRow<'r> for $type {
            const COLUMNS: usize = 1;

            fn from_row(columns: &mut Columns<'r>) -> Result<Self> {
                let value = Self::from_nullable(columns)?;
                value.ok_or_else(|| Error::Internal("a stored value is null".into()))
            }

            fn from_nullable(columns: &mut Columns<'r>) -> Result<Option<Self>> {
                columns.next += 1;
                $get(&columns.row, columns.next - 1)
            }
        }
    )+};
}

in_one_column!(
    bool: Row::get,
    i64: Row::get,
    String: Row::get,
    Uuid: Row::get,
    Vec<u8>: Row::get,
    &'r str: Row::opt_text,
    &'r [u8]: Row::opt_bytes,
);

/// A type that is made from another one: `converted!(&str => Status: |text| …)`.
macro_rules! converted {
    ($from:ty => $type:ty: $convert:expr) => {
        impl<'r> $crate::engine::row::FromRow<'r> for $type {
            const COLUMNS: usize = <$from as $crate::engine::row::FromRow>::COLUMNS;

            fn from_row(columns: &mut $crate::engine::row::Columns<'r>) -> $crate::Result<Self> {
                let convert: fn($from) -> $crate::Result<Self> = $convert;
                convert(columns.next()?)
            }

            fn from_nullable(columns: &mut $crate::engine::row::Columns<'r>) -> $crate::Result<Option<Self>> {
                let convert: fn($from) -> $crate::Result<Self> = $convert;
                columns.next::<Option<_>>()?.map(convert).transpose()
            }
        }
    };
}

macro_rules! newtypes {
    ($($type:ident($inner:ty)),+ $(,)?) => {
        $($crate::engine::row::converted!($inner => $type: |value| Ok($type(value)));)+
    };
}

newtypes!(
    AccountId(Uuid),
    AuditId(Uuid),
    BuildId(Uuid),
    ObjectId(Uuid),
    PackId(Uuid),
    PageId(Uuid),
    SessionId(Uuid),
    SiteId(Uuid),
    TokenId(Uuid),
    UserId(Uuid),
    MediaHash([u8; 16]),
    TextHash([u8; 32]),
    TokenHash([u8; 32]),
);

converted!(i64 => Timestamp: |micros| Ok(Timestamp::from_micros(micros)));
converted!(i64 => u8: |number| number.try_into().map_err(internal));
converted!(i64 => u16: |number| number.try_into().map_err(internal));
// A sum that went below zero counts as zero.
converted!(i64 => u64: |number| Ok(number.max(0) as u64));

converted!(&[u8] => [u8; 16]: exactly);
converted!(&[u8] => [u8; 32]: exactly);

fn exactly<const N: usize>(bytes: &[u8]) -> Result<[u8; N]> {
    bytes.try_into().map_err(|_| Error::Internal("a stored hash has a wrong length".into()))
}

macro_rules! tuples {
    ($(($($type:ident),+))+) => {$(
        impl<'r, $($type: FromRow<'r>),+> FromRow<'r> for ($($type,)+) {
            const COLUMNS: usize = 0 $(+ $type::COLUMNS)+;

            fn from_row(columns: &mut Columns<'r>) -> Result<Self> {
                Ok(($(columns.next::<$type>()?,)+))
            }
        }
    )+};
}

tuples!((A, B)(A, B, C)(A, B, C, D)(A, B, C, D, E));

/// Has a struct read from rows: its fields in the order of their columns, with the columns of those that are not called as
/// they are. `from_row!(pack = Pack { id, site: "site_id", size, dead })` also gives the list of columns a name, for
/// `select!`.
macro_rules! from_row {
    ($list:ident = $type:ty { $($fields:tt)+ }) => {
        $crate::engine::row::from_row!($type { $($fields)+ });

        macro_rules! $list {
            () => {
                $crate::engine::row::columns!($($fields)+)
            };
        }
    };
    ($type:ty { $($field:ident $(: $columns:expr)?),+ $(,)? }) => {
        impl<'r> $crate::engine::row::FromRow<'r> for $type {
            const COLUMNS: usize =
                $crate::engine::row::count($crate::engine::row::columns!($($field $(: $columns)?),+));

            fn from_row(columns: &mut $crate::engine::row::Columns<'r>) -> $crate::Result<Self> {
                Ok(Self { $($field: columns.next()?),+ })
            }
        }
    };
}

macro_rules! columns {
    ($first:ident $(: $first_columns:expr)? $(, $field:ident $(: $columns:expr)?)* $(,)?) => {
        concat!(
            $crate::engine::row::columns!(@of $first $(: $first_columns)?)
            $(, ", ", $crate::engine::row::columns!(@of $field $(: $columns)?))*
        )
    };
    (@of $field:ident) => { stringify!($field) };
    (@of $field:ident: $columns:expr) => { $columns };
}

/// How many columns a list has.
pub(crate) const fn count(list: &str) -> usize {
    let (bytes, mut index, mut count) = (list.as_bytes(), 0, 1);
    while index < bytes.len() {
        count += (bytes[index] == b',') as usize;
        index += 1;
    }
    count
}

/// `SELECT`, a list of columns by `from_row!`, and the rest of the statement.
macro_rules! select {
    ($list:ident, $rest:literal) => {
        concat!("\nSELECT ", $list!(), $rest)
    };
}

pub(crate) use {columns, converted, from_row, newtypes, select};
