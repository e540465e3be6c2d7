//! A full disk: writes are refused with a message, deletions work, and afterwards everything works again.

use std::process::Command;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::Recto;
use crate::harness::server::{Answer, Server};
use crate::media::forms::{CONTENT_TYPE, Form};

const MB: usize = 1 << 20;

/// A server whose data directory is a separate disk of this size, and its token.
struct SmallDisk {
    server: Server,
    token: String,
}

impl SmallDisk {
    fn start(recto: &Recto, megabytes: usize) -> SmallDisk {
        let data = recto.data();
        std::fs::create_dir_all(&data).unwrap();
        let serve = recto.command(&["serve", "--dev"]);
        // A mount that only this process sees; without root privileges, in a user namespace.
        let mut command = Command::new("unshare");
        command.arg("--mount");
        if !rustix::process::geteuid().is_root() {
            command.arg("--map-root-user");
        }
        let mount = format!("mount -t tmpfs -o size={megabytes}m tmpfs \"$0\" && exec \"$@\"");
        command.arg("sh").arg("-c").arg(mount).arg(&data).arg(serve.get_program()).args(serve.get_args());
        for (name, value) in serve.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let server = Server::start(command);
        let mut token = None;
        wait_until("the token is shown", || {
            let shown = server.stdout();
            let is_ours = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let mut words = shown.split(|c| !is_ours(c)).map(str::to_owned);
            token = words.find(|word| word.starts_with("rec_"));
            token.is_some()
        });
        let token = token.unwrap();
        SmallDisk { server, token }
    }

    fn upload(&self, name: &str, megabytes: usize) -> Answer {
        // All files are different.
        let mut bytes = vec![7; megabytes * MB];
        bytes[..name.len()].copy_from_slice(name.as_bytes());
        self.server
            .post("/media", &self.token, CONTENT_TYPE, Form::default().file(name, &bytes).end())
            .unwrap()
    }

    fn fill(&self, megabytes: usize) -> usize {
        (0..100)
            .find(|number| self.upload(&format!("{number}.zip"), megabytes).status == 507)
            .expect("the disk is small")
    }
}

fn is_refused(answer: &Answer) {
    let body: Value = answer.expect(507);
    assert_eq!(body["error"], "insufficient storage on the server");
}

#[test]
fn a_nearly_full_disk_refuses_writes_and_lets_everything_else_go_on() {
    let recto = Recto::new().set("RECTO_STORE_MIN_FREE", "40 MB").set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let disk = SmallDisk::start(&recto, 120);
    let (server, token) = (&disk.server, &disk.token);
    server
        .publish(token, &json!({ "pages": [{ "title": "Stays" }, { "title": "Goes" }], "build": true }))
        .expect(200);
    assert_eq!(server.wait_for_build(token)["status"], "success");

    let stored = disk.fill(8);
    assert!(stored > 3, "{stored} files were stored");
    // The file that was refused has left some space, which texts now take.
    let text = json!({ "slug": "stays", "title": "Stays", "content": "x".repeat(90_000) });
    let refused = (0..200).map(|_| server.publish(token, &text)).find(|answer| answer.status != 200);
    is_refused(&refused.expect("the disk is nearly full"));
    let ready = server.get("/readyz").expect(200);
    assert!(ready["disk"].as_str().unwrap().contains("nearly full"), "{ready}");
    assert_eq!(server.visit("my-site.localhost", "/blog/stays").status, 200);
    assert_eq!(server.list(token).slugs(), ["goes", "stays"]);
    let deleted = server.call(Method::DELETE, "/pages/goes?contentType=blog", token, None);
    assert_eq!(deleted.status, 204, "{}", deleted.body);
    assert_eq!(server.list(token).slugs(), ["stays"]);
}

#[test]
fn uploads_work_again_after_the_disk_was_full() {
    let recto = Recto::new().set("RECTO_STORE_MIN_FREE", "0 MB");
    let disk = SmallDisk::start(&recto, 60);
    let stored = disk.fill(9);
    assert!(stored > 2, "{stored} files were stored");
    // The file that did not fit is deleted a moment later, which leaves space for a small one.
    wait_until("there is space again", || disk.upload("small.zip", 1).status == 200);
    assert_eq!(disk.server.get("/readyz").status, 200);
}

#[test]
fn deletions_work_on_a_disk_without_a_byte_left() {
    let recto = Recto::new().set("RECTO_STORE_MIN_FREE", "0 MB");
    let disk = SmallDisk::start(&recto, 256);
    let (server, token) = (&disk.server, &disk.token);
    let pages: Vec<Value> =
        (0..500).map(|n| json!({ "title": format!("Page {n}"), "content": "x".repeat(2000) })).collect();
    server.publish(token, &json!({ "pages": pages })).expect(200);
    // The reserve is created some seconds after the start.
    std::thread::sleep(std::time::Duration::from_secs(6));
    for megabytes in [9, 1] {
        disk.fill(megabytes);
    }
    wait_until("the reserve file is deleted", || server.stderr().contains("reserve file deleted"));
    let entries: Vec<Value> =
        (0..500).map(|n| json!({ "slug": format!("page-{n}"), "contentType": "blog" })).collect();
    let deleted = server.publish(token, &json!({ "deleteSlugs": entries })).expect(200);
    assert_eq!(deleted["deleted"].as_array().unwrap().len(), 500);
    assert_eq!(server.list(token).slugs(), [""; 0]);
}
