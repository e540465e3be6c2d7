//! Pages by time, newest first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use model::{PageId, Timestamp};
use uuid::Uuid;

use super::archive::{Archive, part_of, parts};
use crate::text::Day;

/// A list of up to this many pages shows them all; a longer one is split into archives.
pub(crate) const MAX_LIST_ENTRIES: usize = 60;
/// How many pages the list shows when it is split.
pub(crate) const NEWEST_ENTRIES: usize = 20;

/// Posts of the blog or of one of its sections, or pages with a tag.
#[derive(Default)]
pub(crate) struct Timeline {
    entries: BTreeSet<(Reverse<Timestamp>, PageId)>,
    /// The number of pages per day.
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

    /// Whether it fits on one list.
    pub fn is_whole(&self) -> bool {
        self.len() <= MAX_LIST_ENTRIES
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

    /// Each month with the number of its pages, newest first.
    pub fn months(&self) -> Vec<(Archive, usize)> {
        let mut months: Vec<(Archive, usize)> = vec![];
        for (day, count) in self.days.iter().rev() {
            match months.last_mut() {
                Some((month, total)) if *month == Archive::month(*day) => *total += count,
                _ => months.push((Archive::month(*day), *count)),
            }
        }
        months
    }

    /// Each day of a month with the number of its pages, newest first.
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

    /// Whether there is a file for this archive.
    pub fn has(&self, archive: Archive) -> bool {
        let is_month_split =
            |day: Day| !self.is_whole() && self.month_len(day.year, day.month) > MAX_LIST_ENTRIES;
        match archive {
            Archive::Month { year, month } => !self.is_whole() && self.month_len(year, month) > 0,
            Archive::Day(day) => is_month_split(day) && self.day_len(day) > 0,
            Archive::Part(day, part) => is_month_split(day) && part < parts(self.day_len(day)),
        }
    }

    /// The pages of an archive, newest first.
    pub fn ids_of(&self, archive: Archive) -> Vec<PageId> {
        let (first, last) = archive.span();
        let range = (Reverse(last), PageId(Uuid::nil()))..=(Reverse(first), PageId(Uuid::max()));
        let ids = self.entries.range(range).map(|&(_, id)| id);
        match archive {
            Archive::Part(day, part) => {
                let parts = parts(self.day_len(day)).max(1);
                ids.filter(|&id| part_of(id, parts) == part).collect()
            }
            _ => ids.collect(),
        }
    }

    /// Every archive that has a file.
    pub fn archives(&self) -> Vec<Archive> {
        let mut archives = vec![];
        if self.is_whole() {
            return archives;
        }
        for (month, count) in self.months() {
            archives.push(month);
            let Archive::Month { year, month } = month else { continue };
            if count <= MAX_LIST_ENTRIES {
                continue;
            }
            for (day, count) in self.days(year, month) {
                archives.push(Archive::Day(day));
                archives.extend((0..parts(count)).map(|part| Archive::Part(day, part)));
            }
        }
        archives
    }

    /// The archives whose files may differ when a page with that time was added, removed or changed.
    ///
    /// Around a threshold these include all that appear or disappear with it.
    pub fn archives_around(&self, time: Timestamp, id: PageId) -> Vec<Archive> {
        let day = Day::of(time);
        let mut archives = vec![];
        if self.len() < MAX_LIST_ENTRIES {
            return archives;
        }
        archives.push(Archive::month(day));
        if is_threshold(self.len()) {
            archives.extend(self.months().into_iter().map(|(month, _)| month));
        }
        let in_month = self.month_len(day.year, day.month);
        if in_month < MAX_LIST_ENTRIES {
            return archives;
        }
        archives.push(Archive::Day(day));
        if is_threshold(in_month) {
            archives.extend(self.days(day.year, day.month).map(|(day, _)| Archive::Day(day)));
        }
        archives.extend(self.parts_around(day, id));
        archives
    }

    fn parts_around(&self, day: Day, id: PageId) -> Vec<Archive> {
        let in_day = self.day_len(day);
        let most = parts(in_day + 1);
        if parts(in_day.saturating_sub(1)) == most && !is_threshold(self.month_len(day.year, day.month)) {
            let own = (most > 0).then(|| Archive::Part(day, part_of(id, most)));
            return own.into_iter().collect();
        }
        (0..most).map(|part| Archive::Part(day, part)).collect()
    }
}

/// Whether one page more or less may decide if a list of this length is split.
fn is_threshold(len: usize) -> bool {
    len == MAX_LIST_ENTRIES || len == MAX_LIST_ENTRIES + 1
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
    fn a_short_timeline_is_not_split() {
        let mut timeline = Timeline::default();
        (0..MAX_LIST_ENTRIES as u128).for_each(|n| timeline.insert(at("2026-05-14"), id(n)));
        assert_eq!(timeline.archives(), []);
        timeline.insert(at("2026-04-01"), id(1000));
        assert_eq!(
            timeline.archives(),
            [Archive::Month { year: 2026, month: 5 }, Archive::Month { year: 2026, month: 4 }]
        );
    }

    #[test]
    fn each_page_is_in_one_archive_of_each_kind() {
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
            let archives = timeline
                .archives()
                .into_iter()
                .filter(|archive| archive.to_string().split('.').count() == kind);
            let mut ids: Vec<_> = archives.flat_map(|archive| timeline.ids_of(archive)).collect();
            ids.sort();
            assert_eq!(ids, (0..1000).map(id).collect::<Vec<_>>(), "{kind}");
        }
        assert!(timeline.archives().into_iter().all(|archive| timeline.has(archive)));
        assert!(!timeline.has(Archive::parse("2026.07").unwrap()));
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
