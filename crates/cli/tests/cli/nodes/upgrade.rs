//! An upgrade while a server of the previous release goes on beside the new nodes. `tests/campaign.sh` builds that release
//! and runs this.

use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::Account;
use crate::harness::server::Server;
use crate::nodes::fleet::{Fleet, Node};

const HOST: &str = "acme.localhost";
const SCHEMA: &str = "SELECT max(version) FROM migrations";
/// Of the new release, while both run.
const PUBLISHES: usize = 30;

/// The previous release, with the engines that it knows.
struct Previous<'f> {
    fleet: &'f Fleet,
    program: PathBuf,
    data: tempfile::TempDir,
}

impl Previous<'_> {
    /// It answers the API, serves sites and builds.
    fn start(&self) -> Server {
        Server::start(self.command(&["serve", "--dev"]))
    }

    fn account(&self) -> Account {
        let ended =
            Process::start(self.command(&["account", "create", "Acme", "--plan", "pro", "--json"])).wait();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        Account::created(&serde_json::from_str(&ended.stdout).unwrap())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.fleet.recto.command_of(&self.program, self.data.path(), arguments);
        // Only newer releases count in Redis; without rate limits it makes no difference.
        command.env_remove("RECTO_LIMITS_URL");
        command
    }
}

/// What was acknowledged.
#[derive(Default)]
struct Published {
    slugs: Vec<String>,
    /// URL and bytes.
    files: Vec<(String, String)>,
}

#[test]
#[ignore = "needs the previous release, which tests/campaign.sh builds"]
fn the_previous_release_goes_on_beside_new_nodes_during_an_upgrade() {
    let Some(fleet) = Fleet::new() else { return };
    // Pages contain the address of their site, which must not depend on who builds them.
    let fleet = fleet.set("RECTO_STORE_UPGRADE", "manual").set("RECTO_SITES_URL", "http://{site}.localhost");
    let program = std::env::var_os("RECTO_TEST_PREVIOUS").expect("RECTO_TEST_PREVIOUS is a program");
    let previous = Previous { fleet: &fleet, program: program.into(), data: tempfile::tempdir().unwrap() };
    let (account, old) = (previous.account(), previous.start());
    let (schema, over) = (fleet.recto.query(SCHEMA), AtomicBool::new(false));
    let (published, api, sites, _worker) = std::thread::scope(|scope| {
        // All the time: before, during and after the change of the schema.
        let publishing = scope.spawn(|| publish_on_old(&old, &account, &over));
        wait_until("the previous release has built", || old.visit(HOST, "/blog/old-3").status == 200);
        fleet.recto.text(&["store", "upgrade"]);
        assert!(fleet.recto.query(SCHEMA) > schema, "{schema} is the schema of both releases");
        let (api, sites, worker) = (fleet.node("api"), fleet.node("sites"), fleet.node("worker"));
        let new = publish_on_new(&api, &account);
        over.store(true, Ordering::SeqCst);
        ([publishing.join().unwrap(), new], api, sites, worker)
    });
    for published in &published {
        wait_until("everything is live", || is_live(&old, &sites, published));
        eprintln!("{} pages, {} files", published.slugs.len(), published.files.len());
    }
    // Its build may be running when the last server of the previous release is gone.
    old.publish(&account.token, &page("last")).expect(200);
    drop(old);
    wait_until("the last build is live", || sites.visit(HOST, "/blog/last").unwrap().status == 200);
    check_builds(&fleet);
    api.call(Method::GET, "/pages", &account.token, None).unwrap().expect(200);
    assert_eq!(fleet.recto.json(&["verify"])["damage"], json!([]));
}

fn publish_on_old(old: &Server, account: &Account, over: &AtomicBool) -> Published {
    let mut published = Published::default();
    while !over.load(Ordering::SeqCst) {
        let slug = format!("old-{}", published.slugs.len());
        old.publish(&account.token, &page(&slug)).expect(200);
        let url = old.keep_file(account, &format!("{slug}.txt"), slug.as_bytes());
        published.files.push((url, slug.clone()));
        published.slugs.push(slug);
    }
    published
}

fn publish_on_new(api: &Node, account: &Account) -> Published {
    let mut published = Published::default();
    for number in 0..PUBLISHES {
        let slug = format!("new-{number}");
        api.call(Method::POST, "/pages", &account.token, Some(&page(&slug))).unwrap().expect(200);
        let file = api.upload(&account.token, &format!("{slug}.txt"), slug.as_bytes()).unwrap().expect(200);
        published.files.push((file["url"].as_str().unwrap().to_owned(), slug.clone()));
        published.slugs.push(slug);
    }
    published
}

fn page(slug: &str) -> Value {
    json!({ "slug": slug, "title": format!("Title of {slug}"), "build": true })
}

/// Whether both releases serve all of it.
fn is_live(old: &Server, new: &Node, published: &Published) -> bool {
    let both = |path: &str| [old.visit(HOST, path), new.visit(HOST, path).unwrap()];
    let has_page = |slug: &String| {
        let title = format!("Title of {slug}");
        both(&format!("/blog/{slug}")).iter().all(|page| page.status == 200 && page.body.contains(&title))
    };
    let has_file = |(url, bytes): &(String, String)| both(url).iter().all(|file| file.body == *bytes);
    published.slugs.iter().all(has_page) && published.files.iter().all(has_file)
}

fn check_builds(fleet: &Fleet) {
    let count =
        |condition| fleet.recto.query(&format!("SELECT count(*) FROM builds WHERE status {condition}"));
    wait_until("no build is open", || count("IN ('queued', 'running')") == 0);
    assert_eq!(count("<> 'success'"), 0);
    eprintln!("{} builds", count("= 'success'"));
}
