use std::time::Instant;

use super::*;

crate::tests::on_memory_and_redis!(
    an_account_sends_two_at_a_time,
    an_account_sends_ten_in_any_hour_and_refused_ones_do_not_count,
    all_accounts_together_send_few_at_a_time,
);

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

fn account() -> AccountId {
    AccountId::new(at(0))
}

/// Takes a slot and gives it back. Returns `None`, or the `Retry-After` of the refusal.
async fn wait(uploads: &LargeUploads, account: AccountId, seconds: i64) -> Option<u64> {
    match uploads.take(account, at(seconds)).await {
        Ok(_) => None,
        Err(TooManyUploads::OfAccount { retry_after }) => Some(retry_after),
        Err(TooManyUploads::OfAll) => panic!("too many of all"),
    }
}

async fn an_account_sends_two_at_a_time(backend: Backend) {
    let (uploads, account, other) = (LargeUploads::new(backend, 9), account(), account());
    let first = uploads.take(account, at(0)).await.ok().unwrap();
    let _second = uploads.take(account, at(1)).await.ok().unwrap();
    assert_eq!(wait(&uploads, account, 2).await, Some(60));
    assert_eq!(wait(&uploads, other, 2).await, None);
    drop(first);
    assert_eq!(wait(&uploads, account, 3).await, None);
}

async fn an_account_sends_ten_in_any_hour_and_refused_ones_do_not_count(backend: Backend) {
    let (uploads, account) = (LargeUploads::new(backend, 9), account());
    for n in 0..10 {
        assert_eq!(wait(&uploads, account, n * 60).await, None, "{n}");
    }
    assert_eq!(wait(&uploads, account, 600).await, Some(3000));
    assert_eq!(wait(&uploads, account, 3599).await, Some(1));
    assert_eq!(wait(&uploads, account, 3600).await, None);
    assert_eq!(wait(&uploads, account, 3601).await, Some(59));
}

async fn all_accounts_together_send_few_at_a_time(backend: Backend) {
    let uploads = LargeUploads::new(backend, 3);
    let (first, second) = (account(), account());
    let mut slots = Vec::new();
    for account in [first, first, second] {
        slots.push(uploads.take(account, at(0)).await.ok().unwrap());
    }
    assert_eq!(uploads.take(second, at(0)).await.err(), Some(TooManyUploads::OfAll));
    drop(slots);
    assert!(uploads.take(second, at(1)).await.is_ok());
}

#[test]
fn the_slots_of_two_servers_are_counted_together() {
    let Some((one, two)) = crate::tests::two_servers() else { return };
    testing::block_on(async {
        crate::tests::start(&one).await;
        crate::tests::start(&two).await;
        let (one, two, account) = (LargeUploads::new(one, 3), LargeUploads::new(two, 3), account());
        let mine = one.take(account, at(0)).await.ok().unwrap();
        let _theirs = two.take(account, at(0)).await.ok().unwrap();
        let of_account = Some(TooManyUploads::OfAccount { retry_after: 60 });
        assert_eq!(one.take(account, at(0)).await.err(), of_account);
        assert_eq!(two.take(account, at(0)).await.err(), of_account);
        let _other = two.take(self::account(), at(0)).await.ok().unwrap();
        assert_eq!(one.take(self::account(), at(0)).await.err(), Some(TooManyUploads::OfAll));
        drop(mine);
        until(async || two.take(account, at(1)).await.is_ok()).await;
        // Five of each server, and the next is refused by both.
        for n in 0..7 {
            let server = if n % 2 == 0 { &one } else { &two };
            until(async || server.take(account, at(2 + n)).await.is_ok()).await;
        }
        until(async || wait(&one, account, 100).await == Some(3500)).await;
        assert_eq!(wait(&two, account, 100).await, Some(3500));
    });
}

#[test]
fn a_lease_is_renewed_while_its_upload_runs_and_ends_by_itself_with_its_server() {
    let (lease, prefix) = (Duration::from_secs(3), crate::tests::new_prefix());
    let server = || crate::tests::redis_with_leases(&prefix, lease);
    let (Some(one), Some(two)) = (server(), server()) else { return };
    let (runtime_of_one, runtime_of_two) = (runtime(), runtime());
    let held = runtime_of_one.block_on(async {
        crate::tests::start(&one).await;
        LargeUploads::new(one, 1).take(account(), at(0)).await.ok().unwrap()
    });
    runtime_of_two.block_on(async {
        crate::tests::start(&two).await;
        let uploads = LargeUploads::new(two, 1);
        let taken = Instant::now();
        while taken.elapsed() < 2 * lease {
            assert_eq!(uploads.take(account(), at(0)).await.err(), Some(TooManyUploads::OfAll));
            tokio::time::sleep(lease / 30).await;
        }
        // As if it was killed: nothing is renewed or ended any more.
        runtime_of_one.shutdown_background();
        std::mem::forget(held);
        assert_eq!(uploads.take(account(), at(0)).await.err(), Some(TooManyUploads::OfAll));
        until(async || uploads.take(account(), at(0)).await.is_ok()).await;
    });
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

async fn until(mut holds: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !holds().await {
        assert!(start.elapsed() < Duration::from_secs(30), "timed out");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
