//! Output of the commands for sites, for programs and for people, and their errors.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::harness::process::{Process, wait_until};
use crate::harness::recto::{Recto, keys, text};

on_one_machine_and_nodes!(
    a_build_and_its_release_in_json,
    settings_in_json,
    domains_in_json,
    site_show_prints_everything_about_a_site,
    a_refusal_has_a_reason_and_a_fix,
);

fn a_build_and_its_release_in_json(recto: &Recto) {
    let account = recto.account("Acme");
    assert_eq!(recto.json(&["site", "releases", "acme"]), json!([]));
    let queued = recto.json(&["site", "build", "acme"]);
    assert_eq!(keys(&queued), ["buildId", "siteId", "status"]);
    assert_eq!((&queued["siteId"], &queued["status"]), (&json!(account.site), &json!("queued")));
    let built = recto.json(&["site", "build", &account.site, "--wait"]);
    assert_eq!(keys(&built), ["buildId", "durationMs", "siteId", "status"]);
    assert_eq!(built["status"], "success");

    let releases = recto.json(&["site", "releases", "acme"]);
    let [release] = &releases.as_array().unwrap()[..] else { panic!("{releases}") };
    assert_eq!(keys(release), ["buildId", "createdAt", "live", "number", "pages"]);
    assert_eq!(
        (&release["number"], &release["pages"], &release["live"]),
        (&json!(1), &json!(0), &json!(true))
    );
    assert_eq!(release["buildId"], built["buildId"], "one run ended both builds");
    recto.text(&["site", "set", "acme", "title=Other", "--no-build"]);
    recto.text(&["site", "build", "acme", "--wait"]);
    assert_eq!(recto.json(&["site", "rollback", "acme"]), json!({ "siteId": account.site, "release": 1 }));
    let live = |index: usize| recto.json(&["site", "releases", "acme"])[index]["live"].clone();
    assert_eq!((live(0), live(1)), (json!(false), json!(true)));
}

fn settings_in_json(recto: &Recto) {
    let account = recto.account("Acme");
    let nothing = recto.json(&["site", "settings", "acme"]);
    assert!(nothing.as_object().unwrap().values().all(Value::is_null), "{nothing}");
    for key in ["title", "description", "language", "logo", "accent", "links", "footer", "css"] {
        assert!(keys(&nothing).contains(&key), "{nothing} has no {key}");
    }
    let css = recto.write_file("custom.css", "h1 { color: red }\nh2 { color: blue }\n");
    let css = format!("css=@{}", css.display());
    let set =
        ["site", "set", "acme", "title=@@home = here", "links=Docs=/docs; Code=https://example.com/", &css];
    let answer = recto.json(&set);
    assert_eq!(keys(&answer), ["buildId", "settings", "siteId"]);
    assert_eq!(answer["siteId"], account.site);
    assert!(answer["buildId"].is_string());
    let settings = recto.json(&["site", "settings", "acme"]);
    assert_eq!(answer["settings"], settings);
    assert_eq!(settings["title"], "@home = here");
    assert_eq!(settings["links"], "Docs=/docs; Code=https://example.com/");
    assert_eq!(settings["css"], "h1 { color: red }\nh2 { color: blue }");

    let answer = recto.json(&["site", "set", "acme", "title=", "--no-build"]);
    assert!(answer["buildId"].is_null() && answer["settings"]["title"].is_null(), "{answer}");
    assert_eq!(recto.query("SELECT count(*) FROM builds"), 1, "only the first one was built");
}

fn domains_in_json(recto: &Recto) {
    let account = recto.account("Acme");
    assert_eq!(recto.json(&["site", "domain", "acme"]), json!([]));
    let added = recto.json(&["site", "domain", "acme", "add", "Docs.Example.com."]);
    assert_eq!(added, json!({ "siteId": account.site, "host": "docs.example.com" }));
    recto.text(&["site", "domain", "acme", "add", "example.com"]);
    assert_eq!(recto.json(&["site", "domain", "acme", "list"]), json!(["docs.example.com", "example.com"]));
    assert_eq!(recto.json(&["site", "open", "acme"]), json!({ "url": "http://docs.example.com" }));
    recto.json(&["site", "domain", "acme", "remove", "docs.example.com"]);
    assert_eq!(recto.json(&["site", "domain", "acme"]), json!(["example.com"]));
}

fn site_show_prints_everything_about_a_site(recto: &Recto) {
    recto.account("Acme");
    let show = || recto.json(&["site", "show", "acme"]);
    let new = show();
    let all = [
        "accountId",
        "createdAt",
        "deployUrl",
        "domains",
        "lastBuild",
        "name",
        "protected",
        "release",
        "siteId",
    ];
    assert_eq!(keys(&new), all);
    assert_eq!(
        (&new["domains"], &new["lastBuild"], &new["protected"], &new["release"]),
        (&json!([]), &Value::Null, &json!(false), &Value::Null)
    );
    assert!(recto.text(&["site", "show", "acme"]).contains("recto site build acme"));

    recto.text(&["site", "build", "acme", "--wait"]);
    recto.text(&["site", "domain", "acme", "add", "example.com"]);
    assert_eq!(recto.text_given(&["site", "password", "acme", "--json"], "open sesame").trim(), {
        json!({ "siteId": new["siteId"], "protected": true }).to_string()
    });
    let built = show();
    assert_eq!((&built["domains"], &built["protected"]), (&json!(["example.com"]), &json!(true)));
    assert_eq!((&built["release"]["number"], &built["release"]["pages"]), (&json!(1), &json!(0)));
    let last = &built["lastBuild"];
    assert_eq!(
        (&last["status"], &last["triggeredBy"], &last["error"]),
        (&json!("success"), &json!("cli"), &Value::Null)
    );
    let shown = recto.text(&["site", "show", "acme"]);
    for expected in ["release 1", "example.com", "success", "password"] {
        assert!(shown.contains(expected), "{shown} does not contain {expected:?}");
    }
    let removed = recto.json(&["site", "password", "acme", "--remove"]);
    assert_eq!(removed["protected"], false);
    assert_eq!(show()["protected"], false);
}

fn a_refusal_has_a_reason_and_a_fix(recto: &Recto) {
    recto.account("Acme");
    recto.account("Other");
    recto.text(&["site", "domain", "other", "add", "example.com"]);
    let check = |arguments: &[&str], expected: &str| {
        let why = recto.refusal(arguments);
        assert!(why.contains(expected), "{arguments:?}: {why:?} does not contain {expected:?}");
    };
    for command in [
        &["site", "set", "nowhere", "title=x"][..],
        &["site", "settings", "nowhere"],
        &["site", "build", "nowhere"],
        &["site", "releases", "nowhere"],
        &["site", "rollback", "nowhere"],
        &["site", "export", "nowhere", "/nowhere"],
        &["site", "search", "nowhere", "word"],
        &["site", "domain", "nowhere"],
        &["site", "password", "nowhere"],
        &["site", "open", "nowhere"],
    ] {
        check(command, "recto site list");
    }
    check(&["site", "set", "acme"], "KEY=VALUE");
    check(&["site", "set", "acme", "title"], "KEY=VALUE");
    check(&["site", "set", "acme", "colour=red"], "the settings are title");
    check(&["site", "set", "acme", "accent=reddish"], "#");
    check(&["site", "set", "acme", "title=A", "accent=reddish"], "#");
    check(&["site", "set", "acme", "css=@/nowhere/custom.css"], "/nowhere/custom.css");
    check(&["site", "rollback", "acme"], "never built");
    check(&["site", "rollback", "acme", "x"], "x");
    check(&["site", "export", "acme", text(&recto.path_next_to_data("out"))], "never built");
    check(&["site", "search", "acme", "word"], "never built");
    check(&["site", "domain", "acme", "add"], "recto site domain acme add");
    check(&["site", "domain", "acme", "add", "not a domain"], "docs.example.com");
    check(&["site", "domain", "acme", "add", "acme.localhost"], "already");
    check(&["site", "domain", "acme", "add", "example.com"], "belongs to a site already");
    check(&["site", "domain", "acme", "remove", "example.com"], "no domain example.com");
    check(&["site", "domain", "acme", "drop", "example.com"], "remove");
    check(&["site", "password", "acme"], "standard input");
    assert!(recto.json(&["site", "settings", "acme"])["title"].is_null(), "all settings or none");
    assert_eq!(recto.json(&["site", "domain", "other"]), json!(["example.com"]));
    assert_eq!(recto.query("SELECT count(*) FROM builds"), 0, "nothing was queued");

    recto.text(&["site", "build", "acme", "--wait"]);
    check(&["site", "rollback", "acme"], "recto site releases acme");
    check(&["site", "rollback", "acme", "7"], "recto site releases acme");
    check(&["site", "export", "acme", text(&recto.path_next_to_data("out")), "--release", "7"], "7");
}

#[test]
fn a_search_finds_what_is_live() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    let pages = json!([
        { "title": "Lamps", "content": "One lantern.\n\n## Care\n\nTrim the wick." },
        { "title": "Draft", "content": "A wick.", "draft": true },
    ]);
    server.publish(&account.token, &json!({ "pages": pages })).expect(200);
    recto.text(&["site", "build", "acme", "--wait"]);
    let found =
        json!({ "url": "/blog/lamps#care", "title": "Lamps", "section": null, "excerpt": "Trim the wick." });
    assert_eq!(
        recto.json(&["site", "search", "acme", "the", "wick"]),
        json!({ "query": "the wick", "total": 1, "results": [found] })
    );
    assert_eq!(
        recto.text(&["site", "search", "acme", "wick"]),
        "/blog/lamps#care  Lamps\n  Trim the wick.\n"
    );
    assert_eq!(recto.text(&["site", "search", "acme", "moon"]), "nothing found\n");
}

#[test]
fn commands_print_what_to_do_next() {
    let recto = Recto::new();
    recto.account("Acme");
    let check = |arguments: &[&str], expected: &str| {
        let shown = recto.text(arguments);
        assert!(shown.contains(expected), "{arguments:?}: {shown:?} does not contain {expected:?}");
    };
    let open = "open http://acme.localhost:8081\n";
    check(&["site", "releases", "acme"], "recto site build acme");
    check(&["site", "build", "acme"], open);
    check(&["site", "build", "acme", "--wait"], open);
    check(&["site", "set", "acme", "title=A", "--no-build"], "recto site build acme");
    check(&["site", "set", "acme", "title=B"], open);
    check(&["site", "build", "acme", "--wait"], " s\n");
    check(&["site", "settings", "acme"], "title        B\n");
    check(&["site", "releases", "acme"], "recto site rollback acme");
    check(&["site", "rollback", "acme"], open);
    check(&["site", "domain", "acme"], "recto site domain acme add");
    check(&["site", "export", "acme", text(&recto.path_next_to_data("out"))], "http.server");
    check(&["site", "open", "acme"], "http://acme.localhost:8081\n");
    check(&["site", "password", "acme", "--remove"], open);
    check(&["site", "domain", "acme", "add", "example.com"], "open http://example.com\n");
    check(&["site", "build", "acme"], "open http://example.com\n");
    let help = recto.text(&["site", "set", "--help"]);
    for expected in ["title", "accent", "css=@", "search engines", "--no-build"] {
        assert!(help.contains(expected), "{help} does not contain {expected:?}");
    }
    assert!(recto.text(&["site", "build", "--help"]).contains("runs the build itself"));
}

#[test]
fn a_site_is_opened_in_a_browser_where_there_is_a_display() {
    let recto = Recto::new();
    recto.account("Acme");
    let opened = recto.path_next_to_data("opened");
    let browser = recto.write_file("xdg-open", &format!("#!/bin/sh\necho \"$1\" >{}\n", opened.display()));
    std::fs::set_permissions(&browser, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", browser.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let open = |display: &str, arguments: &[&str]| {
        let mut command = recto.command(arguments);
        command.env("PATH", &path).env("DISPLAY", display).env_remove("WAYLAND_DISPLAY");
        let ended = Process::start(command).wait();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        ended.stdout
    };
    assert_eq!(open("", &["site", "open", "acme"]), "http://acme.localhost:8081\n");
    open(":0", &["site", "open", "acme", "--json"]);
    assert!(!opened.exists(), "there is no display");
    assert_eq!(open(":0", &["site", "open", "acme"]), "http://acme.localhost:8081\n");
    let read = || std::fs::read_to_string(&opened).unwrap_or_default();
    wait_until("the browser is opened", || read() == "http://acme.localhost:8081\n");
}
