//! `recto doctor`: checks everything that the server needs, and suggests fixes.

mod backups;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use blob::{Blob, Key};
use limits::Backend;
use model::{Clock, ObjectId, SystemClock};
use publisher::{Finding, Publisher, Verdict, examine_ffmpeg, examine_sandbox};
use store::Schema;

use crate::config::{Config, Variables};
use crate::{Global, output, serve};

/// A running server responds at once. Another program on the port may send nothing, or endless data.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
const MAX_HEALTH_BYTES: u64 = 4096;

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
            findings.push(Finding::new("configuration", Verdict::Failure, format!("{error:#}")));
            return findings;
        }
    };
    let source = global.config.as_ref().map_or("built-in defaults".into(), |path| path.display().to_string());
    findings.push(Finding::new("configuration", Verdict::Ok, source));
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
            findings.push(Finding::new("database", Verdict::Warning, format!("{:#}", error.root_cause())))
        }
        Err(error) => {
            findings.push(Finding::new("database", Verdict::Failure, format!("{error:#}; check store.url")))
        }
    }
    findings.push(objects);
    findings.push(limits(&config));
    findings.extend(backups::backups(&config));
    findings.push(listen_address("api.listen", config.api_listen));
    findings.push(listen_address("sites.listen", config.sites_listen));
    findings.push(examine_ffmpeg());
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
        Finding::new("environment", Verdict::Warning, format!("{name} is not a Recto setting{hint}"))
    };
    let mut findings = vec![Finding::new("environment", Verdict::Ok, known)];
    findings.extend(variables.unknown.iter().map(warning));
    findings
}

fn data_directory(path: &Path) -> Finding {
    match probe(path) {
        Ok(sync) => {
            let ms = sync.as_secs_f64() * 1e3;
            let message = format!("{} is writable; a sync takes {ms:.1} ms", path.display());
            Finding::new("data directory", Verdict::Ok, message)
        }
        Err(error) => Finding::new(
            "data directory",
            Verdict::Failure,
            format!(
                "{} is not writable: {error}; fix its permissions, or choose another directory with --data",
                path.display()
            ),
        ),
    }
}

fn objects(config: &Config) -> Finding {
    let (url, opened) = (&config.objects, serve::open_objects(config));
    let checked = match (opened, url.strip_prefix("file:")) {
        (Err(error), _) => Err(error),
        (Ok(_), Some(path)) => probe(Path::new(path)).map(drop).map_err(Into::into),
        (Ok(blob), None) => serve::block_on(read_missing_object(&blob)),
    };
    match checked {
        Ok(()) => Finding::new("objects", Verdict::Ok, format!("{url} is usable")),
        Err(error) => Finding::new(
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
        Backend::Memory => return Finding::new("limits", Verdict::Ok, "each server counts by itself"),
        Backend::Redis(shared) => shared,
    };
    let checked = serve::block_on(async {
        let start = Instant::now();
        let checked = shared.check().await.map_err(anyhow::Error::msg);
        checked.map(|()| start.elapsed())
    });
    match checked {
        Ok(took) => {
            let ms = took.as_secs_f64() * 1e3;
            let message = format!("counted in Redis at {shared}; connecting takes {ms:.1} ms");
            Finding::new("limits", Verdict::Ok, message)
        }
        Err(error) => Finding::new(
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
    let examined = serve::block_on(async {
        let (findings, orphans) = (publisher.examine().await, publisher.examine_orphans().await);
        publisher.close().await;
        Ok(findings?.into_iter().chain([orphans]).collect::<Vec<_>>())
    });
    examined.unwrap_or_else(|error| vec![Finding::new("database", Verdict::Failure, format!("{error:#}"))])
}

fn listen_address(key: &'static str, address: SocketAddr) -> Finding {
    match TcpListener::bind(address) {
        Ok(_) => Finding::new(key, Verdict::Ok, format!("{address} is free")),
        Err(_) if is_recto(address) => {
            Finding::new(key, Verdict::Ok, format!("Recto is running on {address}"))
        }
        Err(error) => Finding::new(
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

/// Whether uploads are processed in a sandbox on this system.
fn sandbox(config: &Config) -> Finding {
    match serve::uploads_of(config) {
        Ok(uploads) => examine_sandbox(&uploads.worker),
        Err(error) => Finding::new("sandbox", Verdict::Failure, format!("{error:#}")),
    }
}
