//! A MOV is served unchanged, and gets an MP4 that every browser plays.

use serde_json::{Value, json};

use crate::harness::process::wait_until;
use crate::harness::recto::{Account, Recto};
use crate::harness::server::Server;
use crate::media::files::{everything_known, ffmpeg, run, video, with_file};
use crate::media::forms::Form;

on_one_machine_and_nodes!(
    a_mov_gets_an_mp4_twin,
    without_ffmpeg_movs_wait,
    a_killed_transcode_is_done_after_the_restart
);

const HOST: &str = "acme.localhost";

fn transcode(recto: &Recto) -> Value {
    recto.media("acme")[0]["transcode"].clone()
}

fn wait_for_twin(server: &Server, url: &str) -> Vec<u8> {
    let twin = url.replace(".mov", ".mp4");
    wait_until("the twin is there", || server.visit(HOST, &twin).status == 200);
    assert_eq!(server.visit(HOST, &twin).header("content-type"), "video/mp4");
    server.download(HOST, &twin)
}

fn check_plays(bytes: &[u8]) {
    let show = ["-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0"];
    let codecs =
        with_file("twin.mp4", bytes, |path| run("ffprobe", &[&show[..], &[path.to_str().unwrap()]].concat()));
    assert_eq!(String::from_utf8(codecs).unwrap(), "h264\naac\n");
    let known = everything_known("twin.mp4", bytes);
    assert!(!known.contains("SECRET") && !known.contains("48.2082"), "{known}");
}

fn a_mov_gets_an_mp4_twin(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let page = json!({ "pages": [{ "title": "A page", "content": "![](file:Phone.MOV)" }] });
    let form = Form::default().file("Phone.MOV", &video("phone.mov")).payload(&page);
    let answer = server.send_form("/pages", &account, form).expect(200);
    let url = answer["media"][0]["url"].as_str().unwrap();
    assert_eq!(server.visit(HOST, url).header("content-type"), "video/quicktime");
    let used = recto.storage_used(&account);
    let twin = wait_for_twin(&server, url);
    check_plays(&twin);
    assert_eq!(transcode(recto), json!({ "status": "done", "percent": 100, "error": null }));
    assert!(recto.text(&["media", "list", "acme"]).contains("MP4: done"));
    assert_eq!(recto.storage_used(&account), used, "a twin costs nothing");
    let tags = [url.to_owned(), url.replace(".mov", ".mp4")]
        .map(|url| server.visit(HOST, &url).header("etag").to_owned());
    assert_ne!(tags[0], tags[1]);

    recto.json(&["media", "delete", "acme", url, "--force"]);
    assert_eq!(server.visit(HOST, &url.replace(".mov", ".mp4")).status, 404);
    assert_eq!(recto.storage_used(&account), 0);
}

fn without_ffmpeg_movs_wait(recto: &Recto) {
    let account = recto.account("Acme");
    let mut without = recto.command(&["serve", "--dev"]);
    without.env("PATH", "/nonexistent");
    let server = Server::start(without);
    let url = server.keep_file(&account, "phone.mov", &video("phone.mov"));
    assert_eq!(
        (server.visit(HOST, &url).status, server.visit(HOST, &url.replace(".mov", ".mp4")).status),
        (200, 404)
    );
    assert_eq!(transcode(recto), json!({ "status": "queued", "percent": 0, "error": null }));
    assert!(recto.text(&["media", "list", "acme"]).contains("MP4: queued"));
    let log = server.stop();
    assert!(log.contains("ffmpeg not found"), "{log}");
    check_plays(&wait_for_twin(&recto.start(), &url));
}

/// Long enough to be still running when it is checked.
fn long_film() -> Vec<u8> {
    let sources = "-f lavfi -i testsrc2=size=640x360:rate=25:duration=10 -f lavfi -i sine=duration=10";
    ffmpeg("long.mov", &format!("{sources} -c:v mjpeg -q:v 20 -c:a aac"))
}

/// The attempt of a killed server is taken over when its lease has expired, after half a minute.
fn a_killed_transcode_is_done_after_the_restart(recto: &Recto) {
    let (account, server) = (recto.account("Acme"), recto.start());
    let url = upload_and_kill(recto, &account, server);
    let server = recto.start();
    assert_eq!(server.visit(HOST, &url).status, 200);
    assert_eq!(server.visit(HOST, &url.replace(".mov", ".mp4")).status, 404);
    check_plays(&wait_for_twin(&server, &url));
    assert_eq!(transcode(recto)["status"], "done");
    wait_until("nothing waits any more", || recto.spool_directories().is_empty());
}

fn upload_and_kill(recto: &Recto, account: &Account, server: Server) -> String {
    let url = server.keep_file(account, "long.mov", &long_film());
    wait_until("ffmpeg runs", || server.children().iter().any(|(_, name)| name == "ffmpeg"));
    let children = server.children();
    // First of all, because the transcode may end soon.
    server.signal(rustix::process::Signal::KILL);
    server.wait();
    assert_eq!(transcode(recto)["status"], "running");
    wait_until("its children are gone with it", || {
        children.iter().all(|(id, _)| !std::path::Path::new(&format!("/proc/{id}")).exists())
    });
    url
}
