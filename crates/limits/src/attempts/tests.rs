use std::net::Ipv4Addr;

use super::*;

crate::tests::on_memory_and_redis!(
    an_address_has_ten_attempts_per_minute_and_site,
    a_botnet_has_sixty_attempts_per_minute_besides_the_first_three_of_each_address,
    a_new_visitor_has_three_attempts_during_an_attack,
);

fn address(number: usize) -> IpAddr {
    Ipv4Addr::from_bits(number as u32).into()
}

fn second(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_000_000_000_000 + seconds * 1_000_000)
}

/// How many of `of` attempts of an address are admitted.
async fn admitted(attempts: &PasswordAttempts, number: usize, site: Uuid, seconds: i64, of: usize) -> usize {
    let mut admitted = 0;
    for _ in 0..of {
        admitted += usize::from(attempts.admit(address(number), site, second(seconds)).await);
    }
    admitted
}

/// How many of ten attempts of each of many addresses are admitted.
async fn attack(attempts: &PasswordAttempts, site: Uuid, seconds: i64) -> usize {
    let mut all = 0;
    for number in 0..100 {
        all += admitted(attempts, number, site, seconds, 10).await;
    }
    all
}

async fn an_address_has_ten_attempts_per_minute_and_site(backend: Backend) {
    let attempts = PasswordAttempts::new(backend);
    let (site, other) = (Uuid::now_v7(), Uuid::now_v7());
    assert_eq!(admitted(&attempts, 1, site, 0, 20).await, 10);
    assert_eq!(admitted(&attempts, 1, other, 0, 20).await, 10);
    assert_eq!(admitted(&attempts, 1, site, 60, 20).await, 10);
}

async fn a_botnet_has_sixty_attempts_per_minute_besides_the_first_three_of_each_address(backend: Backend) {
    let (attempts, site) = (PasswordAttempts::new(backend), Uuid::now_v7());
    assert_eq!(attack(&attempts, site, 0).await, 100 * 3 + 60);
    for minute in 1..5 {
        assert_eq!(attack(&attempts, site, minute * 60).await, 60);
    }
}

async fn a_new_visitor_has_three_attempts_during_an_attack(backend: Backend) {
    let (attempts, site) = (PasswordAttempts::new(backend), Uuid::now_v7());
    attack(&attempts, site, 0).await;
    assert_eq!(admitted(&attempts, 1000, site, 0, 4).await, 3);
}

#[test]
fn attempts_at_two_servers_are_counted_together() {
    let Some((one, two)) = crate::tests::two_servers() else { return };
    testing::block_on(async {
        crate::tests::start(&one).await;
        crate::tests::start(&two).await;
        let (one, two) = (PasswordAttempts::new(one), PasswordAttempts::new(two));
        let site = Uuid::now_v7();
        assert_eq!(admitted(&one, 1, site, 0, 6).await, 6);
        assert_eq!(admitted(&two, 1, site, 0, 6).await, 4);
        let mut all = 10;
        for number in 2..100 {
            all += admitted(&one, number, site, 1, 5).await + admitted(&two, number, site, 1, 5).await;
        }
        assert_eq!(all, 99 * 3 + 60);
    });
}
