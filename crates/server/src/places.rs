//! A limited number of places for requests. One account, or one session, has only some of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Places<K> {
    most: usize,
    most_of_one: usize,
    held: Mutex<Held<K>>,
}

struct Held<K> {
    all: usize,
    by_holder: HashMap<K, usize>,
}

/// Released when dropped.
pub(crate) struct Place<K: Copy + Eq + Hash> {
    places: Arc<Places<K>>,
    holder: K,
}

impl<K: Copy + Eq + Hash> Places<K> {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Arc<Places<K>> {
        let held = Held { all: 0, by_holder: HashMap::new() };
        Arc::new(Places { most, most_of_one, held: Mutex::new(held) })
    }

    /// `None`: all places are taken, or all that one may have.
    pub(crate) fn enter(self: &Arc<Self>, holder: K) -> Option<Place<K>> {
        let mut held = self.held();
        let own = held.by_holder.get(&holder).copied().unwrap_or_default();
        if held.all >= self.most || own >= self.most_of_one {
            return None;
        }
        held.all += 1;
        held.by_holder.insert(holder, own + 1);
        Some(Place { places: self.clone(), holder })
    }

    fn held(&self) -> MutexGuard<'_, Held<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut held = self.places.held();
        held.all -= 1;
        if let Entry::Occupied(mut own) = held.by_holder.entry(self.holder) {
            *own.get_mut() -= 1;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_few_places_and_all_together_have_a_limit() {
        let places = Places::new(8, 3);
        let mut own: Vec<Place<i32>> = (0..9).map_while(|_| places.enter(0)).collect();
        assert_eq!(own.len(), 3);
        own.pop();
        own.extend(places.enter(0));
        let others: Vec<Place<i32>> = (1..99).map_while(|number| places.enter(number)).collect();
        assert_eq!(own.len() + others.len(), 8);
        drop((own, others));
        assert!(places.held().by_holder.is_empty(), "nothing is remembered of those who left");
        assert!(places.enter(0).is_some());
    }
}
