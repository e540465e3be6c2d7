//! `recto verify`: reads everything that is stored. Exit status 1 means that something is damaged.

use std::process::ExitCode;

use anyhow::Result;
use model::ByteSize;
use publisher::{Damage, Verified};

use super::{Access, with_publisher};
use crate::{Global, output};

pub fn verify(global: &Global) -> Result<ExitCode> {
    let json = global.json;
    let progress = output::progress("{spinner} {msg} ({elapsed})", json);
    let bar = progress.clone();
    let found = with_publisher(global, Access::Read, async |publisher| {
        Ok(publisher.verify(|so_far| bar.set_message(summary(so_far))).await?)
    })?;
    progress.finish_and_clear();
    if json {
        output::json(&found);
    } else {
        for Damage { site, what } in &found.damage {
            output::line(format!("{}: {what}", site.as_deref().unwrap_or("server")));
        }
        let verdict = if found.damage.is_empty() { "no damage found".into() } else { damaged(&found) };
        output::line(format!("{}; {verdict}", summary(&found)));
    }
    Ok(if found.damage.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn summary(found: &Verified) -> String {
    let Verified { sites, pages, files, media, bytes, .. } = found;
    format!("{sites} sites, {pages} pages, {files} files, {media} media, {} read", ByteSize(*bytes))
}

fn damaged(found: &Verified) -> String {
    format!(
        "{} problems. Damaged files of a site are rebuilt by `recto site build` after a change; damaged uploads must be \
         uploaded again. Or restore both from a backup",
        found.damage.len()
    )
}
