mod documented;

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
    assert_eq!(config.api_url, "http://127.0.0.1:8080");
    assert_eq!(config.site_url, "http://{site}.localhost:8081");
    assert_eq!(config.admin_listen, None);
    assert_eq!(config.sites_listen, "127.0.0.1:8081".parse().expect("an address"));
    assert_eq!((config.site_scheme, config.site_cache), ("http", ByteSize(64 << 20)));
    assert_eq!(config.objects, "file:data/objects");
    assert!(matches!(config.limits, Backend::Memory));
    assert_eq!(config.backup, None);
    assert_eq!(config.build_cooldown, Duration::from_secs(30));
    assert_eq!((config.build_workers, config.keep_releases, config.custom_head), (2, 10, true));
    assert_eq!(config.sandbox, Sandbox::Required);
    assert_eq!(config.max_body, ByteSize(2 << 30));
    assert!(matches!(config.store, Location::Sqlite { path, .. } if path == Path::new("data/recto.db")));
    assert_eq!(config.plans, Plan::shipped());
}

#[test]
fn the_address_of_the_dashboard_is_an_origin() {
    let url = |url: &str| load("", &[("RECTO_API_URL", url)]).map(|config| config.api_url).ok();
    assert_eq!(url("https://recto.example.com/").as_deref(), Some("https://recto.example.com"));
    assert_eq!(url("http://[::1]:8080").as_deref(), Some("http://[::1]:8080"));
    for wrong in ["recto.example.com", "ftp://a", "https://", "https://a/b", "https://a?b", "https://a@b"] {
        assert_eq!(url(wrong), None, "{wrong}");
        assert!(complaint("", &[("RECTO_API_URL", wrong)]).contains("api.url"), "{wrong}");
    }
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
fn what_variables_say_is_in_force() {
    let variables = [
        ("RECTO_API_LISTEN", "0.0.0.0:1"),
        ("RECTO_API_TRUSTED_PROXIES", "10.0.0.0/8, ::1"),
        ("RECTO_API_MAX_BODY", "1 MB"),
        ("RECTO_API_MAX_CONNECTIONS", "8"),
        ("RECTO_API_MAX_CONNECTIONS_PER_ADDRESS", "9"),
        ("RECTO_SITES_LISTEN", "0.0.0.0:2"),
        ("RECTO_SITES_URL", "https://{site}.example.org"),
        ("RECTO_SITES_CACHE", "1 GB"),
        ("RECTO_ADMIN_LISTEN", "127.0.0.1:3"),
        ("RECTO_STORE_MIN_FREE", "2 GB"),
        ("RECTO_OBJECTS_URL", "file:elsewhere"),
        ("RECTO_LIMITS_URL", "redis://cache:6380/1"),
        ("RECTO_BACKUP_URL", "s3://bucket/backups"),
        ("RECTO_BACKUP_EVERY", "90m"),
        ("RECTO_BACKUP_KEEP", "3"),
        ("RECTO_BUILDS_COOLDOWN_SECONDS", "10"),
        ("RECTO_BUILDS_POSTPONE", "true"),
        ("RECTO_BUILDS_WORKERS", "3"),
        ("RECTO_BUILDS_KEEP_RELEASES", "4"),
        ("RECTO_SITES_CUSTOM_HEAD", "false"),
        ("RECTO_BUILDS_TIME_LIMIT_MINUTES", "5"),
        ("RECTO_UPLOADS_LARGE", "6"),
        ("RECTO_UPLOADS_WORKERS", "7"),
        ("RECTO_UPLOADS_SANDBOX", "off"),
        ("RECTO_PAGES_PURGE_AFTER_DAYS", "2"),
        ("RECTO_LOG_FORMAT", "json"),
        ("RECTO_LOG_FILTER", "warn"),
        ("RECTO_PLANS_PRO_STORAGE", "1 GB"),
        ("RECTO_PLANS_BIG_TEAM_FILE_SIZE", "1 GB"),
        ("RECTO_PLANS_BIG_TEAM_STORAGE", "2 GB"),
        ("RECTO_PLANS_BIG_TEAM_BUILDS_PER_MONTH", "7"),
    ];
    let config = load("", &variables).expect("all known");
    let address = |text: &str| text.parse::<SocketAddr>().expect("an address");
    assert_eq!((config.api_listen, config.sites_listen), (address("0.0.0.0:1"), address("0.0.0.0:2")));
    assert_eq!((config.trusted_proxies.len(), config.max_body), (2, ByteSize(1 << 20)));
    assert_eq!((config.max_connections, config.max_connections_per_address), (8, 9));
    assert_eq!((config.site_scheme, config.site_cache), ("https", ByteSize(1 << 30)));
    assert_eq!(config.site_url, "https://{site}.example.org");
    assert_eq!(
        (config.admin_listen, config.min_free),
        (Some(address("127.0.0.1:3")), Some(ByteSize(2 << 30)))
    );
    assert_eq!(config.objects, "file:data/elsewhere");
    assert!(matches!(&config.limits, Backend::Redis(shared) if shared.to_string() == "cache:6380"));
    let every = Duration::from_secs(90 * 60);
    assert_eq!(config.backup, Some(BackupSchedule { url: "s3://bucket/backups".into(), every, keep: 3 }));
    assert_eq!((config.build_cooldown, config.postpone_builds), (Duration::from_secs(10), true));
    assert_eq!((config.build_workers, config.keep_releases, config.custom_head), (3, 4, false));
    assert_eq!(config.build_time_limit, Duration::from_secs(5 * 60));
    assert_eq!((config.large_uploads, config.upload_workers), (6, 7));
    assert_eq!(config.sandbox, Sandbox::Off);
    assert_eq!(config.purge_after, Duration::from_secs(2 * 24 * 3600));
    assert!(config.log_json);
    assert_eq!(config.log_filter.to_string(), "warn");
    let plan = |name: &str| config.plans.iter().find(|plan| plan.name == name).cloned().expect(name);
    assert_eq!(plan("pro").storage, ByteSize(1 << 30));
    assert_eq!(plan("pro").builds_per_month, 1000);
    assert_eq!(plan("big_team").builds_per_month, 7);
}

#[test]
fn variables_choose_the_database() {
    let store = |variables: &[(&str, &str)]| load("", variables).expect("all known").store;
    let sqlite = [("RECTO_STORE_URL", "sqlite:other.db"), ("RECTO_STORE_GROUP_COMMIT", "1")];
    let expected = Path::new("data/other.db");
    assert!(matches!(store(&sqlite), Location::Sqlite { path, group: 1 } if path == expected));
    let postgres = [("RECTO_STORE_URL", "postgres://h/db"), ("RECTO_STORE_CONNECTIONS", "5")];
    assert!(matches!(store(&postgres), Location::Postgres { connections: 5, .. }));
}

#[test]
fn backups_are_made_daily_and_a_week_is_kept() {
    let config = load("[backup]\nurl = \"file:backups\"", &[]).expect("valid");
    let every = Duration::from_secs(24 * 3600);
    assert_eq!(config.backup, Some(BackupSchedule { url: "file:data/backups".into(), every, keep: 7 }));
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
    check("[limits]\nurl = \"redis://\"", &[], "limits.url");
    check("[limits]\nurl = \"memcached://h\"", &[], "limits.url: it must be memory:");
    check("[backup]\nurl = \"/mnt/backups\"", &[], "backup.url");
    check("[backup]\nevery = \"daily\"", &[], "backup.every");
    check("[backup]\nevery = \"0h\"", &[], "backup.every");
    check("[backup]\nkeep = 0", &[], "backup.keep");
    check("[log]\nformat = \"xml\"", &[], "log.format");
    check("[plans.free]\nstorage = \"much\"", &[], "plans.free.storage");
    check("[plans.own]\nstorage = \"1 GB\"", &[], "plans.own.file_size");
    check("", &[("RECTO_BUILDS_COOLDOWN_SECONDS", "soon")], "RECTO_BUILDS_COOLDOWN_SECONDS");
    check("", &[("RECTO_API_LISTEN", "x")], "api.listen");
}

#[test]
fn no_message_shows_a_password() {
    let check = |text: &str, named: &str| {
        let complaint = complaint(text, &[]);
        assert!(complaint.contains(named) && !complaint.contains("secret"), "{complaint}");
    };
    check("[store]\nurl = postgres://recto:secret@db/recto\n", "line 2");
    check("[store]\nurl = postgres://db/recto?password=secret", "line 2");
    check("[store]\nurl = \"postgre://recto:secret@db/recto\"", "store.url");
    check("[store]\nurl = \"host=db user=recto password=secret\"", "store.url");
    check("[store]\nurl = \"postgres://recto:secret@db/recto?passfile=/nowhere\"\nx = 1", "line 3");
    let config = load("", &[("RECTO_STORE_URL", "postgres://recto:secret@db/recto")]).expect("it is fine");
    assert!(!format!("{config:?}").contains("secret"));
}
