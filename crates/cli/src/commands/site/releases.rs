//! `recto site releases` and `recto site rollback`.

use anyhow::Result;
use clap::Args;
use publisher::{Publisher, ReleaseInfo};
use serde_json::{Value, json};
use store::sites::Site;

use crate::output;

pub async fn list(publisher: &Publisher, site: &Site, json: bool) -> Result<()> {
    let releases = publisher.release_list(site).await?;
    let name = site.name.as_str();
    if json {
        output::json(&releases.iter().map(describe).collect::<Vec<_>>());
    } else if releases.is_empty() {
        output::line(format!("no releases yet; to create one: recto site build {name}"));
    } else {
        let rows: Vec<_> = releases.iter().map(row).collect();
        output::table(["RELEASE", "CREATED", "PAGES", ""], &rows);
        output::line("");
        output::line(format!("to go back to one: recto site rollback {name} NUMBER"));
    }
    Ok(())
}

fn describe(ReleaseInfo { release, live }: &ReleaseInfo) -> Value {
    json!({
        "number": release.number,
        "buildId": release.build,
        "createdAt": release.created_at,
        "pages": release.pages,
        "live": live,
    })
}

fn row(ReleaseInfo { release, live }: &ReleaseInfo) -> [String; 4] {
    let mark = if *live { "live" } else { "" };
    [release.number.to_string(), release.created_at.to_string(), release.pages.to_string(), mark.to_owned()]
}

#[derive(Args)]
pub struct Rollback {
    /// The site's id or name
    site: String,
    /// A release shown by `recto site releases`; default: the release before the live one
    number: Option<i64>,
}

impl Rollback {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let number = publisher.rollback(&site, self.number).await?;
        if json {
            output::json(&json!({ "siteId": site.id, "release": number }));
            return Ok(());
        }
        output::line(format!("release {number} is live until the next requested build"));
        output::line(format!("open {}", super::main_url(publisher, &site).await?));
        Ok(())
    }
}
