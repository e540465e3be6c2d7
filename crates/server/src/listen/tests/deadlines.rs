//! How long heads, idle connections and readers may take. Those of slow readers are tested with a paused clock.

use tokio::io::Interest;
use tokio::time::advance;

use super::super::watch::Watch;
use super::*;

both_ways!(
    a_head_that_does_not_end_is_cut_off_even_if_it_trickles,
    an_idle_connection_outlives_the_timeout_of_a_head,
    an_idle_connection_is_closed_after_its_own_timeout,
    the_head_of_a_second_request_has_the_timeout_of_a_head,
    a_client_that_stops_reading_is_cut_off,
);

async fn a_head_that_does_not_end_is_cut_off_even_if_it_trickles(way: Way) {
    let server = start_as(way, ListenLimits { header_timeout: millis(300), ..Default::default() }).await;
    let start = Instant::now();
    let mut silent = server.connect().await;
    let mut trickling = server.connect().await;
    send(&mut silent, b"GET / HT").await;
    send(&mut trickling, b"GET / HTTP/1.1\r\nHost: ").await;
    // Each pause is shorter than the timeout.
    let trickle = async {
        while trickling.write_all(b"a").await.is_ok() {
            sleep(millis(50)).await;
        }
    };
    timeout(PATIENCE, trickle).await.expect("closed");
    closed(&mut silent).await;
    assert!(start.elapsed() >= millis(300), "{:?}", start.elapsed());
}

async fn an_idle_connection_outlives_the_timeout_of_a_head(way: Way) {
    let server = start_as(way, ListenLimits { header_timeout: millis(2000), ..Default::default() }).await;
    let mut idle = server.connect().await;
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
    let mut without_end = server.connect().await;
    send(&mut without_end, b"GET /").await;
    closed(&mut without_end).await;
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
}

async fn an_idle_connection_is_closed_after_its_own_timeout(way: Way) {
    let server = start_as(way, ListenLimits { idle_timeout: millis(300), ..Default::default() }).await;
    let mut idle = server.connect().await;
    let start = Instant::now();
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
    closed(&mut idle).await;
    assert!(start.elapsed() >= millis(300), "{:?}", start.elapsed());
}

async fn the_head_of_a_second_request_has_the_timeout_of_a_head(way: Way) {
    let limits = ListenLimits {
        header_timeout: millis(2000),
        idle_timeout: Duration::from_secs(3600),
        ..Default::default()
    };
    let server = start_as(way, limits).await;
    let mut stream = server.connect().await;
    send(&mut stream, GET).await;
    receive(&mut stream, "hello").await;
    send(&mut stream, b"GET /").await;
    closed(&mut stream).await;
}

#[tokio::test(start_paused = true)]
async fn a_running_handler_has_no_deadline() {
    let watch = Watch::new(Arc::new(ListenLimits::default()));
    watch.bytes_read(GET.len());
    watch.request_began();
    advance(Duration::from_secs(24 * 3600)).await;
    assert!(watch.wake_at() > Instant::now() + Duration::from_secs(24 * 3600));
}

async fn a_client_that_stops_reading_is_cut_off(way: Way) {
    let server = start_as(way, ListenLimits { write_timeout: millis(200), ..Default::default() }).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n").await;
    // The reset is reported by the socket without reading.
    timeout(PATIENCE, stream.ready(Interest::ERROR)).await.expect("a reset").expect("an event");
    let mut received = Vec::new();
    let end = stream.read_to_end(&mut received).await;
    assert!(end.is_err(), "reset");
    assert!(received.len() < LARGE);
}

#[tokio::test]
async fn a_client_that_reads_with_pauses_gets_everything() {
    let server = start(ListenLimits::default()).await;
    let mut stream = server.connect().await;
    send(&mut stream, b"GET /large HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").await;
    let mut received = 0;
    let mut buffer = vec![0; 4 * 1024 * 1024];
    loop {
        let read = stream.read(&mut buffer).await.expect("no reset");
        received += read;
        if read == 0 {
            break;
        }
        sleep(millis(10)).await;
    }
    assert!(received > LARGE);
}

/// A client that reads `bytes_per_second` in small steps for ten minutes. `true`: its deadline passes.
async fn is_cut_off(limits: ListenLimits, bytes_per_second: usize) -> bool {
    const STEPS_PER_SECOND: usize = 50;
    let watch = Watch::new(Arc::new(limits));
    watch.request_began();
    for _ in 0..600 * STEPS_PER_SECOND {
        watch.write_blocked();
        advance(Duration::from_secs(1) / STEPS_PER_SECOND as u32).await;
        if watch.wake_at() <= Instant::now() {
            return watch.is_stalled();
        }
        watch.bytes_written(bytes_per_second / STEPS_PER_SECOND);
    }
    false
}

#[tokio::test(start_paused = true)]
async fn a_client_that_reads_below_the_minimum_rate_is_cut_off() {
    let limits = ListenLimits { min_read_rate: 400_000, ..Default::default() };
    assert!(is_cut_off(limits, 300_000).await);
}

#[tokio::test(start_paused = true)]
async fn a_slow_client_above_the_minimum_rate_is_not_cut_off() {
    let limits = ListenLimits { min_read_rate: 400_000, ..Default::default() };
    assert!(!is_cut_off(limits, 500_000).await);
}

#[tokio::test(start_paused = true)]
async fn a_fast_start_does_not_make_up_for_a_pause() {
    let limits = ListenLimits::default();
    let watch = Watch::new(Arc::new(limits.clone()));
    watch.request_began();
    watch.bytes_written(LARGE);
    watch.write_blocked();
    assert_eq!(watch.wake_at(), Instant::now() + limits.write_timeout);
}
