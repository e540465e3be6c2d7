//! Uploads that need no worker: files that are stored unchanged.

use std::time::Duration;

use blob::{Blob, Key};
use bytes::Bytes;
use model::{Clock, MediaUrl, ObjectId};
use publisher::{Caller, Error, Orphans, ProcessedFiles, Uploads};
use serde_json::json;
use testing::Database;

use crate::{DAY, World};

testing::on_both_databases!(
    a_file_that_was_not_published_is_swept,
    a_file_over_the_quota_is_refused_before_it_is_stored,
    a_deleted_medium_is_swept_an_hour_later,
    objects_without_a_row_are_swept_when_they_are_old,
);

impl World {
    async fn attached(&self, files: &[(&str, &str)]) -> ProcessedFiles {
        let mut uploads = Uploads::new(&self.publisher, &self.caller).unwrap();
        for (name, text) in files {
            let mut file = uploads.begin((*name).to_owned(), 0).await.unwrap();
            file.write(Bytes::from(text.as_bytes().to_vec())).await.unwrap();
            uploads.add(file).await.unwrap();
        }
        uploads.finish().await.unwrap()
    }

    async fn upload(&self, name: &str, text: &str) -> MediaUrl {
        let files = self.attached(&[(name, text)]).await;
        let item = self.publisher.upload(&self.caller, None, files).await.unwrap();
        MediaUrl::parse(&item.url).unwrap()
    }
}

async fn objects(blob: &Blob) -> usize {
    use futures_util::StreamExt;
    blob.media().count().await
}

async fn a_file_that_was_not_published_is_swept(database: &Database) {
    let world = World::new(database).await;
    let files = world.attached(&[("a.txt", "text")]).await;
    let mut draft = publisher::Draft::with_files(&world.publisher, &world.caller, files);
    draft.begin_batch();
    draft
        .page(&json!({"title": "A", "content": "[a](file:a.txt) [b](file:b.txt)"}).to_string())
        .await
        .unwrap();
    let refused = draft.publish(&world.caller).await.unwrap_err();
    assert!(
        matches!(&refused, Error::UnresolvedFiles(found) if found.counts[&0] == 1 && found.names == ["b.txt"]),
        "{refused}"
    );
    assert_eq!(objects(&world.blob).await, 0);

    world.upload("a.txt", "text").await;
    assert_eq!(objects(&world.blob).await, 1);
    world.upload("b.txt", "text").await;
    assert_eq!(objects(&world.blob).await, 1, "the same bytes are written once");
    world.clock.advance(2 * DAY);
    assert_eq!(world.publisher.sweep_media().await.unwrap(), 0);
}

async fn a_file_over_the_quota_is_refused_before_it_is_stored(database: &Database) {
    let world = World::new(database).await;
    let files = world.attached(&[("a.txt", "text")]).await;
    let poor = Caller { plan: "no such plan".into(), ..world.caller.clone() };
    let refused = world.publisher.upload(&poor, None, files).await.unwrap_err();
    let no_space = |error: &Error| {
        matches!(error, Error::Quota { what: publisher::Limited::Storage, required: 4, remaining: 0 })
    };
    assert!(no_space(&refused), "{refused}");
    assert_eq!(objects(&world.blob).await, 0);
}

async fn a_deleted_medium_is_swept_an_hour_later(database: &Database) {
    let world = World::new(database).await;
    let url = world.upload("a.txt", "text").await;
    let used =
        || async { world.publisher.account_show(world.caller.account).await.unwrap().storage_used_bytes };
    assert_eq!(used().await, 4);
    assert_eq!(world.publisher.delete_medium(world.site, &url.to_string()).await.unwrap(), 4);
    assert_eq!(used().await, 0);
    assert!(world.publisher.find_medium(world.site, &url).await.unwrap().is_none());
    assert_eq!(world.publisher.sweep_media().await.unwrap(), 0, "a visitor may be reading it");
    world.clock.advance(Duration::from_secs(3601));
    assert_eq!(world.publisher.sweep_media().await.unwrap(), 1);
    assert_eq!(objects(&world.blob).await, 0);
}

async fn objects_without_a_row_are_swept_when_they_are_old(database: &Database) {
    let world = World::new(database).await;
    let url = world.upload("a.txt", "text").await;
    let orphan = Key::media(ObjectId::new(world.clock.now()));
    let mut writer = world.blob.writer(&orphan);
    writer.write(Bytes::from_static(b"orphan")).await.unwrap();
    writer.finish().await.unwrap();
    let refused = world.publisher.sweep_orphans(false).await.unwrap_err().to_string();
    assert!(refused.contains("does not belong"), "{refused}");
    assert!(world.publisher.abort_unfinished_uploads().await.is_err());
    world.publisher.check_objects().await.unwrap();
    assert_eq!(world.publisher.abort_unfinished_uploads().await.unwrap(), 0, "only S3 has any");
    let found = |orphans| Orphans { objects: 2, orphans };
    assert_eq!(world.publisher.sweep_orphans(false).await.unwrap(), found(0));
    world.clock.advance(8 * DAY);
    assert_eq!(world.publisher.count_orphans().await.unwrap(), found(1));
    assert_eq!(objects(&world.blob).await, 2, "counting deletes nothing");
    assert_eq!(world.publisher.sweep_orphans(false).await.unwrap(), found(1));
    assert!(world.blob.read(&orphan, 0..1).await.is_err());
    assert!(world.publisher.find_medium(world.site, &url).await.unwrap().is_some());
    assert_eq!(objects(&world.blob).await, 1);
}
