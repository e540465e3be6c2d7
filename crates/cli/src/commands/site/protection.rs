//! `recto site password`. A password is never an argument: those stay in the shell's history, and every user of the
//! machine sees them while the command runs.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, Result, bail};
use clap::Args;
use console::Term;
use publisher::Publisher;
use serde_json::json;

use crate::output;

/// More than the longest password, so that one that is too long is told so.
const MOST_BYTES: u64 = 4096;

#[derive(Args)]
pub struct Password {
    /// Its id or name
    site: String,
    /// Let everybody read the site again
    #[arg(long)]
    remove: bool,
}

impl Password {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let said = if self.remove {
            publisher.unprotect(&site).await?;
            "everybody may read the site now"
        } else {
            publisher.protect(&site, &read_password()?).await?;
            "only those who know the password may read the site now; those who knew an older one are asked again"
        };
        if json {
            output::json(&json!({ "siteId": site.id, "protected": !self.remove }));
            return Ok(());
        }
        output::line(said);
        output::line(format!("open {}", super::address(publisher, &site).await?));
        Ok(())
    }
}

fn read_password() -> Result<String> {
    let stdin = std::io::stdin();
    let password = if stdin.is_terminal() { ask()? } else { first_line(stdin.lock())? };
    if password.is_empty() {
        bail!(
            "no password was given: run the command in a terminal, or give it the password on standard input"
        );
    }
    Ok(password)
}

/// Twice: nobody sees what is typed.
fn ask() -> Result<String> {
    let terminal = Term::stderr();
    let ask = |question: &str| terminal.write_str(question).and_then(|()| terminal.read_secure_line());
    let password = ask("Password: ").context("read the password")?;
    if ask("Once more: ").context("read the password")? != password {
        bail!("these were two different passwords; nothing is changed");
    }
    Ok(password)
}

fn first_line(input: impl BufRead) -> Result<String> {
    let mut line = String::new();
    input.take(MOST_BYTES).read_line(&mut line).context("read the password from standard input")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_the_first_line_without_its_end() {
        let check = |input: &str, expected: &str| {
            assert_eq!(first_line(input.as_bytes()).unwrap_or_default(), expected)
        };
        check("secret\n", "secret");
        check(" two words \r\nmore", " two words ");
        check("no end", "no end");
        check("", "");
    }
}
