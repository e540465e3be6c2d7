//! `recto site show`.

use anyhow::Result;
use publisher::{Publisher, ReleaseInfo};
use serde_json::{Value, json};
use store::sites::Site;

use super::builds::{self, LastBuild};
use super::describe;
use crate::output;

pub async fn show(publisher: &Publisher, site: &Site, json: bool) -> Result<()> {
    let live = publisher.release_list(site).await?.into_iter().find(|release| release.live);
    let domains = publisher.domain_list(site).await?;
    let protected = publisher.site_is_protected(site).await?;
    let last_build = builds::last_build(publisher, site).await?;
    if json {
        let mut shown = describe(publisher, site);
        shown["release"] = live.as_ref().map_or(Value::Null, release);
        shown["domains"] = json!(domains);
        shown["protected"] = json!(protected);
        shown["lastBuild"] = json!(last_build);
        output::json(&shown);
        return Ok(());
    }
    let name = site.name.as_str();
    output::facts(&[
        ("site", site.id.to_string()),
        ("name", name.to_owned()),
        ("account", site.account.to_string()),
        ("address", publisher.settings().deploy_url(&site.name)),
        ("domains", if domains.is_empty() { "none".into() } else { domains.join(", ") }),
        ("created", site.created_at.to_string()),
        (
            "live",
            live.as_ref()
                .map_or_else(|| format!("none yet; to build the site: recto site build {name}"), live_text),
        ),
        ("last build", last_build.as_ref().map_or("none".into(), LastBuild::to_string)),
        ("access", if protected { "protected by a password" } else { "public" }.to_owned()),
    ]);
    Ok(())
}

fn release(ReleaseInfo { release, .. }: &ReleaseInfo) -> Value {
    json!({ "number": release.number, "pages": release.pages, "createdAt": release.created_at })
}

fn live_text(ReleaseInfo { release, .. }: &ReleaseInfo) -> String {
    let pages = if release.pages == 1 { "1 page".into() } else { format!("{} pages", release.pages) };
    format!("release {} of {}, {pages}", release.number, release.created_at)
}
