//! Pages by time, newest first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use model::{PageId, Timestamp};
use uuid::Uuid;

use super::cut::{Cut, part_of, parts};
use crate::text::Day;

/// Up to so many pages a list shows them all; a longer one is cut.
pub(crate) const WHOLE: usize = 60;
/// So many a list that was cut still shows.
pub(crate) const NEWEST: usize = 20;

/// Pages of the blog, of one of its sections, or of a tag.
#[derive(Default)]
pub(crate) struct Timeline {
    entries: BTreeSet<(Reverse<Timestamp>, PageId)>,
    /// How many pages each day has.
    days: BTreeMap<Day, usize>,
}

impl Timeline {
    pub fn insert(&mut self, time: Timestamp, id: PageId) {
        if self.entries.insert((Reverse(time), id)) {
            *self.days.entry(Day::of(time)).or_default() += 1;
        }
    }

    pub fn remove(&mut self, time: Timestamp, id: PageId) {
        if self.entries.remove(&(Reverse(time), id)) {
            let day = Day::of(time);
            let count = self.days.get_mut(&day).expect("every entry is counted");
            *count -= 1;
            if *count == 0 {
                self.days.remove(&day);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether one list shows all of it.
    pub fn is_whole(&self) -> bool {
        self.len() <= WHOLE
    }

    /// Newest first.
    pub fn ids(&self) -> impl Iterator<Item = PageId> {
        self.entries.iter().map(|&(_, id)| id)
    }

    pub fn newer(&self, time: Timestamp, id: PageId) -> Option<PageId> {
        self.entries.range(..(Reverse(time), id)).next_back().map(|&(_, id)| id)
    }

    pub fn older(&self, time: Timestamp, id: PageId) -> Option<PageId> {
        self.entries.range((Reverse(time), id)..).find(|entry| entry.1 != id).map(|&(_, id)| id)
    }

    /// Each month and the number of its pages, newest first.
    pub fn months(&self) -> Vec<(Cut, usize)> {
        let mut months: Vec<(Cut, usize)> = vec![];
        for (day, count) in self.days.iter().rev() {
            match months.last_mut() {
                Some((month, total)) if *month == Cut::month(*day) => *total += count,
                _ => months.push((Cut::month(*day), *count)),
            }
        }
        months
    }

    /// Each day of a month and the number of its pages, newest first.
    pub fn days(&self, year: u16, month: u8) -> impl Iterator<Item = (Day, usize)> {
        let days = Day { year, month, day: 1 }..=Day { year, month, day: 31 };
        self.days.range(days).rev().map(|(&day, &count)| (day, count))
    }

    pub fn month_len(&self, year: u16, month: u8) -> usize {
        self.days(year, month).map(|(_, count)| count).sum()
    }

    pub fn day_len(&self, day: Day) -> usize {
        self.days.get(&day).copied().unwrap_or(0)
    }

    /// Whether there is a file for this cut.
    pub fn has(&self, cut: Cut) -> bool {
        let month_is_cut = |day: Day| !self.is_whole() && self.month_len(day.year, day.month) > WHOLE;
        match cut {
            Cut::Month { year, month } => !self.is_whole() && self.month_len(year, month) > 0,
            Cut::Day(day) => month_is_cut(day) && self.day_len(day) > 0,
            Cut::Part(day, part) => month_is_cut(day) && part < parts(self.day_len(day)),
        }
    }

    /// The pages of a cut, newest first.
    pub fn ids_of(&self, cut: Cut) -> Vec<PageId> {
        let (first, last) = cut.span();
        let range = (Reverse(last), PageId(Uuid::nil()))..=(Reverse(first), PageId(Uuid::max()));
        let ids = self.entries.range(range).map(|&(_, id)| id);
        match cut {
            Cut::Part(day, part) => {
                let parts = parts(self.day_len(day)).max(1);
                ids.filter(|&id| part_of(id, parts) == part).collect()
            }
            _ => ids.collect(),
        }
    }

    /// Every cut that has a file.
    pub fn cuts(&self) -> Vec<Cut> {
        let mut cuts = vec![];
        if self.is_whole() {
            return cuts;
        }
        for (month, count) in self.months() {
            cuts.push(month);
            let Cut::Month { year, month } = month else { continue };
            if count <= WHOLE {
                continue;
            }
            for (day, count) in self.days(year, month) {
                cuts.push(Cut::Day(day));
                cuts.extend((0..parts(count)).map(|part| Cut::Part(day, part)));
            }
        }
        cuts
    }

    /// The cuts whose files may differ when a page of that time has come, gone or changed.
    ///
    /// Around a threshold they are all those that come or go with it.
    pub fn cuts_around(&self, time: Timestamp, id: PageId) -> Vec<Cut> {
        let day = Day::of(time);
        let mut cuts = vec![];
        if self.len() < WHOLE {
            return cuts;
        }
        cuts.push(Cut::month(day));
        if is_threshold(self.len()) {
            cuts.extend(self.months().into_iter().map(|(month, _)| month));
        }
        let in_month = self.month_len(day.year, day.month);
        if in_month < WHOLE {
            return cuts;
        }
        cuts.push(Cut::Day(day));
        if is_threshold(in_month) {
            cuts.extend(self.days(day.year, day.month).map(|(day, _)| Cut::Day(day)));
        }
        cuts.extend(self.parts_around(day, id));
        cuts
    }

    fn parts_around(&self, day: Day, id: PageId) -> Vec<Cut> {
        let in_day = self.day_len(day);
        let most = parts(in_day + 1);
        if parts(in_day.saturating_sub(1)) == most && !is_threshold(self.month_len(day.year, day.month)) {
            let own = (most > 0).then(|| Cut::Part(day, part_of(id, most)));
            return own.into_iter().collect();
        }
        (0..most).map(|part| Cut::Part(day, part)).collect()
    }
}

/// Whether one page more or less may change if a list of so many is cut.
fn is_threshold(len: usize) -> bool {
    len == WHOLE || len == WHOLE + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse_iso(text).unwrap()
    }

    fn id(n: u128) -> PageId {
        PageId(Uuid::from_u128(n))
    }

    #[test]
    fn a_short_timeline_is_not_cut() {
        let mut timeline = Timeline::default();
        (0..WHOLE as u128).for_each(|n| timeline.insert(at("2026-05-14"), id(n)));
        assert_eq!(timeline.cuts(), []);
        timeline.insert(at("2026-04-01"), id(1000));
        assert_eq!(
            timeline.cuts(),
            [Cut::Month { year: 2026, month: 5 }, Cut::Month { year: 2026, month: 4 }]
        );
    }

    #[test]
    fn each_page_is_in_one_cut_of_each_kind() {
        let mut timeline = Timeline::default();
        let times = [
            "2026-05-14T23:59:59.999Z",
            "2026-05-14",
            "2026-05-31T12:00Z",
            "2026-06-01",
            "9999-12-31T23:59:59Z",
        ];
        for n in 0..1000_u128 {
            timeline.insert(at(times[n as usize % times.len()]), id(n));
        }
        for kind in [2, 3, 4] {
            let cuts = timeline.cuts().into_iter().filter(|cut| cut.to_string().split('.').count() == kind);
            let mut ids: Vec<_> = cuts.flat_map(|cut| timeline.ids_of(cut)).collect();
            ids.sort();
            assert_eq!(ids, (0..1000).map(id).collect::<Vec<_>>(), "{kind}");
        }
        assert!(timeline.cuts().into_iter().all(|cut| timeline.has(cut)));
        assert!(!timeline.has(Cut::parse("2026.07").unwrap()));
    }

    #[test]
    fn neighbours_are_newer_and_older() {
        let mut timeline = Timeline::default();
        timeline.insert(at("2026-01-01"), id(1));
        timeline.insert(at("2026-01-02"), id(2));
        timeline.insert(at("2026-01-03"), id(3));
        let around = |time, n| (timeline.newer(at(time), id(n)), timeline.older(at(time), id(n)));
        assert_eq!(around("2026-01-02", 2), (Some(id(3)), Some(id(1))));
        assert_eq!(around("2026-01-03", 3), (None, Some(id(2))));
        assert_eq!(around("2026-01-01", 1), (Some(id(2)), None));
    }
}
