//! Pages that may use media: what an operator asks before something is deleted. It reads texts, so it is slow.

use model::{PageId, PageKey, SiteId};
use uuid::Uuid;

use crate::engine::row::{from_row, read, select};
use crate::{Result, Tx};

/// A live page whose content or params speak of media.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    pub id: PageId,
    pub key: PageKey,
    pub title: String,
    pub content: Option<String>,
    pub params: Option<String>,
}

from_row!(
    mention = Mention {
        id: "pages.id",
        key: "pages.content_type, pages.section, pages.slug",
        title: "pages.title",
        content: "content.body",
        params: "params.body",
    }
);

// Params are kept as they were sent: a slash may be escaped there.
const BEHIND: &str = select!(
    mention,
    "
FROM pages
LEFT JOIN texts AS content ON content.id = pages.content_id
LEFT JOIN texts AS params ON params.id = pages.params_id
WHERE pages.site_id = $1 AND pages.id > $2 AND pages.deleted_at IS NULL
  AND (content.body LIKE '%/media/%' OR params.body LIKE '%media%')
ORDER BY pages.id
LIMIT $3"
);

/// At most `most` such pages, behind the last one of the list before. Texts are long: ask for few at a time.
pub fn behind(tx: &mut Tx, site: SiteId, last: Option<PageId>, most: i64) -> Result<Vec<Mention>> {
    let last = last.map_or(Uuid::nil(), |page| page.0);
    tx.query(BEHIND, &[&site.0, &last, &most], read)
}
