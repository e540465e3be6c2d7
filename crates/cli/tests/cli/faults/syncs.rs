//! Which files are synced, how, and how often: a large sync delays all others on the same disk.

use std::path::PathBuf;
use std::process::Command;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::{Recto, text};
use crate::harness::server::Server;

/// A server whose syncs are recorded.
struct Recorded {
    recto: Recto,
    server: Server,
    record: PathBuf,
}

impl Recorded {
    fn start() -> Recorded {
        let recto = Recto::new();
        let (library, record) = (recto.path_next_to_data("syncs.so"), recto.path_next_to_data("syncs"));
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cli/faults/syncs.c");
        let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o", text(&library), source]).status();
        assert!(compiled.unwrap().success());
        let mut command = recto.command(&["serve", "--dev"]);
        command.env("LD_PRELOAD", &library).env("SYNCS", &record).env("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
        Recorded { server: Server::start(command), recto, record }
    }

    /// The calls that synced files whose paths contain this, with the path of each.
    fn of(&self, part: &str) -> Vec<(String, String)> {
        let record = std::fs::read_to_string(&self.record).unwrap_or_default();
        let syncs = record.lines().filter_map(|line| line.split_once(' '));
        let syncs = syncs.filter(|(_, path)| path.contains(part));
        syncs.map(|(call, path)| (call.to_owned(), path.to_owned())).collect()
    }

    /// Of packs, without their directories: a file that is being written has `#` and a number behind its name.
    fn packs(&self) -> Vec<(String, String)> {
        self.of("/packs/").into_iter().filter(|(_, path)| path.contains('#')).collect()
    }
}

/// `fsync` would also write the times of the file, and wait for what other files have in the journal of the file system.
#[test]
fn a_publish_syncs_the_log_of_sqlite_without_its_times() {
    let recorded = Recorded::start();
    let account = recorded.recto.account("Acme");
    let before = recorded.of("-wal").len();
    recorded.server.publish(&account.token, &json!({ "title": "A" })).expect(200);
    let syncs = recorded.of("-wal");
    assert!(syncs.len() > before, "{syncs:?}");
    assert!(syncs.iter().all(|(call, _)| call == "fdatasync"), "{syncs:?}");
}

#[test]
fn a_large_upload_is_synced_while_it_arrives() {
    let recorded = Recorded::start();
    let account = recorded.recto.account("Acme");
    recorded.server.keep_file(&account, "large.zip", &vec![0; 40 << 20]);
    let syncs = recorded.of("/uploads/");
    assert!(syncs.len() >= 2, "{syncs:?}");
}

#[test]
fn a_pack_is_synced_in_pieces_while_others_write() {
    let recorded = Recorded::start();
    let [noisy, other] = ["Acme", "Books"].map(|name| recorded.recto.account(name));
    let server = &recorded.server;
    let publish = |word: &str| {
        let page = |number| json!({ "title": format!("Page {number}"), "content": word.repeat(4000) });
        let pages: Vec<Value> = (0..200).map(page).collect();
        server.publish(&noisy.token, &json!({ "pages": pages, "build": true })).expect(200);
    };
    publish("once ");
    server.wait_for_build(&noisy.token);
    let alone = recorded.packs().len();
    assert_eq!(alone, 1, "{:?}", recorded.packs());

    let write =
        || server.publish(&other.token, &json!({ "slug": "b", "title": "B", "build": false })).expect(200);
    write();
    publish("again ");
    wait_until("the build has ended", || {
        write();
        let build = server.call(Method::GET, "/builds/latest", &noisy.token, None).expect(200);
        !build["completedAt"].is_null()
    });
    let beside_others = recorded.packs().len() - alone;
    assert!(beside_others >= 4, "{:?}", recorded.packs());
}
