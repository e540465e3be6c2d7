//! The results as a table: what was measured, our figure, the peer's, the ratio, and the target. Notes follow below it.

#![allow(clippy::print_stdout)]

pub struct Row {
    pub what: String,
    pub ours: String,
    pub peer: String,
    pub ratio: f64,
    pub target: Target,
}

#[derive(Clone, Copy)]
pub enum Target {
    AtMost(f64),
    AtLeast(f64),
    /// A target, and a stretch goal.
    Stretch {
        least: f64,
        goal: f64,
    },
    /// No target; for information only.
    Informational,
}

impl Target {
    fn is_met(self, ratio: f64) -> bool {
        match self {
            Target::AtMost(most) => ratio <= most,
            Target::AtLeast(least) | Target::Stretch { least, .. } => ratio >= least,
            Target::Informational => true,
        }
    }

    fn verdict(self, ratio: f64) -> &'static str {
        match self {
            Target::Informational => "",
            _ if !self.is_met(ratio) => "MISSED",
            Target::Stretch { goal, .. } if ratio < goal => "met, below the goal",
            _ => "met",
        }
    }

    fn text(self) -> String {
        match self {
            Target::AtMost(most) => format!("<= {most}"),
            Target::AtLeast(least) => format!(">= {least}"),
            Target::Stretch { least, goal } => format!(">= {least} ({goal})"),
            Target::Informational => String::new(),
        }
    }
}

#[derive(Default)]
pub struct Report {
    pub rows: Vec<Row>,
    pub notes: Vec<String>,
}

impl Report {
    pub fn add(&mut self, other: Report) {
        self.rows.extend(other.rows);
        self.notes.extend(other.notes);
    }

    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    pub fn print(&self) {
        println!("{:<62}  {:>12}  {:>24}  {:>9}  {:>12}", "what", "recto", "peer", "ratio", "target");
        for Row { what, ours, peer, ratio, target } in &self.rows {
            let (verdict, target) = (target.verdict(*ratio), target.text());
            println!("{what:<62}  {ours:>12}  {peer:>24}  {ratio:>9.2}  {target:>12}  {verdict}");
        }
        for note in &self.notes {
            println!("- {note}");
        }
    }
}

impl From<Vec<Row>> for Report {
    fn from(rows: Vec<Row>) -> Report {
        Report { rows, notes: Vec::new() }
    }
}

/// Shows the progress of a long run.
pub fn progress(text: &str) {
    eprintln!("-- {text}");
}

pub fn ms(value: f64) -> String {
    match value {
        0.0..10.0 => format!("{value:.2} ms"),
        10.0..10_000.0 => format!("{value:.1} ms"),
        _ => format!("{:.1} s", value / 1e3),
    }
}

/// Formats bytes.
pub fn kb(value: f64) -> String {
    format!("{:.0} KB", value / 1024.0)
}

pub fn mb(value: f64) -> String {
    format!("{value:.0} MB")
}
