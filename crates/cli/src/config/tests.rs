use super::*;

fn load(text: &str, variables: &[(&str, &str)]) -> Result<Config> {
    let variables = variables.iter().map(|(name, value)| (name.to_string(), value.to_string()));
    let (raw, _) = Raw::parse(text, variables)?;
    Config::check(raw, Path::new("data"))
}

fn complaint(text: &str, variables: &[(&str, &str)]) -> String {
    format!("{:#}", load(text, variables).expect_err("this must stop the start"))
}

#[test]
fn an_empty_configuration_is_the_embedded_default() {
    let config = load("", &[]).expect("defaults are fine");
    assert_eq!(config.api_listen, "127.0.0.1:8080".parse().expect("an address"));
    assert_eq!(config.site_url, "http://{site}.localhost:8081");
    assert_eq!(config.admin_listen, None);
    assert_eq!(config.sites_listen, "127.0.0.1:8081".parse().expect("an address"));
    assert_eq!((config.site_scheme, config.site_cache), ("http", ByteSize(64 << 20)));
    assert_eq!(config.objects, "file:data/objects");
    assert_eq!(config.build_cooldown, Duration::from_secs(30));
    assert_eq!((config.build_workers, config.keep_releases), (2, 10));
    assert_eq!(config.sandbox, Sandbox::Required);
    assert_eq!(config.max_body, ByteSize(2 << 30));
    assert!(matches!(config.store, Location::Sqlite { path, .. } if path == Path::new("data/recto.db")));
    assert_eq!(config.plans, Plan::shipped());
}

#[test]
fn the_environment_wins_over_the_file() {
    let file = "[builds]\ncooldown_seconds = 5\n[store]\nurl = \"sqlite:a.db\"";
    let config =
        load(file, &[("RECTO_BUILDS_COOLDOWN_SECONDS", "0"), ("RECTO_STORE_URL", "postgres://h/db")]);
    let config = config.expect("both are fine");
    assert_eq!(config.build_cooldown, Duration::ZERO);
    assert!(matches!(config.store, Location::Postgres { url, .. } if url == "postgres://h/db"));
}

#[test]
fn every_documented_key_has_a_variable() {
    let variables = [
        ("RECTO_API_LISTEN", "0.0.0.0:1"),
        ("RECTO_API_TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
        ("RECTO_API_MAX_CONNECTIONS_PER_ADDRESS", "9"),
        ("RECTO_SITES_LISTEN", "0.0.0.0:2"),
        ("RECTO_SITES_URL", "https://{site}.example.org"),
        ("RECTO_SITES_CACHE", "1 GB"),
        ("RECTO_ADMIN_LISTEN", "127.0.0.1:3"),
        ("RECTO_OBJECTS_URL", "file:elsewhere"),
        ("RECTO_LIMITS_URL", "memory:"),
        ("RECTO_BUILDS_WORKERS", "3"),
        ("RECTO_BUILDS_KEEP_RELEASES", "4"),
        ("RECTO_BUILDS_POSTPONE", "true"),
        ("RECTO_UPLOADS_SANDBOX", "off"),
        ("RECTO_PLANS_PRO_STORAGE", "1 GB"),
        ("RECTO_PLANS_BIG_TEAM_FILE_SIZE", "1 GB"),
        ("RECTO_PLANS_BIG_TEAM_STORAGE", "2 GB"),
        ("RECTO_PLANS_BIG_TEAM_BUILDS_PER_MONTH", "7"),
    ];
    let config = load("", &variables).expect("all known");
    assert_eq!((config.trusted_proxies.len(), config.max_connections_per_address), (2, 9));
    assert_eq!(config.sites_listen, "0.0.0.0:2".parse().expect("an address"));
    assert_eq!((config.site_scheme, config.site_cache), ("https", ByteSize(1 << 30)));
    assert_eq!(config.objects, "file:data/elsewhere");
    assert_eq!((config.build_workers, config.keep_releases), (3, 4));
    assert!(config.postpone_builds);
    assert_eq!(config.sandbox, Sandbox::Off);
    assert_eq!(config.admin_listen, Some("127.0.0.1:3".parse().expect("an address")));
    let plan = |name: &str| config.plans.iter().find(|plan| plan.name == name).cloned().expect(name);
    assert_eq!(plan("pro").storage, ByteSize(1 << 30));
    assert_eq!(plan("pro").builds_per_month, 1000);
    assert_eq!(plan("big_team").builds_per_month, 7);
    let (_, unknown) =
        Raw::parse("", [("RECTO_STORE_ULR".to_string(), String::new())].into_iter()).expect("fine");
    assert_eq!(unknown, ["RECTO_STORE_ULR"]);
}

#[test]
fn what_is_unknown_or_wrong_is_named() {
    let check = |text: &str, variables: &[(&str, &str)], named: &str| {
        let complaint = complaint(text, variables);
        assert!(complaint.contains(named), "{complaint:?} does not name {named:?}");
    };
    check("[api]\nlisen = \"x\"", &[], "lisen");
    check("[nonsense]\na = 1", &[], "nonsense");
    check("[uploads]\nsandbox = \"maybe\"", &[], "uploads.sandbox");
    check("[plans.pro]\nstorge = \"1 GB\"", &[], "storge");
    check("[api]\nlisten = 7", &[], "line 2");
    check("[api]\nlisten = \"x\"", &[], "api.listen");
    check("[api]\ntrusted_proxies = [\"x\"]", &[], "api.trusted_proxies");
    check("[api]\nmax_body = \"many\"", &[], "api.max_body");
    check("[api]\nmax_connections_per_address = 0", &[], "api.max_connections_per_address");
    check("[sites]\nurl = \"http://example.org\"", &[], "sites.url");
    check("[sites]\nurl = \"{site}.example.org\"", &[], "sites.url");
    check("[sites]\nlisten = \"8081\"", &[], "sites.listen");
    check("[sites]\ncache = \"much\"", &[], "sites.cache");
    check("[store]\nurl = \"mysql://x\"", &[], "store.url");
    check("[objects]\nurl = \"s3://\"", &[], "objects.url");
    check("[objects]\nurl = \"ftp://b/p\"", &[], "objects.url");
    check("[uploads]\nlarge = 0", &[], "uploads.large");
    check("[uploads]\nworkers = 65", &[], "uploads.workers");
    check("[objects]\nurl = \"file:\"", &[], "objects.url");
    check("[builds]\nworkers = 0", &[], "builds.workers must be from 1 to 64");
    check("[builds]\nworkers = 65", &[], "builds.workers");
    check("[builds]\ncooldown_seconds = 625\npostpone = true", &[], "builds.postpone needs");
    check("[builds]\npostpone = 1", &[], "postpone");
    check(
        "",
        &[("RECTO_BUILDS_POSTPONE", "yes")],
        "RECTO_BUILDS_POSTPONE: \"yes\" is neither true nor false",
    );
    check("[builds]\nkeep_releases = 0", &[], "builds.keep_releases");
    check("[limits]\nurl = \"redis://h\"", &[], "limits.url");
    check("[log]\nformat = \"xml\"", &[], "log.format");
    check("[plans.free]\nstorage = \"much\"", &[], "plans.free.storage");
    check("[plans.own]\nstorage = \"1 GB\"", &[], "plans.own.file_size");
    check("", &[("RECTO_BUILDS_COOLDOWN_SECONDS", "soon")], "RECTO_BUILDS_COOLDOWN_SECONDS");
    check("", &[("RECTO_API_LISTEN", "x")], "api.listen");
}
