//! A release goes live completely and at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use testing::Database;

use crate::release_writer::{Content, ReleaseWriter};
use crate::server_under_test::{publisher, start};
use crate::visitor::Ask;

testing::on_each_configuration!(
    a_release_is_live_at_the_next_request,
    a_rollback_holds_at_the_next_request,
    changes_of_another_process_are_seen,
    open_tabs_find_the_assets_of_former_releases,
    readers_never_see_two_releases_mixed,
);

async fn a_release_is_live_at_the_next_request(database: &Database) {
    let server = start(database).await;
    for number in 1..20 {
        let text = format!("release {number}");
        assert_eq!(server.release(&[("/a", text.as_str())]).await, number);
        let answer = server.get("/a").await;
        assert_eq!((answer.status_and_body(), answer.release()), ((200, text.as_str()), number));
    }
    server.release(&[("/b", "b")]).await;
    assert_eq!(server.get("/a").await.status, 404);
}

async fn a_rollback_holds_at_the_next_request(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "first")]).await;
    server.release(&[("/a", "second"), ("/b", "b")]).await;
    assert_eq!(server.get("/b").await.status_and_body(), (200, "b"));
    assert_eq!(server.publisher.rollback(&server.acme, None).await.unwrap(), 1);
    let answer = server.get("/a").await;
    assert_eq!((answer.status_and_body(), answer.release()), ((200, "first"), 1));
    assert_eq!(server.get("/b").await.status, 404);
    server.publisher.rollback(&server.acme, Some(2)).await.unwrap();
    assert_eq!(server.get("/a").await.status_and_body(), (200, "second"));
}

async fn changes_of_another_process_are_seen(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "first")]).await;
    assert_eq!(server.get("/a").await.status_and_body(), (200, "first"));
    let releases = ReleaseWriter { store: database.open(), blob: server.releases.blob.clone() };
    releases.release(server.acme.id, &[("/a", "second".into())]).await;
    let soon = async |expected: &str| {
        // With SQLite the change is visible at once, with PostgreSQL a moment later.
        for _ in 0..100 {
            if server.get("/a").await.text() == expected {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        panic!("{expected} is not there");
    };
    soon("second").await;
    let other = publisher(&releases, &server.clock);
    other.rollback(&server.acme, None).await.unwrap();
    soon("first").await;
    other.protect(&server.acme, "open sesame").await.unwrap();
    for _ in 0..100 {
        if server.get("/a").await.status == 401 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    panic!("the site is not protected");
}

async fn open_tabs_find_the_assets_of_former_releases(database: &Database) {
    let server = start(database).await;
    server.release(&[("/a", "a"), ("/assets/1.css", "first"), ("/old", "old")]).await;
    server.release(&[("/a", "a"), ("/assets/2.css", "second")]).await;
    for _ in 0..2 {
        assert_eq!(server.get("/assets/2.css").await.status_and_body(), (200, "second"));
        let former = server.get("/assets/1.css").await;
        assert_eq!((former.status_and_body(), former.release()), ((200, "first"), 2));
        assert_eq!(server.get("/assets/3.css").await.status, 404);
        assert_eq!(server.get("/old").await.status, 404);
    }
}

/// Every response is from one release: the page, the fragment inside it and the header all contain its number.
async fn readers_never_see_two_releases_mixed(database: &Database) {
    let server = start(database).await;
    let release = async |number: i64| {
        let files = [
            ("/a", format!("a {number} {} \0/.side\0", ".".repeat(1500))),
            ("/b", format!("b {number} {} \0/.side\0", ".".repeat(1500))),
            ("/.side", format!("side {number}")),
            ("/404.html", format!("missing {number}")),
        ];
        let files = files.map(|(path, text)| (path, Content::Text(text)));
        assert_eq!(server.release(&files).await, number);
    };
    release(1).await;
    let done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = ["/a", "/b", "/missing", "/a"]
        .map(|path| {
            let (done, address) = (done.clone(), server.address);
            tokio::spawn(async move {
                let (mut seen, mut last) = (0, 0);
                while !done.load(Ordering::Acquire) {
                    let answer = Ask::get(path).send(address).await;
                    let release = answer.release();
                    let text = answer.text();
                    match path {
                        "/missing" => {
                            assert_eq!(answer.status_and_body(), (404, format!("missing {release}").as_str()))
                        }
                        _ => {
                            assert_eq!(answer.status, 200);
                            assert!(
                                text.starts_with(&format!("{} {release} ", &path[1..])),
                                "{release}: {text}"
                            );
                            assert!(text.ends_with(&format!("side {release}")), "{release}: {text}");
                        }
                    }
                    assert!(release >= last, "{release} after {last}");
                    (seen, last) = (seen + 1, release);
                }
                seen
            })
        })
        .into();
    for number in 2..=60 {
        release(number).await;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    done.store(true, Ordering::Release);
    for reader in readers {
        assert!(reader.await.unwrap() > 20);
    }
}
