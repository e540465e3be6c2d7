#![allow(clippy::unwrap_used)]

use std::ops::Range;
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::TryStreamExt;
use model::{ObjectId, PackId, Timestamp};
use uuid::Uuid;

use super::*;

fn key() -> Key {
    Key::pack(PackId::new(Timestamp::from_micros(1)))
}

/// Runs a test on each backend.
async fn on_each(test: impl AsyncFn(Blob)) {
    let directory = tempfile::tempdir().unwrap();
    test(Blob::directory(&directory.path().join("objects")).unwrap()).await;
    test(Blob::memory()).await;
    for blob in buckets() {
        test(blob).await;
    }
}

/// An unused prefix in the bucket of each S3 server that `./test` starts; none without these servers.
fn buckets() -> Vec<Blob> {
    let prefix = format!("s3://recto/{}", Uuid::now_v7());
    let servers = [testing::S3, testing::SEAWEED].into_iter().filter_map(testing::server);
    servers.map(|server| bucket(&server, &prefix, "secret")).collect()
}

fn bucket(endpoint: &str, url: &str, secret: &str) -> Blob {
    let lookup = |name: &str| match name {
        "AWS_ENDPOINT_URL" => Some(endpoint.to_owned()),
        "AWS_ACCESS_KEY_ID" => Some("recto-test".to_owned()),
        "AWS_SECRET_ACCESS_KEY" => Some(secret.to_owned()),
        "AWS_ALLOW_HTTP" => Some("true".to_owned()),
        _ => None,
    };
    Blob::from_url(url, lookup).unwrap()
}

/// Bytes without repetition.
fn noise(length: usize) -> Vec<u8> {
    (0..length as u64 / 8 + 1)
        .flat_map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes())
        .take(length)
        .collect()
}

async fn put(blob: &Blob, key: &Key, bytes: &[u8]) {
    let mut writer = blob.writer(key);
    writer.write(Bytes::copy_from_slice(bytes)).await.unwrap();
    writer.finish().await.unwrap();
}

async fn collect(blob: &Blob, key: &Key, range: Range<u64>) -> Vec<Bytes> {
    blob.read_stream(key, range).await.unwrap().try_collect().await.unwrap()
}

#[tokio::test]
async fn an_object_written_in_pieces_is_read_in_pieces() {
    on_each(async |blob| {
        let (key, mut expected) = (key(), Vec::new());
        let mut writer = blob.writer(&key);
        for piece in 0..40u8 {
            assert_eq!(writer.position(), expected.len() as u64);
            let bytes = vec![piece; 700_001];
            expected.extend_from_slice(&bytes);
            writer.write(bytes.into()).await.unwrap();
        }
        assert_eq!(writer.finish().await.unwrap(), expected.len() as u64);
        let range = 699_990..21_000_003;
        assert_eq!(
            blob.read(&key, range.clone()).await.unwrap(),
            expected[range.start as usize..range.end as usize]
        );
    })
    .await;
}

#[tokio::test]
async fn a_writer_can_be_synced_at_any_time() {
    on_each(async |blob| {
        let (key, bytes) = (key(), noise(3_000_000));
        let mut writer = blob.writer(&key);
        writer.sync().await;
        for piece in bytes.chunks(1_000_000) {
            writer.write(Bytes::copy_from_slice(piece)).await.unwrap();
            writer.sync().await;
            if let Some(unfinished) = blob.unfinished(&key) {
                // A part is being collected, and two more are on their way.
                let on_disk = unfinished.metadata().map_or(0, |file| file.len());
                assert!(writer.position() - on_disk < 1_700_000, "{on_disk} of {}", writer.position());
            }
        }
        writer.finish().await.unwrap();
        assert_eq!(blob.read(&key, 0..3_000_000).await.unwrap(), bytes);
    })
    .await;
}

#[tokio::test]
async fn an_object_does_not_exist_before_it_is_finished() {
    on_each(async |blob| {
        let key = key();
        let mut writer = blob.writer(&key);
        writer.write(Bytes::from(vec![1; 20_000_000])).await.unwrap();
        assert!(matches!(blob.read(&key, 0..1).await, Err(Error::Missing(_))));
        writer.abort().await.unwrap();
        assert!(matches!(blob.read(&key, 0..1).await, Err(Error::Missing(_))));
    })
    .await;
}

#[tokio::test]
async fn a_deleted_object_is_gone_and_may_be_deleted_again() {
    on_each(async |blob| {
        let key = key();
        put(&blob, &key, b"short").await;
        assert_eq!(blob.read(&key, 1..3).await.unwrap(), &b"ho"[..]);
        blob.delete(&key).await.unwrap();
        blob.delete(&key).await.unwrap();
        assert!(matches!(blob.read(&key, 0..1).await, Err(Error::Missing(_))));
    })
    .await;
}

#[tokio::test]
async fn a_file_is_stored_whole_whatever_its_size() {
    let spool = tempfile::tempdir().unwrap();
    on_each(async |blob| {
        for size in [0, 1, 100_000, 8 * 1024 * 1024, 20_000_003] {
            let (key, path) =
                (Key::media(ObjectId::new(Timestamp::from_micros(1))), spool.path().join("file"));
            let bytes = noise(size);
            std::fs::write(&path, &bytes).unwrap();
            assert_eq!(blob.put_file(&key, &path).await.unwrap(), size as u64);
            let _ = std::fs::remove_file(&path);
            assert!(collect(&blob, &key, 0..size as u64).await.concat() == bytes, "{size}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_file_that_cannot_be_read_leaves_no_object() {
    on_each(async |blob| {
        let key = key();
        let missing = blob.put_file(&key, Path::new("/nowhere/at/all")).await;
        assert!(matches!(missing, Err(Error::Failed(_))));
        let directory = tempfile::tempdir().unwrap();
        assert!(blob.directory.is_some() || blob.put_file(&key, directory.path()).await.is_err());
        assert!(matches!(blob.read(&key, 0..1).await, Err(Error::Missing(_))));
    })
    .await;
}

#[tokio::test]
async fn a_range_is_read_in_pieces() {
    on_each(async |blob| {
        let (key, bytes) = (key(), noise(1_000_000));
        put(&blob, &key, &bytes).await;
        for (start, end) in [(0, 1_000_000), (999_999, 1_000_000), (131_071, 262_145), (5, 5)] {
            let read = collect(&blob, &key, start..end).await;
            assert!(read.concat() == bytes[start as usize..end as usize], "{start}..{end}");
        }
        if blob.directory.is_some() {
            let most = collect(&blob, &key, 7..999_999).await.iter().map(Bytes::len).max();
            assert_eq!(most, Some(128 * 1024), "a piece is all that is held");
        }
    })
    .await;
}

#[tokio::test]
async fn a_missing_object_is_reported_before_it_is_read() {
    on_each(async |blob| {
        assert!(matches!(blob.read_stream(&key(), 0..10).await.err(), Some(Error::Missing(_))));
    })
    .await;
}

#[tokio::test]
async fn packs_and_media_are_listed_separately() {
    on_each(async |blob| {
        let now = Timestamp::from_micros(1);
        let mut packs: Vec<PackId> = (0..3).map(|_| PackId::new(now)).collect();
        let mut media: Vec<ObjectId> = (0..2).map(|_| ObjectId::new(now)).collect();
        for id in &packs {
            put(&blob, &Key::pack(*id), b"pack").await;
        }
        for id in &media {
            put(&blob, &Key::media(*id), b"medium").await;
        }
        let mut listed: (Vec<PackId>, Vec<ObjectId>) =
            (blob.packs().try_collect().await.unwrap(), blob.media().try_collect().await.unwrap());
        listed.0.sort();
        listed.1.sort();
        packs.sort();
        media.sort();
        assert_eq!(listed, (packs, media));
    })
    .await;
}

#[tokio::test]
async fn an_empty_store_lists_nothing() {
    on_each(async |blob| {
        assert_eq!(blob.packs().try_collect::<Vec<_>>().await.unwrap(), []);
        assert_eq!(blob.media().try_collect::<Vec<_>>().await.unwrap(), []);
    })
    .await;
}

#[tokio::test]
async fn a_cancelled_upload_leaves_no_parts_in_the_bucket() {
    for blob in buckets() {
        let key = key();
        let mut writer = blob.writer(&key);
        writer.write(Bytes::from(vec![1; 20_000_000])).await.unwrap();
        let bucket = blob.bucket.clone().unwrap();
        let is_there = async || bucket.list(&Default::default()).await.unwrap().contains(key.0.as_ref());
        assert!(is_there().await);
        drop(writer);
        let start = Instant::now();
        while is_there().await {
            assert!(start.elapsed() < Duration::from_secs(30), "its parts are still there");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

#[tokio::test]
async fn an_unfinished_upload_is_aborted_when_it_is_old() {
    for blob in buckets() {
        let at = |second: i64| Timestamp::from_micros(second * 1_000_000);
        let (old, young) = (Key::pack(PackId::new(at(1000))), Key::media(ObjectId::new(at(2000))));
        for key in [&old, &young] {
            let mut writer = blob.writer(key);
            writer.write(Bytes::from(vec![1; 20_000_000])).await.unwrap();
            // As in a process that crashed.
            std::mem::forget(writer);
        }
        put(&blob, &key(), b"finished").await;
        assert_eq!(blob.abort_unfinished(at(999)).await.unwrap(), 0);
        assert_eq!(blob.abort_unfinished(at(1001)).await.unwrap(), 1);
        let list = blob.bucket.as_ref().unwrap().list(&Default::default()).await.unwrap();
        assert!(!list.contains(old.0.as_ref()) && list.contains(young.0.as_ref()), "{list}");
        assert_eq!(blob.abort_unfinished(at(2001)).await.unwrap(), 1);
        assert_eq!(blob.abort_unfinished(at(2001)).await.unwrap(), 0);
        assert_eq!(blob.packs().try_collect::<Vec<_>>().await.unwrap().len(), 1);
    }
    assert_eq!(Blob::memory().abort_unfinished(Timestamp::from_micros(1)).await.unwrap(), 0);
}

#[tokio::test]
async fn uploads_under_another_prefix_are_left_alone() {
    for blob in buckets() {
        let old = Key::pack(PackId::new(Timestamp::from_micros(1)));
        let mut writer = blob.writer(&old);
        writer.write(Bytes::from(vec![1; 20_000_000])).await.unwrap();
        std::mem::forget(writer);
        let server = blob.bucket.as_ref().unwrap().url.strip_suffix("/recto").unwrap().to_owned();
        for prefix in [format!("s3://recto/{}", Uuid::now_v7()), "s3://recto".to_owned()] {
            let other = bucket(&server, &prefix, "secret");
            assert_eq!(other.abort_unfinished(Timestamp::from_micros(2_000_000)).await.unwrap(), 0);
        }
        assert_eq!(blob.abort_unfinished(Timestamp::from_micros(2_000_000)).await.unwrap(), 1);
    }
}

#[tokio::test]
async fn a_wrong_key_is_reported() {
    let Some(server) = testing::server(testing::SEAWEED) else { return };
    let blob = bucket(&server, "s3://recto/wrong", "a-wrong-secret");
    let errors = [
        blob.read(&key(), 0..1).await.err(),
        blob.abort_unfinished(Timestamp::from_micros(1)).await.err(),
        blob.packs().try_collect::<Vec<_>>().await.err(),
    ];
    for error in errors {
        let error = error.unwrap().to_string();
        assert!(error.contains("SignatureDoesNotMatch") && !error.contains("a-wrong-secret"), "{error}");
    }
}

#[tokio::test]
async fn an_incomplete_url_is_explained() {
    let check = |url: &str, variables: &[(&str, &str)], expected: &str| {
        let lookup = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        };
        let error = Blob::from_url(url, lookup).err().unwrap().to_string();
        assert!(error.contains(expected), "{url}: {error}");
    };
    let keys = [("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b")];
    check("ftp://x", &[], "neither file:<directory> nor s3://<bucket>/<prefix>");
    check("s3:///x", &keys, "must name a bucket");
    check("s3://x", &[], "AWS_ACCESS_KEY_ID");
    check("s3://x", &[keys[0], ("AWS_SECRET_ACCESS_KEY", "")], "AWS_SECRET_ACCESS_KEY");
    check("s3://x", &[keys[0], keys[1], ("AWS_ENDPOINT_URL", "http://localhost")], "AWS_ALLOW_HTTP");
}

#[tokio::test]
async fn a_directory_moves_a_file_instead_of_copying_it() {
    let (spool, objects) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (blob, key) = (Blob::directory(objects.path()).unwrap(), key());
    let path = spool.path().join("file");
    std::fs::write(&path, b"bytes").unwrap();
    let inode = std::fs::metadata(&path).unwrap().ino();
    blob.put_file(&key, &path).await.unwrap();
    assert_eq!(std::fs::metadata(objects.path().join(key.0.as_ref())).unwrap().ino(), inode);
    assert!(!path.exists());
}

#[tokio::test]
async fn a_file_on_another_disk_is_copied() {
    let objects = tempfile::tempdir().unwrap();
    let Ok(spool) = tempfile::tempdir_in("/dev/shm") else {
        return testing::skip("/dev/shm is missing");
    };
    if spool.path().metadata().unwrap().dev() == objects.path().metadata().unwrap().dev() {
        return testing::skip("/dev/shm is on the same disk as temporary files");
    }
    let (blob, key) = (Blob::directory(objects.path()).unwrap(), key());
    std::fs::write(spool.path().join("file"), noise(9_000_000)).unwrap();
    assert_eq!(blob.put_file(&key, &spool.path().join("file")).await.unwrap(), 9_000_000);
    assert!(collect(&blob, &key, 0..9_000_000).await.concat() == noise(9_000_000));
}

#[tokio::test]
async fn an_aborted_upload_leaves_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let blob = Blob::directory(directory.path()).unwrap();
    let mut writer = blob.writer(&key());
    writer.write(Bytes::from(vec![1; 20_000_000])).await.unwrap();
    writer.abort().await.unwrap();
    assert_eq!(files_below(directory.path()), 0);
}

#[tokio::test]
async fn a_crashed_process_s_unfinished_file_is_deleted_with_the_object() {
    let directory = tempfile::tempdir().unwrap();
    let (blob, key) = (Blob::directory(directory.path()).unwrap(), key());
    let mut writer = blob.writer(&key);
    writer.write(Bytes::from(vec![1; 20_000_000])).await.unwrap();
    std::mem::forget(writer);
    assert_eq!(files_below(directory.path()), 1);
    blob.delete(&key).await.unwrap();
    assert_eq!(files_below(directory.path()), 0);
}

fn files_below(path: &Path) -> usize {
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { files_below(&path) } else { 1 }).sum()
}
