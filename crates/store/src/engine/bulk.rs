//! The same work on many rows, said to each database in the way it is fast: to SQLite a prepared statement that is run once
//! for each row, to PostgreSQL one statement over arrays. The macros write both from one text.

pub struct Bulk {
    pub sqlite: &'static str,
    pub postgres: &'static str,
}

/// A statement about the row with a value, for each value: `for_each!("SELECT … WHERE site_id = $1 AND id", 2, "…")`.
macro_rules! for_each {
    ($before:expr, $number:literal) => {
        $crate::engine::bulk::for_each!($before, $number, "")
    };
    ($before:expr, $number:literal, $after:literal) => {
        $crate::Bulk {
            sqlite: concat!($before, " = $", $number, $after),
            postgres: concat!($before, " = ANY($", $number, ")", $after),
        }
    };
}

/// Inserts rows: first the columns that are the same in all of them, then the others with their types, each with the
/// number of its parameter. Then what else the statement says.
macro_rules! insert_each {
    ($table:ident ($($same:ident = $same_number:literal),*)
     ($first:ident = $first_number:literal $first_type:ident $(, $column:ident = $number:literal $type:ident)*)
     $($rest:literal)?) => {
        $crate::Bulk {
            sqlite: concat!(
                "INSERT INTO ", stringify!($table), " (", $(stringify!($same), ", ",)*
                stringify!($first) $(, ", ", stringify!($column))*,
                ") VALUES (", $("$", $same_number, ", ",)* "$", $first_number $(, ", $", $number)*, ") " $(, $rest)?
            ),
            postgres: concat!(
                "INSERT INTO ", stringify!($table), " (", $(stringify!($same), ", ",)*
                stringify!($first) $(, ", ", stringify!($column))*,
                ") SELECT ", $("$", $same_number, ", ",)* "* FROM unnest(CAST($", $first_number, " AS ",
                stringify!($first_type), "[])" $(, ", CAST($", $number, " AS ", stringify!($type), "[])")*, ") "
                $(, $rest)?
            ),
        }
    };
}

/// Changes rows of a site: the columns that are set to the same value in all of them, then the others; which site, and
/// which row.
macro_rules! update_each {
    ($table:ident set ($($same:ident = $same_number:literal),*)
     ($first:ident = $first_number:literal $first_type:ident $(, $column:ident = $number:literal $type:ident)*)
     where $site:ident = $site_number:literal, $key:ident = $key_number:literal $key_type:ident) => {
        $crate::Bulk {
            sqlite: concat!(
                "UPDATE ", stringify!($table), " SET ", $(stringify!($same), " = ?", $same_number, ", ",)*
                stringify!($first), " = ?", $first_number $(, ", ", stringify!($column), " = ?", $number)*,
                " WHERE ", stringify!($site), " = ?", $site_number, " AND ", stringify!($key), " = ?", $key_number
            ),
            postgres: concat!(
                "UPDATE ", stringify!($table), " SET ", $(stringify!($same), " = $", $same_number, ", ",)*
                stringify!($first), " = new.", stringify!($first)
                $(, ", ", stringify!($column), " = new.", stringify!($column))*,
                " FROM unnest(CAST($", $key_number, " AS ", stringify!($key_type), "[]), CAST($", $first_number, " AS ",
                stringify!($first_type), "[])" $(, ", CAST($", $number, " AS ", stringify!($type), "[])")*,
                ") AS new (", stringify!($key), ", ", stringify!($first) $(, ", ", stringify!($column))*, ")",
                " WHERE ", stringify!($table), ".", stringify!($site), " = $", $site_number,
                " AND ", stringify!($table), ".", stringify!($key), " = new.", stringify!($key)
            ),
        }
    };
}

pub(crate) use {for_each, insert_each, update_each};
