use std::net::{Ipv4Addr, Ipv6Addr};

use super::*;

fn key(number: u32) -> Key {
    Key::Ip(Ipv4Addr::from_bits(number).into())
}

/// The `number`-th /64 of a /32.
fn network(prefix: u32, number: u32) -> Key {
    Key::Ip(Ipv6Addr::from_bits(u128::from(prefix) << 96 | u128::from(number) << 64).into())
}

fn second(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000)
}

/// Counts a request and returns how many there were before it.
fn count(memory: &MemoryWindow, key: Key, seconds: i64) -> usize {
    memory.count(key, second(seconds)).before
}

#[test]
fn a_flood_on_one_key_keeps_no_more_than_twice_the_limit() {
    let memory = MemoryWindow::new(5, Duration::from_secs(60));
    for _ in 0..1000 {
        count(&memory, key(1), 100);
    }
    assert_eq!(memory.lock().ring(&key(1)).expect("a ring").len(), 10);
}

#[test]
fn keys_that_are_not_used_any_more_go_within_two_lengths() {
    let memory = MemoryWindow::new(5, Duration::from_secs(60));
    for number in 0..1000 {
        memory.count(key(number), second(100));
        memory.count(network(1, number), second(100));
    }
    for seconds in [160, 220] {
        memory.count(key(0), second(seconds));
    }
    assert_eq!(memory.lock().len(), (1, 0));
}

#[test]
fn a_flood_of_networks_fills_only_its_own_table() {
    let memory = MemoryWindow::with_max_keys(1000, 5, Duration::from_secs(60));
    for number in 0..20_000 {
        // Sparse: each /64 in another /48.
        count(&memory, network(0x2001_0db8, number << 16), 100);
        count(&memory, network(0x2001_0db9, number << 16), 100);
    }
    // The table is full: all new networks are counted together.
    assert_eq!(memory.lock().len(), (0, 1001));
}

#[test]
fn an_ipv4_client_is_counted_alone_whatever_the_others_do() {
    let memory = MemoryWindow::with_max_keys(1000, 5, Duration::from_secs(60));
    for number in 0..20_000 {
        count(&memory, network(0x2001_0db8, number << 16), 100);
        assert_eq!(count(&memory, key(u32::MAX - number), 100), 0);
        let (exact, networks) = memory.lock().len();
        assert!(exact <= 1000 && networks <= 1001, "{exact} {networks}");
    }
    // A key in constant use is kept.
    for before in 0..5 {
        assert_eq!(count(&memory, key(7), 100), before);
        for number in 0..400 {
            count(&memory, key(1_000_000 + 400 * before as u32 + number), 100);
        }
    }
}

#[test]
fn without_pressure_each_64_is_counted_exactly() {
    let memory = MemoryWindow::with_max_keys(1000, 5, Duration::from_secs(60));
    for number in 0..500 {
        assert_eq!(count(&memory, network(1, number), 100), 0);
    }
    assert_eq!(count(&memory, network(1, 7), 100), 1);
}

#[test]
fn under_pressure_newcomers_are_counted_by_48_and_known_ones_as_before() {
    let memory = MemoryWindow::with_max_keys(1000, 5, Duration::from_secs(60));
    for number in 0..500 {
        count(&memory, network(1, number), 100);
    }
    // From here on its /64 networks are counted as one.
    for before in 0..5 {
        assert_eq!(count(&memory, network(1, 0x1_0000 + before), 100), before as usize);
    }
    assert_eq!(count(&memory, network(2, 0), 100), 0);
    assert_eq!(count(&memory, network(1, 7), 100), 1);
    // After the flood each network is counted separately again.
    for seconds in [160, 220] {
        count(&memory, network(3, 0), seconds);
    }
    assert_eq!(count(&memory, network(1, 0x1_0000), 220), 0);
    assert_eq!(count(&memory, network(1, 0x1_0001), 220), 0);
}

#[test]
fn in_a_full_table_newcomers_are_counted_together_and_can_be_undone() {
    let memory = MemoryWindow::with_max_keys(10, 5, Duration::from_secs(60));
    for number in 1..11 {
        count(&memory, network(number, 0), 100);
    }
    let counted = memory.count(network(100, 0), second(100));
    assert_eq!((counted.key, counted.before), (Key::Ip(Ipv6Addr::UNSPECIFIED.into()), 0));
    assert_eq!(count(&memory, network(200, 0), 100), 1);
    memory.undo(&counted.key, second(100));
    assert_eq!(count(&memory, network(300, 0), 100), 1);
}
