//! A hostile text costs about as much as an honest one: bounds on nesting, on CPU time and on what is written.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

use crate::TooComplex;

/// A page's HTML may take so many bytes, or [`HTML_FACTOR`] times its text if that is more.
const HTML_BYTES: usize = 1024 * 1024;
const HTML_FACTOR: usize = 10;

/// Levels of nesting a line may open, summed over the lines that they may stay open for. The parser visits them for each
/// line and cannot be interrupted: 2 to 8 ns for each, so at most a third of a second. A page whose lists are ten levels
/// deep in all of its 5,000 lines reaches a thousandth of it.
const MAX_NESTING: usize = 40_000_000;

/// What one text may cost. The largest honest one takes some tens of milliseconds.
pub(crate) const CPU_TIME: Duration = Duration::from_secs(1);

/// CPU time of the thread that made it: a thread that waits for its turn on a busy machine spends nothing.
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

    /// Another thread worked for this one.
    pub(crate) fn charge(&mut self, time: Duration) {
        self.end = self.end.saturating_sub(time);
    }
}

/// What the calling thread has used of a CPU since it began.
pub fn thread_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).expect("it counts up from zero")
}

/// The most HTML that a text may become.
pub(crate) fn max_html(text: &str) -> usize {
    HTML_BYTES.max(text.len() * HTML_FACTOR)
}

/// The most events that a text may become, which are held in memory: at most two for each of its bytes, and those of the
/// cells that the rows of a table leave out. Of these the parser adds a quarter of a million; each takes ten bytes of HTML.
pub(crate) fn max_events(text: &str) -> usize {
    max_html(text) / 4
}

/// Before the text is parsed: whether lines nest so deeply, and so many lines follow them, that parsing would take long.
pub(crate) fn check_nesting(text: &str) -> Result<(), TooComplex> {
    let (mut deepest, mut deepest_at, mut sum, mut at) = (0, 0, 0, 0);
    for line in text.split(['\n', '\r']) {
        let levels = levels(line);
        if levels > deepest {
            (deepest, deepest_at) = (levels, at);
        }
        sum += deepest;
        at += line.len() + 1;
    }
    if sum <= MAX_NESTING { Ok(()) } else { Err(too_deep(&text[..deepest_at])) }
}

/// The most levels of quotes, lists and footnotes that a line can open or continue: a level takes a sign, or two columns
/// of indentation, of which a tab has four. Wherever in the line they stand, as the label of a footnote may come first.
fn levels(line: &str) -> usize {
    let level = |byte: &u8| match byte {
        b'\t' => 2,
        b'>' | b' ' | b'-' | b'+' | b'*' | b'.' | b')' | b'0'..=b'9' => 1,
        _ => 0,
    };
    let runs = line.as_bytes().split(|byte| level(byte) == 0);
    runs.map(|run| run.iter().map(level).sum()).max().unwrap_or(0)
}

fn too_deep(before: &str) -> TooComplex {
    let number = before.matches('\n').count() + 1;
    TooComplex(format!("line {number} nests quotes or lists too deeply"))
}

fn too_slow() -> TooComplex {
    let seconds = CPU_TIME.as_secs();
    TooComplex(format!("the text is too complex: rendering it takes more than {seconds} s of CPU time"))
}

pub(crate) fn too_long() -> TooComplex {
    let words = "the page would be larger than 1 MB and ten times its text: it has too many table cells, headings, \
                 formulas or footnote references";
    TooComplex(words.to_owned())
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    /// Works until this thread has had so much of a CPU.
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
    fn what_another_thread_did_counts_too() {
        let mut budget = Budget::new(Duration::from_secs(10));
        budget.charge(Duration::from_secs(9));
        assert_eq!(budget.check(), Ok(()));
        budget.charge(Duration::from_secs(2));
        assert_eq!(budget.check(), Err(too_slow()));
    }
}
