//! Redirects of a release.

use testing::Database;

use crate::release_writer::Content;
use crate::server_under_test::start;
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_moved_page_is_redirected_with_its_query,
    a_redirect_of_a_release_stays_on_the_host
);

async fn a_moved_page_is_redirected_with_its_query(database: &Database) {
    let server = start(database).await;
    let moved = |target: &str| Content::Redirect(target.into());
    server.release(&[("/old", moved("/blog/new")), ("/blog/new", "new".into())]).await;
    for _ in 0..2 {
        let answer = server.get("/old").await;
        assert_eq!((answer.location(), answer.release()), ((301, "/blog/new"), 1));
        assert_eq!(answer.header("cache-control"), Some("public, max-age=0, must-revalidate"));
        assert_eq!(server.get("/old?a=b").await.location(), (301, "/blog/new?a=b"));
        assert_eq!(server.ask(Ask::head("/old")).await.location(), (301, "/blog/new"));
    }
    server.release(&[("/old", "here again")]).await;
    assert_eq!(server.get("/old").await.status_and_body(), (200, "here again"));
}

async fn a_redirect_of_a_release_stays_on_the_host(database: &Database) {
    let server = start(database).await;
    server.release(&[("/old", Content::Redirect("//evil.com".into()))]).await;
    assert_eq!(server.get("/old").await.location(), (301, "/evil.com"));
}
