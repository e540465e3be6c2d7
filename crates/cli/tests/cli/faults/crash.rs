//! `kill -9` at any moment: acknowledged pages are stored, and every batch is stored completely or not at all.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Mutex;
use std::time::Duration;

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;
use crate::serving::large_bodies::Pages;

#[test]
fn on_sqlite_a_killed_server_loses_nothing_it_acknowledged() {
    kill_again_and_again(&Recto::new(), 12);
}

#[test]
fn on_postgres_a_killed_server_loses_nothing_it_acknowledged() {
    let Some(recto) = Recto::on_postgres() else { return };
    kill_again_and_again(&recto, 4);
}

fn kill_again_and_again(recto: &Recto, rounds: usize) {
    let mut earlier = Vec::new();
    for round in 0..rounds {
        let account = recto.account(&format!("round {round}"));
        let batches = publish_and_kill(recto, &account);
        check(&recto.start(), &account, &batches);
        earlier.push((account, batches));
    }
    let server = recto.start();
    for (account, batches) in &earlier {
        check(&server, account, batches);
    }
    server.stop();
    recto.check_integrity();
    check_texts(recto);
    let batches = || earlier.iter().flat_map(|(_, batches)| batches);
    let acknowledged = batches().filter(|batch| batch.stored.is_some()).count();
    let cut_off = batches().filter(|batch| batch.unknown.is_some()).count();
    assert!(acknowledged >= rounds && cut_off > rounds, "{acknowledged} acknowledged, {cut_off} cut off");
}

/// Several concurrent clients, one of them with batches so large that their texts are stored ahead.
fn publish_and_kill(recto: &Recto, account: &Account) -> Vec<Batch> {
    let (server, batches) = (recto.start(), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for (name, pages, characters) in
            [("a", 50, 200), ("b", 120, 2000), ("c", 200, 100), ("d", 230, 100_000)]
        {
            let (server, batches) = (&server, &batches);
            scope.spawn(move || {
                publish_until_killed(server, &account.token, batches, name, pages, characters)
            });
        }
        let acknowledged = || batches.lock().unwrap().iter().any(|batch| batch.stored.is_some());
        wait_until("something is acknowledged", acknowledged);
        std::thread::sleep(random_moment());
        server.signal(rustix::process::Signal::KILL);
    });
    server.wait();
    batches.into_inner().unwrap()
}

/// Pages that are written together, once or several times, each time with another title.
struct Batch {
    slug: String,
    pages: usize,
    /// The title that was acknowledged last.
    stored: Option<String>,
    /// The title that was being written when the server was killed. The batch is not written again.
    unknown: Option<String>,
}

fn publish_until_killed(
    server: &Server,
    token: &str,
    batches: &Mutex<Vec<Batch>>,
    name: &str,
    pages: usize,
    characters: usize,
) {
    let mut index = 0;
    for number in 0.. {
        // Every other time the previous batch is written again, as an update.
        let (slug, title) = (format!("{name}-{}", number / 2), format!("{name} {number}"));
        if number % 2 == 0 {
            let mut batches = batches.lock().unwrap();
            index = batches.len();
            batches.push(Batch { slug: slug.clone(), pages, stored: None, unknown: None });
        }
        let answer = server.upload(token, Pages::titled(&slug, &title, pages, characters));
        let batch = &mut batches.lock().unwrap()[index];
        match answer {
            Ok(answer) if answer.status == 200 && answer.is_complete() => batch.stored = Some(title),
            Ok(answer) if answer.is_complete() => panic!("{}: {:.500}", answer.status, answer.body),
            _ => {
                batch.unknown = Some(title);
                return;
            }
        }
    }
}

fn check(server: &Server, account: &Account, batches: &[Batch]) {
    let listed = server.list(&account.token).expect(200);
    let mut titles: HashMap<&str, Vec<&str>> = HashMap::new();
    for page in listed["pages"].as_array().unwrap() {
        let (batch, _) = page["slug"].as_str().unwrap().rsplit_once('-').unwrap();
        titles.entry(batch).or_default().push(page["title"].as_str().unwrap());
    }
    for batch in batches {
        let found = titles.remove(batch.slug.as_str()).unwrap_or_default();
        let allowed = [&batch.stored, &batch.unknown];
        let whole = |title: &&str| found.len() == batch.pages && found.iter().all(|found| found == title);
        let holds = match found.first() {
            None => batch.stored.is_none(),
            Some(title) => whole(title) && allowed.iter().any(|allowed| allowed.as_deref() == Some(title)),
        };
        assert!(holds, "{}: {} of {} pages, allowed {allowed:?}", batch.slug, found.len(), batch.pages);
    }
    assert!(titles.is_empty(), "pages that no client sent: {titles:?}");
}

/// Every page has its own text, and a text that no page has will be swept.
fn check_texts(recto: &Recto) {
    let wrong = "
        SELECT count(*)
        FROM pages
        LEFT JOIN texts ON texts.id = pages.content_id
        WHERE texts.body IS NULL OR texts.body NOT LIKE pages.title || ' ' || pages.slug || ' x%'";
    assert_eq!(recto.query(wrong), 0, "pages without their text");
    let is_doomed = "EXISTS (SELECT 1 FROM doomed_texts WHERE texts.id BETWEEN first_id AND last_id)";
    let is_used = "texts.id IN (SELECT content_id FROM pages WHERE content_id IS NOT NULL)";
    let leaked = format!("SELECT count(*) FROM texts WHERE NOT {is_used} AND NOT {is_doomed}");
    assert_eq!(recto.query(&leaked), 0, "texts that will never be deleted");
    let endangered = format!("SELECT count(*) FROM texts WHERE {is_used} AND {is_doomed}");
    assert_eq!(recto.query(&endangered), 0, "texts of pages that will be deleted");
}

fn random_moment() -> Duration {
    Duration::from_millis(50 + RandomState::new().hash_one(()) % 1500)
}
