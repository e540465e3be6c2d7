//! One table: what was measured, ours, the peer's, the ratio, and what we promise. Below it, what a reader has to know.

#![allow(clippy::print_stdout)]

pub struct Row {
    pub what: String,
    pub ours: String,
    pub peer: String,
    pub ratio: f64,
    pub promise: Promise,
}

#[derive(Clone, Copy)]
pub enum Promise {
    AtMost(f64),
    AtLeast(f64),
    /// What is promised, and what we would like.
    Aim {
        least: f64,
        aim: f64,
    },
    /// Nothing is promised; the figure is told.
    Told,
}

impl Promise {
    fn kept(self, ratio: f64) -> bool {
        match self {
            Promise::AtMost(most) => ratio <= most,
            Promise::AtLeast(least) | Promise::Aim { least, .. } => ratio >= least,
            Promise::Told => true,
        }
    }

    fn verdict(self, ratio: f64) -> &'static str {
        match self {
            Promise::Told => "",
            _ if !self.kept(ratio) => "MISSED",
            Promise::Aim { aim, .. } if ratio < aim => "kept, below the aim",
            _ => "kept",
        }
    }

    fn text(self) -> String {
        match self {
            Promise::AtMost(most) => format!("<= {most}"),
            Promise::AtLeast(least) => format!(">= {least}"),
            Promise::Aim { least, aim } => format!(">= {least} ({aim})"),
            Promise::Told => String::new(),
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
        println!("{:<62}  {:>12}  {:>24}  {:>9}  {:>12}", "what", "recto", "peer", "ratio", "promise");
        for Row { what, ours, peer, ratio, promise } in &self.rows {
            let (verdict, promise) = (promise.verdict(*ratio), promise.text());
            println!("{what:<62}  {ours:>12}  {peer:>24}  {ratio:>9.2}  {promise:>12}  {verdict}");
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

/// A long run says where it is.
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

/// Of bytes.
pub fn kb(value: f64) -> String {
    format!("{:.0} KB", value / 1024.0)
}

pub fn mb(value: f64) -> String {
    format!("{value:.0} MB")
}
