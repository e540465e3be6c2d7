//! Output of the commands: JSON for programs, aligned columns for people.

use std::fmt::Display;
use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;

pub fn json(value: &impl Serialize) {
    line(serde_json::to_string(value).unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}")));
}

/// Prints a line. Errors are ignored: the reader may have closed the pipe (`| head`).
pub fn line(text: impl Display) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

/// Prints a table; each column is as wide as its widest cell.
pub fn table<const N: usize>(headings: [&str; N], rows: &[[String; N]]) {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([headings[column].chars().count()]).max().unwrap_or(0)
    };
    let widths: [usize; N] = std::array::from_fn(width);
    let print = |cells: [&str; N]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        line(padded.collect::<Vec<_>>().join("  ").trim_end());
    };
    print(headings);
    for row in rows {
        print(std::array::from_fn(|column| row[column].as_str()));
    }
}

/// Prints names and values, one pair per line.
pub fn facts(facts: &[(&str, String)]) {
    let width = facts.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in facts {
        line(format_args!("{name:<width$}  {value}"));
    }
}

/// The progress of a long command, on standard error, if that is a terminal.
pub fn progress(template: &str, json: bool) -> ProgressBar {
    if json {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    let bar = ProgressBar::new_spinner().with_style(style);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Opens an address in a browser if there is a display. Errors are ignored: the address is printed anyway.
pub fn open_browser(address: &str) {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    if is_set("DISPLAY") || is_set("WAYLAND_DISPLAY") {
        let mut browser = Command::new("xdg-open");
        let _ = browser.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    }
}
