use model::SiteId;
use store::Store;
use store::mentions::{self, Mention};
use store::pages::Page;
use store::texts::{self, Text};
use testing::Database;

use crate::{delete, insert, page, read, site, write};

testing::on_both_databases!(pages_that_mention_media_are_returned_in_steps, deleted_pages_use_nothing);

/// A page with these texts.
async fn publish(store: &Store, site: SiteId, key: &str, content: &str, params: &str) -> Page {
    let bodies = [content.to_owned(), params.to_owned()];
    let range = write(store, move |tx| texts::insert(tx, &bodies)).await.unwrap();
    let texts = [(range.first, content), (range.last, params)];
    let [content, params] = texts.map(|(id, body)| Some(Text { id, bytes: body.len() as i64 }));
    let page = Page { content, params, ..page(key) };
    insert(store, site, std::slice::from_ref(&page)).await;
    page
}

async fn pages_that_mention_media_are_returned_in_steps(database: &Database) {
    let store = database.store();
    let (books, other) = (site(store, "books").await.id, site(store, "other").await.id);
    let mut expected = [
        publish(store, books, "docs/guides/a", "![](/media/0/a.png)", "{}").await,
        publish(store, books, "docs/guides/b", "none", r#"{"image":"\/media\/0\/a.png"}"#).await,
        publish(store, books, "blog//c", "[](/media/1/b.png)", r#"{"image":"/media/1/b.png"}"#).await,
    ];
    publish(store, books, "blog//d", "multimedia and /medians/", "{}").await;
    publish(store, other, "blog//e", "![](/media/0/a.png)", "{}").await;
    insert(store, books, &[Page { content: None, params: None, ..page("blog//f") }]).await;
    expected.sort_by_key(|page| page.id);
    let behind = |last| read(store, move |tx| mentions::behind(tx, books, last, 2));
    let first = behind(None).await;
    let rest = behind(Some(first[1].id)).await;
    let found: Vec<Mention> = first.into_iter().chain(rest).collect();
    let ids: Vec<_> = found.iter().map(|mention| mention.id).collect();
    assert_eq!(ids, expected.iter().map(|page| page.id).collect::<Vec<_>>());
    let blog = found.into_iter().find(|mention| mention.key == crate::key("blog//c")).unwrap();
    let expected = Mention {
        id: blog.id,
        key: crate::key("blog//c"),
        title: "Title of blog//c".into(),
        content: Some("[](/media/1/b.png)".into()),
        params: Some(r#"{"image":"/media/1/b.png"}"#.into()),
    };
    assert_eq!(blog, expected);
}

async fn deleted_pages_use_nothing(database: &Database) {
    let store = database.store();
    let books = site(store, "books").await.id;
    let page = publish(store, books, "blog//a", "![](/media/0/a.png)", "{}").await;
    delete(store, books, &[page.id], 4).await;
    assert_eq!(read(store, move |tx| mentions::behind(tx, books, None, 10)).await, []);
}
