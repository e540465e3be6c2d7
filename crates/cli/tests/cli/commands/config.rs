//! Sources of settings, and errors of wrong ones.

use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;

use crate::harness::process::Process;
use crate::harness::recto::{Recto, text};

#[test]
fn a_setting_comes_from_the_file_and_the_environment_wins() {
    let recto = Recto::new();
    let file = recto.write_file("recto.toml", "[sites]\nurl = \"https://{site}.file.example\"\n");
    let create =
        |name: &str| recto.json(&["account", "create", name, "--config", text(&file)])["deployUrl"].clone();
    assert_eq!(create("one"), "https://one.file.example");
    assert_eq!(recto.account("two").deploy_url, "http://two.localhost:8081");

    let recto = recto.set("RECTO_CONFIG", text(&file));
    assert_eq!(recto.account("three").deploy_url, "https://three.file.example");
    let recto = recto.set("RECTO_SITES_URL", "https://{site}.environment.example");
    assert_eq!(recto.account("four").deploy_url, "https://four.environment.example");
}

#[test]
fn a_wrong_setting_stops_every_command_and_is_named() {
    let recto = Recto::new();
    let check = |toml: &str, named: &str| {
        let file = recto.write_file("recto.toml", toml);
        for command in [&["serve"][..], &["account", "list"]] {
            let why = recto.refusal(&[command, &["--config", text(&file)]].concat());
            assert!(why.contains(named), "{toml:?}: {why:?} does not name {named}");
        }
    };
    check("[api]\nlisen = \"127.0.0.1:1\"", "lisen");
    check("[storage]\nurl = \"x\"", "storage");
    check("[admin]\nlisten = \"here\"", "admin.listen");
    check("[builds]\ncooldown_seconds = -1", "cooldown_seconds");
    check("[builds]\nworkers = 0", "builds.workers");
    check("[builds]\nkeep_releases = 0", "builds.keep_releases");
    check("[sites]\ncache = \"much\"", "sites.cache");
    check("[objects]\nurl = \"ftp://bucket/prefix\"", "objects.url");
    check("[store]\nurl = \"mysql://x\"", "store.url");
    check("[log]\nfilter = \"recto=loud\"", "log.filter");
    check("[plans.pro]\nstorage = \"lots\"", "plans.pro.storage");
    check("[plans.team]\nstorage = \"1 GB\"", "plans.team");
    check("[api", "line 1");
    assert!(!recto.data().exists(), "nothing was begun");
}

#[test]
fn a_wrong_variable_stops_the_start_and_is_named() {
    let check = |variable: &str, value: &str, named: &str| {
        let why = Recto::new().set(variable, value).refusal(&["serve"]);
        assert!(why.contains(named), "{variable}={value}: {why:?} does not name {named}");
    };
    check("RECTO_API_LISTEN", "here", "api.listen");
    check("RECTO_ADMIN_LISTEN", "here", "admin.listen");
    check("RECTO_BUILDS_COOLDOWN_SECONDS", "soon", "RECTO_BUILDS_COOLDOWN_SECONDS");
    check("RECTO_BUILDS_COOLDOWN_SECONDS", "-1", "cooldown_seconds");
    check("RECTO_BUILDS_WORKERS", "65", "builds.workers");
    check("RECTO_BUILDS_KEEP_RELEASES", "all", "RECTO_BUILDS_KEEP_RELEASES");
    check("RECTO_SITES_LISTEN", "here", "sites.listen");
    check("RECTO_SITES_CACHE", "much", "sites.cache");
    check("RECTO_OBJECTS_URL", "s3://bucket/prefix", "objects.url");
    check("RECTO_API_TRUSTED_PROXIES", "10.0.0.0/8, me", "api.trusted_proxies");
    check("RECTO_LOG_FILTER", "recto=loud", "log.filter");
}

#[test]
fn a_variable_of_others_may_hold_any_bytes() {
    let recto = Recto::new();
    let bytes = std::ffi::OsString::from_vec(vec![0xff]);
    let mut command = recto.command(&["account", "create", "acme"]);
    command.env("NOT_OURS", &bytes);
    assert_eq!(Process::start(command).wait().code, Some(0));
}

#[test]
fn a_missing_file_stops_the_start_and_is_named() {
    let why = Recto::new().refusal(&["serve", "--config", "/nowhere/recto.toml"]);
    assert!(why.contains("/nowhere/recto.toml"), "{why}");
}

#[test]
fn the_data_directory_is_made_for_its_owner_and_holds_the_database_and_the_objects() {
    let recto =
        Recto::new().set("RECTO_STORE_URL", "sqlite:other.db").set("RECTO_OBJECTS_URL", "file:things");
    assert!(!recto.data().exists());
    recto.account("Acme");
    assert!(recto.data().join("other.db").exists());
    assert!(!recto.data().join("recto.db").exists());
    assert!(!recto.data().join("objects").exists());
    for directory in [recto.data(), recto.data().join("things")] {
        let mode = directory.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{directory:?}");
    }
}

#[test]
fn a_plan_of_the_configuration_can_be_given_to_an_account() {
    let recto =
        Recto::new().set("RECTO_PLANS_TEAM_FILE_SIZE", "1 GB").set("RECTO_PLANS_TEAM_STORAGE", "2 GB");
    let recto = recto.set("RECTO_PLANS_TEAM_BUILDS_PER_MONTH", "1").set("RECTO_BUILDS_COOLDOWN_SECONDS", "0");
    let created = recto.json(&["account", "create", "Acme", "--plan", "team"]);
    let (server, token) = (recto.start(), created["token"].as_str().unwrap());
    assert_eq!((server.build(token).status, server.build(token).status), (202, 402));
}

#[test]
fn the_build_cooldown_is_thirty_seconds_out_of_the_box() {
    let recto = Recto::new();
    let (account, server) = (recto.account("Acme"), recto.start());
    assert_eq!(server.build(&account.token).status, 202);
    let refused = server.build(&account.token);
    assert_eq!(refused.expect(429)["error"], "build cooldown active");
    assert!((20..=30).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
}
