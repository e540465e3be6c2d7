//! `recto doctor`: checks everything that the server needs, and suggests fixes.

mod backups;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use blob::{Blob, Key};
use limits::Backend;
use model::{Clock, ObjectId, SystemClock};
use publisher::{Belonging, DiskState, Orphans, Publisher};
use serde::Serialize;
use store::Schema;

use crate::config::{Config, Variables};
use crate::{Global, commands, output, serve};

/// A server starts a build within a second, unless many are queued.
const BUILD_OVERDUE_AFTER: Duration = Duration::from_secs(60);

/// A running server responds at once. Another program on the port may send nothing, or endless data.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_HEALTH_BYTES: u64 = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    Warning,
    Failure,
}

#[derive(Debug, Serialize)]
struct Finding {
    check: &'static str,
    verdict: Verdict,
    message: String,
}

pub fn doctor(global: &Global) -> Result<ExitCode> {
    let findings = run_checks(global);
    let has_failures = findings.iter().any(|finding| finding.verdict == Verdict::Failure);
    if global.json {
        output::json(&findings);
    } else {
        for Finding { check, verdict, message } in &findings {
            let mark = match verdict {
                Verdict::Ok => "ok  ",
                Verdict::Warning => "warn",
                Verdict::Failure => "FAIL",
            };
            output::line(format!("{mark}  {check:<14}  {message}"));
        }
    }
    Ok(if has_failures { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn run_checks(global: &Global) -> Vec<Finding> {
    let mut findings = environment(&Variables::of_environment());
    let config = match Config::load(global) {
        Ok(config) => config,
        Err(error) => {
            findings.push(finding("configuration", Verdict::Failure, format!("{error:#}")));
            return findings;
        }
    };
    let source = global.config.as_ref().map_or("built-in defaults".into(), |path| path.display().to_string());
    findings.push(finding("configuration", Verdict::Ok, source));
    // What is wrong with it is said below.
    let _ = serve::create_data_dir(&config.data);
    let opened = serve::open(&config, Schema::Keep);
    let (directory, objects) = (data_directory(&config.data), objects(&config));
    let is_explained = directory.verdict == Verdict::Failure || objects.verdict == Verdict::Failure;
    findings.push(directory);
    match opened {
        Ok(publisher) => findings.extend(database(publisher)),
        Err(_) if is_explained => {}
        Err(error) if matches!(error.downcast_ref(), Some(store::Error::Schema(_))) => {
            findings.push(finding("database", Verdict::Warning, format!("{:#}", error.root_cause())))
        }
        Err(error) => {
            findings.push(finding("database", Verdict::Failure, format!("{error:#}; check store.url")))
        }
    }
    findings.push(objects);
    findings.push(limits(&config));
    findings.extend(backups::backups(&config));
    findings.push(listen_address("api.listen", config.api_listen));
    findings.push(listen_address("sites.listen", config.sites_listen));
    findings.push(ffmpeg());
    findings.push(sandbox(&config));
    findings
}

/// Which variables are set, by name only: their values may be secrets.
fn environment(variables: &Variables) -> Vec<Finding> {
    let known = match &variables.known[..] {
        [] => "no RECTO_ variable is set".to_owned(),
        names => format!("set: {}", names.join(", ")),
    };
    let warning = |(name, meant): &(String, Option<String>)| {
        let hint = meant.as_ref().map_or(String::new(), |meant| format!("; did you mean {meant}?"));
        finding("environment", Verdict::Warning, format!("{name} is not a Recto setting{hint}"))
    };
    let mut findings = vec![finding("environment", Verdict::Ok, known)];
    findings.extend(variables.unknown.iter().map(warning));
    findings
}

fn finding(check: &'static str, verdict: Verdict, message: impl Into<String>) -> Finding {
    Finding { check, verdict, message: message.into() }
}

fn data_directory(path: &Path) -> Finding {
    match probe(path) {
        Ok(sync) => {
            let ms = sync.as_secs_f64() * 1e3;
            let message = format!("{} is writable; a sync takes {ms:.1} ms", path.display());
            finding("data directory", Verdict::Ok, message)
        }
        Err(error) => finding(
            "data directory",
            Verdict::Failure,
            format!(
                "{} is not writable: {error}; fix its permissions, or choose another directory with --data",
                path.display()
            ),
        ),
    }
}

/// The disks that a server writes to, each once.
fn disks(publisher: &Publisher) -> Vec<Finding> {
    let mut states = publisher.disk_states();
    states.dedup_by_key(|disk| (disk.free, disk.min_free));
    let describe = |disk: DiskState| {
        let DiskState { path, free, min_free } = &disk;
        let space = format!("{}: {free} free", path.display());
        match disk.is_low() {
            true => finding(
                "disk",
                Verdict::Failure,
                format!(
                    "{space}, less than store.min_free ({min_free}): nothing new is stored; free some space or lower store.min_free"
                ),
            ),
            false => finding("disk", Verdict::Ok, format!("{space} (store.min_free: {min_free})")),
        }
    };
    states.into_iter().map(describe).collect()
}

fn objects(config: &Config) -> Finding {
    let (url, opened) = (&config.objects, serve::open_objects(config));
    let checked = match (opened, url.strip_prefix("file:")) {
        (Err(error), _) => Err(error),
        (Ok(_), Some(path)) => probe(Path::new(path)).map(drop).map_err(Into::into),
        (Ok(blob), None) => serve::runtime().and_then(|runtime| runtime.block_on(read_missing_object(&blob))),
    };
    match checked {
        Ok(()) => finding("objects", Verdict::Ok, format!("{url} is usable")),
        Err(error) => finding(
            "objects",
            Verdict::Failure,
            format!(
                "{url} is not usable: {error:#}; fix its permissions or credentials, or check objects.url"
            ),
        ),
    }
}

fn limits(config: &Config) -> Finding {
    let shared = match &config.limits {
        Backend::Memory => return finding("limits", Verdict::Ok, "each server counts by itself"),
        Backend::Redis(shared) => shared,
    };
    let checked = serve::runtime().and_then(|runtime| {
        let start = Instant::now();
        let checked = runtime.block_on(shared.check()).map_err(anyhow::Error::msg);
        checked.map(|()| start.elapsed())
    });
    match checked {
        Ok(took) => {
            let ms = took.as_secs_f64() * 1e3;
            let message = format!("counted in Redis at {shared}; connecting takes {ms:.1} ms");
            finding("limits", Verdict::Ok, message)
        }
        Err(error) => finding(
            "limits",
            Verdict::Warning,
            format!(
                "Redis at {shared} is not usable: {error:#}; meanwhile each server counts by itself; check limits.url"
            ),
        ),
    }
}

/// Whether the object store responds and accepts the credentials: reads an object that does not exist.
async fn read_missing_object(blob: &Blob) -> Result<()> {
    match blob.read(&Key::media(ObjectId::new(SystemClock.now())), 0..1).await {
        Ok(_) | Err(blob::Error::Missing(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// How long it takes to write and sync a file.
fn probe(directory: &Path) -> std::io::Result<Duration> {
    let probe = directory.join(".doctor");
    let start = Instant::now();
    let written = std::fs::File::create(&probe).and_then(|file| file.sync_all());
    let _ = std::fs::remove_file(&probe);
    written.map(|()| start.elapsed())
}

fn database(publisher: Publisher) -> Vec<Finding> {
    let examined = serve::runtime().and_then(|runtime| {
        runtime.block_on(async {
            let findings = [
                plans(&publisher).await,
                builds(&publisher).await,
                Ok(installation(&publisher).await),
                Ok(orphans(&publisher).await),
            ];
            let disks = disks(&publisher).into_iter().map(Ok);
            publisher.close().await;
            findings.into_iter().chain(disks).collect::<Result<Vec<_>>>()
        })
    });
    examined.unwrap_or_else(|error| vec![finding("database", Verdict::Failure, format!("{error:#}"))])
}

async fn plans(publisher: &Publisher) -> Result<Finding> {
    Ok(match publisher.accounts_without_plan().await?.first() {
        None => finding("database", Verdict::Ok, "responds"),
        Some((account, plan)) => finding(
            "database",
            Verdict::Warning,
            format!(
                "account {account} has the plan {plan:?}, which is not configured; set another with `recto account plan`"
            ),
        ),
    })
}

/// Whether queued builds are being run.
async fn builds(publisher: &Publisher) -> Result<Finding> {
    let long_ago = SystemClock.now().minus(BUILD_OVERDUE_AFTER);
    let mut waiting = Vec::new();
    for site in publisher.site_list().await? {
        let last = commands::last_build(publisher, &site).await?;
        if last.is_some_and(|build| build.completed_at.is_none() && build.created_at < long_ago.to_string()) {
            waiting.push(site.name.as_str().to_owned());
        }
    }
    Ok(match waiting.as_slice() {
        [] => finding("builds", Verdict::Ok, "no build is overdue"),
        [first, ..] => finding(
            "builds",
            Verdict::Warning,
            format!(
                "the build of {first} has been waiting for more than a minute ({} sites in total); is a server running?",
                waiting.len()
            ),
        ),
    })
}

/// Whether the objects belong to this database.
async fn installation(publisher: &Publisher) -> Finding {
    match publisher.own_objects().await {
        Ok(Belonging::Ours) => finding("installation", Verdict::Ok, "database and objects belong together"),
        Ok(Belonging::Unclaimed) => finding(
            "installation",
            Verdict::Ok,
            "the objects are not assigned to a database yet; the first server start does that",
        ),
        Err(error) => finding("installation", Verdict::Failure, error.to_string()),
    }
}

/// Objects that the next sweep would delete.
async fn orphans(publisher: &Publisher) -> Finding {
    match publisher.count_orphans().await {
        Ok(found) if found.are_suspicious() => finding(
            "orphans",
            Verdict::Failure,
            format!(
                "{} of {} objects are unknown to the database; check store.url and objects.url",
                found.orphans, found.objects
            ),
        ),
        Ok(Orphans { objects, orphans: 0 }) => {
            finding("orphans", Verdict::Ok, format!("all {objects} objects are known to the database"))
        }
        Ok(Orphans { objects, orphans }) => finding(
            "orphans",
            Verdict::Ok,
            format!(
                "{orphans} of {objects} objects are unknown to the database; a server deletes them within a day"
            ),
        ),
        Err(error) => finding("orphans", Verdict::Warning, format!("the objects cannot be listed: {error}")),
    }
}

fn listen_address(key: &'static str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => finding(key, Verdict::Ok, format!("{address} is free")),
        Err(_) if is_recto(address) => finding(key, Verdict::Ok, format!("Recto is running on {address}")),
        Err(error) => finding(
            key,
            Verdict::Warning,
            format!("{address} is not usable: {error}; set another address with {key}"),
        ),
    }
}

/// Whether the program on this address responds to a health check like Recto.
fn is_recto(address: SocketAddr) -> bool {
    get_health(address).is_ok_and(|answer| answer.ends_with(b"{\"status\":\"ok\"}"))
}

fn get_health(mut address: SocketAddr) -> std::io::Result<Vec<u8>> {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        });
    }
    let mut stream = TcpStream::connect_timeout(&address, HEALTH_TIMEOUT)?;
    stream.set_read_timeout(Some(HEALTH_TIMEOUT))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(MAX_HEALTH_BYTES).read_to_end(&mut answer)?;
    Ok(answer)
}

fn ffmpeg() -> Finding {
    let ran = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match ran {
        Ok(status) if status.success() => finding("ffmpeg", Verdict::Ok, "installed"),
        _ => finding(
            "ffmpeg",
            Verdict::Warning,
            "not found: uploaded MOV files are not converted to MP4 until it is installed (Debian: apt-get install ffmpeg)",
        ),
    }
}

/// Whether uploads are processed in a sandbox on this system.
fn sandbox(config: &Config) -> Finding {
    let worker = match serve::uploads_of(config) {
        Ok(uploads) => uploads.worker,
        Err(error) => return finding("sandbox", Verdict::Failure, format!("{error:#}")),
    };
    match media::check_sandbox(&worker) {
        Ok(Some(walls)) => finding(
            "sandbox",
            Verdict::Ok,
            format!(
                "uploads are processed with seccomp, Landlock (ABI {}) and resource limits",
                walls.landlock_abi
            ),
        ),
        Ok(None) => finding(
            "sandbox",
            Verdict::Warning,
            "off: a malicious file that exploits a decoder controls the server; remove uploads.sandbox",
        ),
        Err(failure) => finding("sandbox", Verdict::Failure, failure.to_string()),
    }
}
