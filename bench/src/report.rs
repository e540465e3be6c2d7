//! One table: what was measured, ours, the peer's, the ratio, and what we promise.

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
}

impl Promise {
    fn kept(self, ratio: f64) -> bool {
        match self {
            Promise::AtMost(most) => ratio <= most,
            Promise::AtLeast(least) => ratio >= least,
        }
    }

    fn text(self) -> String {
        match self {
            Promise::AtMost(most) => format!("<= {most}"),
            Promise::AtLeast(least) => format!(">= {least}"),
        }
    }
}

pub fn print(rows: &[Row]) {
    println!("{:<58}  {:>14}  {:>22}  {:>8}  {:>8}", "what", "recto", "peer", "ratio", "promise");
    for row in rows {
        let mark = if row.promise.kept(row.ratio) { "" } else { "  MISSED" };
        println!(
            "{:<58}  {:>14}  {:>22}  {:>8.2}  {:>8}{mark}",
            row.what,
            row.ours,
            row.peer,
            row.ratio,
            row.promise.text()
        );
    }
}

pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

pub fn ms(value: f64) -> String {
    if value < 10.0 { format!("{value:.3} ms") } else { format!("{value:.1} ms") }
}
