//! `recto doctor`: checks what the server needs, and says what to do about what is missing.

use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::Result;
use model::ByteSize;
use serde::Serialize;

use crate::config::Config;
use crate::{Global, output, serve};

/// Below this a server that stores pages soon stops storing them.
const LITTLE_SPACE: u64 = 1 << 30;

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
    let config = match Config::load(global) {
        Ok(config) => config,
        Err(error) => return vec![finding("configuration", Verdict::Failure, format!("{error:#}"))],
    };
    let source = global.config.as_ref().map_or("built-in defaults".into(), |path| path.display().to_string());
    let mut findings = vec![finding("configuration", Verdict::Ok, source)];
    let opened = serve::open(&config);
    findings.extend(data_directory(&config.data));
    findings.push(match opened {
        Ok(publisher) => database(publisher),
        Err(error) => finding("database", Verdict::Failure, format!("{error:#}; check store.url")),
    });
    findings.push(listen_address(&config));
    findings.push(ffmpeg());
    findings
}

fn finding(check: &'static str, verdict: Verdict, message: impl Into<String>) -> Finding {
    Finding { check, verdict, message: message.into() }
}

fn data_directory(path: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    let probe = path.join(".doctor");
    let start = Instant::now();
    let written = std::fs::File::create(&probe).and_then(|file| file.sync_all());
    let _ = std::fs::remove_file(&probe);
    findings.push(match written {
        Ok(()) => {
            let ms = start.elapsed().as_secs_f64() * 1e3;
            finding(
                "data directory",
                Verdict::Ok,
                format!("{} is writable, a sync takes {ms:.1} ms", path.display()),
            )
        }
        Err(error) => finding(
            "data directory",
            Verdict::Failure,
            format!(
                "{} cannot be written: {error}; fix its owner, or choose another with --data",
                path.display()
            ),
        ),
    });
    findings.push(match rustix::fs::statvfs(path) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            match free < LITTLE_SPACE {
                true => finding("disk", Verdict::Warning, format!("only {} free; make room", ByteSize(free))),
                false => finding("disk", Verdict::Ok, format!("{} free", ByteSize(free))),
            }
        }
        Err(error) => finding("disk", Verdict::Warning, format!("cannot tell the free space: {error}")),
    });
    findings
}

fn database(publisher: publisher::Publisher) -> Finding {
    let answer = serve::runtime().and_then(|runtime| {
        runtime.block_on(async {
            let lost = publisher.accounts_without_plan().await?;
            publisher.close().await;
            Ok(lost)
        })
    });
    match answer.as_deref() {
        Ok([]) => finding("database", Verdict::Ok, "answers"),
        Ok([(account, plan), ..]) => finding(
            "database",
            Verdict::Warning,
            format!(
                "account {account} is on the plan {plan:?}, which is not configured; see `recto account plan`"
            ),
        ),
        Err(error) => finding("database", Verdict::Failure, format!("{error:#}")),
    }
}

fn listen_address(config: &Config) -> Finding {
    let address = config.api_listen;
    match TcpListener::bind(address) {
        Ok(_) => finding("api.listen", Verdict::Ok, format!("{address} is free")),
        Err(error) => finding(
            "api.listen",
            Verdict::Warning,
            format!("{address}: {error}; fine if a recto runs there, otherwise choose another address"),
        ),
    }
}

fn ffmpeg() -> Finding {
    let ran = Command::new("ffmpeg").arg("-version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    match ran {
        Ok(status) if status.success() => finding("ffmpeg", Verdict::Ok, "installed"),
        _ => finding(
            "ffmpeg",
            Verdict::Warning,
            "not found; MOV videos will not be turned into MP4 (Debian: apt-get install ffmpeg)",
        ),
    }
}
