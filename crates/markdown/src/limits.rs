//! Bounds on nesting, CPU time and output, so that a hostile text costs about as much as an ordinary one.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::TooComplex;

/// Maximum size of a page's HTML in bytes, or [`HTML_FACTOR`] times its text if that is more.
const HTML_BYTES: usize = 1024 * 1024;
const HTML_FACTOR: usize = 10;

/// Maximum number of nesting levels that a line may open, summed over the lines that they may stay open for. The parser
/// visits each level for each line and cannot be interrupted: at 2 to 8 ns per visit, that is at most a third of a
/// second. A page whose lists are ten levels deep in all of its 5,000 lines reaches a thousandth of it.
const MAX_NESTING: usize = 40_000_000;

/// CPU time for one text. The largest ordinary text takes some tens of milliseconds.
pub(crate) const CPU_TIME: Duration = Duration::from_secs(1);

/// CPU time of the thread that created it: a thread that waits on a busy machine uses none.
pub(crate) struct Budget {
    end: Duration,
}

impl Budget {
    pub(crate) fn new(time: Duration) -> Budget {
        Budget { end: thread_time() + time }
    }

    pub(crate) fn check(&self) -> Result<(), TooComplex> {
        if thread_time() <= self.end { Ok(()) } else { Err(too_slow()) }
    }

    /// Adds time that another thread spent on behalf of this one.
    pub(crate) fn charge(&mut self, time: Duration) {
        self.end = self.end.saturating_sub(time);
    }
}

/// CPU time of the calling thread since it started.
pub fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("it counts up from zero")
}

/// Maximum size of a text's HTML.
pub(crate) fn max_html(text: &str) -> usize {
    HTML_BYTES.max(text.len() * HTML_FACTOR)
}

/// Maximum number of events, which are held in memory: at most two per byte of the text, plus the cells that table rows
/// leave out. The parser adds at most a quarter of a million of those; each takes ten bytes of HTML.
pub(crate) fn max_events(text: &str) -> usize {
    max_html(text) / 4
}

/// Checked before parsing: whether lines nest so deeply, followed by so many lines, that parsing would take long.
pub(crate) fn check_nesting(text: &str) -> Result<(), TooComplex> {
    let (mut deepest, mut deepest_at, mut sum, mut levels) = (0, 0, 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        levels = match LEVELS[usize::from(byte)] {
            0 => 0,
            more => levels + usize::from(more),
        };
        if levels > deepest {
            (deepest, deepest_at) = (levels, at);
        }
        if byte == b'\n' || byte == b'\r' {
            sum += deepest;
        }
    }
    if sum + deepest <= MAX_NESTING { Ok(()) } else { Err(too_deep(&text[..deepest_at])) }
}

/// The levels of quotes, lists and footnotes that a byte can open or continue: a level takes a marker, or two columns of
/// indentation, of which a tab has four. Those that follow each other are counted anywhere in a line, as the label of a
/// footnote may come first.
const LEVELS: [u8; 256] = {
    let mut levels = [0; 256];
    let mut byte = 0;
    while byte < levels.len() {
        levels[byte] = match byte as u8 {
            b'\t' => 2,
            b'>' | b' ' | b'-' | b'+' | b'*' | b'.' | b')' | b'0'..=b'9' => 1,
            _ => 0,
        };
        byte += 1;
    }
    levels
};

fn too_deep(before: &str) -> TooComplex {
    let number = before.matches('\n').count() + 1;
    TooComplex(format!("line {number} nests quotes or lists too deeply"))
}

fn too_slow() -> TooComplex {
    let seconds = CPU_TIME.as_secs();
    TooComplex(format!("the text is too complex: rendering it takes more than {seconds} s of CPU time"))
}

pub(crate) fn too_long() -> TooComplex {
    let message = "the page would be larger than 1 MB and ten times its text: it has too many table cells, headings, \
                 formulas or footnote references";
    TooComplex(message.to_owned())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    /// Works until this thread has used this much CPU time.
    fn burn(time: Duration) {
        let end = thread_time() + time;
        while thread_time() < end {
            black_box((0..1000).sum::<u64>());
        }
    }

    const SHORT: Duration = Duration::from_millis(20);

    #[test]
    fn a_thread_that_works_spends_its_budget() {
        let budget = Budget::new(2 * SHORT);
        burn(SHORT);
        assert_eq!(budget.check(), Ok(()));
        burn(2 * SHORT);
        assert_eq!(budget.check(), Err(too_slow()));
    }

    #[test]
    fn a_thread_that_sleeps_spends_nothing() {
        let budget = Budget::new(SHORT);
        thread::sleep(5 * SHORT);
        assert_eq!(budget.check(), Ok(()));
    }

    #[test]
    fn a_thread_that_waits_for_others_spends_nothing() {
        let (budget, done) = (Budget::new(3 * SHORT), AtomicBool::new(false));
        let others = 4 * thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            for _ in 0..others {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        black_box((0..1000).sum::<u64>());
                    }
                });
            }
            burn(2 * SHORT);
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(budget.check(), Ok(()));
    }

    #[test]
    fn time_of_another_thread_counts_too() {
        let mut budget = Budget::new(Duration::from_secs(10));
        budget.charge(Duration::from_secs(9));
        assert_eq!(budget.check(), Ok(()));
        budget.charge(Duration::from_secs(2));
        assert_eq!(budget.check(), Err(too_slow()));
    }
}
