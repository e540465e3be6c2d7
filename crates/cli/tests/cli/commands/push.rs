//! `recto push`: a real folder, a real server.

mod asking;
mod exported;
mod interrupted;
mod settings;

use std::path::{Path, PathBuf};
use std::process::Command;

use reqwest::Method;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::harness::process::{Ended, Process, wait_until};
use crate::harness::recto::{Account, Recto, keys};
use crate::harness::server::Server;

/// An account, a server without cooldown, and an empty folder.
struct World {
    recto: Recto,
    server: Server,
    account: Account,
    folder: PathBuf,
}

impl World {
    fn new() -> World {
        let recto = Recto::new().set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
        let account = recto.account("Acme");
        let (server, folder) = (recto.start(), recto.path_next_to_data("folder"));
        std::fs::create_dir(&folder).unwrap();
        World { recto, server, account, folder }
    }

    fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let folder = self.folder.to_str().unwrap();
        let mut command = self.recto.command(&[&["push", folder], arguments].concat());
        command.env("RECTO_URL", &self.server.base).env("RECTO_TOKEN", &self.account.token);
        command.env("XDG_CACHE_HOME", self.cache());
        command
    }

    fn cache(&self) -> PathBuf {
        self.recto.path_next_to_data("cache")
    }

    fn run(&self, arguments: &[&str]) -> Ended {
        Process::start(self.command(arguments)).wait()
    }

    fn push(&self, arguments: &[&str]) -> Value {
        let ended = self.run(&[&["--json"], arguments].concat());
        assert!(matches!(ended.code, Some(0 | 2)), "{ended:?}");
        serde_json::from_str(&ended.stdout).unwrap()
    }

    /// Created, updated, unchanged and deleted pages, files sent and reused.
    fn counts(&self, arguments: &[&str]) -> [u64; 6] {
        let report = self.push(arguments);
        let media = &report["media"];
        [
            &report["created"],
            &report["updated"],
            &report["unchanged"],
            &report["deleted"],
            &media["uploaded"],
            &media["reused"],
        ]
        .map(|count| count.as_u64().unwrap())
    }

    fn failure(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(1), "{ended:?}");
        ended.stderr
    }

    fn visit(&self, path: &str) -> (u16, String) {
        let answer = self.server.visit("acme.localhost", path);
        (answer.status, answer.body)
    }

    fn page(&self, path: &str) -> Value {
        self.server.call(Method::GET, path, &self.account.token, None).expect(200)
    }
}

const PNG: &[u8] = include_bytes!("push/dot.png");

fn sample(world: &World) {
    world.write("index.md", "# Home\n\n[Install](docs/guides/install.md#linux)\n");
    world.write(
        "docs/guides/install.md",
        "---\ntags: [setup]\naliases: [/old/install]\n---\n# Install\n\n![dot](../img/dot.png)\n",
    );
    world.write("docs/img/dot.png", PNG);
    world.write("blog/2026-01-02-first.md", "# First\n\n[Home](../index.md) ![dot](../docs/img/dot.png)\n");
}

#[test]
fn a_folder_becomes_a_site() {
    let world = World::new();
    sample(&world);
    let report = world.push(&[]);
    assert_eq!(keys(&report), ["build", "created", "deleted", "media", "unchanged", "updated", "url"]);
    assert_eq!(report["created"], 3);
    assert_eq!(report["media"], json!({"uploaded": 1, "reused": 0}));
    assert_eq!(
        (&report["build"]["status"], &report["url"]),
        (&json!("success"), &json!("http://acme.localhost:8081"))
    );
    let (status, home) = world.visit("/");
    assert_eq!(status, 200);
    assert!(home.contains("href=\"/docs/guides/install#linux\""), "{home}");
    let (_, install) = world.visit("/docs/guides/install");
    let image = install.split("src=\"").find(|part| part.starts_with("/media/")).unwrap();
    assert_eq!(world.visit(image.split('"').next().unwrap()).0, 200);
    assert_eq!(world.visit("/blog/first").0, 200);
    assert_eq!(world.visit("/old/install").0, 301);
}

#[test]
fn a_second_push_finds_nothing_to_do() {
    let world = World::new();
    sample(&world);
    assert_eq!(world.counts(&[]), [3, 0, 0, 0, 1, 0]);
    let builds = || world.recto.query("SELECT count(*) FROM builds");
    let before = builds();
    assert_eq!(world.counts(&[]), [0, 0, 3, 0, 0, 1]);
    assert_eq!(world.push(&[])["build"], Value::Null);
    // Without what it remembers, it asks the server, which finds the same.
    std::fs::remove_dir_all(world.cache()).unwrap();
    assert_eq!(world.counts(&[]), [0, 0, 3, 0, 1, 0]);
    assert_eq!(world.counts(&["--dry-run"]), [0, 0, 3, 0, 0, 1]);
    assert_eq!(builds(), before);
    let text = world.run(&[]);
    assert!(text.stdout.contains("nothing to do"), "{text:?}");
}

#[test]
fn only_what_changed_is_sent() {
    let world = World::new();
    sample(&world);
    world.push(&[]);
    world.write("index.md", "# New home");
    assert_eq!(world.counts(&[]), [0, 1, 2, 0, 0, 1]);
    // The text of a page changes, its image is there.
    world.write("blog/2026-01-02-first.md", "# First\n\nMore. ![dot](../docs/img/dot.png)\n");
    assert_eq!(world.counts(&[]), [0, 1, 2, 0, 0, 1]);
    // The image changes, and both pages that show it.
    world.write("docs/img/dot.png", [PNG, b"\0"].concat());
    assert_eq!(world.counts(&[])[4..], [1, 0]);
    assert_eq!(world.counts(&[]), [0, 0, 3, 0, 0, 1]);
}

#[test]
fn a_key_that_is_removed_from_front_matter_is_cleared() {
    let world = World::new();
    world.write(
        "docs/a.md",
        "---\ntitle: A\ndescription: About\ntags: [x]\ndraft: true\nweight: 1\napiEndpoint: GET /a\n---\n",
    );
    world.push(&[]);
    world.write("docs/a.md", "# A\n");
    assert_eq!(world.counts(&[]), [0, 1, 0, 0, 0, 0]);
    let page = world.page("/pages/a?contentType=docs");
    assert_eq!(
        (&page["description"], &page["tags"], &page["draft"], &page["params"], &page["apiEndpoint"]),
        (&Value::Null, &json!([]), &json!(false), &json!({}), &Value::Null)
    );
}

#[test]
fn a_dry_run_changes_nothing_and_its_status_says_whether_there_are_changes() {
    let world = World::new();
    sample(&world);
    world.write("docs/broken.md", "# Broken\n\n[a](/nowhere)\n");
    let ended = world.run(&["--dry-run", "--json"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    let report: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!((&report["dryRun"], &report["created"]), (&json!(true), &json!(4)));
    assert_eq!(report["plan"]["brokenLinks"], json!([{"page": "/docs/broken", "link": "/nowhere"}]));
    assert_eq!(report["plan"]["media"]["files"], 1);
    assert_eq!(world.server.list(&world.account.token).expect(200)["pages"], json!([]));
    world.push(&[]);
    let ended = world.run(&["--dry-run"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn prune_deletes_what_the_folder_does_not_have_and_a_moved_file_moves_its_page() {
    let world = World::new();
    for number in 0..10 {
        world.write(&format!("docs/page-{number}.md"), format!("# Page {number}\n"));
    }
    world.write("blog/post.md", "# Post");
    world.push(&[]);
    std::fs::remove_file(world.folder.join("blog/post.md")).unwrap();
    std::fs::remove_file(world.folder.join("docs/page-0.md")).unwrap();
    std::fs::rename(world.folder.join("docs/page-1.md"), world.folder.join("docs/renamed.md")).unwrap();
    assert_eq!(world.counts(&[]), [1, 0, 8, 0, 0, 0], "without --prune nothing is deleted");
    std::fs::rename(world.folder.join("docs/page-2.md"), world.folder.join("docs/other.md")).unwrap();
    // page-0 and page-1 are deleted, page-2 moves; the folder has no blog, so its post stays.
    assert_eq!(world.counts(&["--prune"]), [0, 1, 8, 2, 0, 0]);
    assert_eq!(world.visit("/docs/page-2").0, 301);
    assert_eq!(world.visit("/docs/page-0").0, 404);
    assert_eq!(world.visit("/blog/post").0, 200);
    for number in 3..8 {
        std::fs::remove_file(world.folder.join(format!("docs/page-{number}.md"))).unwrap();
    }
    assert!(world.failure(&["--prune"]).contains("--yes"));
    assert_eq!(world.visit("/docs/page-3").0, 200);
    assert_eq!(world.counts(&["--prune", "--yes"])[3], 5);
}

#[test]
fn everything_that_is_wrong_is_reported_at_once_and_nothing_is_published() {
    let world = World::new();
    world.write("good.md", "# Good");
    world.write("a.md", "---\ntitle: A\ntags: [\n---\n");
    world.write("b.md", b"# B \xff");
    world.write("c.md", "# C\n\n![x](missing.png)\n");
    world.write("docs/d.md", "# D");
    world.write("docs/D.md", "# D");
    world.write("docs/!!!.md", "# E");
    world.write("docs/long.md", "a".repeat(100_001));
    std::os::unix::fs::symlink("/etc/hostname", world.folder.join("link.md")).unwrap();
    let message = world.failure(&[]);
    for part in [
        "a.md:3: ",
        "b.md: is not UTF-8",
        "c.md:3: ",
        "docs/d.md: has the same URL",
        "docs/!!!.md:1: ",
        "docs/long.md:1: ",
        "link.md: ",
    ] {
        assert!(message.contains(part), "{part}: {message}");
    }
    assert!(!message.contains("good.md"), "{message}");
    assert_eq!(world.server.list(&world.account.token).expect(200)["pages"], json!([]));
}

#[test]
fn a_wrong_token_site_or_address_is_explained() {
    let world = World::new();
    world.write("a.md", "# A");
    let fails = |command: &mut Command, part: &str| {
        let command = std::mem::replace(command, Command::new("true"));
        let ended = Process::start(command).wait();
        assert_eq!(ended.code, Some(1), "{ended:?}");
        assert!(ended.stderr.contains(part), "{ended:?}");
    };
    fails(world.command(&[]).env("RECTO_TOKEN", "rec_wrong"), "RECTO_TOKEN");
    fails(world.command(&[]).env_remove("RECTO_TOKEN"), "RECTO_TOKEN");
    fails(&mut world.command(&["--site", "other"]), "it has acme");
    fails(&mut world.command(&["--url", "http://127.0.0.1:1"]), "cannot reach");
    fails(&mut world.command(&["--url", "nonsense"]), "address");
}

#[test]
fn the_configuration_of_the_folder_is_used() {
    let world = World::new();
    let site = world.recto.json(&["site", "create", "books", "--account", &world.account.id]);
    world.write("guides/a.md", "# A");
    world.write("drafts/b.md", "# B");
    let config = format!(
        "url = \"{}\"\nsite = \"books\"\ntype = \"docs\"\nignore = [\"drafts/\"]\n",
        world.server.base
    );
    world.write("recto.toml", config);
    let mut command = world.command(&[]);
    command.env_remove("RECTO_URL");
    let ended = Process::start(command).wait();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let pages = world.page(&format!("/pages?siteId={}", site["siteId"].as_str().unwrap()));
    assert_eq!(pages["pages"].as_array().unwrap().len(), 1);
    assert_eq!((&pages["pages"][0]["section"], &pages["pages"][0]["slug"]), (&json!("guides"), &json!("a")));
    world.write("recto.toml", "token = \"rec_secret\"\n");
    assert!(world.failure(&[]).contains("RECTO_TOKEN"));
}

#[test]
fn an_interrupted_push_is_completed_by_the_next_one() {
    let world = World::new();
    sample(&world);
    // The pages are stored, and no build was queued: as if the client had been killed between the two.
    assert_eq!(world.push(&["--no-build"])["build"], Value::Null);
    assert_eq!(world.visit("/blog/first").0, 404);
    let report = world.push(&[]);
    assert_eq!((&report["unchanged"], &report["build"]["status"]), (&json!(3), &json!("success")));
    assert_eq!(world.visit("/blog/first").0, 200);
}

#[test]
fn a_cooldown_is_waited_for() {
    let recto = Recto::new().set("RECTO_BUILDS_COOLDOWN_SECONDS", "3");
    let account = recto.account("Acme");
    let (server, folder) = (recto.start(), recto.path_next_to_data("folder"));
    std::fs::create_dir(&folder).unwrap();
    let world = World { recto, server, account, folder };
    world.write("a.md", "# A");
    world.push(&[]);
    world.write("a.md", "# B");
    let ended = world.run(&[]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stderr.contains("cooldown"), "{ended:?}");
    assert!(world.visit("/a").1.contains(">B</h1>"), "{:?}", world.visit("/a"));
}

#[test]
fn more_files_than_a_request_may_have_are_sent_in_batches() {
    let world = World::new();
    let mut text = "# Many\n\n".to_owned();
    for number in 0..300 {
        world.write(&format!("files/{number}.txt"), format!("file {number}"));
        world.write(&format!("other/{number}.txt"), format!("other {number}"));
        text.push_str(&format!("[{number}](files/{number}.txt)\n"));
    }
    world.write("a.md", &text);
    world.write("b.md", text.replace("files/", "other/").replace("# Many", "# Others"));
    assert_eq!(world.counts(&[]), [2, 0, 0, 0, 600, 0]);
    assert_eq!(world.counts(&[]), [0, 0, 2, 0, 0, 600]);
    assert_eq!(world.visit("/b").0, 200);
}

#[test]
fn a_watched_folder_is_published_when_it_changes() {
    let world = World::new();
    world.write("a.md", "# First");
    let watching = Process::start(world.command(&["--watch"]));
    wait_until("the folder is published", || world.visit("/a").0 == 200);
    world.write("a.md", "---\ntitle: [\n---\n");
    wait_until("the mistake is reported", || watching.stderr().contains("a.md:2"));
    world.write("a.md", "# Second");
    wait_until("the change is published", || world.visit("/a").1.contains("Second"));
    watching.signal(Signal::INT);
    assert_eq!(watching.wait().code, Some(0));
}

#[test]
fn the_sample_folder_can_be_published() {
    let mut world = World::new();
    world.folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/site");
    let ended = world.run(&[]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    assert_eq!(world.visit("/").0, 200);
}
