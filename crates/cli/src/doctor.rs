//! `recto doctor`: checks what the server needs, and says what to do about what is missing.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use anyhow::Result;
use blob::{Blob, Key};
use model::{Clock, ObjectId, SystemClock};
use publisher::{Belonging, DiskState, Orphans, Publisher};
use serde::Serialize;

use crate::config::{Config, Variables};
use crate::{Global, commands, output, serve};

/// A server takes a build within a second, unless many wait.
const LONG_WAIT: Duration = Duration::from_secs(60);

/// A server that lives answers at once; what else has the port may say nothing, or never stop.
const HEALTH_WITHIN: Duration = Duration::from_secs(2);
const HEALTH_BYTES: u64 = 4096;

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
    let findings = examine(global);
    let sick = findings.iter().any(|finding| finding.verdict == Verdict::Failure);
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
    Ok(if sick { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn examine(global: &Global) -> Vec<Finding> {
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
    let opened = serve::open(&config);
    let (directory, objects) = (data_directory(&config.data), objects(&config));
    let is_explained = directory.verdict == Verdict::Failure || objects.verdict == Verdict::Failure;
    findings.push(directory);
    match opened {
        Ok(publisher) => findings.extend(database(publisher)),
        Err(_) if is_explained => {}
        Err(error) => {
            findings.push(finding("database", Verdict::Failure, format!("{error:#}; check store.url")))
        }
    }
    findings.push(objects);
    findings.push(listen_address("api.listen", config.api_listen));
    findings.push(listen_address("sites.listen", config.sites_listen));
    findings.push(ffmpeg());
    findings.push(sandbox(&config));
    findings
}

/// Which variables hold, by name only: some have secrets in them.
fn environment(variables: &Variables) -> Vec<Finding> {
    let in_force = match &variables.in_force[..] {
        [] => "no RECTO_ variable is set".to_owned(),
        names => format!("in force: {}", names.join(", ")),
    };
    let slip = |(name, meant): &(String, Option<String>)| {
        let hint = meant.as_ref().map_or(String::new(), |meant| format!("; did you mean {meant}?"));
        finding("environment", Verdict::Warning, format!("{name} is none of recto's settings{hint}"))
    };
    let mut findings = vec![finding("environment", Verdict::Ok, in_force)];
    findings.extend(variables.unknown.iter().map(slip));
    findings
}

fn finding(check: &'static str, verdict: Verdict, message: impl Into<String>) -> Finding {
    Finding { check, verdict, message: message.into() }
}

fn data_directory(path: &Path) -> Finding {
    match probe(path) {
        Ok(sync) => {
            let ms = sync.as_secs_f64() * 1e3;
            let message = format!("{} is writable, a sync takes {ms:.1} ms", path.display());
            finding("data directory", Verdict::Ok, message)
        }
        Err(error) => finding(
            "data directory",
            Verdict::Failure,
            format!(
                "{} cannot be written: {error}; fix its owner, or choose another with --data",
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
                    "{space}; below {min_free} nothing new is stored: free some, or change store.min_free"
                ),
            ),
            false => finding("disk", Verdict::Ok, format!("{space}, {min_free} must be left")),
        }
    };
    states.into_iter().map(describe).collect()
}

fn objects(config: &Config) -> Finding {
    let (place, opened) = (&config.objects, serve::open_objects(config));
    let checked = match (opened, place.strip_prefix("file:")) {
        (Err(error), _) => Err(error),
        (Ok(_), Some(path)) => probe(Path::new(path)).map(drop).map_err(Into::into),
        (Ok(blob), None) => serve::runtime().and_then(|runtime| runtime.block_on(ask_for_nothing(&blob))),
    };
    match checked {
        Ok(()) => finding("objects", Verdict::Ok, format!("{place} can be used")),
        Err(error) => finding(
            "objects",
            Verdict::Failure,
            format!("{place} cannot be used: {error:#}; fix its owner or its keys, or check objects.url"),
        ),
    }
}

/// Whether an object store answers and knows our keys: an object that is not there is fine.
async fn ask_for_nothing(blob: &Blob) -> Result<()> {
    match blob.read(&Key::media(ObjectId::new(SystemClock.now())), 0..1).await {
        Ok(_) | Err(blob::Error::Missing(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// How long it takes to write a file that stays.
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
        None => finding("database", Verdict::Ok, "answers"),
        Some((account, plan)) => finding(
            "database",
            Verdict::Warning,
            format!(
                "account {account} is on the plan {plan:?}, which is not configured; see `recto account plan`"
            ),
        ),
    })
}

/// Whether somebody builds.
async fn builds(publisher: &Publisher) -> Result<Finding> {
    let long_ago = SystemClock.now().minus(LONG_WAIT);
    let mut waiting = Vec::new();
    for site in publisher.site_list().await? {
        let last = commands::last_build(publisher, &site).await?;
        if last.is_some_and(|build| build.completed_at.is_none() && build.created_at < long_ago.to_string()) {
            waiting.push(site.name.as_str().to_owned());
        }
    }
    Ok(match waiting.as_slice() {
        [] => finding("builds", Verdict::Ok, "nobody waits for one"),
        [first, ..] => finding(
            "builds",
            Verdict::Warning,
            format!(
                "{first} waits for its build for more than a minute ({} sites do); is a server running?",
                waiting.len()
            ),
        ),
    })
}

/// Whether the objects are this database's.
async fn installation(publisher: &Publisher) -> Finding {
    match publisher.own_objects().await {
        Ok(Belonging::Ours) => finding("installation", Verdict::Ok, "database and objects belong together"),
        Ok(Belonging::Unclaimed) => finding(
            "installation",
            Verdict::Ok,
            "no server has used these objects yet; the first one claims them",
        ),
        Err(error) => finding("installation", Verdict::Failure, error.to_string()),
    }
}

/// What the next sweep would delete.
async fn orphans(publisher: &Publisher) -> Finding {
    match publisher.count_orphans().await {
        Ok(found) if found.are_suspicious() => finding(
            "orphans",
            Verdict::Failure,
            format!(
                "{} of {} objects are unknown to the database; is store.url right?",
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
        Err(_) if is_recto(address) => finding(key, Verdict::Ok, format!("a Recto is running on {address}")),
        Err(error) => finding(
            key,
            Verdict::Warning,
            format!("{address} cannot be used: {error}; choose another address with {key}"),
        ),
    }
}

/// Whether what has the address says that it is alive, as a Recto does.
fn is_recto(address: SocketAddr) -> bool {
    ask_for_health(address).is_ok_and(|answer| answer.ends_with(b"{\"status\":\"ok\"}"))
}

fn ask_for_health(mut address: SocketAddr) -> std::io::Result<Vec<u8>> {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            Ipv4Addr::LOCALHOST.into()
        } else {
            Ipv6Addr::LOCALHOST.into()
        });
    }
    let mut stream = TcpStream::connect_timeout(&address, HEALTH_WITHIN)?;
    stream.set_read_timeout(Some(HEALTH_WITHIN))?;
    stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = Vec::new();
    stream.take(HEALTH_BYTES).read_to_end(&mut answer)?;
    Ok(answer)
}

fn ffmpeg() -> Finding {
    let ran = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match ran {
        Ok(status) if status.success() => finding("ffmpeg", Verdict::Ok, "installed"),
        _ => finding(
            "ffmpeg",
            Verdict::Warning,
            "not found; uploaded MOVs wait for their MP4 twins (Debian: apt-get install ffmpeg)",
        ),
    }
}

/// Whether what opens uploads gets its walls here.
fn sandbox(config: &Config) -> Finding {
    let worker = match serve::uploads_of(config) {
        Ok(uploads) => uploads.worker,
        Err(error) => return finding("sandbox", Verdict::Failure, format!("{error:#}")),
    };
    match media::sandbox_walls(&worker) {
        Ok(Some(walls)) => finding(
            "sandbox",
            Verdict::Ok,
            format!("uploads are opened behind seccomp, Landlock (ABI {}) and limits", walls.landlock_abi),
        ),
        Ok(None) => finding(
            "sandbox",
            Verdict::Warning,
            "off: a file that takes over its decoder takes over the server; remove uploads.sandbox",
        ),
        Err(failure) => finding("sandbox", Verdict::Failure, failure.to_string()),
    }
}
