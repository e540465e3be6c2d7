//! A shutdown: who is waited for, and for how long.

use super::*;

both_ways!(a_shutdown_closes_idle_connections_and_waits_for_running_requests,);

async fn a_shutdown_closes_idle_connections_and_waits_for_running_requests(way: Way) {
    let limits = ListenLimits { shutdown_grace: Duration::from_secs(3600), ..Default::default() };
    let server = start_as(way, limits).await;
    let mut idle = server.connect().await;
    send(&mut idle, GET).await;
    receive(&mut idle, "hello").await;
    let mut busy = server.connect().await;
    send(&mut busy, GET_HELD).await;
    server.wait_for_handler().await;
    server.shutdown.cancel();
    // While the request is still running.
    closed(&mut idle).await;
    assert!(!server.serving.is_finished());
    server.release.add_permits(1);
    receive(&mut busy, "released").await;
    timeout(PATIENCE, server.serving).await.expect("the end").expect("no panic");
    assert!(TcpStream::connect(server.address).await.is_err());
}

#[tokio::test]
async fn a_shutdown_does_not_wait_longer_than_its_grace_period() {
    let server = start(ListenLimits { shutdown_grace: millis(100), ..Default::default() }).await;
    let mut busy = server.connect().await;
    send(&mut busy, GET_HELD).await;
    server.wait_for_handler().await;
    server.shutdown.cancel();
    // The handler is never released.
    timeout(PATIENCE, server.serving).await.expect("the end").expect("no panic");
    closed(&mut busy).await;
}

#[tokio::test]
async fn a_request_that_has_begun_before_a_shutdown_gets_its_response() {
    let server = start_as(Way::AtHand, ListenLimits::default()).await;
    let mut stream = server.connect().await;
    send(&mut stream, GET).await;
    receive(&mut stream, "hello").await;
    send(&mut stream, &GET[..10]).await;
    // It has to arrive first. A connection without any is closed.
    sleep(millis(500)).await;
    server.shutdown.cancel();
    sleep(millis(50)).await;
    send(&mut stream, &GET[10..]).await;
    assert!(receive(&mut stream, "hello").await.to_lowercase().contains("connection: close"));
    timeout(PATIENCE, server.serving).await.expect("the end").expect("no panic");
}
