//! `recto site password`. The password is never an argument: arguments are kept in the shell's history and are visible to
//! all users of the machine while the command runs.

use std::io::{BufRead, IsTerminal};

use anyhow::{Context, Result, bail};
use clap::Args;
use console::Term;
use publisher::Publisher;
use serde_json::json;

use crate::output;

/// More than the longest password, so that a password that is too long is refused, not cut.
const MAX_INPUT_BYTES: u64 = 4096;

#[derive(Args)]
pub struct Password {
    /// The site's id or name
    site: String,
    /// Remove the protection
    #[arg(long)]
    remove: bool,
}

impl Password {
    pub async fn run(self, publisher: &Publisher, json: bool) -> Result<()> {
        let site = publisher.site_find(&self.site).await?;
        let message = if self.remove {
            publisher.unprotect(&site).await?;
            "the site is public now"
        } else {
            publisher.protect(&site, &read_password()?).await?;
            "the site is protected now; visitors who entered an older password must enter the new one"
        };
        if json {
            output::json(&json!({ "siteId": site.id, "protected": !self.remove }));
            return Ok(());
        }
        output::line(message);
        output::line(format!("open {}", super::main_url(publisher, &site).await?));
        Ok(())
    }
}

fn read_password() -> Result<String> {
    let stdin = std::io::stdin();
    let password = if stdin.is_terminal() { ask()? } else { first_line(stdin.lock())? };
    if password.is_empty() {
        bail!("no password given: run the command in a terminal, or send the password to its standard input");
    }
    Ok(password)
}

/// Asks twice, because the input is not shown.
fn ask() -> Result<String> {
    let terminal = Term::stderr();
    let ask = |question: &str| terminal.write_str(question).and_then(|()| terminal.read_secure_line());
    let password = ask("Password: ").context("read the password")?;
    if ask("Repeat password: ").context("read the password")? != password {
        bail!("the passwords do not match; nothing was changed");
    }
    Ok(password)
}

fn first_line(input: impl BufRead) -> Result<String> {
    let mut line = String::new();
    input.take(MAX_INPUT_BYTES).read_line(&mut line).context("read the password from standard input")?;
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
