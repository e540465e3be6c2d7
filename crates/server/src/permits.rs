//! A limited number of permits for requests. One account, or one session, has only some of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) struct Permits<K> {
    most: usize,
    most_of_one: usize,
    held: Mutex<Held<K>>,
}

struct Held<K> {
    all: usize,
    by_holder: HashMap<K, usize>,
}

/// Released when dropped.
pub(crate) struct Permit<K: Copy + Eq + Hash> {
    permits: Arc<Permits<K>>,
    holder: K,
}

impl<K: Copy + Eq + Hash> Permits<K> {
    pub(crate) fn new(most: usize, most_of_one: usize) -> Arc<Permits<K>> {
        let held = Held { all: 0, by_holder: HashMap::new() };
        Arc::new(Permits { most, most_of_one, held: Mutex::new(held) })
    }

    /// `None`: all permits are taken, or all that one may have.
    pub(crate) fn take(self: &Arc<Self>, holder: K) -> Option<Permit<K>> {
        let mut held = self.held();
        let own = held.by_holder.get(&holder).copied().unwrap_or_default();
        if held.all >= self.most || own >= self.most_of_one {
            return None;
        }
        held.all += 1;
        held.by_holder.insert(holder, own + 1);
        Some(Permit { permits: self.clone(), holder })
    }

    fn held(&self) -> MutexGuard<'_, Held<K>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Copy + Eq + Hash> Drop for Permit<K> {
    fn drop(&mut self) {
        let mut held = self.permits.held();
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
    fn one_has_few_permits_and_all_together_have_a_limit() {
        let permits = Permits::new(8, 3);
        let mut own: Vec<Permit<i32>> = (0..9).map_while(|_| permits.take(0)).collect();
        assert_eq!(own.len(), 3);
        own.pop();
        own.extend(permits.take(0));
        let others: Vec<Permit<i32>> = (1..99).map_while(|number| permits.take(number)).collect();
        assert_eq!(own.len() + others.len(), 8);
        drop((own, others));
        assert!(permits.held().by_holder.is_empty(), "nothing is remembered of former holders");
        assert!(permits.take(0).is_some());
    }
}
