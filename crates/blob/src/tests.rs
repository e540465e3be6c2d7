#![allow(clippy::unwrap_used)]

use model::Timestamp;

use super::*;

fn key() -> Key {
    Key::pack(PackId::new(Timestamp::from_micros(1)))
}

/// Every kind of store keeps the same promises.
async fn on_each(test: impl AsyncFn(Blob)) {
    let directory = tempfile::tempdir().unwrap();
    test(Blob::directory(&directory.path().join("objects")).unwrap()).await;
    test(Blob::memory()).await;
}

#[tokio::test]
async fn what_was_written_in_pieces_is_read_in_pieces() {
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
async fn an_object_is_not_there_before_it_is_finished() {
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
        let mut writer = blob.writer(&key);
        writer.write(Bytes::from_static(b"short")).await.unwrap();
        writer.finish().await.unwrap();
        assert_eq!(blob.read(&key, 1..3).await.unwrap(), &b"ho"[..]);
        blob.delete(&key).await.unwrap();
        blob.delete(&key).await.unwrap();
        assert!(matches!(blob.read(&key, 0..1).await, Err(Error::Missing(_))));
    })
    .await;
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
async fn what_a_process_that_died_left_goes_with_the_object() {
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
