//! SQLite's full-text search, in memory.

use anyhow::Result;
use rusqlite::Connection;

use super::queries::Answer;
use super::{Engine, Text};
use crate::timing::{ms_since, time};

const FIND: &str = "
    SELECT url, snippet(pages, 2, '', '', '…', 30)
    FROM pages
    WHERE pages MATCH ?
    ORDER BY bm25(pages, 0.0, 10.0, 1.0)
    LIMIT 20";

const COUNT: &str = "SELECT count(*) FROM pages WHERE pages MATCH ?";

const USED_BYTES: &str = "
    SELECT CAST((page_count - freelist_count) * page_size AS REAL)
    FROM pragma_page_count, pragma_freelist_count, pragma_page_size";

pub struct Fts5(Connection);

impl Fts5 {
    /// The index, and the milliseconds it took.
    pub fn new(texts: &[Text]) -> Result<(Fts5, f64)> {
        let mut connection = Connection::open_in_memory()?;
        let table = "CREATE VIRTUAL TABLE pages USING fts5 (url UNINDEXED, title, text, prefix = '2 3')";
        let indexing = time(|| {
            let transaction = connection.transaction()?;
            transaction.execute(table, ())?;
            let mut insert = transaction.prepare("INSERT INTO pages VALUES (?, ?, ?)")?;
            for Text { page, rendered } in texts {
                let headings: Vec<&str> =
                    rendered.headings.iter().map(|heading| heading.text.as_str()).collect();
                insert.execute((
                    page.url(),
                    &page.title,
                    format!("{}\n{}", headings.join("\n"), rendered.text),
                ))?;
            }
            drop(insert);
            Ok(transaction.commit()?)
        })?;
        Ok((Fts5(connection), indexing))
    }

    pub fn megabytes(&self) -> Result<f64> {
        let bytes: f64 = self.0.query_row(USED_BYTES, (), |row| row.get(0))?;
        Ok(bytes / 1e6)
    }
}

impl Engine for Fts5 {
    fn answer(&mut self, query: &str) -> Result<Answer> {
        let start = std::time::Instant::now();
        // All words, the last one also as a prefix.
        let words: Vec<String> = query.split_whitespace().map(|word| format!("\"{word}\"")).collect();
        let words = format!("{}*", words.join(" "));
        let mut find = self.0.prepare_cached(FIND)?;
        let rows =
            find.query_map([&words], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
        let urls = rows.map(|row| row.map(|(url, _)| url)).collect::<Result<_, _>>()?;
        let mut count = self.0.prepare_cached(COUNT)?;
        let total = count.query_row([&words], |row| row.get::<_, i64>(0))? as usize;
        Ok(Answer { ms: ms_since(start), total, urls })
    }
}
