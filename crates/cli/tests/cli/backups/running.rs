//! Backups while clients publish.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;

use crate::harness::recto::{Recto, text};

on_both_databases!(a_backup_has_every_page_that_was_acknowledged_before_it_began);

const HOST: &str = "acme.localhost";
const ROUNDS: usize = 3;

fn a_backup_has_every_page_that_was_acknowledged_before_it_began(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let (acknowledged, is_over) = (Mutex::new(Vec::<String>::new()), AtomicBool::new(false));
    let place = recto.path_next_to_data("backups");
    let mut before = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let slug = format!("page-{number}");
                let page = json!({ "slug": slug, "title": "A page", "content": format!("Number {number}.") });
                // Some are built, so that packs appear, are merged and deleted.
                let body = json!({ "pages": [page], "build": number % 5 == 0 });
                server.publish(&account.token, &body).expect(200);
                acknowledged.lock().unwrap().push(slug);
            }
        });
        for round in 0..ROUNDS {
            while acknowledged.lock().unwrap().len() < 20 * (round + 1) {
                std::thread::yield_now();
            }
            before = acknowledged.lock().unwrap().clone();
            let made = recto.json(&["backup", text(&place)]);
            assert_eq!(made["problemCount"], 0, "{made}");
        }
        is_over.store(true, Ordering::Relaxed);
    });
    server.stop();
    let ended = recto.run(&["backup", "verify", text(&place)]);
    assert_eq!(ended.code, Some(0), "{ended:?}");

    let copy = Recto::new();
    copy.text(&["restore", text(&place)]);
    assert_eq!(copy.json(&["verify"])["damage"], json!([]));
    copy.check_integrity();
    let server = copy.start();
    let restored = server.list(&account.token).slugs();
    let missing: Vec<_> = before.iter().filter(|slug| !restored.contains(slug)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    copy.text(&["site", "build", "acme", "--wait"]);
    for slug in [&before[0], before.last().unwrap()] {
        let number = slug.strip_prefix("page-").unwrap();
        let page = server.visit(HOST, &format!("/blog/{slug}"));
        assert!(page.body.contains(&format!("Number {number}.")), "{slug}: {}", page.body);
    }
    server.stop();
}
