//! Two nodes of each role under load, while they are killed and paused at random: what clients were promised is kept, and
//! visitors never see a mixture.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Barrier;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::Account;
use crate::nodes::fleet::{Fleet, Node};

const HOST: &str = "acme.localhost";
const PAGES: usize = 12;
/// For how many seconds nodes are killed and paused: 20, unless this variable is set.
const CAMPAIGN: &str = "RECTO_TEST_CAMPAIGN_SECONDS";

/// What was acknowledged, which must be there at the end.
#[derive(Default)]
struct Promised {
    /// The newest version of the pages that change together.
    version: Mutex<u64>,
    slugs: Mutex<BTreeSet<String>>,
    /// Uploaded files by their URL.
    files: Mutex<BTreeMap<String, Vec<u8>>>,
}

#[test]
fn a_fleet_under_faults_keeps_its_promises() {
    let Some(fleet) = Fleet::new() else { return };
    let account = fleet.recto.account("Acme");
    let apis = [fleet.node("api"), fleet.node("api")];
    let sites = [fleet.node("sites"), fleet.node("sites")];
    let workers = [fleet.node("worker"), fleet.node("worker")];
    let (promised, over) = (Promised::default(), AtomicBool::new(false));
    apis[0].call(Method::POST, "/pages", &account.token, Some(&version_of_pages(0))).unwrap().expect(200);
    // A fault during the first build may delay it for longer than all faults take.
    for node in &sites {
        wait_until("the first version is live", || {
            node.visit(HOST, "/docs/page-0").is_ok_and(|page| page.status == 200)
        });
    }
    let running = || !over.load(Ordering::SeqCst);
    std::thread::scope(|scope| {
        let (apis, sites, workers, account, promised) = (&apis, &sites, &workers, &account, &promised);
        scope.spawn(move || publish_versions(apis, account, promised, running));
        scope.spawn(move || publish_pages(apis, account, promised, running));
        scope.spawn(move || upload_files(apis, account, promised, running));
        let visitors = sites.each_ref().map(|node| scope.spawn(move || visit(node, running)));
        let nodes = [&apis[0], &apis[1], &sites[0], &sites[1], &workers[0], &workers[1]];
        let faults = disturb(&nodes);
        over.store(true, Ordering::SeqCst);
        let views: usize = visitors.into_iter().map(|visitor| visitor.join().unwrap()).sum();
        eprintln!("{faults} faults, {views} page views");
    });
    for node in apis.iter().chain(&sites).chain(&workers) {
        node.wait_until_ready();
    }
    check_builds(&fleet);
    check_promises(&fleet, &account, &apis, &sites, &promised);
}

/// Kills or pauses one node after the other, and brings it back. Returns how often.
fn disturb(nodes: &[&Node]) -> usize {
    let seconds = std::env::var(CAMPAIGN).map_or(20, |seconds| seconds.parse().unwrap());
    let (start, mut faults) = (Instant::now(), 0);
    while start.elapsed() < Duration::from_secs(seconds) {
        faults += 1;
        let random = RandomState::new().hash_one(start.elapsed());
        let node = nodes[random as usize % nodes.len()];
        std::thread::sleep(Duration::from_millis(random >> 32 & 511));
        if random >> 20 & 1 == 0 {
            node.kill();
            node.start();
            node.wait_until_ready();
        } else {
            node.signal(Signal::STOP);
            std::thread::sleep(Duration::from_millis(random >> 42 & 2047));
            node.signal(Signal::CONT);
        }
    }
    faults
}

/// All pages of a version in one request, with a build: their titles are in each other's sidebar.
fn version_of_pages(version: u64) -> Value {
    let page = |number| {
        let title = format!("Number {number} of version-{version}-");
        json!({ "slug": format!("page-{number}"), "contentType": "docs", "title": title,
            "content": format!("Text of version-{version}-") })
    };
    let pages: Vec<Value> = (0..PAGES).map(page).collect();
    json!({ "pages": pages, "build": true })
}

fn publish_versions(apis: &[Node; 2], account: &Account, promised: &Promised, running: impl Fn() -> bool) {
    for version in 1.. {
        if !running() {
            return;
        }
        let body = version_of_pages(version);
        let answer = apis[version as usize % 2].call(Method::POST, "/pages", &account.token, Some(&body));
        if answer.is_ok_and(|answer| answer.status == 200 && answer.is_complete()) {
            *promised.version.lock().unwrap() = version;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn publish_pages(apis: &[Node; 2], account: &Account, promised: &Promised, running: impl Fn() -> bool) {
    for number in 0.. {
        if !running() {
            return;
        }
        let slug = format!("single-{number}");
        let body = json!({ "slug": slug, "title": slug });
        let answer = apis[number % 2].call(Method::POST, "/pages", &account.token, Some(&body));
        if answer.is_ok_and(|answer| answer.status == 200 && answer.is_complete()) {
            promised.slugs.lock().unwrap().insert(slug);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn upload_files(apis: &[Node; 2], account: &Account, promised: &Promised, running: impl Fn() -> bool) {
    for number in 0usize.. {
        if !running() {
            return;
        }
        let bytes = format!("file {number} ").repeat(2000).into_bytes();
        let answer = apis[number % 2].upload(&account.token, &format!("file-{number}.txt"), &bytes);
        if let Ok(answer) = answer
            && answer.status == 200
            && answer.is_complete()
        {
            let url = answer.json()["url"].as_str().unwrap().to_owned();
            promised.files.lock().unwrap().insert(url, bytes);
        }
        std::thread::sleep(Duration::from_millis(30));
    }
}

/// Everything in an answer is of one version: the page's own text, and the titles of all others in its sidebar. Returns the
/// number of pages seen.
fn visit(node: &Node, running: impl Fn() -> bool) -> usize {
    let mut seen = 0;
    while running() {
        let path = format!("/docs/page-{}", seen % PAGES);
        if let Ok(page) = node.visit(HOST, &path)
            && page.is_complete()
            && page.status == 200
        {
            let versions: BTreeSet<&str> =
                page.body.split("version-").skip(1).filter_map(|rest| rest.split('-').next()).collect();
            assert_eq!(versions.len(), 1, "{path} shows {versions:?}");
            assert!(page.body.matches("version-").count() > PAGES, "{}", page.body);
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen} pages were seen");
    seen
}

/// Every build has ended, once, and the newest succeeded.
fn check_builds(fleet: &Fleet) {
    let open = "SELECT count(*) FROM builds WHERE status IN ('queued', 'running')";
    wait_until("no build is open", || fleet.recto.query(open) == 0);
    let wrong =
        "SELECT count(*) FROM builds WHERE completed_at IS NULL OR status NOT IN ('success', 'failed')";
    assert_eq!(fleet.recto.query(wrong), 0);
    assert_eq!(fleet.recto.query("SELECT count(*) FROM builds WHERE status = 'failed'"), 0);
    assert!(fleet.recto.query("SELECT count(*) FROM builds") > 3);
    assert_eq!(fleet.recto.query("SELECT count(*) FROM building"), 0);
}

fn check_promises(
    fleet: &Fleet,
    account: &Account,
    apis: &[Node; 2],
    sites: &[Node; 2],
    promised: &Promised,
) {
    let version = *promised.version.lock().unwrap();
    assert!(version > 3, "{version}");
    // What was sent but not acknowledged may have been stored.
    let last = json!({ "slug": "last", "title": "Last", "build": true });
    apis[0].call(Method::POST, "/pages", &account.token, Some(&last)).unwrap().expect(200);
    let files = promised.files.lock().unwrap();
    assert!(files.len() > 3, "{}", files.len());
    let slugs = promised.slugs.lock().unwrap();
    eprintln!("acknowledged: version {version}, {} single pages, {} files", slugs.len(), files.len());
    for node in sites {
        wait_until("the last build is live", || {
            node.visit(HOST, "/blog/last").is_ok_and(|page| page.status == 200)
        });
        for slug in slugs.iter().step_by(7) {
            assert_eq!(node.visit(HOST, &format!("/blog/{slug}")).unwrap().status, 200, "{slug}");
        }
        let page = node.visit(HOST, "/docs/page-0").unwrap().body;
        let shown: u64 = page.split("version-").nth(1).unwrap().split('-').next().unwrap().parse().unwrap();
        assert!(shown >= version, "{shown} is shown, {version} was acknowledged");
        for (url, bytes) in files.iter() {
            let file = node.visit(HOST, url).unwrap();
            assert_eq!((file.status, file.body.as_bytes()), (200, bytes.as_slice()), "{url}");
        }
    }
    let stored =
        fleet.recto.query("SELECT count(*) FROM pages WHERE slug LIKE 'single-%' AND deleted_at IS NULL");
    assert!(stored as usize >= slugs.len());
    assert_eq!(fleet.recto.json(&["verify"])["damage"], json!([]));
}

#[test]
fn two_nodes_never_pass_the_storage_quota_by_a_byte() {
    const FITS: usize = 10;
    const SIZE: usize = 1000;
    let Some(fleet) = Fleet::new() else { return };
    let fleet = fleet.set("RECTO_PLANS_PRO_STORAGE", &(FITS * SIZE + SIZE / 2).to_string());
    let account = fleet.recto.account("Acme");
    let apis = [fleet.node("api"), fleet.node("api")];
    let barrier = Barrier::new(32);
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let uploads: Vec<_> = (0..32u8)
            .map(|number| {
                let (api, token, barrier) = (&apis[usize::from(number) % 2], &account.token, &barrier);
                scope.spawn(move || {
                    barrier.wait();
                    let name = format!("{number}.zip");
                    api.upload(token, &name, &[number; SIZE]).unwrap().status
                })
            })
            .collect();
        uploads.into_iter().map(|upload| upload.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), FITS, "{statuses:?}");
    assert!(statuses.iter().all(|status| matches!(status, 200 | 402)), "{statuses:?}");
    assert_eq!(fleet.recto.storage_used(&account), (FITS * SIZE) as u64);
}

#[test]
fn a_change_is_soon_visible_on_every_node() {
    let Some(fleet) = Fleet::new() else { return };
    let account = fleet.recto.account("Acme");
    let (api, _worker) = (fleet.node("api"), fleet.node("worker"));
    let sites = [fleet.node("sites"), fleet.node("sites")];
    for number in 0..20 {
        let title = format!("Title-{number}-");
        let body = json!({ "slug": "a", "title": title, "build": true });
        api.call(Method::POST, "/pages", &account.token, Some(&body)).unwrap().expect(200);
        wait_until("it is built", || {
            let build = api.call(Method::GET, "/builds/latest", &account.token, None).unwrap().expect(200);
            build["status"] == "success"
        });
        let success = Instant::now();
        for node in &sites {
            while !node.visit(HOST, "/blog/a").unwrap().body.contains(&title) {
                // How long it takes is measured by `bench/run nodes`.
                assert!(success.elapsed() < Duration::from_secs(20), "{title} is not visible");
            }
        }
    }
}
