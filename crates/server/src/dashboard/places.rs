//! A limited number of places for responses that take long. One account, or one session, has only some of them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Places<K> {
    most: usize,
    most_of_one: usize,
    held: Mutex<HashMap<K, usize>>,
}

/// Released when dropped.
pub(super) struct Place<K: Copy + Eq + Hash> {
    places: Arc<Places<K>>,
    holder: K,
}

impl<K: Copy + Eq + Hash> Places<K> {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Arc<Places<K>> {
        Arc::new(Places { most, most_of_one, held: Mutex::default() })
    }

    /// `None`: all places are taken, or all that one may have.
    pub(super) fn enter(self: &Arc<Self>, holder: K) -> Option<Place<K>> {
        let mut held = self.held();
        let all: usize = held.values().sum();
        let own = held.get(&holder).copied().unwrap_or_default();
        if all >= self.most || own >= self.most_of_one {
            return None;
        }
        held.insert(holder, own + 1);
        Some(Place { places: self.clone(), holder })
    }

    fn held(&self) -> MutexGuard<'_, HashMap<K, usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> Drop for Place<K> {
    fn drop(&mut self) {
        let mut held = self.places.held();
        if let Some(count) = held.get_mut(&self.holder) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.holder);
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
        assert!(places.held().is_empty(), "nothing is remembered of those who left");
        assert!(places.enter(0).is_some());
    }
}
